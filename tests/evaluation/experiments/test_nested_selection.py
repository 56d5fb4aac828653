"""Parameters chosen inside a cell: by inner resampling or validation cases, never by test cases."""

from itertools import pairwise

import numpy as np
import pytest

import ilk
from ilk_evaluation import plan_experiment, run_experiment
from ilk_evaluation.run.cell import evaluate

GRID = {"shift": [0.0, 0.5, 1.0]}
N = 36
ASKED = ("fit", "predict")


class Spy(ilk.Classifier):
    """Label of the nearest training row, moved by `shift`; writes down which rows it is shown.

    A row tells its number by its last column.
    """

    shift: float = ilk.param(default=0.0)
    log: list = []

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = np.asarray(X), np.asarray(y), np.unique(y)
        Spy.log.append(("fit", self.shift, numbers(X)))
        return self

    def predict(self, X):
        Spy.log.append(("predict", self.shift, numbers(X)))
        gaps = np.abs(np.asarray(X)[:, None, 0] + self.shift - self.X_[None, :, 0])
        return self.y_[gaps.argmin(axis=1)]


def numbers(X):
    return tuple(int(number) for number in np.asarray(X)[:, -1])


class Numbered(ilk.Dataset):
    """Rows of one feature and their number; labels, and perhaps groups, follow from the number."""

    grouped: bool = ilk.param(default=False)

    def load(self):
        rows = np.arange(N)
        X = np.column_stack([np.random.default_rng(5).normal(size=N), rows])
        groups = np.array([f"g{row // 3}" for row in rows]) if self.grouped else None
        return ilk.Data(X, np.array(["a", "b"])[rows % 2], "numbered", ("x", "row"), groups=groups)


class Half(ilk.Editor):
    """Keeps the first half of the rows."""

    def fit_resample(self, X, y):
        self.sample_indices_ = np.arange(len(y) // 2)
        return X[: len(y) // 2], y[: len(y) // 2]


@pytest.fixture(autouse=True)
def mine(with_component):
    Spy.log.clear()
    with_component("classifier", "t_spy", Spy)
    with_component("dataset", "t_numbered", Numbered)
    with_component("editor", "t_half", Half)


def spec_of(make_spec, outer, *, steps=(), grouped=False, **tuned):
    chooser = {"use": "tuned", "classifier": "t_spy", "grid": GRID, **tuned}
    return make_spec(
        datasets=[{"use": "t_numbered", "grouped": grouped}],
        pipelines=[{"id": "tuned", "steps": [*steps, {"classifier": chooser}]}],
        evaluation={"resampling": outer},
    )


def seen_by_cell(spec):
    """Run, and yield each split with what the spy wrote down while it was evaluated."""
    plan = plan_experiment(spec)
    pipeline, data = plan.pipelines[0].pipeline, plan.datasets[0].data
    for split in plan.splits(0):
        Spy.log.clear()
        outcome = evaluate(pipeline, data, split, seed=1)
        assert outcome.error is None, outcome.traceback
        yield split, list(Spy.log), outcome


OUTER = [
    {"use": "kfold", "folds": 3},
    {"use": "five_by_two"},
    {"use": "bootstrap", "repeats": 3},
    {"use": "random_subsampling", "repeats": 2},
]


@pytest.mark.parametrize("outer", OUTER, ids=lambda table: table["use"])
@pytest.mark.parametrize("inner", [None, {"use": "kfold", "folds": 2}, {"use": "holdout"}])
def test_test_cases_never_reach_the_choice(make_spec, outer, inner):
    spec = spec_of(make_spec, outer, resampling=inner) if inner else spec_of(make_spec, outer)
    for split, log, _ in seen_by_cell(spec):
        train, test = set(split.train.tolist()), set(split.test.tolist())
        *choosing, (what, _, asked) = log
        assert what == "predict"
        assert list(asked) == split.test.tolist()  # asked about once, after everything else
        assert {shift for _, shift, _ in choosing} == set(GRID["shift"])
        for _, _, rows in choosing:
            assert not test & set(rows)
            assert set(rows) <= train
        *_, (last, _, rows) = choosing
        assert last == "fit"
        assert sorted(rows) == sorted(split.train.tolist())  # refitted to all of them


def test_the_whole_experiment_keeps_them_apart(make_spec):
    results = run_experiment(spec_of(make_spec, {"use": "kfold", "folds": 3}))
    assert results.n_failed == 0
    tests = [prediction.indices.tolist() for _, prediction in results.predictions("t_numbered")]
    fitted = [set(rows) for what, _, rows in Spy.log if what == "fit"]
    assert sorted(row for rows in tests for row in rows) == list(range(N))
    assert all(any(not rows & set(test) for test in tests) for rows in fitted)


def test_labels_of_test_cases_change_nothing_of_the_choice(make_spec):
    plan = plan_experiment(spec_of(make_spec, {"use": "kfold", "folds": 3}))
    data, pipeline = plan.datasets[0].data, plan.pipelines[0].pipeline
    (split, *_) = plan.splits(0)
    y = data.y.copy()
    y[split.test] = np.where(y[split.test] == "a", "b", "a")
    outcomes = [
        evaluate(pipeline, each, split, seed=1) for each in (data, ilk.Data(data.X, y, "flipped"))
    ]
    np.testing.assert_array_equal(outcomes[0].codes, outcomes[1].codes)


VALIDATED = {"use": "train_validation_test", "sizes": [2, 1, 1], "repeats": 3}


@pytest.mark.parametrize("grouped", [False, True])
def test_validation_cases_choose(make_spec, grouped):
    for split, log, _ in seen_by_cell(spec_of(make_spec, VALIDATED, grouped=grouped)):
        train, chosen_by = split.train.tolist(), split.validation.tolist()
        *choosing, refit, asked = log
        assert len(choosing) == 2 * len(GRID["shift"])
        for what, _, rows in choosing:
            assert list(rows) == (train if what == "fit" else chosen_by)
        assert refit[0] == "fit"
        assert sorted(refit[2]) == sorted(train + chosen_by)
        assert asked[2] == tuple(split.test.tolist())


def test_the_choice_is_the_best_on_the_validation_cases(make_spec):
    plan = plan_experiment(spec_of(make_spec, VALIDATED))
    data = plan.datasets[0].data
    for split, log, outcome in seen_by_cell(spec_of(make_spec, VALIDATED)):
        errors = []
        for shift in GRID["shift"]:
            model = Spy(shift=shift).fit(data.X[split.train], data.y[split.train])
            said = model.predict(data.X[split.validation])
            errors.append(np.mean(said != data.y[split.validation]))
        best = GRID["shift"][int(np.argmin(errors))]
        assert log[-1][1] == best
        rows = np.concatenate([split.train, split.validation])
        final = Spy(shift=best).fit(data.X[rows], data.y[rows]).predict(data.X[split.test])
        np.testing.assert_array_equal(data.classes[outcome.codes], final)


def test_what_is_asked_for_inside_gives_way_to_validation_cases(make_spec):
    inner = {"use": "kfold", "folds": 2}
    plain = [log for _, log, _ in seen_by_cell(spec_of(make_spec, VALIDATED))]
    asked = [log for _, log, _ in seen_by_cell(spec_of(make_spec, VALIDATED, resampling=inner))]
    assert plain == asked


def test_steps_before_learn_from_both_and_those_inside_from_training_cases(make_spec):
    steps = [{"transformer": "standardize"}]
    plan = plan_experiment(spec_of(make_spec, VALIDATED, steps=steps))
    (split, *_) = plan.splits(0)
    outcome = evaluate(plan.pipelines[0].pipeline, plan.datasets[0].data, split, seed=1)
    assert outcome.error is None
    fitted = [len(rows) for what, _, rows in Spy.log if what == "fit"]
    assert fitted == [18, 18, 18, 27]


def test_other_pipelines_train_with_training_cases_alone(make_spec):
    spec = spec_of(make_spec, VALIDATED)
    spec["pipelines"] = [{"id": "plain", "steps": [{"classifier": "t_spy"}]}]
    for split, log, _ in seen_by_cell(spec):
        assert [rows for _, _, rows in log] == [
            tuple(split.train.tolist()),
            tuple(split.test.tolist()),
        ]


@pytest.mark.parametrize(
    ("outer", "grouped", "said"),
    [
        (VALIDATED, False, "validation cases are unused"),
        ({"use": "kfold", "folds": 2}, True, "groups are divided"),
        ({"use": "bootstrap", "repeats": 2}, False, "copies of cases are divided"),
    ],
)
def test_an_editor_before_is_warned_of(make_spec, outer, grouped, said):
    spec = spec_of(make_spec, outer, steps=[{"editor": "t_half"}], grouped=grouped)
    for split, log, outcome in seen_by_cell(spec):
        assert any(said in warning for warning in outcome.warnings)
        assert all(set(rows) <= set(split.train.tolist()) for _, _, rows in log[:-1])


def test_a_warning_is_not_given_without_cause(make_spec):
    spec = spec_of(make_spec, {"use": "kfold", "folds": 2}, steps=[{"editor": "t_half"}])
    assert all(not outcome.warnings for _, _, outcome in seen_by_cell(spec))


INNER = [
    None,
    {"use": "kfold", "folds": 3},
    {"use": "holdout", "test_size": 0.4},
    {"use": "bootstrap", "repeats": 2},
    {"use": "sklearn", "splitter": "GroupKFold", "params": {"n_splits": 2}},
]


@pytest.mark.parametrize("inner", INNER, ids=lambda table: table and table["use"])
def test_groups_stay_whole_where_the_choice_is_made(make_spec, inner):
    more = {"resampling": inner} if inner else {}
    outer = {"use": "kfold", "folds": 3}
    for split, log, _ in seen_by_cell(spec_of(make_spec, outer, grouped=True, **more)):
        *choosing, (_, _, asked) = log
        assert not {row // 3 for row in asked} & {int(row) // 3 for row in split.train}
        for (what, _, fitted), (then, _, judged) in pairwise(choosing):
            if (what, then) == ASKED:
                assert not {row // 3 for row in fitted} & {row // 3 for row in judged}


@pytest.mark.parametrize("inner", INNER, ids=lambda table: table and table["use"])
def test_copies_of_a_case_stay_together_where_the_choice_is_made(make_spec, inner):
    more = {"resampling": inner} if inner else {}
    for split, log, _ in seen_by_cell(spec_of(make_spec, OUTER[2], **more)):
        *choosing, (_, _, refitted), _ = log
        assert sorted(refitted) == sorted(split.train.tolist())  # as often as drawn
        pairs = [(a[2], b[2]) for a, b in pairwise(choosing) if (a[0], b[0]) == ASKED]
        assert pairs
        for fitted, judged in pairs:
            assert not set(fitted) & set(judged)


def test_copies_that_cannot_stay_together_are_told(make_spec):
    outer = {"use": "bootstrap", "repeats": 1}
    plan = plan_experiment(spec_of(make_spec, outer, resampling="leave_one_out"))
    (split,) = plan.splits(0)
    outcome = evaluate(plan.pipelines[0].pipeline, plan.datasets[0].data, split, seed=1)
    assert "copies of a case that was drawn several times are a group: leave_one" in outcome.error


def test_an_inner_scheme_that_would_divide_groups_is_refused(make_spec):
    inner = {"use": "sklearn", "splitter": "ShuffleSplit", "params": {"n_splits": 2}}
    spec = spec_of(make_spec, {"use": "kfold", "folds": 2}, grouped=True, resampling=inner)
    plan = plan_experiment(spec)
    (split, *_) = plan.splits(0)
    outcome = evaluate(plan.pipelines[0].pipeline, plan.datasets[0].data, split, seed=1)
    assert "ShuffleSplit would divide the groups" in outcome.error


def test_splitters_of_scikit_learn_get_the_groups(make_spec):
    from sklearn.model_selection import GroupKFold

    data = Numbered(grouped=True).load()
    chooser = ilk.classifier("tuned", classifier=Spy(), grid=GRID, resampling=GroupKFold(2))
    (split, *_) = ilk.resampling("kfold", folds=2).splits(data.X, data.y, data.groups, 0)
    outcome = evaluate(ilk.Pipeline([{"classifier": chooser}]), data, split, seed=1)
    assert outcome.error is None
    fits = [{row // 3 for row in rows} for what, _, rows in Spy.log if what == "fit"]
    assert len(fits) == 7
    assert len({frozenset(each) for each in fits}) == 3
    assert not fits[0] & fits[3]


def test_the_pipeline_is_left_as_it_is(make_spec):
    plan = plan_experiment(spec_of(make_spec, VALIDATED))
    pipeline = plan.pipelines[0].pipeline
    before = ilk.to_spec(pipeline)
    (split, *_) = plan.splits(0)
    evaluate(pipeline, plan.datasets[0].data, split, seed=1)
    assert ilk.to_spec(pipeline) == before


def test_a_run_is_the_same_again(make_spec, tmp_path):
    first = run_experiment(spec_of(make_spec, VALIDATED))
    spec = spec_of(make_spec, VALIDATED)
    spec["output"] = {"store": str(tmp_path / "again.sqlite")}
    again = run_experiment(spec)
    assert first.table()["error"].tolist() == again.table()["error"].tolist()


class Scored(Spy):
    """Writes down the rows whose decision values are asked for, as predictions."""

    def decision_function(self, X):
        return np.where(self.predict(X) == self.classes_[1], 1.0, -1.0)


def chosen_inside(classifier, split, *, grouped=False):
    """What a cell of a split shows to a classifier."""
    Spy.log.clear()
    data = Numbered(grouped=grouped).load()
    outcome = evaluate(ilk.Pipeline([{"classifier": classifier}]), data, split, seed=1)
    assert outcome.error is None
    return list(Spy.log)


def first_split(scheme, *, grouped=False):
    data = Numbered(grouped=grouped).load()
    return next(iter(ilk.build(scheme, kind="resampling").splits(data.X, data.y, data.groups)))


def test_validation_cases_tune_a_threshold():
    split = first_split(VALIDATED)
    train, chosen_by = split.train.tolist(), split.validation.tolist()
    tuned = ilk.classifier("threshold", classifier=Scored(), threshold="tuned")
    whole, fit, predict, asked = chosen_inside(tuned, split)
    assert sorted(whole[2]) == sorted(train + chosen_by)
    assert (list(fit[2]), list(predict[2])) == (train, chosen_by)
    assert asked[2] == tuple(split.test.tolist())
    fixed = ilk.classifier("threshold", classifier=Scored(), threshold=0.0)
    assert [list(rows) for _, _, rows in chosen_inside(fixed, split)] == [
        train,
        split.test.tolist(),
    ]


def test_groups_stay_whole_where_a_threshold_is_tuned():
    split = first_split({"use": "kfold", "folds": 3}, grouped=True)
    tuned = ilk.classifier("threshold", classifier=Scored(), threshold="tuned")
    _, *choosing, _ = chosen_inside(tuned, split, grouped=True)
    for fit, predict in zip(choosing[::2], choosing[1::2], strict=True):
        assert not {row // 3 for row in fit[2]} & {row // 3 for row in predict[2]}


def test_a_criterion_uses_the_training_cases_alone():
    split = first_split(VALIDATED)
    model = ilk.classifier("tuned", classifier="lda", criterion="srm")
    data = Numbered().load()
    outcome = evaluate(ilk.Pipeline([{"classifier": model}]), data, split, seed=1)
    assert outcome.error is None
    expected = ilk.classifier("lda").fit(data.X[split.train], data.y[split.train])
    np.testing.assert_array_equal(data.classes[outcome.codes], expected.predict(data.X[split.test]))
