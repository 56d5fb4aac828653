"""
Can the probabilities be believed
=================================

Cases binned by predicted probability, against the frequency that was observed. On the diagonal a
probability of 0.8 comes true in 80 of 100 cases.
"""

import ilk

scale = {"transformer": "standardize"}
results = ilk.compare(
    {
        "15-NN": [scale, {"classifier": {"use": "knn", "k": 15}}],
        "naive Bayes": "naive_bayes",
        "logistic": [scale, {"classifier": "logistic"}],
    },
    "breast_cancer",
    measures=["brier", "log_loss"],
)
print(results.summary()[["pipeline", "brier"]].round(3))
results.plot("calibration")
