"""Curves of predictions, their averages and drawings."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

import ilk
from cases import in_one_test
from ilk_evaluation import curves

cases = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=40).filter(
    lambda pairs: len({positive for positive, _ in pairs}) == 2
)


def scored(truth, scores, **more):
    truth, scores = np.asarray(truth), np.asarray(scores, dtype=float)
    columns = np.column_stack([-scores, scores])
    return ilk.Prediction(truth, truth, np.unique(truth), scores=columns, **more)


def chances(truth, chance):
    truth, p = np.asarray(truth), np.asarray(chance, dtype=float)
    P = np.column_stack([1 - p, p])
    return ilk.Prediction(truth, (p > 0.5).astype(int), np.array([0, 1]), probabilities=P)


@given(cases)
def test_roc_agrees_with_scikit_learn(pairs):
    truth, scores = np.array([p for p, _ in pairs]), np.array([float(s) for _, s in pairs])
    x, y, thresholds = roc_curve(truth, scores, drop_intermediate=False)
    whole = curves.roc(scored(truth, scores), every_point=True)
    np.testing.assert_allclose(whole.x, x)
    np.testing.assert_allclose(whole.y, y)
    np.testing.assert_array_equal(whole.thresholds, thresholds)
    assert whole.area == pytest.approx(roc_auc_score(truth, scores))
    corners = curves.roc(scored(truth, scores))
    assert corners.area == whole.area == pytest.approx(np.trapezoid(corners.y, corners.x))
    assert set(corners.thresholds) <= set(whole.thresholds)
    np.testing.assert_allclose(  # the same line, although with fewer points
        curves.averaged([corners]).mean, curves.averaged([whole]).mean, atol=1e-12
    )


@given(cases)
def test_precision_recall_agrees_with_scikit_learn(pairs):
    truth, scores = np.array([p for p, _ in pairs]), np.array([float(s) for _, s in pairs])
    precision, recall, thresholds = precision_recall_curve(truth, scores)
    curve = curves.precision_recall(scored(truth, scores))
    np.testing.assert_allclose(curve.x[1:], recall[-2::-1])
    np.testing.assert_allclose(curve.y[1:], precision[-2::-1])
    np.testing.assert_array_equal(curve.thresholds[1:], thresholds[::-1])
    assert (curve.x[0], curve.y[0]) == (0, curve.y[1])
    assert curve.area == pytest.approx(average_precision_score(truth, scores))


def test_points_of_a_roc_curve_are_those_of_its_thresholds():
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 2
    scores = np.round(rng.normal(size=60) + truth, 1)
    curve = curves.roc(scored(truth, scores))
    for x, y, threshold in zip(curve.x, curve.y, curve.thresholds, strict=True):
        said = scores >= threshold
        assert (x, y) == (said[truth == 0].mean(), said[truth == 1].mean())


def test_one_class_against_the_rest():
    truth = np.array(list("abcabc"))
    P = np.random.default_rng(0).dirichlet(np.ones(3), 6)
    prediction = ilk.Prediction(truth, truth, np.array(list("abc")), probabilities=P)
    curve = curves.roc(prediction, "b")
    assert curve.name == "b against the rest"
    assert (curve.n_positive, curve.n_negative) == (2, 4)
    assert curve.area == pytest.approx(roc_auc_score(truth == "b", P[:, 1]))
    with pytest.raises(ilk.InputError, match="roc: positive must name one of the classes"):
        curves.roc(prediction)


def test_fold_with_one_class_has_no_curve():
    only = replace(scored([1, 1], [0.5, 0.6]), classes=np.array([0, 1]))
    for curve in (curves.roc, curves.precision_recall):
        with pytest.raises(ilk.InputError, match="none of the 2 answered cases is negative"):
            curve(only)
    nothing = scored([0, 1], [0.5, 0.6], rejected=np.array([True, True]))
    with pytest.raises(ilk.InputError, match="no case was answered"):
        curves.roc(nothing)


def test_heights_of_a_worked_average():
    """One curve through (0.5, 1) after a rise to 0.5 at 0, the other straight."""
    steep = curves.Curve(
        np.array([0, 0, 0.5, 1]), np.array([0, 0.5, 1, 1]), np.array([np.inf, 3, 2, 1]), 0.875, ""
    )
    plain = curves.Curve(np.array([0.0, 1]), np.array([0.0, 1]), np.array([np.inf, 1]), 0.5, "")
    band = curves.averaged([steep, plain], points=5)
    np.testing.assert_allclose(band.mean, [0.25, 0.5, 0.75, 0.875, 1])
    gap = np.array([0.5, 0.5, 0.5, 0.25, 0]) / np.sqrt(2)  # deviation of two values
    np.testing.assert_allclose(band.lower, np.maximum(band.mean - gap, 0))
    np.testing.assert_allclose(band.upper, np.minimum(band.mean + gap, 1))
    assert (band.area, band.n) == (0.6875, 2)
    assert band.spread == "one standard deviation to either side of the mean"
    student = curves.averaged([steep, plain], "t", confidence=0.8, points=5)
    half = 3.0776835 * 0.5 / 2  # t of 1 degree of freedom, standard error of two values
    assert student.upper[0] == pytest.approx(min(0.25 + half, 1))
    assert student.spread == "80% interval of the mean by Student's t"


def test_precision_between_points_is_that_of_the_next():
    curve = curves.precision_recall(scored([1, 0, 1, 0], [4, 3, 2, 1]))
    band = curves.averaged([curve], points=5)
    np.testing.assert_allclose(band.mean, [1, 1, 1, 2 / 3, 2 / 3])
    assert np.isnan(band.lower).all()  # one curve says nothing of a spread


@in_one_test
@pytest.mark.parametrize("n", [7, 10, 50, 100])
def test_heights_where_a_curve_jumps(n):
    """Each jump of a curve of n negative cases is at a point of the grid, to the last digit."""
    truth = np.tile([1, 0], n)
    curve = curves.roc(scored(truth, -np.arange(2.0 * n)), every_point=True)
    band = curves.averaged([curve], points=n + 1)
    np.testing.assert_array_equal(band.mean, np.append(np.arange(1, n + 1) / n, 1))
    falling = curves.precision_recall(scored(truth, -np.arange(2.0 * n)))
    heights = curves.averaged([falling], points=n + 1).mean
    found = np.arange(1, n + 1)
    np.testing.assert_array_equal(heights[1:], found / (2 * found - 1))
    shares = curves.calibration(chances(truth, np.repeat(np.arange(n) + 1, 2) / n), bins=n)
    assert shares.counts.tolist() == [2] * n


def test_what_cannot_be_averaged():
    prediction = scored([0, 1], [0.1, 0.2])
    mixed = [curves.roc(prediction), curves.precision_recall(prediction)]
    with pytest.raises(ilk.InputError, match="of one sort, got precision_recall and roc"):
        curves.averaged(mixed)
    with pytest.raises(ilk.InputError, match="got none"):
        curves.averaged([])
    with pytest.raises(ilk.InputError, match="spread must be 'sd' or 't', got 'se'"):
        curves.averaged(mixed[:1], "se")
    for points in (1, 0, -3, 2.5, "5"):
        with pytest.raises(ilk.InputError, match="points must be an integer >= 2"):
            curves.averaged(mixed[:1], points=points)
    with pytest.raises(ilk.InputError, match="confidence must be between 0 and 1, got 1"):
        curves.averaged([mixed[0]] * 2, "t", confidence=1)
    narrow = curves.averaged([mixed[0]] * 2, "t", confidence=0.999)
    assert narrow.spread.startswith("99.9% interval")


@pytest.mark.parametrize(("strategy", "theirs"), [("width", "uniform"), ("quantile", "quantile")])
def test_calibration_agrees_with_scikit_learn(strategy, theirs):
    rng = np.random.default_rng(0)
    p = np.round(rng.random(300), 2)
    truth = (rng.random(300) < p).astype(int)
    got = curves.calibration(chances(truth, p), 8, strategy=strategy)
    share, mean = calibration_curve(truth, p, n_bins=8, strategy=theirs)
    used = got.counts > 0
    np.testing.assert_allclose(got.frequency[used], share)
    np.testing.assert_allclose(got.probability[used], mean)
    assert got.counts.sum() == 300
    gaps = np.abs(got.frequency - got.probability)
    assert got.expected_error == pytest.approx(np.sum(got.counts * gaps) / 300)
    assert got.largest_error == pytest.approx(gaps.max())


def test_calibration_of_more_classes_is_of_the_predicted_one():
    truth, labels = np.array(list("aabc")), np.array(list("abbc"))
    P = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1], [0.0, 0.4, 0.6]])
    prediction = ilk.Prediction(truth, labels, np.array(list("abc")), probabilities=P)
    found = curves.calibration(prediction, bins=1)
    assert found.name == "the predicted class"
    assert found.frequency.tolist() == [0.75]
    assert found.expected_error == pytest.approx(0.0)
    assert curves.calibration(prediction, positive="b").name == "b"


def test_empty_bins_and_equal_quantiles():
    found = curves.calibration(chances([0, 1], [0.05, 0.95]))
    assert found.counts.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert np.isnan(found.frequency[1:9]).all()
    tied = curves.calibration(chances([0, 1, 1, 1], [0.5] * 4), strategy="quantile")
    assert tied.counts.tolist() == [4]
    for wrong in ({"bins": 0}, {"bins": 2.5}, {"strategy": "equal"}):
        with pytest.raises(ilk.InputError, match="must be"):
            curves.calibration(chances([0, 1], [0.1, 0.9]), **wrong)


@pytest.fixture(scope="module")
def iris():
    return ilk.dataset("iris").load()


class Recorder(ilk.Classifier):
    """Predicts the majority and keeps what it learned from; fails on few cases."""

    seen: list = []  # shared by clones on purpose

    least: Any = ilk.param(default=0, type=object, none=True)

    def fit(self, X, y):
        if len(y) < self.least:
            raise ValueError("too few cases")
        self.seen.append((X[:, 0].copy(), y.copy()))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[np.argmax(counts)]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


def test_training_sets_are_nested_and_in_proportion():
    y = np.array(["a"] * 60 + ["b"] * 30)
    data = ilk.Data(np.arange(90.0)[:, None], y)
    Recorder.seen.clear()
    curve = curves.learning(Recorder(), data, [6, 30, 60], ilk.resampling("kfold", folds=3))
    assert curve.scores.shape == (3, 3)
    assert curve.n.tolist() == [3, 3, 3]
    sets = [(set(rows.tolist()), np.mean(labels == "a")) for rows, labels in Recorder.seen]
    for fold in range(3):
        small, middle, large = (sets[3 * size + fold] for size in range(3))
        assert small[0] < middle[0] < large[0]
        assert middle[1] == pytest.approx(large[1], abs=0.05)


def test_learning_takes_names_and_specs(iris):
    steps = [{"transformer": "standardize"}, {"classifier": {"use": "knn", "k": 3}}]
    folds, f1 = {"use": "kfold", "folds": 3}, {"use": "f1", "average": "macro"}
    said = [
        curves.learning(pipeline, data, [10, 50], folds, f1)
        for pipeline in (ilk.Pipeline(steps), {"steps": steps}, steps)
        for data in (iris, "iris", (iris.X, iris.y))
    ]
    assert np.isfinite(said[0].scores).all()
    for curve in said:
        np.testing.assert_array_equal(curve.scores, said[0].scores)
    single = curves.learning(steps[1]["classifier"], iris, [10, 50], folds)
    assert np.isfinite(single.scores).all()


def test_learning_says_what_are_no_data(iris):
    with pytest.raises(ilk.InputTypeError, match="learning: data must be a data set, the name"):
        curves.learning("knn", iris.X, [10])
    with pytest.raises(ilk.InputError, match="learning: y must have a value for each of 150"):
        curves.learning("knn", (iris.X, iris.y[:9]), [10])


def test_learning_is_repeatable_and_scores_as_the_splits_do(iris):
    scheme = ilk.resampling("stratified_kfold", folds=3)
    model = ilk.classifier("knn", k=3)
    curve = curves.learning(model, iris, [0.1, 1.0], scheme, "accuracy", 5)
    again = curves.learning(model, iris, [10, 100], scheme, ilk.measure("accuracy"), 5)
    np.testing.assert_array_equal(curve.scores, again.scores)
    assert curve.sizes.tolist() == [10, 100]
    full = [
        float(
            np.mean(
                ilk.classifier("knn", k=3)
                .fit(iris.X[s.train], iris.y[s.train])
                .predict(iris.X[s.test])
                == iris.y[s.test]
            )
        )
        for s in scheme.splits(iris.X, iris.y, None, 5)
    ]
    np.testing.assert_allclose(curve.scores[1], full)
    assert curve.mean[1] == pytest.approx(np.mean(full))
    assert (curve.measure, curve.greater_is_better, curve.notes) == ("accuracy", True, ())


def test_failures_are_counted_and_told(iris):
    scheme = ilk.resampling("kfold", folds=3)
    curve = curves.learning(Recorder(least=20), iris, [10, 50], scheme)
    assert curve.n.tolist() == [0, 3]
    assert np.isnan(curve.mean[0])
    assert len(curve.notes) == 3
    assert curve.notes[0].endswith("ValueError: too few cases")


def test_pooled_measure_scores_repeats():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    data = (rng.normal(size=(24, 2)) + y[:, None], y)
    pooled = ilk.measure("roc_auc", pooled=True)
    curve = curves.learning("nearest_mean", data, [12], "leave_one_out", pooled)
    assert curve.scores.shape == (1, 1)
    assert 0.5 < curve.mean[0] <= 1
    single = curves.learning("nearest_mean", data, [12], "leave_one_out", "roc_auc")
    assert single.n.tolist() == [0]
    assert "none of the 1 answered cases is" in single.notes[0]


@in_one_test
@pytest.mark.parametrize("size", [0, 101, 1.5, 0.0, -1, True, "x", None, np.nan, np.inf], ids=str)
def test_no_such_size(iris, size):
    with pytest.raises(ilk.InputError, match="sizes must be from 1 to 100"):
        curves.learning("nearest_mean", iris, [size], ilk.resampling("kfold", folds=3))
    with pytest.raises(ilk.InputError, match="sizes is empty"):
        curves.learning("nearest_mean", iris, [])


@pytest.mark.parametrize("name", sorted(ilk.registry("resampling").names()))
def test_a_learning_curve_never_tests_what_it_trains_with(iris, name):
    scheme = type(ilk.resampling(name)).examples()[0]
    if name == "leave_p_out":
        scheme = ilk.resampling(name, p=1)
    if name == "per_class":  # 20 cases of each class train
        scheme = ilk.resampling(name, n_train=20)
    if name in {"resubstitution", "bootstrap_632"}:
        with pytest.raises(ilk.InputError, match=f"learning: {name} tests cases that it trains"):
            curves.learning("nearest_mean", iris, [20], scheme)
    else:
        assert curves.learning("nearest_mean", iris, [20], scheme).n[0] >= 1


def test_bands_of_another_sort_are_refused_by_learning_curves(iris):
    for wrong in ({"spread": "se"}, {"spread": ["t"]}, {"confidence": 1}, {"confidence": "0.9"}):
        (name,) = wrong
        with pytest.raises(ilk.InputError, match=f"learning: {name} must be"):
            curves.learning("nearest_mean", iris, [20], **wrong)


@pytest.fixture(scope="module")
def plotting():
    pytest.importorskip("matplotlib", reason="plots need the extra report")
    from ilk_evaluation.curves import plotting

    return plotting


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_curves_are_drawn_with_their_areas(plotting):
    folds = [scored([0, 0, 1, 1], scores) for scores in ([1, 3, 2, 4], [1, 2, 3, 4])]
    ax = plotting.draw_curves([curves.roc(fold) for fold in folds], labels=["$one", "two"])
    assert texts(ax) == ["by chance", r"\$one (area 0.750)", "two (area 1.000)"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), curves.roc(folds[0]).y)
    ax = plotting.draw_curves(curves.precision_recall(folds[0]))
    assert ax.lines[0].get_drawstyle() == "steps-pre"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")
    ax.figure.canvas.draw()
    with pytest.raises(ilk.InputError, match="all of one sort"):
        plotting.draw_curves([curves.roc(folds[0]), curves.precision_recall(folds[0])])


def test_bands_say_what_they_are(plotting):
    folds = [scored([0, 0, 1, 1], scores) for scores in ([1, 3, 2, 4], [1, 2, 3, 4])]
    for curve in (curves.roc, curves.precision_recall):
        band = curves.averaged([curve(fold) for fold in folds])
        ax = plotting.draw_band(band, label="knn")
        assert texts(ax)[-2].startswith("knn (area ")
        assert texts(ax)[-2].endswith("2 curves)")
        assert texts(ax)[-1] == band.spread
        ax.figure.canvas.draw()
    alone = plotting.draw_band(curves.averaged([curves.roc(folds[0])]))
    assert len(alone.collections) == 0


def test_calibration_learning_and_confusions_are_drawn(plotting, iris):
    ax = plotting.draw_calibration(curves.calibration(chances([0, 1, 1], [0.2, 0.9, 0.4])))
    assert texts(ax)[-1].startswith("3 cases, expected error")
    ax.figure.canvas.draw()
    curve = curves.learning(Recorder(least=20), iris, [10, 50], ilk.resampling("kfold", folds=3))
    ax = plotting.draw_learning(curve, label="majority")
    assert ax.lines[0].get_xdata().tolist() == [50]
    assert texts(ax)[0] == "majority: 0 to 3 scores"
    assert ax.get_ylabel() == "error (less is better)"
    ax.figure.canvas.draw()
    ax = plotting.draw_confusion([[1200, 3], [0, 0]], ["$a", "_b"])
    assert [text.get_text() for text in ax.texts] == ["1,200", "3", "0", "0"]
    assert ax.get_ylabel() == "true"
    ax.figure.canvas.draw()
    with pytest.raises(ilk.InputError, match="1 names for a matrix of"):
        plotting.draw_confusion([[1, 2], [3, 4]], ["a"])
