"""`views = "data"` in a spec: an experiment puts the views of each data set there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import plan_experiment, run_experiment


class Looks(ilk.Classifier):
    """Remembers what it was fitted on, and predicts by the sign of the sum of one view."""

    views: ilk.ViewsLike | None = ilk.param(default=None, type=ilk.Views)
    view: str = ilk.param(default="b")

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        ilk.learn_views(self, X, self.views)
        return self

    def predict(self, X):
        sums = np.asarray(dict(ilk.views_of(self, X))[self.view]).sum(axis=1)
        return self.classes_[(sums > 0).astype(int)]


class TwoViews(ilk.Dataset):
    """Four columns in two views; the labels follow the second."""

    with_views: bool = ilk.param(default=True)

    def load(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 4))
        X -= X.mean(axis=0)
        views = {"a": ("w", "x"), "b": ("y", "z")} if self.with_views else {}
        y = np.where(X[:, 2] / X[:, 2].std() + X[:, 3] / X[:, 3].std() > 0, "p", "n")
        return ilk.Data(X=X, y=y, feature_names=("w", "x", "y", "z"), views=views)


@pytest.fixture(autouse=True)
def _registered():
    ilk.registry("classifier").register("looks", Looks, replace=True)
    ilk.registry("dataset").register("two_views", TwoViews, replace=True)
    yield
    ilk.registry("classifier").unregister("looks")
    ilk.registry("dataset").unregister("two_views")


def spec(steps, dataset="two_views"):
    return {
        "experiment": {"name": "views"},
        "datasets": [dataset if isinstance(dataset, dict) else {"use": dataset}],
        "pipelines": [{"id": "one", "steps": steps}],
        "evaluation": {"resampling": {"use": "kfold", "folds": 3}, "measures": ["error"]},
    }


LAST = {"classifier": {"use": "looks", "views": "data"}}


@pytest.mark.parametrize("before", [[], ["standardize"], ["minmax", "standardize"]])
def test_names_of_columns_reach_the_views(before):
    """Transformers that keep columns may stand before; what they put out keeps its names."""
    steps = [{"transformer": name} for name in before]
    assert _run(spec([*steps, LAST])) < 0.2


def test_steps_that_make_other_columns_are_told_so():
    message = "must name columns of X, got 'w'"
    with pytest.raises(ilk.IlkError, match=message):
        _run(spec([{"transformer": {"use": "pca", "n_components": 3}}, LAST]), on_error="raise")


def test_a_data_set_without_views_is_refused_before_the_first_fit():
    lacking = {"use": "two_views", "with_views": False}
    with pytest.raises(ilk.SpecError, match="views is 'data', but the data set has no views"):
        plan_experiment(spec([LAST], lacking))


def test_views_inside_slots_are_replaced_too():
    inner = {
        "use": "voting",
        "members": [{"use": "looks", "views": "data"}],
        "combiner": "majority",
    }
    assert _run(spec([{"classifier": inner}])) < 0.2


def test_outside_an_experiment_the_word_is_an_error():
    X, y = TwoViews().load().Xy
    with pytest.raises(ilk.ParameterError, match="an experiment replaces"):
        Looks(views="data").fit(X, y)


def test_a_pipeline_keeps_the_names_of_tables():
    data = TwoViews().load()
    frame = pd.DataFrame(data.X, columns=list(data.feature_names), index=np.arange(100, 160))
    views = {"b": ["y", "z"]}
    steps = [{"transformer": "standardize"}, {"classifier": Looks(views=views)}]
    model = ilk.Pipeline(steps).fit(frame, data.y)
    assert model.score(frame[["w", "x", "y", "z"]], data.y) == 1


def _run(given, *, on_error="record"):
    results = run_experiment({**given, "run": {"on_error": on_error}}, listeners=ilk.Listeners())
    return float(results.pivot("error").iloc[0, 0])
