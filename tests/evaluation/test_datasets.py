"""Data sets that need no file of the user's: scikit-learn's, and those made by rules."""

from collections import Counter

import numpy as np
import pytest
from sklearn import datasets

import ilk
from cases import in_one_test

NOMINAL = ["monks1", "monks2", "monks3", "tic_tac_toe"]


@in_one_test
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_bundled_data_equal_scikit_learns(name):
    data, bunch = ilk.dataset(name).load(), getattr(datasets, f"load_{name}")()
    np.testing.assert_array_equal(data.X, bunch.data)
    np.testing.assert_array_equal(data.y, bunch.target_names[bunch.target])
    assert data.feature_names == tuple(bunch.feature_names)
    assert data.name == name
    assert data.description


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("monks1", {0: 216, 1: 216}),
        ("monks2", {0: 290, 1: 142}),
        ("monks3", {0: 204, 1: 228}),
        ("balance_scale", {"B": 49, "L": 288, "R": 288}),
        ("tic_tac_toe", {"positive": 626, "negative": 332}),
    ],
)
def test_rules_give_the_published_counts(name, counts):
    data = ilk.dataset(name).load()
    assert Counter(data.y.tolist()) == counts
    assert len(data) == sum(counts.values())


@pytest.mark.parametrize(
    ("name", "file"),
    [(n, n) for n in ("monks1", "monks2", "monks3", "balance_scale")]
    + [("tic_tac_toe", "tictactoe")],
)
def test_rules_give_the_published_rows(name, file, data_folder):
    made, read = (
        ilk.dataset(name).load(),
        ilk.dataset("folder", name=file, path=data_folder).load(),
    )

    def rows(data):
        return Counter(map(tuple, np.column_stack([np.asarray(data.X, dtype=str), data.y])))

    assert made.feature_names == read.feature_names
    assert rows(made) == rows(read)


@pytest.mark.parametrize("name", NOMINAL)
def test_nominal_columns_or_their_codes(name):
    plain, coded = ilk.dataset(name).load(), ilk.dataset(name, encode="ordinal").load()
    assert plain.nominal == plain.feature_names == coded.feature_names
    assert coded.nominal == ()
    assert coded.X.dtype == float
    for position, column in enumerate(plain.X):
        codes = coded.X[:, position].astype(int)
        assert plain.X[column].dtype == "category"
        assert list(plain.X[column].cat.categories[codes]) == list(plain.X[column])
    np.testing.assert_array_equal(plain.y, coded.y)
    assert plain.fingerprint != coded.fingerprint


@in_one_test
@pytest.mark.parametrize("name", NOMINAL)
def test_titles_tell_encodings_apart(name):
    assert ilk.dataset(name).title() == name
    assert ilk.dataset(name, encode="ordinal").title() == f"{name} (ordinal)"


def test_unknown_encoding_is_named():
    with pytest.raises(ilk.ParameterError, match=r"monks1: encode .*'ordnal'.*'ordinal'"):
        ilk.dataset("monks1", encode="ordnal")


def test_final_boards_are_those_that_play_reaches():
    """Play every game; the boards at which one ends are the data set."""
    lines = [
        line for i in range(3) for line in ({3 * i, 3 * i + 1, 3 * i + 2}, {i, i + 3, i + 6})
    ] + [{0, 4, 8}, {2, 4, 6}]

    def play(board, player, ends, seen):
        if board in seen:
            return ends
        seen.add(board)
        last = "o" if player == "x" else "x"
        held = {i for i, square in enumerate(board) if square == last}
        won = any(line <= held for line in lines)
        if won or "b" not in board:
            ends[board] = "positive" if won and last == "x" else "negative"
            return ends
        for i in range(9):
            if board[i] == "b":
                play((*board[:i], player, *board[i + 1 :]), last, ends, seen)
        return ends

    data = ilk.dataset("tic_tac_toe").load()
    made = dict(zip(map(tuple, data.X.to_numpy().tolist()), data.y.tolist(), strict=True))
    assert made == play(("b",) * 9, "x", {}, set())


@pytest.mark.parametrize("name", NOMINAL)
def test_a_share_of_the_labels_is_wrong(name):
    right, noisy = ilk.dataset(name).load(), ilk.dataset(name, noise=0.25).load()
    assert int((right.y != noisy.y).sum()) == round(0.25 * len(right))
    assert noisy.X.equals(right.X)
    other = ilk.dataset(name, noise=0.25, random_state=1)
    assert (noisy.y != other.load().y).any()
    assert other.title() == f"{name} (noise 0.25)"
