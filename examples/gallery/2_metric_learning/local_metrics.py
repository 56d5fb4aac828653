"""
A metric for each query
=======================

A local metric adapts to the place: the ellipses hold points that are equally near to their centre.
Where a border of classes runs, the ellipse is narrow across it.
"""

import ilk
from ilk_learners.plotting import ellipses

X, y = ilk.dataset("iris").load().Xy
petals = X[:, 2:]
learner = ilk.metric_learner("dann").fit(petals, y)
ellipses(learner, petals, y, petals[::12])
