"""Gram matrices of training rows: computation, sharing among machines, test of definiteness."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ilk import (
    Capabilities,
    IlkError,
    InputError,
    Kernel,
    display_name,
    frozen,
    is_positive_semidefinite,
    is_sparse,
    n_rows,
    param,
    shipped_name,
    slot,
    take,
    to_spec,
)
from ilk_learners.validation import is_default

if TYPE_CHECKING:
    from ilk import Cases, Estimator

FEW = 2048
"""Most rows that libsvm solves, on their Gram matrix; more rows are solved in blocks."""
_CELLS = 2**22  # kernel values held at once: 32 MiB


MAX_ITER: Any = param(
    default=None,
    type=int,
    ge=1,
    doc="Most iterations of the solver; None: ten million, or 100 for each row if that is more.",
)
MEMORY: Any = param(
    default=1024,
    type=float,
    gt=0,
    doc="Mebibytes of kernel values that are kept of a kernel that libsvm does not know: the Gram "
    "matrix of up to 11,585 rows by default; of more rows, the rows of it that were used last. "
    "Values of libsvm's kernels (linear, polynomial, sigmoid, and rbf over the Euclidean "
    "distance) are computed when they are needed if there are more than 2048 rows: that takes 40 "
    "MiB for any number of rows.",
)
KERNEL: Any = slot(
    "kernel",
    default="rbf",
    doc="Any; it is fitted on the training rows.",
)


def checked_gram(owner: Any, kernel: Kernel | None, X: Any) -> np.ndarray:
    """Gram matrix of training rows, checked against the owner's `memory` and solver.

    Parameters
    ----------
    owner : Component
        Has `memory`, in mebibytes, and `solver`; named in errors.
    kernel : Kernel
        Fitted.
    X : data of n rows

    Raises
    ------
    InputError
        If it is too large or not finite; for solver="qp" also if it is indefinite.

    Warns
    -----
    IndefiniteKernelWarning
        If it is not positive semi-definite.
    """
    name, n, kernel_name = display_name(owner), n_rows(X), display_name(kernel)
    if exceeds_memory(owner, n):
        raise InputError(
            f"{name}: the Gram matrix of {n} rows under the kernel {kernel_name} takes "
            f"{8 * n * n / 2**20:.3g} MiB, more than memory={owner.memory:g}; raise memory"
        )
    K = gram_matrix(kernel, X)
    with np.errstate(over="ignore", invalid="ignore"):
        total = K.sum()  # finite unless a value is not, or the sum overflows
    if not np.isfinite(total) and not np.isfinite(K).all():
        i, j = np.argwhere(~np.isfinite(K))[0]
        raise InputError(
            f"{name}: the kernel {kernel_name} of rows {i} and {j} is {K[i, j]}; "
            f"standardize X first"
        )
    check_definite(owner, kernel, K)
    return K


def check_definite(owner: Any, kernel: Kernel | None, K: np.ndarray) -> None:
    """Warn if a Gram matrix is not positive semi-definite; for solver="qp" raise."""
    if is_definite(kernel, K):
        return
    message = (
        f"{display_name(owner)}: the kernel {display_name(kernel)} is not positive semi-definite "
        f"on these rows, so a solution may not be optimal; the kernel substitution repairs it"
    )
    if owner.solver == "qp":
        raise InputError(message)
    warnings.warn(message, IndefiniteKernelWarning, stacklevel=4)


def exceeds_memory(owner: Any, n: int) -> bool:
    """Whether the Gram matrix of n rows exceeds the owner's `memory`."""
    return bool(8 * n * n > owner.memory * 2**20)


def products(kernel: Kernel, X: Any, support: Any, coef: np.ndarray) -> np.ndarray:
    """Kernel values of rows with support vectors, times coefficients, in blocks of 32 MiB.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, support : data of m and s rows
    coef : ndarray of shape (s,) or (s, k)

    Returns
    -------
    ndarray of shape (m,) or (m, k)
    """
    values = np.zeros((n_rows(X), *coef.shape[1:]))
    step = max(_CELLS // max(len(coef), 1), 1)
    for start in range(0, len(values) if len(coef) else 0, step):
        part = np.arange(start, min(start + step, len(values)))
        K = kernel.gram(take(X, part), support)
        values[part] = np.asarray(K, dtype=float) @ coef
    return values


def gram_matrix(kernel: Any, X: Cases) -> np.ndarray:
    """Kernel values between all rows, of shape (n, n), in float64 as the solver needs them."""
    if isinstance(X, np.ndarray) and X.dtype == np.float32:
        X = X.astype(float)
    return np.ascontiguousarray(kernel.gram(X), dtype=float)


@dataclass(frozen=True)
class KnownKernel:
    """A kernel of vectors, in libsvm's terms.

    Attributes
    ----------
    name : {"linear", "poly", "rbf", "sigmoid"}
    gamma, coef0 : float
    degree : int
    sigma : ndarray of shape (p,) or None
        Divisor of each feature.
    """

    name: Literal["linear", "poly", "rbf", "sigmoid"]
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 1
    sigma: np.ndarray | None = None

    @property
    def terms(self) -> dict[str, float]:
        """The parameters under libsvm's names."""
        return {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}

    def rows(self, X: Any) -> Any:
        """Rows in float64, divided by sigma; sparse rows stay sparse."""
        import scipy.sparse as sp

        X = X.astype(float, copy=False)
        if self.sigma is None:
            return X
        return X @ sp.diags_array(1 / self.sigma) if is_sparse(X) else np.asarray(X / self.sigma)


def known_kernel(kernel: Any) -> KnownKernel | None:
    """The equivalent of a fitted kernel in libsvm, or None."""
    try:
        to_spec(kernel, kind="kernel")
    except IlkError:  # not expressible as a spec
        return None
    name = shipped_name(kernel)
    if name == "linear":
        return KnownKernel("linear")
    if name == "polynomial":
        return KnownKernel("poly", kernel.gamma, kernel.coef0, kernel.degree)
    if name == "sigmoid":
        return KnownKernel("sigmoid", kernel.eta1, kernel.eta2)
    if name == "rbf" and is_default(kernel.distance_, "distance", "euclidean"):
        sigma = np.asarray(kernel.sigma_, dtype=float)
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            gamma = 0.5 if sigma.ndim else float(0.5 / sigma**2)
        if 0 < gamma < np.inf:
            return KnownKernel("rbf", gamma, sigma=sigma if sigma.ndim else None)
    return None


class IndefiniteKernelWarning(UserWarning):
    """A kernel is not positive semi-definite on the training rows."""


def is_definite(kernel: Kernel | None, K: np.ndarray) -> bool:
    """Whether a Gram matrix is positive semi-definite; tested unless the kernel guarantees it.

    Of more than 2048 rows so many are tested, evenly spaced: a part that is indefinite proves that
    the whole is.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    K : ndarray of shape (n, n)
        Copied for the test, a Cholesky decomposition.
    """
    if surely_definite(kernel):
        return True
    if len(K) > FEW:
        some = spread(len(K))
        K = K[np.ix_(some, some)]
    return is_positive_semidefinite(K, check=False)


def spread(n: int) -> np.ndarray:
    """Numbers of at most `FEW` of n rows, evenly spaced."""
    return np.linspace(0, n - 1, min(n, FEW)).astype(int)


def surely_definite(kernel: Kernel | None) -> bool:
    """Whether a fitted kernel is positive semi-definite on any rows."""
    known = known_kernel(kernel)
    # of these kernels only the sigmoid is indefinite for some parameters
    if known is not None and known.name != "sigmoid":
        return True
    return getattr(kernel, "induces_metric", False) is True


BUDGET = 2**29
"""Most bytes of the shared Gram matrices of a split; larger ones are not shared."""


class SharedGram(Kernel):
    """Precomputed kernel values of training and test rows, indexed by row numbers.

    Training rows are 0 .. n - 1, test rows n .. n + m - 1. For all training rows, in order, it
    returns the matrix itself without a copy.

    `shared_gram` and `precomputed` build it.
    """

    induces_metric: ClassVar[bool] = True  # machines skip the test of definiteness
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("indices",), symmetric=True)

    def gram(self, X: Any, Y: Any = None) -> np.ndarray:
        """Kernel values of rows X with training rows Y (None: X)."""
        self.values_: tuple[np.ndarray, np.ndarray]
        train, test = self.values_
        n = len(train)
        rows, columns = np.ravel(X), np.ravel(X if Y is None else Y)
        # the first row tells training from test rows: a call never mixes them
        source = train if not rows.size or rows[0] < n else test
        rows = rows - (0 if source is train else n)
        every = np.arange(n)
        if source is train and np.array_equal(rows, every) and np.array_equal(columns, every):
            return np.asarray(train)
        return np.asarray(source[rows][:, columns])

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of training rows."""
        rows = np.ravel(X)
        return np.asarray(self.values_[0][rows, rows])


def fits(classifier: Any, n: int, m: int) -> bool:
    """Whether the matrices of n training and m test rows are within the budget.

    The training matrix must also fit in the classifier's ``memory`` (mebibytes).
    """
    return 8 * n * (n + m) <= BUDGET and 8 * n * n <= classifier.memory * 2**20


def shared_gram(kernel: Kernel, train: Any, test: Any) -> Any:
    """A frozen `SharedGram` of a fitted kernel; None if it is not positive semi-definite.

    Parameters
    ----------
    kernel : kernel
        Fitted.
    train, test : data of n and m rows
    """
    within = gram_matrix(kernel, train)
    if not np.isfinite(within).all() or not is_definite(kernel, within):
        return None  # each machine then warns in its own name
    return precomputed(within, np.ascontiguousarray(kernel.gram(test, train), dtype=float))


def precomputed(train: np.ndarray, test: np.ndarray | None = None) -> Any:
    """A frozen `SharedGram` of matrices; they are not copied and become read-only.

    Parameters
    ----------
    train : ndarray of shape (n, n)
        Not tested for definiteness.
    test : ndarray of shape (m, n), optional
    """
    test = train[:0] if test is None else test
    train.flags.writeable = test.flags.writeable = False
    shared = SharedGram()
    shared.values_ = (train, test)
    return frozen(shared)


def gram_key(classifier: Estimator) -> str | None:
    """Key of classifiers that can share a Gram matrix; None if this one cannot.

    A classifier can share if it declares ``gram_parameters``, the names of the parameters on which
    its kernel depends (the kernel's slot first), and has ``learn_kernel(X, y)``, which returns the
    fitted kernel.
    """
    names = getattr(classifier, "gram_parameters", ())
    if not names:
        return None
    values = {name: getattr(classifier, name) for name in names}
    try:
        values[names[0]] = to_spec(values[names[0]], kind="kernel")
        return json.dumps(values, sort_keys=True, default=repr)
    except IlkError:  # not expressible as a spec
        return None
