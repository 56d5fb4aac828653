"""Spaces of metric learners before and after learning: points, errors, and why there are none."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import StandardScaler
from sklearn.neighbors import KNeighborsClassifier

import ilk
from ilk_evaluation import figures, plan_experiment, run_experiment
from ilk_evaluation.figures.space_figures import learned_space, space_panels
from ilk_evaluation.report import html_report

pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib")

SCALED = {"transformer": "standardize"}
NEAREST = {"classifier": {"use": "knn", "k": 1}}
PIPELINES = [
    {"id": "lda", "steps": [SCALED, {"metric_learner": "lda"}, NEAREST]},
    {"id": "local", "steps": [{"classifier": {"use": "knn", "metric_learner": "dann"}}]},
    {"id": "plain", "steps": [SCALED, NEAREST]},
]
SPEC = {
    "experiment": {"seed": 4},
    "datasets": ["wine"],
    "pipelines": PIPELINES,
    "evaluation": {"resampling": {"use": "holdout", "test_size": 0.5}},
}


@pytest.fixture(scope="module")
def wine():
    return run_experiment(SPEC)


def test_points_and_errors_are_those_of_scikit_learn(wine):
    plan = plan_experiment(SPEC)
    data, (split,) = plan.datasets[0].data, plan.splits(0)
    train, test = (StandardScaler().fit(data.X[split.train]).transform(data.X[rows]) for rows in
                   (split.train, split.test))  # fmt: skip
    learner = ilk.metric_learner("lda").fit(train, data.y[split.train])
    spaces = {"before": (train, test), "after": tuple(map(learner.transform, (train, test)))}
    space = learned_space(wine, "wine", "lda")
    for name, (known, new) in spaces.items():
        neighbour = KNeighborsClassifier(1).fit(known, data.y[split.train])
        error = np.mean(neighbour.predict(new) != data.y[split.test])
        assert space.errors[name] == pytest.approx(error)
        expected = PCA(2).fit(known).transform(np.vstack([known, new]))
        gaps = [np.linalg.norm(p[:, None] - p, axis=2) for p in (expected, space.points[name])]
        np.testing.assert_allclose(*gaps, atol=1e-8)  # equal but for the signs of the axes
    assert space.n_train == len(split.train)
    assert space.labels.tolist() == [*data.y[split.train], *data.y[split.test]]
    assert np.trace(space.points["before"].T @ space.points["after"]) > 0
    assert space.errors["after"] < space.errors["before"]


def test_pipelines_with_the_step_have_a_figure(wine):
    spec = figures.available(wine)["space"]
    assert spec.places == [("wine", "lda")]
    figure = spec.figure("wine", "lda")
    assert set(figure.data["part"]) == {"training", "test"}
    for panel in space_panels(learned_space(wine, "wine", "lda"), "wine", "lda"):
        assert len(panel.draw().collections) == 6  # of three classes, training and test cases
    before, after = wine.plot("space").child_axes
    labels = [text.get_text() for text in before.get_legend().get_texts()]
    assert labels == ["class_0", "class_1", "class_2"]
    assert after.get_legend() is None
    assert "after: 1-NN error" in after.get_title()


@pytest.mark.usefixtures("plain")
def test_a_page_draws_them_when_asked(wine, monkeypatch):
    asked = html_report(wine, spaces=True)
    space = learned_space(wine, "wine", "lda")
    assert space.text in asked
    assert len([1 for name in ("Before", "After") if f">{name} learning<" in asked]) == 2
    monkeypatch.setattr("ilk_evaluation.report.prediction_sections.MOST_FITTING", 0.0)
    assert "Left out of this page: lda on wine; " in html_report(wine, spaces=True)
    plain = html_report(wine)
    assert "ilk report STORE --spaces" in plain
    assert "Before learning" not in plain
    assert "Learned spaces" not in html_report(wine.filter(pipeline=["plain", "local"]))


def test_a_large_part_is_a_sample(wine, monkeypatch):
    monkeypatch.setattr("ilk_evaluation.figures.space_figures.MOST_FITTED", 40)
    monkeypatch.setattr("ilk_evaluation.figures.space_figures.MOST_DRAWN", 15)
    space = learned_space(wine, "wine", "lda")
    assert (len(space.labels), space.n_train, space.n_test) == (30, 15, 40)
    assert space.note == "30 of 80 cases are drawn. Fitted to 40 of 89 training cases."
    assert len(set(space.labels[:15])) == 3
    assert space_panels(space, "wine", "lda")[1].note == space.note


@pytest.mark.usefixtures("plain")
def test_data_that_are_not_there_as_they_were_have_no_picture(tmp_path, monkeypatch):
    rows = [f"{i % 7},{i * i % 11},{'ab'[i % 2]}" for i in range(40)]
    data, file = tmp_path / "mine.csv", tmp_path / "e.toml"
    data.write_text("\n".join(["x,z,class", *rows]))
    file.write_text(
        '[[datasets]]\nuse = "csv"\npath = "mine.csv"\n[[pipelines]]\nid = "lda"\n'
        'steps = [{ metric_learner = "lda" }, { classifier = "knn" }]\n'
        '[evaluation]\nresampling = { use = "kfold", folds = 2 }\n'
    )
    run_experiment(file)
    file.unlink()  # the store has its text
    monkeypatch.chdir("/")
    results = ilk.results(tmp_path / "results" / "e.sqlite")
    assert "Before learning" in html_report(results, spaces=True)
    data.write_text("\n".join(["x,z,class", *rows[::-1]]))
    page = html_report(results, spaces=True)
    assert "No picture: mine is no longer the data of the run: its content has changed." in page
    data.unlink()
    page = html_report(results, spaces=True)
    assert "No picture: mine cannot be loaded again: " in page
    assert "mine.csv" in page
    with pytest.raises(ilk.InputError, match="cannot be loaded again"):
        results.plot("space")


def test_data_of_this_session_are_at_hand(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 1)), np.arange(40) % 2
    steps = [SCALED, {"editor": "enn"}, {"metric_learner": "whitening"}, NEAREST]
    store = tmp_path / "s.sqlite"
    results = ilk.compare({"w": steps}, X, y, resampling="bootstrap", store=store)
    space = learned_space(results, "data", "w")
    assert space.points["after"].shape == (40 + space.n_test, 2)
    assert space.errors["before"] == space.errors["after"]  # one feature keeps its neighbours
    with pytest.raises(
        ilk.InputError, match="data cannot be loaded again: data were given as objects"
    ):
        learned_space(ilk.results(store), "data", "w")
