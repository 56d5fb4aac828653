"""Figures by name: what they show, in pictures, words and numbers."""

import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import ilk
from cases import in_one_test
from ilk_evaluation import figures, run_experiment
from ilk_evaluation.figures.figure_data import LONGEST, summarize_predictions, thinned
from ilk_evaluation.figures.score_figures import costs, duration_text, put_labels
from ilk_evaluation.figures.style import rendered, write_figures

pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

NAMES = {
    *("critical_difference", "ranks", "robustness", "estimates", "time"),
    *("roc", "precision_recall", "calibration", "confusion", "predicted", "learning", "space"),
}


@pytest.fixture(scope="module")
def specs(results):
    return figures.available(results)


def test_every_figure_is_offered_and_of_what(specs, results):
    assert set(specs) == NAMES
    assert specs["critical_difference"].places == [()]
    assert len(specs["estimates"].places) == 11
    assert len(specs["roc"].places) == 10  # one of the data sets has three classes
    # classifiers predict no numbers, and there are one training size and no metric learner
    lacking = {name for name, spec in specs.items() if spec.lacking}
    assert lacking == {"predicted", "learning", "space"}


def test_each_figure_is_drawn_under_hostile_names(specs):
    for spec in specs.values():
        if spec.lacking:
            continue
        figure = spec.figure(*spec.places[-1])
        content = rendered(figure, "svg")
        ET.fromstring(content)
        assert b"<script" not in content
        assert figure.text
        assert len(figure.data)


def test_the_same_figure_gives_the_same_bytes(specs):
    figure = specs["estimates"].figure("set 0")
    for format_ in ("png", "svg", "pdf"):
        assert rendered(figure, format_) == rendered(figure, format_)


def test_estimates_are_those_of_the_table(specs, results):
    data = specs["estimates"].figure("set 3").data.set_index("pipeline")
    table = results.table()
    table = table[table["dataset"] == "set 3"].set_index("pipeline")
    pd.testing.assert_series_equal(data["error"], table["error"].loc[data.index])
    pd.testing.assert_series_equal(
        data["±"], table["error_spread"].loc[data.index], check_names=False
    )


def test_a_pipeline_without_an_estimate_is_named(specs):
    figure = specs["estimates"].figure("<script>alert(1)</script>")
    assert figure.note.startswith('No estimate: "it\'s" & <b>')


def test_curves_are_averaged_over_the_splits(specs, results):
    from ilk_evaluation.curves import averaged, roc

    data = specs["roc"].figure("set 1").data.set_index("pipeline")
    own = [roc(p) for _, p in results.predictions(dataset="set 1", pipeline="other means")]
    assert len(own) == 4
    assert data.loc["other means", "area"] == pytest.approx(averaged(own).area)
    assert "$\\frac{$" not in data.index
    assert "No scores: $\\frac{$." in specs["roc"].figure("set 1").note


def test_confusions_count_every_test_case(specs):
    figure = specs["confusion"].figure("set 1", "other means")
    counts = figure.data.drop(columns="true").to_numpy()
    assert counts.sum() == 48  # 24 cases, twice
    assert f"{np.trace(counts)} of 48 cases are right" in figure.text


@pytest.fixture(scope="module")
def unlucky(make_experiment, tmp_path_factory):
    """A pipeline fails in all splits of a data set, one in some, one is not tried on it."""
    p = make_experiment.pipeline
    store = tmp_path_factory.mktemp("store") / "unlucky.sqlite"
    datasets = [{"name": "one"}, {"name": "two", "p": 3}]
    some = {**p("some", "knn", k=20), "datasets": ["one"]}  # the last of five folds is smaller
    pipelines = [p("fine"), p("none", fails_at=2), some, {**p("other"), "datasets": ["two"]}]
    resampling = {"use": "kfold", "folds": 5}
    spec = make_experiment(store, datasets, pipelines, resampling=resampling)
    with make_experiment.registered():
        return run_experiment(spec, keep_going=True)


def test_what_failed_or_was_not_tried_has_no_confusion_matrix(unlucky):
    places = figures.available(unlucky)["confusion"].places
    assert {pipeline for dataset, pipeline in places if dataset == "one"} == {"fine", "some"}
    assert {pipeline for dataset, pipeline in places if dataset == "two"} == {
        "fine",
        "none",
        "other",
    }


def test_figures_say_what_they_lack_of_a_pipeline_that_failed_in_part(unlucky):
    specs = figures.available(unlucky)
    said = specs["confusion"].figure("one", "some").text
    assert " of 4 cases are right" in said
    assert said.endswith(" Splits that failed or are missing: 4.")
    assert "missing" not in specs["confusion"].figure("one", "fine").text
    for name in ("roc", "precision_recall", "calibration"):
        assert "Splits that failed or are missing: some (4)." in specs[name].figure("one").note
        assert "missing" not in specs[name].figure("two").note


def test_times_are_of_the_data_sets_that_all_finished(results):
    figure_data = figures.catalogue.FigureData(results)
    data = costs(figure_data).set_index("pipeline")
    table = results.table()
    there = table[table["dataset"] != "<script>alert(1)</script>"]
    assert len(figure_data.complete) == 10
    for pipeline, row in data.iterrows():
        own = there[there["pipeline"] == pipeline]
        assert row["seconds"] == pytest.approx(own["fit_seconds"].mean())
        assert row["error"] == pytest.approx(own["error"].mean())
    for pipeline, row in data.iterrows():
        beaten = data[(data["seconds"] < row["seconds"]) & (data["error"] <= row["error"])]
        assert row["unbeaten"] == (len(beaten) == 0), pipeline


def test_unbeaten_heeds_the_direction(results):
    data = costs(figures.catalogue.FigureData(results.score("accuracy", "fit_seconds", only=True)))
    best = data["accuracy"].idxmax()
    assert data.loc[best, "unbeaten"]


def test_draw_takes_a_name_and_axes(results):
    ax = Figure().subplots()
    assert figures.draw(results, "critical_difference", ax) is ax
    drawn = figures.draw(results, "estimates", dataset="set 0")
    assert drawn.get_xlabel() == "error"


def test_new_figure_has_room_for_labels_and_legend(results):
    for name in ("estimates", "roc"):
        spec = figures.available(results)[name].figure("set 0")
        figure = spec.draw().figure
        FigureCanvasAgg(figure).draw()
        assert figure.axes[0].bbox.width / figure.dpi == pytest.approx(spec.size[0])
        assert figure.bbox_inches.padded(0.01).containsx(figure.get_tightbbox().x0)
        assert figure.get_tightbbox().y0 >= 0


@in_one_test
@pytest.mark.parametrize(
    ("name", "place", "message"),
    [
        ("rok", {}, "there is no figure 'rok'; did you mean 'roc'"),
        ("roc", {}, "figure roc is of one dataset: say which"),
        ("roc", {"dataset": "10 and more"}, "got '10 and more'; did you mean '10 & more'"),
        ("confusion", {"dataset": "set 0"}, "is of one pipeline: say which"),
    ],
)
def test_what_cannot_be_drawn_is_said(results, name, place, message):
    with pytest.raises(ilk.InputError, match=re.escape(message)):
        figures.draw(results, name, **place)


def test_figures_that_lack_something_say_what(tiny):
    specs = figures.available(tiny.filter(pipeline="A").score("fit_seconds", only=True))
    assert "friedman_nemenyi" in specs["critical_difference"].lacking
    assert specs["time"].lacking == "the measure that ranks is a time itself"
    with pytest.raises(ilk.IlkError, match="there is no figure time"):
        figures.draw(tiny.score("fit_seconds", only=True), "time")


def test_without_matplotlib_the_extra_is_named(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ilk.IlkError, match="the extra 'report'"):
        figures.draw(results, "critical_difference")


def test_files_have_distinct_names_that_every_system_takes(tmp_path, monkeypatch):
    monkeypatch.setattr("ilk_evaluation.figures.style.rendered", lambda *_: b"x")
    datasets = ["a/b", "a_b", "A:B", "..", "ü" * 300]
    data = pd.DataFrame({"x": [0.0]})
    spec = figures.FigureSpec("roc", "", lambda _: SimpleNamespace(data=data), datasets=datasets)
    paths = list(write_figures([spec], tmp_path / "new", "png"))
    expected = ["roc-a_b.png", "roc-a_b_2.png", "roc-A_B_3.png"]
    assert [path.name for path in paths[:3]] == expected
    assert len({path.name.lower() for path in paths}) == len(datasets)
    assert all(len(p.name) < 120 and p.parent == tmp_path / "new" for p in paths)


def test_tests_on_each_data_set_have_files_with_the_numbers_of_pairs(make_experiment, tmp_path):
    tests = ["mcnemar", "paired_t_5x2", "f_5x2", "corrected_resampled_t"]
    spec = make_experiment(
        tmp_path / "s.sqlite",
        [{"name": "one"}],
        [make_experiment.pipeline("A"), make_experiment.pipeline("B", "r_first")],
        resampling="five_by_two",
        comparisons=[{"use": "mcnemar", "repeat": 0}, *tests[1:]],
    )
    specs = figures.available(run_experiment(spec))
    paths = write_figures([specs[name] for name in tests], tmp_path, "svg")
    assert [path.name for path in paths] == [f"{name}.svg" for name in tests]
    for name in tests:
        assert {"a": "A", "b": "B", "dataset": "one"}.items() <= dict(
            specs[name].figure().data.iloc[0]
        ).items()


def test_labels_hide_neither_points_nor_each_other():
    ax = Figure(figsize=(6, 4)).subplots()
    x, y = np.array([1.0, 1.02, 5.0, 9.9]), np.array([1.0, 1.02, 5.0, 9.9])
    ax.set(xlim=(0, 10), ylim=(0, 10))
    put_labels(ax, x, y, ["first", "second", "third", "a long name at the edge"])
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])
    assert boxes[3].x1 < ax.get_window_extent().x1


def test_labels_do_not_cross_a_line():
    """A line that leaves a point to the right is not drawn through the name beside it."""
    ax = Figure(figsize=(6, 4)).subplots()
    x, y = np.array([1.0, 4.0, 9.0]), np.array([8.0, 5.0, 2.0])
    corners = [(1, 8), (4, 8), (4, 5), (9, 5), (9, 2)]
    ax.set(xlim=(0, 10), ylim=(0, 10))
    put_labels(ax, x, y, ["first", "second", "third"], corners)
    (line,) = ax.plot(*zip(*corners, strict=True))
    FigureCanvasAgg(ax.figure).draw()
    path = line.get_transform().transform_path(line.get_path())
    assert not any(
        path.intersects_bbox(text.get_window_extent(), filled=False) for text in ax.texts
    )


def test_seconds_have_a_unit():
    assert [duration_text(x) for x in (2.5, 0.0123, 4.5e-6, 0.0)] == [
        "2.5 s",
        "12.3 ms",
        "4.5 µs",
        "0 µs",
    ]


def case(truth, chance, **more):
    classes = np.array([0, 1])
    P = np.column_stack([1 - np.array(chance), chance])
    return ilk.Prediction(np.array(truth), (P[:, 1] > 0.5) * 1, classes, probabilities=P, **more)


def test_splits_of_one_class_have_no_curve_and_are_counted():
    cells = [(0, 0, case([0, 1], [0.2, 0.9])), (0, 1, case([1, 1], [0.4, 0.9]))]
    found = summarize_predictions(cells, curves=True)
    assert (found.roc.n, found.n_left_out, found.pooled) == (1, 1, False)
    assert found.confusion.tolist() == [[1, 0], [1, 2]]


def test_leaving_one_out_the_curve_is_of_the_repeat():
    cells = [
        (0, i, case([t], [p])) for i, (t, p) in enumerate([(0, 0.1), (1, 0.4), (0, 0.6), (1, 0.8)])
    ]
    found = summarize_predictions(cells, curves=True)
    assert found.pooled
    assert found.roc.n == 1
    assert found.roc.area == pytest.approx(0.75)


def test_rejected_cases_are_counted_apart():
    cells = [(0, 0, case([0, 1, 1], [0.2, 0.9, 0.3], rejected=np.array([False, True, False])))]
    found = summarize_predictions(cells, curves=True)
    assert (found.n_rejected, found.confusion.sum(), found.roc.area) == (1, 2, 1.0)


def test_long_curves_are_thinned_and_keep_ends_and_area():
    from ilk_evaluation.curves import Curve

    x = np.linspace(0, 1, 50_000)
    thin = thinned(Curve(x, x**0.5, x[::-1], 2 / 3, "a"))
    assert len(thin.x) == LONGEST
    assert (thin.x[0], thin.x[-1], thin.area) == (0, 1, 2 / 3)
    assert summarize_predictions(iter(()), curves=True) is None


def test_cases_that_trained_are_no_evidence():
    results = run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [{"id": "1-NN", "steps": [{"classifier": {"use": "knn", "k": 1}}]}],
            "evaluation": {"resampling": {"use": "bootstrap_632", "repeats": 2}},
        }
    )
    predictions = [p for cell, p in results.predictions() if cell.repeat]
    found = figures.catalogue.FigureData(results).predicted("iris", "1-NN")
    assert found.n_cases == sum(map(len, predictions)) < 150
