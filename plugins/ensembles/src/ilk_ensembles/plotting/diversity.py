"""What diversity is worth: how much better an ensemble is than its members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError
from ilk.drawing import COLORS, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def diversity_uplift(
    diversity: Any,
    uplift: Any,
    *,
    names: Sequence[str] | None = None,
    measure: str = "diversity",
    axes: Axes | None = None,
) -> Axes:
    """Draw a point for each ensemble, and the line of least squares with its correlation.

    Parameters
    ----------
    diversity : array of shape (m,)
        Of each ensemble, such as the mean of `ilk_evaluation.diversity.fail_disagreement`.
    uplift : array of shape (m,)
        Mean error of the members minus the error of the ensemble.
    names : sequence of str, optional
        Written beside the points.
    measure : str
        What the diversity is called.
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
        If there is not one finite uplift for each diversity.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.5.3.1; Tsymbal, Pechenizkiy & Cunningham (2005).

    Examples
    --------
    >>> import ilk_ensembles
    >>> ax = ilk_ensembles.plotting.diversity_uplift([0.1, 0.2, 0.3], [0.01, 0.03, 0.05])
    >>> ax.get_title()
    'correlation 1.00'
    """
    x, up = np.asarray(diversity, dtype=float), np.asarray(uplift, dtype=float)
    if x.ndim != 1 or x.shape != up.shape or not len(x):
        raise InputError(
            f"diversity_uplift: diversity and uplift must be two arrays of shape (m,), got "
            f"{x.shape} and {up.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(up).all()):
        raise InputError("diversity_uplift: diversity and uplift must be finite")
    if names is not None and len(names) != len(x):
        raise InputError(
            f"diversity_uplift: names must be {len(x)}, one for each ensemble, got {len(names)}"
        )
    ax = new_axes(5.5, 4.2) if axes is None else axes
    ax.scatter(x, up, 24, color=COLORS[0], zorder=3)
    ax.axhline(0, color="grey", linewidth=0.8)
    for place, name in enumerate(names or ()):
        at = (x[place], up[place])
        ax.annotate(written(name), at, xytext=(4, 3), textcoords="offset points", fontsize=8)
    if len(x) > 2 and np.ptp(x) > 0 and np.ptp(up) > 0:
        slope, height = np.polyfit(x, up, 1)
        ends = np.array([x.min(), x.max()])
        ax.plot(ends, slope * ends + height, color=COLORS[5], linewidth=1)
        ax.set_title(f"correlation {np.corrcoef(x, up)[0, 1]:.2f}")
    ax.set(xlabel=measure, ylabel="uplift: error of members - of ensemble")
    return ax
