"""block_diagonal: a metric for each view (group of features), and a weight for each view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import (
    Array,
    ArrayLike,
    MetricLearnerLike,
    Param,
    RandomState,
    Seed,
    Views,
    ViewsLike,
    param,
    slot,
    slots,
)
from ilk_learners.metric_learners.linear import LinearMetricLearner, report_where_known
from ilk_learners.numerics import common_deviations

if TYPE_CHECKING:
    from ilk import Cases, Labels

_ALL = "all"


class BlockDiagonal(LinearMetricLearner):
    """A metric learner for each view, combined in one block-diagonal metric (HML2-DF).

    With views x_v of a row, groups of its features, and a metric A_v learned for each::

        d(x, z)^2 = sum_v w_v (x_v - z_v)' A_v (x_v - z_v),

    so A is block diagonal with the blocks w_v A_v, and L consists of the rows sqrt(w_v) L_v.
    Features in no view have no influence. Views may overlap: A is then the sum of their blocks.

    Weights
        "uniform": 1 for each, equation (10.2). "pyramid": ``1/2^(Q-i+1)`` for view i = 0..Q,
        coarse to fine, equation (10.17); as printed they do not sum to 1, which does not affect
        neighbours. "alignment": the non-negative weights for which the inner products after L,
        each view centred, are aligned best with ``G_ij = 1`` if labels agree, else -1 (10.6); this
        sum of kernels corresponds to this sum of squared distances. Non-negative least squares
        finds them exactly, from products of features, never of rows. "search": coordinate search
        over powers of two (and 0), relative to the weights that make views equally large, in three
        rounds. It minimises the error of the nearest neighbour. If learners use labels, the error
        is that of held-out rows: half of each class, drawn by `random_state`, at most 500 of them.
        Learned weights are scaled to mean 1.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L, view after view.
    learners_ : dict of str to metric learner
        Fitted, each on its view, without reports.
    columns_ : dict of str to ndarray
        Positions of the columns of each view.
    weights_ : ndarray of shape (n_views,)
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    ParameterError
        If a view has no column, or a part names no view; if a learner has no linear map; if the
        number of weights is not that of the views.
    InputError
        If a learner rejects its view (names the view); if weights cannot be learned because there
        are no labels or no view is related to them.

    References
    ----------
    Zaidi 2011: sections 2.4.6, 3.3, 10.1.2; equations 3.2, 10.2-10.4, 10.6, 10.17; table 3.2.

    Cortes, Mohri, Rostamizadeh, "Algorithms for learning kernels based on centered alignment",
    *JMLR* 13, 2012.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> views = {"sepal": [0, 1], "petal": [2, 3]}
    >>> weights = {"sepal": 1, "petal": 4}
    >>> learner = ilk.metric_learner("block_diagonal", views=views, weights=weights)
    >>> learner.fit(X).metric_matrix_
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.],
           [0., 0., 4., 0.],
           [0., 0., 0., 4.]])
    """

    views: ViewsLike | None = param(
        default=None,
        type=Views,
        doc="The columns of each view: names, positions (of an array, or if no column of a data "
        'frame has this name), or patterns of names (``"level0_*"``). "data": in an experiment, '
        'the views of the data set. None: one view "all".',
    )
    learner: MetricLearnerLike = slot(
        "metric_learner",
        default="identity",
        doc="For each view without an entry in `parts`.",
    )
    parts: Mapping[str, MetricLearnerLike] | None = slots(
        "metric_learner",
        default=None,
        many=dict,
        doc="Learners of specific views, by name.",
    )
    weights: ArrayLike | Mapping[str, Any] | str = param(
        default="uniform",
        type=(Array, dict),
        choices=("uniform", "pyramid", "alignment", "search"),
        form='{"uniform", "pyramid", "alignment", "search"}, array or dict',
        doc="One per view, non-negative, in the order of the views or by name.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc='Draws the held-out rows of "search".',
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("vectors", "views"))

    waivers: ClassVar[Mapping[str, str]] = {
        "check_invariant#1": "L of one view follows the unit of X, that of the other does not",
        "check_invariant#4": "views are given by positions of columns, and weigh differently",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        halves = {"left": [0, 1], "right": [2, 3]}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        return [
            cls(),
            cls(views=halves, parts={"right": "whitening"}, weights="pyramid", report=False),
            cls(views=halves, learner="rca", weights="alignment", report=False),
            cls(views=halves, learner="rca", weights="search", random_state=0, report=False),
            cls(views=halves, weights={"left": 1.0, "right": 2.0}, report=False),
            cls(views=columns, learner="rca", report=False),
        ]

    def check_parameters(self) -> None:
        """Check that views have columns, parts are views, and each view has a weight."""
        super().check_parameters()
        if isinstance(self.views, str):
            return  # the views of a data set are known only in `fit`
        if self.views is not None:
            ilk.check_views(self, self.views)
        for name in self.parts or ():
            if name not in self._names():
                hint = ilk.did_you_mean(name, self._names())
                raise self.parameter_error("parts", f"must name views, got {name!r}{hint}")
        if not isinstance(self.weights, str):
            self._check_weights()

    def _names(self) -> list[str]:
        if self.views is None:
            return [_ALL]
        return list(self.views) if isinstance(self.views, Mapping) else [*range(len(self.views))]

    def _check_weights(self) -> None:
        names, given = self._names(), self.weights
        if isinstance(given, Mapping):
            if set(given) != set(names):
                raise self.parameter_error(
                    "weights", f"must be for the views {names}, got {list(given)}"
                )
            for name, weight in given.items():
                problem = Param(float, ge=0).problem(weight)
                if problem:
                    raise self.parameter_error("weights", f"[{name!r}] {problem}")
        weights = self._given_weights()
        if weights.shape != (len(names),):
            raise self.parameter_error(
                "weights",
                f"must be one number for each of {len(names)} views, got shape {weights.shape}",
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise self.parameter_error(
                "weights", f"must be finite, at least 0 and not all 0, got {weights.tolist()}"
            )

    def _given_weights(self) -> np.ndarray:
        given = self.weights
        if isinstance(given, Mapping):
            given = [given[name] for name in self._names()]
        return np.asarray(given, dtype=float)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit a learner on each view, then compute the weights of the views."""
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        self.columns_ = self._positions(X.shape[1])
        self.learners_ = dict(self._fitted(X, y))
        self.weights_ = self._weights(X, y)
        self.components_ = self._stacked(X)
        self.report_ = report_where_known(self, X, y) if len(X) > 1 else None
        return self

    def _positions(self, p: int) -> dict[str, np.ndarray]:
        if self.views is None:
            return {_ALL: np.arange(p)}
        positions = ilk.view_columns(
            self, self.views, list(getattr(self, "feature_names_in_", ())), p
        )
        for view, columns in positions.items():
            if len(set(columns.tolist())) < len(columns):
                raise self.parameter_error("views", f"[{view!r}] names a column twice")
        return positions

    def _fitted(self, X: np.ndarray, y: Labels | None) -> Iterator[tuple[str, Any]]:
        """Yield the name of each view and its learner fitted on these rows."""
        parts = {} if self.parts is None else self.seeded_slot("parts")
        for view, columns in self.columns_.items():
            learner = parts[view] if view in parts else self.seeded_slot("learner")
            if not isinstance(learner, ilk.MetricLearner):
                argument = f"parts[{view!r}]" if view in parts else "learner"
                name = ilk.display_name(learner)
                raise self.parameter_error(argument, f"must have a linear map, got {name}")
            if "report" in learner.parameters and not ilk.is_frozen(learner):
                learner.set_params(report=False)
            with self._naming(view):
                learner = ilk.fit_component(learner, X[:, columns], y)
                if learner.components_.shape[1] != len(columns):
                    raise ilk.InputError(f"it is frozen, and for {learner.n_features_in_} features")
            yield view, learner

    @contextmanager
    def _naming(self, view: str) -> Iterator[None]:
        """Name the view in errors on data."""
        try:
            yield
        except (ilk.InputError, ilk.InputTypeError) as error:
            name = ilk.display_name(self)
            raise type(error)(f"{name}: view {view!r}: {error}") from error

    def _weights(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        if not isinstance(self.weights, str):
            return self._given_weights()
        if self.weights == "uniform":
            return np.ones(len(self.columns_))
        if self.weights == "pyramid":
            return _pyramid(len(self.columns_))
        _, codes = ilk.check_labels(self, y, X, min_classes=2)
        if self.weights == "search":
            rng = ilk.check_seed(self, self.random_state)
            return _searched(lambda rows: self._mapped_views(X, y, rows), codes, rng)
        weights = aligned(self._mapped_by(self.learners_, X), codes)
        if not weights.any():
            raise ilk.InputError(
                f"{ilk.display_name(self)}: no view is aligned with the labels: weights cannot be "
                f"learned"
            )
        return weights

    def _mapped_views(self, X: np.ndarray, y: Labels | None, rows: np.ndarray) -> list[np.ndarray]:
        """All rows, transformed by learners fitted on a subset."""
        learners = dict(self._fitted(X[rows], ilk.take(np.asarray(y), rows)))
        return self._mapped_by(learners, X)

    def _mapped_by(self, learners: Mapping[str, Any], X: np.ndarray) -> list[np.ndarray]:
        """Centred rows of each view after its learner, in a common unit of all views."""
        # one common unit: a unit for each view would change the weights of the views
        _, rows, _ = common_deviations(X)
        after = [
            rows[:, columns] @ learners[view].components_.astype(float).T
            for view, columns in self.columns_.items()
        ]
        largest = max(float(np.abs(Z).max()) for Z in after) or 1.0
        return [Z / largest for Z in after]

    def _stacked(self, X: np.ndarray) -> np.ndarray:
        blocks = []
        for (view, columns), weight in zip(self.columns_.items(), self.weights_, strict=True):
            components = self.learners_[view].components_
            block = np.zeros((len(components), X.shape[1]))
            # L_v times sqrt(w_v) gives w_v A_v
            block[:, columns] = np.sqrt(weight) * components
            blocks.append(block)
        return np.vstack(blocks).astype(X.dtype)


_MOST_QUERIES = 500  # most held-out rows in a search: a standard error of at most 2.3 %
# from 1 outwards, so that ties prefer nearly equal weights; 0 leaves a view out
_FACTORS = (1.0, 0.0, 0.5, 2.0, 0.25, 4.0, 0.125, 8.0, 0.0625, 16.0)
_ROUNDS = 3  # rounds of the coordinate search over views


def _pyramid(n_views: int) -> np.ndarray:
    """``1/2^(Q-i+1)`` for i = 0..Q, equation (10.17).

    Examples
    --------
    >>> _pyramid(3)
    array([0.125, 0.25 , 0.5  ])
    """
    return np.asarray(0.5 ** np.arange(n_views, 0, -1))


def aligned(views: Sequence[np.ndarray], codes: np.ndarray) -> np.ndarray:
    """Non-negative weights that align the sum of the views' kernels best with the labels.

    The kernels ``K_t = Z_t Z_t'`` of centred rows and ``G = 2 Y Y' - 1``, Y the one-hot labels,
    have the products ``<K_s, K_t> = |Z_s' Z_t|^2`` and ``<K_t, G> = 2 |Z_t' Y|^2``. The best
    direction solves ``min w'Mw - 2 w'a`` over ``w >= 0``.

    Parameters
    ----------
    views : list of ndarray of shape (n, d_t)
        Centred.
    codes : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of shape (T,)
        Of mean 1, or all 0 if no view is aligned with the labels.
    """
    from scipy.optimize import nnls

    # views of unit norm: M is then well scaled, and weights are divided by the norms at the end
    sizes = [float(np.linalg.norm(Z)) or 1.0 for Z in views]
    scaled = [Z / size for Z, size in zip(views, sizes, strict=True)]
    Y = np.zeros((len(codes), int(codes.max()) + 1))
    Y[np.arange(len(codes)), codes] = 1.0
    Y -= Y.mean(axis=0)
    # <SS', TT'> = |S'T|^2; the matrix of labels, 1 for pairs of the same class, else -1, is 2 YY'
    # when centred
    M = np.array([[np.sum((S.T @ T) ** 2) for T in scaled] for S in scaled])
    a = np.array([2 * np.sum((T.T @ Y) ** 2) for T in scaled])
    values, vectors = np.linalg.eigh(M)
    # directions of M within rounding of 0 hold no information
    positive = values > 1e-12 * values[-1]
    if not positive.any() or a.max() <= 1e-12 * len(codes):
        return np.zeros(len(views))
    roots = np.sqrt(values[positive])
    # w'Mw - 2 w'a = |R w - b|^2 + const for M = R'R and b = R'^-1 a: non-negative least squares
    b = vectors[:, positive].T @ a / roots
    weights = nnls(roots[:, None] * vectors[:, positive].T, b / np.linalg.norm(b))[0]
    return _of_mean_one(weights / np.square(sizes))


def _searched(
    views_after: Callable[[np.ndarray], list[np.ndarray]],
    codes: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    """Weights that minimise the nearest neighbour's error of held-out rows.

    Parameters
    ----------
    views_after : callable
        Maps the numbers of training rows to all transformed rows of each view.
    codes : ndarray of int, shape (n,)
    rng : RandomState

    Returns
    -------
    ndarray of shape (T,)
        Of mean 1.
    """
    train, held_out = _halves(codes, rng)
    views = views_after(train)
    squares = [_squares(Z[held_out], Z[train]) for Z in views]
    means = np.array([float(D.mean()) for D in squares])
    # distances of each view relative to their mean, so that factors mean the same for all
    scale = 1 / np.where(means > 0, means, np.inf)
    if not scale.any():
        return np.ones(len(views))
    wrong = codes[train][None, :] != codes[held_out][:, None]
    rows = np.arange(len(held_out))

    def errors(weights: np.ndarray) -> int:
        total = sum(w * D for w, D in zip(weights * scale, squares, strict=True))
        return int(wrong[rows, np.argmin(total, axis=1)].sum())

    best = np.ones(len(views))
    fewest = errors(best)
    for view in list(range(len(views))) * _ROUNDS:
        for factor in _FACTORS:
            tried = best.copy()
            tried[view] = factor
            if not (tried * scale).any():
                continue
            count = errors(tried)
            # ties keep the earlier weights; factor 1 comes first
            if count < fewest:
                best, fewest = tried, count
    return _of_mean_one(best * scale)


def _halves(codes: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Training rows (the larger half of each class), and some of the others as held-out rows."""
    # every second row of each class, in random order
    order = rng.permutation(len(codes))
    order = order[np.argsort(_appearance(codes)[order], kind="stable")]
    place = np.arange(len(codes)) - np.searchsorted(
        _appearance(codes)[order], _appearance(codes)[order], side="left"
    )
    train, held_out = np.sort(order[place % 2 == 0]), np.sort(order[place % 2 == 1])
    if not len(held_out):  # classes of one row each: evaluate on the training rows
        held_out = train
    # evenly spaced in the order of rows: about the same share of each class
    chosen = np.linspace(0, len(held_out) - 1, min(len(held_out), _MOST_QUERIES)).astype(int)
    return train, held_out[chosen]


def _appearance(codes: np.ndarray) -> np.ndarray:
    """Each class as the number of its first row, independent of class names."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])


def _squares(Q: np.ndarray, X: np.ndarray) -> np.ndarray:
    squares = (Q**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * Q @ X.T
    return np.asarray(np.maximum(squares, 0.0))


def _of_mean_one(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.mean())
