"""Areas under ROC and precision-recall curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import ilk
from cases import in_one_test

tied = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=40).filter(
    lambda cases: len({positive for positive, _ in cases}) == 2
)


def scored(truth, scores, classes=None, **more):
    truth, scores = np.asarray(truth), np.asarray(scores, dtype=float)
    known = np.unique(truth) if classes is None else np.asarray(classes)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return ilk.Prediction(truth, truth, known, scores=scores, **more)


def chances(truth, P, classes=None):
    known = np.unique(truth) if classes is None else np.asarray(classes)
    return ilk.Prediction(np.asarray(truth), np.asarray(truth), known, probabilities=np.asarray(P))


def mann_whitney(truth, scores):
    """The definition: all pairs."""
    gaps = scores[truth][:, None] - scores[~truth]
    return float(np.mean((gaps > 0) + (gaps == 0) / 2))


@given(tied)
def test_area_is_mann_whitney_with_many_ties(cases):
    truth, scores = np.array([p for p, _ in cases]), np.array([float(s) for _, s in cases])
    got = ilk.measure("roc_auc")(scored(truth, scores))
    assert got == pytest.approx(mann_whitney(truth, scores), abs=1e-15)
    assert got == pytest.approx(roc_auc_score(truth, scores))
    precision = ilk.measure("pr_auc")(scored(truth, scores))
    assert precision == pytest.approx(average_precision_score(truth, scores))


@given(tied)
def test_only_the_order_of_scores_counts(cases):
    truth, scores = np.array([p for p, _ in cases]), np.array([float(s) for _, s in cases])
    order = np.random.default_rng(0).permutation(len(truth))
    for name in ("roc_auc", "pr_auc", "precision_at_recall"):
        measure = ilk.measure(name)
        expected = measure(scored(truth, scores))
        assert measure(scored(truth, np.exp(scores))) == expected
        assert measure(scored(truth[order], 3 * scores[order] - 7)) == expected
        renamed = scored(np.where(truth, "yes", "no"), scores)
        assert measure(renamed) == expected
    swapped = ilk.measure("roc_auc", positive=False)(scored(truth, scores))
    assert swapped == pytest.approx(ilk.measure("roc_auc")(scored(truth, scores)))
    against = ilk.measure("roc_auc")(scored(truth, -scores))
    assert against == pytest.approx(1 - ilk.measure("roc_auc")(scored(truth, scores)))


def test_small_probabilities_stay_apart():
    p = np.array([1e-30, 1e-20, 1e-10, 0.5])
    prediction = chances([0, 1, 0, 1], np.column_stack([1 - p, p]))
    assert ilk.measure("roc_auc")(prediction) == 0.75


def test_two_discriminants_rank_by_their_difference():
    truth = np.array([0, 0, 1, 1])
    scores = np.array([[5.0, 4.0], [1.0, 0.5], [3.0, 3.5], [9.0, 9.9]])
    assert ilk.measure("roc_auc")(scored(truth, scores)) == 1


multiclass = st.integers(0, 10**6).map(np.random.default_rng)


@given(multiclass, st.sampled_from(["ovo", "ovr"]), st.sampled_from(["macro", "weighted"]))
def test_more_classes_agree_with_scikit_learn(rng, how, average):
    truth = np.concatenate([np.arange(4), rng.integers(0, 4, 40)])
    P = rng.integers(1, 5, (44, 4)) + np.eye(4)[truth]  # with ties
    P /= P.sum(axis=1, keepdims=True)
    got = ilk.measure("roc_auc", multiclass=how, average=average)(chances(truth, P))
    expected = roc_auc_score(truth, P, multi_class=how, average=average)
    assert got == pytest.approx(expected)
    if how == "ovr":
        areas = ilk.measure("pr_auc", average=average)(chances(truth, P))
        expected = average_precision_score(np.eye(4)[truth], P, average=average)
        assert areas == pytest.approx(expected)


def test_two_of_three_classes_are_averaged_and_the_third_is_said():
    P = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    prediction = chances([0, 1, 0, 1], P, [0, 1, 2])
    for name, parameters in (("roc_auc", {}), ("pr_auc", {"average": "macro"})):
        measure = ilk.measure(name, **parameters)
        assert measure(prediction) == 1
        assert "belongs to 2" in measure.remarks(prediction)[0]


@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0]], ids=["all positive", "all negative"])
def test_area_of_one_class_is_an_error_and_no_number(truth):
    kind = "negative" if truth[0] else "positive"
    for name in ("roc_auc", "pr_auc"):
        with pytest.raises(ilk.InputError, match=f"none of the 3 answered cases is {kind}"):
            ilk.measure(name)(scored(truth, [0.1, 0.2, 0.3], [0, 1]))


def test_area_of_one_of_three_classes_is_an_error():
    prediction = chances([1, 1], np.full((2, 3), 1 / 3), [0, 1, 2])
    for measure in (ilk.measure("roc_auc"), ilk.measure("pr_auc", average="macro")):
        with pytest.raises(ilk.InputError, match=r"all answered cases \(2\) belong to one class"):
            measure(prediction)


def test_precision_without_a_positive_case_is_an_error():
    prediction = scored([0, 0], [0.1, 0.2], [0, 1])
    for name in ("pr_auc", "precision_at_recall"):
        with pytest.raises(ilk.InputError, match="none of the 2 answered cases is positive"):
            ilk.measure(name)(prediction)


def test_precision_at_recall_of_three_quarters():
    """Falling scores: + + - + - - + -; three of four are found first with one wrong."""
    truth = np.array([1, 1, 0, 1, 0, 0, 1, 0])
    prediction = scored(truth, -np.arange(8.0))
    assert ilk.measure("precision_at_recall")(prediction) == 3 / 4
    assert ilk.measure("precision_at_recall", recall=0.5)(prediction) == 1
    assert ilk.measure("precision_at_recall", recall=1.0)(prediction) == 4 / 7
    assert ilk.measure("precision_at_recall", recall=0.0)(prediction) == 1


def test_precision_at_recall_takes_the_best_threshold_that_finds_enough():
    """Falling: + - - + +: finding all is cleaner than finding two of three."""
    prediction = scored([1, 0, 0, 1, 1], -np.arange(5.0))
    assert ilk.measure("precision_at_recall", recall=0.6)(prediction) == 3 / 5


def test_rejected_cases_are_not_ranked():
    rejected = np.array([False, False, True, False])
    prediction = scored([0, 1, 1, 0], [0.1, 0.9, -5, 0.2], rejected=rejected)
    assert ilk.measure("roc_auc")(prediction) == 1


@pytest.mark.parametrize("name", ["roc_auc", "pr_auc", "precision_at_recall"])
def test_what_the_pipeline_lacks_is_said(name):
    bare = ilk.Prediction(np.array([0, 1]), np.array([0, 1]), np.array([0, 1]))
    with pytest.raises(ilk.InputError, match=f"{name}: needs scores or probabilities.*labels only"):
        ilk.measure(name)(bare)
    with pytest.raises(ilk.InputError, match="score of answered case 1 is NaN"):
        ilk.measure(name)(scored([0, 1], [0.5, np.nan]))


def test_class_that_was_absent_from_training_ranks_last():
    scores = np.array([[2.0, -1.0, -np.inf], [-1.0, 1.0, -np.inf], [0.0, 0.5, -np.inf]])
    got = ilk.measure("roc_auc", positive=2)(scored([0, 1, 2], scores))
    assert got == 0.5  # all tie


def test_scores_that_are_both_infinite_rank_nothing():
    scores = np.array([[0.0, 1.0], [np.inf, np.inf]])
    with pytest.raises(ilk.InputError, match="scores of answered case 1 are both infinite"):
        ilk.measure("roc_auc")(scored([0, 1], scores))


@pytest.mark.parametrize("name", ["roc_auc", "brier"])
def test_a_column_for_each_class(name):
    prediction = chances([0, 1, 2], np.full((3, 2), 0.5))
    with pytest.raises(ilk.InputError, match=r"must have shape \(3, 3\), .* got \(3, 2\)"):
        ilk.measure(name)(prediction)


@in_one_test
@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.float16, np.float32, object])
def test_scores_of_any_kind_of_number_rank_as_floats_do(kind):
    scores = np.array([[3, 1], [1, 4], [0, 2], [5, 5], [9, 1]]).astype(kind)
    truth = [0, 1, 1, 0, 1]
    expected = mann_whitney(np.array(truth) == 1, np.diff(scores.astype(float))[:, 0])
    assert ilk.measure("roc_auc")(scored(truth, scores.astype(float))) == expected
    prediction = ilk.Prediction(np.array(truth), np.array(truth), np.array([0, 1]), scores=scores)
    assert ilk.measure("roc_auc")(prediction) == expected


@in_one_test
@pytest.mark.parametrize(
    "scores",
    [
        [[-1.5e308, 1.1e308], [-1.4e308, 1.3e308]],  # differences are beyond the largest float
        [[-5e-324, 5e-324], [-5e-324, 1e-323]],
        [[1e300, 1e300], [1e300, 1.1e300]],
        np.array([[2**24, 1], [2**24, 2]], dtype=np.float32),  # equal differences in float32
        [[-np.inf, np.inf], [-1.0, np.inf]],  # the only tie
    ],
    ids=["overflow", "subnormal", "huge", "single", "infinite"],
)
def test_extreme_scores_rank(scores):
    tie = np.isinf(scores).any()
    prediction = ilk.Prediction(
        np.array([0, 1]), np.array([0, 1]), np.array([0, 1]), scores=np.array(scores)
    )
    assert ilk.measure("roc_auc")(prediction) == (0.5 if tie else 1.0)


@in_one_test
@pytest.mark.parametrize("values", [[["a", "b"]] * 2, np.array([["x", 1], [2, 3]], dtype=object)])
@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "risk"])
def test_scores_that_are_no_numbers(name, values):
    parameters = {"loss": "hinge"} if name == "risk" else {}
    y = np.array([0, 1])
    prediction = ilk.Prediction(y, y, y, probabilities=values, scores=values)
    with pytest.raises(ilk.InputError, match=f"{name}: .*scores and probabilities must be numbers"):
        ilk.measure(name, **parameters)(prediction)


@given(st.integers(0, 10**6), st.integers(3, 6))
def test_pairs_of_classes_are_ranked_by_all_pairs_of_cases(seed, n_classes):
    """Hand and Till's definition, with ties, absent classes and rejected cases."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, 30)
    truth[:2] = [0, 1]
    scores = rng.integers(0, 4, (30, n_classes)).astype(float)
    rejected = np.arange(30) > rng.integers(5, 30)
    there = np.unique(truth[~rejected])
    areas, cases = [], []
    for a in there:
        for b in there[there > a]:
            rows = np.isin(truth, [a, b]) & ~rejected
            own = mann_whitney(truth[rows] == a, scores[rows, a])
            areas.append((own + mann_whitney(truth[rows] == b, scores[rows, b])) / 2)
            cases.append(rows.sum())
    prediction = scored(truth, scores, np.arange(n_classes), rejected=rejected)
    assert ilk.measure("roc_auc")(prediction) == pytest.approx(np.mean(areas))
    weighted = ilk.measure("roc_auc", average="weighted")(prediction)
    assert weighted == pytest.approx(np.average(areas, weights=cases))


def test_thousand_classes_take_a_sort_each():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(1000), 2)
    assert 0.45 < ilk.measure("roc_auc")(scored(truth, rng.random((2000, 1000)))) < 0.55
