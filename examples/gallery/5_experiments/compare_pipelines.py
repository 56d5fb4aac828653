"""
From data to a ranking
======================

Three pipelines on three data sets, with the same splits. The figure shows the rank of each
pipeline on each data set, and the mean.
"""

import ilk

scale = {"transformer": "standardize"}
pipelines = {
    "5-NN": [scale, {"classifier": "knn"}],
    "5-NN after LDA": [scale, {"metric_learner": "lda"}, {"classifier": "knn"}],
    "naive Bayes": [{"classifier": "naive_bayes"}],
}
sets = {name: name for name in ("iris", "wine", "breast_cancer")}
results = ilk.compare(pipelines, sets)
print(results.summary()[["pipeline", "error", "rank"]].round(3))
results.plot("ranks")
