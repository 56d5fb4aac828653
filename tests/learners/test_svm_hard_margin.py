"""The hard margin of svm: what two points of hulls say of it, and when there is none."""

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk_learners.svm.gram import known_kernel
from ilk_learners.svm.machines import hull_margins

INF = float("inf")


def drawn(n=200, gap=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X = X[np.abs(X.sum(axis=1)) > gap]
    return X, np.where(X.sum(axis=1) > 0, 1.0, -1.0)


def hard(X, y, kernel="linear", **params):
    return ilk.classifier("svm", kernel=kernel, C=INF, **params).fit(X, y)


def outputs_of(X):
    return lambda support, coef: X @ (coef @ X[support])


@in_one_test
@pytest.mark.parametrize("gap", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("tol", [1e-4, 1e-6])
def test_bounds_hold_the_margin(gap, tol):
    X, signs = drawn(gap=gap)
    margin = hard(X, signs, solver="qp").margin_[0]
    for kernel, given in ((None, X @ X.T), (known_kernel(ilk.kernel("linear")), X)):
        least, most = hull_margins(kernel, given, signs, outputs_of(X), tol)
        assert least <= margin * (1 + 1e-6)
        assert margin <= most * (1 + 1e-6)
        if tol == 1e-6:
            assert least > 0.9 * most


def test_hulls_that_meet():
    X, _ = drawn()
    signs = np.where(np.arange(len(X)) % 2, 1.0, -1.0)
    least, most = hull_margins(None, X @ X.T, signs, outputs_of(X), 1e-6)
    assert least < 0
    assert most < 1e-4
    X = np.array([[1.0, 2.0], [1.0, 2.0]])
    assert hull_margins(None, X @ X.T, np.array([1.0, -1.0]), outputs_of(X), 1e-6) == (0, 0)


@in_one_test
@pytest.mark.parametrize("memory", [1024, 1e-6])
@pytest.mark.parametrize("gap", [0.0, 0.3])
def test_narrow_and_wide_margins_are_those_of_the_reference(gap, memory):
    X, y = drawn(gap=gap)
    model, reference = hard(X, y, memory=memory), hard(X, y, solver="qp")
    assert model.margin_ == pytest.approx(reference.margin_, rel=2e-3)
    assert (y * model.decision_function(X)).min() > 0.995
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-9 * np.abs(model.dual_coef_).sum())
    assert np.abs(model.dual_coef_).sum() == pytest.approx(1 / model.margin_[0] ** 2, rel=1e-2)


@pytest.mark.parametrize("memory", [1024, 1e-6])
def test_many_rows_that_overlap_are_told_at_once(memory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 10))
    y = X[:, 0] + rng.normal(size=1500) > 0
    with pytest.raises(ilk.InputError, match=r"svm: C=inf .* not separated"):
        hard(X, y, memory=memory)


def test_only_some_classes_are_separated():
    X, signs = drawn(gap=0.3)
    X, y = np.vstack([X, X + np.array([30.0, 0.0])]), np.append(signs, np.full(len(X), 5.0))
    assert hard(X, y, "rbf", strategy="ovo").margin_.shape == (3,)
    y[-1] = 1  # among those of 5
    with pytest.raises(ilk.InputError, match="not separated"):
        hard(X, y, strategy="ovo")


def test_what_weights_do_to_a_hard_margin():
    X, y = drawn(gap=0.3)
    wrong = np.vstack([X, [[3.0, 3.0]]]), np.append(y, -1.0)
    weights = np.append(np.random.default_rng(0).uniform(0.1, 9, size=len(X)), 0.0)
    assert hard(X, y).margin_ == pytest.approx(
        ilk.classifier("svm", kernel="linear", C=INF).fit(*wrong, sample_weight=weights).margin_
    )


def test_sparse_rows():
    sp = pytest.importorskip("scipy.sparse")
    X, y = drawn(gap=0.3)
    for memory in (1024, 1e-6):
        model = hard(sp.csr_array(X), y, memory=memory)
        assert model.margin_ == pytest.approx(hard(X, y).margin_, rel=2e-3)
