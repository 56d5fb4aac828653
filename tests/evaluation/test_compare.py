"""`ilk.compare`: objects of Python give the results that a file gives."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ilk
from ilk_evaluation import run_experiment
from ilk_evaluation.plan.keys import described

HALVES = {"use": "kfold", "folds": 2}


@pytest.fixture(scope="module")
def iris():
    X, y = ilk.dataset("iris").load().Xy
    return X[::3], y[::3]


def manhattan(a, b):
    return float(np.abs(a - b).sum())


def compare(*arguments, **keywords):
    return ilk.compare(*arguments, resampling=HALVES, **keywords)


def error(results, pipeline):
    return results.pivot("error")[pipeline].tolist()


def test_it_is_the_experiment_of_a_file():
    steps = [{"transformer": "standardize"}, {"classifier": {"use": "knn", "k": 1}}]
    written = run_experiment(
        {
            "experiment": {"seed": 4},
            "datasets": ["iris", "wine"],
            "pipelines": [{"id": "1-NN", "steps": steps}],
            "evaluation": {"resampling": HALVES, "measures": ["error", "accuracy"]},
        }
    )
    given = {name: ilk.dataset(name).load() for name in ("iris", "wine")}
    results = compare({"1-NN": ilk.Pipeline(steps)}, given, measures=["error", "accuracy"], seed=4)
    seconds = ["fit_seconds"]
    pd.testing.assert_frame_equal(
        results.table().drop(columns=seconds), written.table().drop(columns=seconds)
    )
    keys = [cell.key for cell in results.design.cells]
    assert keys == [cell.key for cell in written.design.cells]


SAME = {
    "a name": "lda",
    "a table": {"use": "lda"},
    "a step": {"classifier": "lda"},
    "an instance": ilk.classifier("lda"),
    "steps": [{"classifier": "lda"}],
    "a table of steps": {"steps": [{"classifier": "lda"}]},
    "a pipeline": ilk.Pipeline([{"classifier": "lda"}]),
    "a pair": ("lda", ilk.classifier("lda")),
    "named steps": [("lda", ilk.classifier("lda"))],
    "an identity before": [lambda X: X, {"classifier": "lda"}],
}


def test_defaults_stand_before_every_pipeline_as_in_a_file(tmp_path):
    path = tmp_path / "shared.toml"
    path.write_text(
        """
datasets = ["iris"]
[defaults]
steps = [{ transformer = "standardize" }, { transformer = { use = "pca", n_components = 2 } }]
[[pipelines]]
id = "1-NN"
steps = [{ classifier = { use = "knn", k = 1 } }]
[[pipelines]]
id = "raw"
steps = [{ classifier = { use = "knn", k = 1 } }]
defaults = false
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""
    )
    written = run_experiment(path, store=tmp_path / "a.sqlite")
    one = {"use": "knn", "k": 1}
    raw = {"steps": [{"classifier": one}], "defaults": False}
    pca = {"transformer": {"use": "pca", "n_components": 2}}
    for pipelines, shared in (
        ({"1-NN": one, "raw": raw}, [{"transformer": "standardize"}, pca]),
        ([{"id": "1-NN", "steps": raw["steps"]}, {"id": "raw", **raw}], [StandardScaler(), pca]),
        ({"1-NN": one, "raw": raw}, ilk.Pipeline([{"transformer": "standardize"}, pca])),
    ):
        given = compare(pipelines, "iris", defaults=shared)
        pd.testing.assert_frame_equal(given.pivot("error"), written.pivot("error"))
    assert error(written, "1-NN") != error(written, "raw")


def test_pipelines_in_every_form_are_the_same(iris):
    results = compare(SAME, *iris)
    errors = results.pivot("error").iloc[0]
    assert results.n_failed == 0
    assert len(set(errors)) == 1
    assert results.design.n_cells == 2 * 2  # all but the last have the same key


FOREIGN = {
    "1-NN": {"use": "knn", "k": 1, "distance": "manhattan"},
    "function": {"use": "knn", "k": 1, "distance": manhattan},
    "instance": {"use": "knn", "k": 1, "distance": ilk.distance("callable", function=manhattan)},
    "SVC": SVC(),
    "scaled": make_pipeline(StandardScaler(), SVC()),
    "steps": [("scale", StandardScaler()), SVC()],
    "vote": {
        "use": "voting",
        "combiner": "majority",
        "members": [SVC(), ("l", LogisticRegression()), "lda"],
    },
}


def test_objects_stand_in_tables_at_any_depth(iris):
    results = compare(FOREIGN, *iris)
    assert results.n_failed == 0, results.failures["error"].tolist()
    assert error(results, "function") == error(results, "1-NN") == error(results, "instance")
    assert error(results, "scaled") == error(results, "steps")
    assert len({one.key for one in results.design.pipelines}) == 6  # one function, given twice
    for name in FOREIGN:
        fitted = results.fit(name, *iris)
        assert fitted.score(*iris) > 0.9
    assert results.filter(pipeline="SVC").pipeline("SVC").steps[0]["classifier"].C == 1


def test_a_frozen_learner_is_not_fitted_again(iris):
    X, y = iris
    scaler = ilk.frozen(ilk.transformer("standardize").fit(X[:9]))
    fresh = {"transformer": "standardize"}
    results = compare({"frozen": [{"transformer": scaler}, SVC()], "fresh": [fresh, SVC()]}, X, y)
    assert results.n_failed == 0
    assert error(results, "frozen") != error(results, "fresh")
    assert results.fit("frozen", X, y)[0].mean_ is scaler.mean_


def test_digests_follow_content():
    def adder(number):
        return lambda x: x + number

    def digest(value):
        return described(value)["object"]

    assert digest(adder(1)) == digest(adder(1))
    assert digest(adder(1)) != digest(adder(2))
    assert digest(SVC()) == digest(SVC())
    assert digest(SVC(C=2)) != digest(SVC())
    assert described(SVC(C=2)).items() >= {"use": "SVC", "C": 2}.items()
    knn = ilk.classifier("knn", k=1)
    first, same, other = (
        ilk.frozen(clone(knn).fit([[0.0], [at]], ["a", "b"])) for at in (1.0, 1.0, 2.0)
    )
    assert digest(first) == digest(same) != digest(other)


def test_a_store_is_resumed_and_says_what_it_lacks(iris, tmp_path):
    pipelines = {"SVC": SVC(), "lda": "lda"}
    first = compare(pipelines, *iris, store=tmp_path / "s.sqlite")
    with first.reading() as store:
        n_runs = len(store.runs())
    again = compare({"SVC": SVC(), "lda": "lda"}, *iris, store=tmp_path / "s.sqlite")
    with again.reading() as store:
        assert len(store.runs()) == n_runs  # nothing was computed
    opened = ilk.results(tmp_path / "s.sqlite")
    assert error(opened, "SVC") == error(first, "SVC")
    assert opened.pipeline("lda").steps[0]["classifier"] is not None
    with pytest.raises(ilk.InputError, match=r"'SVC' has objects of Python, .* \(SVC\)"):
        opened.pipeline("SVC")


@pytest.fixture(scope="module")
def frame(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    return frame.assign(size=np.where(X[:, 2] > 3, "large", "small"), kind=y)


def test_frames_are_data_sets_with_names_and_levels(frame, iris):
    mixed = {"use": "knn", "distance": "heterogeneous"}
    results = compare(
        {"mixed": mixed}, {"pandas": frame, "polars": pl.from_pandas(frame)}, target="kind"
    )
    assert results.n_failed == 0
    assert error(results, "mixed")[0] == error(results, "mixed")[1]
    (one, _) = results.design.datasets
    assert one.label == "pandas"
    numbers = compare({"n": "lda"}, frame.drop(columns="size"), target="kind")
    plain = compare({"n": "lda"}, {"data": ilk.Data(*iris, feature_names=tuple("abcd"))})
    assert numbers.design.datasets == plain.design.datasets


def test_labels_may_be_categories(frame):
    as_text = compare(["naive_bayes"], frame[["a", "kind"]], target="kind")
    category = frame[["a", "kind"]].astype({"kind": "category"})
    assert error(as_text, "naive_bayes") == error(
        compare(["naive_bayes"], category, target="kind"), "naive_bayes"
    )


def test_pipelines_without_names_are_named(iris):
    results = compare(["lda", {"use": "knn", "k": 3}, SVC(), SVC(C=2)], *iris)
    assert [one.label for one in results.design.pipelines] == ["lda", "knn(k=3)", "SVC", "SVC (2)"]


def test_best_is_the_lowest_mean_rank(iris):
    results = compare({"worst": "decision_stump", "b": "lda"}, {"x": iris, "y": iris[0:2]})
    assert results.best() == "b"
    page = results._repr_html_()
    assert page.index("<td>b</td>") < page.index("<td>worst</td>")
    axes = results.plot("ranks")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "worst"]
    assert axes.lines[-1].get_xdata().tolist() == [1.0, 2.0]


def test_a_report_is_written(iris, tmp_path):
    path = compare(["lda"], *iris).report(tmp_path / "r.html")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_dates_of_a_frame_are_days_as_those_of_a_file():
    days = [3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    frame = pd.DataFrame({"when": pd.to_datetime(days, unit="D"), "u": ["v", "w"] * 5})
    y, last = ["a", "b"] * 5, {"use": "knn", "distance": "heterogeneous"}
    results = compare({"k": last}, {"dates": (frame, y), "days": (frame.assign(when=days), y)})
    first, second = results.table()["error"]
    assert first == second
    assert "column 'when' has dates: they are read as days since 1970-01-01" in str(results.notes)


def test_no_pipeline_is_best_where_all_failed():
    frame = pd.DataFrame({"c": ["u", "v"] * 10, "y": ["a", "b"] * 10})
    with pytest.warns(UserWarning, match="2 of 2 cells failed, the first of 'lda' on 'data': .*c"):
        results = compare(["lda"], frame, target="y", keep_going=True)
    with pytest.raises(ilk.InputError, match=r"no pipeline is best by error.*\(2 cells failed"):
        results.best()


X, Y = np.zeros((4, 1)), ["a", "b", "a", "b"]
TABLE = pd.DataFrame({"x": [1.0, 2], "when": pd.to_datetime(["2024-01-01"] * 2), "y": ["a", None]})
WRONG = [
    ([["lda"], X, Y], {"target": "y"}, "give y or target, not both"),
    (["knn", X, Y], {}, "pipelines must be a mapping of names to pipelines"),
    ([{"use": "knn"}, X, Y], {}, "pipelines must be a mapping of names"),
    ([[], X, Y], {}, r"or a list of pipelines, got \[\]"),
    ([{"a": SVC}, X, Y], {}, "pipeline 'a' must be a name, .*, got the class SVC"),
    ([{"a": manhattan}, X, Y], {}, "pipeline 'a' must be a name"),
    ([{"a": "knm"}, X, Y], {}, "did you mean 'knn'"),
    ([{"a": [{"classifier": SVC}]}, X, Y], {}, "must be a classifier .*, got the class SVC"),
    ([{"a": {"use": "knn", "distance": SVC()}}, X, Y], {}, "distance: must be a distance"),
    ([{"a": {"use": "voting", "members": [3]}}, X, Y], {}, "must be a classifier .*, got 3"),
    ([{"a": [3, "knn"]}, X, Y], {}, "a step is a table with one key"),
    ([{"a": StandardScaler()}, X, Y], {}, "an estimator that predicts"),
    ([{"a": [StandardScaler()]}, X, Y], {}, "a pipeline without a predictor"),
    ([["lda"], X], {}, "data must be a frame with target"),
    ([["lda"], X, Y[:3]], {}, "a label for each of 4 cases"),
    ([["lda"], TABLE], {}, "target must name a column of the frame"),
    ([["lda"], TABLE], {"target": "yy"}, "got 'yy'; did you mean 'y'"),
    ([["lda"], TABLE], {"target": "y"}, "y has 1 missing labels, the first in row 1"),
    ([["lda"], TABLE[["when"]].diff(), ["a", "b"]], {}, "column 'when' has durations"),
    ([["lda"], pd.DataFrame({"a": [[1], [2]]}), ["a", "b"]], {}, "column 'a' has cells that are"),
    ([["lda"], pd.DataFrame([[1, 2]] * 4, columns=["u", "u"]), Y], {}, "several columns 'u'"),
    ([["lda"], pd.DataFrame([[1, 2]] * 4, columns=["u", "u"])], {"target": "u"}, "2 columns 'u'"),
    ([["lda"], X, ["a", None, "a", "b"]], {}, "y has 1 missing labels, the first in row 1"),
    ([["lda"], X, [1.0, np.nan, 2, 1]], {}, "y has 1 missing labels"),
    ([["lda"], X, [1, "1", 2, 2]], {}, "labels of one type, got int, str"),
    ([["lda"], pd.DataFrame(X), pd.Series(Y, [3, 2, 1, 0])], {}, "give y.loc"),
    ([["lda"], {}], {}, "data has no data set"),
    ([["lda"], "iris", Y], {}, "y is given, but data has its own labels"),
    ([["lda"], {"a": (X, Y)}, Y], {}, "y belongs to one data set"),
    ([["lda"], X, ["a"] * 4], {}, "has 1 class"),
    ([["lda"], X, Y], {"defaults": "pca"}, "defaults must be a list of steps, as in .*got 'pca'"),
    ([{"a": {"steps": ["lda"], "default": False}}, X, Y], {}, "did you mean 'defaults'"),
]


@pytest.mark.parametrize(("arguments", "keywords", "message"), WRONG)
def test_what_is_not_accepted_is_named(arguments, keywords, message):
    with pytest.raises((ilk.InputError, ilk.InputTypeError, ilk.SpecError), match=message):
        compare(*arguments, **keywords)


def test_without_the_plugin_it_is_named(monkeypatch):
    monkeypatch.setattr("ilk.functions.found_in", lambda group: [])
    with pytest.raises(ilk.UnknownComponentError, match="pip install ilk-evaluation"):
        ilk.compare(["lda"], X, Y)


@pytest.fixture
def pyplot():
    """pyplot, imported for the time of a test: figures of other tests are not kept by it."""
    known = sys.modules.get("matplotlib.pyplot")
    from matplotlib import pyplot as plt

    yield plt
    if known is None:
        sys.modules.pop("matplotlib.pyplot", None)


def test_figures_belong_to_pyplot_where_it_is_in_use(iris, pyplot, monkeypatch, tmp_path):
    results = compare(["lda"], *iris)
    with monkeypatch.context() as without:
        without.delitem(sys.modules, "matplotlib.pyplot", raising=False)
        detached = results.plot("ranks").figure
    before = pyplot.get_fignums()
    figure = results.plot("ranks").figure
    try:
        assert pyplot.gcf() is figure is not detached
        results.report(tmp_path / "r.html")
        assert len(pyplot.get_fignums()) == len(before) + 1
    finally:
        pyplot.close(figure)
