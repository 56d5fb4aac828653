"""A Python function as a distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import Function, param

if TYPE_CHECKING:
    from ilk import Cases, Labels


class FunctionDistance(ilk.Distance):
    """A function of two objects: ``d(x, y) = function(x, y)``.

    The function is called once for every pair. If the distance is declared symmetric,
    ``pairwise(X)`` calls it once for each unordered pair (and each object with itself) and
    mirrors the result.

    A function of vectors that ``numba.njit`` compiled receives rows of float64 inside a compiled
    loop, in `ilk.n_threads` threads: hundreds of times faster than plain Python. The loop is
    compiled once for each function, in about a second. If numba cannot compile the loop (the
    function uses object mode, or takes arguments of other types), the function is called one
    pair at a time.

    `inputs` determines the type of the function's arguments. A function has no spec: a pipeline
    with one can be cloned and pickled (if the function can), but not written to a file.

    Raises
    ------
    ParameterError
        If the function is missing, or declared a metric but not symmetric.
    InputError
        If the function returns anything but a finite number of at least 0; names the rows and
        the value. An error of the function itself gets a note that names the rows.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("callable", function=lambda x, y: abs(len(x) - len(y)))
    >>> d.pairwise(["a", "abc"], ["ab"])
    array([[1.],
           [1.]])
    """

    function: Callable[[Any, Any], float] | None = param(
        default=None,
        type=Function,
        form="callable",
        doc="Takes two objects, returns a finite number of at least 0.",
    )
    metric: bool = param(
        default=False,
        doc="Your promise that the metric axioms hold; needs ``symmetric=True``.",
    )
    symmetric: bool = param(
        default=False,
        doc="Your promise that ``function(x, y) == function(y, x)``.",
    )
    inputs: str = param(
        default="auto",
        choices=("auto", "vectors", "objects"),
        doc='``"vectors"``: X becomes a two-dimensional float array (NaN and infinity are '
        'errors), and the function gets its rows. ``"objects"``: X is not checked; the '
        "function gets elements of a list, unchanged rows of an array, or rows of a data "
        'frame as pandas Series. ``"auto"``: vectors if X is an array of numbers with at '
        "most two dimensions, else objects.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "tables", "strings"), specable=False
    )

    @classmethod
    def examples(cls) -> list[FunctionDistance]:
        """Return a distance that counts differing positions."""
        return [
            cls(function=count_differences),
            cls(function=count_differences, metric=True, symmetric=True),
        ]

    def check_parameters(self) -> None:
        """Check that there is a function, and that a metric is symmetric."""
        super().check_parameters()
        if self.metric and not self.symmetric:
            raise self.parameter_error("symmetric", "must be true where metric is, got False")

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return X as an array of float vectors or as a list of objects."""
        X = ilk.as_table(X)
        if self.inputs == "vectors" or (self.inputs == "auto" and _are_vectors(X)):
            return ilk.check_vectors(self, X, argument=argument)
        name = ilk.display_name(self)
        ilk.refuse_sparse(self, X, argument)
        if isinstance(X, Mapping | AbstractSet):
            kind = type(X).__name__
            raise ilk.InputTypeError(
                f"{name}: {argument} must be a sequence of objects, got a {kind}"
            )
        if ilk.n_rows(X) == 0:
            raise ilk.InputError(f"{name}: {argument} has no rows, at least 1 is needed")
        if ilk.is_table(X):
            return [row for _, row in X.iterrows()]
        return list(X) if hasattr(X, "iloc") else X  # a series is not indexed by position

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """Return X and Y (X again if None) as vectors or objects; tables have the same columns."""
        if ilk.is_table(X) and ilk.is_table(Y) and list(X.columns) != list(Y.columns):
            name = ilk.display_name(self)
            raise ilk.InputError(
                f"{name}: X has the columns {list(X.columns)} but Y has {list(Y.columns)}"
            )
        return super().check_pair(X, Y)

    def between(self, x: object, y: Labels) -> float:
        """Distance between two single objects."""
        return float(self.pairwise(self._one(x), self._one(y))[0, 0])

    def _one(self, x: object) -> Any:
        vector = self.inputs == "vectors" or isinstance(x, np.ndarray)
        return ilk.one_row(x) if vector and self.inputs != "objects" else [x]

    def pairwise(self, X: Any, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        self.check_parameters()
        if self.function is None:
            raise self.parameter_error("function", "must be a function, got None")
        # a symmetric function is called once for each pair
        mirror = Y is None and self.symmetric
        X, Y = self.check_pair(X, Y)
        D = self._compiled(X, Y, mirror)
        if D is None:
            D = self._interpreted(X, Y, mirror)
        return D.astype(np.float32) if _single(X) and _single(Y) else D

    def _compiled(self, X: Any, Y: Any, mirror: bool) -> np.ndarray | None:
        """Values by a compiled loop; None if it cannot be compiled or a value is invalid."""
        vectors = self.inputs != "objects" and _are_vectors(X) and _are_vectors(Y)
        if not vectors or not _is_compiled(self.function):
            return None
        from ilk_distances.composed.compiled_function import call_for_all

        assert self.function is not None
        return call_for_all(self.function, X, Y, mirror=mirror)

    def _interpreted(self, X: Any, Y: Any, mirror: bool) -> np.ndarray:
        D = np.empty((len(X), len(Y)))
        for i, x in enumerate(X):
            for j in range(i if mirror else 0, len(Y)):
                D[i, j] = self._value(x, Y[j], i, j)
            if mirror:
                D[i:, i] = D[i, i:]
        return D

    def _value(self, x: object, y: Labels, i: int, j: int) -> float:
        assert self.function is not None
        try:
            value = self.function(x, y)
        except Exception as error:
            error.add_note(f"{ilk.display_name(self)}: comparing row {i} of X with row {j} of Y")
            raise
        try:
            # float() would read numbers in texts; + 0.0 turns -0.0 into 0.0
            number = math.nan if isinstance(value, str | bytes) else float(value) + 0.0
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not (math.isfinite(number) and number >= 0):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: function must return a finite number >= 0, got "
                f"{value!r} for row {i} of X and row {j} of Y"
            )
        return number


def count_differences(x: Sequence[Any], y: Sequence[Any]) -> int:
    """Count the positions in which two sequences differ; surplus positions count, too."""
    return abs(len(x) - len(y)) + sum(bool(a != b) for a, b in zip(x, y, strict=False))


def _is_compiled(function: Any) -> bool:
    """Tell whether a function is a dispatcher of numba's, without importing numba."""
    return hasattr(function, "py_func") and hasattr(function, "nopython_signatures")


def _are_vectors(X: Cases | None) -> bool:
    return isinstance(X, np.ndarray) and X.ndim <= 2 and X.dtype.kind in "biuf"


def _single(X: Cases) -> bool:
    return bool(getattr(X, "dtype", None) == np.float32)
