"""rbf_network: linear functions of Gaussian units with centres and bandwidths."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from ilk import (
    Array,
    ArrayLike,
    Classifier,
    InputError,
    RandomState,
    Seed,
    available_if,
    check_fitted,
    check_seed,
    check_vectors,
    display_name,
    library_threads,
    param,
)
from ilk_learners.classifiers.posteriors import in_row_blocks
from ilk_learners.classifiers.training_cases import check_cases
from ilk_learners.numerics import check_finite_parameters, common_deviations, difference, finite

if TYPE_CHECKING:
    from ilk import Cases, Labels, Matrix

_LEAST = 1e-150  # smallest bandwidth: its square does not underflow


def _has_probabilities(self: RBFNetwork) -> bool:
    return self.output == "logistic"


class RBFNetwork(Classifier):
    """Radial basis function network: a linear classifier of Gaussian units.

    ``o(x) = b + sum_j W_j exp(-|x - c_j|^2 / (2 sigma_j^2))`` has an output for each class. The
    largest output decides; ties go to the first class. Centres and bandwidths are chosen first.
    Then W and b minimise the mean squared distance of the outputs from the class indicators plus
    ``alpha |W|^2``, in closed form; or the mean of -ln P plus the same penalty, where P is the
    softmax of the outputs. With ``centers="trained"`` L-BFGS then minimises that loss over
    centres, bandwidths, W and b together, with analytic gradients.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    centers_ : ndarray of shape (k, p)
    sigmas_ : ndarray of shape (k,)
    weights_ : ndarray of shape (k, n_classes)
        W.
    bias_ : ndarray of shape (n_classes,)
        b.
    loss_ : float
        Final loss, with the penalty.
    n_parameters_ : int
        Weights and biases, without those of one class; and trained centres and bandwidths.
    n_iter_ : int
        Iterations of the last minimisation; 1 for the closed form.

    Raises
    ------
    InputError
        If there is only one class, fewer rows than centres, or given centres have another number of
        features.

    Warns
    -----
    ConvergenceWarning
        If L-BFGS has not converged after `max_iter` iterations.

    References
    ----------
    .. [1] Evaluation slides: Radial Basis Function Networks; XOR by an RBF Network; Training of RBF
       Networks; Generalized Linear Classifiers.
    .. [2] J. Moody and C. J. Darken, "Fast learning in networks of locally-tuned processing units",
       *Neural Computation* 1, 1989 (clusters, and widths by neighbours).

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "differ", "differ"]
    >>> network = ilk.classifier("rbf_network", centers=[[1, 1], [0, 0]], sigma=0.5**0.5)
    >>> network.fit(X, y).predict(X).tolist()
    ['same', 'same', 'differ', 'differ']
    """

    n_centers: int = param(
        default=10,
        ge=1,
        doc="Number of units; at most the number of training rows.",
    )
    centers: ArrayLike | str = param(
        default="kmeans",
        type=Array,
        choices=("kmeans", "random", "trained"),
        form='{"kmeans", "random", "trained"} or array of shape (k, p)',
        doc="Means of k-means clusters; training rows drawn without replacement; cluster means "
        "that are then trained; or given centres (`n_centers` is ignored).",
    )
    sigma: float | Literal["neighbors", "mean_distance"] = param(
        default="neighbors",
        type=float,
        gt=0,
        choices=("neighbors", "mean_distance"),
        doc='The bandwidth. "neighbors": for each unit the mean distance from its centre to the '
        'two nearest others; "mean_distance": the mean distance between centres.',
    )
    output: Literal["least_squares", "logistic"] = param(
        default="least_squares",
        choices=("least_squares", "logistic"),
        doc='The loss that W and b minimise. Only "logistic" gives probabilities.',
    )
    alpha: float = param(default=0.0001, gt=0, doc="Strength of the penalty.")
    max_iter: int = param(
        default=200,
        ge=1,
        doc="Maximal iterations of L-BFGS, for trained centres or the logistic loss.",
    )
    tol: float = param(
        default=1e-06,
        gt=0,
        doc="Stop at this relative improvement of the loss.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="For random centres and the initialization of k-means.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(n_centers=5, random_state=0),
            cls(n_centers=6, centers="random", sigma="mean_distance", random_state=0),
            cls(n_centers=4, output="logistic", max_iter=1000, random_state=0),
            cls(n_centers=3, centers="trained", alpha=1e-2, max_iter=2000, random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that given centres form a matrix."""
        super().check_parameters()
        check_finite_parameters(self, "alpha")
        if not isinstance(self.centers, str):
            given = np.asarray(self.centers, dtype=float)
            if given.ndim != 2 or given.size == 0 or not np.isfinite(given).all():
                raise self.parameter_error(
                    "centers", f"must be finite numbers, one row a centre, got shape {given.shape}"
                )

    def fit(self, X: Cases, y: Labels) -> Self:
        """Choose centres and bandwidths, then solve for the outputs.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        """
        self.check_parameters()
        cases = check_cases(self, X, y)
        self.classes_ = cases.classes
        self._origin, rows, self._exponent = common_deviations(
            np.ascontiguousarray(cases.X)  # sums then round the same for any memory layout
        )
        centers = self._first_centers(rows)
        targets = np.eye(len(cases.classes))[cases.codes]
        k, C = len(centers), len(cases.classes)
        # bandwidths as logarithms: they stay positive in the descent
        start = Network(centers, np.log(self._widths(centers, rows)), np.zeros((k, C)), np.zeros(C))
        with library_threads(1):  # the same result for any number of threads
            network = self._solved(start, rows, targets)
            if isinstance(self.centers, str) and self.centers == "trained":
                network = self._trained(network, rows, targets)
        self._network = network
        self._set_attributes(network, rows, targets)
        return self

    @property
    def n_parameters_(self) -> int:
        """Number of free parameters that the loss was minimised over."""
        k, p = self.centers_.shape
        trained = isinstance(self.centers, str) and self.centers == "trained"
        return int((k + 1) * (len(self.classes_) - 1) + (k * (p + 1) if trained else 0))

    def _first_centers(self, rows: np.ndarray) -> np.ndarray:
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        n, p = rows.shape
        if not isinstance(self.centers, str):
            given = np.asarray(self.centers, dtype=float)
            if given.shape[1] != p:
                raise InputError(
                    f"{display_name(self)}: X has {p} features, but centers has {given.shape[1]}"
                )
            return difference(given, self._origin, self._exponent)
        if self.n_centers > n:
            raise InputError(
                f"{display_name(self)}: n_centers={self.n_centers} needs as many rows, X has "
                f"n_samples={n}"
            )
        seed = check_seed(self, self.random_state)
        if self.centers == "random":
            return np.asarray(rows[seed.choice(n, self.n_centers, replace=False)])
        with warnings.catch_warnings(), library_threads(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # k-means warns of duplicate rows
            return np.asarray(
                KMeans(self.n_centers, n_init=1, random_state=seed).fit(rows).cluster_centers_
            )

    def _widths(self, centers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        if isinstance(self.sigma, str):
            return widths(centers, rows, self.sigma)
        return np.full(len(centers), max(float(np.ldexp(self.sigma, -self._exponent)), _LEAST))

    def _solved(self, network: Network, rows: np.ndarray, targets: np.ndarray) -> Network:
        """The network with the outputs of the smallest loss."""
        if self.output == "least_squares":
            self.n_iter_ = 1
            weights, bias = ridge(network.units(rows), targets, self.alpha)
            return Network(network.centers, network.log_sigmas, weights, bias)
        # for fixed units the loss is convex in weights and bias
        return self._descend(network, rows, targets, network.weights.size + network.bias.size)

    def _trained(self, network: Network, rows: np.ndarray, targets: np.ndarray) -> Network:
        trained = self._descend(network, rows, targets, network.vector().size)
        # for the trained units the best outputs have a closed form, better than a stopped descent
        if self.output == "least_squares":
            weights, bias = ridge(trained.units(rows), targets, self.alpha)
            return Network(trained.centers, trained.log_sigmas, weights, bias)
        return trained

    def _descend(
        self, network: Network, rows: np.ndarray, targets: np.ndarray, n_free: int
    ) -> Network:
        """Minimise the loss over the last `n_free` parameters of the network."""
        from scipy.optimize import minimize
        from sklearn.exceptions import ConvergenceWarning

        start = network.vector()
        fixed, loss = start[: len(start) - n_free], self._loss()

        def objective(free: np.ndarray) -> tuple[float, np.ndarray]:
            at = network.with_vector(np.concatenate([fixed, free]))
            value, gradient = at.loss(rows, targets, self.alpha, loss)
            return value, gradient.vector()[len(fixed) :]

        options: Any = {"maxiter": self.max_iter, "ftol": self.tol, "maxfun": 20 * self.max_iter}
        solution = minimize(
            objective, start[len(fixed) :], jac=True, method="L-BFGS-B", options=options
        )
        self.n_iter_ = max(int(solution.nit), 1)
        problem = None
        if solution.status == 1:
            problem = f"not converged after max_iter={self.max_iter} iterations"
        elif solution.status and not solution.nit:
            problem = "the solver finds no step that lowers the loss, and the network stays"
        if problem:
            warnings.warn(f"{display_name(self)}: {problem}", ConvergenceWarning, stacklevel=4)
        return network.with_vector(np.concatenate([fixed, solution.x]))

    def _loss(self) -> Any:
        return squared_error if self.output == "least_squares" else cross_entropy

    def _set_attributes(self, network: Network, rows: np.ndarray, targets: np.ndarray) -> None:
        """Set the public attributes, in the units of X."""
        half = int(self._exponent > 0)  # a centre may be finite where its distances overflow
        centers = np.ldexp(network.centers, self._exponent - half)
        self.centers_ = np.ldexp(centers + np.ldexp(self._origin, -half), half)
        with np.errstate(over="ignore"):
            sigmas = np.ldexp(np.exp(network.log_sigmas), self._exponent)
        self.sigmas_ = finite(self, sigmas, "X varies so much that sigmas_")
        self.weights_, self.bias_ = network.weights, network.bias
        self.loss_ = network.loss(rows, targets, self.alpha, self._loss())[0]

    def _outputs(self, X: Cases) -> np.ndarray:
        check_fitted(self)
        X = check_vectors(self, X, reset=False)

        def outputs(rows: np.ndarray) -> np.ndarray:
            return self._network.outputs(difference(rows, self._origin, self._exponent))

        with np.errstate(over="ignore", under="ignore"):
            return finite(self, in_row_blocks(outputs, X, len(self.classes_)), "outputs for X")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = self._outputs(X).argmax(axis=1)
        return self.classes_[best]

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Output for each class; array of shape (m, n_classes).

        With two classes: the second output minus the first, array of shape (m,).
        """
        outputs = self._outputs(X)
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    @available_if(_has_probabilities)
    def predict_proba(self, X: Cases) -> np.ndarray:
        """Softmax of the outputs; array of shape (m, n_classes)."""
        from scipy.special import softmax

        return np.asarray(softmax(self._outputs(X), axis=1))


Loss = Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray]]
"""Maps outputs and one-hot targets, both of shape (n, C), to the mean loss and its derivative."""
_NEAR = 2  # nearest centres for a bandwidth: Moody and Darken's choice


@dataclass(frozen=True)
class Network:
    """Outputs ``o(x) = b + sum_j W_j exp(-|x - c_j|^2 / (2 sigma_j^2))``.

    Attributes
    ----------
    centers : ndarray of shape (k, p)
    log_sigmas : ndarray of shape (k,)
    weights : ndarray of shape (k, C)
    bias : ndarray of shape (C,)
    """

    centers: np.ndarray
    log_sigmas: np.ndarray
    weights: np.ndarray
    bias: np.ndarray

    def units(self, X: np.ndarray) -> np.ndarray:
        """Value of each unit for each row; array of shape (m, k)."""
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(np.exp(-self._squares(X) / 2))

    def _squares(self, X: np.ndarray) -> np.ndarray:
        """Squared distances from the centres, in units of sigma_j^2."""
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(X, self.centers) / np.exp(self.log_sigmas)) ** 2

    def outputs(self, X: np.ndarray) -> np.ndarray:
        """Outputs; array of shape (m, C)."""
        return np.asarray(self.units(X) @ self.weights + self.bias)

    def vector(self) -> np.ndarray:
        """All parameters in one flat array."""
        parts = self.centers, self.log_sigmas, self.weights, self.bias
        return np.concatenate([part.ravel() for part in parts])

    def with_vector(self, vector: np.ndarray) -> Self:
        """A network of the same shape with other parameters."""
        parts = self.centers, self.log_sigmas, self.weights, self.bias
        ends = np.cumsum([part.size for part in parts])[:-1]
        pieces = np.split(vector, ends)
        return type(self)(*(v.reshape(part.shape) for v, part in zip(pieces, parts, strict=True)))

    def loss(
        self, X: np.ndarray, targets: np.ndarray, alpha: float, loss: Loss
    ) -> tuple[float, Self]:
        """Mean loss plus alpha |W|^2, and its gradient as a network."""
        squares = self._squares(X)
        with np.errstate(under="ignore"):
            H = np.exp(-squares / 2)
            value, G = loss(H @ self.weights + self.bias, targets)
            # the derivative of the loss by the exponent of each unit
            inner = (G @ self.weights.T) * H
            precision = np.exp(-2 * self.log_sigmas)[:, None]
            # sum_i inner_ij (x_i - c_j) / sigma_j^2
            centers = (inner.T @ X - inner.sum(axis=0)[:, None] * self.centers) * precision
            gradient = type(self)(
                centers,
                # by log sigma_j: sum_i inner_ij |x_i - c_j|^2 / sigma_j^2
                (inner * squares).sum(axis=0),
                H.T @ G + 2 * alpha * self.weights,
                G.sum(axis=0),
            )
        return value + alpha * float((self.weights**2).sum()), gradient


def squared_error(outputs: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean over rows of the sum of squared errors, and its derivative by the outputs."""
    errors = outputs - targets
    return float((errors**2).sum()) / len(errors), 2 * errors / len(errors)


def cross_entropy(outputs: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean cross-entropy of the softmax over rows, and its derivative by the outputs."""
    from scipy.special import log_softmax

    logs = log_softmax(outputs, axis=1)
    return -float((targets * logs).sum()) / len(logs), (np.exp(logs) - targets) / len(logs)


def ridge(H: np.ndarray, targets: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights and bias that minimise the mean squared error plus alpha |W|^2.

    Uses an orthogonal factorization: H'H would square the condition number of H.
    """
    k = H.shape[1]
    mean, target = H.mean(axis=0), targets.mean(axis=0)
    # alpha |W|^2 as additional rows; centred columns leave the bias without a penalty
    root = np.vstack([(H - mean) / np.sqrt(len(H)), np.sqrt(alpha) * np.eye(k)])
    right = np.vstack([(targets - target) / np.sqrt(len(H)), np.zeros((k, targets.shape[1]))])
    # by QR: the condition of the normal equations would be the square of that of the rows
    Q, R = np.linalg.qr(root)
    weights = np.linalg.solve(R, Q.T @ right)
    return weights, target - mean @ weights


def widths(centers: np.ndarray, rows: np.ndarray, rule: str) -> np.ndarray:
    """Bandwidth sigma of each unit, from the distances between centres.

    Parameters
    ----------
    rule : {"neighbors", "mean_distance"}
        The mean distance to the two nearest other centres, or of all pairs. If it is 0, the mean
        distance of rows from centres (if that is 0 too: 1).
    """
    from scipy.spatial.distance import cdist, pdist, squareform

    k = len(centers)
    if k == 1:
        sigmas = np.zeros(1)
    elif rule == "mean_distance":
        sigmas = np.full(k, pdist(centers).mean())
    else:
        # the first distance of each is that to itself
        sigmas = np.sort(squareform(pdist(centers)), axis=1)[:, 1 : 1 + _NEAR].mean(axis=1)
    typical = float(cdist(rows, centers).mean()) or 1.0
    # equal centres have no distance from one another
    return np.where(sigmas > 0, sigmas, typical)
