"""Bootstraps: who is out of the bag, and the .632 and .632+ estimates."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation import run_experiment
from ilk_evaluation.resamplings.bootstrap import no_information


def split(name, n, y=None, groups=None, random_state=0, **parameters):
    labels = np.arange(n) % 2 if y is None else np.asarray(y)
    scheme = ilk.resampling(name, **parameters)
    return list(scheme.splits(np.zeros((n, 1)), labels, groups, random_state=random_state))


@pytest.mark.parametrize("stratify", [False, True])
def test_a_case_is_out_of_the_bag_with_probability_0_368(stratify):
    n = 2000
    splits = split("bootstrap", n, repeats=30, stratify=stratify)
    shares = [len(each.test) / n for each in splits]
    deviation = np.sqrt((np.exp(-1) - 2 * np.exp(-2)) / n / 30)  # of the mean of empty cells
    assert abs(np.mean(shares) - (1 - 1 / n) ** n) < 4 * deviation
    assert round((1 - 1 / n) ** n, 3) == 0.368


@given(st.integers(2, 30), st.integers(0, 2**31), st.booleans())
def test_samples_are_as_large_as_the_data_and_leave_something_out(n, seed, stratify):
    y = np.arange(n) % 2 if n > 2 else np.zeros(n, dtype=int)
    splits = split("bootstrap", n, y, random_state=seed, repeats=3, stratify=stratify)
    for each in splits:
        assert len(each.train) == n
        assert sorted({*each.train.tolist(), *each.test.tolist()}) == list(range(n))
        assert not set(each.train.tolist()) & set(each.test.tolist())
        assert len(each.test) == len(set(each.test.tolist())) > 0
        if stratify:
            assert Counter(y[each.train].tolist()) == Counter(y.tolist())
    assert [(each.repeat, each.fold) for each in splits] == [(0, 0), (1, 0), (2, 0)]


def test_two_cases_are_drawn_until_one_is_left_out():
    splits = split("bootstrap", 2, repeats=200)
    seen = Counter((tuple(each.train.tolist()), tuple(each.test.tolist())) for each in splits)
    assert set(seen) == {((0, 0), (1,)), ((1, 1), (0,))}
    assert min(seen.values()) > 60


def test_every_sample_of_three_cases_is_as_likely():
    splits = split("bootstrap", 3, repeats=6000)
    seen = Counter(tuple(each.train.tolist()) for each in splits)
    ways = Counter(tuple(sorted(drawn)) for drawn in product(range(3), repeat=3))
    del ways[0, 1, 2]  # leaves nothing out
    total = sum(ways.values())
    assert set(seen) == set(ways)
    for sample, number in ways.items():
        assert abs(seen[sample] / 6000 - number / total) < 0.03


def test_groups_are_drawn_whole_with_all_their_cases():
    groups = np.array(["v", "u", "v", "w", "u", "v"])
    for each in split("bootstrap", 6, groups=groups, repeats=30):
        times = Counter(groups[each.train].tolist())
        sizes = Counter(groups.tolist())
        assert sum(times[name] / sizes[name] for name in sizes) == 3
        assert {name for name in sizes if not times[name]} == set(groups[each.test])
        assert np.array_equal(each.train, np.sort(each.train))


def test_stratified_groups_are_drawn_within_their_class():
    groups = np.arange(12) // 2
    y = np.repeat(["a", "a", "b", "b", "b", "b"], 2)
    for each in split("bootstrap", 12, y, groups, repeats=20, stratify=True):
        assert Counter(y[each.train].tolist()) == {"a": 4, "b": 8}


@in_one_test
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 4, "groups": ["g"] * 4}, "bootstrap: all cases are of one group"),
        ({"n": 2, "stratify": True}, "bootstrap: no class has 2 cases"),
        ({"n": 4, "y": [0, 0, 1, 1], "groups": [7, 7, 9, 9], "stratify": True}, "has 2 groups"),
        ({"n": 1}, r"X has 1 case\(s\)"),
    ],
)
@pytest.mark.parametrize("name", ["bootstrap", "bootstrap_632"])
def test_what_would_leave_nothing_for_testing_is_refused(name, arguments, message):
    with pytest.raises(ilk.InputError, match=message.replace("bootstrap:", f"{name}:")):
        split(name, **arguments)


def test_632_starts_with_resubstitution():
    first, *others = split("bootstrap_632", 10, repeats=4, random_state=5)
    assert first.train.tolist() == first.test.tolist() == list(range(10))
    assert [each.repeat for each in others] == [1, 2, 3, 4]
    plain = split("bootstrap", 10, repeats=4, random_state=5)
    for mine, theirs in zip(others, plain, strict=True):
        np.testing.assert_array_equal(mine.train, theirs.train)


def estimate(scores, rate=None, greater=None, plus=False):
    scheme = ilk.resampling("bootstrap_632", repeats=len(scores) - 1, plus=plus)
    if not plus:
        return scheme.estimate(scores)
    return scheme.estimate(scores, no_information=rate, greater_is_better=greater)


def test_632_by_hand():
    assert estimate([0.1, 0.3, 0.5]) == pytest.approx(0.368 * 0.1 + 0.632 * 0.4)
    # R = (0.4 - 0.1) / (0.5 - 0.1) = 0.75; w = 0.632 / (1 - 0.276) = 0.872928...
    expected = 0.1 + 0.632 / 0.724 * 0.3
    assert estimate([0.1, 0.3, 0.5], 0.5, False, plus=True) == pytest.approx(expected)
    accuracy = estimate([0.9, 0.7, 0.5], 0.5, True, plus=True)
    assert accuracy == pytest.approx(1 - expected)


@in_one_test
@pytest.mark.parametrize(
    ("inside", "outside", "rate", "expected"),
    [
        (0.0, 0.5, 0.5, 0.5),  # 1-NN where the truth is a coin: all is overfitting
        (0.0, 0.7, 0.5, 0.5),  # err1 above the rate: cut there
        (0.3, 0.2, 0.5, 0.368 * 0.3 + 0.632 * 0.2),  # better outside: R = 0
        (0.6, 0.7, 0.5, 0.368 * 0.6 + 0.632 * 0.5),  # rate below resubstitution: R = 0
        (0.3, 0.3, 0.3, 0.3),
        (0.2, np.inf, 3.0, 3.0),
        (0.2, 0.7, np.inf, 0.368 * 0.2 + 0.632 * 0.7),
        (0.2, np.inf, np.inf, np.inf),
    ],
)
def test_632_plus_at_its_edges(inside, outside, rate, expected):
    got = estimate([inside, outside], rate, False, plus=True)
    assert got == pytest.approx(expected)
    assert estimate([-inside, -outside], -rate, True, plus=True) == pytest.approx(-expected)


NUMBER = st.floats(0, 1)


@given(NUMBER, st.lists(NUMBER, min_size=1, max_size=4), NUMBER, st.booleans())
def test_632_plus_never_leaves_its_interval(inside, outside, rate, greater):
    got = estimate([inside, *outside], rate, greater, plus=True)
    mean = np.mean(outside)
    bounded = max(mean, rate) if greater else min(mean, rate)
    assert min(inside, bounded) - 1e-12 <= got <= max(inside, bounded) + 1e-12
    if bounded != inside:
        weight = (got - inside) / (bounded - inside)
        assert abs(bounded - inside) < 1e-6 or 0.632 - 1e-9 <= weight <= 1 + 1e-9  # R in [0, 1]


def test_632_of_scores_that_are_not_those_of_the_splits():
    for plus in (False, True):
        scheme = ilk.resampling("bootstrap_632", repeats=3, plus=plus)
        for judge in (scheme.estimate, scheme.spread):
            with pytest.raises(ilk.InputError, match="bootstrap_632: .* 3 samples, got 3 scores"):
                judge([0.1, 0.2, 0.3])
    with pytest.raises(ilk.InputError, match="needs no_information and greater_is_better"):
        scheme.estimate([0.1] * 4)


def prediction(truth, labels, **more):
    return ilk.Prediction(np.array(truth), np.array(labels), np.array([0, 1, 2]), **more)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_no_information_rate_is_the_error_of_independent_labels(pairs):
    truth, labels = map(list, zip(*pairs, strict=True))
    p = np.bincount(truth, minlength=3) / len(truth)
    q = np.bincount(labels, minlength=3) / len(truth)
    got = no_information(ilk.measure("error"), prediction(truth, labels))
    assert got == pytest.approx(1 - p @ q)  # sum of p (1 - q), Efron and Tibshirani


def test_no_information_rate_of_many_cases_takes_a_thousand_pairings():
    generator = np.random.default_rng(0)
    truth, labels = generator.integers(0, 3, 5003), generator.integers(0, 3, 5003)
    calls = []

    class Counted(ilk.Measure):
        def __call__(self, given):
            calls.append(tuple(given.truth[:20]))
            return float(np.mean(given.truth != given.labels))

    got = no_information(Counted(), prediction(truth, labels))
    assert len(set(calls)) == len(calls) == 1000
    p, q = np.bincount(truth) / 5003, np.bincount(labels) / 5003
    assert got == pytest.approx(1 - p @ q, abs=2e-3)


def coin():
    generator = np.random.default_rng(1)
    return ilk.Data(generator.normal(size=(60, 3)), np.arange(60) % 2, "coin")


class Coin(ilk.Dataset):
    """Labels that have nothing to do with the features."""

    def load(self):
        return coin()


@pytest.fixture
def results():
    ilk.registry("dataset").register("t_coin", Coin)

    def run(scheme, measures=("error", "accuracy")):
        return run_experiment(
            {
                "experiment": {"name": "coin", "seed": 1},
                "datasets": ["t_coin"],
                "pipelines": [{"id": "1-NN", "steps": [{"classifier": {"use": "knn", "k": 1}}]}],
                "evaluation": {"resampling": scheme, "measures": list(measures)},
            }
        )

    yield run
    ilk.registry("dataset").unregister("t_coin")


def test_experiment_of_1nn_where_the_truth_is_a_coin(results):
    scheme = {"use": "bootstrap_632", "repeats": 20}
    plain, plus = results(scheme), results({**scheme, "plus": True})
    scores = plain.scores[plain.scores["measure"] == "error"]["value"].to_numpy()
    assert scores[0] == 0  # resubstitution
    row = plain.table().iloc[0]
    assert row["error_spread"] == plus.table()["error_spread"][0] == scores[1:].std(ddof=1)
    assert row["error"] == pytest.approx(0.632 * scores[1:].mean())
    corrected = plus.table().iloc[0]
    assert corrected["error"] == pytest.approx(min(scores[1:].mean(), 0.5), abs=0.02)
    assert corrected["accuracy"] == pytest.approx(1 - corrected["error"])
    assert row["error"] < 0.4
    assert 0.44 < corrected["error"] <= 0.5 + 1e-9


def test_a_part_of_the_splits_is_not_estimated(results):
    run = results({"use": "bootstrap_632", "repeats": 3})
    part = run.filter(repeat=[0, 1])
    assert np.isnan(part.table()[["error", "error_spread"]]).all(axis=None)
    said = "error was not estimated for t_coin, 1-NN: bootstrap_632: "
    assert any(note.startswith(said) for note in part.notes)


def test_an_undefined_score_makes_no_estimate(results):
    class OneUndefined(ilk.Measure):
        def __call__(self, given):
            if len(given) < 60:
                raise ilk.InputError("t_undefined: not of these cases")
            return 0.0

    ilk.registry("measure").register("t_undefined", OneUndefined)
    try:
        scheme = {"use": "bootstrap_632", "repeats": 2, "plus": True}
        run = results(scheme, ["error", "t_undefined"])
        assert np.isnan(run.table()["t_undefined"]).all()
        assert np.isfinite(run.table()["error"]).all()
    finally:
        ilk.registry("measure").unregister("t_undefined")


@in_one_test
@pytest.mark.parametrize("name", sorted(ilk.registry("resampling").names()))
def test_spread_is_that_of_the_scores_an_estimate_is_made_of(name):
    """One score, an infinite one, and scores that are all alike."""
    for scheme in type(ilk.resampling(name)).examples():
        first = [0.0] if name == "bootstrap_632" else []
        n = scheme.repeats if name == "bootstrap_632" else 4
        times = getattr(scheme, "n_sizes", 1)  # a learning curve has whole parts and smaller ones
        scores = [0.1 * (i + 1) for i in range(n)]
        each = np.repeat(scores, times).tolist()
        assert scheme.spread(first + each) == pytest.approx(np.std(scores, ddof=1))
        assert scheme.spread(first + [0.5] * n * times) == 0
        assert np.isnan(scheme.spread([*first, *each[:-times], *[np.inf] * times]))
        if name != "bootstrap_632":
            assert np.isnan(scheme.spread([0.5]))
