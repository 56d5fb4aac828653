"""
How metric learners descend
===========================

The loss of each learner by iteration. Curves that have not flattened need more iterations.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning

import ilk
from ilk.plotting import new_axes
from ilk_learners.plotting import loss_curves

X, y = ilk.dataset("wine").load().Xy
rows = ilk.transformer("standardize").fit_transform(X)
warnings.simplefilter("ignore", ConvergenceWarning)  # the curves show it
learners = {
    init: ilk.metric_learner("nca", init=init, max_iter=25).fit(rows, y)
    for init in ("identity", "pca", "lda")
}
ax = new_axes(6, 4)
loss_curves(learners, ax=ax)
