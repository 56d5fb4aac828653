"""
One word swaps the distance
===========================

The same classifier under three distances. A component takes others by name, so only one word
differs between the panels.
"""

import matplotlib.pyplot as plt

import ilk
from ilk_ensembles.plotting import decision_regions

X, y = ilk.dataset("wine").load().Xy
plane = X[:, [0, 6]]  # alcohol and flavanoids
names = ("euclidean", "chebyshev", "canberra")
_, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for name, ax in zip(names, axes, strict=True):
    model = ilk.classifier("knn", k=3, distance=name).fit(plane, y)
    decision_regions(model, plane, y, axes=[ax], resolution=100, legend=name == names[-1])
    ax.set_title(name)
