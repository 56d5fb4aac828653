"""A kernel that magnifies the space near given points, such as support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, DistanceLike, KernelLike, check_fitted, param, slot
from ilk_distances.kernels.checks import (
    check_n_features,
    check_numbers,
    n_features,
    sparse_if_all,
)
from ilk_distances.kernels.feature_space import squared_distances
from ilk_distances.kernels.rbf import RBF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels

_ROWS = 64  # rows of a matrix multiplied at a time: they stay in the cache


class Conformal(ilk.Kernel):
    """Conformal transformation of a kernel: ``k'(x, y) = c(x) c(y) k(x, y)``.

    The factor ``c(x) = sum_i a_i exp(-|x - x_i|^2 / (2 tau^2))`` is large near the centres x_i.
    With support vectors as centres it magnifies the space near the border between the classes
    (Amari and Wu), so that a second classifier, trained with k', separates them better. It is
    positive semi-definite if the kernel is.

    If no centres are given, `fit` trains a support vector machine with the kernel on (X, y),
    which needs the Gram matrix of the training rows, and uses its support vectors with their
    multipliers (summed over all pairs of classes, if there are several).

    Attributes
    ----------
    kernel_ : kernel
        Fitted.
    distance_ : distance
        Fitted.
    tau_ : float
    bump_ : kernel
        ``exp(-|x - y|^2 / (2 tau^2))``.
    width_ : int or None
        Number of features; None for data without features.
    centers_ : data of m rows
    coefficients_ : ndarray of shape (m,)

    Raises
    ------
    ParameterError
        If tau or a coefficient is not finite and positive, or coefficients are given without
        centres or in another number.
    InputError
        If support vectors are needed, but there are no labels or only one class.

    References
    ----------
    .. [1] S. Amari and S. Wu, "Improving support vector machine classifiers by modifying kernel
       functions", *Neural Networks* 12 (6), 1999.
    .. [2] Zaidi 2011: section 7.1; equations 7.4-7.5.

    Examples
    --------
    >>> import ilk
    >>> kernel = ilk.kernel("conformal", kernel="linear", tau=1.0, centers=[[0.0]])
    >>> kernel.fit([[0.0], [1.0]]).gram([[1.0]], [[1.0], [2.0]]).round(4)  # 1 / e, 2 e^(-5 / 2)
    array([[0.3679, 0.1642]])
    """

    kernel: KernelLike = slot("kernel", default="rbf", doc="The kernel to transform.")
    tau: float | str = param(
        default="neighbors",
        type=float,
        gt=0,
        choices=("mean_distance", "neighbors"),
        doc="Bandwidth of the influence of a centre; greater than 0. Or computed from the "
        "training rows: the root of the mean squared distance of different rows, or the "
        "mean distance to the `n_neighbors` nearest other rows.",
    )
    centers: ArrayLike | Sequence[Any] | None = param(
        default=None,
        type=(Array, list),
        form="data of m rows",
        doc="Centres; if left out, the support vectors of a machine trained on X and y.",
    )
    coefficients: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (m,)",
        doc="The factors a_i of given centres, greater than 0; 1 for each if left out.",
    )
    distance: DistanceLike = slot(
        "distance",
        default="euclidean",
        doc="Replaces ``|x - x_i|``.",
    )
    n_neighbors: int = param(
        default=7,
        ge=1,
        doc="Number of nearest rows for ``tau='neighbors'``.",
    )
    svm: dict[str, Any] | None = param(
        default=None,
        type=dict,
        form="table",
        doc='Parameters of scikit-learn\'s ``SVC`` that finds the centres, such as ``{"C": 10}``. '
        "Its ``tol`` is 1e-6 by default, so that the multipliers have several correct digits.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets"),
        symmetric=True,
        needs_fit=True,
        gram_gradient=True,
        sparse=True,
    )

    @classmethod
    def examples(cls) -> list[Conformal]:
        """Return one for each way to get tau."""
        return [cls(), cls(kernel="polynomial", tau=3.0, svm={"C": 0.1}), cls(tau="mean_distance")]

    def __sklearn_tags__(self) -> Any:
        parts = self.resolve_slot("kernel"), self.resolve_slot("distance")
        return sparse_if_all(super().__sklearn_tags__(), parts)

    def check_parameters(self) -> None:
        """Check that there is one positive coefficient for each centre, and tau is finite."""
        from sklearn.svm import SVC

        super().check_parameters()
        check_numbers(self, "tau")
        unknown = sorted(set(self.svm or {}) - (set(SVC().get_params()) - {"kernel"}))
        if unknown:
            raise self.parameter_error("svm", f"must have parameters of SVC only, got {unknown}")
        if self.coefficients is None:
            return
        if self.centers is None:
            raise self.parameter_error("coefficients", "must be None unless centers are given")
        given = np.asarray(self.coefficients, dtype=float)
        m = len(self.centers) if np.ndim(self.centers) else 0
        if given.shape != (m,):
            raise self.parameter_error(
                "coefficients",
                f"must have one value for each of {m} centers, got shape {given.shape}",
            )
        if not (np.isfinite(given) & (given > 0)).all():
            raise self.parameter_error("coefficients", f"must be greater than 0, got {given}")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit kernel and distance, and find centres and tau unless they are given."""
        self.check_parameters()
        X = ilk.as_table(X)
        self.width_ = n_features(X)
        self.kernel_ = ilk.fit_component(self.resolve_slot("kernel"), X, y)
        self.bump_ = RBF(
            sigma=self.tau, distance=self.resolve_slot("distance"), n_neighbors=self.n_neighbors
        ).fit(X, y)
        self.distance_, self.tau_ = self.bump_.distance_, float(self.bump_.sigma_)
        if self.centers is None:
            self.centers_, self.coefficients_ = self._support(X, y)
        else:
            self.centers_, self.coefficients_ = self._given(X)
        return self

    def _given(self, X: Cases | None) -> tuple[Any, np.ndarray]:
        """Return given centres, which can be compared with X, and their coefficients."""
        centers, given = ilk.as_table(self.centers), self.coefficients
        try:
            self.bump_.gram(ilk.take(X, [0]), centers)
        except (ilk.InputError, ilk.InputTypeError) as error:
            raise self.parameter_error("centers", f"must be data like X: {error}") from None
        m = ilk.n_rows(centers)
        return centers, np.ones(m) if given is None else np.array(given, dtype=float)

    def factors(self, X: Cases) -> np.ndarray:
        """c(x) of every row; array of shape (n,)."""
        X = self._checked(X)
        bumps = self.bump_.gram(X, self._centers(X))
        return np.asarray(bumps @ self.coefficients_.astype(bumps.dtype))

    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        X, Y = self._checked(X), None if Y is None else self._checked(Y, "Y")
        G = np.array(self.kernel_.gram(X, Y))
        left = self.factors(X)
        right = left if Y is None else self.factors(Y)

        def multiply(start: int, stop: int) -> None:
            G[start:stop] *= left[start:stop, None] * right  # symmetric also in rounding

        ilk.in_blocks(multiply, len(G), _ROWS)
        return G

    def diagonal(self, X: Cases) -> np.ndarray:
        """k'(x, x) of every row; array of shape (n,)."""
        X = self._checked(X)
        return np.asarray(self.kernel_.diagonal(X) * np.square(self.factors(X)))

    def squared_distances(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``k'(x, x) - 2 k'(x, y) + k'(y, y)``, from the kernel's squared distance and factors."""
        X, Y = self._checked(X), None if Y is None else self._checked(Y, "Y")
        left, diagonal = self.factors(X), self.kernel_.diagonal(X)
        right, other = (
            (left, diagonal) if Y is None else (self.factors(Y), self.kernel_.diagonal(Y))
        )
        D = squared_distances(self.kernel_, X, Y)
        D = D * (left[:, None] * right)
        # c_x^2 k_xx + c_y^2 k_yy - 2 c_x c_y k_xy = c_x c_y |x - y|^2 + (c_x - c_y) (c_x k_xx - c_y
        # k_yy)
        D += (left[:, None] - right) * (np.subtract.outer(left * diagonal, right * other))
        return np.asarray(np.maximum(D, 0))

    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithms of tau and coefficients.

        First tau, then each given coefficient; centres are constant.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 1) or (n, n, 1 + m)
        """
        X = self._checked(X)
        gram = self.gram(X)
        bumps = self.bump_.gram(X, self._centers(X)) * self.coefficients_
        u = self.bump_.half_squares(X, self._centers(X))
        # the derivative of a bump by log tau is 2 u times the bump; 0 where it vanished
        slopes = (2 * bumps * np.where(bumps > 0, u, 0)).sum(axis=1)
        parts = [slopes] if self.coefficients is None else [slopes, *bumps.T]
        # the product rule for c(x) c(y)
        c, inner = bumps.sum(axis=1), self.kernel_.gram(X)
        return gram, np.stack([(np.outer(p, c) + np.outer(c, p)) * inner for p in parts], axis=-1)

    def _checked(self, X: Cases, argument: str = "X") -> Any:
        check_fitted(self)
        X = ilk.as_table(X)
        check_n_features(self, X, self.width_, argument)
        return X

    def _centers(self, X: Cases) -> Any:
        """Return the centres, in single precision if X is."""
        both = isinstance(self.centers_, np.ndarray) and getattr(X, "dtype", None) == np.float32
        return self.centers_.astype(np.float32) if both else self.centers_

    def _support(self, X: Cases, y: Labels | None) -> tuple[Any, np.ndarray]:
        """Return the support vectors of a machine, and their multipliers."""
        from sklearn.svm import SVC

        _, codes = ilk.check_labels(self, y, X, min_classes=2)
        gram = self.kernel_.gram(X)
        try:
            machine = SVC(kernel="precomputed", **{"tol": _TOL, **(self.svm or {})})
            machine.fit(gram, codes)
        except ValueError as error:
            raise self.parameter_error("svm", f"is invalid: {error}") from None
        return ilk.take(X, machine.support_), np.abs(machine.dual_coef_).sum(axis=0)


# coefficients are the multipliers of this machine, so they need more digits than predictions do
_TOL = 1e-6  # of the machine that finds the centres
