"""Experiments with regressors, detectors and clusterers, from the file to the report."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN
from sklearn.linear_model import LinearRegression
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

import ilk
from cases import in_one_test
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import plan_experiment, run_experiment, write_report

REGRESSION = """\
[[datasets]]
use = "csv"
path = "plants.csv"
target = "height"
[[datasets]]
use = "friedman"
n = 30
[[pipelines]]
id = "3-NN"
steps = [{ transformer = "standardize" }, { regressor = { use = "knn", k = 3 } }]
[[pipelines]]
id = "1-NN"
steps = [{ regressor = { use = "knn", k = 1 } }]
[evaluation]
resampling = { use = "repeated_kfold", folds = 2, repeats = 2 }
measures = ["rmse", "r2", "fit_seconds"]
comparisons = ["corrected_resampled_t", "robustness"]
"""


def line(n=24, seed=0):
    """Data on a line with a little noise: X, y and cells of a file with decimal commas."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2)).round(3)
    return X, (2 * X[:, 0] + X[:, 1] + 0.01 * rng.normal(size=n)).round(3)


@pytest.fixture
def spec(tmp_path):
    X, y = line()
    rows = (f"{a:.3f};{b:.3f};{c:.3f}".replace(".", ",") for (a, b), c in zip(X, y, strict=True))
    (tmp_path / "plants.csv").write_text("\n".join(["sun;water;height", *rows]) + "\n")
    path = tmp_path / "plants.toml"
    path.write_text(REGRESSION)
    return path


def test_a_study_of_regressors(spec, capsys):
    assert ilk_command(["run", str(spec), "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "target: numbers from" in shown
    assert "note: numbers of the target have decimal commas" in shown
    assert ilk_command(["run", str(spec), "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "repeated_kfold(folds=2, repeats=2, stratify=False)" in shown
    assert "corrected_resampled_t: By the corrected resampled t test" in shown
    store = str(spec.parent / "results" / "plants.sqlite")
    for command in (["results", "info", store], ["results", "verify", store]):
        assert ilk_command(command) == 0
    assert "24 rows, 2 features, numeric target" in capsys.readouterr().out
    page = spec.parent / "page.html"
    assert ilk_command(["report", store, "-o", str(page)]) == 0
    assert "Predicted against true" in page.read_text()
    assert "Confusion" not in page.read_text()
    assert ilk_command(["results", "export", store, "--table", "predictions"]) == 0
    predictions = pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out.split("\n", 1)[1]))
    mine = predictions[(predictions.dataset == "plants") & (predictions.fold == 0)]
    assert mine.truth.tolist() == pytest.approx(line()[1][mine.case].tolist())


def test_scores_are_those_of_a_plain_loop():
    X, y = line()
    design = {"use": "kfold", "folds": 3}
    results = ilk.compare(
        {"line": LinearRegression()}, X, y, resampling=design, measures=["rmse", "r2"]
    )
    data = next(iter(plan_experiment(_experiment(X, y)).datasets)).data
    assert data.task == "regression"
    for cell, prediction in results.predictions():
        train = np.setdiff1d(np.arange(len(y)), prediction.indices)
        model = LinearRegression().fit(X[train], y[train])
        np.testing.assert_allclose(prediction.labels, model.predict(X[prediction.indices]))
        score = results.scores.query(f"fold == {cell.fold} and measure == 'r2'")["value"].item()
        assert score == pytest.approx(model.score(X[prediction.indices], y[prediction.indices]))


def _experiment(X, y):
    from ilk_evaluation.comparing import _Given

    return {
        "datasets": [_Given(data=ilk.Data(X, y, name="line"))],
        "pipelines": [{"id": "a", "steps": [{"regressor": "knn"}]}],
    }


def test_the_usual_measure_and_splits_of_each_kind():
    for steps, measure, name in (
        ([{"classifier": "knn"}], "error", "iris"),
        ([{"regressor": "knn"}], "rmse", "diabetes"),
        ([{"detector": "one_class_svm"}], "roc_auc", "breast_cancer"),
        ([{"clusterer": "dbscan"}], "adjusted_rand", "iris"),
    ):
        plan = plan_experiment({"datasets": [name], "pipelines": [{"id": "a", "steps": steps}]})
        assert [one["use"] for one in plan.design.evaluation["measures"]] == [measure]
        assert plan.design.evaluation["resampling"]["stratify"] is (measure != "rmse")


def broken(X):
    raise ValueError("no such luck")


@pytest.mark.parametrize(
    ("kind", "last", "data", "score"),
    [
        ("regressor", "knn", "diabetes", None),
        ("detector", "one_class_svm", "breast_cancer", 0.5),
        ("clusterer", "dbscan", "iris", 0.0),
    ],
)
def test_a_constant_answers_where_another_predictor_fails(kind, last, data, score):
    steps = {"fails": [broken, {kind: last}], "works": [{kind: last}]}
    results = run_experiment(
        {
            "datasets": [data],
            "pipelines": [{"id": name, "steps": each} for name, each in steps.items()],
            "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
            "run": {"on_error": "fallback"},
        },
        keep_going=True,
    )
    assert results.n_failed == 0
    assert results.table()["n_fallback"].tolist() == [2, 0]
    y = ilk.dataset(data).load().y
    for _, prediction in results.predictions(pipeline="fails"):
        if kind == "regressor":
            mean = np.delete(y, prediction.indices).mean()
            np.testing.assert_allclose(prediction.labels, mean)
        elif kind == "detector":
            assert set(prediction.labels) == {"inlier"}
    scores = results.scores.query("pipeline == 'fails'")["value"]
    assert scores.notna().all()
    assert score is None or scores.tolist() == pytest.approx([score, score])


def changed(*pairs):
    text = REGRESSION
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


KNN = '{ regressor = { use = "knn", k = 1 } }'
MISTAKES = {
    "a mix": (
        changed((KNN, '{ classifier = "knn" }')),
        (
            ":13: pipelines[1].steps: a mix of kinds: this pipeline ends in a classifier, "
            "pipelines[0] in a regressor; no measure scores both, so divide them among two files"
        ),
    ),
    "measure": (
        changed(('"r2"', '"roc_auc"')),
        (
            ":16: evaluation.measures[1]: roc_auc scores classifiers and detectors only; the "
            "pipelines end in a regressor, for which there are: absolute_error, fit_seconds, "
            "predict_seconds, r2, rank_correlation, reduction, rmse, saved_seconds, squared_error"
        ),
    ),
    "comparison": (
        changed(('"robustness"', '"mcnemar"')),
        (
            ":17: evaluation.comparisons[1]: mcnemar compares classifiers and detectors only; the "
            "pipelines end in a regressor, for which there are: bayesian_signed_rank, "
            "corrected_resampled_t, f_5x2, friedman_nemenyi, paired_t_5x2, robustness, wilcoxon"
        ),
    ),
    "stratified": (
        changed(('{ use = "repeated_kfold", folds = 2, repeats = 2 }', '"stratified_kfold"')),
        (
            ":15: evaluation.resampling: stratified_kfold divides cases by their classes, which a "
            "numeric target does not have; take kfold"
        ),
    ),
    "stratify": (
        changed(("repeats = 2", "stratify = true")),
        (
            ":15: evaluation.resampling: repeated_kfold divides cases by their classes, which a "
            "numeric target does not have; set stratify = false"
        ),
    ),
    "outliers": (
        changed(("[evaluation]", '[evaluation]\noutliers = "a"')),
        ":15: evaluation.outliers: is for detectors; the pipelines end in a regressor",
    ),
    "fallback": (
        REGRESSION + '[run]\non_error = "fallback"\nfallback = "nearest_mean"\n',
        (
            ":20: run.fallback: is a classifier, but the pipelines end in a regressor; leave it "
            "out: the answer is then the mean of the training targets"
        ),
    ),
    "classes": (
        changed(('use = "friedman"\nn = 30', 'use = "iris"')),
        (
            ":5: datasets[1]: iris: 150 of 150 targets are no numbers, such as 'setosa'; a "
            "regressor needs numbers, a classifier takes classes"
        ),
    ),
    "numbers": (
        changed(
            (KNN, '{ classifier = "knn" }'),
            ('{ regressor = { use = "knn", k = 3 } }', '{ classifier = "lda" }'),
            ('["rmse", "r2", "fit_seconds"]', '["error"]'),
            ('use = "csv"\npath = "plants.csv"\ntarget = "height"', 'use = "friedman"\nn = 20'),
        ),
        (
            ":1: datasets[0]: friedman: its target is a quantity, no classes; a regressor "
            'predicts it (steps = [..., { regressor = "knn" }])'
        ),
    ),
}


@in_one_test
@pytest.mark.parametrize("case", MISTAKES)
def test_what_does_not_fit_is_refused_before_the_first_fit(spec, capsys, case):
    text, expected = MISTAKES[case]
    spec.write_text(text)
    assert ilk_command(["run", str(spec)]) == 2
    assert f"{spec}{expected}\n" in capsys.readouterr().err
    assert not (spec.parent / "results").exists()


def test_the_task_is_part_of_the_key():
    data = ilk.dataset("friedman", n=20).load()
    whole = ilk.Data(data.X, np.arange(20.0), feature_names=data.feature_names)
    prints = {
        ilk.Data(data.X, np.arange(20.0), feature_names=data.feature_names, task=task).fingerprint
        for task in ("classification", "regression", "clustering")
    }
    assert len(prints) == 3
    assert whole.fingerprint in prints  # as before there were tasks


def test_one_call_answers_leave_one_out():
    X, y = line()
    results = ilk.compare([[{"regressor": "knn"}]], X, y, resampling="leave_one_out")
    assert "leave-one-out without refitting (24 of 24 cells)" in " ".join(results.notes)
    by_hand = ilk.regressor("knn").leave_one_out(X, y)
    got = np.concatenate([prediction.labels for _, prediction in results.predictions()])
    np.testing.assert_array_equal(got, by_hand)


def outliers(seed=0):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(4, 0.5, size=(6, 2))])
    return X, np.array(["ok"] * 40 + ["odd"] * 6)


@pytest.mark.parametrize("train_on", ["inliers", "all"])
def test_detectors_train_on_what_is_said(train_on):
    from ilk_evaluation.comparing import _Given

    X, y = outliers()
    results = run_experiment(
        {
            "datasets": [_Given(data=ilk.Data(X, y, name="parts"))],
            "pipelines": [{"id": "svm", "steps": [OneClassSVM(nu=0.2)]}],
            "evaluation": {
                "resampling": {"use": "stratified_kfold", "folds": 2},
                "measures": ["roc_auc", "precision_at_n", "f1"],
                "train_on": train_on,
            },
        }
    )
    for _, prediction in results.predictions():
        assert prediction.classes.tolist() == ["inlier", "outlier"]
        train = np.setdiff1d(np.arange(len(y)), prediction.indices)
        train = train if train_on == "all" else train[y[train] == "ok"]
        model = OneClassSVM(nu=0.2).fit(X[train])
        queries = X[prediction.indices]
        np.testing.assert_allclose(prediction.scores[:, 1], -model.decision_function(queries))
        assert (prediction.labels == "outlier").tolist() == (model.predict(queries) < 0).tolist()
        assert (prediction.truth == "outlier").tolist() == (y[prediction.indices] == "odd").tolist()


def test_clusterers_group_the_test_cases(tmp_path):
    data = ilk.dataset("iris").load()
    results = ilk.compare(
        {"dbscan": [StandardScaler(), DBSCAN(eps=0.8)]},
        "iris",
        resampling={"use": "kfold", "folds": 2},
        measures=["adjusted_rand", "silhouette"],
    )
    for cell, prediction in results.predictions():
        train = np.setdiff1d(np.arange(150), prediction.indices)
        rows = StandardScaler().fit(data.X[train]).transform(data.X[prediction.indices])
        clusters = DBSCAN(eps=0.8).fit(rows).labels_
        np.testing.assert_array_equal(prediction.labels, clusters)
        inside = clusters >= 0
        score = results.scores.query(f"fold == {cell.fold} and measure == 'silhouette'")["value"]
        expected = silhouette_score(rows[inside], clusters[inside])
        assert score.item() == pytest.approx(expected)
    page = write_report(results, tmp_path / "page.html").read_text()
    assert "Confusion" not in page


FITTED = """\
[[datasets]]
use = "breast_cancer"
[[pipelines]]
id = "a"
steps = [{ transformer = "standardize" }, LAST]
"""


def test_models_of_other_predictors(tmp_path, capsys):
    spec, model = tmp_path / "one.toml", tmp_path / "model.ilk"
    spec.write_text(FITTED.replace("LAST", '{ clusterer = "dbscan" }'))
    assert ilk_command(["fit", str(spec), "-o", str(model)]) == 2
    assert "end in a clusterer, which groups rows at once" in capsys.readouterr().err
    spec.write_text(FITTED.replace("LAST", '{ detector = "one_class_svm" }'))
    assert ilk_command(["fit", str(spec), "-o", str(model)]) == 0
    assert "detectors train on inliers only" in capsys.readouterr().out
    data = ilk.dataset("breast_cancer").load()
    fitted = ilk.load(model)
    means = data.X[data.y == "benign"].mean(axis=0)
    np.testing.assert_allclose(fitted.named_steps["transformer"].mean_, means)


def test_clusterers_of_scikit_learn_stand_in_files(tmp_path):
    path = tmp_path / "clusters.toml"
    path.write_text(
        """
datasets = ["iris"]
[defaults]
steps = [{ transformer = "standardize" }]
[[pipelines]]
id = "ours"
steps = [{ clusterer = { use = "dbscan", eps = 0.8 } }]
[[pipelines]]
id = "theirs"
steps = [{ clusterer = { use = "sklearn", estimator = "DBSCAN", params = { eps = 0.8 } } }]
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""
    )
    table = run_experiment(path).pivot("adjusted_rand")
    assert table["ours"].tolist() == table["theirs"].tolist()
    assert table["ours"].item() > 0.3
