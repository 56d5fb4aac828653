"""Weighted sums of distances of views, their scales and learned weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import ilk
from cases import in_one_test
from ilk_distances.composed.combined import separating_weights
from ilk_distances.composed.composite import any_pairs, distances_of, labelled_pairs

VIEWS = {"color": ["red", "green"], "form": ["size", "kind"]}
PARTS = {"color": "manhattan", "form": "heterogeneous"}


def combined(**parameters):
    return ilk.distance("combined", **parameters)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    return pd.DataFrame(
        {
            "red": rng.normal(size=40) * 100,
            "kind": pd.Categorical(np.array(["disc", "ring"])[(y + (rng.random(40) < 0.1)) % 2]),
            "green": rng.normal(size=40) * 100,
            "size": y + 0.3 * rng.normal(size=40),
            "more": "text",
        }
    )


class Jump(ilk.Distance):
    """Infinite where the first numbers differ by more than 2, else the difference."""

    capabilities = ilk.Capabilities(symmetric=True)
    checked = 0

    def check_input(self, X, argument="X"):
        type(self).checked += not isinstance(X, np.ndarray)
        return np.asarray(X, dtype=float)

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        D = np.abs(X[:, :1] - Y[:, 0])
        return np.where(D > 2, np.inf, D)


def test_worked_example():
    X = pd.DataFrame({"a": [0.0, 3.0, 0.0], "b": [0.0, 4.0, 0.0], "c": ["x", "y", "y"]})
    views, parts = {"p": ["a", "b"], "q": ["c"]}, {"p": "euclidean", "q": "heterogeneous"}
    given = combined(views=views, parts=parts, weights=[2, 1], scale=None).fit(X)
    np.testing.assert_array_equal(given.pairwise(X), [[0, 11, 1], [11, 0, 10], [1, 10, 0]])
    scaled = combined(views=views, parts=parts).fit(X)
    np.testing.assert_allclose(scaled.scales_, [10 / 3, 2 / 3])
    np.testing.assert_allclose(scaled.pairwise(X)[0], [0, 0.5 * 1.5 + 0.5 * 1.5, 0.75])
    largest = combined(views=views, parts=parts, scale="max", weights={"q": 3, "p": 1}).fit(X)
    assert largest.scales_.tolist() == [5, 1]
    np.testing.assert_allclose(largest.pairwise(X)[0], [0, 4, 3])


@given(
    seed=st.integers(0, 10**6),
    scale=st.sampled_from(["mean", "max", None]),
    weights=st.sampled_from([[1.0, 2.0, 0.5], [0.0, 1.0, 3.0], "uniform"]),
)
def test_agrees_with_the_sum(seed, scale, weights):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(12, 5)), rng.normal(size=(4, 5))
    views = {"one": [0, 3], "two": [1], "three": [4, 2, 0]}
    parts = {"one": "euclidean", "two": "manhattan", "three": "chebyshev"}
    names = {"one": "euclidean", "two": "cityblock", "three": "chebyshev"}
    expected = np.zeros((4, 12))
    for i, (view, columns) in enumerate(views.items()):
        own = pdist(X[:, columns], names[view])
        divisor = {"mean": own.mean(), "max": own.max(), None: 1.0}[scale]
        weight = 1 / 3 if weights == "uniform" else weights[i]
        expected += weight * cdist(Q[:, columns], X[:, columns], names[view]) / divisor
    d = combined(views=views, parts=parts, weights=weights, scale=scale).fit(X)
    np.testing.assert_allclose(d.pairwise(Q, X), expected, rtol=1e-12)
    assert d.symmetric
    assert d.metric == (weights != [0.0, 1.0, 3.0])
    assert d.pairwise(X.astype(np.float32), X.astype(np.float32)).dtype == np.float32


def test_units_of_a_view_do_not_matter(table):
    y = np.arange(40) % 2
    for weights in ("uniform", "learned"):
        for scale in ("mean", "max"):
            d = combined(views=VIEWS, parts=PARTS, weights=weights, scale=scale, random_state=0)
            expected = clone(d).fit(table, y).pairwise(table)
            other = table.assign(red=table["red"] * 1e6, green=table["green"] * 1e6)
            got = d.fit(other, y).pairwise(other)
            np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-9)
    learned = combined(views=VIEWS, parts=PARTS, weights="learned", scale=None, random_state=0)
    D = clone(learned).fit(table, y).pairwise(table)
    E = learned.fit(other, y).pairwise(other)
    np.testing.assert_allclose(E / E.max(), D / D.max(), rtol=1e-5, atol=1e-9)


def test_learned_weights_find_the_view_that_tells_classes_apart(table):
    y = np.arange(40) % 2
    d = combined(views=VIEWS, parts=PARTS, weights="learned", random_state=0).fit(table, y)
    assert d.weights_.sum() == pytest.approx(1)
    assert d.weights_[1] > 0.9
    assert (d.weights_ >= 0).all()
    knn = {"uniform": [], "learned": []}
    for weights, right in knn.items():
        near = combined(views=VIEWS, parts=PARTS, weights=weights, random_state=0).fit(table, y)
        where = near.kneighbors(table, table, 2)[1][:, 1]
        right.append((y[where] == y).mean())
    assert knn["learned"] >= knn["uniform"]


def test_weights_agree_with_logistic_regression():
    rng = np.random.default_rng(0)
    V = rng.gamma(2.0, size=(400, 3)) * [1, 50, 0.2]
    chance = 1 / (1 + np.exp(-(V @ [0.5, 0.02, 1.0] - 2)))
    differ = rng.random(400) < chance
    cost = np.where(differ, 0.5 / differ.sum(), 0.5 / (~differ).sum())
    for regularization in (0.001, 0.1):
        oracle = LogisticRegression(C=1 / regularization, tol=1e-10, max_iter=10000)
        oracle.fit(V / V.mean(axis=0), differ, sample_weight=cost)
        assert (oracle.coef_ > 0).all()
        expected = oracle.coef_[0] / V.mean(axis=0)
        got = separating_weights(V, differ, regularization)
        np.testing.assert_allclose(got, expected / expected.sum(), rtol=1e-3)


def test_weights_are_optimal_among_non_negative_ones():
    rng = np.random.default_rng(1)
    differ = np.arange(300) % 2 == 0
    V = np.column_stack(
        [1 + differ + rng.random(300), 2 - differ + rng.random(300), rng.random(300)]
    )
    u = separating_weights(V, differ, 0.01)
    assert u[0] > 0.9
    assert u[1] == 0  # larger for pairs of equal class: a plain classifier would subtract it
    alone = separating_weights(V[:, [0, 2]], differ, 0.01)
    np.testing.assert_allclose(u[[0, 2]], alone, atol=1e-5)
    useless = separating_weights(V[:, 1:2], differ, 0.01)
    assert not useless.any()


def test_where_no_part_helps_weights_are_uniform():
    X = np.array([[0.0, 0.0], [1.0, 9.0], [0.1, 1.0], [1.1, 8.0]])
    d = combined(views={"a": [0], "b": [1]}, weights="learned")
    with pytest.warns(UserWarning, match="combined: no part tells pairs of equal class"):
        d.fit(X, [0, 0, 1, 1])
    assert d.weights_.tolist() == [0.5, 0.5]


@given(
    counts=st.lists(st.integers(1, 60), min_size=2, max_size=6),
    n_pairs=st.integers(2, 400),
    seed=st.integers(0, 1000),
)
def test_pairs(counts, n_pairs, seed):
    rng = np.random.RandomState(seed)
    codes = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    n = len(codes)
    first, second = any_pairs(n, n_pairs, rng)
    assert (first != second).all()
    assert ((first >= 0) & (first < n) & (second >= 0) & (second < n)).all()
    every = n * (n - 1) // 2
    if every <= n_pairs:
        assert len({*zip(first, second, strict=True)}) == every
    else:
        assert len(first) <= n_pairs
    if max(counts) < 2:
        with pytest.raises(ilk.InputError, match="y has no class of two rows"):
            labelled_pairs(combined(), codes, n_pairs, rng)
        return
    first, second, differ = labelled_pairs(combined(), codes, n_pairs, rng)
    assert (first != second).all()
    np.testing.assert_array_equal(codes[first] != codes[second], differ)
    assert 0 < differ.sum() < len(differ)
    if every > n_pairs:
        assert len(first) <= n_pairs
        assert n_pairs < 64 or abs(differ.mean() - 0.5) < 0.2


def test_pairs_are_drawn_evenly():
    codes = np.repeat([0, 1, 2], [30, 50, 20])
    seen = np.zeros((100, 100))
    for seed in range(300):
        first, second, _ = labelled_pairs(combined(), codes, 640, np.random.RandomState(seed))
        np.add.at(seen, (first, second), 1)
    alike = codes[:, None] == codes
    assert (seen[~np.eye(100, dtype=bool)] > 0).all()
    per_row = np.where(alike, seen, 0).sum(axis=1)
    assert per_row.std() / per_row.mean() < 0.2
    per_row = np.where(alike, 0, seen).sum(axis=1)
    assert per_row.std() / per_row.mean() < 0.2


@pytest.mark.parametrize("spare", [0, 4, 10**6])
def test_distances_of_pairs(spare, monkeypatch):
    monkeypatch.setattr("ilk_distances.composed.composite._SPARE", spare)
    X = np.random.default_rng(0).normal(size=(9, 2))
    first, second = np.array([3, 3, 0, 0, 0, 8]), np.array([1, 2, 5, 5, 8, 3])
    got = distances_of(ilk.distance("euclidean"), X, first, second)
    np.testing.assert_allclose(got, np.linalg.norm(X[first] - X[second], axis=1))


def test_a_sample_of_pairs_is_enough():
    calls = []

    def counted(x, y):
        calls.append(1)
        return float(abs(x[0] - y[0]))

    X = np.random.default_rng(0).normal(size=(2000, 2))
    y = (X[:, 0] > 0).astype(int)
    part = ilk.distance("callable", function=counted)
    d = combined(parts={"one": part}, weights="learned", n_pairs=500, random_state=0).fit(X, y)
    assert len(calls) <= 4 * 1000
    mean = np.abs(X[:, :1] - X[:, 0]).mean()
    assert d.scales_[0] == pytest.approx(mean, rel=0.2)


def test_random_state(table):
    y = np.arange(40) % 2

    def weights(seed):
        d = combined(views=VIEWS, weights="learned", n_pairs=100, random_state=seed)
        return d.fit(table, y).weights_.tolist()

    assert weights(0) == weights(0)
    assert weights(0) != weights(1)


@in_one_test
@pytest.mark.parametrize(
    "convert",
    [
        lambda t: t.iloc[:, ::-1],
        lambda t: t.assign(extra=1.0),
        lambda t: t.drop(columns="more"),
        lambda t: t.set_index(np.full(40, 3)),
        lambda t: t.to_numpy(dtype=object),
        lambda t: t.to_numpy(dtype=object).tolist(),
        lambda t: pytest.importorskip("polars").from_pandas(t.astype({"kind": str, "more": str})),
    ],
    ids=["order", "more", "fewer", "index", "array", "lists", "polars"],
)
def test_other_forms_of_the_same_table(convert, table):
    d = combined(views=VIEWS, parts=PARTS, random_state=0).fit(table)
    expected = d.pairwise(table)
    np.testing.assert_array_equal(d.pairwise(convert(table)), expected)
    np.testing.assert_array_equal(d.pairwise(table, convert(table)), expected)
    if not hasattr(convert(table), "columns"):
        return
    again = combined(views=VIEWS, parts=PARTS, random_state=0).fit(convert(table))
    np.testing.assert_allclose(again.pairwise(table), expected, rtol=1e-12)


def test_positions_of_columns(table):
    named = combined(views=VIEWS, parts=PARTS, random_state=0).fit(table)
    placed = combined(views={"color": [0, 2], "form": [3, 1]}, parts=PARTS, random_state=0)
    np.testing.assert_array_equal(placed.fit(table).pairwise(table), named.pairwise(table))
    X = table[["red", "green"]].to_numpy()
    d = combined(views={"a": [1], "b": [0]}, random_state=0).fit(X)
    assert d.columns_["a"].tolist() == [1]
    np.testing.assert_array_equal(d.pairwise(pd.DataFrame(X)), d.pairwise(X))


def test_neighbours_handles_and_single_rows(table):
    d = combined(views=VIEWS, parts=PARTS, weights={"color": 1, "form": 2}).fit(table[:30])
    D = d.pairwise(table[30:], table)
    near, where = d.kneighbors(table[30:], table, 4)
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable")[:, :4])
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    handle = d.prepare(table)
    assert len(handle) == 40
    for i in range(3):
        np.testing.assert_array_equal(handle.to(table.iloc[30 + i]), D[i])
        np.testing.assert_array_equal(
            handle.to(d.check_input(table)[[30 + i]], [3, 1]), D[i, [3, 1]]
        )
        assert d.between(table.iloc[30 + i], table.iloc[2]) == D[i, 2]
    index = ilk.index("brute").fit(table, distance=d)
    np.testing.assert_array_equal(index.kneighbors(table[30:], 4)[1], where)


def test_each_part_checks_its_view_once(table):
    Jump.checked = 0
    d = combined(views=VIEWS, parts={"color": Jump()}, scale=None).fit(table)
    Jump.checked = 0
    d.kneighbors(table.iloc[:5], table, 3)
    assert Jump.checked == 2


def test_whole_objects_of_any_kind():
    texts = ["ab", "abcd", "xyz", "xy"]
    parts = {
        "length": ilk.distance("callable", function=lambda x, y: abs(len(x) - len(y))),
        "start": ilk.distance("callable", function=lambda x, y: float(x[0] != y[0])),
    }
    d = combined(parts=parts, weights=[1, 10], scale=None).fit(texts)
    np.testing.assert_array_equal(d.pairwise(texts)[0], [0, 2, 11, 10])
    assert d.between("ab", "xyz") == 11
    np.testing.assert_array_equal(d.prepare(texts).to("ab", [2, 1]), [11, 2])
    np.testing.assert_array_equal(d.kneighbors(["abc"], texts, 2)[1], [[0, 1]])
    assert not d.symmetric
    assert not d.metric


def test_sets_as_whole_objects():
    sets = [
        np.array([[0.0, 0], [1, 0]]),
        np.array([[3.0, 4]]),
        np.array([[1.0, 1], [0, 0], [2, 2]]),
    ]
    d = combined(parts={"far": "hausdorff", "all": "sum_of_minima"}, weights=[1, 1], scale=None)
    D = d.fit(sets).pairwise(sets)
    expected = sum(ilk.distance(name).pairwise(sets) for name in ("hausdorff", "sum_of_minima"))
    np.testing.assert_array_equal(D, expected)
    assert d.between(sets[0], sets[1]) == D[0, 1]
    np.testing.assert_array_equal(d.prepare(sets).to(sets[2]), D[2])


def test_infinite_distances_of_a_part():
    X = np.array([[0.0, 1.0], [1.0, 1.2], [9.0, 1.5], [9.5, 2.5]])
    parts = {"a": Jump(), "b": "euclidean"}
    d = combined(parts=parts, views={"a": [0], "b": [1]}, weights="learned").fit(X, [0, 0, 1, 2])
    assert d.scales_[0] == 0.75  # of the two pairs at a finite distance
    assert d.weights_.tolist() == [0, 1]
    without = combined(parts=parts, views={"a": [0], "b": [1]}, weights=[0, 1], scale=None).fit(X)
    np.testing.assert_array_equal(without.pairwise(X), np.abs(X[:, 1:] - X[:, 1]))


def test_a_constant_view_contributes_nothing():
    X = np.column_stack([np.full(6, 3.0), np.arange(6.0)])
    d = combined(
        views={"same": [0], "other": [1]}, parts={"same": "euclidean", "other": "euclidean"}
    )
    D = d.fit(X).pairwise(X, np.add(X, [5.0, 0.0]))
    np.testing.assert_allclose(D, d.pairwise(X))
    assert d.scales_[0] == 0
    assert not d.metric
    assert combined(views=d.views, parts=d.parts, scale=None).fit(X).metric


def test_which_are_metrics(table):
    X = table[["red", "green", "size"]].to_numpy()
    parts = {"a": "euclidean", "b": "manhattan"}
    assert combined(parts=parts).fit(X).metric
    assert combined(parts=parts, views={"a": [0, 1], "b": [2]}).fit(X).metric
    assert not combined(parts=parts, views={"a": [0], "b": [2]}).fit(X).metric  # column 1 is unseen
    assert not combined(parts=parts, weights=[0, 1]).metric
    assert not combined().fit(X).metric  # heterogeneous takes missing values
    assert not combined(parts={"a": ilk.distance("minkowski", p=0.5)}).fit(X).metric
    D = combined(parts=parts, views={"a": [0, 1], "b": [2]}, weights=[1, 3]).fit(X).pairwise(X)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    index = ilk.index("brute").fit(X, distance=combined(parts=parts).fit(X))
    assert index.kneighbors(X[:3], 1)[1].tolist() == [[0], [1], [2]]


def test_missing_values_reach_the_parts_that_take_them(table):
    table.loc[3, "kind"] = None
    table.loc[4, "size"] = np.nan
    assert np.isfinite(combined(views=VIEWS, parts=PARTS).fit(table).pairwise(table)).all()
    table.loc[5, "red"] = np.nan
    with pytest.raises(
        ilk.InputError, match="combined: part 'color': manhattan: X has NaN at row 5"
    ):
        combined(views=VIEWS, parts=PARTS).fit(table)


def test_spec():
    d = combined(
        views=VIEWS, parts={"color": ilk.distance("minkowski", p=1), "form": "heterogeneous"}
    )
    spec = ilk.to_spec(d)
    assert spec == {
        "use": "combined",
        "views": VIEWS,
        "parts": {"color": {"use": "minkowski", "p": 1}, "form": {"use": "heterogeneous"}},
    }
    again = ilk.build(spec, kind="distance")
    assert ilk.to_spec(again) == spec
    assert again.set_params(parts__color__p=3).parts["color"].p == 3
    frozen = ilk.frozen(
        ilk.distance("mahalanobis").fit(np.random.default_rng(0).normal(size=(9, 2)))
    )
    X = np.random.default_rng(1).normal(size=(9, 2))
    kept = combined(parts={"one": frozen}, scale=None, weights=[1]).fit(X)
    np.testing.assert_array_equal(kept.pairwise(X), frozen.pairwise(X))


BAD = {
    "no view": ({"parts": {"colour": "euclidean"}}, "parts must name views, got 'colour'; did you"),
    "column": (
        {"views": {"a": ["rde"]}},
        r"views \['a'\] must name columns of X, got 'rde'; did you",
    ),
    "position": ({"views": {"a": [5]}}, r"views \['a'\] must name columns of X, got 5"),
    "negative": ({"views": {"a": [-1]}}, r"views \['a'\] must name columns of X, got -1"),
    "empty view": ({"views": {"a": []}}, r"views \['a'\] must have a column"),
    "no views": ({"views": {}}, "views must name at least one view"),
    "no parts": ({"parts": {}, "views": None}, "parts must name at least one part"),
    "number": ({"weights": [1.0]}, "weights must be one number for each of 2 parts"),
    "negative weight": ({"weights": [1.0, -1.0]}, "weights must be finite, at least 0"),
    "all zero": ({"weights": [0.0, 0.0]}, "weights must be finite, at least 0 and not all 0"),
    "names": ({"weights": {"color": 1}}, r"weights must be for the parts \['color', 'form'\]"),
    "in dict": (
        {"weights": {"color": -1, "form": 1}},
        r"weights \['color'\] must be a number >= 0",
    ),
    "a name": ({"weights": "learnt"}, "did you mean 'learned'"),
}


def test_views_by_position_pattern_and_data_set():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), columns=["c_1", "d", "c_2"])
    named = combined(views={"c": ["c_1", "c_2"], "d": ["d"]}, weights=[1, 2]).fit(X).pairwise(X)
    for views in ({"c": ["c_*"], "d": ["d"]}, [["c_*"], ["d"]], [[0, 2], [1]]):
        got = combined(views=views, weights=[1, 2]).fit(X).pairwise(X)
        np.testing.assert_array_equal(got, named)
    told = ilk.with_views(combined(views="data", weights=[1, 2]), {"c": ["c_1", "c_2"], "d": "d"})
    np.testing.assert_array_equal(told.fit(X).pairwise(X), named)
    with pytest.raises(ilk.ParameterError, match="views is 'data', which an experiment replaces"):
        combined(views="data").fit(X)
    with pytest.raises(ilk.ParameterError, match="parts must name views, got 'c'"):
        combined(views=[[0], [1]], parts={"c": "euclidean"})


@in_one_test
@pytest.mark.parametrize("name", BAD)
def test_bad_parameters(name, table):
    parameters, message = BAD[name]
    with pytest.raises(ilk.ParameterError, match=message):
        combined(**{"views": VIEWS, **parameters}).fit(table)


def test_bad_data(table):
    d = combined(views=VIEWS, parts=PARTS).fit(table)
    with pytest.raises(
        ilk.InputError, match=r"combined: X lacks \['green'\] of the columns of views"
    ):
        d.pairwise(table.drop(columns="green"))
    with pytest.raises(ilk.InputError, match="Y has 2 features, but combined was fitted with 5"):
        d.pairwise(table, np.ones((3, 2)))
    with pytest.raises(
        ilk.InputError, match="combined: X must have at least one row and one column"
    ):
        d.pairwise(np.ones(3))
    with pytest.raises(ilk.InputError, match="combined: requires y"):
        combined(views=VIEWS, weights="learned").fit(table)
    with pytest.raises(ilk.InputError, match="at least 2 classes"):
        combined(views=VIEWS, weights="learned").fit(table, np.ones(40))
    with pytest.raises(ilk.InputError, match="combined: y has no class of two rows"):
        combined(views=VIEWS, weights="learned").fit(table[:15], np.arange(15))
    with pytest.raises(NotFittedError):
        combined(views=VIEWS).pairwise(table)
    with pytest.raises(ilk.ParameterError, match="must give positions of columns of X, got 'red'"):
        combined(views=VIEWS).fit(table.to_numpy(dtype=object))
    doubled = pd.concat([table, table[["red"]]], axis=1)
    with pytest.raises(ilk.ParameterError, match="names 'red', which X has twice"):
        combined(views=VIEWS).fit(doubled)


def test_refit_on_other_columns(table):
    d = combined(views={"a": [0], "b": [1]}, random_state=0)
    d.fit(table[["red", "green"]])
    X = np.random.default_rng(0).normal(size=(7, 2))
    expected = clone(d).fit(X).pairwise(X)
    np.testing.assert_array_equal(d.fit(X).pairwise(X), expected)
    assert not hasattr(d, "feature_names_in_")


def test_one_row():
    d = combined(views={"a": [0], "b": [1]}).fit([[1.0, 2.0]])
    assert d.pairwise([[1.0, 2.0]]).tolist() == [[0.0]]


@pytest.mark.parametrize("X", [np.ones((5, 2)), [["a", "b"]] * 4, [[1, "b"]] * 3])
def test_training_rows_that_are_all_equal(X):
    """Nothing is learned of any scale, so that no part contributes."""
    d = combined(views={"a": [0], "b": [1]}, parts={"a": "hamming", "b": "heterogeneous"})
    D = d.fit(X).pairwise(X)
    np.testing.assert_array_equal(D, np.zeros((len(X), len(X))))
    np.testing.assert_array_equal(d.prepare(X).to(X[0]), D[0])
    assert d.kneighbors(X, X, 2)[1].tolist() == [[0, 1]] * len(X)
    assert not d.metric


def test_equal_rows_keep_their_type():
    X = np.ones((4, 2), dtype=np.float32)
    d = combined(parts={"a": "euclidean"}).fit(X)
    assert d.pairwise(X).dtype == np.float32
    assert d.between(X[0], X[1]) == 0


def test_weights_by_the_name_of_the_only_part():
    X = [[0.0], [2.0]]
    np.testing.assert_array_equal(combined(weights={"all": 3}).fit(X).pairwise(X), [[0, 3], [3, 0]])
    with pytest.raises(ilk.ParameterError, match=r"must be for the parts \['all'\], got \['a'\]"):
        combined(weights={"a": 1})


@in_one_test
@pytest.mark.parametrize("unit", [1e-310, 1e-160, 1e160, 1e307])
@pytest.mark.parametrize("weights", ["uniform", "learned", [1.0, 2.0]])
@pytest.mark.parametrize("scale", ["mean", "max"])
def test_small_and_large_numbers(unit, weights, scale):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(40, 2)), np.arange(40) // 20
    X[:, 0] += y
    d = combined(
        views={"a": [0], "b": [1]},
        parts={"a": "manhattan", "b": "manhattan"},
        weights=weights,
        scale=scale,
    )
    expected = d.fit(X, y).pairwise(X)
    got = d.fit(X * unit, y).pairwise(X * unit)
    rtol = 1e-9 if unit > 1e-300 else 1e-2
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


@in_one_test
@pytest.mark.parametrize("column", [True, False, -1, 1.0, None, "a", 9])
def test_columns_that_are_none(column):
    with pytest.raises(ilk.ParameterError, match=r"combined: views \['v'\] must give positions"):
        combined(views={"v": [column]}).fit(np.eye(3))
