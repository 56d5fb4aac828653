"""
Better, worse, or practically equal
===================================

A Bayesian comparison gives the probability of each answer. Differences below one point of error
count as none here.
"""

import ilk

scale = {"transformer": "standardize"}
pipelines = {
    name: [scale, {"classifier": {"use": "knn", "k": 9, "distance": name}}]
    for name in ("euclidean", "manhattan", "chebyshev")
}
names = ("iris", "wine", "breast_cancer", "balance_scale")
comparison = {"use": "bayesian_signed_rank", "rope": 0.01}
results = ilk.compare(pipelines, {name: name for name in names}, comparisons=comparison)
print(results.verdicts[0].text)
results.plot("bayesian_signed_rank")
