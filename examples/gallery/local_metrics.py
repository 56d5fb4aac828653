"""
A metric for each query
=======================

A local metric adapts to the place: the ellipses hold points that are equally near to their centre.
Where a border of classes runs, the ellipse is narrow across it.
"""

import ilk
from ilk.plotting import new_axes
from ilk_learners.plotting import ellipses

X, y = ilk.dataset("iris").load().Xy
petals = X[:, 2:]
learner = ilk.metric_learner("dann").fit(petals, y)
ax = new_axes(6.5, 4.5)
ellipses(learner, petals, y, petals[::12], ax=ax)
