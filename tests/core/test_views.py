"""Views of tables and arrays: how their columns are found, and what is said where they are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ilk
from cases import in_one_test

NAMES = ["level0_0", "level0_1", "level1_0", "size", "a*"]


class Viewer(ilk.Component):
    """Has views."""

    views: ilk.ViewsLike | None = ilk.param(default=None, type=ilk.Views)


def found(views, labels=NAMES):
    columns = ilk.view_columns(Viewer(), views, labels, 5)
    return {name: positions.tolist() for name, positions in columns.items()}


@in_one_test
@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (["size", "level0_1"], [3, 1]),
        (["level0_*"], [0, 1]),
        (["level?_0", "size"], [0, 2, 3]),
        (["*"], [0, 1, 2, 3, 4]),
        (["a*"], [4]),  # a name before it is a pattern
        ([4, 0], [4, 0]),
    ],
)
def test_columns_by_name_pattern_and_position(view, expected):
    assert found({"v": view}) == {"v": expected}


def test_views_of_a_list_are_named_by_position():
    assert found([["size"], [0]]) == {0: [3], 1: [0]}


@in_one_test
@pytest.mark.parametrize(
    ("views", "said"),
    [
        ({"v": ["sizes"]}, r"\['v'\] must name columns of X, got 'sizes'; did you mean 'size'"),
        ({"v": ["level9_*"]}, "must name columns of X, got 'level9_*'"),
        ({"v": [5]}, "must name columns of X, got 5"),
        ({"v": [-1]}, "must name columns of X, got -1"),
        ({"v": [True]}, "must name columns of X, got True"),
        ("data", "is 'data', which an experiment replaces"),
    ],
)
def test_columns_that_are_not_there(views, said):
    with pytest.raises(ilk.ParameterError) as caught:
        found(views)
    assert said.replace("\\", "") in str(caught.value)


def test_arrays_have_positions_only():
    with pytest.raises(ilk.ParameterError, match="must give positions of columns of X, got '\\*'"):
        found({"v": ["*"]}, labels=[])


@pytest.mark.parametrize(
    ("views", "said"),
    [({}, "at least one view"), ([], "at least one view"), ({"a": []}, "must have a column")],
)
def test_views_must_have_columns(views, said):
    with pytest.raises(ilk.ParameterError, match=said):
        ilk.check_views(Viewer(), views)


@in_one_test
@pytest.mark.parametrize("wrong", ["date", 3, {"a": "b"}, ["ab", "cd"], {"a": 1}])
def test_other_values_are_no_views(wrong):
    assert "a table of lists of columns" in str(ilk.Param(ilk.Views).problem(wrong))


def test_views_of_tables_follow_the_names_of_columns():
    frame = pd.DataFrame(np.arange(10).reshape(2, 5), columns=NAMES)
    viewer = Viewer()
    ilk.learn_views(viewer, frame, {"one": ["level0_*"], "two": ["size"]})
    shuffled = frame[NAMES[::-1]]
    views = dict(ilk.views_of(viewer, shuffled))
    assert list(views["one"].columns) == ["level0_0", "level0_1"]
    np.testing.assert_array_equal(views["two"], [[3], [8]])
    with pytest.raises(ilk.InputError, match=r"lacks \['size'\]"):
        dict(ilk.views_of(viewer, frame.drop(columns="size")))


def test_views_of_a_data_set_replace_the_word():
    viewer = ilk.with_views(Viewer(views="data"), {"a": ("x", "y")})
    assert viewer.views == {"a": ["x", "y"]}
    own = ilk.with_views(Viewer(views={"b": ["z"]}), {"a": ("x", "y")})
    assert own.views == {"b": ["z"]}
    with pytest.raises(ilk.ParameterError, match="views is 'data', but the data set has no views"):
        ilk.with_views(Viewer(views="data"), {})


def test_components_that_use_views_are_told():
    assert ilk.uses_views(Viewer(views="data"))
    assert ilk.uses_views(Viewer(views=[[0]]))
    assert not ilk.uses_views(Viewer())
    nested = ilk.Pipeline(
        [{"classifier": {"use": "voting", "members": [{"use": "multiview", "views": "data"}]}}]
    )
    assert ilk.uses_views(nested)
    assert not ilk.uses_views(ilk.Pipeline([{"classifier": "knn"}]))
