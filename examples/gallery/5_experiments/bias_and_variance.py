"""
Why a classifier errs
=====================

The expected error of k-NN, split into bias and variance: with few neighbours the answers vary
with the training set, with many the classifier is too smooth.
"""

import matplotlib.pyplot as plt

from ilk_evaluation import bias_variance

ks = (1, 5, 15, 35)
terms = [
    bias_variance.of_pipeline(
        [{"transformer": "standardize"}, {"classifier": {"use": "knn", "k": k}}],
        "wine",
        repeats=20,
        random_state=0,
    ).mean
    for k in ks
]
_, ax = plt.subplots(figsize=(6, 4), layout="constrained")
bottom = [0.0] * len(ks)
for name in ("bias", "variance"):
    heights = [getattr(term, name) for term in terms]
    ax.bar([f"k = {k}" for k in ks], heights, bottom=bottom, label=name)
    bottom = [low + high for low, high in zip(bottom, heights, strict=True)]
ax.set_ylabel("expected error")
ax.legend()
