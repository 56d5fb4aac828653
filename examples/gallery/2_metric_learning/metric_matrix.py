"""
The matrix of a learned metric
==============================

A learned metric is a matrix. Its diagonal weights the features; entries beside it say which
differences count together.
"""

import ilk
from ilk_learners.plotting import metric_matrix

data = ilk.dataset("iris").load()
rows = ilk.transformer("standardize").fit_transform(data.X)
learner = ilk.metric_learner("nca", max_iter=30).fit(rows, data.y)
metric_matrix(learner, names=data.feature_names)
