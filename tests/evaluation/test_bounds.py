"""Shares, probabilities and estimates stay within what docstrings state, to the last bit.

tests/exhaustive searches with many more rows, by the same functions.
"""

import math

import numpy as np
import pytest

import ilk
from ilk_evaluation import curves, diversity, intervals, theory

SECONDS = {"fit_seconds", "predict_seconds", "saved_seconds"}
UNBOUNDED = {"cost", "log_loss", "risk", "squared_error", *SECONDS}
SHARES = [  # measures, and the most that they may be
    (name, example, 2.0 if name == "brier" and not example.halved else 1.0)
    for name in ilk.measures()
    if name not in {*UNBOUNDED, "reduction"}
    for example in ilk.registry("measure").get(name).examples()
    if "classifier" in example.predictors
]


def hard_predictions(n_predictions, seed):
    """Predictions that are all right, all wrong or random, as sure as can be or not."""
    rng = np.random.default_rng(seed)
    for number in range(n_predictions):
        n_classes, n = int(rng.integers(2, 12)), int(rng.integers(4, 60))
        truth = rng.integers(0, n_classes, n)
        wrong = (truth + rng.integers(1, n_classes, n)) % n_classes
        labels = (truth, wrong, rng.integers(0, n_classes, n))[number % 3]
        P = np.eye(n_classes)[labels]
        if number % 2:
            P = rng.dirichlet(np.full(n_classes, 0.3), n)
        if number % 5 == 0:
            P = P.astype(np.float32) * np.float32(1 + 2.0**-23)  # as rounded quotients may be
        elif number % 5 == 1:
            P = P * (1 + 2.0**-52)
        yield ilk.Prediction(truth, labels, np.arange(n_classes), probabilities=P)


def check_measures(n_predictions, seed=0):
    for prediction in hard_predictions(n_predictions, seed):
        for name, measure, most in SHARES:
            try:
                value = measure(prediction)
            except ilk.IlkError:  # not defined, for one class, say
                continue
            assert math.isnan(value) or 0 <= value <= most, f"{name} {measure}: {value}"
        assert ilk.measure("log_loss")(prediction) >= 0
        assert ilk.measure("risk", loss="log")(prediction) >= 0
        found = curves.calibration(prediction, bins=7, positive=0)
        assert np.nanmax(found.probability) <= 1
        assert 0 <= found.expected_error <= 1


def check_632(n, seed=0):
    """The estimates lie between both scores that they are made of."""
    rng = np.random.default_rng(seed)
    plain, plus = (ilk.resampling("bootstrap_632", repeats=2, plus=p) for p in (False, True))
    for inside, outside, rate in rng.integers(0, 11, (n, 3)) / 10:
        scores = [inside, outside, outside]
        low, high = sorted([inside, outside])
        assert low <= plain.estimate(scores) <= high
        for greater in (False, True):
            bounded = (max if greater else min)(outside, rate)
            low, high = sorted([inside, bounded])
            assert low <= plus.estimate(scores, rate, greater) <= high


def check_theory(n, seed=0):
    rng = np.random.default_rng(seed)
    k, h = rng.integers(1, 2000, n), rng.random(n) * 100
    p = np.concatenate([rng.random(n - n // 4), 10.0 ** rng.integers(-300, 0, n // 4)])
    probabilities = {
        "ensemble_error": theory.ensemble_error(k, p),
        "condorcet": theory.condorcet(k, p),
        "separable_share": theory.separable_share(k, h.astype(int)),
        "failure_probability": theory.failure_probability(k, p, vc_dimension=h),
    }
    for name, values in probabilities.items():
        assert ((values >= 0) & (values <= 1)).all(), name
    for width in (theory.vc_bound(k, p, h), theory.hoeffding_bound(k, p, k)):
        assert (width >= 0).all()
    for errors, cases, confidence in zip((k * p).astype(int)[:100], k, p, strict=False):
        for method in ("clopper_pearson", "wilson"):
            inner = min(max(confidence, 1e-9), 1 - 1e-9)
            found = intervals.binomial_interval(int(errors), int(cases), inner, method)
            assert 0 <= found.lower <= found.upper <= 1


def check_diversity(n, seed=0):
    rng = np.random.default_rng(seed)
    for n_members in (1, 2, 3, 7, 10):
        answers, y = rng.integers(0, 3, (n_members, n)), rng.integers(0, 3, n)
        for answers_ in (answers, np.tile(y, (n_members, 1))):
            pairs = diversity.plain_disagreement(answers_), diversity.fail_disagreement(answers_, y)
            for matrix in pairs:
                assert (matrix >= 0).all()
                assert (matrix <= 1).all()
                assert (matrix == matrix.T).all()
                assert not np.diagonal(matrix).any()
            assert diversity.entropy(answers_) >= 0
            assert diversity.ambiguity(answers_) >= 0


def test_no_measure_is_out_of_bounds():
    check_measures(30)


def test_632_estimates_lie_between_their_scores():
    check_632(300)


def test_no_probability_of_the_theory_is_out_of_bounds():
    check_theory(500)


def test_no_diversity_is_out_of_bounds():
    check_diversity(500)


@pytest.mark.parametrize("n_classes", [3, 6, 7, 10])
def test_an_error_in_all_cases_is_1(n_classes):
    truth = np.repeat(np.arange(n_classes), np.arange(1, n_classes + 1))
    prediction = ilk.Prediction(truth, (truth + 1) % n_classes, np.arange(n_classes))
    assert ilk.measure("per_class_error")(prediction) == pytest.approx(1, abs=1e-15)
    for seed in range(30):
        priors = np.random.default_rng(seed).dirichlet(np.ones(n_classes)).tolist()
        assert ilk.measure("per_class_error", priors=priors)(prediction) <= 1


def test_a_perfect_ranking_has_area_1_at_most():
    for n in range(2, 100):
        truth = np.append(np.ones(n, dtype=int), 0)
        scores = np.linspace(1, 0, n + 1)
        P = np.column_stack([1 - scores, scores])
        prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
        assert ilk.measure("pr_auc")(prediction) <= 1
