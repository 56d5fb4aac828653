"""The picture of what an editor kept."""

import numpy as np
import pandas as pd
import pytest

import ilk

pytest.importorskip("matplotlib")


@pytest.fixture
def drawn():
    """An editor that kept some of two classes in the plane, and its cases."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (20, 2)), rng.normal(2, 1, (20, 2))])
    y = np.repeat(["_left", "right"], 20)
    editor = ilk.editor("cnn")
    editor.fit_resample(X, y)
    return editor, X, y


def test_kept_and_removed_cases_are_told_apart(drawn, tmp_path):
    from ilk_learners.plotting import selection

    editor, X, y = drawn
    ax = selection(editor, X, y)
    removed_left, kept_left, removed_right, kept_right = ax.collections
    there = np.isin(np.arange(40), editor.sample_indices_)
    for found, mask in (
        (removed_left, ~there & (y == "_left")),
        (kept_left, there & (y == "_left")),
        (removed_right, ~there & (y == "right")),
        (kept_right, there & (y == "right")),
    ):
        np.testing.assert_array_equal(np.asarray(found.get_offsets()), X[mask])
    assert kept_left.get_sizes()[0] > removed_left.get_sizes()[0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [" _left", "right"]
    assert ax.get_title() == f"cnn kept {there.sum()} of 40 cases"
    ax.figure.savefig(tmp_path / "kept.png")


def test_features_of_a_frame_are_named_and_chosen(drawn):
    from ilk_learners.plotting import selection

    editor, X, y = drawn
    table = pd.DataFrame({"u": X[:, 0], "v": X[:, 1]})
    ax = selection(editor, table, y, features=(1, 0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("v", "u")
    axes = ax.figure.add_subplot()
    assert selection(editor, X, y, axes=axes) is axes


def test_what_does_not_fit_is_named(drawn):
    from ilk_learners.plotting import selection

    editor, X, y = drawn
    with pytest.raises(ilk.InputError, match="cnn: has chosen no cases yet"):
        selection(ilk.editor("cnn"), X, y)
    with pytest.raises(ilk.InputError, match="cnn: X has 39 rows, but it chose from 40"):
        selection(editor, X[1:], y[1:])
    with pytest.raises(ilk.InputError, match=r"cnn: features must be within 0..1, got 2"):
        selection(editor, X, y, features=(0, 2))
    for features in ((0, 1, 0), (0,), ("u", "v"), 0, None, (0.0, 1.0)):
        with pytest.raises(ilk.InputError, match="cnn: features must be the numbers of two, got"):
            selection(editor, X, y, features=features)
    with pytest.raises(ilk.InputError, match="cnn: X must have two features to be drawn, got 1"):
        selection(editor, X[:, :1], y)
    with pytest.raises(ilk.InputError, match="selection: editor must be an editor, got 'cnn'"):
        selection("cnn", X, y)
