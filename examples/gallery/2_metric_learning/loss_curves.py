"""
How metric learners descend
===========================

The loss of each learner by iteration, as a share of the first. Curves that have not flattened need
more iterations.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning

import ilk
from ilk_learners.plotting import loss_curves

X, y = ilk.dataset("wine").load().Xy
rows = ilk.transformer("standardize").fit_transform(X)
warnings.simplefilter("ignore", ConvergenceWarning)  # the curves show it
learners = [ilk.metric_learner(name, max_iter=25).fit(rows, y) for name in ("lmnn", "nca", "megm")]
loss_curves(learners)
