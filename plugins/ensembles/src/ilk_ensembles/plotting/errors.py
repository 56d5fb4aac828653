"""How the error of an ensemble falls as it grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.drawing import COLORS, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def error_by_size(
    ensemble: Any, sets: Mapping[str, tuple[Any, Any]], *, axes: Axes | None = None
) -> Axes:
    """Draw the error of the first 1, 2, ... members on some data, and the bound where there is one.

    Parameters
    ----------
    ensemble : classifier
        Fitted, with ``staged_predict``. Of boosting, whose ``error_bounds_`` hold the bound of
        the training error after each round, the bound is drawn too.
    sets : mapping of str to (X, y)
        Such as ``{"training": (X, y), "test": (Q, z)}``.
    axes : Axes, optional
        A new figure's if left out (``axes.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the ensemble cannot tell what its first members say, or there are no data.

    References
    ----------
    Freund & Schapire (1997), theorem 6, for the bound.

    Examples
    --------
    >>> import ilk, ilk_ensembles
    >>> X, y = ilk.dataset("breast_cancer").load().Xy
    >>> model = ilk.classifier("adaboost", n_members=20).fit(X, y)
    >>> ax = ilk_ensembles.plotting.error_by_size(model, {"training": (X, y)})
    >>> [line.get_label() for line in ax.lines]
    ['training', 'bound of the training error']
    """
    name = ilk.display_name(ensemble)
    if not hasattr(ensemble, "staged_predict"):
        raise ilk.InputError(f"{name}: has no staged_predict, so its error by size is not known")
    check_is_fitted(ensemble)
    if not sets:
        raise ilk.InputError(f"{name}: sets must hold at least one (X, y), got none")
    ax = new_axes(6, 4) if axes is None else axes
    for number, (label, (X, y)) in enumerate(sets.items()):
        truth = np.asarray(y)
        errors = [float(np.mean(np.asarray(p) != truth)) for p in ensemble.staged_predict(X)]
        sizes = np.arange(1, len(errors) + 1)
        ax.plot(sizes, errors, color=COLORS[number % len(COLORS)], label=written(label))
    bounds = getattr(ensemble, "error_bounds_", None)
    if bounds is not None:
        sizes = np.arange(1, len(bounds) + 1)
        said = "bound of the training error"
        ax.plot(sizes, bounds, color="black", linestyle="--", linewidth=1, label=said)
    ax.set(xlabel="members", ylabel="error", title=written(name), ylim=(0, None))
    ax.legend()
    return ax
