"""Recall against brute force: ties, repeats, and indexes that are told apart."""

import doctest
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import ilk
import ilk_distances
from cases import in_one_test


class Fixed(ilk.Index):
    """Answers with what it was given."""

    exact = False

    answer: Any = ilk.param(default=(), type=object, none=True)

    def fit(self, X, y=None, *, distance):
        self.X_, self.distance_ = np.asarray(X, dtype=float), distance
        return self

    def kneighbors(self, Q, k):
        check_is_fitted(self)
        where = np.asarray(self.answer)
        return np.zeros(where.shape), where  # wrong distances, which must not be believed


X = [[0.0], [1.0], [1.0], [2.0], [9.0]]
QUERY = [[0.0]]


def recall_of(answer, k=None, **options):
    index = Fixed(answer=answer).fit(X, distance=ilk.distance("euclidean"))
    return ilk_distances.recall(index, QUERY * len(answer), k or len(answer[0]), **options)


@in_one_test
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([[0, 1]], 1.0),
        ([[0, 2]], 1.0),  # as near as row 1
        ([[1, 2]], 1.0),  # both are no farther than the second neighbour
        ([[0, 3]], 0.5),
        ([[3, 4]], 0.0),
        ([[0, 0]], 0.5),  # found once
        ([[0, 1], [4, 3]], 0.5),
        ([[0, 1, 3]], 2 / 3),
    ],
)
def test_by_hand(answer, expected):
    assert recall_of(answer) == pytest.approx(expected)


def test_per_query():
    shares = recall_of([[0, 1], [4, 3], [0, 4]], per_query=True)
    assert shares.tolist() == [1, 0, 0.5]


def test_is_one_for_exact_indexes():
    rng = np.random.default_rng(0)
    data = rng.integers(0, 4, (200, 3)).astype(float)
    for name in ("brute", "kd_tree"):
        index = ilk.index(name).fit(data, distance=ilk.distance("euclidean"))
        assert ilk_distances.recall(index, rng.normal(size=(30, 3)), 7) == 1.0


@pytest.mark.filterwarnings("ignore::ilk_distances.RecallWarning")
def test_grows_with_the_effort():
    rng = np.random.default_rng(0)
    data, queries = rng.normal(size=(3000, 10)), rng.normal(size=(60, 10))
    found = [
        ilk_distances.recall(
            ilk.index("lsh", n_tables=n, n_bits=3, width=3.0, random_state=0).fit(
                data, distance=ilk.distance("euclidean")
            ),
            queries,
            5,
        )
        for n in (1, 4, 16)
    ]
    assert found == sorted(found)
    assert found[0] < found[2]


def test_bad_arguments():
    with pytest.raises(NotFittedError):
        ilk_distances.recall(ilk.index("brute"), QUERY, 1)
    index = ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    with pytest.raises(ilk.InputError, match="k must be an integer between 1 and .*5"):
        ilk_distances.recall(index, QUERY, 6)


def test_names_are_imported_on_first_use():
    assert {"recall", "plotting"} <= set(dir(ilk_distances))
    with pytest.raises(AttributeError, match="'ilk_distances' has no attribute 'recal'"):
        _ = ilk_distances.recal


def test_docstring_example():
    tried = doctest.testmod(import_module("ilk_distances.indexes.approximate"))
    assert tried.attempted > 2
    assert tried.failed == 0


@pytest.mark.parametrize("index", [None, "lsh", ilk.distance("euclidean")])
def test_no_index(index):
    with pytest.raises(ilk.InputTypeError, match="recall: index must be a fitted index, got"):
        ilk_distances.recall(index, [[0.0]], 1)


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters", "remedy"),
    [
        ("lsh", {"n_tables": 1, "n_bits": 4, "width": 4.0, "random_state": 0}, "n_tables"),
        ("footprint", {"n_neighbors": 5, "n_references": 1}, "n_references"),
    ],
)
def test_a_low_recall_is_told_at_fit(name, parameters, remedy):
    """Measured without counting: on 100 rows, 10 neighbours each."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(500, 3)), np.arange(500) % 2
    euclidean = ilk.distance("euclidean")
    with pytest.warns(ilk_distances.RecallWarning, match=f"{name}: finds .* of its own.*{remedy}"):
        index = ilk.index(name, **parameters).fit(rows, labels, distance=euclidean)
    assert index.recall_ == pytest.approx(ilk_distances.recall(index, rows[::5], 10))
    good = ilk.index(name, **({"random_state": 0} if name == "lsh" else {}))
    assert good.fit(rows, labels, distance=euclidean).recall_ >= 0.8
