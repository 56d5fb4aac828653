"""
Numbers instead of classes
==========================

The mean of the nearest rows predicts a number. Weighting by distance follows the data more
closely than an equal vote.
"""

import matplotlib.pyplot as plt
import numpy as np

import ilk

random = np.random.default_rng(0)
x = np.sort(random.uniform(0, 6, 60))
y = np.sin(x) + random.normal(0, 0.2, 60)
grid = np.linspace(0, 6, 400)
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(x, y, "o", color="0.6", label="training cases")
for name, color in (("majority", "C0"), ("gaussian", "C1")):
    model = ilk.regressor("knn", k=9, vote=name).fit(x[:, None], y)
    ax.plot(grid, model.predict(grid[:, None]), color=color, label=f"9-NN, {name} votes")
ax.legend()
