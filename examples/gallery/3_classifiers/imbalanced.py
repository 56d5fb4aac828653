"""
A rare class
============

One case in twenty is positive. Accuracy hides that a classifier never finds it; a curve of
precision over recall shows it.
"""

import numpy as np

import ilk

random = np.random.default_rng(0)
X = np.vstack([random.normal(0, 1, (570, 2)), random.normal(1.8, 0.7, (30, 2))])
y = np.repeat(["no", "yes"], [570, 30])
results = ilk.compare(
    {
        "1-NN": {"use": "knn", "k": 1},
        "25-NN": {"use": "knn", "k": 25},
        "naive Bayes": "naive_bayes",
    },
    X,
    y,
    resampling={"use": "stratified_kfold", "folds": 5},
    measures=["accuracy", "mean_class_accuracy", "pr_auc"],
)
print(results.summary().iloc[:, :5].round(3))
results.plot("precision_recall")
