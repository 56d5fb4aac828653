"""Each example of the gallery runs without a warning and draws; so do pages of components."""

import runpy
import sys
from importlib import import_module

import pytest

import ilk
from pages import OURS, ROOT

matplotlib = pytest.importorskip("matplotlib")
EXAMPLES = sorted((ROOT / "examples" / "gallery").rglob("*.py"))


@pytest.fixture
def pyplot(monkeypatch):
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    yield plt
    plt.close("all")


def test_gallery_is_large_enough():
    assert len(EXAMPLES) >= 25


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws(example, pyplot):
    runpy.run_path(str(example), run_name="__main__")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert figures
    for figure in figures:
        figure.canvas.draw()
        assert any(ax.has_data() for ax in figure.axes)


WITHOUT = {  # they take other data than vectors, parameters, or what is no picture in the plane
    "distance": "callable compression correlation hamming hausdorff levenshtein ncd precomputed "
    "sum_of_minima value_difference",
    "kernel": "conformal precomputed",
    "transformer": "bag_of_words codebook dense_sift gist histogram impute mr8 one_hot ordinal "
    "pixels pyramid select signature sparse_sift",
}


def test_components_have_figures(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_ext"), *sys.path])
    figures = import_module("ilk_figures")
    for kind in figures.FIGURES:
        ours = [one for one in ilk.registry(kind).find() if one.distribution in OURS]
        drawn = {one.name: figures.draw(kind, ilk.registry(kind).get(one.name)) for one in ours}
        assert {name for name, made in drawn.items() if made is None} == {
            *WITHOUT.get(kind, "").split()
        }
        for figure, alt in filter(None, drawn.values()):
            assert len(alt) > 30
            assert any(ax.has_data() for ax in figure.axes)
