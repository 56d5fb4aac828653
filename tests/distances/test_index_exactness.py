"""Every exact index against brute force, on every registered distance that is a metric."""

import inspect
import sys
import threading
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ilk
from cases import in_one_test
from ilk.testing.data import sample

DISTANCES = [
    found.name
    for found in ilk.registry("distance").find()
    if found.distribution in {"ilk-core", "ilk-distances", "ilk-ensembles"}
]
INDEXES = {
    "kd_tree": [{}, {"leaf_size": 1}, {"leaf_size": 3}],
    "ball_tree": [{}, {"leaf_size": 1}],
    "cover_tree": [{}, {"base": 2.0}],
    "fish_and_shrink": [{}, {"n_pivots": 1}, {"n_pivots": 5}],
}
NORMS = {"minkowski", "manhattan", "euclidean", "chebyshev"}
ROUNDED = {"kernel"}  # matrix products, which are rounded by the shape of the block they are in
VECTOR_KINDS = {"vectors", "histograms"}


def data_for(cls, kind, n, seed):
    own = getattr(cls, "example_data", None)
    return own(kind, n, np.random.default_rng(seed)) if own else sample(kind, n, seed=seed)


@cache
def metrics(name):
    """Return the examples of a distance that are metrics, fitted, with rows and queries."""
    found = []
    cls = ilk.registry("distance").get(name)
    for example in cls.examples():
        for kind in cls.capabilities.inputs:
            (X, y), (Q, _) = data_for(cls, kind, 24, 0), data_for(cls, kind, 4, 1)
            try:
                distance = example.fit(X, y)
                distance.pairwise(Q, X)
            except Exception:
                if kind == cls.capabilities.inputs[0] and example is cls.examples()[0]:
                    raise
                continue  # another example of the class takes this kind of input
            if distance.metric:
                found.append((kind, distance, X, Q))
    return found


def applicable(name, kind):
    """Names of the indexes that must take a distance."""
    others = {"cover_tree", "fish_and_shrink"}
    if kind in VECTOR_KINDS:
        others |= {"ball_tree"} | ({"kd_tree"} if name in NORMS else set())
    return sorted(others)


def repeated(X, times=2):
    return ilk.take(X, np.tile(np.arange(ilk.n_rows(X)), times))


def assert_as_brute(index, brute, Q):
    n = ilk.n_rows(brute.X_)
    for k in {1, n // 3 + 1, n}:
        near, where = index.kneighbors(Q, k)
        expected = brute.kneighbors(Q, k)
        np.testing.assert_array_equal(where, expected[1])
        np.testing.assert_array_equal(near, expected[0])
        assert near.dtype == expected[0].dtype
    distances = brute.kneighbors(Q, n)[0]
    for r in (0.0, float(distances[0, n // 5])):
        for got, expected in zip(
            index.radius_neighbors(Q, r), brute.radius_neighbors(Q, r), strict=True
        ):
            assert len(got) == len(expected)
            for own, right in zip(got, expected, strict=True):
                np.testing.assert_array_equal(own, right)


def assert_near_brute(index, brute, Q):
    """As good as brute force up to rounding, which decides ties."""
    for k in (1, 5, ilk.n_rows(brute.X_)):
        near, where = index.kneighbors(Q, k)
        D = brute.distance_.pairwise(Q, brute.X_)
        np.testing.assert_allclose(near, brute.kneighbors(Q, k)[0], rtol=1e-9)
        np.testing.assert_allclose(near, np.take_along_axis(D, where, axis=1), rtol=1e-9)
        assert min(len(set(row)) for row in where.tolist()) == k


@pytest.mark.parametrize("name", DISTANCES)
def test_on_every_metric(name):
    """Indices, distances to the last bit, ties; with every row there once and twice."""
    for kind, distance, X, Q in metrics(name):
        for data in (X, repeated(X)):
            brute = ilk.index("brute").fit(data, distance=distance)
            compare = assert_near_brute if name in ROUNDED else assert_as_brute
            for index in applicable(name, kind):
                for parameters in INDEXES[index][:2]:
                    fitted = ilk.index(index, **parameters).fit(data, distance=distance)
                    compare(fitted, brute, Q)
                    assert fitted.n_distance_evaluations_ > 0


def test_metrics_of_all_kinds_were_tried():
    tried = {(name, kind) for name in DISTANCES for kind, *_ in metrics(name)}
    expected = {
        ("euclidean", "vectors"),
        ("minkowski", "vectors"),
        ("mahalanobis", "vectors"),
        ("emd", "signatures"),
        ("levenshtein", "strings"),
        ("hausdorff", "sets"),
        ("precomputed", "indices"),
        ("hamming", "vectors"),
        ("hellinger", "histograms"),
    }
    assert expected <= tried, expected - tried


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("name", DISTANCES)
def test_what_is_no_metric_is_refused(name, index):
    """By name, before anything is computed."""
    cls = ilk.registry("distance").get(name)
    for example in cls.examples():
        X, y = data_for(cls, cls.capabilities.inputs[0], 30, 0)
        try:
            distance = example.fit(X, y)
        except Exception:  # noqa: BLE001  # takes another kind of input; the first takes this one
            continue
        if distance.metric:
            continue
        with pytest.raises(ilk.InputError, match=f"{index}: distance must be"):
            ilk.index(index).fit(X, distance=distance)


def grids(most):
    values = st.integers(-3, 3).map(float)
    return hnp.arrays(np.float64, st.tuples(st.integers(1, most), st.just(2)), elements=values)


@pytest.mark.parametrize("index", INDEXES)
@given(X=grids(60), Q=grids(6), p=st.sampled_from([1, 1.5, 2, 3, np.inf]), single=st.booleans())
def test_ties_and_duplicates(index, X, Q, p, single):
    """A grid of few points has little else."""
    dtype = np.float32 if single else np.float64
    X, Q = X.astype(dtype), Q.astype(dtype)
    distance = ilk.distance("minkowski", p=p)
    brute = ilk.index("brute").fit(X, distance=distance)
    D = distance.pairwise(Q, X)
    for parameters in INDEXES[index]:
        fitted = ilk.index(index, **parameters).fit(X, distance=distance)
        for k in {1, (len(X) + 3) // 4, len(X)}:
            near, where = fitted.kneighbors(Q, k)
            order = np.argsort(D, axis=1, kind="stable")[:, :k]
            np.testing.assert_array_equal(where, order)
            np.testing.assert_array_equal(near, np.take_along_axis(D, order, axis=1))
        for r in (0, 2):
            got, expected = fitted.radius_neighbors(Q, r), brute.radius_neighbors(Q, r)
            for own, right in zip(got[1], expected[1], strict=True):
                np.testing.assert_array_equal(own, right)


def cases():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(8, 5)) * 9
    near = 1e8 + rng.normal(size=(300, 3))
    return {
        "plain": (rng.normal(size=(400, 3)), rng.normal(size=(8, 3))),
        "clusters": (
            centres[rng.integers(0, 8, 500)] + rng.normal(size=(500, 5)) * 0.1,
            centres[rng.integers(0, 8, 8)] + rng.normal(size=(8, 5)) * 0.1,
        ),
        "one feature": (rng.normal(size=(300, 1)), rng.normal(size=(8, 1))),
        "200 features": (rng.normal(size=(150, 200)), rng.normal(size=(10, 200))),
        "far from the origin": (near, near[:8] + 1e-6),
        "almost equal": (1 + 1e-15 * rng.integers(0, 9, (300, 2)), np.ones((5, 2))),
        "huge": (rng.normal(size=(200, 2)) * 1e200, rng.normal(size=(9, 2)) * 1e200),
        "beyond numbers": (
            rng.uniform(-1, 1, (200, 2)) * 1.7e308,
            rng.uniform(-1, 1, (9, 2)) * 1e308,
        ),
        "tiny": (rng.normal(size=(200, 2)) * 1e-200, rng.normal(size=(9, 2)) * 1e-200),
        "subnormal": (rng.integers(0, 9, (200, 2)) * 5e-324, rng.integers(0, 9, (9, 2)) * 5e-324),
        "one row": (np.ones((1, 4)), rng.normal(size=(5, 4))),
        "own rows": (near, near[::40]),
        "one line": (np.outer(np.arange(300.0), [1, 2]), np.outer(np.arange(0, 300, 40.0), [1, 2])),
        "steps that double": (
            2.0 ** np.arange(-200, 200)[:, None],
            2.0 ** np.arange(-9, 9)[:, None],
        ),
    }


@in_one_test
@pytest.mark.parametrize("case", cases())
@pytest.mark.parametrize(
    ("index", "p"),
    [*(("kd_tree", p) for p in (1, 2.5, np.inf)), *((name, 2) for name in INDEXES)],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_on_data_of_every_sort(index, case, p):
    X, Q = cases()[case]
    distance = ilk.distance("minkowski", p=p)
    brute = ilk.index("brute").fit(X, distance=distance)
    for parameters in INDEXES[index][:2]:
        assert_as_brute(ilk.index(index, **parameters).fit(X, distance=distance), brute, Q)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("types", [(4, 4), (4, 8), (8, 4)])
@pytest.mark.parametrize("scale", [1, 1e-39, 3e36])
def test_single_precision(index, types, scale):
    """Where rounding makes ties, and distances infinite, in one type and not in the other."""
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(300, 6)) * scale * 20).astype(f"f{types[0]}")
    Q = (rng.normal(size=(6, 6)) * scale * 20).astype(f"f{types[1]}")
    for name in ("euclidean", "manhattan", "chebyshev"):
        distance = ilk.distance(name)
        brute = ilk.index("brute").fit(X, distance=distance)
        assert_as_brute(ilk.index(index).fit(X, distance=distance), brute, Q)


@pytest.mark.parametrize("index", INDEXES)
def test_single_precision_of_the_smallest_numbers(index):
    """Between which there is nothing: no radius is a part of another."""
    rng = np.random.default_rng(9)
    least = np.finfo(np.float32).smallest_subnormal
    X, Q = (rng.integers(0, 5, (n, 3)).astype(np.float32) * least for n in (120, 9))
    for name in ("euclidean", "manhattan", "chebyshev"):
        distance = ilk.distance(name)
        brute = ilk.index("brute").fit(X, distance=distance)
        for parameters in INDEXES[index]:
            assert_as_brute(ilk.index(index, **parameters).fit(X, distance=distance), brute, Q)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("name", sorted(NORMS - {"minkowski"}))
@pytest.mark.parametrize("spread", [1, 1e100])
def test_weights(index, name, spread):
    rng = np.random.default_rng(2)
    weights = rng.uniform(0.1, 3, 4) * float(spread) ** np.array([0, 1, -1, 0])
    X, Q = rng.normal(size=(300, 4)), rng.normal(size=(6, 4))
    distance = ilk.distance(name, weights=weights)
    brute = ilk.index("brute").fit(X, distance=distance)
    assert_as_brute(ilk.index(index).fit(X, distance=distance), brute, Q)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_two_thousand_equal_rows(index):
    """In O(n), without recursion: a comparison or two for each row."""
    X = np.ones((2000, 3))
    fitted = ilk.index(index).fit(X, distance=ilk.distance("euclidean"))
    assert getattr(fitted, "n_build_evaluations_", 0) <= 2 * 2000
    near, where = fitted.kneighbors(X[:2], 5)
    assert not near.any()
    assert where.tolist() == [[0, 1, 2, 3, 4]] * 2
    assert fitted.n_distance_evaluations_ <= 2 * 2 * 2000
    assert fitted.radius_neighbors(X[:1], 0)[1][0].tolist() == list(range(2000))


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_half_of_the_rows_equal(index):
    rng = np.random.default_rng(3)
    X = np.concatenate([np.zeros((500, 3)), rng.normal(size=(500, 3))])[rng.permutation(1000)]
    distance = ilk.distance("euclidean")
    brute = ilk.index("brute").fit(X, distance=distance)
    assert_as_brute(ilk.index(index).fit(X, distance=distance), brute, X[:5])


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("k", [0, 4, -1, 1.5, True, None])
def test_k_out_of_range(index, k):
    fitted = ilk.index(index).fit([[0.0], [1.0], [2.0]], distance=ilk.distance("euclidean"))
    with pytest.raises(ilk.InputError, match=rf"{index}: k must be an integer between 1 .*\(3\)"):
        fitted.kneighbors([[0.0]], k)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("r", [-1, float("nan"), "1", None, True])
def test_bad_radius(index, r):
    fitted = ilk.index(index).fit([[0.0]], distance=ilk.distance("euclidean"))
    with pytest.raises(ilk.InputError, match=f"{index}: r must be a number of at least 0"):
        fitted.radius_neighbors([[0.0]], r)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_bad_rows_are_named(index):
    distance = ilk.distance("euclidean")
    with pytest.raises(ilk.InputError, match="X has NaN at row 1, column 0"):
        ilk.index(index).fit([[0.0], [np.nan]], distance=distance)
    fitted = ilk.index(index).fit([[0.0], [1.0]], distance=distance)
    with pytest.raises(ilk.InputError, match="Q has infinity .* at row 0, column 0"):
        fitted.kneighbors([[np.inf]], 1)
    with pytest.raises(ilk.InputError, match="features"):
        fitted.kneighbors([[0.0, 1.0]], 1)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_threads_change_nothing(index):
    rng = np.random.default_rng(4)
    X, Q = rng.normal(size=(400, 4)), rng.normal(size=(600, 4))
    answers, counts = [], []
    for threads in (1, 3):
        fitted = ilk.index(index).fit(X, distance=ilk.distance("euclidean"))
        with ilk.threads(threads):
            answers.append(fitted.kneighbors(Q, 4))
        counts.append(fitted.n_distance_evaluations_)
    np.testing.assert_array_equal(answers[0], answers[1])
    assert counts[0] == counts[1]


@pytest.mark.parametrize("index", INDEXES)
def test_a_query_is_answered_as_if_alone(index):
    """With the same comparisons, and when it may take only so many."""
    rng = np.random.default_rng(11)
    X, Q = rng.normal(size=(700, 3)), rng.normal(size=(90, 3))
    budgets = [{}, {"budget": 1}, {"budget": 25}] if index == "fish_and_shrink" else [{}]
    for parameters in budgets:
        fitted = ilk.index(index, **parameters).fit(X, distance=ilk.distance("euclidean"))
        near, where = fitted.kneighbors(Q, 5)
        together = fitted.n_distance_evaluations_
        alone = [fitted.kneighbors(q[None], 5) for q in Q]
        np.testing.assert_array_equal(near, np.concatenate([d for d, _ in alone]))
        np.testing.assert_array_equal(where, np.concatenate([i for _, i in alone]))
        assert fitted.n_distance_evaluations_ == 2 * together


@pytest.mark.parametrize("index", INDEXES)
def test_threads_of_the_user_share_an_index(index):
    """Answers are right, and no comparison is forgotten."""
    rng = np.random.default_rng(12)
    X, Q = rng.normal(size=(400, 3)), rng.normal(size=(16, 3))
    fitted = ilk.index(index).fit(X, distance=ilk.distance("euclidean"))
    expected = fitted.kneighbors(Q, 3)
    once = fitted.n_distance_evaluations_
    found = []

    def work():
        found.extend(fitted.kneighbors(Q, 3) for _ in range(10))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(found) == 60
    for got in found:
        np.testing.assert_array_equal(got, expected)
    assert fitted.n_distance_evaluations_ == 61 * once


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("distance", [None, "euclidean", np.abs])
def test_what_is_no_distance_is_refused(index, distance):
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=f"{index}: distance must be"):
        ilk.index(index).fit(np.ones((3, 1)), distance=distance)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_a_distance_fitted_on_other_features(index):
    X = np.random.default_rng(13).normal(size=(20, 4))
    with pytest.raises(ilk.InputError, match=r"2 features|distance must be"):
        ilk.index(index).fit(X[:, :2], distance=ilk.distance("mahalanobis").fit(X))


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("order", ["line", "steps", "copies"])
def test_rows_in_a_row(index, order):
    """Deep trees are no recursion, and building does not go quadratic."""
    line = np.arange(20_000.0)
    X = {"line": line, "steps": 10.0 ** (line / 40 - 250), "copies": line % 10}[order][:, None]
    distance = ilk.distance("euclidean")
    fitted = ilk.index(index).fit(X, distance=distance)
    assert getattr(fitted, "n_build_evaluations_", 0) <= 40 * len(X)
    brute = ilk.index("brute").fit(X, distance=distance)
    np.testing.assert_array_equal(fitted.kneighbors(X[::4000], 3), brute.kneighbors(X[::4000], 3))


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_in_a_pipeline(index):
    X, y = ilk.dataset("iris").load().Xy
    steps = ({"use": "knn", "k": 5, "index": name} for name in ("brute", index))
    plain, fast = (
        ilk.Pipeline([{"transformer": "standardize"}, {"classifier": step}]).fit(X, y)
        for step in steps
    )
    np.testing.assert_array_equal(fast.predict_proba(X), plain.predict_proba(X))


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("form", ["read-only", "columns", "every second", "frame", "list"])
def test_forms_of_data(index, form):
    rng = np.random.default_rng(5)
    X, Q = rng.normal(size=(120, 3)), rng.normal(size=(7, 3))
    given = {
        "columns": np.asfortranarray(X),
        "every second": np.repeat(X, 2, axis=0)[::2],
        "frame": pd.DataFrame(X, columns=list("abc"), index=np.arange(120)[::-1]),
        "list": X.tolist(),
    }.get(form, X.copy())
    if form == "read-only":
        given.flags.writeable = Q.flags.writeable = False
    distance = ilk.distance("euclidean")
    expected = ilk.index("brute").fit(X, distance=distance).kneighbors(Q, 5)
    got = ilk.index(index).fit(given, distance=distance).kneighbors(Q, 5)
    np.testing.assert_array_equal(got, expected)


@in_one_test
@pytest.mark.parametrize("index", INDEXES)
def test_training_rows_are_not_copied(index):
    X = np.random.default_rng(6).normal(size=(50, 2))
    fitted = ilk.index(index).fit(X, distance=ilk.distance("euclidean"))
    assert np.shares_memory(fitted.X_, X)


@pytest.mark.parametrize("index", INDEXES)
def test_memory_mapped_rows_stay_in_the_file(index, tmp_path):
    """The rows take 32 MiB; what is held of them at once is a small part."""
    import tracemalloc

    n, p = 2**13, 512
    path = tmp_path / "rows"
    rng = np.random.default_rng(7)
    X = np.memmap(path, dtype=float, mode="w+", shape=(n, p))
    centres = rng.normal(size=(16, p)) * 50
    for start in range(0, n, 2048):
        X[start : start + 2048] = centres[rng.integers(0, 16, 2048)] + rng.normal(size=(2048, p))
    Q = np.array(X[:4]) + 0.01
    X.flush()
    X = np.memmap(path, dtype=float, mode="r", shape=(n, p))
    distance = ilk.distance("euclidean")
    ilk.index(index).fit(np.ones((3, 1)), distance=distance).kneighbors([[1.0]], 1)
    parameters = {"n_pivots": 4} if index == "fish_and_shrink" else {}
    tracemalloc.start()
    try:
        fitted = ilk.index(index, **parameters).fit(X, distance=distance)
        near, where = fitted.kneighbors(Q, 3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n * p * 8 * 0.6
    expected = ilk.index("brute").fit(X, distance=distance).kneighbors(Q, 3)
    np.testing.assert_array_equal(where, expected[1])
    np.testing.assert_array_equal(near, expected[0])


@pytest.mark.parametrize("index", INDEXES)
def test_kept_and_loaded(index, tmp_path):
    X = np.random.default_rng(8).normal(size=(60, 3))
    fitted = ilk.index(index).fit(X, distance=ilk.distance("euclidean"))
    ilk.save(fitted, tmp_path / "index")
    again = ilk.load(tmp_path / "index")
    np.testing.assert_array_equal(again.kneighbors(X, 4), fitted.kneighbors(X, 4))


class Odd(ilk.Distance):
    """Says that it is a metric, and gives NaN."""

    capabilities = ilk.Capabilities(symmetric=True, metric=True)

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.where((X == 7) & (Y.T == 5), np.nan, np.abs(X - Y.T))


@pytest.mark.parametrize("index", ["ball_tree", "cover_tree", "fish_and_shrink"])
def test_nan_is_an_error(index):
    fitted = ilk.index(index).fit(np.arange(6.0)[:, None], distance=Odd())
    with pytest.raises(ilk.InputError, match="row 5 is NaN"):
        fitted.kneighbors([[7.0]], 1)


def test_signatures_of_the_classes():
    """All four are used alike."""
    for index in INDEXES:
        cls = ilk.registry("index").get(index)
        assert list(inspect.signature(cls.fit).parameters) == ["self", "X", "y", "distance"]
