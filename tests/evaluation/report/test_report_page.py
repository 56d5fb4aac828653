"""The page as HTML: what it says, that all of it is escaped, and that it needs nothing else."""

import base64
import hashlib
import itertools
import re
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk.plotting import plot_label as drawn
from ilk_evaluation import run_experiment
from ilk_evaluation.figures import Figure, available
from ilk_evaluation.figures.figure_data import signed
from ilk_evaluation.figures.style import rendered
from ilk_evaluation.report import html_report, write_report
from ilk_evaluation.report.blocks import Section, Text, shortened
from ilk_evaluation.report.page import _page
from ilk_evaluation.report.report_tables import Column, Table, number

VOID = {"meta", "link", "br", "hr", "input"}
HOSTILE = ["<script>alert(1)</script>", '"it\'s" & <b>', "</pre><img src=x onerror=alert(2)>"]


class Page(HTMLParser):
    """Elements of a page with their attributes and texts; fails on what is not well formed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.stack = [], []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, attrs)
        node = {
            "tag": tag,
            "attrs": dict(attrs),
            "text": "",
            "inside": [n["tag"] for n in self.stack],
        }
        self.elements.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop()["tag"] == tag

    def handle_data(self, data):
        for node in self.stack:
            node["text"] += data

    def all(self, tag, **attributes):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            node
            for node in self.elements
            if node["tag"] == tag and wanted.items() <= node["attrs"].items()
        ]

    def section(self, id_):
        (found,) = self.all("section", id=id_)
        return found["text"]

    def rows(self, table):
        """Texts of the cells of a table, row by row."""
        start = next(i for i, n in enumerate(self.elements) if n["attrs"].get("id") == table)
        rows = []
        for node in self.elements[start + 1 :]:
            if "table" not in node["inside"]:
                break
            if node["tag"] == "tr":
                rows.append([])
            elif node["tag"] in {"th", "td"}:
                rows[-1].append(node["text"].replace("\xa0", " ").strip())
        return rows


@pytest.fixture(scope="module")
def read(page):
    return Page(page)


def test_the_sections_come_in_order_the_verdict_first(read):
    ids = [node["attrs"]["id"] for node in read.all("section")]
    assert ids == [
        *("summary", "comparisons", "datasets", "curves", "confusion", "time", "failures"),
        *("notes", "specification", "origins"),
    ]
    links = [n["attrs"]["href"] for n in read.all("a") if "nav" in n["inside"]]
    assert links == [f"#{id_}" for id_ in ids]


def test_the_verdict_is_said_in_plain_words(read, results):
    summary, said = results.summary(), read.section("summary")
    lead, *_ = (n["text"] for n in read.all("p", class_="lead"))
    names, told, rest = lead.partition(" the best mean rank by error (lower is better): ")
    assert told
    for name, rank in zip(summary["pipeline"], summary["rank"], strict=True):
        assert (name in names) == (rank == summary["rank"].min())
    assert rest.startswith(f"{summary['rank'].min():.2f}")
    assert "over the 10 data sets that every pipeline finished" in said
    assert "4 of 176 cells failed; their estimates are left out" in said
    assert "left out: <script>alert(1)</script>." in said


def test_the_summary_has_every_number(read, results):
    head, *rows = read.rows("summary-table")
    assert head == [
        *("pipeline", "mean rank", "error ↓ (lower is better)"),
        *("mean class accuracy ↑ (higher is better)", "fit ↓ (lower is better)"),
        *("predict ↓ (lower is better)", "failed", "missing"),
    ]
    summary = results.summary().set_index("pipeline")
    assert [row[0] for row in rows] == list(summary.sort_values("rank", kind="stable").index)
    for row in rows:
        own = summary.loc[row[0]]
        assert row[1] == f"{own['rank']:.2f}"
        spread = results.pivot("error")[row[0]].std()
        shown = "–" if np.isnan(own["error"]) else f"{own['error']:.4f} ± {spread:.4f}"
        assert row[2] == shown
        assert row[-2:] == [f"{own['n_failed']:.0f}", f"{own['n_missing']:.0f}"]


def test_the_table_of_data_sets_marks_the_best(read, results):
    pivot = results.pivot("error")
    _, *rows = read.rows("datasets-table")
    assert [row[0] for row in rows] == list(pivot.index)
    strong = [n["text"] for n in read.all("strong") if "table" in n["inside"]]
    assert set(strong) == {f"{value:.4f}" for value in pivot.min(axis=1)}


def test_verdicts_pairs_and_ratios_are_there(read, results):
    said = read.section("comparisons")
    for verdict in results.verdicts:
        assert verdict.text in said
    assert "critical difference" in said
    assert "6 pairs" in said
    pictures = [n["attrs"]["aria-label"] for n in read.all("div", role="img")]
    assert {verdict.text for verdict in results.verdicts} <= set(pictures)


def test_each_difference_is_in_the_matrix_and_marked_as_better_or_worse(read, results):
    verdict = results.verdicts[0]
    order = list(results.summary().sort_values("rank", kind="stable")["pipeline"])
    start = next(i for i, n in enumerate(read.elements) if n["attrs"].get("class") == "differences")
    cells = []
    for node in itertools.takewhile(lambda n: n["tag"] != "details", read.elements[start:]):
        if node["tag"] == "tr":
            cells.append([])
        elif node["tag"] in {"th", "td"}:
            cells[-1].append(node["text"])
    assert [row[0] for row in cells[1:]] == [f"{i}. {name}" for i, name in enumerate(order, 1)]
    for pair in verdict.pairs:
        text = cells[1 + order.index(pair["a"])][1 + order.index(pair["b"])]
        sense = "" if pair["effect"] == 0 else "better" if pair["effect"] < 0 else "worse"
        assert ("▲" in text, "▼" in text) == (sense == "better", sense == "worse")
        assert sense in text
        assert f"p {pair['p_value']:.3f}" in text or "p < 0.001" in text
        other = cells[1 + order.index(pair["b"])][1 + order.index(pair["a"])]
        assert {"better": "worse", "worse": "better", "": ""}[sense] in other


def test_comparisons_are_headed_in_words(read):
    titles = [n["text"] for n in read.all("h3")]
    assert "Friedman's test with Nemenyi's post-hoc test friedman_nemenyi" in titles
    assert "Robustness: ratios to the best pipeline robustness" in titles


def test_failures_have_their_traceback_and_the_way_to_see_them_again(read):
    said = read.section("failures")
    assert "4 cells" in said
    assert "raise ValueError(TRACE)" in said
    assert "run_cell_alone(plan_experiment(spec)" in said
    assert len(read.rows("failures-table")) == 5


def test_notes_specification_versions(read, results):
    assert "mean | means warned in 44 cells: RuntimeWarning: <i>mind</i>" in read.section("notes")
    assert '"repeats": 2' in read.section("specification")
    origins = read.section("origins")
    for text in ("numpy", "ilk-evaluation", "Python", str(results.design.store)):
        assert text in origins
    assert len(read.rows("data-table")) == 12
    assert len(read.rows("pipelines-table")) == 5


def test_curves_of_two_classes_and_all_confusion_matrices(read):
    panels = list(read.all("div", class_="panel"))
    curves = [n for n in panels if "data-choice-1" not in n["attrs"]]
    assert len(curves) == 11
    assert sum("ROC on" in n["text"] for n in curves) == 10
    matrices = [n for n in panels if "data-choice-1" in n["attrs"]]
    assert len(matrices) == 11 * 4 - 1  # the one that failed has no prediction
    assert read.all("table", class_="confusion")


def test_hostile_names_are_text(page, read):
    for text in HOSTILE:
        assert text not in re.sub(r"<script>.*?</script>", "", page, count=1, flags=re.DOTALL)
        assert text in read.elements[0]["text"]
    assert len(read.all("script")) == len(read.all("style")) == 1
    assert not read.all("img")
    assert not any(
        name.startswith("on") or name == "style" for n in read.elements for name in n["attrs"]
    )


def test_the_page_needs_nothing_else(page, read):
    (policy,) = read.all("meta", http_equiv="Content-Security-Policy")
    (style,), (script,) = read.all("style"), read.all("script")
    hashes = [
        base64.b64encode(hashlib.sha256(n["text"].encode()).digest()).decode()
        for n in (style, script)
    ]
    assert policy["attrs"]["content"] == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        f"img-src data:; base-uri 'none'; form-action 'none'"
    )
    for node in read.elements:
        assert "src" not in node["attrs"]
        target = node["attrs"].get("href", "#")
        assert target.startswith("#") or (node["tag"], target) == ("link", "data:,")
    assert "@import" not in page
    assert "url(http" not in page


def test_ids_are_distinct_and_what_refers_to_them_finds_them(page, read):
    ids = [n["attrs"]["id"] for n in read.elements if "id" in n["attrs"]]
    assert len(ids) == len(set(ids))
    for node in read.elements:
        for name in ("aria-labelledby", "href"):
            target = node["attrs"].get(name, "")
            if name == "aria-labelledby" and target:
                assert target in ids
            if target.startswith("#"):
                assert target[1:] in ids
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(ids)


def test_it_can_be_heard(read):
    assert read.elements[0]["attrs"]["lang"] == "en"
    for tag in ("header", "nav", "main", "footer", "h1"):
        assert len(read.all(tag)) == 1
    for table in read.all("table"):
        assert table["inside"].count("div")
    assert len(read.all("caption")) == len(read.all("table"))
    assert all("scope" in n["attrs"] for n in read.all("th"))
    assert all(n["attrs"].get("aria-hidden") for n in read.all("svg"))
    assert all(n["attrs"].get("aria-label") for n in read.all("div", role="img"))
    for region in read.all("div", role="region"):
        assert region["attrs"]["tabindex"] == "0"
        assert "aria-labelledby" in region["attrs"] or "aria-label" in region["attrs"]
    levels = [int(n["tag"][1]) for n in read.elements if re.fullmatch(r"h\d", n["tag"])]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_figures_follow_the_theme(page):
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert drawings
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)[1]
    colours = set(re.findall(r'(?:fill|stroke)="#\w+"', "".join(drawings)))
    assert colours
    assert {f"[{colour}]" for colour in colours} <= set(re.findall(r"\[[^\]]*\]", style))
    for name in ("font-family", "style=", "<!--", "metadata"):
        assert name not in "".join(drawings)


@pytest.mark.usefixtures("plain")
def test_without_matplotlib_the_tables_stay_and_the_extra_is_named(results, page):
    bare = html_report(results, listeners=ilk.Listeners())
    read = Page(bare)
    assert "the extra report of ilk has it" in read.all("main")[0]["text"]
    assert not read.all("svg")
    assert read.rows("summary-table") == Page(page).rows("summary-table")
    assert "Numbers of the figure" in read.section("comparisons")


def test_a_figure_that_fails_leaves_its_numbers(tiny, monkeypatch):
    def fail(*_):
        raise RuntimeError("<no> plot")

    monkeypatch.setattr("ilk_evaluation.comparisons.verdict_plots.draw_box_plots", fail)
    read = Page(html_report(tiny))
    assert "could not be drawn (RuntimeError: <no> plot)" in read.section("comparisons")
    assert "median" in read.section("comparisons")


class Plugin:
    @ilk.hookimpl
    def ilk_report_sections(self, results):
        text = f"**{len(results.design.datasets)}** <b>sets</b>\n\n- one\n\n| a |\n|---|\n| 1 |"
        return [ilk.Section("Added <i>", text), "no section", ilk.Section("Added <i>", "again")]


class Broken:
    @ilk.hookimpl
    def ilk_report_sections(self):
        raise SystemExit("broken")


@pytest.mark.usefixtures("plain")
def test_plugins_add_sections_and_a_broken_one_is_left_out(tiny):
    with pytest.warns(ilk.HookWarning) as caught:
        text = html_report(tiny, listeners=ilk.Listeners(Broken(), Plugin()))
    assert {"broken" in str(w.message) for w in caught} == {True, False}
    assert "must return ilk.Section, got 'no section'" in " ".join(str(w.message) for w in caught)
    read = Page(text)
    titles = [n["text"] for n in read.all("h2")]
    assert titles.count("Added <i>") == 2
    assert "<strong>2</strong> &lt;b&gt;sets&lt;/b&gt;" in text
    assert "<li>one</li>" in text


@pytest.mark.usefixtures("plain")
def test_a_run_in_progress_is_said_to_be_one(make_experiment, tmp_path):
    class Stop:
        done = 0

        @ilk.hookimpl
        def ilk_cell_finished(self):
            self.done += 1
            if self.done == 2:
                raise KeyboardInterrupt

    pipelines = [make_experiment.pipeline("A"), make_experiment.pipeline("B", "r_first")]
    spec = make_experiment(
        tmp_path / "half.sqlite", [{"name": "one"}, {"name": "two", "p": 3}], pipelines
    )
    with pytest.raises(KeyboardInterrupt):
        run_experiment(spec, listeners=ilk.Listeners(Stop()))
    results = ilk.results(tmp_path / "half.sqlite")
    said = Page(html_report(results)).section("summary")
    missing = results.n_missing
    assert 8 <= missing < 16
    assert f"{missing} of 16 cells are not done yet" in said
    assert "No data set has an estimate of error from every pipeline" in said


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    "part", [{"pipeline": "A"}, {"dataset": "one"}, {"dataset": "one", "pipeline": "B"}]
)
def test_small_experiments_have_a_page_too(tiny, part):
    read = Page(html_report(tiny.filter(**part)))
    said = read.section("summary")
    if "pipeline" in part:
        assert "there is nothing to compare it with" in said
    else:
        assert "has the lowest error on one" in said
    assert "was not computed" in read.section("comparisons")


def test_no_comparisons_and_times_only(make_experiment, tmp_path):
    pipelines = [make_experiment.pipeline("A"), make_experiment.pipeline("B")]
    spec = make_experiment(
        tmp_path / "x.sqlite",
        [{"name": "one"}],
        pipelines,
        comparisons=[],
        measures=["fit_seconds"],
    )
    read = Page(html_report(run_experiment(spec)))
    assert "No comparison tests whether" in read.section("summary")
    assert "The experiment has no comparison." in read.section("comparisons")
    assert "is a time itself" in read.section("time")


@pytest.mark.usefixtures("plain")
def test_what_is_too_much_is_left_out_and_said(results, monkeypatch):
    monkeypatch.setattr("ilk_evaluation.report.prediction_sections.MOST_DATASETS", 3)
    monkeypatch.setattr("ilk_evaluation.report.prediction_sections.MOST_CASES", 100)
    monkeypatch.setattr("ilk_evaluation.report.prediction_sections.MOST_CLASSES", 1)
    monkeypatch.setattr("ilk_evaluation.report.page.MOST_PIPELINES", 2)
    monkeypatch.setattr("ilk_evaluation.report.report_tables.MOST_ROWS", 10)
    read = Page(html_report(results))
    curves, matrices = read.section("curves"), read.section("confusion")
    assert "Not read, as there are so many predictions: set 2." in curves
    assert "The best 2 pipelines by mean rank are shown, 2 are not." in curves
    assert "Too large for a page: set 0, set 1" in matrices
    assert "The first 10 of 44 rows" in read.section("datasets")


@pytest.mark.usefixtures("plain")
def test_it_is_written_whole_or_not_at_all(tiny, tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    before = '<meta name="generator" content="ilk 0.1.0">'
    path.write_text(before)
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_report(tiny, path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir() if "part" in p.name] == []
    monkeypatch.undo()
    assert write_report(tiny, path) == path
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(ilk.InputError, match="is the store itself"):
        write_report(tiny, tiny.design.store)


def test_nothing_is_fitted_or_written_into_the_store(tiny, tmp_path):
    before = tiny.design.store.read_bytes()
    write_report(tiny, tmp_path / "page.html")
    assert tiny.design.store.read_bytes() == before


def test_long_texts_are_cut_between_their_parts():
    assert shortened("a. b", 10) == "a. b"
    assert shortened("one is better; two is better; three", 25) == "one is better …"
    assert shortened("x" * 50, 10) == "x" * 10 + " …"


def test_the_wheel_has_the_assets(tmp_path):
    build = pytest.importorskip("hatchling.build", reason="builds the wheel")
    from pathlib import Path as Folder

    root = Folder(__file__).parents[3] / "plugins" / "evaluation"
    monkey = pytest.MonkeyPatch()
    monkey.chdir(root)
    try:
        name = build.build_wheel(str(tmp_path))
    finally:
        monkey.undo()
    names = zipfile.ZipFile(tmp_path / name).namelist()
    kinds = ("css", "js", "html.jinja")
    assert {f"ilk_evaluation/report/assets/report.{kind}" for kind in kinds} <= set(names)


INFINITE = [("inf", "inf"), ("nan", "–"), ("1e300", "1.0000e+300"), ("0.25", "0.2500")]


@in_one_test
@pytest.mark.parametrize(("value", "expected"), INFINITE)
def test_numbers_of_any_size_take_little_room(value, expected):
    assert number(float(value)) == expected
    assert len(signed(float(value), 1e-300)) < 25


def test_infinite_estimates_are_named_not_drawn(tiny, monkeypatch):
    wrong = tiny.table().assign(error=[np.inf, 0.2, np.inf, 0.3])
    monkeypatch.setattr("ilk_evaluation.figures.figure_data.FigureData.table", wrong)
    specs = available(tiny)
    for figure in (specs["estimates"].figure("one"), specs["time"].figure()):
        assert figure.note == f"Infinite, and not drawn: {wrong['pipeline'][0]}."
        assert len(figure.data) == 2
        rendered(figure, "svg")


def test_names_that_would_break_a_drawing_or_turn_the_page_do_not():
    odd = ["nul\x00\x1b[31m", "two\nlines", "\u202eturned", "日本 \u05d0", "x" * 500, "\ud800"]

    def paint(ax):
        ax.set_yticks(range(len(odd)), [drawn(name) for name in odd])

    figure = Figure("odd", "", "", pd.DataFrame(), paint, (3, 2))
    for format_ in ("png", "svg", "pdf"):
        content = rendered(figure, format_)
    ET.fromstring(rendered(figure, "svg"))
    assert len(content) < 60_000
    ends = {drawn("x" * 500 + end) for end in "ab"}
    assert len(ends) == 2
    assert max(map(len, ends)) == 60
    page = _page(name=odd[0], facts="", sections=[], problem="".join(odd))
    assert not set(page) & set("\x00\x1b\u202e\ud800")
    assert "nul\ufffd\ufffd[31m" in page
    page.encode()


@settings(max_examples=30)
@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn"))), st.text())
def test_texts_come_back_as_they_were_wherever_they_stand(text, other):
    columns = [Column(text, "a", title=text), Column("", "b", style="key", spread="b")]
    rows = [{"a": text, "b": other}]
    blocks = [Text(text, code=other, link=text), Table(other, columns, rows, "t")]
    read = Page(_page(name=text, facts=other, sections=[Section("s", text, blocks)], problem=other))
    tags = [node["tag"] for node in read.elements]
    fixed = Page(_page(name="", facts="", sections=[Section("s", "", blocks)], problem="x"))
    assert [t for t in tags if t != "p"] == [n["tag"] for n in fixed.elements if n["tag"] != "p"]
    shown = re.sub("[\u202a-\u202e\u2066-\u2069\ufffe\uffff]", "\ufffd", text)
    assert read.all("h1")[0]["text"] == shown
    assert read.all("th", scope="col")[0]["attrs"].get("title", "") == shown
