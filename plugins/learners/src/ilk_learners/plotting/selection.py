"""Which cases an editor kept, in the plane."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import COLORS, MARKERS, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KEPT = {"s": 34, "edgecolors": "black", "linewidths": 0.8, "zorder": 3}
_REMOVED = {"s": 14, "alpha": 0.35, "linewidths": 0, "zorder": 2}


def selection(
    editor: Any, X: Any, y: Any, *, features: tuple[int, int] = (0, 1), axes: Axes | None = None
) -> Axes:
    """Draw the cases that an editor kept, and faintly those that it removed.

    Each class has a colour and a marker of its own; kept cases are large and outlined.

    Parameters
    ----------
    editor : Editor
        After `fit_resample`: its `sample_indices_` are read, ours or imbalanced-learn's.
    X : array or data frame of shape (n, p)
        The cases that it chose from.
    y : array of shape (n,)
    features : (int, int), default=(0, 1)
        Which two features are drawn.
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
        If the editor is none, has chosen nothing yet or chose from other cases, or X lacks a
        feature.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> editor = ilk.editor("cnn")
    >>> kept = editor.fit_resample(X, y)
    >>> ax = ilk_learners.plotting.selection(editor, X, y, features=(2, 3))
    >>> ax.get_title()
    'cnn kept 24 of 150 cases'
    """
    name = ilk.display_name(editor)
    kept = getattr(editor, "sample_indices_", None)
    if not hasattr(editor, "fit_resample"):
        raise ilk.InputError(f"selection: editor must be an editor, got {editor!r}")
    if kept is None:
        raise ilk.InputError(f"{name}: has chosen no cases yet; call fit_resample first")
    names = [str(column) for column in getattr(X, "columns", [])]
    rows = np.asarray(ilk.check_vectors(editor, X), dtype=float)
    classes, codes = ilk.check_labels(editor, y, rows)
    n, p = rows.shape
    if n != getattr(editor, "n_cases_", n) or (len(kept) and max(kept) >= n):
        chosen = getattr(editor, "n_cases_", max(kept) + 1)
        raise ilk.InputError(f"{name}: X has {n} rows, but it chose from {chosen}")
    first, second = _checked_features(name, features, p)
    there = np.zeros(n, dtype=bool)
    there[kept] = True
    ax = new_axes(6, 4.4) if axes is None else axes
    for code, label in enumerate(classes):
        look = {"color": COLORS[code % len(COLORS)], "marker": MARKERS[code % len(MARKERS)]}
        for mask, style in ((~there, _REMOVED), (there, _KEPT)):
            own = rows[(codes == code) & mask]
            said = {"label": written(label)} if style is _KEPT else {}
            ax.scatter(own[:, first], own[:, second], **(style | look | said))
    ax.set_xlabel(written(names[first]) if names else f"feature {first}")
    ax.set_ylabel(written(names[second]) if names else f"feature {second}")
    ax.set_title(f"{name} kept {len(kept)} of {n} cases")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))  # beside, so that it hides nothing
    return ax


def _checked_features(name: str, features: Any, p: int) -> tuple[int, int]:
    """The numbers of two features, of p that there are."""
    if p < 2:
        raise ilk.InputError(f"{name}: X must have two features to be drawn, got {p}")
    pair = list(features) if isinstance(features, tuple | list) else []
    if len(pair) != 2 or not all(isinstance(feature, Integral) for feature in pair):
        raise ilk.InputError(f"{name}: features must be the numbers of two, got {features!r}")
    for feature in pair:
        if not 0 <= feature < p:
            raise ilk.InputError(f"{name}: features must be within 0..{p - 1}, got {feature}")
    return int(pair[0]), int(pair[1])
