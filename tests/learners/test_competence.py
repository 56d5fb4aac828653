"""The competence model and the editor competence against their definitions, written with sets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_learners import competence_model

ORDERS = ["relative_coverage", "reach_for_cover", "coverage", "nun", "random"]


@st.composite
def labelled(draw, classes=3, least=7, most=25):
    """Points on a small grid, so that distances tie and points coincide, with labels."""
    n = draw(st.integers(least, most))
    points = st.tuples(st.integers(0, 5), st.integers(0, 5))
    X = np.array(draw(st.lists(points, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    return X, y


def squares(X):
    return ((X[:, None] - X[None]) ** 2).sum(axis=-1)


WHOLE = math.lcm(*range(1, 12))  # what cases share who are solved by at most eleven


def nearest(D, i, rows, k):
    to = D[i].tolist()
    return sorted((j for j in rows if j != i), key=lambda j: (to[j], j))[:k]


def agrees(D, y, i, rows, k):
    near = nearest(D, i, rows, k)
    votes = [sum(y[j] == c for j in near) for c in set(y)]
    return not near or sum(y[j] == y[i] for j in near) == max(votes)


def without_noise(D, y, k, noise):
    rows = list(range(len(y)))
    while noise != "none":
        left = [i for i in rows if agrees(D, y, i, rows, k)]
        if noise == "enn" or left == rows:
            return left
        rows = left
    return rows


class Model:
    """Coverage and reachability of cases as sets, which can be asked for some of them only."""

    def __init__(self, D, y, rows, k):
        self.reach = {t: {c for c in nearest(D, t, rows, k) if y[c] == y[t]} | {t} for t in rows}
        self.cover = {c: {t for t in rows if c in self.reach[t]} for c in rows}

    def key(self, order, case, among):
        """What orders a case, as an exact number: relative coverage in parts of WHOLE."""
        if order == "reach_for_cover":
            return len(self.reach[case] & among)
        covered = self.cover[case] & among
        if order == "coverage":
            return -len(covered)
        shares = [divmod(WHOLE, len(self.reach[t] & among)) for t in covered]
        assert not any(rest for _, rest in shares)
        return -sum(share for share, _ in shares)


def edited(D, y, model, rows, *, order, add, delete, update, rank):
    """The algorithm of the family; the first of those to be shown is chosen every time anew."""
    kept, left, passes = [], set(rows), 0

    def takes(case):
        if add == "unsolved":
            return not model.reach[case] & set(kept)
        near = nearest(D, case, kept, 1)
        return not near or y[near[0]] != y[case]

    def key(case):
        if rank is not None:
            return rank[case], case
        return model.key(order, case, left if update == "dynamic" else among), case

    while True:
        passes, before, among = passes + 1, len(kept), set(rows)
        shown = set(left)
        while shown:
            case = min(shown, key=key)
            shown.remove(case)
            if takes(case):
                kept.append(case)
                left -= model.cover[case] if delete == "covered" else {case}
                shown &= left
        if len(kept) == before:
            return sorted(kept), passes


def oracle(X, y, k, noise, seed, **rules):
    D = squares(X)
    rows = without_noise(D, y, k, noise)
    if len(rows) < 2:
        return rows, 0
    rank = None
    if rules["order"] == "nun":
        rank = {i: min((D[i, j] for j in rows if y[j] != y[i]), default=np.inf) for i in rows}
    elif rules["order"] == "random":
        places = np.random.RandomState(seed).permutation(len(rows))
        rank = dict(zip(rows, places.tolist(), strict=True))
    return edited(D, y, Model(D, y, rows, k), rows, rank=rank, **rules)


def found(X, y, **parameters):
    editor = ilk.editor("competence", **parameters)
    editor.fit_resample(X, y)
    return editor.sample_indices_.tolist(), editor.n_passes_


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("update", ["dynamic", "static"])
@given(
    data=labelled(),
    k=st.integers(1, 6),
    add=st.sampled_from(["misclassified", "unsolved"]),
    delete=st.sampled_from(["covered", "none"]),
    noise=st.sampled_from(["enn", "renn", "none"]),
    seed=st.integers(0, 100),
)
def test_the_family_is_what_its_rules_say(order, update, data, k, add, delete, noise, seed):
    X, y = data
    rules = {"order": order, "add": add, "delete": delete, "update": update}
    expected = oracle(X, y, k, noise, seed, **rules)
    assert found(X, y, k=k, noise=noise, random_state=seed, **rules) == expected


@pytest.mark.parametrize("order", ["relative_coverage", "coverage"])
def test_more_cases(order, blobs):
    X, y, _ = blobs
    X = np.round(2 * X)
    for update in ("dynamic", "static"):
        rules = {"order": order, "add": "misclassified", "delete": "covered", "update": update}
        expected = oracle(X, y, 5, "enn", 0, **rules)
        assert found(X, y, k=5, **rules) == expected
        assert len(expected[0]) < 60


@pytest.mark.parametrize("update", ["dynamic", "static"])
def test_equal_relative_coverage_ties_however_it_is_summed(update):
    rules = {"order": "relative_coverage", "add": "misclassified", "delete": "none"}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, size=50)
        X = rng.integers(0, 8, size=(50, 2)) + 4.0 * y[:, None] * [1, 0]
        expected = oracle(X, y, 5, "none", 0, update=update, **rules)
        assert found(X, y, k=5, noise="none", update=update, **rules) == expected


@given(labelled(), st.integers(1, 4), st.sampled_from(ORDERS))
def test_with_nothing_deleted_the_kept_cases_are_enough(data, k, order):
    X, y = data
    D = squares(X)
    rows = without_noise(D, y, k, "enn")
    kept, _ = found(X, y, k=k, order=order, delete="none", random_state=0)
    for i in rows:
        if not any(D[i, j] == 0 and y[j] != y[i] for j in rows):
            assert y[min(kept, key=lambda j: (D[i, j], j))] == y[i]
    kept, _ = found(X, y, k=k, order=order, add="unsolved", random_state=0)
    solved = Model(D, y, rows, k).reach
    assert all(solved[i] & set(kept) for i in rows)


@given(labelled(), st.integers(1, 6))
def test_the_model_is_its_definition(data, k):
    X, y = data
    model, sets = competence_model(X, y, k=k), Model(squares(X), y, range(len(y)), k)
    assert [set(s.tolist()) for s in model.coverage] == list(sets.cover.values())
    assert [set(s.tolist()) for s in model.reachability] == list(sets.reach.values())
    everyone = set(range(len(y)))
    relative = [-sets.key("relative_coverage", i, everyone) / WHOLE for i in range(len(y))]
    np.testing.assert_allclose(model.relative_coverage, relative, rtol=1e-14)
    assert model.relative_coverage.sum() == pytest.approx(len(y))


@given(labelled(), st.integers(1, 3))
def test_groups_are_linked_by_chains_of_cases_that_solve(data, k):
    X, y = data
    sets = Model(squares(X), y, range(len(y)), k)
    groups = competence_model(X, y, k=k).groups
    for start in range(len(y)):
        reached, border = set(), {start}
        while border:
            reached |= border
            border = {j for i in border for j in sets.cover[i] | sets.reach[i]} - reached
        assert set(np.flatnonzero(groups == groups[start]).tolist()) == reached


def test_worked():
    # k = 1: 0 and 1 solve each other, so do 7 and 8; 1 solves 3 as well, which solves nobody.
    X, y = [[0.0], [1.0], [3.0], [7.0], [8.0]], ["a", "a", "a", "b", "b"]
    model = competence_model(X, y, k=1)
    assert [s.tolist() for s in model.coverage] == [[0, 1], [0, 1, 2], [2], [3, 4], [3, 4]]
    assert [s.tolist() for s in model.reachability] == [[0, 1], [0, 1], [1, 2], [3, 4], [3, 4]]
    assert model.relative_coverage.tolist() == [1, 1.5, 0.5, 1, 1]
    assert model.groups.tolist() == [0, 0, 0, 1, 1]
    assert "groups             2, the largest of 3 cases" in repr(model)
    # The case at 1 comes first and takes its class along; then 7 is the first of those left.
    assert found(X, y, k=1, noise="none") == ([1, 3], 2)


def test_sets_are_like_a_list():
    coverage = competence_model([[0.0], [1.0], [7.0]], [0, 0, 1], k=1).coverage
    assert coverage[-1].tolist() == coverage[2].tolist() == [2]
    assert [s.tolist() for s in coverage] == [[0, 1], [0, 1], [2]]
    with pytest.raises(IndexError, match="3 cases, not of case 3"):
        coverage[3]


def test_cases_that_solve_nobody_are_counted():
    model = competence_model(np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1], k=1)
    assert "solved by no other 6 cases" in repr(model)
    assert model.coverage.sizes.tolist() == [1] * 6


@in_one_test
@pytest.mark.parametrize("order", ORDERS)
def test_of_one_class_one_case_classifies_all(order):
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert len(found(X, np.zeros(30), order=order, random_state=0)[0]) == 1


@in_one_test
@pytest.mark.parametrize("order", ORDERS)
def test_conflicting_twins_end(order):
    X, y = np.zeros((6, 2)), np.array([0, 1, 2, 0, 1, 2])
    for delete in ("covered", "none"):
        rules = {"order": order, "add": "misclassified", "delete": delete, "update": "dynamic"}
        expected = oracle(X, y, 3, "none", 0, **rules)
        assert found(X, y, noise="none", random_state=0, **rules) == expected


def test_too_few_cases_are_named():
    with pytest.raises(ilk.InputError, match="competence"):
        found([[0.0], [1.0], [2.0]], [0, 1, 0], k=3)
