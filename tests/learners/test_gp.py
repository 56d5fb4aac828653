"""gp, the classifier."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

import ilk
from cases import in_one_test


def gp(kernel="rbf", **parameters):
    return ilk.classifier("gp", kernel=kernel, **parameters)


def rbf(sigma, **parameters):
    return {"use": "rbf", "sigma": sigma, **parameters}


@pytest.fixture
def halves():
    """Two overlapping classes in 3 dimensions, of which the first tells; and 20 queries."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=60) > 0, "yes", "no")
    return X, y, rng.normal(size=(20, 3))


def test_worked():
    # One row of each class, far apart: f = v s for s = sigma(-f), alone.
    model = gp(rbf(1.0), signal_variance=4.0).fit([[0.0], [100.0]], ["a", "b"])
    f = 0.0
    for _ in range(200):
        f += 0.1 * (4 * expit(-f) - f)
    mean, variance = model.latent([[0.0], [100.0], [50.0]])
    assert mean == pytest.approx([-f, f, 0])
    W = expit(f) * expit(-f)
    assert variance == pytest.approx([4 - 16 / (4 + 1 / W)] * 2 + [4])
    fit = 2 * (-np.log1p(np.exp(-f)) - f * f / 8 - np.log(1 + 4 * W) / 2)
    assert model.log_marginal_likelihood_ == pytest.approx(fit)
    assert model.predict_proba([[50.0]])[0] == pytest.approx([0.5, 0.5])


def test_agrees_with_sklearn(halves):
    X, y, Q = halves
    model = gp(rbf(1.5), signal_variance=2.0).fit(X, y)
    peer = GaussianProcessClassifier(2.0 * RBF(1.5), optimizer=None).fit(X, y)
    expected = peer.log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_ == pytest.approx(expected, abs=1e-8)
    # theirs is an approximation of the integral
    assert model.predict_proba(Q) == pytest.approx(peer.predict_proba(Q), abs=3e-4)
    assert np.array_equal(model.predict(Q), peer.predict(Q))


def test_agrees_with_sklearn_one_against_the_rest(blobs):
    X, y, Q = blobs
    model = gp(rbf(1.5), signal_variance=2.0).fit(X, y)
    peer = GaussianProcessClassifier(2.0 * RBF(1.5), optimizer=None).fit(X, y)
    assert model.log_marginal_likelihood_ == pytest.approx(
        3 * peer.log_marginal_likelihood_value_, abs=1e-7
    )
    assert model.predict_proba(Q) == pytest.approx(peer.predict_proba(Q), abs=1e-3)


@pytest.mark.parametrize("optimize", ["isotropic", "ard"])
def test_optimum_is_that_of_sklearn(halves, optimize):
    X, y, _ = halves
    y = np.where(np.arange(60) % 9 == 0, np.where(y == "yes", "no", "yes"), y)
    model = gp(rbf(1.5), optimize=optimize).fit(X, y)
    width = 1.5 if optimize == "isotropic" else [1.5] * 3
    peer = GaussianProcessClassifier(ConstantKernel(1.0) * RBF(width)).fit(X, y)
    expected = peer.log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_ == pytest.approx(expected, abs=1e-3)
    start = gp(rbf(1.5)).fit(X, y)
    assert model.log_marginal_likelihood_ > start.log_marginal_likelihood_ + 0.1


def test_ard_finds_the_feature_that_tells(halves):
    X, y, _ = halves
    model = gp(optimize="ard").fit(X, y)
    sigma = model.kernels_[0].sigma_
    assert sigma[0] < 0.2 * sigma[1:].min()


def test_each_class_has_widths_of_its_own(blobs):
    X, y, Q = blobs
    model = gp(optimize="isotropic").fit(X, y)
    assert len({kernel.sigma_ for kernel in model.kernels_}) == 3
    for c, label in enumerate(model.classes_):
        alone = gp(optimize="isotropic").fit(X, y == label)
        assert model.decision_function(Q)[:, c] == pytest.approx(
            alone.decision_function(Q), abs=1e-6
        )


def test_cross_validation_takes_the_width_that_is_right_most_often(halves):
    X, y, _ = halves
    factors = [1e-3, 0.5, 1e3]
    model = gp(optimize="cv", factors=factors, random_state=0).fit(X, y)
    start = ilk.kernel("rbf").fit(X).sigma_
    assert model.kernels_[0].sigma_ == pytest.approx(start / 2)
    # the thesis's widths
    model = gp(rbf(1.0), optimize="cv", factors=[0.1, 0.5, 1.3, 2.0], random_state=0).fit(X, y)
    assert model.kernels_[0].sigma_ in (0.1, 0.5, pytest.approx(1.3), 2.0)
    assert np.array_equal(model.factors, [0.1, 0.5, 1.3, 2.0])


def test_restarts_find_no_worse(halves):
    X, y, _ = halves
    plain = gp(rbf(1e3), optimize="isotropic").fit(X, y)
    more = gp(rbf(1e3), optimize="isotropic", n_restarts=3, random_state=0).fit(X, y)
    assert more.log_marginal_likelihood_ >= plain.log_marginal_likelihood_ - 1e-9


def test_a_trivial_maximum_is_left():
    # From the usual widths the evidence grows towards a constant function.
    rng = np.random.default_rng(0)
    X, Q = rng.uniform(0, 10, size=(2, 80, 1))
    model = gp(optimize="isotropic").fit(X, np.sin(8 * X[:, 0]) > 0.5)
    assert model.score(Q, np.sin(8 * Q[:, 0]) > 0.5) > 0.8
    noise = gp(optimize="isotropic").fit(X, rng.random(80) > 0.5)  # none is better
    assert noise.log_marginal_likelihood_ == pytest.approx(-80 * np.log(2), abs=2)


def test_softmax_of_two_classes_is_a_difference(halves):
    # f_2 - f_1 has the covariance 2 v k, and softmax of two is logistic in it.
    X, y, Q = halves
    both = gp(rbf(1.5), signal_variance=2.0, multi_class="softmax").fit(X, y)
    one = gp(rbf(1.5), signal_variance=4.0).fit(X, y)
    assert both.predict_proba(Q) == pytest.approx(one.predict_proba(Q), abs=1e-9)
    assert both.decision_function(Q) == pytest.approx(one.decision_function(Q), abs=1e-7)
    assert np.array_equal(both.predict(Q), one.predict(Q))
    expected = one.log_marginal_likelihood_
    assert both.log_marginal_likelihood_ == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("multi_class", ["ova", "softmax"])
@pytest.mark.parametrize("optimize", ["none", "isotropic"])
def test_probabilities(blobs, multi_class, optimize):
    X, y, Q = blobs
    model = gp(multi_class=multi_class, optimize=optimize).fit(X, y)
    P = model.predict_proba(Q)
    assert P.sum(axis=1) == pytest.approx(np.ones(len(Q)))
    assert (P > 0).all()
    assert np.array_equal(model.predict(Q), model.classes_[P.argmax(axis=1)])
    assert np.array_equal(model.decision_function(Q).argmax(axis=1), P.argmax(axis=1))
    assert model.score(X, y) > 0.6
    mean, variance = model.latent(Q)
    assert mean.shape == variance.shape == P.shape
    assert (variance >= 0).all()


def test_decisions_are_log_odds(halves):
    X, y, Q = halves
    model = gp().fit(X, y)
    P = model.predict_proba(Q)
    assert model.decision_function(Q) == pytest.approx(np.log(P[:, 1] / P[:, 0]))
    mean, _ = model.latent(Q)
    assert np.array_equal(mean > 0, P[:, 1] > 0.5)


@given(st.permutations(range(30)), st.sampled_from(["ova", "softmax"]))
def test_order_of_rows_and_names_of_classes_do_not_matter(order, multi_class):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    expected = gp(multi_class=multi_class).fit(X, y).predict_proba(X)
    order = np.array(order)
    got = gp(multi_class=multi_class).fit(X[order], np.array(["u", "v", "w"])[y[order]])
    assert got.classes_.tolist() == ["u", "v", "w"]
    assert got.predict_proba(X) == pytest.approx(expected, abs=1e-8)


def test_turned_and_shifted_rows_are_the_same(halves):
    X, y, Q = halves
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    expected = gp(optimize="isotropic").fit(X, y).predict_proba(Q)
    got = gp(optimize="isotropic").fit(X @ turn + 5, y).predict_proba(Q @ turn + 5)
    assert got == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("optimize", ["none", "isotropic", "ard", "cv"])
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_does_not_matter(halves, optimize, scale):
    X, y, Q = halves
    expected = gp(optimize=optimize, random_state=0).fit(X, y).predict_proba(Q)
    got = gp(optimize=optimize, random_state=0).fit(scale * X, y).predict_proba(scale * Q)
    assert got == pytest.approx(expected, abs=1e-4)


@in_one_test
@pytest.mark.parametrize("sigma", [1e6, 1.0, 1e-8], ids="sigma={:g}".format)
@pytest.mark.parametrize("v", [1.0, 1e6], ids="v={:g}".format)
def test_duplicates_and_widths_out_of_scale(sigma, v):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(6, 2)), 5, axis=0)
    y = np.tile([0, 0, 1, 0, 1], 6)
    for multi_class in ("ova", "softmax"):
        model = gp(rbf(sigma), signal_variance=v, multi_class=multi_class).fit(X, y)
        assert model.jitter_ == 0  # I + W^1/2 K W^1/2 is well conditioned
        P = model.predict_proba(X)
        assert np.allclose(P, [0.6, 0.4], atol=0.11)
        assert np.allclose(P, np.repeat(P[::5], 5, axis=0))


def test_jitter_is_stated():
    # the rbf kernel of this distance has negative eigenvalues, small ones where sigma is large
    texts = ["ab", "abc", "abcd", "bcd", "cd", "d", "xyz", "xy", "x", "axbycz"]
    rbf_of_texts = ilk.kernel("rbf", distance="levenshtein", sigma=200.0).fit(texts)
    least = np.linalg.eigvalsh(rbf_of_texts.gram(texts))[0]
    assert -1e-3 < least < -1e-6
    y = [0, 0, 0, 1, 1, 1, 0, 0, 1, 1]
    assert gp(rbf_of_texts).fit(texts, y).jitter_ == 0  # I + W^1/2 K W^1/2 has none
    model = gp(rbf_of_texts, signal_variance=1e7).fit(texts, y)
    assert 0 < model.jitter_ / 1e7 <= 1e-3
    with pytest.raises(ilk.InputError, match="gp: the kernel is not positive semi-definite"):
        gp({"use": "sigmoid", "eta1": -1.0}, signal_variance=1e3).fit([[1.0], [2.0], [3.0]], y[1:4])


@pytest.mark.parametrize("multi_class", ["ova", "softmax"])
def test_texts(multi_class):
    texts = ["kitten", "sitting", "mitten", "bitten", "house", "mouse", "louse", "blouse"]
    kernel = {"use": "substitution", "distance": "levenshtein"}
    y = ["tt"] * 4 + ["use"] * 4
    model = gp(kernel, signal_variance=10.0, multi_class=multi_class).fit(texts, y)
    assert model.predict(["smitten", "grouse"]).tolist() == ["tt", "use"]
    with pytest.raises(ilk.ParameterError, match="gp: optimize.*substitution.*gram_gradient"):
        gp(kernel, optimize="isotropic").fit(texts, y)
    chosen = gp(kernel, optimize="cv", folds=4, random_state=0).fit(texts, y)
    assert chosen.predict(["smitten", "grouse"]).tolist() == ["tt", "use"]


@pytest.mark.parametrize("multi_class", ["ova", "softmax"])
@pytest.mark.parametrize("optimize", ["none", "isotropic", "ard", "cv"])
def test_few(multi_class, optimize):
    model = gp(multi_class=multi_class, optimize=optimize, random_state=0)
    assert model.fit([[0.0], [1.0]], [-1, 1]).predict([[0.0], [1.0]]).tolist() == [-1, 1]
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.where(X[:, 0] > 0, True, False)
    assert model.fit(X, y).predict(X).dtype == bool
    lonely = np.where(np.arange(20) == 19, "only", np.where(y, "a", "b"))
    assert model.fit(X, lonely).predict_proba(X).shape == (20, 3)


@pytest.mark.parametrize("optimize", ["isotropic", "ard"])
def test_constant_and_equal_columns(halves, optimize):
    X, y, Q = halves
    more = np.column_stack([X, np.ones(60), X[:, 0]])
    model = gp(optimize=optimize).fit(more, y)
    assert np.isfinite(model.log_marginal_likelihood_)
    queries = np.column_stack([Q, np.ones(20), Q[:, 0]])
    assert np.mean(model.predict(queries) == np.where(np.sin(2 * Q[:, 0]) > 0, "yes", "no")) > 0.8


def test_single_precision_is_computed_in_double(halves):
    X, y, Q = (each.astype(np.float32) if each.dtype == float else each for each in halves)
    expected = gp().fit(X.astype(float), y).predict_proba(Q.astype(float))
    assert gp().fit(X, y).predict_proba(Q) == pytest.approx(expected, abs=1e-12)


def test_what_is_given_stays(halves):
    X, y, Q = halves
    X.setflags(write=False)
    Q = np.asfortranarray(Q)
    kept = Q.copy()
    model = gp(optimize="ard").fit(X, y)
    once = model.predict_proba(Q)
    assert np.array_equal(once, model.predict_proba(Q))
    assert np.array_equal(Q, kept)
    assert np.array_equal(once[3:5], model.predict_proba(Q[3:5])) or once[3:5] == pytest.approx(
        model.predict_proba(Q[3:5]), abs=1e-12
    )


def test_errors(halves):
    X, y, _ = halves
    with pytest.raises(ilk.InputError, match=r"gp: y has 1 class \('a'\), at least 2"):
        gp().fit(X, ["a"] * 60)
    with pytest.raises(ilk.ParameterError, match="gp: factors must be finite and above 0"):
        gp(factors=[1.0, -1.0]).fit(X, y)
    with pytest.raises(ilk.ParameterError, match="gp: factors must be a list"):
        gp(factors=[]).fit(X, y)
    with pytest.raises(ilk.ParameterError, match="gp: signal_variance must be finite"):
        gp(signal_variance=np.inf).fit(X, y)
    with pytest.raises(ilk.ParameterError, match="'ard' with Polynomial"):
        gp("polynomial", optimize="ard").fit(X, y)
    with pytest.raises(ilk.ParameterError, match="'cv' with the kernel linear"):
        gp("linear", optimize="cv").fit(X, y)
    kernel = ilk.frozen(ilk.kernel("rbf").fit(X))
    with pytest.raises(ilk.ParameterError, match="frozen"):
        gp(kernel, optimize="isotropic").fit(X, y)
    assert gp(kernel).fit(X[:30], y[:30]).kernels_[0].sigma_ == kernel.sigma_
    X = X.copy()
    X[3, 1] = np.nan
    with pytest.raises(ilk.InputError, match="gp: X.*NaN"):
        gp().fit(X, y)


def test_says_when_it_has_not_converged(halves):
    X, y, _ = halves
    with pytest.warns(ConvergenceWarning, match="gp: the mode was not reached in 1 iter"):
        gp(max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="gp: the marginal .* in 2 steps; raise max_steps"):
        gp(optimize="ard", max_steps=2).fit(X, y)


def test_saved_and_loaded(halves, tmp_path):
    X, y, Q = halves
    for multi_class in ("ova", "softmax"):
        model = gp(multi_class=multi_class, optimize="isotropic").fit(X, y)
        loaded = ilk.load(ilk.save(model, tmp_path / "gp.ilk"))
        assert np.array_equal(loaded.predict_proba(Q), model.predict_proba(Q))
