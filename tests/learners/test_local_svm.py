"""local_svm."""

import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from sklearn.svm import SVC

import ilk
from ilk_learners.classifiers import local_svm as module


def local_svm(**parameters):
    return ilk.classifier("local_svm", **{"tol": 1e-6, **parameters})


def slow(X, y, Q, K, C=10.0, gram=None):
    """One against the rest by scikit-learn, in the neighbourhood of one query after the other.

    `gram(A, B, sigma)` gives kernel values; Gaussian if left out.
    """
    classes, values = np.unique(y), []
    for q in Q:
        near = np.sort(np.argsort(np.linalg.norm(X - q, axis=1), kind="stable")[:K])
        R, labels = X[near], y[near]
        present = np.unique(labels)
        own = dict.fromkeys(classes, -1.0)
        if len(present) == 1:
            own[present[0]] = 1.0
        else:
            pairs = [np.sum((a - b) ** 2) for i, a in enumerate(R) for b in R[:i]]
            gamma = 1 / (2 * np.mean(pairs))
            kernel = {"gamma": gamma} if gram is None else {"kernel": gram}
            for c in present:
                svc = SVC(C=C, tol=1e-6, **kernel).fit(R, labels == c)
                own[c] = svc.decision_function([q])[0]
            least = min(own[c] for c in present)
            for c in set(classes) - set(present):
                own[c] = min(-1.0, least)
        values.append([own[c] for c in classes])
    return np.array(values)


def blobs(n, p, classes, m=25, seed=0):
    rng = np.random.default_rng(seed)
    centers = 1.5 * rng.normal(size=(classes, p))
    y, z = np.arange(n) % classes, np.arange(m) % classes
    return rng.normal(size=(n, p)) + centers[y], y, rng.normal(size=(m, p)) + centers[z]


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("k", [0.2, 1, 3])
def test_agrees_with_a_loop_over_queries(classes, k):
    X, y, Q = blobs(90, 4, classes)
    model = local_svm(k=k).fit(X, y)
    assert model.n_neighbors_ == max(int(k * np.log2(90)), 1)
    expected = slow(X, y, Q, model.n_neighbors_)
    got = model.decision_function(Q)
    assert got == pytest.approx(expected[:, 1] if classes == 2 else expected, rel=1e-3, abs=1e-3)
    pure = (np.sort(expected, axis=1)[:, :-1] == -1).all(axis=1) & (expected.max(axis=1) == 1)
    assert model.n_pure_ == pure.sum()
    assert model.n_trained_ <= len(Q) - model.n_pure_
    assert np.array_equal(model.predict(Q), expected.argmax(axis=1))


def test_agrees_with_a_loop_with_another_kernel():
    X, y, Q = blobs(90, 4, 3)
    model = local_svm(k=3, kernel={"use": "polynomial", "degree": 2}, C=0.5).fit(X, y)
    gram = model.kernel_.gram
    assert model.decision_function(Q) == pytest.approx(
        slow(X, y, Q, 19, C=0.5, gram=gram), rel=1e-3, abs=1e-3
    )


def test_worked():
    # log2 8 = 3: the three nearest. Those of 0.1 are all "a", those of 10 all "b". Those of 4.1 and
    # 4.6 are 3 ("a"), 5 and 6 ("b"), those of 3.4 are 2, 3 ("a") and 5 ("b").
    X, y = [[0.0], [1.0], [2.0], [3.0], [5.0], [6.0], [9.0], [9.5]], list("aaaabbbb")
    model = local_svm(k=1).fit(X, y)
    assert model.predict([[0.1], [10.0]]).tolist() == ["a", "b"]
    assert (model.n_pure_, model.n_trained_) == (2, 0)
    assert model.decision_function([[0.1], [10.0]]).tolist() == [-1, 1]
    assert (model.n_pure_, model.n_trained_) == (4, 0)
    assert model.predict([[3.4], [4.1], [4.6]]).tolist() == ["a", "b", "b"]
    assert (model.n_pure_, model.n_trained_) == (4, 2)


def test_wide_neighborhoods_are_one_global_machine():
    X, y, Q = blobs(60, 3, 3)
    model = local_svm(k=100, C=2.0).fit(X, y)
    svm = ilk.classifier("svm", kernel="rbf", C=2.0, tol=1e-6).fit(X, y)
    assert model.decision_function(Q) == pytest.approx(svm.decision_function(Q), abs=1e-4)
    assert np.array_equal(model.predict(Q), svm.predict(Q))
    assert model.n_neighbors_ == 60
    assert model.n_trained_ == 1


def test_metric_learner_comes_first():
    X, y, Q = blobs(80, 4, 2)
    learner = ilk.metric_learner("lda", report=False).fit(X, y)
    model = local_svm(metric_learner=ilk.frozen(learner)).fit(X, y)
    expected = local_svm().fit(learner.transform(X), y).decision_function(learner.transform(Q))
    assert np.array_equal(model.decision_function(Q), expected)


@pytest.mark.parametrize("kernel", [None, {"use": "polynomial", "degree": 2}])
def test_a_local_metric_finds_the_neighbours(kernel):
    X, y, Q = blobs(90, 4, 2)
    X[:, 3], Q[:, 3] = 20 * X[:, 3], 20 * Q[:, 3]  # the Euclidean neighbours are wrong ones
    model = local_svm(k=3, kernel=kernel, metric_learner="dann").fit(X, y)
    _, rows = ilk.metric_learner("dann").fit(X, y).kneighbors(Q, 19)
    for q, near, got in zip(Q, rows, model.decision_function(Q), strict=True):
        # all of the neighbourhood are neighbours: one global machine
        whole = local_svm(k=100, kernel=kernel)
        few, labels = X[np.sort(near)], y[np.sort(near)]
        if len(set(labels)) == 1:
            assert got == (1 if labels[0] else -1)
        else:
            assert got == pytest.approx(whole.fit(few, labels).decision_function([q])[0])
    assert model.n_trained_ > 0
    assert model.index_ is None
    with pytest.raises(ilk.ParameterError, match="index must be left at 'brute' with the local"):
        local_svm(metric_learner="dann", index="kd_tree").fit(X, y)


class TestSharing:
    def test_what_is_kept_changes_no_answer(self):
        X, y, Q = blobs(90, 3, 3, m=40)
        expected = local_svm(cache_size=0).fit(X, y).decision_function(Q)
        for size in (1, 3, 1000):
            model = local_svm(cache_size=size).fit(X, y)
            for queries, values in ((Q, expected), (Q[::-1], expected[::-1])):
                assert model.decision_function(queries) == pytest.approx(values, abs=1e-12)

    def test_machines_are_trained_once(self):
        X, y, Q = blobs(90, 3, 3, m=40)
        model = local_svm(k=3).fit(X, y)
        model.predict(np.vstack([Q, Q]))
        trained, pure = model.n_trained_, model.n_pure_
        assert 0 < trained <= 40 - pure // 2
        model.predict(Q + 1e-12)
        assert model.n_trained_ == trained
        assert model.n_pure_ == pure * 3 // 2

    def test_the_last_used_are_kept(self):
        X, y, Q = blobs(90, 3, 2, m=40)
        model = local_svm(k=4, cache_size=2).fit(X, y)
        mixed = np.flatnonzero(abs(model.decision_function(Q)) != 1)
        a, b, c = (Q[i : i + 1] for i in mixed[:3])

        def trains(q):
            before = model.n_trained_
            model.predict(q)
            return model.n_trained_ > before

        assert [trains(q) for q in (a, b, a, c, a, b)] == [True, True, False, True, False, True]

    def test_one_table_for_all_neighborhoods_or_one_for_each(self, monkeypatch):
        X, y, Q = blobs(90, 3, 3, m=40)
        for kernel in (None, "rbf"):
            monkeypatch.setattr(module, "_WORTH", 0)
            expected = local_svm(kernel=kernel).fit(X, y).decision_function(Q)
            monkeypatch.setattr(module, "_WORTH", 10**6)
            got = local_svm(kernel=kernel).fit(X, y).decision_function(Q)
            assert got == pytest.approx(expected, abs=1e-5)

    def test_blocks_change_no_answer(self, monkeypatch):
        X, y, Q = blobs(90, 3, 3, m=40)
        expected = local_svm().fit(X, y).decision_function(Q)
        monkeypatch.setattr(module, "_QUERIES", 100)
        monkeypatch.setattr(module, "_CELLS", 2000)
        assert local_svm().fit(X, y).decision_function(Q) == pytest.approx(expected, abs=1e-5)

    def test_copies_begin_without_machines(self):
        X, y, Q = blobs(90, 3, 2)
        model = local_svm().fit(X, y)
        expected = model.decision_function(Q)
        again = pickle.loads(pickle.dumps(model))
        assert len(model._kept.machines) > 0
        assert len(again._kept.machines) == 0
        assert again.decision_function(Q) == pytest.approx(expected)


@example(24, 3, 2.75, 279)  # one case against the rest: no coefficient is free, up to rounding
@given(st.integers(2, 40), st.integers(2, 4), st.floats(0.1, 8), st.integers(0, 1000))
def test_order_and_names_do_not_matter(n, classes, k, seed):
    X, y, Q = blobs(n, 2, min(classes, n), m=8, seed=seed)
    model = local_svm(k=k, tol=1e-6).fit(X, y)
    expected = model.decision_function(Q)
    order = np.random.default_rng(seed).permutation(n)
    got = local_svm(k=k, tol=1e-6).fit(X[order], y[order]).decision_function(Q)
    assert got == pytest.approx(expected, rel=1e-3, abs=1e-3)
    names = np.array(["a", "b", "c", "d"])[y]
    assert np.array_equal(local_svm(k=k, tol=1e-6).fit(X, names).decision_function(Q), expected)
    best = expected.argmax(axis=1) if expected.ndim == 2 else (expected > 0).astype(int)
    assert np.array_equal(model.predict(Q), best)


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40, 2.0**500, 2.0**-500])
def test_does_not_depend_on_scale(factor):
    X, y, Q = blobs(80, 3, 2)
    expected = local_svm().fit(X, y).decision_function(Q)
    assert local_svm().fit(X * factor, y).decision_function(Q * factor) == pytest.approx(
        expected, abs=1e-5
    )


def test_equal_rows_of_two_classes_answer_with_the_more_frequent():
    model = local_svm().fit([[1.0, 2.0]] * 5, ["a", "b", "b", "a", "b"])
    assert model.predict([[1.0, 2.0], [7.0, 7.0]]).tolist() == ["b", "b"]
    assert local_svm(k=1).fit([[0.0], [1.0]], [3, 4]).predict([[-1.0], [2.0]]).tolist() == [3, 4]


def test_single_precision():
    X, y, Q = blobs(80, 3, 3)
    got = local_svm().fit(X.astype(np.float32), y).decision_function(Q.astype(np.float32))
    assert got == pytest.approx(local_svm().fit(X, y).decision_function(Q), abs=1e-3)


def test_texts_under_an_edit_distance():
    words = ["aaaa", "aaab", "aaba", "abab", "bbbb", "bbba", "bbab", "baba"]
    model = local_svm(k=2, distance="levenshtein").fit(words, list("aaaabbbb"))
    assert model.predict(["aaaa", "aabaa", "bbbbb", "babb"]).tolist() == ["a", "a", "b", "b"]
    by_kernel = local_svm(
        k=2, distance="levenshtein", kernel={"use": "rbf", "distance": "levenshtein"}
    )
    got = by_kernel.fit(words, list("aaaabbbb")).predict(["aaaa", "bbbbb"])
    assert got.tolist() == ["a", "b"]


class Uphill(ilk.Distance):
    """Twice as far upwards as downwards."""

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        rise = (Y[:, 0] - X[:, :1]).astype(float)
        return np.where(rise > 0, 2 * rise, -rise)


def test_asymmetric_distances_are_averaged():
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(12, 1)), rng.normal(size=(6, 1))
    y = (X[:, 0] + rng.normal(size=12) > 0).astype(int)
    got = local_svm(k=100, distance=Uphill()).fit(X, y).decision_function(Q)
    mean = np.sqrt((1 + 4) / 2)  # both ways
    D, E = mean * abs(X - X.T), mean * abs(Q - X.T)
    sigma = np.sqrt(np.sum(D**2) / (12 * 11))
    svc = SVC(C=10, kernel="precomputed", tol=1e-6).fit(np.exp(-((D / sigma) ** 2) / 2), y)
    expected = svc.decision_function(np.exp(-((E / sigma) ** 2) / 2))
    assert got == pytest.approx(expected, abs=1e-3)


def test_refuses():
    X, y, _ = blobs(20, 2, 2)
    with pytest.raises(ilk.ParameterError, match="C must be finite"):
        local_svm(C=np.inf).fit(X, y)
    with pytest.raises(ilk.InputError, match="local_svm: y has 1 class"):
        local_svm().fit(X, ["a"] * 20)
    with pytest.raises(ilk.InputError, match="local_svm: X has NaN at row 0"):
        local_svm().fit(X, y).predict([[np.nan, 0]])
    far = np.where(np.add.outer(range(20), range(20)) % 7 == 3, np.inf, 1.0)
    np.fill_diagonal(far, 0)
    model = local_svm(k=100, distance=ilk.distance("precomputed", matrix=np.minimum(far, far.T)))
    with pytest.raises(ilk.InputError, match="infinitely far apart"):
        model.fit(np.arange(20)[:, None], y).predict([[0]])
