"""The site's own code: formulas, figures, the sample of the gallery, and tables of names."""

import inspect
import re
import sys
from importlib import import_module
from xml.etree import ElementTree as ET

import pytest

import ilk
from pages import ROOT

for needed in ("docutils", "matplotlib"):
    pytest.importorskip(needed, reason="the extra docs has it")


@pytest.fixture
def extension(monkeypatch):
    """Import a module of docs/_ext."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_ext"), *sys.path])
    return import_module


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("x_f^2 / 2", r"\frac{x_{f}^{2}}{2}"),
        ("a b / c d", r"\frac{a\,b}{c\,d}"),
        ("1/2 a", r"\tfrac{1}{2}\,a"),
        ("sum_f x_f / n", r"\frac{\sum_{f}\,x_{f}}{n}"),
        ("sum_f x_f / s_f", r"\sum_{f}\frac{x_{f}}{s_{f}}"),
        ("P(a | b) = |a - b|", r"P\left(a\mid b\right)= \left|a- b\right|"),
        ("exp(-d^2 / (2 sigma^2))", r"\exp \left(- \frac{d^{2}}{2\,\sigma ^{2}}\right)"),
        ("(a + b)^(1/p)", r"\left(a+ b\right)^{1/p}"),
        ("max_f |x_f|", r"\max_{f}\,\left|x_{f}\right|"),
    ],
)
def test_formula_is_translated(text, tex, extension):
    assert extension("ilk_formulas").tex_of(text) == tex


@pytest.mark.parametrize(
    "text", ['vote="random"', "alpha=1 + 2", "a == b", "sum of a / b", "|x", "knn"]
)
def test_code_and_prose_stay(text, extension):
    assert extension("ilk_formulas").tex_of(text) is None


def test_formulas_of_components_are_set(extension):
    set_formulas = extension("ilk_formulas").set_formulas
    without = []
    for name in ("minkowski", "chi2", "hellinger", "canberra", "levenshtein"):
        lines = set_formulas(inspect.getdoc(ilk.registry("distance").get(name)).split("\n"))
        if not any(re.search(r"^\.\. math:: |:math:`", line) for line in lines):
            without.append(name)
    assert without == ["levenshtein"]  # it has none


def test_literal_block_of_one_formula_is_set(extension):
    lines = [
        "L minimises::",
        "",
        "    E = sum_i x_i^2",
        "        + c",
        "",
        "Text.",
        "",
        "Notes",
        "---",
    ]
    assert (
        extension("ilk_formulas").set_formulas(lines)[2] == r".. math:: E= \sum_{i}\,x_{i}^{2}+ c"
    )


def found(kind, name):
    return next(one for one in ilk.registry(kind).find() if one.name == name)


def test_figures_are_sampled_kept_and_redrawn(extension, tmp_path, monkeypatch):
    figures = extension("ilk_figures")
    monkeypatch.setenv("ILK_GALLERY", "sample")
    drawn = set()
    of = [*figures.figure_lines(found("distance", "manhattan"), tmp_path, drawn)]
    path = tmp_path / "figures" / "distance.manhattan.svg"
    alt = "Lines of equal manhattan distance from the marked point in the plane."
    assert of[:2] == [f".. figure:: figures/{path.name}", f"   :alt: {alt}"]
    assert ET.parse(path).findtext("{http://www.w3.org/2000/svg}title") == alt
    assert not [*figures.figure_lines(found("distance", "minkowski"), tmp_path, drawn)]
    monkeypatch.setenv("ILK_GALLERY", "all")
    assert not [*figures.figure_lines(found("distance", "levenshtein"), tmp_path, drawn)]  # texts
    assert not [*figures.figure_lines(found("measure", "error"), tmp_path, drawn)]
    with monkeypatch.context() as patch:
        patch.setattr(figures, "draw", None)  # would fail
        assert [*figures.figure_lines(found("distance", "manhattan"), tmp_path, set())] == of
    path.write_text(path.read_text().replace("<dc:description>", "<dc:description>0"))
    monkeypatch.setattr(figures, "draw", lambda kind, cls: None)
    assert not [*figures.figure_lines(found("distance", "manhattan"), tmp_path, set())]


def test_lines_of_equal_distance_are_those_of_the_distance(extension):
    """The largest and smallest distance in the plane are known for the Manhattan distance."""
    figure, _ = extension("ilk_figures").draw("distance", ilk.registry("distance").get("manhattan"))
    low, high = figure.axes[-1].get_ylim()  # the colour bar
    assert low <= 0.05
    assert high >= 0.98 + 1.4  # from (1, 0.6) to the corner (0.02, 2)


def test_gallery_is_sampled(extension, monkeypatch):
    folder = ROOT / "examples" / "gallery"
    paths = [str(path) for path in folder.rglob("*.py")]
    chosen = extension("ilk_gallery").chosen
    for asked, number in (("sample", 5), ("all", len(paths)), ("report,diversity", 2)):
        monkeypatch.setenv("ILK_GALLERY", asked)
        assert len([path for path in paths if re.search(chosen(folder), path)]) == number
    monkeypatch.setenv("ILK_GALLERY", "nothing")
    with pytest.raises(ValueError, match="no example nothing"):
        chosen(folder)


def rows(title: str) -> list[tuple[str, str]]:
    """Return the cells of the table below a heading of the page on porting."""
    page = (ROOT / "docs" / "porting.md").read_text(encoding="utf-8")
    part = page.partition(f"## From {title}\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (.*) \|$", part, re.MULTILINE)[2:]
    return [tuple(line.split(" | ", 1)) for line in lines]


def test_ported_names_are_registered():
    named = [
        pair
        for title in ("scikit-learn", "metric-learn", "imbalanced-learn", "DESlib")
        for _, ours in rows(title)
        for pair in re.findall(r"`(\w+)` `(\w+)`", ours)
    ]
    assert len(named) > 50
    assert not [(kind, name) for kind, name in named if name not in ilk.registry(kind).names()]


def test_ported_names_are_scikit_learns():
    from sklearn import metrics, model_selection
    from sklearn.neighbors import BallTree, KDTree
    from sklearn.utils import all_estimators

    known = {name for name, _ in all_estimators()} | {BallTree.__name__, KDTree.__name__}
    known |= {*metrics.__all__, *model_selection.__all__}
    theirs = [name for cell, _ in rows("scikit-learn") for name in re.findall(r"`(\w+)", cell)]
    assert len(theirs) > 30
    assert not set(theirs) - known


def test_the_page_of_claims_has_verdicts_and_what_was_not_run(extension):
    pytest.importorskip("sphinx", reason="the extra docs has it")
    from ilk_evaluation.claims.claim import load_claims

    known = load_claims(ids=["ensemble-error", "noise-boosting"])
    finding = {"rule": "a is better than b", "verdict": "holds", "reason": ""}
    numbers = {"estimate": 0.125, "low": 0.05, "high": 0.25, "threshold": 0.0}
    record = {
        "verdict": "holds",
        "reason": "",
        "digest": known["noise-boosting"].digest,
        "rules": [finding | numbers],
        "repeats": 3,
        "planned": 8,
        "datasets": ["iris"],
        "seconds": 12.5,
        "date": "2026-01-31",
        "version": "0.2.0",
        "machine": "Linux",
    }
    page = "\n".join(extension("ilk_claims").page(known, {"noise-boosting": record}))
    assert page.startswith("2 claims: 1 holds, 1 not run.")
    assert known["ensemble-error"].statement in page
    assert "a is better than b: *holds* (0.125 [0.05, 0.25], more than 0 asked for)" in page
    assert "3 of 8 repeats on 1 data set" in page
    assert "2026-01-31" in page
