"""Distances of histograms: worked examples, agreement with scipy, laws, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist
from scipy.special import rel_entr
from sklearn.metrics.pairwise import additive_chi2_kernel

import ilk
from cases import in_one_test

NAMES = [
    "chi2",
    "hellinger",
    "histogram_intersection",
    "jeffrey",
    "jensen_shannon",
    "kullback_leibler",
    "symmetric_kl",
]
SYMMETRIC = [name for name in NAMES if name != "kullback_leibler"]
LOGARITHMIC = ["jeffrey", "kullback_leibler", "symmetric_kl"]
ALWAYS_FINITE = [name for name in NAMES if name not in {"kullback_leibler", "symmetric_kl"}]
LN2 = math.log(2)
H, K = [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]


def made(name, **parameters):
    """Return a distance of histograms that are normalized, unless said otherwise."""
    if name != "jensen_shannon":
        parameters.setdefault("normalize", True)
    return ilk.distance(name, **parameters)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@in_one_test
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chi2", 1 / 12 + 1 / 4),
        ("jeffrey", math.log(4 / 3) + math.log(2 / 3) / 2 + LN2 / 2),
        ("kullback_leibler", LN2),
        ("symmetric_kl", math.inf),
        ("histogram_intersection", 0.5),
        ("hellinger", math.sqrt(1 - math.sqrt(0.5))),
    ],
)
def test_known_numbers(name, expected):
    assert made(name).between(H, K) == pytest.approx(expected, rel=1e-14)


def test_an_empty_bin_of_the_second_histogram_only_makes_the_divergence_infinite():
    d = made("kullback_leibler")
    assert d.between(K, H) == math.inf
    assert d.between(H, K) < math.inf
    np.testing.assert_array_equal(
        d.pairwise([H, K], [K, H]) == math.inf, [[False, False], [False, True]]
    )


def test_smoothing_is_added_to_the_bins_before_they_are_normalized():
    h, k = np.array([3.0, 0.0]), np.array([0.0, 1.0])
    h_smooth, k_smooth = np.array([3.5, 0.5]) / 4, np.array([0.5, 1.5]) / 2
    expected = float(rel_entr(h_smooth, k_smooth).sum())
    d = made("kullback_leibler", smoothing=0.5)
    assert d.between(h, k) == pytest.approx(expected, rel=1e-14)
    assert d.between([0, 0], [1, 1]) == 0  # smoothed, an empty one is uniform


def test_divergence_of_masses_that_differ_is_the_generalized_one():
    d = made("kullback_leibler", normalize=False)
    assert d.between([2, 0], [1, 3]) == pytest.approx(2 * LN2 - 2 + 4)
    assert d.between([0, 0], [1, 3]) == 4
    assert d.between([0.1, 0.1], [0.2, 0.2]) > 0  # the plain sum is negative


@in_one_test
@pytest.mark.parametrize("name", [*LOGARITHMIC, "jensen_shannon"])
def test_base(name, rng):
    X = rng.dirichlet(np.ones(5), 6)
    power = 0.5 if name == "jensen_shannon" else 1
    in_bits = made(name, base=2).pairwise(X)
    np.testing.assert_allclose(in_bits, made(name).pairwise(X) / LN2**power, rtol=1e-14)


@in_one_test
@pytest.mark.parametrize(
    ("name", "disjoint"),
    [
        ("chi2", 1),
        ("jeffrey", 2 * LN2),
        ("jensen_shannon", math.sqrt(LN2)),
        ("histogram_intersection", 1),
        ("hellinger", 1),
    ],
)
def test_disjoint_histograms(name, disjoint):
    X, Y = [[1, 3, 0, 0], [2, 2, 0, 0]], [[0, 0, 5, 1], [0, 0, 0, 4]]
    np.testing.assert_allclose(made(name).pairwise(X, Y), disjoint, rtol=1e-15)


@in_one_test
@pytest.mark.parametrize(("n", "m", "p"), [(1, 1, 1), (1, 7, 3), (7, 1, 5), (9, 300, 64)])
def test_agrees_with_scipy_and_scikit_learn(n, m, p, rng):
    X, Y = rng.dirichlet(np.full(p, 0.7), n), rng.dirichlet(np.full(p, 0.7), m)
    M = (X[:, None] + Y) / 2
    jeffrey = rel_entr(X[:, None], M).sum(2) + rel_entr(Y, M).sum(2)
    divergence = rel_entr(X[:, None], Y).sum(2)
    expected = {
        "chi2": -additive_chi2_kernel(X, Y) / 2,
        "jeffrey": jeffrey,
        "jensen_shannon": cdist(X, Y, "jensenshannon"),
        "kullback_leibler": divergence,
        "symmetric_kl": divergence + rel_entr(Y, X[:, None]).sum(2),
        "hellinger": cdist(np.sqrt(X), np.sqrt(Y)) / math.sqrt(2),
        "histogram_intersection": 1 - np.minimum(X[:, None], Y).sum(2),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(made(name).pairwise(X, Y), values, rtol=1e-11, atol=1e-15)


def test_unnormalized_histograms(rng):
    X, Y = rng.poisson(3, (6, 9)) * 1.0, rng.poisson(2, (5, 9)) * 1.0
    X[:, 0] = Y[:, 0] = 1
    M = (X[:, None] + Y) / 2
    least = np.minimum(X.sum(1)[:, None], Y.sum(1))
    expected = {
        "chi2": -additive_chi2_kernel(X, Y) / 2,
        "jeffrey": rel_entr(X[:, None], M).sum(2) + rel_entr(Y, M).sum(2),
        "hellinger": cdist(np.sqrt(X), np.sqrt(Y)) / math.sqrt(2),
        "histogram_intersection": 1 - np.minimum(X[:, None], Y).sum(2) / least,
    }
    for name, values in expected.items():
        got = made(name, normalize=False).pairwise(X, Y)
        np.testing.assert_allclose(got, values, rtol=1e-12, atol=1e-15)


def test_jeffrey_is_twice_the_jensen_shannon_divergence_and_not_the_symmetric_sum(rng):
    X = rng.dirichlet(np.ones(6), 5)
    jeffrey = made("jeffrey").pairwise(X)
    np.testing.assert_allclose(jeffrey, 2 * made("jensen_shannon").pairwise(X) ** 2, rtol=1e-14)
    divergence = made("kullback_leibler").pairwise(X)
    both_ways = divergence + divergence.T
    np.testing.assert_allclose(made("symmetric_kl").pairwise(X), both_ways, rtol=1e-10)
    assert (jeffrey <= both_ways / 2 + 1e-15).all()


def test_normalized_intersection_is_half_the_manhattan_distance(rng):
    X = rng.dirichlet(np.ones(6), 5)
    got = made("histogram_intersection").pairwise(X)
    np.testing.assert_allclose(got, ilk.distance("manhattan").pairwise(X) / 2, rtol=1e-12)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_metric_is_claimed_where_it_holds(name):
    assert made(name).metric == (name in {"hellinger", "histogram_intersection", "jensen_shannon"})
    assert made(name).symmetric == (name in SYMMETRIC)
    assert not ilk.distance("histogram_intersection").metric
    assert ilk.distance("hellinger", normalize=False).metric


bins = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))


@st.composite
def histograms(draw, n=3):
    p = draw(st.integers(1, 9))
    X = draw(hnp.arrays(float, (n, p), elements=bins))
    X[:, draw(st.integers(0, p - 1))] += 1  # none is empty
    return X


@given(histograms(), st.sampled_from(NAMES), st.booleans())
def test_axioms(X, name, normalize):
    d = made(name) if name == "jensen_shannon" else made(name, normalize=normalize)
    D = d.pairwise(X, X.copy())
    assert (D >= 0).all()
    assert (np.diag(D) == 0).all()
    if d.symmetric:
        np.testing.assert_array_equal(D, D.T)
        np.testing.assert_array_equal(D, d.pairwise(X))
    if d.metric:
        assert D[0, 2] <= (D[0, 1] + D[1, 2]) * (1 + 1e-12)


@given(histograms(2), st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_order_of_bins_does_not_matter(X, name, random):
    order = random.sample(range(X.shape[1]), X.shape[1])
    d = made(name)
    np.testing.assert_allclose(d.pairwise(X[:, order]), d.pairwise(X), rtol=1e-9, atol=1e-300)


@given(histograms(2), st.sampled_from(NAMES), st.integers(1, 9), st.booleans())
def test_bins_that_are_empty_in_both_change_no_bit(X, name, more, normalize):
    d = made(name) if name == "jensen_shannon" else made(name, normalize=normalize)
    padded = np.hstack([X, np.zeros((len(X), more))])
    np.testing.assert_array_equal(d.pairwise(padded), d.pairwise(X))


@given(histograms(2), st.sampled_from(NAMES), st.floats(1e-3, 1e3))
def test_scale_does_not_matter_once_normalized(X, name, factor):
    d = made(name)
    expected = d.between(X[0], X[1])
    assert d.between(factor * X[0], X[1]) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert d.between(8 * X[0], X[1]) == expected


@given(histograms(2), st.sampled_from(["chi2", "jeffrey", "kullback_leibler", "symmetric_kl"]))
def test_grows_with_the_masses_unless_normalized(X, name):
    d = made(name, normalize=False)
    expected = 8 * d.between(X[0], X[1])
    assert d.between(8 * X[0], 8 * X[1]) == pytest.approx(expected, rel=1e-9)


@given(histograms(2), st.sampled_from(["chi2", "jeffrey", "kullback_leibler", "symmetric_kl"]))
def test_merging_bins_brings_histograms_no_further_apart(X, name):
    d = made(name, normalize=False)
    merged = X.sum(axis=1, keepdims=True)
    assert d.between(*merged) <= d.between(*X) * (1 + 1e-9) + 1e-12


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_negative_bins_are_refused_by_name(name):
    with pytest.raises(
        ilk.InputError, match=rf"{name}: Y has a negative bin \(-0.5\) at row 1, c.* 2"
    ):
        made(name).pairwise([[1, 1, 1]], [[1, 2, 3], [1, 0, -0.5]])


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_empty_histograms_are_refused_where_they_are_normalized(name):
    with pytest.raises(ilk.InputError, match=rf"{name}: X has an empty histogram .* at row 1"):
        made(name).pairwise([[1.0, 2.0], [0.0, 0.0]])


def test_empty_histograms_where_they_are_not_normalized():
    X, empty = [1.0, 2.0], [0.0, 0.0]
    plain = {
        name: ilk.distance(name, normalize=False) for name in NAMES if name != "jensen_shannon"
    }
    assert plain["chi2"].between(X, empty) == 1.5
    assert plain["jeffrey"].between(X, empty) == pytest.approx(3 * LN2)
    assert plain["hellinger"].between(X, empty) == pytest.approx(math.sqrt(1.5))
    assert plain["kullback_leibler"].between(X, empty) == math.inf
    assert plain["kullback_leibler"].between(empty, X) == 3
    assert plain["symmetric_kl"].between(X, empty) == math.inf
    for name in ("chi2", "jeffrey", "hellinger", "kullback_leibler", "symmetric_kl"):
        assert plain[name].between(empty, empty) == 0
    with pytest.raises(ilk.InputError, match=r"histogram_intersection: X has an empty histogram"):
        plain["histogram_intersection"].between(empty, X)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_masses_that_are_too_large_are_refused_by_name(name):
    with pytest.raises(ilk.InputError, match=rf"{name}: X has a histogram whose mass .* at row 1"):
        made(name).pairwise([[1.0, 2.0], [1e308, 1e308]])


@in_one_test
@pytest.mark.parametrize("name", LOGARITHMIC)
@pytest.mark.parametrize(
    "parameters", [{"base": 1}, {"base": math.inf}, {"smoothing": -1}, {"smoothing": math.inf}]
)
def test_parameters_are_checked(name, parameters):
    (argument,) = parameters
    with pytest.raises(ilk.ParameterError, match=rf"{name}: {argument} must be"):
        made(name, **parameters).pairwise([[1, 2]])


@in_one_test
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool])
def test_small_integers_do_not_wrap_around(name, dtype):
    X = np.array([[1, 100, 1], [100, 1, 100]]).astype(dtype)
    np.testing.assert_array_equal(made(name).pairwise(X), made(name).pairwise(X.astype(float)))


@in_one_test
@pytest.mark.parametrize("name", ALWAYS_FINITE)
def test_bins_that_are_empty_in_either_give_finite_distances(name, rng):
    X = rng.dirichlet(np.ones(8), 40) * (rng.random((40, 8)) < 0.4)
    X[:, 0] += 0.01
    assert np.isfinite(made(name).pairwise(X)).all()


@in_one_test
@pytest.mark.parametrize("step", [1e-6, 1e-8, 1e-10, 1e-12])
def test_root_of_a_divergence_that_rounding_would_make_negative(step):
    """Here scipy's ``jensenshannon`` gives NaN, or no right digit."""
    h = np.array([0.1, 0.2, 0.7])
    k = h * [1, 1, 1 + step]
    expected = (k[2] / 0.7 - 1) * math.sqrt(0.7 * 0.3 / 8)  # to first order
    assert made("jensen_shannon").between(h, k) == pytest.approx(expected, rel=1e-5)
