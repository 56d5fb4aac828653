"""Pictures of learned metrics: what is drawn where, and what happens without matplotlib."""

import doctest
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ilk
from cases import in_one_test
from ilk_learners import plotting
from ilk_learners.plotting.space import half_axes, plane, turned

pytest.importorskip("matplotlib", reason="matplotlib is in the extra report")


class Diagonal(ilk.MetricLearner):
    """L is what it was told."""

    L: Any = ilk.param(default=None, type=object)

    def fit(self, X, y=None):
        self.components_ = np.asarray(self.L, dtype=float)
        return self

    def transform(self, X):
        return np.asarray(X) @ self.components_.T


class Local(ilk.LocalMetric):
    """Counts the first feature where it is positive, else the second, else nothing."""

    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def kneighbors(self, Q, k):
        raise NotImplementedError

    def local_metric(self, x):
        return np.array([float(x[0] > 0), float(x[0] < 0)])


def drawn(ax, path):
    """Write the figure, by which whatever cannot be drawn fails; return its pixels."""
    ax.figure.savefig(path / "picture.png", dpi=60)
    from matplotlib.image import imread

    return imread(path / "picture.png")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["a", "b", "_c$1$"], 20))
    return rng.normal(size=(60, 4)) + 4 * (y == "b")[:, None], y


def fitted(L, X=((0.0, 0.0), (1.0, 1.0))):
    return Diagonal(L=L).fit(np.asarray(X))


def test_learned_space_shows_both_sides(rows, tmp_path):
    X, y = rows
    learner = ilk.metric_learner("relevance").fit(X, y)
    before, after = plotting.learned_space(learner, X, y)
    assert before.figure is after.figure
    for ax in (before, after):
        assert sum(len(each.get_offsets()) for each in ax.collections) == 60
        assert len(ax.collections) == 3
    assert f"nearest neighbour's error {learner.report_.before:.3g}" in before.get_title()
    assert f"nearest neighbour's error {learner.report_.after:.3g}" in after.get_title()
    assert after.get_title().startswith("after relevance\n")
    assert before.get_legend() is None
    texts = [text.get_text() for text in after.get_legend().get_texts()]
    assert texts == [r" _c\$1\$", "a", "b"]
    assert drawn(before, tmp_path).std() > 0.05
    again = plotting.learned_space(learner, X, y, axes=(before, after))
    assert again == (before, after)


def test_learned_space_without_labels_with_numbers_and_of_one_feature(tmp_path):
    X = np.arange(12.0)[:, None]
    before, after = plotting.learned_space(fitted([[2.0]], X), X)
    assert (before.get_title(), after.get_title()) == ("before", "after Diagonal")
    assert len(before.collections) == 1
    before, after = plotting.learned_space(fitted([[2.0]], X), X, X[:, 0] / 8)
    drawn(before, tmp_path)
    assert len(after.figure.axes) == 3  # with a scale of the shades
    with pytest.raises(ilk.InputError, match="y has 11 values for the 12 rows"):
        plotting.learned_space(fitted([[2.0]], X), X, X[:11, 0] / 8)


def test_the_plane_keeps_variance_and_the_right_side_is_turned_to_the_left():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 5)) * [5, 3, 0, 0, 0]
    points, share = plane(X)
    assert share == pytest.approx(1)
    exact, share = plane(X[:, :2])
    assert share == 1
    rotation = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    np.testing.assert_allclose(turned(exact @ rotation, exact), exact, atol=1e-12)
    np.testing.assert_allclose(turned(points, exact), exact, atol=1e-12)
    assert plane(np.ones((4, 3)))[1] == 1


def test_feature_weights_are_the_diagonal_largest_first(tmp_path):
    learner = fitted([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    ax = plotting.feature_weights(learner, names=["one", "two", "_three"])
    assert [bar.get_width() for bar in ax.patches] == [9, 5, 1]
    assert [label.get_text() for label in ax.get_yticklabels()] == [" _three", "two", "one"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
    drawn(ax, tmp_path)
    few = plotting.feature_weights(learner, most=2)
    assert len(few.patches) == 2
    assert few.get_title() == "features by Diagonal, the largest 2 of 3"
    assert [label.get_text() for label in few.get_yticklabels()] == ["x2", "x1"]
    assert plotting.feature_weights(learner, ax=ax) is ax


def test_names_are_those_of_the_training_table(rows):
    X, y = rows
    table = pd.DataFrame(X, columns=["w", "x", "y", "z"])
    learner = ilk.metric_learner("relevance").fit(table, y)
    labels = plotting.feature_weights(learner).get_yticklabels()
    assert sorted(label.get_text() for label in labels) == ["w", "x", "y", "z"]
    with pytest.raises(ilk.InputError, match="relevance: names must be 4, .* got 1"):
        plotting.feature_weights(learner, names=["w"])


def test_metric_matrix_is_a(tmp_path):
    L = np.array([[1.0, -2.0], [0.0, 0.5]])
    ax = plotting.metric_matrix(fitted(L))
    np.testing.assert_allclose(ax.images[0].get_array(), L.T @ L)
    low, high = ax.images[0].get_clim()
    assert -low == high == pytest.approx(4.25)  # white is 0
    assert [label.get_text() for label in ax.get_xticklabels()] == ["x0", "x1"]
    assert drawn(ax, tmp_path).std() > 0.05
    wide = plotting.metric_matrix(fitted(np.eye(50)))
    assert wide.images[0].get_array().shape == (50, 50)
    local = plotting.metric_matrix(Local().fit(np.eye(2)), at=[-1.0, 0.0])
    np.testing.assert_array_equal(local.images[0].get_array(), [[0, 0], [0, 1]])


def test_half_axes_have_the_area_of_a_circle():
    lengths, directions = half_axes(np.diag([1.0, 16.0]))
    np.testing.assert_allclose(lengths, [2, 0.5])
    np.testing.assert_allclose(np.abs(directions), np.eye(2))
    lengths, directions = half_axes(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    np.testing.assert_allclose(lengths, [6, 1 / 6])  # without end, so cut
    np.testing.assert_allclose(np.abs(directions[0] @ [1, 1]), 2**0.5)


def test_ellipses_lie_where_the_metric_counts_little(tmp_path):
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    ax = plotting.ellipses(Local().fit(X), X, [1, 1, 2, 2], X[:3], size=0.1)
    first, second, third = ax.patches
    assert (first.width, first.height) == pytest.approx((2.4, 0.4 / 6))
    assert first.angle % 180 == pytest.approx(0)  # along the first feature, which does not count
    assert second.angle % 180 == pytest.approx(90)
    assert (third.width, third.height) == pytest.approx((0.4, 0.4))
    assert third.get_linestyle() == "dashed"
    np.testing.assert_array_equal([each.center for each in ax.patches], X[:3])
    drawn(ax, tmp_path)


def test_ellipses_of_a_global_metric_are_all_the_same(rows):
    X, y = rows
    learner = ilk.metric_learner("rca").fit(X, y)
    ax = plotting.ellipses(learner, X, y, features=(2, 0))
    assert len(ax.patches) == 12
    assert len({(round(e.width, 9), round(e.angle, 9)) for e in ax.patches}) == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x2", "x0")
    A = learner.metric_matrix_[np.ix_([2, 0], [2, 0])]
    e = ax.patches[0]
    along = np.array([np.cos(np.radians(e.angle)), np.sin(np.radians(e.angle))])
    across = np.array([-along[1], along[0]])
    reach = [(e.width / 2) ** 2 * along @ A @ along, (e.height / 2) ** 2 * across @ A @ across]
    assert reach[0] == pytest.approx(reach[1])  # both ends are equally far
    for wrong in ((0, 0), (0, 4), (-1, 0)):
        with pytest.raises(ilk.InputError, match="features must be two different ones of the 4"):
            plotting.ellipses(learner, X, y, features=wrong)


class Descending:
    """What a learner leaves of its descent."""

    loss_curve_ = (8.0, 4.0, 2.0)


def test_loss_curves(tmp_path):
    ax = plotting.loss_curves({"one": Descending(), "_two": Descending()})
    for line in ax.lines:
        assert line.get_ydata().tolist() == [1, 0.5, 0.25]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", " _two"]
    assert ax.get_ylabel() == "loss in shares of the first"
    drawn(ax, tmp_path)
    alone = plotting.loss_curves({"one": Descending()})
    assert alone.lines[0].get_ydata().tolist() == [8, 4, 2]
    assert (alone.get_ylabel(), alone.get_title()) == ("loss", "one")
    assert len(plotting.loss_curves([Descending()] * 9, ax=ax).lines) == 11
    with pytest.raises(ilk.InputError, match="rca: it has no loss_curve_"):
        plotting.loss_curves(ilk.metric_learner("rca"))
    with pytest.raises(ilk.InputError, match="there is no learner"):
        plotting.loss_curves([])


def test_what_is_no_metric_learner_is_refused(rows):
    X, y = rows
    for draw in (plotting.feature_weights, plotting.metric_matrix):
        with pytest.raises(ilk.InputTypeError, match="needs a fitted metric learner"):
            draw(ilk.distance("euclidean"))
        with pytest.raises(ilk.InputError, match="Local: its metric depends on the point"):
            draw(Local().fit(X))
    with pytest.raises(ValueError, match="not fitted"):
        plotting.feature_weights(ilk.metric_learner("rca"))
    with pytest.raises(ilk.InputError, match="Local: it maps no rows"):
        plotting.learned_space(Local().fit(X), X, y)


def test_without_matplotlib(rows, monkeypatch):
    X, y = rows
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    learner = ilk.metric_learner("rca").fit(X, y)
    for draw in (
        lambda: plotting.learned_space(learner, X, y),
        lambda: plotting.feature_weights(learner),
        lambda: plotting.metric_matrix(learner),
        lambda: plotting.ellipses(learner, X, y),
        lambda: plotting.loss_curves(Descending()),
    ):
        with pytest.raises(ilk.IlkError, match=r"pip install matplotlib"):
            draw()


@in_one_test
@pytest.mark.parametrize("module", ["metrics", "space"])
def test_examples_run(module):
    failed, attempted = doctest.testmod(import_module(f"ilk_learners.plotting.{module}"))
    assert attempted
    assert not failed


@in_one_test
@pytest.mark.parametrize(
    ("draw", "wanted", "message"),
    [
        ("ellipses", {"features": ("a", "b")}, "features must be two different ones of the 2"),
        ("ellipses", {"features": None}, "features must be two different ones of the 2"),
        ("ellipses", {"features": (0.5, 1)}, "features must be two different ones of the 2"),
        ("ellipses", {"size": np.inf}, "ellipses: size must be a number > 0"),
        ("ellipses", {"size": "a"}, "ellipses: size must be a number > 0"),
        ("feature_weights", {"most": 1.5}, "feature_weights: most must be an integer >= 1"),
        ("feature_weights", {"names": 3}, "identity: names must be 2, one for each .* got 3"),
        ("metric_matrix", {"names": "ab"}, "identity: names must be 2, one for each .* got 'ab'"),
    ],
)
def test_wrong_arguments_are_named(draw, wanted, message):
    X = np.arange(12.0).reshape(6, 2)
    learner = ilk.metric_learner("identity").fit(X)
    data = (X,) if draw == "ellipses" else ()
    with pytest.raises(ilk.InputError, match=message):
        getattr(plotting, draw)(learner, *data, **wanted)


def test_neither_a_class_nor_an_infinite_metric_is_drawn():
    X = np.random.default_rng(0).normal(size=(20, 2)) * 1e-200
    learner = ilk.metric_learner("whitening").fit(X)
    with pytest.raises(ilk.InputError, match="whitening: rows vary so little that the metric"):
        plotting.metric_matrix(learner)
    with pytest.raises(ilk.InputTypeError, match="a picture needs a fitted metric learner"):
        plotting.metric_matrix(type(learner))
