"""knn on rows that are never loaded whole: memory-mapped and Dask arrays."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import ilk
from cases import in_one_test

da = pytest.importorskip("dask.array", reason="Dask is not installed")

# What other tests left behind, a cluster's closing may collect.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def map_file(path, values, mode="r"):
    file = np.memmap(path, dtype=values.dtype, mode="w+", shape=values.shape)
    file[...] = values
    file.flush()
    return np.memmap(path, dtype=values.dtype, mode=mode, shape=values.shape)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("ilk.blockwise.BLOCK_BYTES", 8 * 4 * 25)


@pytest.fixture
def given_as(tmp_path, small_blocks):
    """A function that gives an array in a form that is not in memory."""

    def make(form, values):
        if form == "memmap":
            return map_file(tmp_path / f"{len(list(tmp_path.iterdir()))}", values)
        chunks = {"dask": (30, -1), "dask_columns": (70, 3), "dask_single": (-1, -1)}[form]
        return da.from_array(values, chunks=chunks)

    return make


@pytest.fixture
def data(rng):
    X = rng.integers(0, 4, size=(200, 4)).astype(float)  # with many ties
    return X, np.array(["a", "b", "c"])[rng.integers(0, 3, 200)], X[::7] + 0.5


@pytest.fixture
def rng():
    return np.random.default_rng(0)


FORMS = ["memmap", "dask", "dask_columns", "dask_single"]
DISTANCES = [
    "euclidean",
    "manhattan",
    "chebyshev",
    {"use": "minkowski", "p": 3.5},
    {"use": "euclidean", "weights": [1.0, 2.0, 0.5, 0.0]},
    "canberra",
    "bray_curtis",
    "cosine",
    "chi2",
    "hellinger",
]


def same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("distance", DISTANCES, ids=str)
def test_answers_are_those_of_the_array_in_memory(given_as, data, form, distance):
    X, y, Q = data
    X, Q = X + 0.25, Q + 0.25  # some distances take no zeros
    expected = ilk.classifier("knn", k=7, distance=distance).fit(X, y)
    found = ilk.classifier("knn", k=7, distance=distance).fit(given_as(form, X), y)
    for queries in (Q, given_as(form, Q)):
        same(found.kneighbors(queries), expected.kneighbors(Q))
        same(found.kneighbors(queries, 150), expected.kneighbors(Q, 150))
        for method in ("predict", "predict_proba"):
            answer = getattr(found, method)(queries)
            assert type(answer) is np.ndarray
            np.testing.assert_array_equal(answer, getattr(expected, method)(Q))
        assert found.score(queries, expected.predict(Q)) == 1
    r = float(np.median(expected.kneighbors(Q)[0]))
    for queries in (Q, given_as(form, Q)):
        for one, other in zip(
            found.index_.radius_neighbors(queries, r),
            expected.index_.radius_neighbors(Q, r),
            strict=True,
        ):
            same(one, other)


@in_one_test
@pytest.mark.parametrize("form", ["memmap", "dask"])
@pytest.mark.parametrize("dtype", ["f4", "i2", "u1", "?"])
def test_types_are_those_of_the_array_in_memory(given_as, data, form, dtype):
    X, y, Q = (each.astype(dtype) if each.dtype.kind == "f" else each for each in data)
    expected = ilk.classifier("knn").fit(X, y)
    found = ilk.classifier("knn").fit(given_as(form, X), y)
    same(found.kneighbors(Q), expected.kneighbors(Q))
    same(found.kneighbors(given_as(form, Q)), expected.kneighbors(Q))
    assert found.kneighbors(Q)[0].dtype == (np.float32 if dtype == "f4" else np.float64)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.data())
def test_ties_go_to_the_lowest_number_however_rows_are_cut(values, draw):
    X = np.array(values, dtype=float)[:, None]
    cuts = draw.draw(st.lists(st.integers(0, len(X)), max_size=5))
    ends = sorted({*cuts, len(X)})
    chunks = tuple(np.diff([0, *ends]).tolist())
    k = draw.draw(st.integers(1, len(X)))
    index = ilk.index("brute").fit(
        da.from_array(X, (chunks, 1)), distance=ilk.distance("manhattan")
    )
    D = np.abs(X.T - np.arange(6.0)[:, None])
    where = index.kneighbors(np.arange(6.0)[:, None], k)[1]
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable")[:, :k])
    assert index.n_distance_evaluations_ == 6 * len(X)


def test_a_frozen_distance_and_a_given_map_do(given_as, data):
    X, y, Q = data
    learned = ilk.frozen(ilk.distance("mahalanobis").fit(X))
    given = ilk.distance("mahalanobis", covariance=np.cov(X.T))
    for distance in (learned, given):
        expected = ilk.classifier("knn", distance=distance).fit(X, y)
        found = ilk.classifier("knn", distance=distance).fit(given_as("memmap", X), y)
        np.testing.assert_allclose(found.kneighbors(Q)[0], expected.kneighbors(Q)[0], rtol=1e-9)


@pytest.mark.parametrize("form", ["memmap", "dask"])
def test_labels_may_be_a_dask_array(given_as, data, form):
    X, y, Q = data
    expected = ilk.classifier("knn").fit(X, y)
    found = ilk.classifier("knn").fit(given_as(form, X), da.from_array(y, chunks=31))
    np.testing.assert_array_equal(found.predict(Q), expected.predict(Q))
    assert found.classes_.tolist() == ["a", "b", "c"]
    assert found.score(Q, da.from_array(expected.predict(Q), chunks=5)) == 1


@pytest.mark.parametrize("form", ["memmap", "dask"])
def test_the_rest_of_knn_does_too(given_as, data, form):
    X, y, Q = data
    plain, blocks = ilk.classifier("knn", vote="gaussian"), given_as(form, X)
    expected, found = clone(plain).fit(X, y), clone(plain).fit(blocks, y)
    assert str(found.explain(Q[0])) == str(expected.explain(Q[0]))
    np.testing.assert_array_equal(found.class_outliers(2), expected.class_outliers(2))
    left_out = plain.leave_one_out(blocks, y)
    np.testing.assert_array_equal(left_out.labels, plain.leave_one_out(X, y).labels)
    numbers = X @ np.arange(4.0)
    regressor = ilk.regressor("knn", k=3)
    np.testing.assert_array_equal(
        clone(regressor).fit(blocks, da.from_array(numbers, chunks=9)).predict(given_as(form, Q)),
        clone(regressor).fit(X, numbers).predict(Q),
    )
    pipeline = ilk.Pipeline([{"classifier": plain}])
    np.testing.assert_array_equal(pipeline.fit(blocks, y).predict(Q), expected.predict(Q))


@pytest.mark.parametrize("form", ["memmap", "dask"])
def test_it_is_copied_pickled_and_cloned(given_as, data, form):
    X, y, Q = data
    knn = ilk.classifier("knn", k=3).fit(given_as(form, X), y)
    assert knn.get_params() == ilk.classifier("knn", k=3).get_params()
    assert not hasattr(clone(knn), "classes_")
    for twin in (pickle.loads(pickle.dumps(knn)), copy.deepcopy(knn), copy.copy(knn)):
        same(twin.kneighbors(Q), knn.kneighbors(Q))
        np.testing.assert_array_equal(twin.predict(Q), knn.predict(Q))


def test_saved_are_rows_of_a_file_but_no_dask_array(given_as, data, tmp_path):
    X, y, Q = data
    knn = ilk.classifier("knn").fit(given_as("memmap", X), y)
    loaded = ilk.load(ilk.save(knn, tmp_path / "knn.ilk"))
    same(loaded.kneighbors(Q), knn.kneighbors(Q))
    knn = ilk.classifier("knn").fit(given_as("dask", X), y)
    with pytest.raises(ilk.PersistError, match="knn cannot be saved"):
        ilk.save(knn, tmp_path / "dask.ilk")


@pytest.mark.parametrize("form", ["memmap", "dask"])
def test_numbers_that_are_not_finite_are_named_by_their_row(given_as, data, form):
    X, y, Q = data
    bad, worse = X.copy(), Q.copy()
    bad[171, 2], worse[28, 3] = np.nan, np.inf
    with pytest.raises(ilk.InputError, match="knn: X has NaN at row 171, column 2"):
        ilk.classifier("knn").fit(given_as(form, bad), y)
    with pytest.raises(ilk.InputError, match="brute: X has NaN at row 171, column 2"):
        ilk.index("brute").fit(given_as(form, bad), distance=ilk.distance("euclidean"))
    for training in (X, given_as(form, X)):
        knn = ilk.classifier("knn").fit(training, y)
        with pytest.raises(ilk.InputError, match=r"knn: X has infinity \(inf\) at row 28, column"):
            knn.predict(given_as(form, worse))
        with pytest.raises(ilk.InputError, match=r"brute: Q has infinity \(inf\) at row 28, col"):
            knn.index_.kneighbors(given_as(form, worse), 1)


@pytest.mark.parametrize("form", ["memmap", "dask"])
def test_sizes_that_do_not_fit_are_said(given_as, data, form):
    X, y, Q = data
    blocks = given_as(form, X)
    with pytest.raises(ilk.InputError, match="y has 199 values for the 200 rows"):
        ilk.classifier("knn").fit(blocks, y[1:])
    with pytest.raises(ilk.InputError, match="k must be at most 200"):
        ilk.classifier("knn", k=201).fit(blocks, y)
    knn = ilk.classifier("knn").fit(blocks, y)
    assert knn.n_features_in_ == 4
    for queries in (Q[:, :3], given_as(form, np.ascontiguousarray(Q[:, :3]))):
        with pytest.raises(ilk.InputError, match="X has 3 features, but .*4 features"):
            knn.predict(queries)
    with pytest.raises(ilk.InputError, match="k must be an integer between 1 and"):
        knn.kneighbors(Q, 201)


UNFIT = {
    "index must be 'brute', got 'kd_tree'": {"index": "kd_tree"},
    "distance must be one that learns nothing": {"distance": "mahalanobis"},
    "distance must take vectors": {"distance": "levenshtein"},
    "metric_learner must be None": {"metric_learner": "rca"},
}


@in_one_test
@pytest.mark.parametrize(("message", "parameters"), UNFIT.items(), ids=UNFIT)
def test_what_needs_all_rows_refuses_a_dask_array(given_as, data, message, parameters):
    X, y, _ = data
    with pytest.raises(ilk.InputTypeError, match=f"knn: to read X block by block, {message}"):
        ilk.classifier("knn", **parameters).fit(given_as("dask", X), y)


def test_what_needs_all_rows_takes_a_file_as_the_array_it_is(given_as, data):
    X, y, Q = data
    for parameters in ({"index": "kd_tree"}, {"metric_learner": "rca"}):
        expected = ilk.classifier("knn", **parameters).fit(X, y)
        found = ilk.classifier("knn", **parameters).fit(given_as("memmap", X), y)
        for queries in (Q, given_as("memmap", Q), given_as("dask", Q)):
            np.testing.assert_array_equal(found.predict(queries), expected.predict(Q))


def loaded(monkeypatch):
    """Note when a Dask array of rows is turned into one in memory."""
    notes = []
    for name in ("__array__", "compute"):
        usual = getattr(da.Array, name)

        def noted(self, *arguments, usual=usual, **options):
            notes.append(self.ndim)
            return usual(self, *arguments, **options)

        monkeypatch.setattr(da.Array, name, noted)
    return notes


FITS = {
    "classifier": lambda c, X, y: c.fit(X, y),
    "regressor": lambda c, X, y: c.fit(X, y.astype(float)),
    "detector": lambda c, X, y: c.fit(X),
    "clusterer": lambda c, X, y: c.fit(X),
    "transformer": lambda c, X, y: c.fit(X, y),
    "metric_learner": lambda c, X, y: c.fit(X, y),
    "editor": lambda c, X, y: c.fit_resample(X, y),
    "relevance": lambda c, X, y: c.scores(X, y),
    "distance": lambda c, X, y: c.fit(X, y).pairwise(X),
    "kernel": lambda c, X, y: c.fit(X, y).gram(X),
    "index": lambda c, X, y: c.fit(X, distance=ilk.distance("euclidean")),
}
OTHERS = {"tuned", "pipeline"}  # which need a measure, or are what their steps are


@pytest.mark.parametrize("kind", FITS)
def test_nothing_else_loads_a_dask_array_silently(kind, monkeypatch):
    X, y = np.arange(160.0).reshape(40, 4) % 7, np.arange(40) % 2
    lazily = da.from_array(X, chunks=(10, 4))
    of_vectors, refused = set(), set()
    ours = {one.name for one in ilk.registry(kind).find() if one.distribution.startswith("ilk-")}
    for name in sorted(ours - OTHERS):
        component = ilk.registry(kind).get(name).examples()[0]
        notes = loaded(monkeypatch)
        if {"vectors", "tables"} & set(component.capabilities.inputs) or kind == "index":
            of_vectors.add(name)
        try:
            FITS[kind](component, lazily, y)
        except ilk.InputTypeError as error:
            if "Dask" in str(error):
                refused.add(name)
                assert notes == [], name
        except ilk.IlkError as error:  # it takes other objects than vectors, or lacks a library
            if "not installed" in str(error):
                of_vectors.discard(name)
    assert refused
    assert of_vectors - refused <= {"knn", "brute", "auto"}


def test_arrays_of_a_search_stay_small(monkeypatch):
    """Of 40 MB of rows in chunks of 0.8 MB, by what NumPy allocates."""
    monkeypatch.setattr("ilk.blockwise.BLOCK_BYTES", 8 * 100 * 2000)
    rows = np.zeros((50_000, 100))
    rows[[5, 25_000, 49_999]] = 1.0
    X = da.from_array(rows, (1000, 100))
    y, Q = np.arange(50_000) % 3, np.full((20, 100), 1.5)
    ilk.classifier("knn").fit(X[:2000], y[:2000]).predict(Q)
    tracemalloc.start()
    try:
        knn = ilk.classifier("knn", k=3).fit(X * 2, y)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        near, where = knn.kneighbors(Q)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert where[0].tolist() == [5, 25_000, 49_999]
    assert near[0].tolist() == [5, 5, 5]
    assert peak < 10 * 2**20


def test_a_cluster_searches_chunks_where_they_lie(data):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    X, y, Q = data
    expected = ilk.classifier("knn").fit(X, y)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        rows = client.persist(da.from_array(X, chunks=(25, 4)))
        distributed.wait(rows)
        held = {key for keys in client.has_what().values() for key in keys}
        knn = ilk.classifier("knn").fit(rows, y)
        same(knn.kneighbors(Q), expected.kneighbors(Q))
        np.testing.assert_array_equal(knn.predict(da.from_array(Q, (9, 4))), expected.predict(Q))
        near, _ = knn.index_.radius_neighbors(Q, 1.0)
        same(near, expected.index_.radius_neighbors(Q, 1.0)[0])
        assert held <= {key for keys in client.has_what().values() for key in keys}
        bad = da.from_array(np.where(X > 2, np.nan, X), chunks=(25, 4))
        with pytest.raises(ilk.InputError, match="knn: X has NaN at row"):
            ilk.classifier("knn").fit(bad, y)
