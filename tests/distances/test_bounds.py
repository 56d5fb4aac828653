"""Bounds that docstrings of distances state hold to the last bit, whatever is rounded.

tests/exhaustive searches with many more rows, by the same functions.
"""

import math

import numpy as np
import pytest

import ilk
from ilk.testing.data import sample

P = "the number of features"
TWO_LN2 = 2 * math.log(2)
HISTOGRAMS = [  # parameters, and the largest distance
    ("bray_curtis", {}, 1.0),
    ("canberra", {}, P),
    ("chi2", {}, math.inf),
    ("chi2", {"normalize": True}, 1.0),
    ("emd", {}, math.inf),
    ("emd", {"normalize": True}, math.inf),
    ("emd", {"normalize": True, "period": 3}, math.inf),  # two of four bins are at one place
    ("hellinger", {}, 1.0),
    ("hellinger", {"normalize": False}, math.inf),
    ("histogram_intersection", {}, 1.0),
    ("histogram_intersection", {"normalize": True}, 1.0),
    ("jaccard", {}, 1.0),
    ("jeffrey", {}, TWO_LN2),
    ("jeffrey", {"base": 2}, 2.0),
    ("jeffrey", {"base": 10, "smoothing": 0.5}, TWO_LN2 / math.log(10)),
    ("jeffrey", {"normalize": False}, math.inf),
    ("jensen_shannon", {"base": 2}, 1.0),
    ("jensen_shannon", {}, math.sqrt(math.log(2))),
    ("kullback_leibler", {}, math.inf),
    ("kullback_leibler", {"normalize": False}, math.inf),
    ("kullback_leibler", {"smoothing": 0.1}, math.inf),
    ("symmetric_kl", {}, math.inf),
    ("symmetric_kl", {"normalize": False}, math.inf),
    ("symmetric_kl", {"smoothing": 0.1}, math.inf),
]
VECTORS = [
    ("canberra", {}, P),
    ("chebyshev", {}, math.inf),
    ("correlation", {}, 2.0),
    ("cosine", {}, 2.0),
    ("euclidean", {}, math.inf),
    ("hamming", {}, 1.0),
    ("heterogeneous", {}, P),
    ("mahalanobis", {"shrinkage": 0.5}, math.inf),
    ("manhattan", {}, math.inf),
    ("minkowski", {"p": 0.5}, math.inf),
    ("minkowski", {"p": 1.7}, math.inf),
    ("minkowski", {"p": 3}, math.inf),
]
BY_PRODUCTS = {"kernel"}  # of matrices, which are rounded by the shape of a block
AT_MOST_1 = {"forest", "jaccard", "pair_classifier"}
SLOW = {"combined", "compression", "forest", "ncd", "pair_classifier"}
NOT_0_TO_ITSELF = {"compression", "ncd", "pair_classifier"}


def cases(table, signed):
    return [pytest.param(*row, signed, id=f"{row[0]}-{row[1]}-{signed}") for row in table]


EVERY = pytest.mark.parametrize(
    ("name", "parameters", "most", "signed"), cases(HISTOGRAMS, False) + cases(VECTORS, True)
)


def kinds_of_rows(n, width, rng):
    """Rows that rounding is hard on: disjoint, near equal, sparse, of any size."""
    uniform, near = rng.random((n, width)), rng.random(width) + 0.1
    steps = rng.integers(-4, 5, (n, width))
    disjoint = uniform * (np.arange(width) % 2 == np.arange(n)[:, None] % 2)
    return {
        "uniform": uniform,
        "sparse": uniform * (rng.random((n, width)) < 0.4),
        "disjoint": disjoint,
        "disjoint in tenths": np.round(disjoint * 10) / 10,
        "tenths": rng.integers(0, 11, (n, width)) / 10,
        "counts": rng.integers(0, 5, (n, width)).astype(float),
        "nearly equal": near * (1 + steps * 2.0**-52),
        "nearly equal in single precision": near * (1 + steps * 2.0**-23),
        "multiples": near * rng.integers(1, 100, (n, 1)) * 0.1,
        "of one feature": np.eye(width)[rng.integers(0, width, n)] * rng.random((n, 1)),
        "tiny": uniform * 1e-310,
        "tiny in single precision": uniform * 1e-42,
        "huge": uniform * 1e300 / width,
        "huge in single precision": uniform * 5e36 / width,
        "of all sizes": 10.0 ** rng.integers(-300, 300, (n, width)) * uniform,
        "of all sizes in single precision": 10.0 ** rng.integers(-40, 36, (n, width)) * uniform,
    }


def with_signs(rows, rng):
    """The rows, of which some are opposite to those before."""
    rows = rows * rng.choice([-1, 1], rows.shape)
    rows[1::2] = -rows[: len(rows) - 1 : 2] * rng.integers(1, 3, (len(rows) // 2, 1))
    return rows


def hard_rows(name, n, width, dtype, signed):
    """Yield some rows of each kind that a distance takes."""
    rng = np.random.default_rng(width)
    for kind, rows in kinds_of_rows(n, width, rng).items():
        with np.errstate(over="ignore", under="ignore"):
            X = (with_signs(rows, rng) if signed else rows).astype(dtype)
        if not np.isfinite(X).all() or (name == "mahalanobis" and np.abs(X).max() > 1e30):
            continue
        if name == "correlation":
            X = X[(X[:, :1] != X).any(axis=1)]
        elif name != "heterogeneous":
            X = X[X.any(axis=1)]
        if len(X) > 3:
            yield kind, X


def check_bounds(name, parameters, most, signed, n, width, dtype, *, together=False):
    """Search for distances of rows that are out of bounds, n of each kind or of all together."""
    if width == 1 and name == "correlation":
        return
    most = width if most is P else dtype(most)
    rows = dict(hard_rows(name, n, width, dtype, signed))
    if together:
        rows = {"all kinds": np.concatenate([*rows.values()])}
    d = ilk.distance(name, **parameters).fit(np.random.default_rng(0).random((60, width)))
    for kind, X in rows.items():
        if name == "heterogeneous":  # bounded on the rows that it learned from
            d.fit(X)
        A, B = X[::2], np.concatenate([X[1::2], X[::2]])
        D = d.pairwise(A, B)
        place = f"{name} {parameters}, {kind}, width {width}, {dtype.__name__}"
        assert (D >= 0).all(), f"{place}: {D.min()} is less than 0"
        assert (most >= D).all(), f"{place}: {D.max()} is more than {most}"
        if d.symmetric:
            assert (d.pairwise(B, A).T == D).all(), f"{place}: not symmetric"
        assert not np.diagonal(D[:, -len(A) :]).any(), f"{place}: equal rows are apart"


def check_entry_points(name, parameters, signed, width, dtype):
    """Compare, for rows at bounds, what all methods say."""
    d = ilk.distance(name, **parameters)
    for kind, X in hard_rows(name, 6, width, dtype, signed):
        A, B = X[:2], X[2:]
        D = d.pairwise(A, B)
        for i, query in enumerate(A):
            assert d.between(query, B[0]) == D[i, 0], kind
            np.testing.assert_array_equal(d.prepare(B).to(query), D[i], kind)
        for near, where in (
            d.kneighbors(A, B, len(B)),
            ilk.index("brute").fit(B, distance=d).kneighbors(A, len(B)),
        ):
            np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1), kind)


@EVERY
@pytest.mark.parametrize(("width", "dtype"), [(60, np.float64), (60, np.float32)])
def test_no_distance_is_out_of_bounds(name, parameters, most, signed, width, dtype):
    width = min(width, 4) if name in {"emd", "heterogeneous"} else width
    check_bounds(name, parameters, most, signed, 12, width, dtype, together=True)


@pytest.mark.parametrize(
    ("name", "parameters", "signed"),
    [
        ("bray_curtis", {}, False),
        ("chi2", {"normalize": True}, False),
        ("hellinger", {}, False),
        ("jeffrey", {"base": 2}, False),
        ("jensen_shannon", {"base": 2}, False),
        ("cosine", {}, True),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_entry_points_are_cut_alike(name, parameters, signed, dtype):
    check_entry_points(name, parameters, signed, 60, dtype)


def test_bray_curtis_of_disjoint_samples_is_1():
    d = ilk.distance("bray_curtis")
    assert d.between([0.1, 0, 0], [0, 0.1, 0.4]) == 1
    assert d.kneighbors([[0.1, 0, 0]], [[0, 0.1, 0.4]], 1)[0] == 1


def test_no_pair_of_directions_changes_the_distance_of_another():
    X, Y = np.random.default_rng(0).normal(size=(2, 40, 3))
    alike = [[1.0, 1e-200, 0.0]]
    d = ilk.distance("cosine")
    D = d.pairwise(X, Y)
    np.testing.assert_array_equal(d.pairwise([*X, *alike], [*Y, *alike])[:-1, :-1], D)


def test_a_small_mass_has_digits_beside_a_large_one():
    d = ilk.distance("emd", positions=[0.0, 1.0, 3.0])
    x, y = np.array([1.0, 2.0, 1.0]), np.array([0.0, 3.0, 1.0])
    for size in (1e3, 1e16, 1e40, 1e300):
        assert d.between(x / size, y * size) == pytest.approx(0.25, rel=1e-15)
        assert d.between(y * size, x / size) == d.between(x / size, y * size)


def objects(name, n):
    """Examples of a distance with data of each kind that it takes."""
    cls = ilk.registry("distance").get(name)
    for kind in cls.capabilities.inputs:
        X, y = sample(kind, n)
        for example in cls.examples():
            try:
                yield kind, ilk.fit_component(ilk.seeded(example, 0), X, y), X
            except ilk.IlkError:
                continue


def check_objects(name, n):
    for kind, d, X in objects(name, n):
        try:
            D, E = d.pairwise(X), d.pairwise(X, ilk.take(X, np.arange(n)))
        except ilk.IlkError:  # this example takes another kind
            continue
        assert (D >= 0).all(), kind
        if name in AT_MOST_1:
            assert (D <= 1).all(), kind
        if d.symmetric and name not in BY_PRODUCTS:
            assert (D == D.T).all(), kind
            assert (E == E.T).all(), kind
        if name not in NOT_0_TO_ITSELF:
            assert not np.diagonal(D).any(), kind
            assert not np.diagonal(E).any(), kind


@pytest.mark.parametrize("name", sorted({*ilk.distances()} - SLOW))
def test_every_kind_of_object(name):
    check_objects(name, 12)


@pytest.mark.parametrize("normalize", ["max", "metric"])
@pytest.mark.parametrize("weights", [None, [2, 2, 3], [3, 3, 1]])
def test_normalized_edits_are_at_most_1(normalize, weights):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abc"), size)) for size in rng.integers(0, 9, 24)]
    D = ilk.distance("levenshtein", normalize=normalize, weights=weights).pairwise(texts)
    assert (D >= 0).all()
    assert D.max() == 1


def grams(name, dtype, n):
    """A fitted example of a kernel after another, with rows of kinds that it takes."""
    cls = ilk.registry("kernel").get(name)
    for kind in {"vectors", "histograms"} & {*cls.capabilities.inputs}:
        X, y = sample(kind, n)
        for example in cls.examples():
            try:
                yield kind, ilk.fit_component(ilk.seeded(example, 0), X.astype(dtype), y), X
            except ilk.IlkError:
                continue


@pytest.mark.parametrize("name", ilk.kernels())
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gram_matrices_are_symmetric_and_within_bounds(name, dtype):
    for kind, kernel, X in grams(name, dtype, 16):
        G = kernel.gram(X.astype(dtype))
        assert (G == G.T).all(), kind
        if name in {"exponential_chi2", "mahalanobis_rbf", "rational", "rbf"}:
            assert (G >= 0).all(), kind
            assert (G <= 1).all(), kind
            assert (np.diagonal(G) == 1).all(), kind
