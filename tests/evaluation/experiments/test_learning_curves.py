"""Growing training parts: splits, cells, what tables leave out, curves beside a plain loop."""

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import figures, plan_experiment, run_experiment
from ilk_evaluation.report import html_report
from ilk_evaluation.results.export import frame_of

FOLDS = {"use": "repeated_kfold", "folds": 2, "repeats": 2, "stratify": True}
GROWING = {"use": "learning_curve", "sizes": [0.25, 20, 1.0], "resampling": FOLDS}
Y = np.array(["a"] * 20 + ["b"] * 10)


class Greedy(ilk.Classifier):
    """The nearest class mean; fails with fewer than 30 training cases."""

    def fit(self, X, y):
        if len(y) < 30:
            raise ValueError("too few")
        self.classes_ = np.unique(y)
        self.means_ = np.array([np.mean(X[y == name], axis=0) for name in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


@pytest.fixture
def plain_page(monkeypatch):
    """Leave figures out of pages, as where matplotlib is not installed: they take longest."""
    monkeypatch.setattr("ilk_evaluation.report.blocks.find_spec", lambda _: None)


@pytest.fixture(autouse=True)
def greedy(with_component):
    with_component("classifier", "t_greedy", Greedy)


def spec(resampling=GROWING, **evaluation):
    return {
        "experiment": {"seed": 3},
        "datasets": ["iris"],
        "pipelines": [
            {"id": "greedy", "steps": [{"classifier": "t_greedy"}]},
            {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
        ],
        "evaluation": {"resampling": resampling, **evaluation},
    }


@pytest.fixture
def results(tmp_path):
    return run_experiment(spec(), store=tmp_path / "s.sqlite", keep_going=True)


def splits(scheme, **parameters):
    scheme = ilk.resampling(scheme, **parameters)
    return list(scheme.splits(np.zeros((len(Y), 1)), Y, random_state=5))


def test_smaller_parts_are_nested_and_keep_the_class_shares():
    whole = splits("repeated_kfold", folds=2, repeats=2)
    inner = {"use": "repeated_kfold", "folds": 2, "repeats": 2}
    found = splits("learning_curve", sizes=[0.2, 6, 1.0], resampling=inner)
    assert len({(split.repeat, split.fold) for split in found}) == len(found) == 12
    for at, expected in enumerate(whole):
        first, fifth, six = found[3 * at : 3 * at + 3]
        assert first.train.tolist() == expected.train.tolist()
        assert all(part.test.tolist() == expected.test.tolist() for part in (first, fifth, six))
        assert (len(fifth.train), len(six.train)) == (3, 6)
        assert set(fifth.train) < set(six.train) < set(first.train)
        share = np.mean(Y[first.train] == "b")
        assert abs(np.sum(Y[six.train] == "b") - 6 * share) < 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sizes": [0.5, 2.5]}, "sizes must be whole numbers or shares up to 1.0, got 2.5"),
        ({"sizes": []}, "sizes must be one or more"),
        ({"sizes": [6, 3, 6]}, r"sizes must be different, got \[6, 3, 6\]"),
        ({"resampling": "learning_curve"}, "must be another resampling"),
        (
            {"sizes": [40], "resampling": "holdout"},
            "sizes has 40, but a training part has 21 cases",
        ),
        ({"resampling": "resubstitution"}, "learning_curve: resubstitution tests cases that it tr"),
    ],
)
def test_sizes_and_resamplings_that_cannot_be(parameters, message):
    with pytest.raises(ilk.IlkError, match=message):
        splits("learning_curve", **parameters)


def test_tables_and_cells_are_those_of_the_whole_parts(results):
    store = results.design.store
    before = len(store.read_bytes())
    alone = run_experiment(spec(FOLDS), store=store)  # every cell is there
    clock = ["fit_seconds"]
    pd.testing.assert_frame_equal(
        alone.table().drop(columns=clock), results.table().drop(columns=clock)
    )
    assert alone.design.n_cells == 8
    assert len(alone.to_pandas("predictions")) == len(results.to_pandas("predictions")) == 600
    assert len(store.read_bytes()) - before < 10_000
    assert alone.learning_curves()["n_train"].tolist() == [75, 75]


def test_curves_are_those_of_a_plain_loop(results):
    plan = plan_experiment(spec())
    data = plan.datasets[0].data
    errors = {}
    for split in plan.splits(0):
        model = ilk.classifier("nearest_mean").fit(data.X[split.train], data.y[split.train])
        wrong = np.mean(model.predict(data.X[split.test]) != data.y[split.test])
        errors.setdefault(len(split.train), []).append(wrong)
    table = results.learning_curves().query("pipeline == 'means'")
    assert table["n_train"].tolist() == sorted(errors) == [19, 20, 75]
    assert table["error"].tolist() == pytest.approx([np.mean(errors[n]) for n in sorted(errors)])
    spread = [np.std(errors[n], ddof=1) for n in sorted(errors)]
    assert table["error_spread"].tolist() == pytest.approx(spread)
    frame = frame_of(results, "learning").query("pipeline == 'means'")
    pd.testing.assert_frame_equal(frame, table)
    fold = results.filter(repeat=1, fold=1)  # as the tables number them, at every size
    assert sorted(fold.learning_curves()["n_train"]) == [19, 19, 20, 20, 75, 75]
    part = results.filter(pipeline="means").learning_curves()
    pd.testing.assert_frame_equal(part, table.reset_index(drop=True))


@pytest.mark.usefixtures("plain_page")
def test_failures_of_smaller_parts_are_said_and_leave_the_tables_alone(results):
    assert results.n_failed == len(results.failures) == 8
    assert set(results.failures["fold"]) == {0, 1}
    assert results.table()["n_failed"].tolist() == [0, 0]
    assert results.summary()["rank"].notna().all()
    assert (
        "8 of the failed cells are of smaller training parts, in learning curves only"
        in results.notes
    )
    lost = results.learning_curves().query("pipeline == 'greedy'")["error"].isna()
    assert lost.tolist() == [True, True, False]
    figure = figures.available(results)["learning"].figure("iris")
    assert [len(line.get_xdata()) for line in figure.draw().lines] == [1, 3]
    page = html_report(results)
    assert "Learning curves on iris" in page
    assert "No finite estimate, and not drawn: greedy (19), greedy (20)." in page
    assert "Learning curves on iris" not in html_report(run_experiment(spec(FOLDS)))


def test_comparisons_ask_for_the_other_resampling():
    five = {"use": "learning_curve", "sizes": [0.5], "resampling": "five_by_two"}
    results = run_experiment(spec(five, comparisons=["paired_t_5x2"]))
    alone = run_experiment(spec("five_by_two", comparisons=["paired_t_5x2"]))
    assert [one.text for one in results.verdicts] == [one.text for one in alone.verdicts]
    with pytest.raises(ilk.SpecError, match="paired_t_5x2"):
        plan_experiment(spec(comparisons=["paired_t_5x2"]))


def test_a_numeric_target_is_not_stratified():
    regression = {
        "datasets": ["diabetes"],
        "pipelines": [{"id": "k", "steps": [{"regressor": "knn"}]}],
        "evaluation": {"resampling": {"use": "learning_curve", "sizes": [0.5]}},
    }
    assert plan_experiment(regression).datasets[0].n_splits > 1
    regression["evaluation"]["resampling"]["resampling"] = "stratified_kfold"
    with pytest.raises(ilk.SpecError, match="stratified_kfold divides cases by their classes"):
        plan_experiment(regression)
