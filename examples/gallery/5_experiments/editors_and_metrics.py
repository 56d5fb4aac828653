"""
Editors and metric learners compared
====================================

What they do is seen in the nearest neighbours after them. Editors: the share of the training cases
that they leave out against the error of 1-NN. Metric learners: the seconds to fit against the error
of 3-NN. The cross is the classifier without them; the best are near the lower right, and the lower
left.
"""

import matplotlib.pyplot as plt

import ilk

scale = [{"transformer": "standardize"}]
splits = {"use": "repeated_kfold", "folds": 2, "repeats": 2}


def study(kind, names, k, cost):
    """Scores of k-NN on wine, alone and after each component of a kind."""
    nearest = {"classifier": {"use": "knn", "k": k}}
    pipelines = {"none": [nearest], **{name: [{kind: name}, nearest] for name in names}}
    results = ilk.compare(
        pipelines, "wine", defaults=scale, resampling=splits, measures=["error", cost]
    )
    return results.pivot(cost).loc["wine"], results.pivot("error").loc["wine"]


editors = study("editor", ("enn", "cnn", "ib3", "icf", "rt3"), 1, "reduction")
metrics = study(
    "metric_learner", ("whitening", "lda", "rca", "nca", "lmnn", "itml"), 3, "fit_seconds"
)
_, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
labels = ("share of the cases left out", "seconds to fit")
for ax, (costs, errors), label in zip(axes, (editors, metrics), labels, strict=True):
    for name, mark in zip(costs.index, "x<>v^sod", strict=False):
        ax.plot(costs[name], errors[name], mark, label=name)
    ax.legend()
    ax.set_xlabel(label)
    ax.set_ylabel("error")
