"""Pictures of ensembles: what is drawn where, and what happens without matplotlib."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk_ensembles import plotting

Figure = pytest.importorskip("matplotlib.figure", reason="in the extra report").Figure


class Growing(ilk.Classifier):
    """After k rounds the first feature decides at 1/k; rows beyond are of class "b"."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def staged_predict(self, X):
        for k in (1, 2, 4):
            yield self.classes_[(np.asarray(X)[:, 0] > 1 / k).astype(int)]

    def predict(self, X):
        return list(self.staged_predict(X))[-1]


class Together(ilk.Classifier):
    """Two cases are together by a Gaussian of their distance: inner products of features."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        raise NotImplementedError

    def proximities(self, X):
        gaps = np.asarray(X)[:, None] - np.asarray(X)[None]
        return np.exp(-(gaps**2).sum(axis=2))


@pytest.fixture
def data():
    X = np.random.default_rng(0).uniform(0, 1, (40, 2))
    return X, np.where(X[:, 0] > 0.25, "b", "_a$")


def pixels(ax, path):
    """Write the figure, by which whatever cannot be drawn fails."""
    ax.figure.savefig(path / "picture.png", dpi=50)
    from matplotlib.image import imread

    return imread(path / "picture.png")


def test_errors_are_those_of_the_stages(data, tmp_path):
    X, y = data
    model = Growing().fit(X, y)
    ax = plotting.error_by_size(model, {"training": (X, y), "some": (X[:9], y[:9])})
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert list(lines) == ["training", "some"]
    expected = [np.mean((X[:, 0] > 1 / k) != (y == "b")) for k in (1, 2, 4)]
    np.testing.assert_allclose(lines["training"], np.column_stack([[1, 2, 3], expected]))
    assert expected[-1] == 0
    assert pixels(ax, tmp_path).std() > 0


def test_the_bound_is_drawn_where_there_is_one(data):
    X, y = data
    model = Growing().fit(X, y)
    model.error_bounds_ = np.array([0.9, 0.5, 0.2])
    ax = plotting.error_by_size(model, {"training": (X, y)}, axes=Figure().subplots())
    np.testing.assert_array_equal(ax.lines[-1].get_ydata(), [0.9, 0.5, 0.2])
    assert ax.lines[-1].get_label() == "bound of the training error"


def test_errors_need_stages_and_data(data):
    X, y = data
    with pytest.raises(ilk.InputError, match="has no staged_predict"):
        plotting.error_by_size(Together().fit(X, y), {"training": (X, y)})
    with pytest.raises(ilk.InputError, match="sets must hold at least one"):
        plotting.error_by_size(Growing().fit(X, y), {})


def test_uplift_by_diversity(tmp_path):
    ax = plotting.diversity_uplift([0.1, 0.3, 0.2], [0.2, 0.0, 0.1], names=["a", "b", "_c$"])
    assert ax.get_title() == "correlation -1.00"
    np.testing.assert_allclose(ax.collections[0].get_offsets(), [[0.1, 0.2], [0.3, 0], [0.2, 0.1]])
    assert [text.get_text() for text in ax.texts] == ["a", "b", r" _c\$"]
    assert pixels(ax, tmp_path).std() > 0


@in_one_test
@pytest.mark.parametrize(
    ("diversity", "uplift", "names", "said"),
    [
        ([], [], None, "two arrays of shape"),
        ([1, 2], [1], None, "two arrays of shape"),
        ([1, np.nan], [1, 2], None, "must be finite"),
        ([1, 2], [1, 2], ["a"], "names must be 2"),
    ],
)
def test_uplift_of_other_input_is_refused(diversity, uplift, names, said):
    with pytest.raises(ilk.InputError, match=said):
        plotting.diversity_uplift(diversity, uplift, names=names)


def test_equal_diversities_have_no_correlation():
    assert plotting.diversity_uplift([0.1, 0.1, 0.1], [0.1, 0.2, 0.3]).get_title() == ""


def test_an_embedding_keeps_distances_where_two_dimensions_will_do(tmp_path):
    """Three clumps far apart: points of a clump coincide, clumps are equally far apart."""
    X = np.repeat([[0.0, 0], [50, 0], [0, 50]], 4, axis=0)
    y = np.repeat(["a", "b", "c"], 4)
    ax = plotting.proximity_embedding(Together().fit(X, y), X, y)
    clouds = [np.asarray(cloud.get_offsets()) for cloud in ax.collections]
    assert [cloud.shape for cloud in clouds] == [(4, 2)] * 3
    centres = np.array([cloud.mean(axis=0) for cloud in clouds])
    assert max(np.abs(c - m).max() for c, m in zip(clouds, centres, strict=True)) < 1e-6
    gaps = [np.linalg.norm(centres[i] - centres[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    np.testing.assert_allclose(gaps, np.sqrt(2))
    assert pixels(ax, tmp_path).std() > 0


def test_an_embedding_of_many_cases_shows_some(data):
    X, y = data
    ax = plotting.proximity_embedding(Together().fit(X, y), X, y, max_cases=10)
    assert sum(len(cloud.get_offsets()) for cloud in ax.collections) == 10


def test_an_embedding_needs_proximities(data):
    X, y = data
    with pytest.raises(ilk.InputError, match="has no proximities"):
        plotting.proximity_embedding(Growing().fit(X, y), X, y)
    with pytest.raises(ilk.InputError, match="at least 3 cases, got 2"):
        plotting.proximity_embedding(Together().fit(X, y), X[:2], y[:2])


def test_regions_by_round(data, tmp_path):
    X, y = data
    model = Growing().fit(X, y)
    panels = plotting.decision_regions(model, X, y, rounds=(2, 1), resolution=50)
    assert [ax.get_title() for ax in panels] == ["1 round", "2 rounds"]
    left, right, _, _ = panels[1].images[0].get_extent()
    columns = np.linspace(left, right, 50)
    expected = np.tile(columns > 0.5, (50, 1))
    np.testing.assert_array_equal(panels[1].images[0].get_array(), expected)
    assert pixels(panels[0], tmp_path).std() > 0
    assert len(plotting.decision_regions(model, X, y, resolution=10)) == 1


def test_kappa_and_error_of_each_pair(tmp_path):
    kappa = np.array([[1, 0.5, np.nan], [0.5, 1, -0.1], [np.nan, -0.1, 1]])
    ax = plotting.kappa_error(kappa, [0.1, 0.2, 0.4])
    points = np.ma.getdata(ax.collections[0].get_offsets())
    np.testing.assert_allclose(points, [[0.5, 0.15], [np.nan, 0.25], [-0.1, 0.3]])
    assert pixels(ax, tmp_path).std() > 0


@in_one_test
@pytest.mark.parametrize(
    ("kappa", "errors", "said"),
    [
        (np.eye(2), [0.1], "got \\(2, 2\\) and \\(1,\\)"),
        (np.eye(1), [0.1], "for L > 1 members"),
        (np.eye(2), [0.1, np.nan], "errors must be finite"),
        (np.eye(2), ["a", "b"], "must be numbers"),
    ],
)
def test_kappa_and_errors_must_be_of_the_same_members(kappa, errors, said):
    with pytest.raises(ilk.InputError, match=said):
        plotting.kappa_error(kappa, errors)


@pytest.mark.parametrize("refused", ["?", -1, "c"])
def test_rejected_regions_are_white(data, refused, tmp_path):
    """Left corners of a square are of a, right ones of b: near the other sides 2-NN ties."""
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), ["a", "a", "b", "b"]
    model = ilk.classifier("knn", k=2, ties="reject", reject_label=refused).fit(X, y)
    (ax,) = plotting.decision_regions(model, X, y, resolution=11)
    shown = ax.images[0].get_array()
    mask = np.ma.getmaskarray(shown)
    labels = model.predict(ax_grid(ax, 11))
    assert mask.any()
    assert not mask.all()
    np.testing.assert_array_equal(mask.ravel(), ~np.isin(labels.astype(str), ["a", "b"]))
    colors = ax.images[0].to_rgba(shown)
    assert (colors[mask][:, :3] == 1).all()
    assert (colors[~mask][:, :3] < 1).any(axis=1).all()
    assert legend_of(ax) == ["a", "b", "rejected"]
    assert pixels(ax, tmp_path).std() > 0


def ax_grid(ax, resolution):
    left, right, bottom, top = ax.images[0].get_extent()
    across, up = np.linspace(left, right, resolution), np.linspace(bottom, top, resolution)
    return np.column_stack([axis.ravel() for axis in np.meshgrid(across, up)])


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_last_panel_has_the_legend(data):
    X, y = data
    model = Growing().fit(X, y)
    first, last = plotting.decision_regions(model, X, y, rounds=(1, 2), resolution=5)
    assert first.get_legend() is None
    assert legend_of(last) == [r" _a\$", "b"]
    (ax,) = plotting.decision_regions(model, X, y, resolution=5, legend=False)
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("rounds", "error", "said"),
    [
        ((1, 4), ilk.InputError, "has 3 rounds, but 4 are to be drawn"),
        ((0, 1), ilk.ParameterError, "rounds must be >= 1"),
        ((), ilk.ParameterError, "rounds must be >= 1"),
    ],
)
def test_regions_of_other_rounds_are_refused(data, rounds, error, said):
    X, y = data
    with pytest.raises(error, match=said):
        plotting.decision_regions(Growing().fit(X, y), X, y, rounds=rounds, resolution=5)


def test_regions_need_two_features(data):
    X, y = np.column_stack([data[0], data[0]]), data[1]
    with pytest.raises(ilk.InputError, match="X must have two features to be drawn, got 4"):
        plotting.decision_regions(Growing().fit(X, y), X, y)


def test_points_have_the_colours_of_their_classes_where_others_are_absent():
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], ["a", "b", "c"]
    model = ilk.classifier("knn", k=1).fit(X, y)
    for first in range(3):  # a single row, too: the axes have a width
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            (ax,) = plotting.decision_regions(model, X[first:], y[first:], resolution=5)
        shown = {each.get_label(): each.get_offsets().tolist() for each in ax.collections}
        assert shown == {
            label: [row] if code >= first else []
            for code, (label, row) in enumerate(zip(y, X, strict=True))
        }


@in_one_test
@pytest.mark.parametrize(
    ("kind", "labels", "said"),
    [
        ("classifier", [0, 7], "y has the label 7, which is no class of knn"),
        ("regressor", [0, 1], "model must be a classifier, got knn"),
    ],
)
def test_regions_are_of_the_classes_of_a_classifier(kind, labels, said):
    X = [[0.0, 0.0], [1.0, 1.0]]
    model = ilk.build("knn", kind=kind).set_params(k=1).fit(X, [0, 1])
    with pytest.raises(ilk.InputError, match=said):
        plotting.decision_regions(model, X, labels)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ilk.IlkError, match="the extra 'report' of ilk has it"):
        plotting.diversity_uplift([1.0], [1.0])
