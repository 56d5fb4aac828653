"""The earth mover's distance: worked numbers, exact oracles, peers, and what it refuses."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

import ilk
from cases import in_one_test
from ilk import InputError, ParameterError

# C figure 2.2: 0.6 and 0.4 go to 0.5, 0.3 and 0.2, by moving 0.5, 0.1, 0.2 and 0.2.
SOURCE = ([[0.0, 0.0], [4.0, 0.0]], [0.6, 0.4])
TARGET = ([[0.0, 1.0], [3.0, 4.0], [4.0, 2.0]], [0.5, 0.3, 0.2])


def emd(**parameters):
    return ilk.distance("emd", **parameters)


def by_linprog(C, x, y):
    """Rubner's distance, by the linear program as it is written."""
    m, n = C.shape
    rows = np.kron(np.eye(m), np.ones(n))
    columns = np.kron(np.ones(m), np.eye(n))
    flow = min(x.sum(), y.sum())
    found = linprog(
        C.ravel(),
        A_ub=np.vstack([rows, columns]),
        b_ub=np.concatenate([x, y]),
        A_eq=np.ones((1, m * n)),
        b_eq=[flow],
        method="highs-ds",
    )
    return found.fun / flow


def exactly(C, x, y):
    """Optimal cost of a small balanced problem in rationals: the best of all spanning trees."""
    m, n = len(x), len(y)
    best = None
    cells = list(product(range(m), range(n)))

    def leaves(tree, supply, demand):
        cost, left = Fraction(0), list(tree)
        while left:
            for k, (i, j) in enumerate(left):
                alone_row = sum(a == i for a, _ in left) == 1
                if alone_row or sum(b == j for _, b in left) == 1:
                    f = supply[i] if alone_row else demand[j]
                    if f < 0:
                        return None
                    supply[i] -= f
                    demand[j] -= f
                    cost += f * C[i][j]
                    left.pop(k)
                    break
            else:
                return None  # a cycle
        return None if any(supply) or any(demand) else cost

    def choose(start, tree):
        nonlocal best
        if len(tree) == m + n - 1:
            cost = leaves(tree, list(x), list(y))
            best = cost if best is None or (cost is not None and cost < best) else best
            return
        for k in range(start, len(cells) - (m + n - 2 - len(tree))):
            choose(k + 1, [*tree, cells[k]])

    choose(0, [])
    return best


def signature(rng, m, d=3, mass=1.0):
    return rng.normal(size=(m, d)), mass * rng.dirichlet(np.ones(m))


def test_worked_pair():
    d = emd()
    expected = 0.5 * 1 + 0.1 * 5 + 0.2 * np.hypot(1, 4) + 0.2 * 2
    assert d.between(SOURCE, TARGET) == pytest.approx(expected, rel=1e-14)
    assert d.between(TARGET, SOURCE) == d.between(SOURCE, TARGET)
    flow = d.flow(SOURCE, TARGET)
    np.testing.assert_allclose(flow, [[0.5, 0.1, 0], [0, 0.2, 0.2]], atol=1e-15)
    assert sorted(flow[flow > 0].round(12)) == [0.1, 0.2, 0.2, 0.5]


def test_line_of_bins_by_hand():
    d = emd()
    assert d.between([1, 0, 0, 0], [0, 0, 0, 1]) == 3.0
    assert d.between([2, 0, 0, 2], [0, 2, 2, 0]) == 1.0  # the average of what is moved
    assert d.between([3, 1], [3, 1]) == 0.0


def test_circle_by_hand():
    d = emd(period=4)
    assert d.between([1, 0, 0, 0], [0, 0, 0, 1]) == 1.0
    assert d.between([1, 0, 0, 0], [0, 0, 1, 0]) == 2.0
    assert d.between(([[0.5]], [1]), ([[3.75]], [1])) == 0.75
    assert d.between(([[-0.25]], [1]), ([[4.0]], [1])) == 0.25


@in_one_test
@pytest.mark.parametrize("seed", range(12))
def test_exact_rationals(seed):
    rng = np.random.default_rng(seed)
    m, n = ((2, 3), (3, 3), (4, 2), (3, 4))[seed % 4]
    C = rng.integers(0, 6, size=(m, n)).tolist()
    x = np.array(rng.integers(1, 5, m), dtype=object)
    y = np.array(rng.integers(1, 5, n), dtype=object)
    x, y = x * sum(y), y * sum(x)  # equal totals, and ties of partial sums
    expected = float(exactly(C, [Fraction(a) for a in x], [Fraction(b) for b in y]) / sum(x))
    matrix = np.full((m + n, m + n), 9.0)
    matrix[:m, m:] = C
    X, Y = np.r_[x, np.zeros(n)], np.r_[np.zeros(m), y]
    got = emd(matrix=matrix).between(X.astype(float), Y.astype(float))
    assert got == pytest.approx(expected, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("masses", [(1, 1), (1, 2.5), (3, 0.25)])
def test_agrees_with_the_linear_program(masses):
    rng = np.random.default_rng(3)
    for _ in range(12):
        x = signature(rng, rng.integers(1, 9), mass=masses[0])
        y = signature(rng, rng.integers(1, 9), mass=masses[1])
        C = cdist(x[0], y[0])
        expected = by_linprog(C, x[1], y[1])
        assert emd().between(x, y) == pytest.approx(expected, rel=1e-12)
        flow = emd().flow(x, y)
        assert (C * flow).sum() / flow.sum() == pytest.approx(expected, rel=1e-12)
        assert flow.sum() == pytest.approx(min(masses), rel=1e-14)
        assert (flow >= 0).all()
        assert (flow.sum(axis=1) <= x[1] + 1e-14).all()
        assert (flow.sum(axis=0) <= y[1] + 1e-14).all()


@pytest.mark.parametrize("power", [1, 3])
def test_agrees_with_pot_on_a_matrix(power):
    ot = pytest.importorskip("ot")
    rng = np.random.default_rng(0)
    H = rng.dirichlet(np.ones(32), 8)
    M = cdist(*[rng.random((32, 3))] * 2) ** power  # with power 3 no metric
    expected = [[ot.emd2(a, b, M) for b in H] for a in H]
    np.testing.assert_allclose(emd(matrix=M).pairwise(H), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("size", [8, 64])
def test_degenerate_problems(size):
    """Equal weights: every partial sum ties, and most flows of a tree are 0."""
    rng = np.random.default_rng(size)
    P, Q = rng.integers(0, 4, (2, size, 2)).astype(float)
    w = np.full(size, 1 / size)
    from scipy.optimize import linear_sum_assignment

    for C in (cdist(P, Q), cdist(P, Q, "sqeuclidean"), cdist(P, Q, "cityblock")):
        matrix = np.zeros((2 * size, 2 * size))
        matrix[:size, size:] = C
        x, y = np.r_[w, 0 * w], np.r_[0 * w, w]
        expected = C[linear_sum_assignment(C)].mean()
        assert emd(matrix=matrix).between(x, y) == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_a_forbidden_cell_does_not_blur_the_others():
    rng = np.random.default_rng(0)
    C = rng.random((6, 6)) * 1e-3
    blocked = np.where(np.eye(6, k=1) > 0, 1e9, C)
    x, y = rng.dirichlet(np.ones(6), 2)
    assert emd(matrix=blocked).between(x, y) == pytest.approx(by_linprog(blocked, x, y), rel=1e-9)
    assert emd(matrix=blocked).between(x, y) < 1e-3


@pytest.mark.parametrize("period", [None, 17.0])
def test_closed_forms_agree_with_the_simplex(period):
    rng = np.random.default_rng(1)
    places = rng.permutation(np.cumsum(rng.random(12)))  # unsorted
    steps = np.abs(places[:, None] - places)
    M = steps if period is None else np.minimum(steps, period - steps)
    H = rng.dirichlet(np.full(12, 0.4), 9) * 3
    H[H < 0.01] = 0
    H *= 3 / H.sum(axis=1, keepdims=True)
    line, general = emd(positions=places, period=period), emd(matrix=M)
    np.testing.assert_allclose(line.pairwise(H), general.pairwise(H), atol=1e-14)
    pairs = [(places[:, None], h) for h in H]
    got = emd(period=period).pairwise(pairs)
    np.testing.assert_allclose(got, general.pairwise(H), atol=1e-14)


def test_line_agrees_with_scipy():
    rng = np.random.default_rng(5)
    places = rng.normal(size=40) + 1e3
    H = rng.dirichlet(np.ones(40), 6)
    got = emd(positions=places).pairwise(H)
    expected = [[wasserstein_distance(places, places, a, b) for b in H] for a in H]
    np.testing.assert_allclose(got, expected, atol=1e-12)
    np.testing.assert_array_equal(np.diagonal(got), 0)


@pytest.mark.parametrize("ground", ["manhattan", {"use": "minkowski", "p": 3}, "chebyshev"])
def test_line_with_any_norm(ground):
    places, h, k = [0, 1, 5], [1, 0, 1], [0, 2, 0]
    assert emd(positions=places, ground=ground).between(h, k) == 2.5


def test_unequal_masses_on_the_line():
    d, general = emd(), emd(matrix=np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0))))
    X, Y = [[1, 0, 0, 2], [1, 1, 1, 0]], [[0, 0, 1, 0], [0, 2, 0, 1]]
    np.testing.assert_allclose(d.pairwise(X, Y), [[1, 1], [0, 2 / 3]])
    np.testing.assert_allclose(d.pairwise(X, Y), general.pairwise(X, Y), rtol=1e-15)


def test_extra_mass_penalty():
    """(work + penalty * difference) / flow; EMD-hat is that times the flow."""
    x, y = ([[0.0], [10.0]], [1.0, 3.0]), ([[1.0]], [2.0])
    assert emd().between(x, y) == (1 + 9) / 2
    assert emd(extra_mass_penalty=4).between(x, y) == (1 + 9 + 4 * 2) / 2
    assert emd(extra_mass_penalty=4, normalize=True).between(x, y) == 0.25 * 1 + 0.75 * 9


def test_normalize():
    x, y = ([[0.0, 0], [1, 0]], [2.0, 6.0]), ([[0.0, 0], [1, 0]], [50.0, 50.0])
    assert emd(normalize=True).between(x, y) == 0.25
    assert emd().between(x, y) == 0.0
    assert emd(normalize=True).between([2, 6], [50, 50]) == 0.25


def test_when_it_is_a_metric():
    assert emd(normalize=True).metric
    assert not emd().metric  # masses may differ
    assert not emd(normalize=True, ground={"use": "minkowski", "p": 0.5}).metric
    assert emd(normalize=True, matrix=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).metric
    assert not emd(normalize=True, matrix=[[0, 1, 5], [1, 0, 1], [5, 1, 0]]).metric
    assert not emd(normalize=True, matrix=[[0, 0], [0, 0]]).metric
    assert not emd(matrix=[[0, 1], [2, 0]]).symmetric


def test_shared_mass_moves_where_the_ground_is_no_metric():
    detour = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0.0]])
    x, y = [1, 1, 0], [0, 1, 1]
    assert emd(matrix=detour).between(x, y) == 1.0  # two short ways, not one of 9
    metric = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0.0]])
    assert emd(matrix=metric).between(x, y) == 1.0


def test_texts_as_positions():
    x, y = (["cat", "dog"], [0.5, 0.5]), (["cart", "dog", "god"], [0.5, 0.25, 0.25])
    assert emd(ground="levenshtein").between(x, y) == 0.5 * 1 + 0.25 * 2
    bins = emd(ground="levenshtein", positions=["cat", "cart", "dog"])
    assert bins.between([1, 0, 1], [0, 1, 1]) == 0.5


def test_a_ground_that_learns():
    rng = np.random.default_rng(0)
    X = [signature(rng, 4, 2) for _ in range(20)]
    X = [(P * [1, 100], w) for P, w in X]
    d = emd(ground="mahalanobis").fit(X)
    A = np.linalg.inv(np.cov(np.vstack([P for P, _ in X]).T))
    diff = X[0][0][:, None] - X[1][0]
    C = np.sqrt(np.einsum("ijf,fg,ijg->ij", diff, A, diff))
    assert d.between(X[0], X[1]) == pytest.approx(by_linprog(C, X[0][1], X[1][1]), rel=1e-9)


def test_float32():
    rng = np.random.default_rng(0)
    S = [tuple(part.astype(np.float32) for part in signature(rng, 5)) for _ in range(6)]
    assert any(w.sum(dtype=float) != 1.0 for _, w in S)  # whatever they sum to
    D = emd().pairwise(S)
    assert D.dtype == np.float32
    wide = emd().pairwise([tuple(part.astype(float) for part in pair) for pair in S])
    np.testing.assert_array_equal(D, wide.astype(np.float32))
    H = rng.dirichlet(np.ones(50), 6).astype(np.float32)
    np.testing.assert_allclose(emd().pairwise(H), emd().pairwise(H.astype(float)), atol=1e-4)
    assert emd().pairwise(H).dtype == np.float32


@pytest.mark.parametrize("scale", [5e-324 * 2**40, 1e-300, 1e300])
def test_masses_of_any_size(scale):
    d, x, y = emd(matrix=[[0, 1, 5.0], [1, 0, 3], [2, 2, 0]]), [1, 2, 1], [0, 1, 3]
    got = d.between(np.multiply(x, scale), np.multiply(y, scale))
    assert got == pytest.approx(d.between(x, y), rel=1e-9)
    assert emd().between(np.multiply(x, scale), np.multiply(y, scale)) == pytest.approx(0.75)
    flow = d.flow(np.multiply(x, scale), np.multiply(y, scale))
    np.testing.assert_allclose(flow / scale, d.flow(x, y), rtol=1e-9)


def test_nearly_equal_histograms_keep_their_digits():
    rng = np.random.default_rng(0)
    h = rng.dirichlet(np.ones(32))
    k = h.copy()
    step = 2.0**-45  # what is moved is known exactly if a bin can hold it
    h, k = np.round(h * 2**48) / 2**48, np.round(k * 2**48) / 2**48
    k[3] += step
    k[20] -= step
    for d in (emd(), emd(matrix=np.abs(np.subtract.outer(np.arange(32.0), np.arange(32.0))))):
        assert d.between(h, k) == pytest.approx(17 * step / h.sum(), rel=1e-9)
        assert d.between(h, h) == 0.0


def test_same_object_is_at_zero_for_any_ground():
    rng = np.random.default_rng(1)
    P, w = signature(rng, 30)
    order = rng.permutation(30)
    for ground in ("euclidean", {"use": "minkowski", "p": 0.5}):
        d = emd(ground=ground)
        assert d.between((P, w), (P, w)) == 0.0
        assert d.between((P, w), (P[order], w[order])) == 0.0


def test_clusters_without_weight_are_left_out():
    x, y = ([[0.0, 0], [50, 50]], [1.0, 0.0]), ([[3.0, 4], [9, 9]], [1.0, 0.0])
    assert emd().between(x, y) == 5.0
    np.testing.assert_array_equal(emd().flow(x, y), [[1, 0], [0, 0]])


def test_many_at_once_are_as_one_by_one():
    rng = np.random.default_rng(2)
    S = [signature(rng, rng.integers(1, 12)) for _ in range(300)]
    d = emd()
    D = d.pairwise(S)
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(D, d.pairwise(S, list(S)))
    with ilk.threads(1):
        np.testing.assert_array_equal(D, d.pairwise(S))
    for i, j in rng.integers(0, 300, (20, 2)):
        assert d.between(S[i], S[j]) == D[i, j]
    handle = d.prepare(S)
    np.testing.assert_array_equal(handle.to(S[3], [7, 0, 7]), D[3, [7, 0, 7]])


masses = st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any)
places = st.lists(st.integers(-20, 20), min_size=10, max_size=10)


@given(masses, masses, masses, places)
def test_properties(h, k, g, flat):
    P = np.reshape(flat, (5, 2)).astype(float)
    d = emd(normalize=True)
    x, y, z = ((P, np.array(w, dtype=float)) for w in (h, k, g))
    near = d.between(x, y)
    assert near == d.between(y, x)
    assert near <= d.between(x, z) + d.between(z, y) + 1e-12
    assert d.between((4 * P, x[1]), (4 * P, y[1])) == pytest.approx(4 * near, rel=1e-12)
    assert d.between((P + 64, x[1]), (P + 64, y[1])) == pytest.approx(near, rel=1e-12, abs=1e-12)
    order = [3, 1, 4, 0, 2]
    shuffled = emd(positions=P[order], normalize=True)
    assert shuffled.between(x[1][order], y[1][order]) == pytest.approx(near, rel=1e-12, abs=1e-13)
    plain = emd(positions=P)
    equal = x[1] * y[1].sum(), y[1] * x[1].sum()
    assert plain.between(*equal) == pytest.approx(near, rel=1e-12, abs=1e-13)
    more = plain.between(equal[0] + z[1], equal[1] + z[1])  # what both have more stays
    total = equal[0].sum()
    assert more * (total + z[1].sum()) == pytest.approx(near * total, rel=1e-11, abs=1e-11)


@in_one_test
@pytest.mark.parametrize(
    ("x", "words"),
    [
        (([1.0, 2.0], [0.5, 0.5]), ["X[0]", "positions of shape (m, d)"]),
        (([0.5, 0.5], [[1.0, 2], [3, 4]]), ["X[0]", "(positions, weights)", "(2, 2)"]),
        (([[1.0, 2], [3, 4]], [0.5]), ["X[0]", "(2, 2)", "(1,)"]),
        (([[1.0, 2], [3, 4]], [0.5, -0.5]), ["X[0]", "negative", "cluster 1", "-0.5"]),
        (([[1.0, 2], [3, 4]], [0.5, np.nan]), ["X[0]", "NaN", "weight", "cluster 1"]),
        (([[1.0, np.inf], [3, 4]], [0.5, 0.5]), ["X[0]", "position", "cluster 0"]),
        (([[1.0, 2], [3, 4]], [0.0, 0.0]), ["X[0]", "no mass"]),
        (([[1.0, 2], [3]], [0.5, 0.5]), ["X[0]", "different lengths"]),
        ((np.empty((0, 2)), []), ["X[0]", "no clusters"]),
        (([[1.0, 2], [3, 4]], [1e308, 1e308]), ["X[0]", "mass"]),
    ],
)
def test_bad_signatures(x, words):
    with pytest.raises(InputError) as caught:
        emd().pairwise([x, TARGET])
    for word in ["emd", *words]:
        assert word in str(caught.value)


@in_one_test
@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1, 2], [0, 0]], ["no mass", "row 1"]),
        ([[1, 2], [1, -1]], ["row 1", "column 1", "-1"]),
        ([[1, np.nan]], ["NaN", "row 0"]),
        ([[1e308, 1e308]], ["mass"]),
    ],
)
def test_bad_histograms(X, words):
    with pytest.raises(InputError) as caught:
        emd().pairwise(X)
    for word in ["emd", *words]:
        assert word in str(caught.value)


def test_mixed_kinds_and_widths():
    with pytest.raises(InputError, match="X holds signatures but Y holds histograms"):
        emd().pairwise([SOURCE], [[1, 2]])
    with pytest.raises(InputError, match="2 dimensions"):
        emd().pairwise([SOURCE], [([[1.0]], [1.0])])
    with pytest.raises(InputError, match=r"X\[1\] must be a signature"):
        emd().pairwise([SOURCE, 5])
    with pytest.raises(InputError, match="3 features but Y has 2"):
        emd().pairwise([[1, 2, 3]], [[1, 2]])


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "x", "words"),
    [
        ({"matrix": [[0, 1]]}, [1, 2], "square"),
        ({"matrix": [[0, np.nan], [1, 0]]}, [1, 2], "nan at [0, 1]"),
        ({"matrix": [[0, -1], [1, 0]]}, [1, 2], "-1 at [0, 1]"),
        ({"matrix": np.zeros((3, 3))}, [1, 2], "as many bins as X has features (2), got 3"),
        ({"positions": [0, 1, 2]}, [1, 2], "as many bins as X has features (2), got 3"),
        ({"positions": [0, np.nan]}, [1, 2], "finite"),
        ({"positions": []}, [1, 2], "got shape (0,)"),
        ({"positions": [[1, 2], [3]]}, [1, 2], "rows of as many numbers each, or texts"),
        ({"positions": ["a", 1]}, [1, 2], "rows of as many numbers each, or texts"),
        ({"positions": [0, 10**400]}, [1, 2], "rows of as many numbers each, or texts"),
        ({"period": 10**400}, [1, 2], "a number > 0"),
        ({"positions": [0, 1], "matrix": np.zeros((2, 2))}, [1, 2], "None where a matrix"),
        ({"matrix": np.zeros((2, 2))}, SOURCE, "is for histograms"),
        ({"period": 4}, SOURCE, "one dimension"),
        ({"period": 4, "ground": "canberra"}, [1, 2], "norm as the ground"),
        ({"extra_mass_penalty": np.inf}, [1, 2], "finite"),
    ],
)
def test_bad_parameters(parameters, x, words):
    with pytest.raises(ParameterError) as caught:
        emd(**parameters).between(x, x)
    assert words in str(caught.value)


def test_bad_ground_distances():
    def function(x, y):
        return np.nan if x[0] > y[0] else 1.0

    d = emd(ground={"use": "callable", "function": function})
    with pytest.raises(InputError, match="nan|NaN"):
        d.between(([[1.0, 2], [5, 6]], [1, 1]), ([[2.0, 2], [3, 6]], [1, 1]))
