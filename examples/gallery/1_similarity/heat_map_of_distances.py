"""
A matrix of distances
=====================

All distances between the wines, ordered by class: dark squares on the diagonal are classes whose
cases are close to one another.
"""

import ilk
from ilk_distances.plotting import heat_map

X, y = ilk.dataset("wine").load().Xy
rows = ilk.transformer("standardize").fit_transform(X)
heat_map(ilk.distance("euclidean"), rows, y)
