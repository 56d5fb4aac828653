"""Pictures: what is drawn where, and what happens without matplotlib."""

import doctest
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA

import ilk
import ilk_distances
from cases import in_one_test
from ilk.plotting import class_style
from ilk_distances import plotting
from ilk_distances.plotting import scaled

pytest.importorskip("matplotlib", reason="matplotlib is in the extra report")
EUCLIDEAN = ilk.distance("euclidean")


def drawn(ax, path):
    """Write the figure, by which whatever cannot be drawn fails; return its pixels."""
    ax.figure.savefig(path / "picture.png", dpi=60)
    from matplotlib.image import imread

    return imread(path / "picture.png")


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["far", "near", "mid"], [10, 20, 30]))
    shift = {"near": 0, "mid": 8, "far": 20}
    return rng.normal(size=(60, 3)) + np.array([shift[name] for name in y])[:, None], y


def test_heat_map_puts_classes_together(blobs, tmp_path):
    X, y = blobs
    ax = plotting.heat_map(EUCLIDEAN, X, y)
    image = np.asarray(ax.images[0].get_array())
    assert image.shape == (60, 60)
    np.testing.assert_array_equal(np.diag(image), 0)
    sizes = [10, 30, 20]  # far, mid, near
    own = np.repeat(range(3), sizes)
    same = own[:, None] == own
    assert image[same].max() < image[~same].min()
    np.testing.assert_allclose(np.sort(image, axis=None), np.sort(EUCLIDEAN.pairwise(X), axis=None))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["far", "mid", "near"]
    assert ax.get_yticks().tolist() == [4.5, 24.5, 49.5]
    borders = [set(np.ravel(line.get_ydata())) for line in ax.lines]
    assert {9.5} in borders
    assert {39.5} in borders
    assert drawn(ax, tmp_path).std() > 0.1


def test_heat_map_shows_the_typical_first():
    X = [[0.0], [1.0], [2.0], [9.0]]
    ax = plotting.heat_map(EUCLIDEAN, X, [0, 0, 0, 0])
    image = np.asarray(ax.images[0].get_array())
    assert image[0].tolist() == [0, 1, 1, 8]  # row 1, then the others by their mean distance
    plain = plotting.heat_map(EUCLIDEAN, X)
    np.testing.assert_array_equal(plain.images[0].get_array(), EUCLIDEAN.pairwise(X))


def test_embedding_of_points_in_a_plane_keeps_their_distances():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 5)) + 100
    D = cdist(flat, flat)
    points, share = scaled(D)
    np.testing.assert_allclose(cdist(points, points), D, atol=1e-7)
    assert share == pytest.approx(1)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9)


def test_embedding_of_euclidean_distances_is_principal_components():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [4, 2, 1, 0.5]
    expected = PCA(2).fit_transform(X)
    points, share = scaled(cdist(X, X))
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-8)
    variances = PCA().fit(X).explained_variance_
    assert share == pytest.approx(variances[:2].sum() / variances.sum())


@pytest.mark.parametrize("n", [1, 2, 5])
def test_embedding_of_few_or_equal_rows(n):
    points, share = scaled(np.zeros((n, n)))
    assert points.shape == (n, 2)
    assert not points.any()
    assert share == 1


def test_embedding_of_huge_and_asymmetric_distances():
    D = np.array([[0, 1e200, 3e200], [1e200, 0, 2e200], [3e200, 4e200, 0]])
    points, _ = scaled(D)
    line = cdist(points / 1e200, points / 1e200)  # means of both directions
    np.testing.assert_allclose(line, [[0, 1, 3], [1, 0, 3], [3, 3, 0]], atol=1e-9)


def test_embedding_tells_classes_apart_without_colours(blobs, tmp_path):
    ax = plotting.embedding(EUCLIDEAN, *blobs)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["far", "mid", "near"]
    shapes = {collection.get_paths()[0].vertices.tobytes() for collection in ax.collections}
    assert len(shapes) == len(ax.collections) == 3
    assert sum(len(collection.get_offsets()) for collection in ax.collections) == 60
    assert drawn(ax, tmp_path).std() > 0.05
    assert plotting.embedding(EUCLIDEAN, blobs[0]).get_legend() is None


def test_looks_are_distinct():
    looks = [tuple(class_style(i).values()) for i in range(63)]
    assert len(set(looks)) == 63


SOURCE = [[1.0, 1.0], [3.0, 4.0]], [0.6, 0.4]
TARGET = [[1.5, 3.0], [4.0, 1.5], [5.0, 4.0]], [0.5, 0.3, 0.2]


def moved(ax):
    return sorted(text.get_text() for text in ax.texts if text.get_gid() == "moved")


def test_flow_as_in_the_source(tmp_path):
    """Masses 0.6, 0.4 to 0.5, 0.3, 0.2: 0.5, 0.1, 0.2 and 0.2 are moved."""
    ax = plotting.flow(ilk.distance("emd"), SOURCE, TARGET)
    assert moved(ax) == ["0.1", "0.2", "0.2", "0.5"]
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    ends = {(tuple(arrow.xyann), tuple(arrow.xy)) for arrow in arrows}
    assert ends == {
        ((1.0, 1.0), (1.5, 3.0)),
        ((1.0, 1.0), (4.0, 1.5)),
        ((3.0, 4.0), (4.0, 1.5)),
        ((3.0, 4.0), (5.0, 4.0)),
    }
    widths = {tuple(a.xy): a.arrow_patch.get_linewidth() for a in arrows if a.xyann == (1.0, 1.0)}
    assert widths[1.5, 3.0] > widths[4.0, 1.5]
    distance = ilk.distance("emd").between(SOURCE, TARGET)
    assert ax.get_title() == f"emd = {distance:.4g}"
    np.testing.assert_allclose(ax.collections[0].get_offsets(), SOURCE[0])
    assert drawn(ax, tmp_path).std() > 0.1


@pytest.mark.parametrize("d", [1, 3])
def test_flow_on_a_line_and_in_space(d, tmp_path):
    rng = np.random.default_rng(d)
    x, y = ((rng.normal(size=(n, d)), rng.dirichlet(np.ones(n))) for n in (5, 6))
    ax = plotting.flow(ilk.distance("emd"), x, y)
    assert moved(ax) == []  # eleven points: too many for numbers
    offsets = [collection.get_offsets() for collection in ax.collections]
    assert [len(each) for each in offsets] == [5, 6]
    if d == 1:
        np.testing.assert_allclose(offsets[0][:, 0], x[0][:, 0])
        assert set(offsets[0][:, 1]) == {1.0}
    drawn(ax, tmp_path)


def test_flow_needs_a_distance_that_has_one():
    with pytest.raises(ilk.InputError, match="euclidean has no flow to draw; emd has"):
        plotting.flow(EUCLIDEAN, SOURCE, TARGET)


def test_draws_on_given_axes_without_pyplot(blobs):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert plotting.heat_map(EUCLIDEAN, *blobs, ax=ax) is ax
    assert plotting.embedding(EUCLIDEAN, *blobs, ax=Figure().subplots()).figure is not ax.figure
    assert (
        "matplotlib.pyplot" not in sys.modules
        or sys.modules["matplotlib.pyplot"].get_fignums() == []
    )


def test_distances_that_cannot_be_drawn_are_named():
    matrix = np.array([[0, np.inf], [np.inf, 0]])
    distance = ilk.distance("precomputed", matrix=matrix)
    with pytest.raises(ilk.InputError, match="distance of rows 0 and 1 of X is inf"):
        plotting.heat_map(distance, [[0], [1]])
    with pytest.raises(ilk.InputError, match="y has 1 values for the 2 rows"):
        plotting.embedding(EUCLIDEAN, [[0.0], [1.0]], [1])


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ilk.IlkError, match="needs matplotlib.*extra 'report' of ilk"):
        plotting.heat_map(EUCLIDEAN, [[0.0], [1.0]])


def test_docstring_examples():
    tried = doctest.testmod(plotting)
    assert tried.attempted > 8
    assert tried.failed == 0


@in_one_test
@pytest.mark.parametrize("draw", [plotting.heat_map, plotting.embedding])
@pytest.mark.parametrize("distance", ["euclidean", None, ilk.kernel("linear")])
def test_no_distance(draw, distance):
    with pytest.raises(ilk.InputTypeError, match="a plot needs a fitted distance, got"):
        draw(distance, [[0.0], [1.0]])


@pytest.mark.parametrize("draw", [plotting.heat_map, plotting.embedding])
def test_names_of_classes_are_drawn_as_they_are(draw, tmp_path):
    """Neither as formulas nor left out of the legend."""
    names = ["$x^$", "_hidden", ""]
    ax = draw(EUCLIDEAN, np.arange(6.0)[:, None], names * 2)
    ax.figure.savefig(tmp_path / "picture.png")
    legend = ax.get_legend()
    texts = ax.get_yticklabels() if legend is None else legend.get_texts()
    assert len(texts) == 3
    assert sorted(text.get_text().strip() for text in texts) == sorted([r"\$x^\$", "_hidden", ""])


@pytest.mark.parametrize(
    ("distance", "x", "y"),
    [
        (ilk.distance("emd"), [1, 2, 3], [1, 1, 4]),
        (ilk.distance("emd", ground="levenshtein"), (["a", "bc"], [1, 2]), (["abc"], [3])),
    ],
)
def test_flow_of_no_points(distance, x, y):
    with pytest.raises(ilk.InputError, match="emd: only signatures whose positions are vectors"):
        plotting.flow(distance, x, y)


def test_recall_curve_has_a_line_for_each_index(tmp_path):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(600, 6)), rng.normal(size=(20, 6))
    options = {"n_bits": 8, "width": 5.0, "random_state": 0}
    with pytest.warns(ilk_distances.RecallWarning):
        lsh = [ilk.index("lsh", n_tables=n, **options).fit(X, distance=EUCLIDEAN) for n in (9, 1)]
    brute = ilk.index("brute").fit(X, distance=EUCLIDEAN)
    ax = plotting.recall_curve({"lsh": lsh, "brute": [brute]}, Q, 5)
    ax.figure.savefig(tmp_path / "picture.png")
    drawn, exact = ax.get_lines()
    expected = sorted(ilk_distances.recall(index, Q, 5) for index in lsh)
    np.testing.assert_allclose(drawn.get_xdata(), expected)
    assert exact.get_xdata().tolist() == [1.0]
    assert (drawn.get_ydata() > 0).all()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["lsh", "brute"]


def test_recall_curve_of_nothing():
    with pytest.raises(ilk.InputError, match="recall_curve: indexes must have a fitted index"):
        plotting.recall_curve({}, [[0.0]])
