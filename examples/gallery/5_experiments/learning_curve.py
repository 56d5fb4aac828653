"""
Would more data help
====================

The error on the same test cases after training on growing parts of the data. A curve that still
falls at its right end says yes.
"""

import matplotlib.pyplot as plt

import ilk
from ilk_evaluation import curves
from ilk_evaluation.curves import plotting

scale = {"transformer": "standardize"}
_, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for number, name in enumerate(("knn", "logistic")):
    curve = curves.learning(
        ilk.Pipeline([scale, {"classifier": name}]),
        "breast_cancer",
        sizes=[0.05, 0.1, 0.2, 0.4, 1.0],
    )
    plotting.draw_learning(curve, ax, number=number, label=name)
