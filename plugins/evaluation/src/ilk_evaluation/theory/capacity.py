"""VC dimensions: of hyperplanes, with and without a margin, of polynomials and networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ilk import ParameterError
from ilk_evaluation.theory.domain import COUNT, LENGTH, POSITIVE, checked, counted, measured, plain


class VcRange(NamedTuple):
    """Between what the VC dimension is known to be.

    Attributes
    ----------
    lower : int
    upper : float
    """

    lower: int
    upper: float


def margin_vc_dimension(radius: Any, margin: Any, n_features: Any = None) -> Any:
    """Bound on the VC dimension of hyperplanes that keep a margin to cases within a ball.

    ``h <= min(ceil(R^2 / gamma^2) + 1, d + 1)``: a wide margin makes the capacity independent of
    the dimension. For a hyperplane with ``y (w.x + b) >= 1`` the margin is ``1 / |w|``, and the
    first term ``ceil(R^2 |w|^2) + 1``. The source prints it alone; a hyperplane in d dimensions
    has no more than d + 1 (Vapnik).

    Parameters
    ----------
    radius : float or array of float
        R, of a ball that holds all cases; in the units of the features, at least 0.
    margin : float or array of float
        gamma, the distance of the nearest case from the hyperplane; in the same units, above 0.
    n_features : int or array of int, optional
        d, where it is known and finite; at least 1.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    ParameterError
        Naming the argument and its value; or if the bound is beyond 64 bits.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.2.3; System Evaluation slides (``r^2 c``); Vapnik
    (1998).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.margin_vc_dimension(1.0, [0.1, 0.5, 1.0]), theory.margin_vc_dimension(1.0, 0.1, 20)
    (array([101,   5,   2]), 21)
    """
    name = "margin_vc_dimension"
    R = checked(name, "radius", radius, LENGTH)
    gamma = checked(name, "margin", margin, POSITIVE)
    with np.errstate(over="ignore"):
        squared = (R / gamma) ** 2
    bound = np.ceil(squared * (1 - 8 * np.finfo(float).eps)) + 1  # 0.3 / 0.1 is above 3
    if n_features is not None:
        bound = np.minimum(bound, measured(name, "n_features", n_features) + 1)
    if np.any(bound >= 2.0**63):
        raise ParameterError(
            f"{name}: margin is so small beside radius that the bound is beyond 64 bits",
            argument="margin",
        )
    return plain(np.asarray(bound).astype(np.int64))


def perceptron_vc_dimension(n_features: Any) -> Any:
    """VC dimension of the hyperplanes in l dimensions: ``l + 1``.

    Parameters
    ----------
    n_features : int or array of int
        l; at least 1.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    System Evaluation slides, VC dimension of the perceptron.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.perceptron_vc_dimension(2)
    3
    """
    return plain(checked("perceptron_vc_dimension", "n_features", n_features, COUNT) + 1)


def polynomial_vc_dimension(n_features: int, degree: int) -> int:
    """VC dimension of the signs of polynomials of l variables: ``C(l + q, q)`` for degree q.

    It is the number of monomials up to that degree, in which such a border is a hyperplane
    through the origin: the dimension of the class that a polynomial kernel searches.

    Parameters
    ----------
    n_features : int
        l; at least 1.
    degree : int
        q; at least 1. For 1 it is that of the perceptron.

    Returns
    -------
    int

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    Cover (1965), IEEE Transactions on Electronic Computers 14.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> [theory.polynomial_vc_dimension(2, degree) for degree in (1, 2, 3)]
    [3, 6, 10]
    """
    width = counted("polynomial_vc_dimension", "n_features", n_features)
    order = counted("polynomial_vc_dimension", "degree", degree)
    return math.comb(width + order, order)


def multilayer_perceptron_vc_dimension(layers: Sequence[int]) -> VcRange:
    """Bounds on the VC dimension of a multilayer perceptron of threshold units, one output.

    ``2 floor(k_h / 2) l <= h <= 2 k_w log2(e k_n)`` with l inputs, k_h hidden nodes, k_n nodes
    that compute, and k_w weights, thresholds included. The slides print a ceiling at the left,
    which for one hidden node gives 2 l, more than the l + 1 of a perceptron.

    Parameters
    ----------
    layers : sequence of int
        Numbers of inputs, of nodes of each hidden layer, and of outputs, which is 1; each layer
        is fully connected to the next one: ``(4, 10, 1)``.

    Returns
    -------
    VcRange
        `lower`, at least the l + 1 of a perceptron, and `upper`. Of several hidden layers the
        narrowest counts as k_h: the others can hand on what that many nodes say.

    Raises
    ------
    ParameterError
        For less than one hidden layer, another output, or a layer without nodes.

    References
    ----------
    System Evaluation slides, VC dimension; Baum & Haussler (1989), What size net gives valid
    generalization?, Neural Computation 1.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> bounds = theory.multilayer_perceptron_vc_dimension((4, 10, 1))
    >>> bounds.lower, round(bounds.upper, 1)
    (40, 598.1)
    """
    name = "multilayer_perceptron_vc_dimension"
    sizes = checked(name, "layers", layers, COUNT)
    if sizes.ndim != 1 or len(sizes) < 3 or sizes[-1] != 1:
        raise ParameterError(
            f"{name}: layers must be numbers of inputs, of hidden nodes layer by layer, and 1 for "
            f"the output, got {layers!r}",
            argument="layers",
        )
    inputs, *hidden, _ = map(int, sizes)
    nodes = sum(hidden) + 1
    widths = [inputs, *hidden, 1]
    weights = sum((a + 1) * b for a, b in pairwise(widths))
    lower, perceptron = 2 * (min(hidden) // 2) * inputs, inputs + 1
    return VcRange(max(lower, perceptron), 2 * weights * math.log2(math.e * nodes))
