"""A sound component of each kind that works on data, and what runs the kit on a class."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.testing.case import cases
from ilk.testing.report import outcomes

COUNTER = iter(range(10**9))


class City(ilk.Distance):
    """Sum of the absolute differences, times a factor.

    Examples
    --------
    >>> City().between([0, 0], [1, 2])
    3.0
    """

    factor: float = ilk.param(default=1.0, gt=0, doc="Multiplies every distance.")
    capabilities = ilk.Capabilities(symmetric=True, metric=True)

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.abs(X[:, None] - Y).sum(axis=2) * X.dtype.type(self.factor)


class Gauss(ilk.Kernel):
    """exp(-d^2 / (2 s^2)).

    Examples
    --------
    >>> Gauss().diagonal([[1.0]])
    array([1.])
    """

    sigma: float = ilk.param(default=2.0, gt=0, doc="Width.")
    capabilities = ilk.Capabilities(symmetric=True, gram_gradient=True)

    def gram(self, X, Y=None):
        X = ilk.check_vectors(self, X)
        Y = X if Y is None else ilk.check_vectors(self, Y, argument="Y")
        ilk.check_same_features(self, X, Y)
        return np.exp(-cdist(X, Y, "sqeuclidean") / (2 * self.sigma**2)).astype(X.dtype)

    def gram_gradient(self, X):
        G = self.gram(X)
        return G, (G * cdist(X, X, "sqeuclidean") / self.sigma**2)[..., None]


class Scan(ilk.Index):
    """Sorts all distances.

    Examples
    --------
    >>> Scan().exact
    True
    """

    def fit(self, X, y=None, *, distance):
        ilk.refuse_sparse(self, X)
        self.distance_, self.X_, self.n_distance_evaluations_ = distance, X, 0
        distance.check_input(X)
        return self

    def _all(self, Q):
        if not hasattr(self, "X_"):
            raise NotFittedError("scan is not fitted")
        D = self.distance_.pairwise(Q, self.X_)
        self.n_distance_evaluations_ += D.size
        return D

    def kneighbors(self, Q, k):
        D = self._all(Q)
        self.check_k(k, D.shape[1])
        rows = np.argsort(D, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(D, rows, axis=1), rows

    def radius_neighbors(self, Q, r):
        D = self._all(Q)
        rows = [np.argsort(d, kind="stable")[: int((d <= r).sum())] for d in D]
        return [d[i] for d, i in zip(D, rows, strict=True)], rows


class Shift(ilk.Transformer):
    """Takes the mean away.

    Examples
    --------
    >>> Shift().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """

    def fit(self, X, y=None):
        X = ilk.check_vectors(self, X, reset=True)
        self.mean_ = X.mean(axis=0)
        return self

    def transform(self, X):
        check_is_fitted(self)
        return ilk.check_vectors(self, X, reset=False) - self.mean_

    def get_feature_names_out(self, input_features=None):
        return np.array([f"shifted{i}" for i in range(self.n_features_in_)], dtype=object)


class Spread(ilk.MetricLearner):
    """Divides each feature by its standard deviation within the classes.

    Examples
    --------
    >>> Spread().fit([[1.0], [3.0]], [0, 0]).components_
    array([[1.]])
    """

    def fit(self, X, y):
        X = ilk.check_vectors(self, X, reset=True)
        _, codes = ilk.check_labels(self, y, X)
        within = np.mean([X[codes == c].var(axis=0) for c in np.unique(codes)], axis=0)
        self.components_ = np.diag(1 / np.sqrt(within)).astype(X.dtype)
        return self

    def transform(self, X):
        check_is_fitted(self)
        return ilk.check_vectors(self, X, reset=False) @ self.components_.T


class Between(ilk.Relevance):
    """Variance of the class means.

    Examples
    --------
    >>> Between().scores([[0.0, 1.0], [2.0, 1.0]], [0, 1])
    array([1., 0.])
    """

    def scores(self, X, y):
        X = ilk.check_vectors(self, X)
        _, codes = ilk.check_labels(self, y, X)
        return np.var([X[codes == c].mean(axis=0) for c in np.unique(codes)], axis=0)


class Centroid(ilk.Classifier):
    """The class with the nearest weighted mean.

    Examples
    --------
    >>> Centroid().fit([[0.0], [9.0]], ["a", "b"]).predict([[8.0]]).tolist()
    ['b']
    """

    jitter: float = ilk.param(default=0.0, ge=0, doc="Noise added to the means.")
    random_state: ilk.RandomState = ilk.param(default=None, type=ilk.Seed, doc="Of the noise.")
    capabilities = ilk.Capabilities(
        probabilistic=True, sample_weight=True, presort=True, fast_leave_one_out=True
    )

    @classmethod
    def examples(cls):
        return [cls(), cls(jitter=0.01)]

    def fit(self, X, y, sample_weight=None, presorted=None):
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        given = np.ones(len(X)) if sample_weight is None else sample_weight
        weights = ilk.check_weights(self, given, X)
        self.classes_, codes = ilk.check_labels(self, y, X)
        kept = [c for c in np.unique(codes) if weights[codes == c].sum() > 0]
        means = [np.average(X[codes == c], axis=0, weights=weights[codes == c]) for c in kept]
        rng = np.random.default_rng(self.random_state)
        self.means_ = means + self.jitter * rng.normal(size=np.shape(means))
        return self

    def presort(self, X):
        return Handle(X)

    def leave_one_out(self, X, y):
        rows = np.arange(len(X))
        labels = [
            type(self)().fit(X[rows != i], y[rows != i]).predict(X[i : i + 1])[0] for i in rows
        ]
        return ilk.Prediction(truth=y, labels=np.array(labels), classes=np.unique(y))

    def predict_proba(self, X):
        check_is_fitted(self)
        D = cdist(ilk.check_vectors(self, X, reset=False), self.means_)
        P = np.exp(D.min(axis=1, keepdims=True) - D)
        return P / P.sum(axis=1, keepdims=True)

    def predict(self, X):
        winners = self.predict_proba(X.X if isinstance(X, Handle) else X).argmax(axis=1)
        return self.classes_[winners]


class Handle:
    """What is found out about rows once, here nothing; stands for them."""

    def __init__(self, X):
        self.X = X


class Mean(ilk.Regressor):
    """The mean of the targets.

    Examples
    --------
    >>> Mean().fit([[0.0], [1.0]], [1, 3]).predict([[5.0]])
    array([2.])
    """

    def fit(self, X, y):
        X = ilk.check_vectors(self, X, reset=True)
        try:
            y = np.asarray(y, dtype=float)
            ilk.check_same_length(self, X, y)
            ilk.check_finite(self, y, argument="y")
        except (TypeError, ValueError) as error:
            raise ilk.InputError(f"{ilk.display_name(self)}: y: {error}") from None
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        check_is_fitted(self)
        return np.full(len(ilk.check_vectors(self, X, reset=False)), self.mean_)


class Far(ilk.Detector):
    """Rows farther from the mean than any training row are outliers.

    Examples
    --------
    >>> Far().fit([[0.0], [2.0]]).predict([[1.0], [9.0]]).tolist()
    [1, -1]
    """

    def fit(self, X, y=None):
        X = ilk.check_vectors(self, X, reset=True)
        self.mean_ = X.mean(axis=0, keepdims=True)
        self.reach_ = cdist(X, self.mean_).max()
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        return self.reach_ - cdist(ilk.check_vectors(self, X, reset=False), self.mean_)[:, 0]

    def predict(self, X):
        return np.where(self.decision_function(X) < 0, -1, 1)


class Half(ilk.Clusterer):
    """Two clusters by the sign of the first feature's deviation from its median.

    Examples
    --------
    >>> Half().fit_predict([[0.0], [1.0], [5.0]]).tolist()
    [0, 0, 1]
    """

    def fit(self, X, y=None):
        X = ilk.check_vectors(self, X, reset=True)
        self.labels_ = (X[:, 0] > np.median(X[:, 0])).astype(int)
        return self


class Thin(ilk.Editor):
    """Keeps every second case.

    Examples
    --------
    >>> Thin().fit_resample([[1.0], [2.0], [3.0]], [0, 1, 1])[1].tolist()
    [0, 1]
    """

    def fit_resample(self, X, y):
        ilk.check_labels(self, y, ilk.check_vectors(self, X))
        self.n_cases_ = ilk.n_rows(X)
        self.sample_indices_ = np.arange(0, self.n_cases_, 2)
        return ilk.take(X, self.sample_indices_), np.asarray(y)[self.sample_indices_]


SOUND = [City, Gauss, Scan, Shift, Spread, Between, Centroid, Mean, Far, Half, Thin]


@pytest.fixture(scope="session")
def sound():
    """Return the sound class of each kind."""
    return {cls.kind: cls for cls in SOUND}


@pytest.fixture
def failures():
    """Return what maps a class to the messages of its failing checks, each by its name."""
    registered = []

    def run(cls, only=None):
        registry, name = ilk.registry(cls.kind), f"tried{next(COUNTER)}"
        registry.register(name, cls)
        registered.append((registry, name))
        due = [
            c for c in cases("(session)", cls.kind, slow=True) if not c.check.name.startswith("sk")
        ]
        due = [c for c in due if c.subject.cls is cls and only in (None, c.check.name)]
        assert due, f"no {only} is due"
        results = list(outcomes(due))
        idle = [r for r in results if r.status == "skipped"]
        assert all(r.message == "its data have no columns" for r in idle)
        return {r.check: r.message for r in results if r.status == "failed"}

    yield run
    for registry, name in registered:
        registry.unregister(name)
