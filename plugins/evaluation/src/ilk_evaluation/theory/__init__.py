"""Learning theory: generalization bounds, capacities, sample complexity, ensemble errors.

Functions take numbers or, where sensible, arrays of numbers. Values outside the domain raise an
error that names function, argument and value. Errors and their differences are probabilities;
logarithms are natural.
"""

from ilk_evaluation.intervals import binomial_interval, test_set_size
from ilk_evaluation.theory.counting import (
    Shattering,
    binomial_probability,
    cover_count,
    separable_share,
    shatter_bound,
    shatters,
)
from ilk_evaluation.theory.generalization_bounds import (
    deviation_probability,
    failure_probability,
    hoeffding_bound,
    sample_complexity,
    vc_bound,
)
from ilk_evaluation.theory.majority_vote import condorcet, ensemble_error
from ilk_evaluation.theory.model_selection import StructuralRisk, aic, bic, srm
from ilk_evaluation.theory.vc_dimension import (
    VcRange,
    margin_vc_dimension,
    multilayer_perceptron_vc_dimension,
    perceptron_vc_dimension,
    polynomial_vc_dimension,
    svm_vc_dimension,
)

__all__ = [
    "Shattering",
    "StructuralRisk",
    "VcRange",
    "aic",
    "bic",
    "binomial_interval",
    "binomial_probability",
    "condorcet",
    "cover_count",
    "deviation_probability",
    "ensemble_error",
    "failure_probability",
    "hoeffding_bound",
    "margin_vc_dimension",
    "multilayer_perceptron_vc_dimension",
    "perceptron_vc_dimension",
    "polynomial_vc_dimension",
    "sample_complexity",
    "separable_share",
    "shatter_bound",
    "shatters",
    "srm",
    "svm_vc_dimension",
    "test_set_size",
    "vc_bound",
]
