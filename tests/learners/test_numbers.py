"""Seeds, counts and rows of every numeric type that numpy has."""

import numpy as np
import pytest

import ilk


@pytest.mark.parametrize(
    "make", [lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)]
)
def test_random_ties_take_every_kind_of_seed(make):
    X, y = [[0.0], [2.0], [0.0], [2.0]], [0, 1, 0, 1]
    answers = [
        ilk.classifier("knn", k=4, ties="random", random_state=make()).fit(X, y).predict([[1.0]])
        for _ in range(2)
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("seed", [-1, 2**32, 2**70])
def test_seeds_beyond_the_range_are_named(seed):
    with pytest.raises(ilk.ParameterError, match=f"knn: random_state must be .*got {seed}"):
        ilk.classifier("knn", ties="random", random_state=seed)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_k_of_any_integer_type(dtype):
    X, y = np.arange(300.0)[:, None], np.arange(300) // 150
    for k in (3, 127):
        small = ilk.classifier("knn", k=dtype(k)).fit(X, y)
        assert small.predict(X).tolist() == ilk.classifier("knn", k=k).fit(X, y).predict(X).tolist()
        kept = ilk.make("editor", "enn", k=dtype(k)).fit_resample(X, y)[0]
        np.testing.assert_array_equal(kept, ilk.make("editor", "enn", k=k).fit_resample(X, y)[0])


def _of_rank_five(offset=0.0, n=80):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    Z = rng.normal(size=(n, 5))
    Z[:, 0] += 3 * y
    return Z @ rng.normal(size=(5, 20)) + offset, y


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["whitening", "rca", "mmc"])
def test_rank_is_that_of_the_numbers_before_rounding(name, dtype, offset):
    X, y = _of_rank_five(offset)
    params = {"random_state": 0} if name == "mmc" else {}
    learner = ilk.metric_learner(name, report=False, **params).fit(X.astype(dtype), y)
    assert learner.rank_ == len(learner.components_) == 5


@pytest.mark.parametrize("name", ["whitening", "rca"])
def test_small_columns_of_float32_are_no_rounding_errors(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * 10.0 ** np.arange(-6, 9, 3)
    learner = ilk.metric_learner(name, report=False).fit(X.astype(np.float32), np.arange(60) % 2)
    assert learner.rank_ == 5


@pytest.mark.parametrize("name", ["lda", "qda"])
def test_rounding_errors_of_float32_do_not_make_a_covariance_regular(name):
    X, y = _of_rank_five()
    with pytest.raises(ilk.InputError, match="singular .*rank 5 of 20"):
        ilk.classifier(name).fit(X.astype(np.float32), y)


@pytest.mark.parametrize("kernel", ["linear", {"use": "polynomial", "degree": 2}])
def test_support_vector_machines_read_float32_far_from_the_origin(kernel):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    single = (rng.normal(size=(60, 3)) + 1.6 * y[:, None] + 1000).astype(np.float32)
    got, expected = (
        ilk.classifier("svm", kernel=kernel).fit(X, y).decision_function(X)
        for X in (single, single.astype(float))
    )
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
