"""What every editor of cases must do: any input kind, any label, other people's pipelines."""

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test

NAMES = ilk.editors()
RANDOM = {"ib3": {"random_state": 0}}


def editor(name, **parameters):
    return ilk.editor(name, **parameters)


@pytest.fixture(scope="module")
def mixed():
    """Two overlapping classes of 40 in the plane."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(1.5, 1, (40, 2))])
    order = rng.permutation(80)
    return X[order], np.repeat(["left", "right"], 40)[order]


def kept(name, X, y, **parameters):
    one = editor(name, **parameters)
    one.fit_resample(X, y)
    return one.sample_indices_.tolist()


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_a_precomputed_matrix_gives_rows_that_are_usable(name, mixed):
    X, y = mixed
    D = ilk.distance("euclidean").pairwise(X)
    rows = np.arange(len(X))
    table = ilk.distance("precomputed", matrix=D)
    one = editor(name, distance=table)
    X_kept, y_kept = one.fit_resample(rows, y)
    assert np.asarray(X_kept).ravel().tolist() == one.sample_indices_.tolist()
    assert one.sample_indices_.tolist() == kept(name, X, y)
    knn = ilk.classifier("knn", k=1, distance=table).fit(X_kept, y_kept)
    assert knn.score(rows, y) > 0.6


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_texts(name):
    texts = ["aaaa", "aaab", "aaba", "abaa", "baaa", "zzzz", "zzzy", "zzyz", "zyzz", "yzzz", "azaz"]
    y = ["a"] * 5 + ["z"] * 5 + ["a"]
    one = editor(name, distance="levenshtein")
    X_kept, y_kept = one.fit_resample(texts, y)
    assert X_kept == [texts[i] for i in one.sample_indices_]
    assert y_kept == [y[i] for i in one.sample_indices_]


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_tables_with_nominal_columns(name, mixed):
    X, y = mixed
    table = pd.DataFrame(X, columns=["u", "v"])
    table["w"] = pd.Categorical(np.where(X[:, 0] > X[:, 1], "under", "over"))
    one = editor(name, distance="heterogeneous")
    X_kept, y_kept = one.fit_resample(table, pd.Series(y))
    pd.testing.assert_frame_equal(X_kept, table.iloc[one.sample_indices_])
    assert y_kept.tolist() == y[one.sample_indices_].tolist()


@in_one_test
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("threads_for_few_rows")
def test_threads_change_nothing(name, mixed):
    X, y = mixed
    with ilk.threads(1):
        expected = kept(name, X, y)
    with ilk.threads(2):
        assert kept(name, X, y) == expected


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_in_imbalanced_learns_pipelines(name, mixed):
    X, y = mixed
    pipeline = make_pipeline(editor(name), KNeighborsClassifier(n_neighbors=1)).fit(X, y)
    alone = KNeighborsClassifier(n_neighbors=1).fit(*editor(name).fit_resample(X, y))
    assert pipeline.predict(X).tolist() == alone.predict(X).tolist()


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_units_and_origin_change_nothing(name, mixed):
    X, y = mixed
    expected = kept(name, X, y)
    for scale in (2.0**-40, 2.0**40):
        assert kept(name, X * scale, y) == expected
    assert kept(name, -X, y) == expected


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_names_of_classes_change_nothing(name, mixed):
    X, y = mixed
    expected = kept(name, X, y)
    for labels in (np.where(y == "left", -1, 1), y == "right", np.where(y == "left", 3.0, 7.0)):
        assert kept(name, X, labels) == expected


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_one_class(name):
    X = np.random.default_rng(0).normal(size=(20, 3))
    found = kept(name, X, np.ones(20))
    assert 1 <= len(found) <= 20


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_equal_cases_of_different_classes_come_to_an_end(name):
    X, y = np.zeros((12, 2)), np.arange(12) % 2
    assert len(kept(name, X, y)) <= 12


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_only_what_draws_takes_a_seed(name):
    parameters = editor(name).get_params()
    draws = "order" in parameters or name in RANDOM
    assert ("random_state" in parameters) == draws


@in_one_test
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("X", "y", "error"),
    [
        ([[0.0], [np.nan], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 1, 0, 1, 0, 1, 0], "NaN"),
        ([[0.0]] * 7, [0, 1, 0, 1, 0, 1], "length|inconsistent|rows|labels"),
        ([[0.0]] * 7, None, "y"),
        (np.empty((0, 2)), [], "0 "),
    ],
    ids=["NaN", "too few labels", "no labels", "no rows"],
)
def test_bad_data_are_named(name, X, y, error):
    with pytest.raises(ilk.InputError, match=rf"{name}: .*({error})"):
        kept(name, X, y)


@pytest.mark.parametrize("order", ["given", "nun"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("distance", ["cosine", "hellinger", "jeffrey"])
def test_a_case_that_the_distance_refuses_is_told_by_its_own_number(name, distance, order):
    """Not by its place among the cases of a class, or in a block."""
    X, y = np.random.default_rng(0).random((40, 3)) + 0.1, np.arange(40) % 2
    X[29] = 0
    one = editor(name, distance=distance)
    if "order" in one.parameters and order in one.parameters["order"].choices:
        one.set_params(order=order)
    with pytest.raises(ilk.InputError, match=f"{distance}: X has .* row 29$"):
        one.fit_resample(X, y)
