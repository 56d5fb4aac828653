"""A search for results that are out of bounds, among 20,000 and more of each component.

The functions and tables are those of the test_bounds.py beside the other tests of each
distribution.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

import ilk
from ilk.testing.data import sample

DISTANCES, ENSEMBLES, EVALUATION, LEARNERS = (
    runpy.run_path(str(Path(__file__).parents[1] / part / "test_bounds.py"))
    for part in ("distances", "ensembles", "evaluation", "learners")
)
N = 72  # of each of 16 kinds of rows, a half of which is compared with the other: 20,736 pairs
NARROW = {"emd", "heterogeneous"}  # for which many features take long


@DISTANCES["EVERY"]
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [1, 2, 8, 200])
def test_no_distance_is_out_of_bounds(name, parameters, most, signed, width, dtype):
    if name in NARROW and width > 8:
        pytest.skip("takes long")
    DISTANCES["check_bounds"](name, parameters, most, signed, N, width, dtype)


@DISTANCES["EVERY"]
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [2, 60])
def test_rows_of_all_kinds_beside_each_other(name, parameters, most, signed, width, dtype):
    if name in NARROW and width > 8:
        pytest.skip("takes long")
    DISTANCES["check_bounds"](name, parameters, most, signed, 18, width, dtype, together=True)


@pytest.mark.parametrize("name", ilk.distances())
def test_every_kind_of_object(name):
    DISTANCES["check_objects"](name, 60)


@pytest.mark.parametrize("name", ilk.combiners())
@pytest.mark.parametrize("n_members", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_support_is_out_of_bounds(name, n_members, n_classes, dtype):
    ENSEMBLES["check_support"](name, 20_000, n_members, n_classes, dtype)


@pytest.mark.parametrize("name", ilk.relevances())
def test_no_score_is_out_of_bounds(name):
    for seed in range(300):  # of 7 features, for 4 targets
        LEARNERS["check_scores"](name, 6 + seed % 40, seed)


@pytest.mark.parametrize("seed", range(20))
def test_no_measure_is_out_of_bounds(seed):
    EVALUATION["check_measures"](1000, seed)


def test_nothing_else_of_the_evaluation_is_out_of_bounds():
    EVALUATION["check_632"](20_000)
    EVALUATION["check_theory"](20_000)
    EVALUATION["check_diversity"](20_000)


@pytest.mark.parametrize("name", ilk.classifiers())
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore")  # of few rows, which do not matter here
def test_no_probability_is_out_of_bounds(name, n_classes):
    X, y = sample("vectors", 60, classes=n_classes)
    rng = np.random.default_rng(0)
    sizes = rng.choice([1e-6, 1e-3, 1, 5, 100, 1e6], (20_000, 1))
    Q = X[rng.integers(0, 60, 20_000)] + rng.normal(size=(20_000, 4)) * sizes
    for example in ilk.registry("classifier").get(name).examples():
        if "vectors" not in example.capabilities.inputs or not hasattr(example, "predict_proba"):
            continue
        model = ilk.seeded(example, 0)
        try:
            model.fit(X, y)
        except ilk.IlkError:  # this example takes tables
            continue
        check_probabilities(model, Q)


def check_probabilities(model, Q):
    for queries in (Q, Q.astype(np.float32)):
        P = model.predict_proba(queries)
        assert (P >= 0).all()
        assert (P <= 1).all()
        np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-6)
