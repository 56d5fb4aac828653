"""
Similarity by a forest
======================

Two cases are similar if they fall into the same leaves. Cases drawn by these proximities show the
classes, and cases between them.
"""

import ilk
from ilk_ensembles.plotting import proximity_embedding

X, y = ilk.dataset("wine").load().Xy
forest = ilk.classifier("random_forest", n_members=60, random_state=0).fit(X, y)
proximity_embedding(forest, X, y)
