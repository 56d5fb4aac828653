"""Bias and variance: sums that add up, corrections without bias, the protocol, stored results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test
from ilk_evaluation import bias_variance, run_experiment

NAMES = np.array(["a", "b", "c"])


@st.composite
def problems(draw, least=1):
    """Predicted labels of R training sets and n cases, and what is true: labels or odds."""
    R, n = draw(st.integers(least, 7)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    labels = NAMES[rng.integers(3, size=(R, n))]
    if draw(st.booleans()):
        return labels, NAMES[rng.integers(3, size=n)]
    odds = rng.random((n, 3)) ** 3
    return labels, odds / odds.sum(axis=1, keepdims=True)


def expected_loss(labels, y):
    """By its definition: the chance that a prediction is wrong."""
    target = np.eye(3)[np.searchsorted(NAMES, y)] if y.ndim == 1 else y
    right = target[np.arange(len(target)), np.searchsorted(NAMES, labels)]
    return 1 - right.mean(axis=0)


def check_sums(found, loss):
    np.testing.assert_allclose(found.loss, loss, atol=1e-12)
    parts = found.noise_factor * found.noise + found.bias + found.variance_factor * found.variance
    np.testing.assert_allclose(parts, found.loss, atol=1e-12)
    means = found.mean
    assert means.noise + means.bias + means.variance == pytest.approx(means.loss, abs=1e-12)
    table = found.table()
    summed = table[["noise", "bias", "variance"]].sum(axis=1)
    np.testing.assert_allclose(summed, table["loss"], atol=1e-12)


@given(problems(), st.booleans())
def test_kohavi_wolpert_adds_up(problem, unbiased):
    labels, y = problem
    if unbiased and len(labels) == 1:
        return
    found = bias_variance.kohavi_wolpert(labels, y, classes=NAMES, unbiased=unbiased)
    check_sums(found, expected_loss(labels, y))
    assert (found.noise >= 0).all()
    assert (found.variance >= 0).all()
    if not unbiased:
        assert (found.bias >= 0).all()


@given(problems())
def test_domingos_adds_up(problem):
    labels, y = problem
    found = bias_variance.domingos(labels, y, classes=NAMES)
    check_sums(found, expected_loss(labels, y))
    assert set(found.bias) <= {0, 1}
    assert (found.variance_factor[found.bias == 0] == 1).all()
    wrong = (found.bias == 1) & (found.variance > 0)
    assert (found.variance_factor[wrong] <= 0).all()


@given(st.integers(2, 6), st.integers(1, 6), st.integers(0, 99), st.booleans())
def test_squared_loss_adds_up(R, n, seed, unbiased):
    rng = np.random.default_rng(seed)
    outputs, y, noise = rng.normal(size=(R, n)), rng.normal(size=n), rng.random(n)
    found = bias_variance.squared_loss(outputs, y, noise=noise, unbiased=unbiased)
    check_sums(found, ((outputs - y) ** 2).mean(axis=0) + noise)
    np.testing.assert_allclose(found.variance, outputs.var(axis=0, ddof=int(unbiased)))


def test_by_hand():
    labels = np.array([list("aab"), list("abb"), list("acb"), list("acb")])
    found = bias_variance.kohavi_wolpert(labels, list("aaa"), unbiased=False)
    np.testing.assert_allclose(found.bias, [0, (9 + 1 + 4) / 32, 1])
    np.testing.assert_allclose(found.variance, [0, (1 - 6 / 16) / 2, 0])
    np.testing.assert_allclose(found.loss, [0, 3 / 4, 1])
    corrected = bias_variance.kohavi_wolpert(labels, list("aaa"))
    np.testing.assert_allclose(corrected.variance, found.variance * 4 / 3)
    main = bias_variance.domingos(labels, list("aaa"))
    assert main.bias.tolist() == [0, 1, 1]
    assert main.variance.tolist() == [0, 0.5, 0]
    assert main.variance_factor[1] == -0.5  # of predictions other than c, half are right


def test_noise_is_told_from_bias_where_probabilities_are_known():
    F = np.array([[0.7, 0.3, 0.0]])
    best = bias_variance.kohavi_wolpert([["a"], ["a"]], F, classes=NAMES)
    assert best.loss[0] == pytest.approx(0.3)
    assert best.noise[0] == pytest.approx((1 - 0.49 - 0.09) / 2)
    assert best.bias[0] == pytest.approx(0.09)
    assert best.variance[0] == 0
    main = bias_variance.domingos([["a"], ["a"]], F, classes=NAMES)
    assert main.mean == pytest.approx((0.3, 0.3, 0, 0))


@pytest.mark.parametrize("R", [2, 3])
def test_corrected_terms_have_the_right_mean(R):
    """Over all outcomes of R draws from H, weighted by their probabilities."""
    H, F = np.array([0.5, 0.3, 0.2]), np.array([[1.0, 0.0, 0.0]])
    bias = variance = 0.0
    for draw in np.ndindex(*(3,) * R):
        weight = float(np.prod(H[list(draw)]))
        found = bias_variance.kohavi_wolpert(NAMES[list(draw)][:, None], F, classes=NAMES)
        bias += weight * found.bias[0]
        variance += weight * found.variance[0]
    assert bias == pytest.approx(((F[0] - H) ** 2).sum() / 2)
    assert variance == pytest.approx((1 - (H**2).sum()) / 2)


@given(problems(least=2), st.permutations([0, 1, 2]))
def test_names_and_order_do_not_matter(problem, order):
    labels, y = problem
    found = bias_variance.kohavi_wolpert(labels, y, classes=NAMES)
    if y.ndim == 2:
        y = y[:, order]
        again = bias_variance.kohavi_wolpert(labels[::-1], y, classes=NAMES[order])
    else:
        again = bias_variance.kohavi_wolpert(labels[::-1], y)
    for term in ("loss", "noise", "bias", "variance"):
        np.testing.assert_allclose(getattr(again, term), getattr(found, term), atol=1e-12)


@in_one_test
@pytest.mark.parametrize(
    ("labels", "y", "options", "said"),
    [
        (["a"], ["a"], {}, r"labels must have shape \(training sets, cases\), got \(1,\)"),
        ([["a"]], ["a", "b"], {}, r"y must have shape \(1,\), or \(1, classes\), got \(2,\)"),
        ([["a"]], ["a"], {}, "at least 2 predictions of each case"),
        ([["a"], ["z"]], ["a"], {"classes": NAMES}, "labels holds 'z', which is not in classes"),
        ([["a"], ["a"]], ["z"], {"classes": NAMES}, "y holds 'z'"),
        ([["a"], ["a"]], [[1.0, 0.0]], {}, "classes must name the columns of y"),
        ([["a"], ["a"]], [[1.0, 0.0]], {"classes": NAMES}, "a column for each of 3 classes"),
        ([["a"], ["a"]], [[1.0, 0.5, 0.0]], {"classes": NAMES}, "probabilities that sum to 1"),
        ([["a"], ["a"]], [["u", "v", "w"]], {"classes": NAMES}, "y must hold probabilities, got"),
        ([["a"], ["a", "b"]], ["a"], {}, "labels must be an array"),
        ([["a"], [None]], ["a"], {}, r"labels: a label is missing at \(1, 0\)"),
        ([["a", "b"], ["a", np.nan]], ["a", "b"], {}, r"labels: a label is missing at \(1, 1\)"),
        ([["a", "a"], ["a", "a"]], ["a", np.nan], {}, r"y: a label is missing at \(1,\)"),
        ([["a"], [1]], ["a"], {}, "labels: some labels are texts, others are not"),
        ([["a"], ["a"]], ["a"], {"classes": ["a", "a"]}, "classes must be labels, each once"),
        ([["a"], ["a"]], ["a"], {"classes": [["a", "b"]]}, "classes must be labels, each once"),
        ([["a"], ["a"]], ["a"], {"classes": "a"}, "classes must be labels, each once"),
    ],
)
def test_other_input_is_refused(labels, y, options, said):
    with pytest.raises(ilk.InputError, match=f"kohavi_wolpert: .*{said}"):
        bias_variance.kohavi_wolpert(labels, y, **options)


@in_one_test
@pytest.mark.parametrize(
    ("outputs", "y", "options", "said"),
    [
        ([1.0], [1.0], {}, "outputs must have shape"),
        ([[1.0], [2.0]], [1.0, 2.0], {}, r"y must have shape \(1,\)"),
        ([[1.0]], [1.0], {}, "at least 2 training sets"),
        ([["x"]], [1.0], {}, "outputs must be numbers"),
        ([[1.0], [np.inf]], [1.0], {}, "outputs must be finite"),
        ([[1.0], [1.0]], [1.0], {"noise": -1}, "noise must be variances of at least 0"),
    ],
)
def test_other_outputs_are_refused(outputs, y, options, said):
    with pytest.raises(ilk.InputError, match=f"squared_loss: {said}"):
        bias_variance.squared_loss(outputs, y, **options)


def test_the_protocol_by_hand():
    """The same draws, fits and counts, written out."""
    X, y = ilk.dataset("iris").load().Xy
    found = bias_variance.of_pipeline(
        DecisionTreeClassifier(random_state=0),
        (X, y),
        repeats=6,
        train_size=30,
        test_size=50,
        random_state=4,
    )
    rng = np.random.default_rng(4)
    order = rng.permutation(150)
    test, pool = np.sort(order[:50]), order[50:]
    trains = [rng.choice(pool, 30, replace=False) for _ in range(6)]
    labels = [
        DecisionTreeClassifier(random_state=0).fit(X[t], y[t]).predict(X[test]) for t in trains
    ]
    expected = bias_variance.kohavi_wolpert(labels, y[test], classes=np.unique(y))
    np.testing.assert_array_equal(found.cases, test)
    for term in ("loss", "bias", "variance"):
        np.testing.assert_array_equal(getattr(found, term), getattr(expected, term))


def test_the_protocol_gives_the_same_again_whatever_the_jobs():
    run = {"repeats": 8, "random_state": 1}
    forest = ilk.classifier("random_forest", n_members=3)
    first = bias_variance.of_pipeline(forest, "wine", **run)
    again = bias_variance.of_pipeline(forest, "wine", n_jobs=2, **run)
    np.testing.assert_array_equal(first.table(), again.table())
    other = bias_variance.of_pipeline(forest, "wine", repeats=8, random_state=2)
    assert not np.array_equal(first.cases, other.cases)


def test_bagging_takes_variance_from_trees():
    """Cunningham, section 2.5.2: averaging models reduces variance."""
    run = {"repeats": 20, "random_state": 0}
    data = ilk.dataset("waveform", n=300, random_state=2)
    tree = bias_variance.of_pipeline("decision_tree", data, **run).mean
    bag = ilk.classifier("bagging", member="decision_tree", n_members=15)
    bagged = bias_variance.of_pipeline(bag, data, **run).mean
    assert bagged.variance < 0.75 * tree.variance
    assert bagged.loss < tree.loss


def test_regressors_and_known_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1))
    y = X[:, 0] ** 2 + rng.normal(size=200)
    line = bias_variance.of_pipeline(
        LinearRegression(), (X, y), method="squared_loss", random_state=0
    )
    check_sums(line, line.loss)
    assert line.mean.bias > 10 * line.mean.variance
    labels = np.array(["n", "p"])[(rng.random(200) < 0.8).astype(int)]
    F = np.tile([0.2, 0.8], (200, 1))
    for method in ("kohavi_wolpert", "domingos"):
        found = bias_variance.of_pipeline(
            "nearest_mean", (X, labels), method=method, probabilities=F, random_state=0
        )
        check_sums(found, found.loss)
        assert found.mean.noise > 0


@in_one_test
@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"repeats": 1}, ilk.ParameterError, "repeats must be an integer >= 2, got 1"),
        ({"test_size": 150}, ilk.ParameterError, "test_size must be .* leaves some, got 150"),
        ({"test_size": 1.0}, ilk.ParameterError, "test_size must be a share between 0 and 1"),
        ({"train_size": 0.0}, ilk.ParameterError, "train_size must be"),
        ({"train_size": 101}, ilk.ParameterError, "train_size must be .* 100 cases of the pool"),
        ({"method": "domingo"}, ilk.ParameterError, "method .* did you mean 'domingos'"),
        (
            {"probabilities": [[1, 0, 0]]},
            ilk.InputError,
            "probabilities must have a row for each of 150",
        ),
    ],
)
def test_other_options_are_refused(options, error, said):
    with pytest.raises(error, match=f"of_pipeline: {said}"):
        bias_variance.of_pipeline("nearest_mean", "iris", **({"repeats": 2} | options))


@in_one_test
@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        ((np.zeros((9, 2)), [0, 1]), ilk.InputError, "a value for each of 9 cases, got shape .2,."),
        ((np.zeros((2, 2)), None), ilk.InputError, "a value for each of 2 cases, got shape .."),
        (3, ilk.InputTypeError, "data must be a data set, the name of one, or a pair"),
        (([1],), ilk.InputTypeError, "data must be a data set, the name of one, or a pair"),
    ],
)
def test_other_data_is_refused(data, error, said):
    with pytest.raises(error, match=f"of_pipeline: .*{said}"):
        bias_variance.of_pipeline("nearest_mean", data, repeats=2)


def test_a_fit_that_fails_says_which():
    with pytest.raises(ValueError, match="k") as caught:
        bias_variance.of_pipeline(ilk.classifier("knn", k=90), "iris", repeats=2)
    assert caught.value.__notes__ == ["of_pipeline: with training set 0 of 2"]


def test_training_cases_are_no_test_cases():
    results = run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [{"id": "tree", "steps": [{"classifier": "decision_tree"}]}],
            "evaluation": {"resampling": {"use": "bootstrap_632", "repeats": 30}},
        }
    )
    with pytest.raises(ilk.InputError, match="repeat 0 of bootstrap_632 tests the cases it trai"):
        bias_variance.of_results(results)
    found = bias_variance.of_results(results.filter(repeat=range(1, 31)))
    check_sums(found, found.loss)
    assert found.mean.loss > 0


@pytest.fixture(scope="module")
def results():
    return run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [
                {"id": "tree", "steps": [{"classifier": "decision_tree"}]},
                {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
            ],
            "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 3, "repeats": 5}},
        }
    )


def test_stored_predictions_by_their_definition(results):
    y = ilk.dataset("iris").load().y
    labels = np.empty((5, 150), dtype=y.dtype)
    for cell, prediction in results.predictions(pipeline="tree"):
        labels[cell.repeat, prediction.indices] = prediction.labels
    for method in ("kohavi_wolpert", "domingos"):
        found = bias_variance.of_results(results, pipeline="tree", method=method)
        expected = getattr(bias_variance, method)(labels, y)
        for term in ("loss", "bias", "variance", "variance_factor"):
            np.testing.assert_allclose(getattr(found, term), getattr(expected, term), atol=1e-12)
    error = results.score("error").pivot("error").loc["iris", "tree"]
    assert found.mean.loss == pytest.approx(error)


def test_stored_predictions_that_will_not_do(results):
    with pytest.raises(ilk.InputError, match="pipeline must be one of tree, means"):
        bias_variance.of_results(results)
    with pytest.raises(ilk.InputError, match="150 cases were predicted only once"):
        bias_variance.of_results(results.filter(repeat=0, pipeline="means"))
    with pytest.raises(ilk.ParameterError, match="method must be kohavi_wolpert or domingos"):
        bias_variance.of_results(results, pipeline="tree", method="squared_loss")


@given(st.integers(0, 10**6))
def test_more_training_sets_change_the_corrected_variance_little(seed):
    """Its mean does not depend on their number."""
    rng = np.random.default_rng(seed)
    labels = NAMES[rng.choice(3, size=(400, 200), p=[0.6, 0.3, 0.1])]
    y = np.full(200, "a")
    few = np.mean(
        [bias_variance.kohavi_wolpert(labels[i : i + 2], y).mean for i in range(0, 400, 2)], axis=0
    )
    many = bias_variance.kohavi_wolpert(labels, y).mean
    np.testing.assert_allclose(few, many, atol=0.01)
