"""Capabilities of a class of components, declared once and tested by the conformance kit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

InputKind = Literal[
    "vectors", "histograms", "tables", "strings", "signatures", "sets", "views", "indices"
]
INPUT_KINDS: tuple[InputKind, ...] = get_args(InputKind)
"""All of them: for what takes any rows that its distance or kernel takes."""


@dataclass(frozen=True)
class Capabilities:
    """Capabilities of a class of components.

    Attributes
    ----------
    inputs : tuple of str
        Kinds of X it takes: ``"vectors"`` (2-D float array), ``"histograms"`` (non-negative
        vectors), ``"tables"`` (data frames with numeric and nominal columns), ``"strings"``
        (texts or bytes), ``"signatures"``, ``"sets"``, ``"views"``, ``"indices"``
        (rows of a precomputed matrix).
    symmetric : bool
        d(x, y) = d(y, x), or k(x, y) = k(y, x); up to the rounding of matrix products.
    metric : bool
        With default parameters all four metric axioms hold, the triangle inequality up to
        rounding.
    needs_fit : bool
        A distance or kernel that learns from training data.
    nan : bool
        Accepts missing values.
    sparse : bool
        Accepts scipy sparse matrices.
    sample_weight : bool
        `fit` takes ``sample_weight``. If that depends on parameters, an instance has a property
        of this name.
    probabilistic : bool
        Has ``predict_proba``.
    fast_leave_one_out : bool
        Has ``leave_one_out(X, y)``, equal to refitting for every case. If that depends on
        parameters, for example on an open random state, an instance has a property of this name.
    stateless : bool
        A transformer that learns nothing from cases: its output for a case depends only on that
        case, the kind of X, and the parameters, not on the training data.
    presort : bool
        Has ``presort(X)`` whose handle `fit` reuses, and `predict` takes for the same rows.
    one_threshold : bool
        A classifier that predicts class ``leaf_weights_[0].argmax()`` where feature ``feature_``
        is at most ``threshold_``, or is -1, and class ``leaf_weights_[1].argmax()`` above it.
    exact_weights : bool
        A case of whole weight w gives the same model as w copies of it, to the last bit. If that
        depends on parameters, an instance has a property of this name.
    gram_gradient : bool
        A kernel with analytic gradients with respect to its parameters.
    local : bool
        A metric learner that adapts to each query: ``kneighbors`` instead of ``transform``.
    specable : bool
        With default or example parameters it can be written to a spec; False if a parameter is
        a function.
    """

    inputs: tuple[InputKind, ...] = ("vectors",)
    symmetric: bool = False
    metric: bool = False
    needs_fit: bool = False
    nan: bool = False
    sparse: bool = False
    sample_weight: bool = False
    probabilistic: bool = False
    fast_leave_one_out: bool = False
    stateless: bool = False
    presort: bool = False
    one_threshold: bool = False
    exact_weights: bool = False
    gram_gradient: bool = False
    local: bool = False
    specable: bool = True
