"""
Which cases decided
===================

A nearest-neighbour classifier can explain a prediction: the neighbours, their distances, and the
weight of each vote. The square is the query, the lines lead to its neighbours.
"""

import matplotlib.pyplot as plt

import ilk
from ilk_ensembles.plotting import decision_regions

X, y = ilk.dataset("iris").load().Xy
petals = X[:, 2:]
model = ilk.classifier("knn", k=5, vote="inverse_distance").fit(petals, y)
query = [4.93, 1.67]
explanation = model.explain(query)
print(explanation)

# %%
# The same neighbours by `ilk.nearest`, drawn.
_, found = ilk.nearest(petals, 5, [query])
_, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
decision_regions(model, petals, y, axes=[ax])
for row in found[0]:
    ax.plot(*zip(query, petals[row], strict=True), color="black", linewidth=1)
ax.plot(*query, "s", color="black")
ax.set_xlim(4.2, 5.6)
ax.set_ylim(1.2, 2.2)
ax.set_xlabel("petal length (cm)")
ax.set_ylabel("petal width (cm)")
