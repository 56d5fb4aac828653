"""How the loss fell while metrics were learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import COLORS, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def loss_curves(learners: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the loss by iteration of one metric learner, or of several.

    Losses of several are in shares of what each was at the start, as their units differ.

    Parameters
    ----------
    learners : MetricLearner, sequence or mapping of them
        Fitted, each with a ``loss_curve_``; the keys of a mapping are the names.
    ax : Axes, optional
        A new figure's if left out (``ax.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is none, or one without ``loss_curve_``.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("wine").load().Xy
    >>> learner = ilk.metric_learner("nca", init="lda", report=False).fit(X, y)
    >>> ax = ilk_learners.plotting.loss_curves(learner)
    >>> len(ax.lines[0].get_xdata()) == learner.n_iter_ + 1
    True
    """
    curves = [(name, _curve(name, learner)) for name, learner in _named(learners)]
    if not curves:
        raise ilk.InputError("loss_curves: there is no learner to draw")
    if ax is None:
        ax = new_axes(6.4, 4.4)
    assert ax is not None
    several = len(curves) > 1
    for place, (name, curve) in enumerate(curves):
        unit = abs(curve[0]) or 1.0 if several else 1.0
        style: Any = ("-", "--", "-.", ":")[place // len(COLORS) % 4]
        ax.plot(curve / unit, style, color=COLORS[place % len(COLORS)], label=written(name))
    ax.set_xlabel("iteration")
    ax.set_ylabel("loss in shares of the first" if several else "loss")
    if several:
        ax.legend()
    else:
        ax.set_title(written(curves[0][0]))
    return ax


def _named(learners: Any) -> list[tuple[str, Any]]:
    if isinstance(learners, Mapping):
        return [(str(name), learner) for name, learner in learners.items()]
    several = learners if isinstance(learners, Sequence) else [learners]
    return [(ilk.display_name(learner), learner) for learner in several]


def _curve(name: str, learner: Any) -> np.ndarray:
    curve = getattr(learner, "loss_curve_", None)
    if curve is None:
        raise ilk.InputError(
            f"{name}: it has no loss_curve_: it is not fitted, or its metric is found in one step"
        )
    return np.asarray(curve, dtype=float)
