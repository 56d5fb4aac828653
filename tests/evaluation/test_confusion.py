"""Confusion matrices of labels of every type."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix as peer

import ilk
from cases import in_one_test
from ilk_evaluation import confusion

NAMES = {
    "numbers from 0": np.arange(4),
    "numbers from -1": np.array([-1, 0, 1, 7]),
    "numbers far apart": np.array([-(10**12), -3, 5, 10**12]),
    "small unsigned": np.array([0, 3, 200, 255], dtype=np.uint8),
    "floats": np.array([-0.5, 0.0, 1.5, 2.0]),
    "letters": np.array(list("abcd")),
    "texts told apart by one sign": np.array(["class 1", "class 2", "class 3", "class 4"]),
    "texts told apart by two": np.array(["aa", "ab", "ba", "bb"]),
    "beginnings of each other": np.array(["", "a", "aa", "aaa"]),
    "far characters": np.array(["\u00e9", "\u4e2d", "\U0001f600", "\U0001f601"]),
    "objects": np.array(["ant", "bee", "cat", "dog"], dtype=object),
    "bytes": np.array([b"a", b"b", b"c", b"d"]),
}
pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def predict(truth, labels, classes, **more):
    return ilk.Prediction(np.asarray(truth), np.asarray(labels), np.asarray(classes), **more)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@given(pairs)
def test_agreement_with_scikit_learn_whatever_the_names(names, found):
    truth, labels = np.array(found).T
    expected = peer(truth, labels, labels=range(4))
    np.testing.assert_array_equal(
        confusion.confusion_matrix(predict(names[truth], names[labels], names)), expected
    )


@in_one_test
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_label_that_is_no_class_is_named(names):
    prediction = predict(names[[0, 1, 3, 2]], names[[0, 1, 0, 2]], names[:3])
    with pytest.raises(ilk.InputError, match="in row 2, which is none of its classes"):
        confusion.confusion_matrix(prediction)


def test_many_classes_of_text():
    names = np.unique([f"kind {i}" for i in range(300)])
    truth, labels = np.random.default_rng(0).integers(0, 300, (2, 5000))
    got = confusion.confusion_matrix(predict(names[truth], names[labels], names))
    np.testing.assert_array_equal(got, peer(truth, labels, labels=range(300)))


@pytest.mark.parametrize("width", ["U3", "U12"])
def test_texts_of_another_width(width):
    names = np.array(["class 1", "class 2", "cl"])[[2, 0, 1]]
    labels = np.array(["cl", "cl"]).astype(width)
    got = confusion.confusion_matrix(predict(names[[0, 1]], labels, names))
    assert got.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_only_answered_cases_count():
    labels = np.array(["a", None, "b", None], dtype=object)
    prediction = predict(
        list("aabb"), labels, ["a", "b"], rejected=np.array([False, True, False, True])
    )
    assert confusion.confusion_matrix(prediction).tolist() == [[1, 0], [0, 1]]


def test_absent_and_never_predicted_classes_have_zeros():
    matrix = confusion.confusion_matrix(predict([1, 1], [1, 2], [0, 1, 2]))
    assert matrix.tolist() == [[0, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert confusion.confusion_matrix(predict([], [], [0, 1])).tolist() == [[0, 0], [0, 0]]


def test_numbers_may_be_strided_and_read_only():
    truth = np.array(list("abababab"))
    truth.setflags(write=False)
    matrix = confusion.confusion_matrix(predict(truth[::2], truth[1::2], ["a", "b"]))
    assert matrix.tolist() == [[0, 4], [0, 0]]


def test_shares():
    counts = [[1, 1, 0], [1, 3, 0], [0, 0, 0]]
    true = confusion.normalized(counts)
    assert true[:2, :2].tolist() == [[0.5, 0.5], [0.25, 0.75]]
    assert np.isnan(true[2]).all()  # a class without cases has no shares, not shares of 0
    assert confusion.normalized(counts, "predicted")[:2, :2].tolist() == [[0.5, 0.25], [0.5, 0.75]]
    assert confusion.normalized(counts, "all").sum() == pytest.approx(1)
    with pytest.raises(ilk.InputError, match="'true', 'predicted' or 'all', got 'rows'"):
        confusion.normalized(counts, "rows")


def test_table_of_classes():
    prediction = predict(
        list("aaabbb"), list("aabbbb"), list("abc"), rejected=np.array([True] + [False] * 5)
    )
    table = confusion.per_class(prediction)
    assert table.index.tolist() == ["a", "b", "c"]
    assert table.cases.tolist() == [2, 3, 0]
    assert table.rejected.tolist() == [1, 0, 0]
    assert table.predicted.tolist() == [1, 4, 0]
    assert table.right.tolist() == [1, 3, 0]
    assert table.precision.tolist()[:2] == [1, 0.75]
    assert table.recall.tolist()[:2] == [0.5, 1]
    assert table.specificity.tolist() == [1, 0.5, 1]
    assert table.f1.tolist()[:2] == pytest.approx([2 / 3, 6 / 7])
    assert table.loc["c", ["precision", "recall", "f1"]].isna().all()
