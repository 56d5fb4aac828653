"""
Why a classifier errs
=====================

The expected error of k-NN, split into bias and variance: with few neighbours the answers vary
with the training set, with many the classifier is too smooth.
"""

from ilk.plotting import COLORS, new_axes
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
ax = new_axes(6, 4)
bottom = [0.0] * len(ks)
for name, color in zip(("bias", "variance"), COLORS, strict=False):
    heights = [getattr(term, name) for term in terms]
    ax.bar([f"k = {k}" for k in ks], heights, bottom=bottom, label=name, color=color)
    bottom = [low + high for low, high in zip(bottom, heights, strict=True)]
ax.set_ylabel("expected error")
ax.legend()
