"""mlp."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import ilk


def mlp(**parameters):
    return ilk.classifier("mlp", **{"random_state": 0, **parameters})


def test_exclusive_or():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False]
    model = mlp(hidden=8, solver="lbfgs", random_state=1).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.loss_ < 0.05


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            {"hidden": 5, "solver": "lbfgs", "alpha": 0.1},
            {"hidden_layer_sizes": 5, "solver": "lbfgs", "alpha": 0.1},
        ),
        (
            {"hidden": [6, 4], "activation": "tanh", "learning_rate": 0.05, "batch_size": 30},
            {
                "hidden_layer_sizes": (6, 4),
                "activation": "tanh",
                "learning_rate_init": 0.05,
                "batch_size": 30,
            },
        ),
        (
            {"solver": "sgd", "early_stopping": True, "tol": 1e-2},
            {"solver": "sgd", "early_stopping": True, "tol": 1e-2},
        ),
    ],
    ids=["lbfgs", "adam", "sgd"],
)
def test_agrees_with_scikit_learn(blobs, ours, theirs):
    X, y, Q = blobs
    expected = MLPClassifier(**theirs, random_state=np.random.RandomState(0)).fit(
        X, np.searchsorted([-1, 2, 7], y)
    )
    model = mlp(**ours).fit(X, y)
    assert np.allclose(model.predict_proba(Q), expected.predict_proba(Q), atol=1e-7)
    assert model.predict(Q).tolist() == np.array([-1, 2, 7])[expected.predict(Q)].tolist()
    assert model.n_iter_ == expected.n_iter_


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_says_that_it_has_not_converged(blobs, solver):
    with pytest.warns(ConvergenceWarning, match="mlp: not converged .max_iter=3.; ") as got:
        mlp(hidden=4, solver=solver, max_iter=3).fit(*blobs[:2])
    assert len(got) == 1


def test_class_too_small_to_hold_out_is_named(blobs):
    X, y, _ = blobs
    with pytest.raises(ilk.InputError, match="mlp: The least populated class"):
        mlp(early_stopping=True).fit(X, np.arange(len(y)) == 0)


def test_needs_a_layer():
    with pytest.raises(ilk.ParameterError, match="mlp: hidden must name at least one layer"):
        mlp(hidden=[]).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ilk.ParameterError, match="mlp: hidden"):
        mlp(hidden=[3, 0]).fit([[0.0], [1.0]], [0, 1])


def test_one_class_is_an_error():
    with pytest.raises(ilk.InputError, match="mlp: y has 1 class"):
        mlp().fit([[0.0], [1.0]], ["a", "a"])
