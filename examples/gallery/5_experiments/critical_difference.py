"""
Which differences are more than luck
====================================

The critical difference diagram: mean ranks over data sets. A bar joins pipelines whose ranks do
not differ significantly.
"""

import ilk

scale = {"transformer": "standardize"}
pipelines = {f"{k}-NN": [scale, {"classifier": {"use": "knn", "k": k}}] for k in (1, 5, 15)}
pipelines["nearest mean"] = [scale, {"classifier": "nearest_mean"}]
names = ("iris", "wine", "breast_cancer", "balance_scale")
sets = {name: name for name in names} | {"waveform": {"use": "waveform", "n": 300}}
results = ilk.compare(pipelines, sets, comparisons="friedman_nemenyi")
print(results.verdicts[0].text)
results.plot("critical_difference")
