"""
Which features matter
=====================

ReliefF scores features by the nearest cases of the same and of other classes. As a diagonal metric
the scores become weights of the distance.
"""

import ilk
from ilk_learners.plotting import feature_weights

data = ilk.dataset("wine").load()
rows = ilk.transformer("standardize").fit_transform(data.X)
learner = ilk.metric_learner("relevance", relevance="relieff").fit(rows, data.y)
print(learner.report_)
feature_weights(learner, names=data.feature_names)
