"""Rows drawn for members, and what is said of those that were not drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test
from ilk_ensembles.base import out_of_bag
from ilk_ensembles.base.bootstrap import bootstrap_rows, class_shares, draw_size, how_many
from ilk_ensembles.base.out_of_bag import out_of_bag_error, out_of_bag_support, rows_left_out
from ilk_ensembles.base.resampling import counts_copies

seeds = st.integers(0, 2**32 - 1)


def rng(seed):
    return np.random.RandomState(seed)


@given(seeds, st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_as_many_rows_as_asked_for(seed, n, size, replace):
    size = size if replace else min(size, n)
    rows = bootstrap_rows(rng(seed), n, size, replace=replace)
    assert rows.shape == (size,)
    assert rows.min() >= 0
    assert rows.max() < n
    if not replace:
        assert (np.diff(rows) > 0).all()


@given(seeds, st.lists(st.integers(0, 4), min_size=1, max_size=40), st.booleans(), st.data())
def test_stratified_draws_lose_no_class(seed, codes, replace, data):
    codes = np.unique(codes, return_inverse=True)[1]
    size = data.draw(st.integers(codes.max() + 1, len(codes)))
    rows = bootstrap_rows(rng(seed), len(codes), size, replace=replace, codes=codes)
    counts = np.bincount(codes[rows], minlength=codes.max() + 1)
    assert len(rows) == size
    assert (counts > 0).all()
    if not replace:
        assert len(set(rows.tolist())) == size
    if size == len(codes):
        np.testing.assert_array_equal(counts, np.bincount(codes))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8).filter(any), st.integers(1, 100))
def test_shares_of_classes(mass, more):
    mass = np.array(mass)
    there = np.count_nonzero(mass)
    size = there + more
    shares = class_shares(mass, size)
    assert shares.sum() == size
    assert (shares[mass > 0] >= 1).all()
    assert (shares[mass == 0] == 0).all()
    exact = mass / mass.sum() * size
    if (exact[mass > 0] >= 1).all():
        assert (np.abs(shares - exact) < 1 + 1e-6).all()


@in_one_test
@pytest.mark.parametrize(
    ("mass", "size", "expected"),
    [
        ([50, 30, 1], 40, [24, 15, 1]),
        ([50, 30, 1], 3, [1, 1, 1]),
        ([0.3, 0.3, 0.4], 7, [2, 2, 3]),
        ([5, 0, 5], 3, [2, 0, 1]),
    ],
)
def test_shares_worked_out(mass, size, expected):
    assert class_shares(np.array(mass), size).tolist() == expected


@given(seeds, st.lists(st.integers(0, 4), min_size=2, max_size=20).filter(any), st.booleans())
def test_row_of_weight_two_is_drawn_as_two_rows_are(seed, weights, stratified):
    """The same random numbers draw the same cases from the repeated rows."""
    weights = np.array(weights, dtype=float)
    codes = np.arange(len(weights)) % 2
    codes = np.unique(codes[weights > 0], return_inverse=True)[1][np.cumsum(weights > 0) - 1]
    every = np.repeat(np.arange(len(weights)), weights.astype(int))
    strata = {"codes": codes} if stratified else {}
    weighted = bootstrap_rows(rng(seed), len(weights), 30, weights=weights, **strata)
    strata = {"codes": codes[every]} if stratified else {}
    repeated = every[bootstrap_rows(rng(seed), len(every), 30, **strata)]
    np.testing.assert_array_equal(weighted, repeated)
    assert (weights[weighted] > 0).all()


def test_chances_are_in_proportion_to_weights():
    weights = np.array([1.0, 0, 2, 5])
    rows = bootstrap_rows(rng(0), 4, 80_000, weights=weights)
    np.testing.assert_allclose(np.bincount(rows) / 80_000, weights / 8, atol=0.01)


def test_about_37_percent_of_the_rows_are_left_out():
    drawn = [bootstrap_rows(rng(seed), 5000, 5000) for seed in range(5)]
    assert abs(rows_left_out(drawn, 5000).mean() - np.exp(-1)) < 0.01


def test_without_replacement_weights_only_leave_out():
    weights = np.array([0.0, 3, 1, 0, 1])
    rows = bootstrap_rows(rng(0), 5, 3, replace=False, weights=weights)
    assert rows.tolist() == [1, 2, 4]


@in_one_test
@pytest.mark.parametrize(
    ("share", "n", "expected"), [(1.0, 7, 7), (0.29, 100, 29), (1, 7, 1), (9, 7, 9), (0.01, 7, 1)]
)
def test_share_or_number(share, n, expected):
    assert how_many(share, n) == expected


def test_sizes_that_cannot_be_drawn_are_refused():
    owner = ilk.combiner("sum")
    with pytest.raises(ilk.ParameterError, match="max_samples must be at most 7 without repl"):
        draw_size(owner, 8, 7, replace=False)
    assert draw_size(owner, 8, 7, replace=True) == 8
    with pytest.raises(ilk.ParameterError, match="a row for each of 3 classes, got 2, which is 2"):
        draw_size(owner, 2, 7, replace=True, at_least=3)


@given(seeds, st.integers(1, 6), st.integers(1, 30), st.integers(1, 40))
def test_support_out_of_bag_equals_a_recount_row_by_row(seed, members, n, cells):
    random = rng(seed)
    left_out = random.rand(members, n) < 0.4
    said = random.rand(members, n, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(out_of_bag, "_CELLS", cells)
        got = out_of_bag_support(
            left_out,
            lambda those, rows: [said[m, r] for m, r in zip(those, rows, strict=True)],
            lambda outputs, rows: np.median(outputs, axis=0) + rows[:, None],
            3,
        )
    for row in range(n):
        own = said[left_out[:, row], row]
        expected = np.median(own, axis=0) + row if len(own) else np.full(3, np.nan)
        np.testing.assert_array_equal(got[row], expected)


def test_error_out_of_bag_leaves_out_what_is_not_known():
    support = np.array([[1.0, 0], [np.nan, np.nan], [0, 1], [1, 0]])
    wrong = np.array([True, True, False, False])
    assert out_of_bag_error(wrong, support) == (1 / 3, 1)
    assert out_of_bag_error(wrong, support, np.array([2.0, 9, 1, 1])) == (0.5, 1)
    error, never = out_of_bag_error(wrong[:1], support[1:2])
    assert np.isnan(error)
    assert never == 1


@in_one_test
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1.7e308])
@pytest.mark.parametrize("codes", [None, np.arange(30) % 3], ids=["any", "stratified"])
def test_weights_of_any_size_draw_alike(scale, codes):
    """Though the sum of the largest is infinite."""
    weights = np.where(np.arange(30) % 2, scale, 0)
    drawn = bootstrap_rows(rng(0), 30, 30, codes=codes, weights=weights)
    plain = bootstrap_rows(rng(0), 30, 30, codes=codes, weights=np.sign(weights))
    assert drawn.tolist() == plain.tolist()
    wrong, support = np.arange(30) % 4 == 1, np.ones((30, 1))
    assert out_of_bag_error(wrong, support, weights)[0] == pytest.approx(8 / 15)


@pytest.mark.parametrize(
    ("member", "counts"),
    [
        ("decision_tree", True),
        ("decision_stump", True),
        (DecisionTreeClassifier(max_features=2, random_state=0), True),
        (DecisionTreeClassifier(min_samples_leaf=2, random_state=0), False),
        (ilk.classifier("decision_tree", min_leaf=2, random_state=0), False),
        (ilk.classifier("decision_tree", class_weight="balanced", random_state=0), False),
        ("naive_bayes", False),
    ],
)
def test_members_see_rows_once_with_counts_or_as_copies(member, counts):
    noise = np.random.default_rng(0).normal(size=(150, 4))
    X, y = np.round(noise, 1), (noise[:, 0] * noise[:, 1] + noise[:, 2] > 0).astype(int)
    bagging = ilk.classifier("bagging", member=member, n_members=4, random_state=1).fit(X, y)
    first = bagging.estimators_[0]
    assert counts_copies(first) is counts
    for fitted, rows in zip(bagging.estimators_, bagging.rows_, strict=True):
        copies = clone(fitted).fit(X[rows], y[rows]).predict_proba(X)
        np.testing.assert_array_equal(fitted.predict_proba(X), copies)
