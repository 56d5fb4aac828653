"""A weighted sum of distances of parts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, Param, RandomState, Seed, param
from ilk_distances.composed.composite import (
    OfParts,
    Viewed,
    any_pairs,
    labelled_pairs,
    naming,
)

if TYPE_CHECKING:
    from ilk import Cases, Labels


class Combined(OfParts):
    """Weighted sum of distances of several views: ``d(x, y) = sum_i w_i d_i(x_i, y_i) / s_i``.

    A view x_i is a group of columns of a table or an array with its own distance.
    Without `views` each part compares whole objects, of any kind that its distance takes. `fit`
    learns a scale s_i for each part, so that parts of large distances do not dominate.

    Learned weights come from a linear classifier that tells pairs of rows of different class
    from pairs of equal class by the vector of their distances ``v = (d_1, ..., d_n)``: logistic
    regression with a ridge penalty. Its weights are constrained to at least 0, because a
    negative weight would give no distance. Pairs are drawn at random, half of them of equal
    class, and both halves count the same; if there are at most `n_pairs`, all are used.

    It is a metric if all parts are, no weight is 0, and every column is in a view.

    Attributes
    ----------
    parts_ : dict of str to distance
        Fitted.
    columns_ : dict of str to ndarray, or None
        Positions of the columns of each part; None without views.
    weights_ : ndarray of shape (n_parts,)
    scales_ : ndarray of shape (n_parts,)
        0 for a part that contributes nothing.
    n_features_in_ : int
        Number of columns, where there are views.

    Raises
    ------
    ParameterError
        If a view names no column, a part no view, or there is not one weight for each part.
    InputError
        If a part does not take its view (names the part), or no class has two rows where
        weights are learned.

    Warns
    -----
    UserWarning
        If no part tells pairs of equal class from others; the learned weights are then uniform.

    References
    ----------
    .. [1] Ntoutsi 2015: Weighted combination of distances; Learned weights of distances; Multi-view
       similarity.
    .. [2] Zaidi 2011: section 10.1.2; equations 10.2-10.4 (squared distances are added there).

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> X = pd.DataFrame({"red": [0, 3], "green": [0, 4], "name": ["dot", "dash"]})
    >>> d = ilk.distance(
    ...     "combined",
    ...     views={"color": ["red", "green"], "label": ["name"]},
    ...     parts={"color": "euclidean", "label": "heterogeneous"},
    ...     weights={"color": 2, "label": 1},
    ...     scale=None,
    ... )
    >>> d.fit(X).pairwise(X)
    array([[ 0., 11.],
           [11.,  0.]])
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> views = {"sepal": [0, 1], "petal": [2, 3]}
    >>> d = ilk.distance("combined", views=views, weights="learned", random_state=0).fit(X, y)
    >>> bool(d.weights_[1] > d.weights_[0])
    True
    """

    weights: ArrayLike | Mapping[str, Any] | str = param(
        default="uniform",
        type=(Array, dict),
        choices=("uniform", "learned"),
        form='{"uniform", "learned"}, array or dict',
        doc="One for each part, at least 0, in the order of the parts or by name. Uniform and "
        "learned weights sum to 1, up to rounding. Learning needs y.",
    )
    scale: str | None = param(
        default="mean",
        choices=("mean", "max"),
        none=True,
        doc="Divisor of the distances of a part: the mean or the largest distance of pairs of "
        "training rows, or none. A part whose distances are all 0 contributes 0.",
    )
    regularization: float = param(
        default=0.001,
        gt=0,
        le=1000000.0,
        doc="Ridge penalty of learned weights; above 0, at most 1e6.",
    )
    n_pairs: int = param(
        default=4000,
        ge=2,
        doc="Approximate maximum number of pairs, for scales and for weights.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="Draws the pairs.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("tables", "views", "vectors"), needs_fit=True
    )

    @classmethod
    def examples(cls) -> list[Combined]:
        """Return one on whole rows, and some on views of tables and of vectors."""
        halves = {"left": [0, 1], "right": [2, 3]}
        two = {"left": "euclidean", "right": "manhattan"}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        mixed = {"form": ["height", "size"], "look": ["color", "width"]}
        return [
            cls(),
            cls(parts=two, views=halves, random_state=0),
            cls(
                parts={"far": "chebyshev", "sum": "manhattan"},
                views=None,
                weights=[1.0, 2.0],
                scale=None,
            ),
            cls(parts=None, views=columns, weights="learned", random_state=0),
            cls(
                parts=None, views=mixed, weights={"look": 1, "form": 3}, scale="max", random_state=0
            ),
        ]

    @property
    def metric(self) -> bool:
        """Whether all parts are metrics, none is left out, and every column is in a view."""
        if not all(part.metric for part in self._distances().values()):
            return False
        if not hasattr(self, "weights_"):
            return isinstance(self.weights, str) or bool(np.all(_numbers(self.weights) > 0))
        if self.columns_ is not None:
            seen = np.unique(np.concatenate([*self.columns_.values()]))
            if len(seen) < self.n_features_in_:
                return False
        return bool((self.weights_ > 0).all() and (self.scales_ > 0).all())

    def check_parameters(self) -> None:
        """Check that weights are at least 0, not all 0, and belong to existing parts."""
        super().check_parameters()
        if isinstance(self.weights, str) or (self.parts is None and isinstance(self.views, str)):
            return  # a choice such as "uniform", or the data set's views are not known yet
        names = self._names()
        if isinstance(self.weights, Mapping):
            if set(self.weights) != set(names):
                raise self.parameter_error(
                    "weights", f"must be for the parts {names}, got {list(self.weights)}"
                )
            for name, weight in self.weights.items():
                problem = Param(float, ge=0).problem(weight)
                if problem:
                    raise self.parameter_error("weights", f"[{name!r}] {problem}")
        weights = _numbers(self.weights)
        if weights.shape != (len(names),):
            raise self.parameter_error(
                "weights",
                f"must be one number for each of {len(names)} parts, got shape {weights.shape}",
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise self.parameter_error(
                "weights", f"must be finite, at least 0 and not all 0, got {weights.tolist()}"
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the parts on their views, then learn their scales, and weights if required."""
        self.check_parameters()
        self.__dict__.pop("weights_", None)
        rng = ilk.check_seed(self, self.random_state)
        views = self._fit_parts(X, y)
        self.scales_ = np.ones(len(self.parts_))
        if self.scale is not None:
            self._learn_scales(views, rng)
        self.weights_ = self._weights(views, y, rng)
        return self

    def _learn_scales(self, views: Viewed, rng: np.random.RandomState) -> None:
        first, second = any_pairs(len(views), self.n_pairs, rng)
        for p, distances in enumerate(self.distances_of_pairs(views, first, second).T):
            known = distances[np.isfinite(distances)]
            if known.size:
                largest = known.max()
                # relative to the largest: the sum of distances could overflow
                share = (known / (largest or 1.0)).mean() if self.scale == "mean" else 1.0
                self.scales_[p] = largest * share

    def _weights(self, views: Viewed, y: Labels | None, rng: np.random.RandomState) -> np.ndarray:
        if isinstance(self.weights, Mapping):
            return _numbers([self.weights[name] for name in self.parts_])
        if not isinstance(self.weights, str):
            return _numbers(self.weights)
        uniform = np.full(len(self.parts_), 1 / len(self.parts_))
        return uniform if self.weights == "uniform" else self._learned(views, y, rng, uniform)

    def _learned(
        self, views: Viewed, y: Labels | None, rng: np.random.RandomState, uniform: np.ndarray
    ) -> np.ndarray:
        _, codes = ilk.check_labels(self, y, views, min_classes=2)
        first, second, differ = labelled_pairs(self, codes, self.n_pairs, rng)
        distances = self.distances_of_pairs(views, first, second)
        # infinite distances have no place in a logistic model
        finite = np.isfinite(distances).all(axis=1)
        distances, differ = distances[finite], differ[finite]
        weights = np.zeros(len(self.parts_))
        if differ.any() and not differ.all():
            weights = separating_weights(distances, differ, self.regularization)
        # weights are for distances over their scales
        weights *= self.scales_
        if weights.any():
            return np.asarray(weights / weights.sum())
        warnings.warn(
            f"{ilk.display_name(self)}: no part tells pairs of equal class from others; "
            f"the weights are uniform",
            stacklevel=3,
        )
        return uniform

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        terms_of_parts = []
        for p, part, share in self.terms():
            with naming(self, list(self.parts_)[p]):
                terms_of_parts.append((share, part.pairwise(X.parts[p], Y.parts[p])))
        return _sum(terms_of_parts)

    def terms(self) -> list[tuple[int, Any, _Share]]:
        """Position, distance, and share of each part that counts, else the first with weight 0."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "weights_")
        counts = np.flatnonzero((self.weights_ > 0) & (self.scales_ > 0)).tolist()
        parts = list(self.parts_.values())
        if not counts:
            return [(0, parts[0], (0.0, 1.0))]
        return [(p, parts[p], (self.weights_[p], self.scales_[p])) for p in counts]

    def between(self, x: object, y: Labels) -> float:
        """Distance between two single objects."""
        if hasattr(self, "columns_") and self.columns_ is None:
            terms = self.terms()
            return float(_sum([(share, np.array(part.between(x, y))) for _, part, share in terms]))
        return super().between(x, y)

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X that has each view prepared by its distance."""
        return _PreparedParts(self, self.check_input(X))


class _PreparedParts(ilk.Prepared):
    """Rows with one prepared view for each part."""

    def __init__(self, distance: Combined, X: Viewed) -> None:
        super().__init__(distance, X)
        self.terms = [(part.prepare(X.parts[p]), p, share) for p, part, share in distance.terms()]

    def to(self, q: object, indices: np.ndarray | None = None) -> np.ndarray:
        """Distances from one query to the rows with the given indices (default: all)."""
        if isinstance(q, Viewed):
            return super().to(q, indices)
        distance: Any = self.distance
        whole = distance.columns_ is None
        views = None if whole else [v for _, v in distance.views_of(ilk.one_row(q), "q")]
        return _sum(
            [
                (share, handle.to(q if views is None else views[p], indices))
                for handle, p, share in self.terms
            ]
        )


_Share = tuple[float, float]
"""Weight and scale of a part."""


def _sum(terms: list[tuple[_Share, np.ndarray]]) -> np.ndarray:
    """Sum of weighted distances over their scales; float32 if all distances are."""
    total = np.zeros(terms[0][1].shape)
    with np.errstate(over="ignore", under="ignore"):
        for (weight, scale), distances in terms:
            if weight > 0:
                term = distances / np.float64(scale)
                term *= weight
                total += term
        single = all(distances.dtype == np.float32 for _, distances in terms)
        return total.astype(np.float32) if single else total


def _numbers(weights: ArrayLike | Mapping[str, Any]) -> np.ndarray:
    return np.asarray([*weights.values()] if isinstance(weights, Mapping) else weights, dtype=float)


def separating_weights(
    distances: np.ndarray, differ: np.ndarray, regularization: float
) -> np.ndarray:
    """Optimal non-negative weights of a logistic model of "these rows differ in class".

    Minimises ``sum_i c_i log(1 + exp(-t_i (u'v_i + b))) + regularization/2 |u|^2`` over u >= 0 and
    b, where v_i are distances divided by their means, t_i is 1 for pairs that differ and else
    -1, and the weights c_i of either kind of pairs sum to 1/2. The problem is convex; solved
    by L-BFGS-B.

    Parameters
    ----------
    distances : ndarray of shape (n_pairs, n_parts)
        Finite.
    differ : ndarray of bool, shape (n_pairs,)
        Has both True and False.
    regularization : float
        Above 0.

    Returns
    -------
    ndarray of shape (n_parts,)
        Weights of the undivided distances; they sum to 1, or are all 0 if no part tells the
        pairs apart.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    largest = distances.max(axis=0)
    means = largest * (distances / np.where(largest > 0, largest, 1.0)).mean(axis=0)
    V = distances / np.where(means > 0, means, 1.0)
    sign = np.where(differ, 1.0, -1.0)
    # both kinds of pairs count the same in all, however many there are of each
    cost = np.where(differ, 0.5 / differ.sum(), 0.5 / (~differ).sum())

    def objective(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        u, b = parameters[:-1], parameters[-1]
        margin = sign * (V @ u + b)
        # the derivative of c log(1 + e^-m) by the value v'u + b
        pull = -cost * sign * expit(-margin)
        value = cost @ np.logaddexp(0, -margin) + regularization / 2 * (u @ u)
        return float(value), np.append(V.T @ pull + regularization * u, pull.sum())

    bounds = [(0, None)] * V.shape[1] + [(None, None)]
    # distances have mean 1 in V, so the border starts where the mean distance is
    start = np.append(np.ones(V.shape[1]) / V.shape[1], -1.0)
    options: Any = {"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-9}
    solution = minimize(
        objective, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options
    )
    least = np.min(means[means > 0], initial=np.inf)  # a reciprocal of a mean may be infinite
    weights = np.where(means > 0, solution.x[:-1] * (least / np.where(means > 0, means, 1.0)), 0.0)
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else weights)
