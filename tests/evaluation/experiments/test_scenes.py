"""The experiment of examples/scenes.toml, on small pictures whose layout tells their class."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import ilk
from ilk_evaluation import run_experiment

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed (extra 'images')")
pytest.importorskip("cv2", reason="OpenCV is not installed (extra 'images')")

ROOT = Path(__file__).parents[3]


def texture(rng, *, stripes_on_the_left):
    """Stripes on one half, spots on the other: both classes hold the same words."""
    down, across = np.indices((48, 48)) + rng.integers(0, 8, size=(2, 1, 1))
    stripes = np.where(across % 6 < 3, 60, 180)
    spots = np.where((across % 12 < 6) == (down % 12 < 6), 60, 180)
    left, right = (stripes, spots) if stripes_on_the_left else (spots, stripes)
    whole = np.hstack([left[:, :24], right[:, 24:]]) + rng.integers(-20, 21, size=(48, 48))
    return whole.astype(np.uint8)


@pytest.fixture
def scenes(tmp_path):
    """The example, with smaller pyramids, no loky, and twenty pictures of each class."""
    rng = np.random.default_rng(0)
    for name in ("left", "right"):
        (tmp_path / "images" / name).mkdir(parents=True)
        for i in range(20):
            image = texture(rng, stripes_on_the_left=name == "left")
            Image.fromarray(image).save(tmp_path / "images" / name / f"{i:02}.png")
    spec = tomllib.loads((ROOT / "examples" / "scenes.toml").read_text())
    spec["datasets"][0]["path"] = str(tmp_path / "images")
    spec["evaluation"]["resampling"]["repeats"] = 1
    spec["run"] = {"on_error": "raise"}
    del spec["output"]
    for pipeline in spec["pipelines"]:
        sift, pyramid, *_ = pipeline["steps"]
        sift["transformer"] = {"use": "dense_sift", "scales": [6], "grid": 8}
        pyramid["transformer"]["codebook"]["n_words"] = 6
    return spec


def test_every_scheme_of_the_example_runs(scenes, monkeypatch):
    sift, rows = ilk.registry("transformer").get("dense_sift"), []
    plain = sift.transform
    monkeypatch.setattr(sift, "transform", lambda self, X: rows.append(len(X)) or plain(self, X))
    results = run_experiment(scenes, listeners=ilk.Listeners())
    assert rows == [20, 10, 20, 20]  # a few for the trial, then each picture once
    accuracy = results.pivot("accuracy").iloc[0]
    assert len(accuracy) == 16
    for how, least in (("SVM", 0.9), ("boosting", 0.8)):
        own = accuracy.filter(like=how)
        blind = own.pop(f"f200 {how}")  # a picture as a whole says little
        assert (own > blind).all()
        assert (own >= least).all(), own


def test_levels_are_views_of_kernels_too(scenes):
    views = {f"level{i}": [f"level{i}_*"] for i in range(3)}
    kernel = {
        "use": "weighted_sum",
        "kernels": ["exponential_chi2"] * 3,
        "weights": "pyramid",
        "views": views,
    }
    *before, _ = scenes["pipelines"][0]["steps"]
    steps = [*before[:2], {"classifier": {"use": "svm", "kernel": kernel}}]
    scenes["pipelines"] = [{"id": "kernels", "steps": steps}]
    results = run_experiment(scenes, listeners=ilk.Listeners())
    assert results.pivot("accuracy").iloc[0, 0] >= 0.9
