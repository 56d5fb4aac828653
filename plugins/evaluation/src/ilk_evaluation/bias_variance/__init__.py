"""Bias-variance decompositions of a learner's error, over training sets of one size.

`kohavi_wolpert` and `domingos` decompose zero-one loss, `squared_loss` that of regressors, from
predictions after training on different sets. `of_pipeline` draws the training sets, fits and
decomposes; `of_results` uses the stored predictions of an experiment with repeats.
"""

from ilk_evaluation.bias_variance.decomposition import Decomposition, MeanTerms, squared_loss
from ilk_evaluation.bias_variance.estimation import of_pipeline, of_results
from ilk_evaluation.bias_variance.zero_one_loss import domingos, kohavi_wolpert

__all__ = [
    "Decomposition",
    "MeanTerms",
    "domingos",
    "kohavi_wolpert",
    "of_pipeline",
    "of_results",
    "squared_loss",
]
