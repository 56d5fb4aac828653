"""
Boosting round by round
=======================

Each round adds a weak rule. The regions of the classes after one, five and forty rounds on a
problem that no single rule solves.
"""

import matplotlib.pyplot as plt
import numpy as np

import ilk
from ilk_ensembles.plotting import decision_regions

X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
y = np.where(np.hypot(*X.T) < 0.6, "inside", "outside")
model = ilk.classifier("crab", n_rounds=40).fit(X, y)
_, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
decision_regions(model, X, y, rounds=(1, 5, 40), axes=axes, resolution=100)
