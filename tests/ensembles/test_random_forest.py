"""The classifier `random_forest`: its trees, its vote, its judgement of itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test
from ilk_ensembles.base.bootstrap import bootstrap_rows
from ilk_ensembles.base.out_of_bag import stopped_at
from ilk_ensembles.forest.trees import Trees

KINDS = {
    "single": {},
    "combined": {"n_combined": 3, "max_features": 2},
    "votes": {"vote": "majority", "min_leaf": 4, "criterion": "entropy"},
}


def forest(**parameters):
    return ilk.classifier("random_forest", **{"n_members": 25, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


@pytest.fixture(scope="module", params=KINDS)
def fitted(request, wine):
    return forest(**KINDS[request.param]).fit(*wine)


def leaf_of(trees, t, x):
    """Walk one row down one tree; the number of its leaf."""
    x = trees.rows(np.asarray(x)[None])[0]
    node = trees.roots[t]
    while trees.left[node] >= 0:
        value = 0.0
        for f, c in zip(trees.features[node], trees.coefficients[node], strict=True):
            value += c * x[f]
        side = trees.left if value <= trees.thresholds[node] else trees.right
        node = side[node]
    return int(trees.right[node])


def test_rows_end_where_a_slow_walk_ends(fitted, wine):
    X = wine[0][::9]
    slow = [[leaf_of(fitted.trees_, t, x) for t in range(25)] for x in X]
    np.testing.assert_array_equal(fitted.apply(X), slow)
    np.testing.assert_array_equal(fitted.leaves_, fitted.apply(wine[0]))


def test_trees_are_those_of_scikit_learn(wine):
    X, y = wine
    ours = forest(n_members=5, min_leaf=2, max_depth=4).fit(X, y)
    assert isinstance(ours.trees_, Trees)
    seeds = np.random.RandomState(0).randint(2**31 - 1, size=5)
    codes = np.searchsorted(ours.classes_, y)
    # Ranks, as a forest that does not depend on the features' units has them.
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in X.T], axis=1)
    for t, seed in enumerate(seeds):
        rng = np.random.RandomState(seed)
        counts = np.bincount(bootstrap_rows(rng, len(X), len(X)), minlength=len(X))
        np.testing.assert_array_equal(ours.out_of_bag_[:, t], counts == 0)
        theirs = DecisionTreeClassifier(
            max_depth=4, min_samples_leaf=2, max_features=3, random_state=rng.randint(2**31 - 1)
        ).fit(ranks, codes, sample_weight=counts)
        own = ours.trees_[t : t + 1]
        inside = counts > 0  # between the values of these a threshold may lie elsewhere
        np.testing.assert_allclose(own.mean(X[inside]), theirs.predict_proba(ranks[inside]))


def test_thresholds_are_midway_between_values_of_the_bag(wine):
    X, y = wine
    ours = forest(n_members=3, max_depth=1).fit(X, y)
    for t in range(3):
        root = ours.trees_.roots[t]
        values = np.unique(X[~ours.out_of_bag_[:, t], ours.trees_.features[root, 0]])
        threshold = ours.trees_.thresholds[root]
        assert threshold in (values[1:] + values[:-1]) / 2


def impurity(codes, weights, n_classes):
    share = np.bincount(codes, weights, n_classes) / weights.sum()
    return weights.sum() * (1 - (share**2).sum())


def test_a_node_takes_the_best_cut_of_its_combination(wine):
    X, y = wine
    ours = forest(n_members=4, n_combined=3, max_features=1).fit(X, y)
    codes = np.searchsorted(ours.classes_, y)
    seeds = np.random.RandomState(0).randint(2**31 - 1, size=4)
    trees = ours.trees_
    for t, seed in enumerate(seeds):
        rows = bootstrap_rows(np.random.RandomState(seed), len(X), len(X))
        counts = np.bincount(rows, minlength=len(X)).astype(float)
        root = trees.roots[t]
        assert len({*trees.features[root]}) == 3
        assert (np.abs(trees.coefficients[root]) <= 1).all()
        own = np.flatnonzero(counts)
        z = trees.rows(X[own])[:, trees.features[root]] @ trees.coefficients[root]
        values = np.unique(z)

        def cost(cut, z=z, own=own, counts=counts):
            sides = own[z <= cut], own[z > cut]
            return sum(impurity(codes[side], counts[side], 3) for side in sides)

        costs = [cost(cut) for cut in (values[1:] + values[:-1]) / 2]
        assert cost(trees.thresholds[root]) == pytest.approx(min(costs))


def test_combinations_are_uniform_on_minus_one_to_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    trees = forest(n_members=40, n_combined=2, max_features=1).fit(X, y).trees_
    inner = trees.left >= 0
    found = trees.coefficients[inner].ravel()
    assert len(found) > 3000
    assert abs(found.mean()) < 0.05
    assert found.var() == pytest.approx(1 / 3, abs=0.02)
    often = np.bincount(trees.features[inner].ravel()) / inner.sum()
    np.testing.assert_allclose(often, 2 / 5, atol=0.04)


def test_combinations_find_an_oblique_border():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + X[:, 1] > 0
    Q = rng.normal(size=(2000, 2))
    truth = Q[:, 0] + Q[:, 1] > 0
    errors = [
        np.mean(forest(n_combined=n, max_features=2).fit(X, y).predict(Q) != truth)
        for n in (None, 2)
    ]
    assert errors[1] < errors[0]


def test_combinations_part_cases_that_differ_in_one_feature_of_many():
    X = np.zeros((20, 200))
    X[10:, 77] = 1
    y = np.arange(20) >= 10
    ours = forest(n_combined=1, max_features=1, n_members=9).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), y)


def test_as_good_as_scikit_learns(wine):
    X, y = wine
    theirs = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, y)
    for kind in KINDS.values():
        ours = forest(n_members=200, **kind).fit(X, y)
        assert ours.oob_error_ == pytest.approx(1 - theirs.oob_score_, abs=0.03)
        assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.97


def test_out_of_bag_error_is_a_slow_recount(fitted, wine):
    X, y = wine
    wrong, known = 0, 0
    for i, x in enumerate(X):
        said = [
            fitted.trees_.answers[fitted.trees_.first_leaves[t] + leaf_of(fitted.trees_, t, x)]
            for t in range(25)
            if fitted.out_of_bag_[i, t]
        ]
        if not said:
            assert np.isnan(fitted.oob_decision_function_[i]).all()
            continue
        mean = sum(said) / len(said)
        np.testing.assert_array_equal(fitted.oob_decision_function_[i], mean)
        wrong += fitted.classes_[mean.argmax()] != y[i]
        known += 1
    assert fitted.oob_error_ == wrong / known
    assert fitted.oob_errors_[-1] == pytest.approx(fitted.oob_error_, rel=1e-12)
    assert fitted.n_never_out_of_bag_ == len(X) - known


def test_rows_never_out_of_a_bag_are_nan_and_counted(wine):
    X, y = wine
    ours = forest(n_members=2).fit(X, y)
    never = ~ours.out_of_bag_.any(axis=1)
    assert 0 < ours.n_never_out_of_bag_ == never.sum() < len(X)
    np.testing.assert_array_equal(np.isnan(ours.oob_decision_function_).all(axis=1), never)
    assert ours.oob_errors_.shape == (2,)
    known = ~never
    labels = ours.classes_[ours.oob_decision_function_[known].argmax(axis=1)]
    assert ours.oob_error_ == np.mean(labels != y[known])


def test_staged_errors_are_those_of_smaller_forests(wine):
    X, y = wine
    large, small = forest(n_members=9).fit(X, y), forest(n_members=4).fit(X, y)
    np.testing.assert_array_equal(list(large.staged_predict(X))[3], small.predict(X))
    staged = list(large.staged_predict_proba(X))
    assert len(staged) == 9
    np.testing.assert_array_equal(staged[-1], large.predict_proba(X))
    np.testing.assert_array_equal(staged[3], small.predict_proba(X))
    np.testing.assert_array_equal(large.oob_errors_[:4], small.oob_errors_)


def test_members_are_classifiers(fitted, wine):
    X, _ = wine
    said = np.mean([tree.predict_proba(X) for tree in fitted.estimators_], axis=0)
    np.testing.assert_allclose(fitted.predict_proba(X), said)
    first = fitted.estimators_[0]
    labels = first.classes_[first.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(first.predict(X), labels)


@in_one_test
@pytest.mark.parametrize("width", [1, 12, 14])
def test_members_look_at_no_other_features(fitted, width):
    X = np.zeros((3, width))
    for ask in (fitted.estimators_[0].predict, fitted.estimators_[0].predict_proba):
        with pytest.raises(ilk.InputError, match=f"X has {width} features, the forest 13"):
            ask(X)


def test_majority_counts_votes(wine):
    X, y = wine
    ours = forest(vote="majority", max_depth=2).fit(X, y)
    votes = np.array([tree.predict(X) for tree in ours.estimators_])
    shares = np.stack([(votes == label).mean(axis=0) for label in ours.classes_], axis=1)
    np.testing.assert_allclose(ours.predict_proba(X), shares)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[shares.argmax(axis=1)])


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_whatever_n_jobs_and_threads(kind, wine):
    X, y = wine
    one = forest(**KINDS[kind]).fit(X, y)
    with ilk.threads(3):
        other = forest(n_jobs=3, **KINDS[kind]).fit(X, y)
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(one.proximities(), other.proximities())
    np.testing.assert_array_equal(one.oob_decision_function_, other.oob_decision_function_)


@pytest.mark.parametrize("labels", [["c", "a", "b"], [1, -1, 0], [5, 3, 4]], ids=str)
def test_renaming_labels_in_order_changes_nothing_else(labels, wine):
    X, y = wine
    renamed = np.array(sorted(labels))[np.unique(y, return_inverse=True)[1]]
    one, other = forest().fit(X, y), forest().fit(X, renamed)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert set(other.predict(X)) <= set(labels)


@given(st.floats(1e-9, 1e9), st.integers(-3, 3), st.booleans())
def test_units_of_features_do_not_matter(unit, power, cubed):
    rng = np.random.default_rng(2)
    X = rng.integers(-8, 9, (60, 3)).astype(float)
    y = rng.integers(0, 3, 60)
    one = forest(n_members=5).fit(X, y)
    moved = (X**3 if cubed else X) * unit * 10.0**power
    other = forest(n_members=5).fit(moved, y)
    np.testing.assert_array_equal(one.leaves_[~one.out_of_bag_], other.leaves_[~one.out_of_bag_])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300], ids=str)
def test_any_scale(kind, scale, wine):
    X, y = wine
    ours = forest(**KINDS[kind]).fit((X - X.mean(axis=0)) * scale, y)
    assert ours.oob_error_ < 0.1


def test_a_large_offset_is_no_matter_for_combinations(wine):
    X, y = wine
    X = np.round((X - X.mean(axis=0)) / X.std(axis=0), 3)
    assert forest(n_combined=2).fit(X + 1e9, y).oob_error_ < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_counts_in_doubles(kind):
    """Values that single precision takes for equal are told apart."""
    X = 1e9 + np.arange(40.0)[:, None]
    y = np.arange(40) % 4 < 2
    ours = forest(**{**KINDS[kind], "min_leaf": 1, "n_members": 60}).fit(X, y)
    assert np.mean(ours.predict(X) == y) == 1


def test_weights_of_zero_are_no_cases(wine):
    X, y = wine
    weights = np.ones(len(X))
    weights[::3] = 0
    ours = forest().fit(X, y, sample_weight=weights)
    left = forest().fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(ours.predict_proba(X), left.predict_proba(X))
    assert ours.oob_error_ == pytest.approx(left.oob_error_)
    np.testing.assert_array_equal(ours.out_of_bag_[::3], True)


def test_only_ratios_of_weights_matter(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(1, 5, len(X)).astype(float)
    one, other = (forest().fit(X, y, sample_weight=w) for w in (weights, weights * 2.0**900))
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_weight_two_is_drawn_as_two_cases_are():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    out = forest(n_members=400).fit(X, y, sample_weight=weights).out_of_bag_
    expected = (1 - weights / weights.sum()) ** 30
    np.testing.assert_allclose(out[:10].mean(), expected[0], atol=0.02)
    np.testing.assert_allclose(out[10:].mean(), expected[-1], atol=0.02)


def test_balanced_draws_classes_alike():
    rng = np.random.default_rng(4)
    y = np.repeat(["few", "many"], [20, 180])
    X = rng.normal(size=(200, 3))
    ours = forest(class_weight="balanced", n_members=50).fit(X, y)
    given = forest(class_weight={"few": 9, "many": 1}, n_members=50).fit(X, y)
    np.testing.assert_array_equal(ours.out_of_bag_, given.out_of_bag_)
    draws = 1 - ours.out_of_bag_[:20].mean()
    assert draws == pytest.approx(1 - (1 - 0.5 / 20) ** 200, abs=0.02)
    with pytest.raises(ilk.InputError, match="class_weight names none"):
        forest(class_weight={"none": 1.0}).fit(X, y)


def test_max_samples_bounds_the_bag(wine):
    X, y = wine
    ours = forest(max_samples=20).fit(X, y)
    assert (~ours.out_of_bag_).sum(axis=0).max() <= 20
    with pytest.raises(ilk.ParameterError, match="max_samples"):
        forest(max_samples=1.5).fit(X, y)


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_lost_in_a_bag_has_no_share_there(kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, 2))
    y = np.array(["a", "b"] * 5 + ["c", "b"])
    ours = forest(**KINDS[kind]).fit(X, y)
    lost = ours.out_of_bag_[10]
    assert 0 < lost.sum() < 25
    for member in np.array(ours.estimators_, dtype=object)[lost]:
        assert not member.predict_proba(X)[:, 2].any()
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_small_and_degenerate_data(kind):
    two = forest(**KINDS[kind]).fit([[0.0], [1.0]], ["x", "y"])
    assert two.predict([[0.0], [1.0]]).shape == (2,)
    same = forest(**KINDS[kind]).fit(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert len(np.unique(same.leaves_)) == 1
    np.testing.assert_array_equal(same.predict(np.ones((2, 2))), [0, 0])
    one = forest(**KINDS[kind], n_jobs=1).fit(np.eye(4), [True, True, True, False])
    assert one.classes_.tolist() == [False, True]


def test_float32_read_only_and_strided(wine):
    X, y = wine
    single = X.astype(np.float32)
    ours = forest().fit(single, y)
    frozen = single.copy()
    frozen.flags.writeable = False
    strided = np.repeat(single, 2, axis=1)[:, ::2]
    for Z in (frozen, strided, np.asfortranarray(single), single.astype(float)):
        np.testing.assert_array_equal(
            forest().fit(Z, y).predict_proba(Z), ours.predict_proba(single)
        )


def test_errors_name_what_is_wrong(wine):
    X, y = wine
    with pytest.raises(ilk.InputError, match=r"y has 1 class"):
        forest().fit(X, np.zeros(len(X)))
    bad = X.copy()
    bad[3, 2] = np.nan
    with pytest.raises(ilk.InputError, match=r"random_forest.*NaN"):
        forest().fit(bad, y)
    with pytest.raises(ilk.InputError, match="zero for every case of class"):
        forest().fit(X, y, sample_weight=(y != y[0]).astype(float))
    for weights in (-np.ones(len(X)), np.full(len(X), np.nan), np.zeros(len(X))):
        with pytest.raises(ilk.InputError, match="sample_weight"):
            forest().fit(X, y, sample_weight=weights)
    with pytest.raises(ilk.ParameterError, match="max_features"):
        forest(max_features=1.2).fit(X, y)
    with pytest.raises(ilk.ParameterError, match="n_jobs"):
        forest(n_jobs=0).fit(X, y)


def test_saved_and_loaded(fitted, wine, tmp_path):
    again = ilk.load(ilk.save(fitted, tmp_path / "forest.ilk"))
    np.testing.assert_array_equal(again.predict_proba(wine[0]), fitted.predict_proba(wine[0]))
    np.testing.assert_array_equal(again.proximities(), fitted.proximities())


def test_progress_is_told(capsys, wine):
    forest(n_members=10, verbose=1).fit(*wine)
    assert "10 of 10 trees" in capsys.readouterr().out


class TestPatience:
    @pytest.mark.parametrize("n_combined", [None, 2])
    def test_stops_where_the_error_has_not_improved(self, wine, n_combined):
        """The trees, and all that follows from them, are the first of the whole forest."""
        X, y = wine
        whole = forest(n_members=60, n_combined=n_combined).fit(X, y)
        for patience in (3, 10):
            short = forest(n_members=60, n_combined=n_combined, patience=patience).fit(X, y)
            errors, end = whole.oob_errors_, len(short.trees_)
            best = int(np.nanargmin(errors[:end]))
            assert end == best + 1 + patience < 60
            for count in range(patience, end):  # and not before
                assert count - (np.nanargmin(errors[:count]) + 1) < patience
            np.testing.assert_array_equal(short.oob_errors_, errors[:end])
            np.testing.assert_array_equal(short.leaves_, whole.leaves_[:, :end])
            first = forest(n_members=end, n_combined=n_combined).fit(X, y)
            np.testing.assert_array_equal(short.predict_proba(X), first.predict_proba(X))
            np.testing.assert_array_equal(
                short.oob_decision_function_, first.oob_decision_function_
            )
            assert short.oob_error_ == first.oob_error_

    def test_grows_all_trees_if_the_patience_never_ends(self, wine):
        X, y = wine
        short, whole = (forest(n_members=7, patience=p).fit(X, y) for p in (7, None))
        assert len(short.trees_) == 7
        np.testing.assert_array_equal(short.predict_proba(X), whole.predict_proba(X))

    def test_does_not_depend_on_threads(self, wine):
        one, two = (forest(n_members=40, patience=5, n_jobs=n).fit(*wine) for n in (1, 2))
        np.testing.assert_array_equal(one.leaves_, two.leaves_)


@given(st.lists(st.one_of(st.just(np.nan), st.floats(0, 1)), max_size=30), st.integers(1, 5))
def test_stopped_at_by_its_definition(errors, patience):
    def waited(count):
        """Members since the last improvement; 0 before the first known error."""
        known = [e for e in errors[:count] if not np.isnan(e)]
        return count - (errors.index(min(known)) + 1) if known else 0

    ends = [count for count in range(1, len(errors) + 1) if waited(count) >= patience]
    assert stopped_at(errors, patience) == (ends[0] if ends else None)
