"""Bounds, capacities and counts: the texts' numbers, brute force, inverses and monotony."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom
from sklearn.mixture import GaussianMixture
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test
from ilk_evaluation import theory

cases = st.integers(1, 10**7)
deltas = st.floats(1e-9, 1)
epsilons = st.floats(0.003, 1)
capacities = st.floats(0, 1e5)


def test_hoeffding_bound_by_hand():
    assert theory.hoeffding_bound(200, 0.05) == pytest.approx(math.sqrt(math.log(20) / 400))
    assert theory.hoeffding_bound(50, 0.1, 8) == pytest.approx(math.sqrt(math.log(80) / 100))
    assert theory.hoeffding_bound(7, 1) == 0


@given(st.integers(1, 400), st.floats(0.001, 0.999), st.floats(0.001, 1))
def test_hoeffding_bound_fails_as_rarely_as_it_says(n, error, delta):
    """Exactly: the chance that a binomial count falls short by more than the bound."""
    bound = theory.hoeffding_bound(n, delta)
    short = math.ceil(n * (error - bound)) - 1
    assert binom.cdf(short, n, error) <= delta + 1e-12


def test_vc_bound_is_cunninghams_form_and_not_the_slides():
    n, h, delta = 1000, 10, 0.05
    expected = math.sqrt((h * (math.log(2 * n / h) + 1) + math.log(4 / delta)) / n)
    assert theory.vc_bound(n, delta, h) == pytest.approx(expected, rel=1e-14)
    printed = math.sqrt(h * (math.log(2 * n / h + 1) - math.log(delta / 4)) / n)
    assert abs(theory.vc_bound(n, delta, h) - printed) > 0.05


@given(cases, deltas, capacities)
def test_vc_bound_is_monotone(n, delta, h):
    bound = theory.vc_bound(n, delta, h)
    assert bound >= theory.vc_bound(n + 1, delta, h)
    assert bound <= theory.vc_bound(n, delta, h + 1)
    assert bound <= theory.vc_bound(n, delta / 2, h)


@given(cases, deltas, st.integers(1, 10**30))
def test_hoeffding_bound_is_monotone(n, delta, size):
    bound = theory.hoeffding_bound(n, delta, size)
    assert bound >= theory.hoeffding_bound(n + 1, delta, size)
    assert bound <= theory.hoeffding_bound(n, delta, size + 1)
    assert bound <= theory.hoeffding_bound(n, delta / 2, size)


def test_limits_of_the_vc_bound():
    assert theory.vc_bound(100, 0.1, 0) == pytest.approx(math.sqrt(math.log(40) / 100))
    assert theory.vc_bound(100, 0.1, 1e-300) == pytest.approx(theory.vc_bound(100, 0.1, 0))
    assert theory.vc_bound(100, 0.1, math.inf) == theory.vc_bound(100, 0.1, 200) > 1
    assert theory.vc_bound(10**18, 0.1, 5) < 1e-6


@given(epsilons, deltas, st.integers(1, 10**40))
def test_enough_cases_are_just_enough_for_a_finite_class(epsilon, delta, size):
    n = theory.sample_complexity(epsilon, delta, n_functions=size)
    assert theory.hoeffding_bound(n, delta, size) <= epsilon
    assert n == 1 or theory.hoeffding_bound(n - 1, delta, size) > epsilon
    wanted = (math.log(size) - math.log(delta)) / (2 * epsilon**2)
    assert abs(n - max(math.ceil(wanted), 1)) <= 1  # rounding at whole numbers


@given(epsilons, deltas, capacities)
def test_enough_cases_are_just_enough_for_a_vc_dimension(epsilon, delta, h):
    n = theory.sample_complexity(epsilon, delta, vc_dimension=h)
    assert theory.vc_bound(n, delta, h) <= epsilon
    assert n == 1 or theory.vc_bound(n - 1, delta, h) > epsilon


@given(st.integers(1, 10**6), st.floats(1e-6, 0.9), st.integers(1, 50))
def test_bounds_and_probabilities_of_failure_are_inverse(n, delta, size):
    for kind, bound in (
        ("n_functions", theory.hoeffding_bound(n, delta, size)),
        ("vc_dimension", theory.vc_bound(n, delta, size)),
    ):
        if bound <= 1:
            found = theory.failure_probability(n, bound, **{kind: size})
            assert found == pytest.approx(delta, rel=1e-6)


@in_one_test
@pytest.mark.parametrize("h", [0, 1, 3, 30])
@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1])
@pytest.mark.parametrize("delta", [1e-6, 0.1, 1])
def test_cases_for_a_small_excess_keep_the_slides_bound(h, epsilon, delta):
    n = theory.sample_complexity(epsilon, delta, vc_dimension=h, excess=True)
    log = math.log(8) + theory.shatter_bound(n, h, log=True) - n * epsilon**2 / 128
    assert log <= math.log(delta) + 1e-9


def test_cases_for_a_small_excess_of_a_finite_class():
    """Both sides of Hoeffding's inequality at epsilon / 2, for each of N functions."""
    n = theory.sample_complexity(0.1, 0.05, n_functions=100, excess=True)
    assert n == math.ceil(2 * math.log(2 * 100 / 0.05) / 0.1**2)
    assert 2 * 100 * math.exp(-2 * n * 0.05**2) <= 0.05


def test_arrays_of_sample_complexities():
    found = theory.sample_complexity([[0.1], [0.05]], 0.05, vc_dimension=[1, 10, 100])
    assert found.shape == (2, 3)
    assert found[1, 2] == theory.sample_complexity(0.05, 0.05, vc_dimension=100)
    assert (np.diff(found, axis=1) > 0).all()
    assert (found[1] > found[0]).all()


def separable(points, signs):
    """Whether a hyperplane divides points as the signs say, by linear programming."""
    A = -signs[:, None] * np.column_stack([points, np.ones(len(points))])
    found = linprog(
        np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(A)), bounds=[(None, None)] * A.shape[1]
    )
    return found.status == 0


@in_one_test
@pytest.mark.parametrize(("n", "width"), [(4, 2), (5, 2), (4, 1), (5, 3)])
def test_cover_count_is_that_of_all_labellings(n, width):
    points = np.random.default_rng(n).normal(size=(n, width))
    labellings = (np.array(signs) for signs in itertools.product((-1.0, 1.0), repeat=n))
    assert theory.cover_count(n, width) == sum(separable(points, signs) for signs in labellings)


def test_the_slides_example():
    assert theory.cover_count(4, 2) == 14


@in_one_test
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_shatter_bound_is_reached_by_half_lines_and_intervals(n):
    """A threshold labels n points of a line in n + 1 ways, an interval in C(n + 1, 2) + 1."""
    ends = range(n + 1)
    thresholds = {tuple(i >= end for i in range(n)) for end in ends}
    intervals = {tuple(a <= i < b for i in range(n)) for a in ends for b in ends}
    assert theory.shatter_bound(n, 1) == len(thresholds)
    assert theory.shatter_bound(n, 2) == len(intervals)


@given(st.integers(0, 600), st.integers(0, 700))
def test_shatter_bound_is_the_sum_of_binomials(n, h):
    exact = theory.shatter_bound(n, h)
    assert exact == sum(math.comb(n, i) for i in range(h + 1))
    assert exact <= n**h + 1
    assert theory.shatter_bound(n, h, log=True) == pytest.approx(math.log(exact), abs=1e-9)
    if n:
        cover = theory.cover_count(n, h)
        assert cover == 2 * theory.shatter_bound(n - 1, h)
        assert theory.cover_count(n, h, log=True) == pytest.approx(math.log(cover), abs=1e-9)
        assert theory.separable_share(n, h) == pytest.approx(cover / 2**n, rel=1e-9)


@given(st.integers(0, 300), st.integers(0, 300))
def test_shatter_bound_follows_pascals_rule(n, h):
    """As in the proof of the lemma: S(n+1, h+1) = S(n, h+1) + S(n, h)."""
    both = theory.shatter_bound(n, h + 1) + theory.shatter_bound(n, h)
    assert theory.shatter_bound(n + 1, h + 1) == both
    assert theory.shatter_bound(h, h) == 2**h


@in_one_test
@pytest.mark.parametrize(("n", "h"), [(10**6, 20), (10**5, 3000), (20_000, 10_001), (5000, 2500)])
def test_logarithms_of_large_counts(n, h):
    total = term = 1
    for i in range(h):
        term = term * (n - i) // (i + 1)
        total += term
    shift = max(total.bit_length() - 900, 0)
    exact = math.log(total >> shift) + shift * math.log(2)
    assert theory.shatter_bound(n, h, log=True) == pytest.approx(exact, rel=1e-11)


def test_half_of_the_labellings_at_twice_the_capacity():
    widths = np.array([1, 2, 10, 1000])
    np.testing.assert_allclose(theory.separable_share(2 * (widths + 1), widths), 0.5, rtol=1e-12)
    np.testing.assert_array_equal(theory.separable_share(widths + 1, widths), 1)
    assert theory.separable_share(1500, 1000) > 1 - 1e-9
    assert theory.separable_share(2500, 1000) < 1e-9


@in_one_test
@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_the_perceptron_shatters_as_many_points_as_cover_counts(width):
    h = theory.perceptron_vc_dimension(width)
    assert theory.cover_count(h, width) == 2**h
    assert theory.cover_count(h + 1, width) < 2 ** (h + 1)
    assert theory.polynomial_vc_dimension(width, 1) == h


@in_one_test
@pytest.mark.parametrize(("width", "degree"), [(1, 3), (2, 2), (3, 2), (4, 3)])
def test_polynomials_have_as_many_monomials(width, degree):
    powers = itertools.product(range(degree + 1), repeat=width)
    monomials = sum(sum(power) <= degree for power in powers)
    assert theory.polynomial_vc_dimension(width, degree) == monomials


def test_margins_by_hand():
    assert theory.margin_vc_dimension(1, 0.5) == 5
    assert theory.margin_vc_dimension(1, 0.5, n_features=2) == 3
    assert theory.margin_vc_dimension(0.3, 0.1) == 10  # 9.000000000000002 is 9
    assert theory.margin_vc_dimension(1, 0.3) == 13
    assert theory.margin_vc_dimension(0, 1) == 1
    assert theory.margin_vc_dimension(1e200, 1e-200, n_features=4) == 5


@given(st.floats(0, 1e3), st.floats(1e-3, 1e3), st.integers(1, 10**6))
def test_margin_bound_is_monotone_and_below_the_dimension(radius, margin, width):
    bound = theory.margin_vc_dimension(radius, margin, width)
    assert bound <= theory.perceptron_vc_dimension(width)
    assert bound <= theory.margin_vc_dimension(radius * 1.5, margin, width)
    assert bound >= theory.margin_vc_dimension(radius, margin * 1.5, width)
    scaled = theory.margin_vc_dimension(radius * 4, margin * 4, width)
    assert bound == scaled  # units do not matter


def test_multilayer_perceptrons():
    bounds = theory.multilayer_perceptron_vc_dimension((4, 10, 1))
    weights, nodes = 5 * 10 + 11, 11
    assert bounds == (40, pytest.approx(2 * weights * math.log2(math.e * nodes)))
    assert theory.multilayer_perceptron_vc_dimension((4, 1, 1)).lower == 5  # a perceptron
    assert theory.multilayer_perceptron_vc_dimension((4, 20, 6, 1)).lower == 24


@given(st.lists(st.integers(1, 30), min_size=2, max_size=4))
def test_bounds_of_multilayer_perceptrons_do_not_cross(widths):
    bounds = theory.multilayer_perceptron_vc_dimension([*widths, 1])
    assert widths[0] + 1 <= bounds.lower <= bounds.upper


@given(st.integers(1, 200), st.floats(0, 1))
def test_condorcet_and_the_error_of_an_ensemble_sum_to_one(k, p):
    total = theory.condorcet(k, p) + theory.ensemble_error(k, 1 - p)
    assert total == pytest.approx(1, abs=1e-9)
    assert theory.condorcet(k, p) == pytest.approx(binom.sf(k // 2, k, p), abs=1e-9)


def test_condorcets_limits():
    assert theory.condorcet(10**6 + 1, 0.51) == pytest.approx(1)
    assert theory.condorcet(10**6 + 1, 0.49) == pytest.approx(0, abs=1e-12)
    np.testing.assert_array_equal(theory.condorcet([1, 2, 9], [[0], [1]]), [[0] * 3, [1] * 3])


def test_criteria_are_those_of_scikit_learns_mixtures():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = GaussianMixture(2, covariance_type="diag", random_state=0).fit(X)
    likelihood, k = model.score(X) * len(X), 2 * (2 + 2) + 1
    assert theory.aic(likelihood, k) == pytest.approx(model.aic(X))
    assert theory.bic(likelihood, k, len(X)) == pytest.approx(model.bic(X))


def test_a_parameter_costs_more_in_bic_from_eight_cases_on():
    k = np.arange(1, 5)
    assert (theory.bic(-10.0, k, 7) < theory.aic(-10.0, k)).all()
    assert (theory.bic(-10.0, k, 8) > theory.aic(-10.0, k)).all()


def test_sizes_of_test_sets_and_intervals_stand_beside():
    assert theory.binomial_interval(5, 100).lower < 0.05 < theory.binomial_interval(5, 100).upper
    assert theory.test_set_size(0.01) >= 9_000


def test_numbers_come_out_as_numbers_and_arrays_as_arrays():
    assert type(theory.vc_bound(100, 0.1, 3)) is float
    assert type(theory.margin_vc_dimension(1.0, 0.1)) is int
    assert type(theory.sample_complexity(0.1, 0.1, n_functions=3)) is int
    assert type(theory.cover_count(np.int64(70), 60)) is int
    assert theory.vc_bound([100, 200], 0.1, [[3], [4], [5]]).shape == (3, 2)
    assert theory.hoeffding_bound(1e3, 0.1) == theory.hoeffding_bound(1000, 0.1)


NAN = float("nan")


@in_one_test
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.hoeffding_bound(0, 0.1), "hoeffding_bound: n must be an integer >= 1"),
        (lambda: theory.hoeffding_bound(2.5, 0.1), "n must be an integer >= 1, got 2.5"),
        (lambda: theory.hoeffding_bound(math.inf, 0.1), "n must be an integer >= 1, got inf"),
        (lambda: theory.hoeffding_bound(9, 0), "hoeffding_bound: delta must be above 0"),
        (lambda: theory.hoeffding_bound(9, [0.1, 1.1]), "delta must be .*, got 1.1"),
        (lambda: theory.hoeffding_bound(9, 0.1, "3"), "n_functions must be .*, got '3'"),
        (lambda: theory.vc_bound(9, NAN, 3), "vc_bound: delta must be .*, got nan"),
        (lambda: theory.vc_bound(9, 0.1, -1), "vc_bound: vc_dimension must be at least 0"),
        (lambda: theory.vc_bound(True, 0.1, 1), "vc_bound: n must be .*, got True"),
        (lambda: theory.vc_bound(None, 0.1, 1), "vc_bound: n must be .*, got None"),
        (lambda: theory.sample_complexity(0, 0.1, n_functions=2), "epsilon must be above 0"),
        (lambda: theory.sample_complexity(0.1, 0.1), "n_functions, .* or vc_dimension: one of"),
        (
            lambda: theory.sample_complexity(0.1, 0.1, n_functions=2, vc_dimension=2),
            "sample_complexity: give n_functions, .* or vc_dimension: one of",
        ),
        (
            lambda: theory.sample_complexity(0.1, 0.1, vc_dimension=math.inf),
            "vc_dimension must be finite",
        ),
        (lambda: theory.failure_probability(9, 2, n_functions=2), "epsilon must be .* got 2"),
        (lambda: theory.shatter_bound(-1, 2), "shatter_bound: n must be an integer >= 0"),
        (lambda: theory.shatter_bound(3, [2]), "vc_dimension must be one number"),
        (lambda: theory.cover_count(0, 2), "cover_count: n must be an integer >= 1, got 0"),
        (lambda: theory.separable_share(3, -1), "separable_share: n_features must be"),
        (lambda: theory.margin_vc_dimension(1, 0), "margin must be above 0 and finite, got 0"),
        (lambda: theory.margin_vc_dimension(-1, 1), "radius must be at least 0 and finite"),
        (lambda: theory.margin_vc_dimension(1e200, 1e-200), "margin is so small"),
        (lambda: theory.multilayer_perceptron_vc_dimension((4, 1)), "layers must be"),
        (lambda: theory.multilayer_perceptron_vc_dimension((4, 3, 2)), "layers must be"),
        (lambda: theory.multilayer_perceptron_vc_dimension((4, 0, 1)), "layers must be .* got 0"),
        (lambda: theory.polynomial_vc_dimension(2, 0), "degree must be an integer >= 1, got 0"),
        (lambda: theory.condorcet(3, 1.5), "condorcet: competence must be from 0 to 1, got 1.5"),
        (lambda: theory.aic(math.inf, 3), "aic: log_likelihood must be finite, got inf"),
        (lambda: theory.bic(-3, 3, 0), "bic: n must be an integer >= 1, got 0"),
    ],
)
def test_what_is_outside_the_domain_is_named(call, said):
    with pytest.raises(ilk.ParameterError, match=said):
        call()


@in_one_test
@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64, np.uint64, np.float32])
def test_counts_of_any_kind_do_not_overflow(kind):
    largest = 2**53 if kind is np.float32 else np.iinfo(kind).max
    for value in (np.array([largest], dtype=kind), kind(largest)):
        assert np.ravel(theory.perceptron_vc_dimension(value)).tolist() == [int(largest) + 1]
    small = np.array([3, 5], dtype=kind)
    expected = theory.hoeffding_bound([3, 5], 0.1, [3, 5])
    np.testing.assert_allclose(theory.hoeffding_bound(small, 0.1, small), expected)
    np.testing.assert_allclose(theory.separable_share(small, 2), theory.separable_share([3, 5], 2))


@in_one_test
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.hoeffding_bound(10**400, 0.1), "hoeffding_bound: n must be at most 1e308"),
        (lambda: theory.vc_bound(9, 0.1, 10**400), "vc_bound: vc_dimension must be at most 1e308"),
        (lambda: theory.aic(-1, 10**400), "aic: n_parameters must be at most 1e308"),
        (lambda: theory.condorcet(10**400, 0.6), "condorcet: n_members must be at most 1e308"),
        (lambda: theory.shatter_bound(10**400, 9, log=True), "shatter_bound: n must be at most"),
        (lambda: theory.cover_count(10**400, 9, log=True), "cover_count: n must be at most"),
        (lambda: theory.ensemble_error([[3], [1, 2]], 0.1), r"an integer >= 1, got \[\[3\], \["),
        (lambda: theory.aic([[3], [1, 2]], 1), r"log_likelihood must be finite, got \[\[3\]"),
        (lambda: theory.sample_complexity(1e-300, 0.1, n_functions=2), "epsilon is so small"),
        (lambda: theory.sample_complexity(1e-160, 0.1, vc_dimension=2), "epsilon is so small"),
        (
            lambda: theory.sample_complexity(1e-300, 0.1, vc_dimension=2, excess=True),
            "takes more cases than floats can tell",
        ),
        (lambda: theory.sample_complexity(0.1, 0.1, vc_dimension=1e308), "epsilon is so small"),
    ],
)
def test_numbers_beyond_floats_are_refused_by_name(call, said):
    with pytest.raises(ilk.ParameterError, match=said):
        call()


@in_one_test
@pytest.mark.parametrize("n", [1, 2, 3, 50, 1001, 4000])
def test_logarithms_of_all_sums_of_binomials(n):
    for last in sorted({0, 1, n // 7, n // 3, n // 2, n // 2 + 1, n - 1, n, n + 2}):
        exact = math.log(theory.shatter_bound(n, last))
        assert theory.shatter_bound(n, last, log=True) == pytest.approx(exact, rel=1e-10, abs=1e-12)
    far = math.log(theory.shatter_bound(10**9, 1000))
    assert theory.shatter_bound(10**9, 1000, log=True) == pytest.approx(far, rel=1e-14)
    half = theory.shatter_bound(10**15, 5 * 10**14, log=True)  # at once, and in little memory
    assert half == pytest.approx((10**15 - 1) * math.log(2), rel=1e-14)


class Circle(ilk.Classifier):
    """The machine of the slides: 1 outside of a circle about the origin, or inside it too."""

    both: bool = ilk.param(default=False, doc="Whether 1 may be inside.")

    def fit(self, X, y):
        squares = (np.asarray(X) ** 2).sum(axis=1)
        self.classes_ = np.unique(y)
        sides = [(q, b) for q in ((1, -1) if self.both else (1,)) for b in squares]
        self.side_ = max(sides, key=lambda side: np.mean(self._ask(squares, *side) == y))
        return self

    def _ask(self, squares, q, b):
        return (q * squares >= q * b).astype(int)

    def predict(self, X):
        return self._ask((np.asarray(X) ** 2).sum(axis=1), *self.side_)


@pytest.mark.parametrize(("both", "dimension"), [(False, 1), (True, 2)])
def test_circles_of_the_slides_shatter_one_and_two_points(both, dimension):
    points = [[0.0, 1.0], [2.0, 0.0], [0.0, -3.0]]
    assert len(theory.shatters(Circle(both=both), points).largest) == dimension
    assert theory.shatters(Circle(both=both), points[:dimension])
    assert not theory.shatters(Circle(both=both), points[: dimension + 1])


@pytest.mark.parametrize(("n", "width"), [(3, 2), (4, 2), (5, 2), (4, 1)])
def test_hyperplanes_realise_as_many_labellings_as_cover_counts(n, width):
    X = np.random.default_rng(1).normal(size=(n, width))
    found = theory.shatters(ilk.classifier("svm", kernel="linear", C=1e4), X)
    assert len(found.realised) == theory.cover_count(n, width)
    assert len(found.realised) + len(found.missed) == 2**n
    assert len(found.largest) == min(n, theory.perceptron_vc_dimension(width))
    assert bool(found) is (n <= width + 1)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_nearest_neighbours_shatter_distinct_points_and_no_others(places):
    found = theory.shatters({"use": "knn", "k": 1}, [[float(place)] for place in places])
    assert len(found.largest) == len(set(places))
    assert len(found.realised) == 2 ** len(set(places))
    assert len(found.realised) <= theory.shatter_bound(len(places), len(found.largest))


def test_shatters_takes_other_estimators_and_leaves_the_model():
    tree = DecisionTreeClassifier(max_depth=1)
    assert theory.shatters(tree, [[0.0], [1.0]])
    assert theory.shatters(tree, [[0.0], [1.0], [2.0]]).missed.tolist() == [
        [False, True, False],
        [True, False, True],
    ]
    assert tree.random_state is None
    assert not hasattr(tree, "classes_")


@pytest.mark.parametrize("n", [0, 13])
def test_shatters_refuses_numbers_of_points(n):
    with pytest.raises(ilk.InputError, match=rf"shatters: X must have from 1 to 12 rows, got {n}"):
        theory.shatters("knn", np.zeros((n, 1)))


@given(st.integers(1, 60), st.floats(0, 1), st.data())
def test_binomial_probability_is_the_formula_of_the_slides(n, error, data):
    k = data.draw(st.integers(0, n))
    each = [math.comb(n, i) * error**i * (1 - error) ** (n - i) for i in range(k + 1)]
    assert theory.binomial_probability(k, n, error) == pytest.approx(each[-1], abs=1e-12)
    assert theory.binomial_probability(k, n, error, at_most=True) == pytest.approx(sum(each))


def test_binomial_probability_outside():
    assert theory.binomial_probability(3, 2, 0.5) == 0
    assert theory.binomial_probability(0, 0, 0.5) == 1
    with pytest.raises(ilk.ParameterError, match=r"binomial_probability: error must be .*1\.5"):
        theory.binomial_probability(0, 1, 1.5)


def test_deviation_probability_by_hand():
    expected = 8 * (1 + 40 + 780) * math.exp(-40 * 0.9**2 / 32)
    assert theory.deviation_probability(40, 0.9, 2) == 1 < expected
    expected = 8 * theory.shatter_bound(2000, 2) * math.exp(-2000 * 0.8**2 / 32)
    assert theory.deviation_probability(2000, 0.8, 2) == pytest.approx(expected)
    expected = 8 * theory.shatter_bound(9000, 2) * math.exp(-9000 * 0.81 / 128)
    assert theory.deviation_probability(9000, 0.9, 2, excess=True) == pytest.approx(expected)


@given(st.floats(0.05, 1), st.floats(1e-6, 1), st.integers(1, 50))
def test_sample_complexity_brings_the_excess_below_delta(epsilon, delta, h):
    n = theory.sample_complexity(epsilon, delta, vc_dimension=h, excess=True)
    assert theory.deviation_probability(n, epsilon, h, excess=True) <= delta * (1 + 1e-9)
    assert theory.deviation_probability(n, epsilon, h) <= delta
