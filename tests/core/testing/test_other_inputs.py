"""Components that take other data than arrays, learn local metrics, or claim what few claim."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

import ilk
from cases import in_one_test


class Nearby(ilk.LocalMetric):
    """Weighs features by their spread around the query.

    Examples
    --------
    >>> Nearby().fit([[0.0], [4.0]], [0, 1]).kneighbors([[3.0]], 1)[1].tolist()
    [[1]]
    """

    capabilities = ilk.Capabilities(local=True)
    waivers = {"check_invariant": "the weights depend on the unit"}

    def fit(self, X, y):
        self.X_ = ilk.check_vectors(self, X, reset=True)
        ilk.check_labels(self, y, self.X_)
        return self

    def kneighbors(self, Q, k):
        check_is_fitted(self)
        Q = ilk.check_vectors(self, Q, reset=False)
        ilk.check_k(self, k, len(self.X_))
        weights = 1 / (1 + np.abs(Q[:, None] - self.X_).mean(axis=1))
        D = np.sqrt((weights[:, None] * (Q[:, None] - self.X_) ** 2).sum(axis=2))
        rows = np.argsort(D, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(D, rows, axis=1), rows


class Letters(ilk.Distance):
    """Share of the positions in which two words differ; words of d and e only.

    Examples
    --------
    >>> Letters().between("de", "dd")
    0.5
    """

    capabilities = ilk.Capabilities(inputs=("strings",), symmetric=True, metric=True)

    @classmethod
    def example_data(cls, kind, n, rng):
        words = ["".join(rng.choice(["d", "e"], size=60)) for _ in range(n)]
        return words, np.arange(n) % 2

    def check_input(self, X, argument="X"):
        if ilk.n_rows(X) == 0 or any(set(word) - {"d", "e"} for word in X):
            raise ilk.InputError(f"{ilk.display_name(self)}: {argument} must be words of d and e")
        return X

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.array([[np.mean([a != b for a, b in zip(x, y)]) for y in Y] for x in X])  # noqa: B905


class Colors(ilk.Distance):
    """Number of columns of a table in which two rows differ.

    Examples
    --------
    >>> Colors().kind
    'distance'
    """

    capabilities = ilk.Capabilities(inputs=("tables",), symmetric=True)

    def pairwise(self, X, Y=None):
        Y = X if Y is None else Y
        if len(X) == 0 or list(X.columns) != list(Y.columns):
            raise ilk.InputError(f"{ilk.display_name(self)}: X and Y need rows, and equal columns")
        A, B = (table.astype(str).to_numpy() for table in (X, Y))
        return (A[:, None] != B).sum(axis=2).astype(float)


class Sparse(ilk.Distance):
    """Manhattan distance of sparse or dense vectors that may lack values.

    Examples
    --------
    >>> Sparse().between([1, 2], [0, 0])
    3.0
    """

    capabilities = ilk.Capabilities(symmetric=True, sparse=True, nan=True)

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        A, B = (np.nan_to_num(Z.toarray() if sp.issparse(Z) else Z) for Z in (X, Y))
        return cdist(A, B, "cityblock").astype(X.dtype)


class Pairs(ilk.Transformer):
    """Splits each set into its points above 0 and the others, pairs of different sizes.

    Examples
    --------
    >>> Pairs().transform([[[1.0], [-2.0], [3.0]]])
    [(array([[1.], [3.]]), array([[-2.]]))]
    """

    capabilities = ilk.Capabilities(inputs=("sets",), stateless=True)
    waivers = dict.fromkeys(("check_rows_kept", "check_feature_names_out"), "the output is pairs")

    def fit(self, X, y=None):
        self.transform(X)
        return self

    def transform(self, X):
        if not len(X):
            raise ilk.InputError(f"{ilk.display_name(self)}: X has 0 rows")
        sets = [np.asarray(points, dtype=float) for points in X]
        return [(points[points[:, 0] > 0], points[points[:, 0] <= 0]) for points in sets]

    def __sklearn_is_fitted__(self):
        return True


@pytest.mark.parametrize("cls", [Nearby, Letters, Colors, Sparse, Pairs])
def test_sound_component_passes(cls, failures):
    assert failures(cls) == {}


def by_label(self, X, y):
    Nearby.fit(self, X, y)
    self.X_ = self.X_ * (1 + np.arange(4) * (str(y[0]) == "yes"))
    return self


def far_first(self, Q, k):
    near, rows = Nearby.kneighbors(self, Q, k)
    return near[:, ::-1], rows[:, ::-1]


def one_short(self, Q, k):
    ilk.check_k(self, k, len(self.X_))
    near, rows = Nearby.kneighbors(self, Q, min(k, len(self.X_) - 1))
    return tuple(np.hstack([part, part[:, -1:]])[:, :k] for part in (near, rows))


def spread_of_the_queries(self, Q, k):
    return Nearby.kneighbors(self, np.asarray(Q) / np.std(Q), k)


def labels_counted(self, X, Y=None):
    return Colors.pairwise(self, X, Y) + np.asarray(X.index)[:, None] * 0.1


def nothing_looked_at(self, X, Y=None):
    Y = X if Y is None else Y
    return (X.to_numpy()[:, None, :1] != Y.to_numpy()[:, :1]).sum(axis=2).astype(float)


def by_place(self, X, Y=None):
    Y = X if Y is None else Y
    return Colors.pairwise(self, X, Y.set_axis(X.columns, axis=1))


def only_lists(self, X, Y=None):
    D = Letters.pairwise(self, X, Y)
    return D + isinstance(X, np.ndarray)


def sparse_wrong(self, X, Y=None):
    return Sparse.pairwise(self, X, Y) + sp.issparse(X)


def nan_refused(self, X, Y=None):
    ilk.check_finite(self, X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float))
    return Sparse.pairwise(self, X, Y)


def centred_together(self, X):
    middle = np.concatenate(X).mean()
    return Pairs.transform(self, [points - middle for points in X])


def reversed_pairs(self, X, y=None):
    return Pairs.transform(self, X)[::-1]


@in_one_test
@pytest.mark.parametrize(
    ("cls", "change", "check"),
    [
        (Pairs, {"transform": centred_together}, "check_rows_apart"),
        (Pairs, {"fit_transform": reversed_pairs}, "check_fit_transform"),
        (Nearby, {"fit": by_label}, "check_local_ignores_names"),
        (Nearby, {"kneighbors": far_first}, "check_local_neighbors"),
        (Nearby, {"kneighbors": lambda self, Q, k: None}, "check_local_k_range"),
        (Nearby, {"kneighbors": one_short}, "check_local_neighbors"),
        (Nearby, {"kneighbors": spread_of_the_queries}, "check_rows_apart"),
        (Colors, {"pairwise": labels_counted}, "check_row_labels_ignored"),
        (Colors, {"pairwise": nothing_looked_at, "aligns_columns": True}, "check_missing_column"),
        (Colors, {"pairwise": by_place, "aligns_columns": True}, "check_columns_reordered"),
        (Letters, {"pairwise": only_lists}, "check_object_array"),
        (Sparse, {"pairwise": sparse_wrong}, "check_sparse_taken"),
        (Sparse, {"pairwise": nan_refused}, "check_nan_taken"),
    ],
)
def test_broken_component_is_caught(cls, change, check, failures):
    broken = type("Broken", (cls,), {"__doc__": cls.__doc__, **change})
    assert check in failures(broken, check)
