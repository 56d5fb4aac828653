"""
Clusters by density
===================

`dbscan` finds dense groups of any shape under any distance, and marks the rest as noise (-1).
"""

import numpy as np

import ilk
from ilk_distances.plotting import embedding

random = np.random.default_rng(0)
angle = random.uniform(0, np.pi, 150)
upper = np.column_stack([np.cos(angle), np.sin(angle)])
lower = np.column_stack([1 - np.cos(angle), 0.4 - np.sin(angle)])
X = np.vstack([upper, lower, random.uniform(-1.5, 2.5, (12, 2))]) + random.normal(0, 0.05, (312, 2))
labels = ilk.clusterer("dbscan", eps=0.2, min_samples=5).fit_predict(X)
embedding(ilk.distance("euclidean"), X, labels)
