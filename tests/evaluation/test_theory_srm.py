"""Structural risk minimisation, the capacity of a support vector machine, enclosing balls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import ilk
from cases import in_one_test
from ilk_evaluation import theory
from ilk_evaluation.theory.vc_dimension import _squared_radius_of_ball


@pytest.fixture(scope="module")
def ring():
    X = np.random.default_rng(0).normal(size=(300, 2))
    return X, np.where((X**2).sum(axis=1) > 1.4, "out", "in")


def polynomial(degree):
    return ilk.classifier("svm", kernel=ilk.kernel("polynomial", degree=degree), C=100.0)


def test_the_table_is_what_the_principle_says(ring):
    X, y = ring
    family = {f"degree {q}": polynomial(q) for q in (1, 2, 3)}
    found = theory.srm(family, X, y, capacity=[3, 6, 10], delta=0.1)
    table = found.table
    assert table["model"].tolist() == list(family)
    for row, model in zip(table.itertuples(), family.values(), strict=True):
        wrong = np.mean(model.fit(X, y).predict(X) != y)
        assert row.empirical_risk == pytest.approx(wrong)
        assert row.confidence == pytest.approx(theory.vc_bound(300, 0.1, row.capacity))
        assert row.bound == pytest.approx(row.empirical_risk + row.confidence)
    assert found.chosen == "degree 2"
    assert table["chosen"].tolist() == (table["bound"] == table["bound"].min()).tolist()
    assert found.model.predict(X).tolist() == family["degree 2"].predict(X).tolist()


def test_models_by_name_spec_pipeline_and_fitted(ring):
    X, y = ring
    fitted = KNeighborsClassifier(1).fit(X[:100], y[:100])
    models = [
        "nearest_mean",
        {"use": "knn", "k": 5},
        {"steps": [{"transformer": "standardize"}, {"classifier": "lda"}]},
        fitted,
    ]
    found = theory.srm(models, X, y, capacity=[3, 10, 3, 500])
    labels = ["1: nearest_mean", "2: spec", "3: spec", "4: KNeighborsClassifier"]
    assert found.table["model"].tolist() == labels
    assert found.table["empirical_risk"][3] == pytest.approx(np.mean(fitted.predict(X) != y))


def test_what_is_given_unfitted_stays_unfitted(ring):
    model = KNeighborsClassifier(3)
    theory.srm([model], *ring, capacity=[5])
    assert not hasattr(model, "classes_")


def test_capacities_by_a_function_and_by_the_margin(ring):
    X, y = ring
    by_function = theory.srm([polynomial(2)], X, y, capacity=lambda model, X: len(model.support_))
    assert by_function.table["capacity"][0] == len(by_function.model.support_)
    by_margin = theory.srm([polynomial(2)], X, y)
    assert by_margin.table["capacity"][0] == theory.svm_vc_dimension(by_margin.model, X)


@in_one_test
@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"models": []}, ilk.InputError, "srm: models is empty"),
        ({"y": ["a"] * 300}, ilk.InputError, "srm: y must have two classes, got 1"),
        ({"y": ["a", "b"]}, ilk.InputError, "srm: y must have one label for each of the 300"),
        (
            {"capacity": [1, 2]},
            ilk.ParameterError,
            "srm: capacity must have one number .* 1 models",
        ),
        ({"capacity": [-1]}, ilk.ParameterError, "srm: capacity must be at least 0, got -1"),
        ({"delta": 0}, ilk.ParameterError, "srm: delta must be above 0"),
        ({"capacity": None}, ilk.InputError, "knn is no fitted support vector machine"),
    ],
)
def test_other_input_is_refused(ring, change, error, said):
    X, y = ring
    given_ = {"models": ["knn"], "X": X, "y": y, "capacity": [3]} | change
    with pytest.raises(error, match=said):
        theory.srm(given_.pop("models"), given_.pop("X"), given_.pop("y"), **given_)


def test_the_norm_is_that_of_the_margin(ring):
    X, y = ring
    for kernel in ("rbf", "linear", "polynomial"):
        svm = ilk.classifier("svm", kernel=kernel, tol=1e-6).fit(X, y)
        # of degree 3: ten monomials of two features
        most = {"rbf": np.inf, "linear": 2, "polynomial": 9}[kernel]
        squared_norm = min(1 / svm.margin_[0] ** 2, most)
        # with R = 1 the bound is the squared norm, rounded up
        found = theory.svm_vc_dimension(svm, X, radius=1.0) - 1
        assert found == pytest.approx(squared_norm, abs=1 + 1e-4 * squared_norm)


def test_polynomial_machines_have_no_more_capacity_than_monomials(ring):
    X, y = ring
    family = {
        f"degree {q}": ilk.classifier("svm", kernel={"use": "polynomial", "degree": q}, C=100.0)
        for q in (1, 2, 3)
    }
    found = theory.srm(family, X, y)
    assert (found.table["capacity"] <= [3, 6, 10]).all()
    theirs = SVC(kernel="poly", degree=2, coef0=1, C=100).fit(X, y)
    assert theory.svm_vc_dimension(theirs, X, radius=1e3) == 6


def test_linear_machines_of_scikit_learn(ring):
    X, y = ring
    y = np.where(X[:, 0] + 0.1 * X[:, 1] > 0, 1, -1)
    dual = SVC(kernel="linear", C=10).fit(X, y)
    primal = LinearSVC(C=10, dual=False).fit(X, y)
    for machine in (dual, primal, LogisticRegression().fit(X, y)):
        assert theory.svm_vc_dimension(machine, X) == 3  # two features
    rbf = SVC(kernel="rbf", gamma=1.0).fit(X, y)
    theirs = (
        rbf.dual_coef_
        @ np.exp(-((rbf.support_vectors_[:, None] - rbf.support_vectors_) ** 2).sum(axis=2))
        @ rbf.dual_coef_.T
    )
    assert theory.svm_vc_dimension(rbf, X, radius=1.0) == math.ceil(theirs.item()) + 1
    with pytest.raises(ilk.InputError, match="SVC does not expose its kernel; give the radius"):
        theory.svm_vc_dimension(rbf, X)


def test_linear_machines_of_ilk_have_the_dimension_of_hyperplanes(ring):
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    ours = ilk.classifier("svm", kernel="linear", C=100.0).fit(X, y)
    theirs = SVC(kernel="linear", C=100.0).fit(X, y)
    assert theory.svm_vc_dimension(ours, X) == theory.svm_vc_dimension(theirs, X) == 2
    wide = ilk.classifier("svm", kernel="linear").fit(*ring)
    assert theory.svm_vc_dimension(wide, ring[0], radius=1e3) == 3
    for machine in (ours, theirs):
        with pytest.raises(ilk.InputError, match="X must have the 1 features of training, got 2"):
            theory.svm_vc_dimension(machine, ring[0])


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_a_machine_that_decides_by_another_kernel_asks_for_the_radius(ring, kernel):
    X, y = ring
    machine = ilk.classifier("conformal_svm", kernel=kernel).fit(X, y)
    with pytest.raises(ilk.InputError, match="conformal_svm does not expose its kernel"):
        theory.svm_vc_dimension(machine, X)
    # no polynomial either: the factor of the kernel is none
    squared = 1 / machine.margin_[0] ** 2
    found = theory.svm_vc_dimension(machine, X, radius=1e3)
    assert found == pytest.approx(math.ceil(1e6 * squared) + 1, rel=1e-3)


def test_a_pipeline_is_taken_by_its_last_step(ring):
    X, y = ring
    pipeline = make_pipeline(StandardScaler(), LinearSVC(dual=False)).fit(X * 100, y)
    scaled = StandardScaler().fit_transform(X * 100)
    expected = theory.svm_vc_dimension(pipeline[-1], scaled)
    assert theory.svm_vc_dimension(pipeline, X * 100) == expected
    ours = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "svm"}]).fit(X, y)
    assert theory.svm_vc_dimension(ours, X) > 3


def test_several_machines_are_refused():
    X, y = ilk.dataset("iris").load().Xy
    with pytest.raises(ilk.InputError, match="consists of 3 machines"):
        theory.svm_vc_dimension(ilk.classifier("svm").fit(X, y), X)
    with pytest.raises(ilk.InputError, match="consists of 3 machines"):
        theory.svm_vc_dimension(LinearSVC(dual=False).fit(X, y), X)


def smallest_ball(points):
    """Squared radius of the smallest circle, over those through two points and through three."""
    best = math.inf
    for subset in itertools.chain.from_iterable(
        itertools.combinations(points, k) for k in (1, 2, 3)
    ):
        corner, edges = subset[0], np.array([p - subset[0] for p in subset[1:]])
        if len(edges) == 2 and abs(np.linalg.det(edges)) < 1e-9:
            continue
        right = (edges**2).sum(axis=1) / 2 if len(edges) else np.zeros(0)
        offset = np.linalg.lstsq(edges, right, rcond=None)[0] if len(edges) else np.zeros(2)
        radius = ((points - corner - offset) ** 2).sum(axis=1).max()
        best = min(best, radius)
    return best


@given(st.integers(1, 8), st.integers(0, 999))
def test_balls_hold_all_points_and_are_hardly_larger_than_need_be(n, seed):
    points = np.random.default_rng(seed).normal(size=(n, 2))
    exact = smallest_ball(points)
    found = _squared_radius_of_ball((points**2).sum(axis=1), lambda j: points @ points[j])
    assert exact * (1 - 1e-9) - 1e-12 <= found <= exact * 1.002 + 1e-12
