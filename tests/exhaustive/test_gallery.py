"""Each example of the gallery runs as it stands, without a warning, and draws its figure."""

import runpy

import pytest

from pages import ROOT

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
