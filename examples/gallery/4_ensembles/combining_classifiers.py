"""
Rules that combine classifiers
==============================

The same three members under four rules. Members that err on different cases gain most from being
combined.
"""

import ilk

members = [{"use": "knn", "k": 7}, "lda", "naive_bayes"]
pipelines = {
    rule: [
        {"transformer": "standardize"},
        {"classifier": {"use": "voting", "combiner": rule, "members": members}},
    ]
    for rule in ("majority", "sum", "product", "max")
}
results = ilk.compare(pipelines, {"wine": "wine", "breast_cancer": "breast_cancer"})
print(results.pivot("error").round(3))
results.plot("estimates", dataset="wine")
