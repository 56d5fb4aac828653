"""
The space that a metric learner finds
=====================================

Wines before and after a large-margin map to two dimensions. The titles give the leave-one-out
error of the nearest neighbour.
"""

import matplotlib.pyplot as plt

import ilk
from ilk_learners.plotting import learned_space

X, y = ilk.dataset("wine").load().Xy
rows = ilk.transformer("standardize").fit_transform(X)
learner = ilk.metric_learner("lmnn", n_components=2, init="lda").fit(rows, y)
_, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
learned_space(learner, rows, y, axes=axes)
print(learner.report_)
