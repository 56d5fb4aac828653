"""gasvm."""

import numpy as np
import pytest
from sklearn.svm import SVC

import ilk
from cases import in_one_test


def gasvm(**parameters):
    return ilk.classifier("gasvm", **{"tol": 1e-6, **parameters})


def identity(**parameters):
    return ilk.metric_learner("identity", report=False, **parameters)


def mean_square_to_near_rows(X):
    """The width of the catalogue's kernel, by loops."""
    n = len(X)
    near = max(1, int(np.floor(np.log2(n))) // 2)
    squares = [
        sorted(float(np.sum((X[i] - X[j]) ** 2)) for j in range(n) if j != i)[:near]
        for i in range(n)
    ]
    return np.mean([np.mean(row) for row in squares])


def test_with_the_identity_is_a_machine_with_the_folded_width(blobs):
    X, y, Q = blobs
    model = gasvm(learner=identity()).fit(X, y)
    sigma = mean_square_to_near_rows(X) ** 0.5
    assert model.factors_ == pytest.approx([1 / (2**0.5 * sigma)])
    kernel = ilk.kernel("rbf", sigma=sigma)
    svm = ilk.classifier("svm", kernel=kernel, C=10.0, tol=1e-6).fit(X, y)
    assert model.decision_function(Q) == pytest.approx(svm.decision_function(Q), abs=1e-4)
    assert np.array_equal(model.predict(Q), svm.predict(Q))
    for code, c in enumerate(np.unique(y)):
        svc = SVC(C=10, gamma=1 / (2 * sigma**2), tol=1e-6).fit(X, y == c)
        assert model.decision_function(Q)[:, code] == pytest.approx(
            svc.decision_function(Q), abs=1e-3
        )


def test_of_megm_the_printed_kernel(blobs):
    # L of megm has the width folded in already.
    X, y, Q = blobs
    model = gasvm().fit(X, y)
    assert model.factors_.tolist() == [1]
    L = ilk.metric_learner("megm").fit(X, y).components_
    assert model.learners_[0].components_ == pytest.approx(L)

    def k(A, B):
        return np.array([[np.exp(-np.sum((L @ (a - b)) ** 2)) for b in B] for a in A])

    for code, c in enumerate(np.unique(y)):
        svc = SVC(C=10, kernel=k, tol=1e-6).fit(X, y == c)
        assert model.decision_function(Q)[:, code] == pytest.approx(
            svc.decision_function(Q), abs=1e-3
        )


def test_a_metric_for_each_class(blobs):
    X, y, Q = blobs
    model = gasvm(per_class=True).fit(X, y)
    assert len(model.learners_) == len(model.svms_) == 3
    values = []
    for c, learner in zip(np.unique(y), model.learners_, strict=True):
        alone = gasvm().fit(X, y == c)
        assert learner.components_ == pytest.approx(alone.learners_[0].components_)
        values.append(alone.decision_function(Q))
    assert model.decision_function(Q) == pytest.approx(np.transpose(values))
    assert np.array_equal(model.predict(Q), np.unique(y)[np.argmax(values, axis=0)])
    assert not np.allclose(model.learners_[0].components_, model.learners_[1].components_)


def test_two_classes_share_their_metric(blobs):
    X, y, Q = blobs
    X, y = X[y != 7], y[y != 7]
    one, two = gasvm().fit(X, y), gasvm(per_class=True).fit(X, y)
    assert np.array_equal(one.decision_function(Q), two.decision_function(Q))
    assert one.decision_function(Q).shape == (30,)
    assert np.array_equal(one.predict(Q), np.where(one.decision_function(Q) > 0, 2, -1))


@pytest.mark.parametrize("per_class", [False, True])
def test_learns_which_feature_tells(per_class):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6)) * [1, 1, 1, 1, 1, 30]
    y = np.select([X[:, 0] > 0.5, X[:, 0] < -0.5], ["up", "down"], "between")
    X = X / X.std(axis=0)
    train, test = slice(0, 100), slice(100, None)
    model = gasvm(per_class=per_class).fit(X[train], y[train])
    plain = gasvm(learner=identity()).fit(X[train], y[train])
    assert model.score(X[test], y[test]) > plain.score(X[test], y[test]) + 0.1


@in_one_test
@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("learner", ["lda", "rca", "pca", identity()])
def test_any_learner(blobs, learner, per_class):
    X, y, _ = blobs
    model = gasvm(learner=learner, per_class=per_class).fit(X, y)
    assert model.score(X, y) > 0.6


def test_order_and_names_of_classes_do_not_matter(blobs):
    X, y, Q = blobs
    expected = gasvm(learner=identity()).fit(X, y).decision_function(Q)
    order = np.random.default_rng(0).permutation(len(y))
    got = gasvm(learner=identity()).fit(X[order], y[order]).decision_function(Q)
    assert got == pytest.approx(expected, abs=1e-3)
    names = np.array(["a", "b", "c"])[np.unique(y, return_inverse=True)[1]]
    assert np.array_equal(gasvm(learner=identity()).fit(X, names).decision_function(Q), expected)


@in_one_test
@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
@pytest.mark.parametrize("learner", ["megm", identity()])
def test_does_not_depend_on_scale(blobs, factor, learner):
    X, y, Q = blobs
    expected = gasvm(learner=learner).fit(X, y).decision_function(Q)
    got = gasvm(learner=learner).fit(X * factor, y).decision_function(Q * factor)
    assert got == pytest.approx(expected, abs=1e-3)


def test_single_precision(blobs):
    X, y, Q = blobs
    expected = gasvm(learner=identity()).fit(X, y).decision_function(Q)
    got = gasvm(learner=identity()).fit(X.astype("f4"), y).decision_function(Q.astype("f4"))
    assert got == pytest.approx(expected, abs=1e-2)


def test_few_rows():
    model = gasvm(learner=identity()).fit([[0.0, 1.0], [3.0, 1.0]], ["a", "b"])
    assert model.predict([[-1.0, 1.0], [2.0, 1.0]]).tolist() == ["a", "b"]
    model = gasvm(per_class=True, learner=identity()).fit(
        [[0.0], [0.0], [1.0], [5.0]], [1, 1, 2, 3]
    )
    assert model.predict([[0.0], [1.1], [5.0]]).tolist() == [1, 2, 3]


def test_refuses(blobs, local_metric):
    X, y, _ = blobs
    with pytest.raises(ilk.ParameterError, match="gasvm: learner must have a transform"):
        gasvm(learner="weighted").fit(X, y)
    with pytest.raises(ilk.InputError, match="gasvm: y has 1 class"):
        gasvm().fit(X, y > -9)
    with pytest.raises(ilk.InputError, match="gasvm: the rows of X are all equal"):
        gasvm(learner=identity()).fit(np.ones((4, 2)), [0, 0, 1, 1])
    with pytest.raises(ilk.InputError, match="gasvm: X has NaN at row 2"):
        gasvm().fit(np.where(np.arange(len(X))[:, None] == 2, np.nan, X), y)
