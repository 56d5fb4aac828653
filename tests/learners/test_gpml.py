"""gpml."""

import numpy as np
import pytest

import ilk


def gpml(**parameters):
    return ilk.classifier("gpml", **parameters)


def identity():
    return ilk.metric_learner("identity", report=False)


def mean_square_to_near_rows(X):
    """The width of the catalogue's kernel, by loops."""
    n = len(X)
    near = max(1, int(np.floor(np.log2(n))) // 2)
    squares = [
        sorted(float(np.sum((X[i] - X[j]) ** 2)) for j in range(n) if j != i)[:near]
        for i in range(n)
    ]
    return np.mean([np.mean(row) for row in squares])


@pytest.mark.parametrize("per_class", [False, True])
def test_with_the_identity_is_gp_with_the_folded_width(blobs, per_class):
    X, y, Q = blobs
    model = gpml(learner=identity(), per_class=per_class, signal_variance=3.0).fit(X, y)
    sigma = mean_square_to_near_rows(X) ** 0.5
    assert model.factors_ == pytest.approx([1 / (2**0.5 * sigma)] * len(model.learners_))
    gp = ilk.classifier("gp", kernel=ilk.kernel("rbf", sigma=sigma), signal_variance=3.0).fit(X, y)
    assert model.predict_proba(Q) == pytest.approx(gp.predict_proba(Q), abs=1e-8)
    assert model.decision_function(Q) == pytest.approx(gp.decision_function(Q), abs=1e-7)
    assert np.array_equal(model.predict(Q), gp.predict(Q))


def test_one_metric_or_one_for_each_class(blobs):
    X, y, Q = blobs
    one, each = gpml().fit(X, y), gpml(per_class=True).fit(X, y)
    assert len(one.learners_) == len(one.gps_) == 1
    assert len(each.learners_) == len(each.gps_) == 3
    for c, label in enumerate(each.classes_):
        alone = gpml().fit(X, (y == label).astype(int))
        assert np.array_equal(each.learners_[c].components_, alone.learners_[0].components_)
        assert each.decision_function(Q)[:, c] == pytest.approx(alone.decision_function(Q))
    for model in (one, each):
        P = model.predict_proba(Q)
        assert P.sum(axis=1) == pytest.approx(np.ones(len(Q)))
        assert np.array_equal(model.predict(Q), model.classes_[P.argmax(axis=1)])
        assert model.factors_.tolist() == [1.0] * len(model.learners_)  # megm folds it in


def test_two_classes_are_one_problem(blobs):
    X, y, Q = blobs
    two = y != 7
    one, each = (gpml(per_class=p).fit(X[two], y[two]) for p in (False, True))
    assert len(each.learners_) == 1
    assert np.array_equal(one.predict_proba(Q), each.predict_proba(Q))
    assert one.decision_function(Q).shape == (30,)


def test_names_of_classes_do_not_matter(blobs):
    X, y, Q = blobs
    names = np.array(["u", "v", "w"])[np.searchsorted([-1, 2, 7], y)]
    expected = gpml(per_class=True).fit(X, y).predict_proba(Q)
    assert np.array_equal(gpml(per_class=True).fit(X, names).predict_proba(Q), expected)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_scale_does_not_matter(blobs, scale):
    X, y, Q = blobs
    expected = gpml(learner=identity()).fit(X, y).predict_proba(Q)
    got = gpml(learner=identity()).fit(scale * X, y).predict_proba(scale * Q)
    assert got == pytest.approx(expected, abs=1e-7)


def test_learns_what_tells():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = (np.abs(X[:, 0]) > 0.7).astype(int)
    Q = rng.normal(size=(200, 5))
    truth = (np.abs(Q[:, 0]) > 0.7).astype(int)
    learned, plain = (gpml(learner=m).fit(X, y).score(Q, truth) for m in ("megm", identity()))
    assert learned > plain + 0.05


def test_errors(blobs, local_metric):
    X, y, _ = blobs
    with pytest.raises(ilk.ParameterError, match="gpml: learner must have a transform"):
        gpml(learner="weighted").fit(X, y)
    with pytest.raises(ilk.InputError, match="gpml: y has 1 class"):
        gpml().fit(X, np.ones(len(X)))
    with pytest.raises(ilk.InputError, match="gpml: the rows of X are all equal"):
        gpml(learner=identity()).fit(np.ones((10, 2)), [0, 1] * 5)
    with pytest.raises(ilk.ParameterError, match="gpml: signal_variance must be finite"):
        gpml(signal_variance=np.inf).fit(X, y)


def test_saved_and_loaded(blobs, tmp_path):
    X, y, Q = blobs
    model = gpml(per_class=True).fit(X, y)
    loaded = ilk.load(ilk.save(model, tmp_path / "gpml.ilk"))
    assert np.array_equal(loaded.predict_proba(Q), model.predict_proba(Q))


@pytest.mark.parametrize(
    "learner",
    ["nca", "rca", "lmnn", "lda", "lfda", "mmc", "mlkr", "whitening", "vsm", "itml", "megm", "pca"],
)
def test_the_unit_of_X_does_not_matter(learner):
    X, y = ilk.dataset("wine").load().Xy
    X, y = ((X - X.mean(axis=0)) / X.std(axis=0))[::3], y[::3]
    seeded = ilk.build({"use": learner}, kind="metric_learner")
    options = {"random_state": 0, "report": False}
    seeded.set_params(**{k: v for k, v in options.items() if k in seeded.parameters})
    first, second = (gpml(learner=seeded).fit(Z, y).predict_proba(Z) for Z in (X, 100 * X))
    assert second == pytest.approx(first, abs=0.02)
    assert (first.argmax(axis=1) == second.argmax(axis=1)).all()
