"""
Choosing k without looking at the test cases
============================================

`tuned` chooses parameters by an inner cross-validation of the training cases, in every fold anew.
The figure compares the result with fixed values.
"""

import ilk

scale = {"transformer": "standardize"}
pipelines = {f"{k}-NN": [scale, {"classifier": {"use": "knn", "k": k}}] for k in (1, 45)}
pipelines["tuned"] = [
    scale,
    {"classifier": {"use": "tuned", "classifier": "knn", "grid": {"k": [1, 5, 15, 45]}}},
]
results = ilk.compare(pipelines, "wine", resampling={"use": "stratified_kfold", "folds": 5})
print(results.pivot("error").round(3))
results.plot("estimates")
