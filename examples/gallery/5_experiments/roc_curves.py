"""
ROC curves of two classifiers
=============================

The true positive rate over the false positive rate as the threshold falls, averaged over the
folds of a cross-validation, with the spread as a band.
"""

import ilk

scale = {"transformer": "standardize"}
results = ilk.compare(
    {
        "1-NN": [scale, {"classifier": {"use": "knn", "k": 1}}],
        "15-NN": [scale, {"classifier": {"use": "knn", "k": 15}}],
        "naive Bayes": "naive_bayes",
    },
    "breast_cancer",
    measures=["error", "roc_auc"],
)
print(results.summary()[["pipeline", "error", "roc_auc"]].round(3))
results.plot("roc")
