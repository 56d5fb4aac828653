"""What a class of components can do, declared once and tested by the conformance kit."""

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
    """What a class of components can do.

    Attributes
    ----------
    inputs : tuple of str
        Kinds of X it takes: ``"vectors"`` (2-D float array), ``"histograms"`` (non-negative
        vectors), ``"tables"`` (data frames with numeric and nominal columns), ``"strings"``
        (texts or bytes), ``"signatures"``, ``"sets"``, ``"views"``, ``"indices"``
        (rows of a precomputed matrix).
    symmetric : bool
        d(x, y) = d(y, x), or k(x, y) = k(y, x); up to rounding where matrices are multiplied.
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
        `fit` takes ``sample_weight``.
    probabilistic : bool
        Has ``predict_proba``.
    fast_leave_one_out : bool
        Has ``leave_one_out(X, y)``, equal to refitting for every case. Where that depends on
        parameters, on a random state left open say, an instance has a property of this name.
    stateless : bool
        A transformer that learns nothing from cases: what it makes of one depends on that case,
        the kind of X, and the parameters, whatever it was fitted to.
    presort : bool
        Has ``presort(X)`` whose handle `fit` reuses, and `predict` takes for the same rows.
    gram_gradient : bool
        A kernel with analytic gradients with respect to its parameters.
    local : bool
        A metric learner that adapts to each query: ``kneighbors`` in place of ``transform``.
    specable : bool
        With default or example parameters it can be written to a spec; False where a
        parameter is a function.
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
    gram_gradient: bool = False
    local: bool = False
    specable: bool = True
