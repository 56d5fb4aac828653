"""Bias and variance: what a learner's errors are made of, over training sets of one size.

Three decompositions of what is predicted after training on different sets: `kohavi_wolpert` and
`domingos` of zero-one loss, `squared_loss` of regressors. `of_pipeline` draws the training sets,
fits and decomposes; `of_results` takes the predictions that an experiment with repeats has stored.
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
