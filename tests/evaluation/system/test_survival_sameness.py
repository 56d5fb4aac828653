"""Whatever the executor and the number of workers: the same results, bit for bit."""

import pytest

from ilk_evaluation import run_experiment

STANDARDIZED = {"transformer": "standardize"}
PIPELINES = {
    "knn": [STANDARDIZED, {"classifier": {"use": "knn", "k": 3}}],
    "rca": [STANDARDIZED, {"metric_learner": "rca"}, {"classifier": "knn"}],
    "lda": [{"classifier": {"use": "sklearn", "estimator": "LinearDiscriminantAnalysis"}}],
    "forest": [
        {
            "classifier": {
                "use": "sklearn",
                "estimator": "RandomForestClassifier",
                "params": {"n_estimators": 5},
            }
        }
    ],
    "mlp": [
        STANDARDIZED,
        {
            "classifier": {
                "use": "sklearn",
                "estimator": "MLPClassifier",
                "params": {"max_iter": 300, "tol": 0.01},
            }
        },
    ],
}


def contents(path):
    """What a store holds of predictions, by key: bytes."""
    import sqlite3

    query = "SELECT key, labels, probabilities, scores, error, warnings FROM cells"
    connection = sqlite3.connect(path)
    rows = {key: rest for key, *rest in connection.execute(query)}
    connection.close()
    return rows


SPEC = {
    "datasets": ["iris", "breast_cancer", {"use": "monks1", "encode": "ordinal"}],
    "pipelines": [{"id": name, "steps": steps} for name, steps in PIPELINES.items()],
    "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 1}},
}


def ran(path, executor):
    results = run_experiment(SPEC, store=path, executor=executor)
    assert list(results.failures["error"]) == []
    return contents(path)


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """What a run without other processes holds."""
    return ran(tmp_path_factory.mktemp("serial") / "x.sqlite", "serial")


def test_the_executor_changes_no_bit(tmp_path, serial):
    assert len(serial) == 30
    assert ran(tmp_path / "x.sqlite", {"use": "loky", "workers": 2}) == serial


def test_tables_and_texts_arrive_as_they_are(tmp_path):
    spec = {
        "datasets": ["tic_tac_toe", "balance_scale"],
        "pipelines": [
            {"id": "h", "steps": [{"classifier": {"use": "knn", "distance": "heterogeneous"}}]}
        ],
        "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
    }
    stores = [tmp_path / "one.sqlite", tmp_path / "two.sqlite"]
    run_experiment(spec, store=stores[0])
    run_experiment(spec, store=stores[1], executor={"use": "loky", "workers": 1})
    assert contents(stores[0]) == contents(stores[1])
