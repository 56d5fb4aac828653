"""Data and its fingerprint; predictions; ranks."""

import numpy as np
import pandas as pd
import pytest

import ilk
from cases import in_one_test

X = np.arange(6.0).reshape(3, 2)
Y = np.array(["a", "b", "a"])


def test_the_fingerprint_is_of_the_content():
    data = ilk.Data(X, Y, name="one")
    assert data.fingerprint == ilk.Data(X.copy(order="F"), Y.copy(), name="two").fingerprint
    assert len(data.fingerprint) == 64


@in_one_test
@pytest.mark.parametrize(
    "other",
    [
        ilk.Data(X + 1e-12, Y),
        ilk.Data(X.astype("f4"), Y),
        ilk.Data(X[::-1], Y),
        ilk.Data(X, np.array(["a", "b", "b"])),
        ilk.Data(X, Y, feature_names=("u", "v")),
        ilk.Data(X, Y, groups=np.arange(3)),
        ilk.Data(pd.DataFrame(X), Y),
        ilk.Data(X.tolist(), Y),
        ilk.Data(X.reshape(2, 3), Y),
    ],
)
def test_any_change_of_content_changes_the_fingerprint(other):
    assert other.fingerprint != ilk.Data(X, Y).fingerprint


def test_nominal_values_and_missing_ones_count():
    frames = [
        pd.DataFrame({"a": pd.Categorical(values)})
        for values in (["x", "y", "x"], ["x", "y", "y"], ["x", "y", None])
    ]
    assert len({ilk.Data(frame, Y).fingerprint for frame in frames}) == 3


def test_categories_their_order_and_whether_it_counts_matter():
    types = [
        pd.CategoricalDtype(["x", "y"]),
        pd.CategoricalDtype(["y", "x"]),
        pd.CategoricalDtype(["x", "y", "z"]),
        pd.CategoricalDtype(["x", "y"], ordered=True),
    ]
    frames = [pd.DataFrame({"a": pd.Series(["x", "y", "x"], dtype=dtype)}) for dtype in types]
    assert len({ilk.Data(frame, Y).fingerprint for frame in frames}) == 4


def test_texts_are_told_apart():
    assert ilk.Data(["ab", "c", "d"], Y).fingerprint != ilk.Data(["a", "bc", "d"], Y).fingerprint


def test_classes_and_length():
    data = ilk.Data(X, Y)
    assert data.classes.tolist() == ["a", "b"]
    assert len(data) == 3
    assert data.Xy[1] is Y


def test_a_prediction_answers_everything_unless_told():
    prediction = ilk.Prediction(Y, Y, np.array(["a", "b"]))
    assert prediction.answered.all()
    assert prediction.indices.tolist() == [0, 1, 2]
    assert len(prediction) == 3


def test_ranks_share_ties():
    assert ilk.rank_rows([[0.1, 0.3, 0.1]], greater_is_better=False).tolist() == [[1.5, 3, 1.5]]
    assert ilk.rank_rows([[0.1, 0.3, 0.2]], greater_is_better=True).tolist() == [[3, 1, 2]]


def test_scores_become_a_matrix_in_the_order_of_the_spec():
    table = pd.DataFrame(
        [
            ("d", "q", 0, 0, 1.0),
            ("d", "p", 0, 0, 2.0),
            ("d", "p", 0, 1, 4.0),
            ("c", "p", 0, 0, 5.0),
        ],
        columns=["dataset", "pipeline", "repeat", "fold", "value"],
    )
    scores = ilk.Scores(table, "error", False, pipelines=("p", "q"), datasets=("c", "d"))
    matrix = scores.matrix()
    assert matrix.columns.tolist() == ["p", "q"]
    assert matrix.loc["d", "p"] == 3.0
    assert np.isnan(matrix.loc["c", "q"])


def test_combiner_outputs_are_checked():
    good = np.full((2, 3, 2), 0.5)
    owner = type("Mine", (ilk.Combiner,), {"combine": lambda self, outputs, X=None: outputs})()
    assert ilk.check_outputs(owner, good).shape == (2, 3, 2)
    for value, said in ((np.nan, "not finite"), (-1.0, "negative value .-1.0.")):
        bad = good.copy()
        bad[1, 2, 0] = value
        with pytest.raises(ilk.InputError, match=f"{said}.* at member 1, sample 2, class 0"):
            ilk.check_outputs(owner, bad)
    bad = good.copy()
    bad[0, 1] = 0
    with pytest.raises(ilk.InputError, match="member 0 for sample 1 are all zero"):
        ilk.check_outputs(owner, bad)
    with pytest.raises(ilk.InputError, match=r"shape .members, samples, classes., got .3, 2."):
        ilk.check_outputs(owner, good[0])
    with pytest.raises(ilk.InputError, match="must be numbers"):
        ilk.check_outputs(owner, [[["a"]]])


def test_resamplings_estimate_by_the_mean():
    cls = type("One", (ilk.Resampling,), {"splits": lambda self, X, y, groups=None: iter(())})
    assert cls().estimate([1.0, 2.0]) == 1.5


def test_what_differs_by_rounding_is_a_tie():
    ranks = ilk.rank_rows([[0.1 + 0.2, 0.3, 0.4], [1e-9, 2e-9, 1e9]], greater_is_better=False)
    assert ranks.tolist() == [[1.5, 1.5, 3], [1, 2, 3]]


def test_no_labels_at_all():
    with pytest.raises(ilk.InputError, match="y"):
        ilk.check_labels(ilk.distance("power"), [])


@in_one_test
@pytest.mark.parametrize(
    ("single", "row"),
    [
        ([1, 2.5], np.array([[1, 2.5]])),
        (np.array([1.0, 2.0]), np.array([[1.0, 2.0]])),
        ((1.5, "red", None), np.array([[1.5, "red", None]], dtype=object)),
        ("red", ["red"]),
        ({1, 2}, [{1, 2}]),
        ([[1, 2], [3, 4]], [[[1, 2], [3, 4]]]),
    ],
    ids=str,
)
def test_a_single_object_becomes_one_row(single, row):
    made = ilk.one_row(single)
    assert type(made) is type(row)
    assert np.array_equal(made, row) if isinstance(row, np.ndarray) else made == row
    assert ilk.n_rows(made) == 1


def test_a_row_of_a_frame_keeps_its_types():
    frame = pd.DataFrame({"a": [1.5], "b": ["x"]})
    assert ilk.one_row(frame.iloc[0]).dtypes["a"].kind == "f"


def test_a_number_is_no_object():
    with pytest.raises(ilk.InputError, match="got the number 3"):
        ilk.one_row(3)


def test_its_representation_is_a_line():
    data = ilk.Data(np.zeros((3, 2)), Y, name="one", groups=np.arange(3))
    assert repr(data) == "<Data 'one': 3 cases of 2 features, 2 classes, 3 groups>"
    assert repr(ilk.Data(["x", "y", "z"], Y)) == "<Data '': 3 cases, 2 classes>"
