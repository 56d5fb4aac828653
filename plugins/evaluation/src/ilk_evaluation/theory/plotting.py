"""Curves of learning theory: separable labellings, bounds of the risk, majority votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError
from ilk.plotting import COLORS, new_axes
from ilk_evaluation.theory.counting import separable_share
from ilk_evaluation.theory.generalization_bounds import vc_bound
from ilk_evaluation.theory.majority_vote import ensemble_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

__all__ = ["condorcet_curves", "cover_curves", "vc_bounds"]


def cover_curves(n_features: Sequence[int] = (2, 10, 50, 200), *, ax: Axes | None = None) -> Axes:
    """Draw the probability that N points with random labels are linearly separable.

    Points in general position in l dimensions; the horizontal axis is ``N / (l + 1)``. The more
    dimensions, the steeper the fall at 2.

    Parameters
    ----------
    n_features : sequence of int, default=(2, 10, 50, 200)
        Values of l.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    ParameterError
        If a number of features is no integer from 0.

    References
    ----------
    Evaluation slides: Probability of Linear Separability.

    Examples
    --------
    >>> from ilk_evaluation.theory import plotting
    >>> ax = plotting.cover_curves([2])
    >>> N, share = ax.lines[0].get_data()
    >>> dict(zip((3 * N).round().astype(int).tolist(), share.tolist()))[4]  # 14 of 16
    0.875
    """
    shares: Any = separable_share  # of arrays, too
    ax = new_axes(5.6, 4.0) if ax is None else ax
    for number, width in enumerate(n_features):
        points = np.arange(1, 4 * (width + 1) + 1)
        share, marker = shares(points, width), "." if width < 20 else ""
        style: Any = {"color": COLORS[number % len(COLORS)], "marker": marker}
        ax.plot(points / (width + 1), share, label=f"l = {width}", **style)
    ax.axvline(2, color="0.5", linewidth=0.8, linestyle=":")
    ax.set(xlabel="points / (l + 1)", ylabel="probability of separability", xlim=(0, 4))
    ax.set_ylim(0, 1.05)
    ax.legend()
    return ax


def vc_bounds(
    n: Sequence[int] = (1_000, 10_000, 100_000),
    vc_dimension: Sequence[float] | None = None,
    delta: float = 0.05,
    *,
    empirical: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the VC bound of the risk by the VC dimension, for several numbers of cases.

    The bound of the difference grows with the VC dimension h. With `empirical`, a falling training
    error ``exp(-h / 20) / 2`` is added, as an example: the sum, the guaranteed risk, has a minimum,
    which structural risk minimization finds.

    Parameters
    ----------
    n : sequence of int, default=(1000, 10000, 100000)
    vc_dimension : sequence of float, optional
        None: 1 to 200.
    delta : float, default=0.05
        Probability that the bound fails.
    empirical : bool, default=True
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    ParameterError
        As by `ilk_evaluation.theory.vc_bound`.

    References
    ----------
    Evaluation slides: Structural Risk Minimization; VC Bound.

    Cunningham 2008: section 2.2.3.

    Examples
    --------
    >>> from ilk_evaluation.theory import plotting
    >>> ax = plotting.vc_bounds([1000], [3], empirical=False)
    >>> ax.lines[0].get_ydata().round(3).tolist()
    [0.164]
    """
    h = np.arange(1, 201) if vc_dimension is None else np.asarray(vc_dimension)
    ax = new_axes(7.0, 4.0) if ax is None else ax
    training = 0.5 * np.exp(-np.asarray(h, dtype=float) / 20)
    for number, cases in enumerate(n):
        bound, color = np.asarray(vc_bound(cases, delta, h)), COLORS[number % len(COLORS)]
        if empirical:
            ax.plot(h, bound, "--", color=color, linewidth=1)
            bound = bound + training
            ax.plot(h[bound.argmin()], bound.min(), "o", color=color)
        ax.plot(h, bound, color=color, label=f"n = {cases:,}")
    if empirical:
        ax.plot(h, training, color="black", linestyle=":", label="training error")
        ax.plot([], [], "--", color="0.3", linewidth=1, label="bound of the difference")
    ax.set(xlabel="VC dimension h", ylabel="bound of the risk" if empirical else "bound")
    ax.set_ylim(0, None)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax


def condorcet_curves(
    n_members: Sequence[int] = (1, 5, 11, 25, 101),
    errors: Sequence[float] = (0.2, 0.35, 0.45, 0.5, 0.55),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the error of a majority vote of independent members, by their error and their number.

    Members better than chance make an error that falls with their number, others one that grows.

    Parameters
    ----------
    n_members : sequence of int, default=(1, 5, 11, 25, 101)
        Lines on the left.
    errors : sequence of float, default=(0.2, 0.35, 0.45, 0.5, 0.55)
        Lines on the right, over odd numbers of members up to the largest of `n_members`.
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, ParameterError
        If there are no numbers of members, or one is below 1, or an error outside 0..1.

    References
    ----------
    Ntoutsi 2015: Error by member error; Error by number of members; Ensemble error.

    Cunningham 2008: section 2.5.1.

    Examples
    --------
    >>> from ilk_evaluation.theory import plotting
    >>> by_error, by_number = plotting.condorcet_curves([25], [0.35])
    >>> e, error = by_error.lines[0].get_data()
    >>> round(float(error[e.searchsorted(0.35)]), 2)
    0.06
    """
    if not n_members:
        raise InputError("condorcet_curves: n_members must have a number, got none")
    left, right = new_axes(9, 3.8, 2) if axes is None else axes
    e = np.linspace(0, 1, 201)
    for number, members in enumerate(n_members):
        color, plural = COLORS[number % len(COLORS)], "s" * (members > 1)
        left.plot(e, ensemble_error(members, e), color=color, label=f"{members} member{plural}")
    left.axvline(0.5, color="0.5", linewidth=0.8, linestyle=":")
    left.set(xlabel="error of the members", ylabel="error of the majority", xlim=(0, 1))
    odd = np.arange(1, max(n_members) + 1, 2)
    for number, error in enumerate(errors):
        color = COLORS[number % len(COLORS)]
        right.plot(odd, ensemble_error(odd, error), color=color, label=f"error {error:g}")
    right.set(xlabel="members", ylabel="error of the majority", ylim=(0, None))
    for ax in (left, right):
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return [left, right]
