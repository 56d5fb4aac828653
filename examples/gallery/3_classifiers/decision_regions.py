"""
Decision regions of a nearest-neighbour classifier
==================================================

The predicted class of every point of the plane, for one neighbour and for fifteen. One neighbour
follows each training case; fifteen give smoother borders.
"""

import matplotlib.pyplot as plt

import ilk
from ilk_ensembles.plotting import decision_regions

X, y = ilk.dataset("iris").load().Xy
petals = X[:, 2:]
_, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for k, ax in zip((1, 15), axes, strict=True):
    model = ilk.classifier("knn", k=k).fit(petals, y)
    decision_regions(model, petals, y, axes=[ax], resolution=120, legend=k == 15)
    ax.set_title(f"k = {k}")
