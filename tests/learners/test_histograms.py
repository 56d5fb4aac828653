"""Pixels, histograms and signatures of images and of point sets."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation import run_experiment


def make(name, **parameters):
    return ilk.transformer(name, **parameters)


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size=shape, dtype=np.uint8)


@given(st.integers(1, 256), st.integers(0, 1000))
def test_grey_histograms_are_numpys(bins, seed):
    image = noise(7, 5, seed=seed)
    counts = make("histogram", bins=bins, normalize=False).fit_transform([image])
    assert np.array_equal(counts[0], np.histogram(image, bins, (0, 256))[0])
    shares = make("histogram", bins=bins).fit_transform([image, image[:2]])
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_histograms_of_colors_are_joint_or_by_channel():
    images = [noise(6, 9, 3), noise(4, 4, 3, seed=1)]
    joint = make("histogram", bins=3, normalize=False).fit(images)
    expected = [np.histogramdd(x.reshape(-1, 3), 3, [(0, 256)] * 3)[0].ravel() for x in images]
    assert np.array_equal(joint.transform(images), expected)
    assert joint.get_feature_names_out()[[0, 5, 26]].tolist() == [
        "bin0_0_0",
        "bin0_1_2",
        "bin2_2_2",
    ]
    apart = make("histogram", bins=3, normalize=False, joint=False).fit(images)
    table = joint.transform(images).reshape(2, 3, 3, 3)
    margins = np.hstack([table.sum((2, 3)), table.sum((1, 3)), table.sum((1, 2))])
    assert np.array_equal(apart.transform(images), margins)
    assert apart.get_feature_names_out()[[0, 8]].tolist() == ["channel0_bin0", "channel2_bin2"]


def test_pixels_are_those_of_a_slice():
    grey, color = noise(5, 8), noise(5, 8, 3)
    (points,) = make("pixels", spacing=2, places=True).transform([color])
    assert points.dtype == np.float32
    assert np.array_equal(points[:, 2:].reshape(3, 4, 3), color[::2, ::2])
    rows, columns = (points[:, [1, 0]] * [5, 8] - 0.5).round().astype(int).T
    assert np.array_equal(points[:, 2:], color[rows, columns])
    assert np.array_equal(make("pixels").transform([grey])[0], grey.reshape(-1, 1))


def test_a_codebook_of_colors_counts_pixels():
    """The colour feature of section 3.4: pixels of HSV images, quantised."""
    images = [noise(6, 6, 3, seed=seed) // 200 * 90 for seed in range(4)]
    words = {"use": "codebook", "n_words": 4, "random_state": 0, "normalize": False}
    pipeline = ilk.Pipeline([{"transformer": "pixels"}, {"transformer": words}])
    assert pipeline.fit(images).transform(images).sum(axis=1).tolist() == [36] * 4


def grid_by_hand(points, weights, cell):
    cells = defaultdict(list)
    for point, weight in zip(points, weights, strict=True):
        cells[tuple(int(x // cell) for x in point)].append((weight, point))
    return {
        tuple(np.average([p for _, p in held], axis=0, weights=[w for w, _ in held]).round(6)): sum(
            w for w, _ in held
        )
        / sum(weights)
        for held in cells.values()
    }


@given(st.integers(1, 30), st.integers(1, 3), st.integers(0, 1000))
def test_cells_of_a_grid_are_clusters(m, d, seed):
    """The mass moves less than the diagonal of a cell."""
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(m, d)) * 3, rng.random(m) + 0.1
    ((modes, masses),) = make("signature", cell=2).fit_transform([(points, weights)])
    expected = grid_by_hand(points, weights, 2)
    assert {tuple(mode): mass for mode, mass in zip(modes.round(6), masses, strict=True)} == (
        pytest.approx(expected)
    )
    assert (np.diff(masses) <= 0).all()
    moved = ilk.distance("emd").between((points, weights / weights.sum()), (modes, masses))
    assert moved <= 2 * np.sqrt(d)


def test_clusters_are_those_of_each_set():
    """Three separate heaps are found, whatever the order of points and the other sets."""
    rng = np.random.default_rng(0)
    heaps = np.repeat([[0, 0], [50, 0], [0, 90]], [10, 20, 30], axis=0)
    points = heaps + rng.normal(size=heaps.shape)
    signature = make("signature", n_clusters=3, random_state=0).fit([points])
    ((modes, masses),) = signature.transform([points])
    assert masses.round(6).tolist() == [0.5, 0.333333, 0.166667]
    expected = [points[30:].mean(axis=0), points[10:30].mean(axis=0), points[:10].mean(axis=0)]
    np.testing.assert_allclose(modes, expected)
    _, (again, _) = signature.transform([points[:7], points[rng.permutation(60)]])
    np.testing.assert_allclose(again, modes)


def test_few_different_points_are_their_own_clusters():
    points = [[3.0], [1.0], [3.0], [3.0]]
    ((modes, masses),) = make("signature", n_clusters=8).fit_transform([points])
    assert (modes.tolist(), masses.tolist()) == ([[3], [1]], [0.75, 0.25])
    ((modes, masses),) = make("signature").fit_transform([([[3.0], [1.0]], [0, 1e308])])
    assert (modes.tolist(), masses.tolist()) == ([[1]], [1])


def test_stateless_where_nothing_is_drawn():
    assert [
        make("signature", **each).stateless for each in ({}, {"cell": 1}, {"random_state": 0})
    ] == [
        *(False, True, True),
    ]


def test_histograms_and_signatures_run_from_a_spec():
    """1-NN by chi2, and by the earth mover's distance, on the images of the example."""
    pytest.importorskip("PIL", reason="Pillow is not installed (extra 'images')")
    path = type(ilk.dataset("images", path=".")).examples()[0].path
    signature = {"use": "signature", "n_clusters": 4, "random_state": 0}

    def steps(distance, *transformers):
        nearest = {"classifier": {"use": "knn", "k": 1, "distance": distance}}
        return [*({"transformer": each} for each in transformers), nearest]

    spec = {
        "experiment": {"name": "images", "seed": 0},
        "datasets": [{"use": "images", "path": path, "color": "hsv"}],
        "pipelines": [
            {"id": "chi2", "steps": steps("chi2", "histogram")},
            {"id": "emd", "steps": steps("emd", {"use": "pixels", "spacing": 4}, signature)},
        ],
        "evaluation": {"resampling": {"use": "kfold", "folds": 3}, "measures": ["accuracy"]},
        "run": {"on_error": "raise"},
    }
    results = run_experiment(spec, listeners=ilk.Listeners())
    assert (results.pivot("accuracy") >= 0.5).all(axis=None)


@in_one_test
@pytest.mark.parametrize(
    ("name", "X", "message"),
    [
        ("histogram", [np.eye(3)], r"X\[0\] must be an image of pixels, integers .* got float64"),
        ("histogram", [noise(3, 3), noise(3, 3, 3)], r"X\[1\] has shape \(3, 3, 3\), but X\[0\]"),
        ("histogram", [noise(3, 3, 4)], r"\(height, width\) or \(height, width, 3\), got"),
        ("histogram", [noise(3, 3, 1)], r"\(height, width\) or \(height, width, 3\), got"),
        ("histogram", [noise(3, 3, 4)], r"shape \(3, 3, 4\); image\[\.\.\., :3\] leaves out"),
        ("histogram", [np.eye(3)], r"np.uint8\(255 \* image\)"),
        ("gist", [noise(3, 3, 4)], "loads grey levels with color='grey'"),
        ("pixels", [[[1, 2], [3]]], r"X\[0\] must be an image of pixels: .*inhomogeneous"),
        ("pixels", noise(3), r"X\[0\] must be an image of shape .* got shape \(\)"),
        ("pixels", np.zeros((3, 0)), r"X\[0\] must be an image"),
        (
            "signature",
            [noise(3, 3, 3)],
            r"X\[0\] must be .*; of images, the transformer pixels makes sets",
        ),
        ("signature", [[[np.nan]]], r"X.* NaN"),
    ],
)
def test_bad_data(name, X, message):
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=f"{name}: .*{message}"):
        make(name).fit(X)


def test_data_unlike_training_and_parameters():
    model = make("histogram").fit([noise(3, 3)])
    with pytest.raises(ilk.InputError, match=r"shape \(height, width\), got .*color='grey'"):
        model.transform([noise(3, 3, 3)])
    with pytest.raises(ilk.ParameterError, match=r"bins must be at most 64 .* joint=False"):
        make("histogram", bins=100).fit([noise(3, 3, 3)])
    with pytest.raises(ilk.InputError, match="signature: X"):
        make("signature").fit([[[1.0]]]).transform([[[1.0, 2.0]]])
    with pytest.raises(ilk.ParameterError, match="cell must be finite"):
        make("signature", cell=np.inf).fit([[[1.0]]])
