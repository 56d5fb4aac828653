"""A weighted sum of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, KernelLike, Views, ViewsLike, check_fitted, param, slots
from ilk_distances.kernels.checks import check_n_features, n_features, sparse_if_all
from ilk_distances.kernels.feature_space import squared_distances
from ilk_distances.kernels.gram import BLOCK_BYTES, aligned_weights, part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk import Cases, Labels


class WeightedSum(ilk.Kernel):
    """Weighted sum of kernels: ``k(x, y) = sum_t w_t k_t(x_t, y_t)``.

    Positive semi-definite if its parts are. Each part may use its own columns (`views`). The
    weights are

    - ``"uniform"``: all equal;
    - ``"alignment"``: the non-negative weights that maximize the alignment of the sum with the
      labels (equation (10.6)), also for correlated parts; a part without additional information
      gets 0. The Gram matrices are computed twice, and never stored;
    - ``"pyramid"``: of the parts 0 to Q, from the coarsest to the finest, part i has
      ``1 / 2^(Q - i + 1)`` (equation (10.17)), divided by the sum of them all;
    - numbers, which are used unchanged.

    All but the last sum to 1, up to rounding, so that a sum of kernels of unit diagonal has a
    unit diagonal. (The equations fix the scale differently, by a trace of 1, or not at all, 7/8
    for Q = 2; alignment does not depend on it.)

    Attributes
    ----------
    kernels_ : list of kernels
        Fitted.
    weights_ : ndarray of shape (n_kernels,)
    columns_ : dict of ndarray
        Positions of the columns of each kernel, if there are views.
    width_ : int or None
        Number of features; None for data without features.

    Raises
    ------
    ParameterError
        If the number of weights or views is not that of the kernels, a weight is negative, or a
        view names no column.
    InputError
        If weights are to be aligned but there are no labels, or no part is aligned with them.

    References
    ----------
    .. [1] Zaidi 2011: section 10.2; equations 10.6, 10.17.
    .. [2] C. Cortes, M. Mohri and A. Rostamizadeh, "Algorithms for learning kernels based on
       centered alignment", *Journal of Machine Learning Research* 13, 2012.

    Examples
    --------
    >>> import ilk
    >>> kernel = ilk.kernel("weighted_sum", kernels=["linear", "linear"], weights=[1, 10],
    ...                     views=[[0], [1]])
    >>> kernel.fit([[1, 2], [3, 4]]).gram([[1, 2], [3, 4]])
    array([[ 41.,  83.],
           [ 83., 169.]])
    """

    kernels: Sequence[KernelLike] = slots(
        "kernel",
        default=("linear", "rbf"),
        doc="The kernels to sum.",
    )
    weights: ArrayLike | str = param(
        default="uniform",
        type=Array,
        choices=("uniform", "alignment", "pyramid"),
        form='{"uniform", "alignment", "pyramid"} or array of shape (n_kernels,)',
        doc="At least 0, and not all 0.",
    )
    views: ViewsLike | None = param(
        default=None,
        type=Views,
        doc="The columns of each kernel: names, positions (of an array, or where "
        'no column of a data frame has this name), or patterns of names (``"level0_*"``); '
        'all if left out. "data": in an experiment, the views that the data set brings. '
        "The names of a table do not matter.",
    )
    centered: bool = param(
        default=True,
        doc="Whether the Gram matrices are centred for alignment, which is the better measure.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets", "views"),
        symmetric=True,
        needs_fit=True,
        gram_gradient=True,
        sparse=True,
    )

    @classmethod
    def examples(cls) -> list[WeightedSum]:
        """Return one for each way to get the weights, of several inputs."""
        widths = [{"use": "rbf", "sigma": 1.0}, {"use": "rbf", "sigma": 5.0}]
        return [
            cls(),
            cls(kernels=widths, weights="alignment"),
            cls(kernels=widths, weights=[0.5, 2.0], views=[[0, 1], [2, 3]]),
            cls(
                kernels=widths,
                weights="pyramid",
                views={"color": ["color1", "color2"], "shape": ["shape1"]},
            ),
            cls(kernels=widths, weights="alignment", centered=False),
        ]

    def __sklearn_tags__(self) -> Any:
        tags = sparse_if_all(super().__sklearn_tags__(), self.resolve_slot("kernels"))
        tags.input_tags.sparse &= self.views is None
        return tags

    @property
    def aligns_columns(self) -> bool:
        """Whether views name the columns."""
        return self.views is not None

    @property
    def induces_metric(self) -> bool:
        """Whether all parts do, and use all columns."""
        parts = self.kernels_ if hasattr(self, "kernels_") else self.resolve_slot("kernels")
        return self.views is None and all(getattr(k, "induces_metric", False) for k in parts)

    def check_parameters(self) -> None:
        """Check that there is one weight and one view for each kernel."""
        super().check_parameters()
        n = len(self.kernels)
        if n == 0:
            raise self.parameter_error("kernels", "must hold at least one kernel, got none")
        data = isinstance(self.views, str)  # the number of views is known only at fit
        if self.views is not None and not data and len(self.views) != n:
            raise self.parameter_error(
                "views", f"must have one entry for each of {n} kernels, got {len(self.views)}"
            )
        if self.views is not None:
            ilk.check_views(self, self.views)
        if isinstance(self.weights, str):
            return
        weights = np.asarray(self.weights, dtype=float)
        if weights.shape != (n,):
            raise self.parameter_error(
                "weights", f"must have one value for each of {n} kernels, got {self.weights!r}"
            )
        if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
            raise self.parameter_error(
                "weights", f"must be finite, at least 0 and not all 0, got {self.weights!r}"
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit every kernel on its columns, and find the weights."""
        self.check_parameters()
        self.width_ = n_features(ilk.as_table(X))
        if self.views is not None:
            ilk.learn_views(self, X, self.views)
        parts = self._views_of(X)
        kernels = self.resolve_slot("kernels")
        self.kernels_ = [
            ilk.fit_component(kernel, Z, y) for kernel, Z in zip(kernels, parts, strict=True)
        ]
        self.weights_ = self._found_weights(X, parts, y)
        return self

    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        return self._summed(lambda kernel, X, Y: kernel.gram(X, Y), X, Y)

    def diagonal(self, X: Cases) -> np.ndarray:
        """k(x, x) of every row; array of shape (n,)."""
        return self._summed(lambda kernel, X, _: kernel.diagonal(X), X)

    def squared_distances(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``k(x, x) - 2 k(x, y) + k(y, y)``, the weighted sum over the parts."""
        return self._summed(squared_distances, X, Y)

    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithm of each weight.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, n_kernels)
        """
        check_fitted(self)
        pairs = zip(self.weights_, self.kernels_, self._views_of(X), strict=True)
        # the derivative by the logarithm of a weight is the weighted part itself
        gradient = np.stack([w * kernel.gram(Z) for w, kernel, Z in pairs], axis=-1)
        return gradient.sum(axis=-1), gradient

    def _summed(self, of_part: Any, X: Cases, Y: Cases | None = None) -> np.ndarray:
        check_fitted(self)
        lefts = self._views_of(X)
        rights = [None] * len(lefts) if Y is None else self._views_of(Y, "Y")
        total: np.ndarray | None = None
        for w, kernel, left, right in zip(self.weights_, self.kernels_, lefts, rights, strict=True):
            term = of_part(kernel, left, right)
            term = term * term.dtype.type(w)
            total = term if total is None else total + term
        assert total is not None
        return total

    def _views_of(self, X: Cases, argument: str = "X") -> list[Any]:
        """Return the columns of X for each kernel."""
        X = ilk.as_table(X)
        if self.views is not None:
            return [view for _, view in ilk.views_of(self, X, argument)]
        if hasattr(self, "kernels_"):
            check_n_features(self, X, self.width_, argument)
        return [X] * len(self.kernels)

    def _found_weights(self, X: Cases, parts: Sequence[Any], y: Labels | None) -> np.ndarray:
        n = len(parts)
        if not isinstance(self.weights, str):
            return np.array(self.weights, dtype=float)
        if self.weights == "uniform":
            return np.full(n, 1 / n)
        if self.weights == "pyramid":
            levels = 0.5 ** np.arange(n, 0, -1.0)
            return np.asarray(levels / levels.sum())
        _, codes = ilk.check_labels(self, y, X)
        weights = aligned_weights(lambda: self._blocks(parts), codes, centered=self.centered)
        if not weights.any():
            raise ilk.InputError(
                f"{ilk.display_name(self)}: no kernel is aligned with the labels y; give weights"
            )
        return weights

    def _blocks(self, parts: Sequence[Any]) -> Iterator[tuple[slice, list[np.ndarray]]]:
        n = ilk.n_rows(parts[0])
        step = max(BLOCK_BYTES // (8 * n * len(parts)), 1)
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            pairs = zip(self.kernels_, parts, strict=True)
            yield rows, [kernel.gram(part(Z, rows), Z) for kernel, Z in pairs]
