"""
Error against time
==================

What accuracy costs: the seconds of fitting and predicting beside the error, for classifiers of
different kinds.
"""

import ilk

scale = {"transformer": "standardize"}
names = ("knn", "lda", "naive_bayes", "svm", "decision_tree")
results = ilk.compare(
    {name: [scale, {"classifier": name}] for name in names},
    "breast_cancer",
    resampling={"use": "stratified_kfold", "folds": 5},
    measures=["error", "fit_seconds", "predict_seconds"],
)
results.plot("time")
