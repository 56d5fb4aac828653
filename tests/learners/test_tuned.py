"""tuned: parameters chosen by inner resampling."""

import math
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import ilk
from cases import in_one_test
from ilk_evaluation import theory
from ilk_learners.classifiers.grid_search import scores
from ilk_learners.neighbors import Nearest
from ilk_learners.svm import gram
from ilk_learners.svm.gram import IndefiniteKernelWarning


def tuned(classifier="knn", grid=None, **parameters):
    parameters = {"random_state": 0, **parameters}
    return ilk.classifier("tuned", classifier=classifier, grid=grid, **parameters)


@pytest.fixture
def rows():
    """Three overlapping classes of unequal size in 4 dimensions."""
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [40, 30, 20])
    X = (
        rng.normal(size=(90, 4))
        + 1.3 * rng.normal(size=(3, 4))[np.unique(y, return_inverse=True)[1]]
    )
    return X, y


class Measure(ilk.Measure):
    """What tests make of a prediction."""

    greater_is_better = False
    seen: list

    def __call__(self, prediction):
        return float(self.of(prediction))


@pytest.fixture
def measure():
    """Register a measure made of a function and declarations."""
    registry = ilk.registry("measure")

    def register(of, **declared):
        cls = type("Made", (Measure,), {"of": staticmethod(of), **declared})
        registry.register("made_for_tests", cls, replace=True)
        return "made_for_tests"

    yield register
    registry.unregister("made_for_tests")


class TestChoice:
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    y = np.array([0, 0, 1, 1, 1, 1])
    folds = {"use": "sklearn", "splitter": "LeaveOneOut"}

    def test_worked(self):
        """Each case left out once, and predicted by a k-NN of the others."""
        model = tuned(grid={"k": [1, 3, 5]}, resampling=self.folds).fit(self.X, self.y)
        expected = []
        for k in (1, 3, 5):
            wrong = 0
            for i in range(6):
                keep = np.arange(6) != i
                knn = ilk.classifier("knn", k=k).fit(self.X[keep], self.y[keep])
                wrong += knn.predict(self.X[[i]])[0] != self.y[i]
            expected.append(wrong / 6)
        assert model.results_["mean"] == pytest.approx(expected)
        assert model.best_index_ == int(np.argmin(expected))
        assert model.best_score_ == min(expected)
        assert model.n_splits_ == 6

    def test_the_first_of_several_as_good(self):
        X, y = np.array([[0.0], [1.0], [9.0], [10.0]] * 3), np.array([0, 0, 1, 1] * 3)
        for ks in ([3, 1], [1, 3]):
            model = tuned(grid={"k": ks}).fit(X, y)
            assert model.results_["mean"].tolist() == [0, 0]
            assert model.best_params_ == {"k": ks[0]}
            assert model.results_["rank"] == [1, 1]

    def test_order_of_combinations(self, rows):
        grid = [{"k": [3, 1], "vote": ["majority", "inverse_distance"]}, {"k": [7]}]
        table = pd.DataFrame(tuned(grid=grid).fit(*rows).results_)
        both = ["majority", "inverse_distance"]
        expected = [{"k": k, "vote": vote} for k in (3, 1) for vote in both]
        assert table["params"].tolist() == [*expected, {"k": 7}]
        assert table["param_k"].tolist() == [3, 3, 1, 1, 7]
        assert table["param_vote"].tolist()[:4] == both * 2
        assert pd.isna(table["param_vote"][4])
        splits = table[[f"split{i}" for i in range(5)]].to_numpy()
        assert table["mean"].to_numpy() == pytest.approx(splits.mean(axis=1))
        assert table["std"].to_numpy() == pytest.approx(splits.std(axis=1, ddof=1))

    def test_greater_is_better(self, rows):
        errors = tuned(grid={"k": [1, 9, 15]}).fit(*rows)
        shares = tuned(grid={"k": [1, 9, 15]}, measure="accuracy").fit(*rows)
        assert shares.best_params_ == errors.best_params_
        assert shares.best_score_ == pytest.approx(1 - errors.best_score_)
        assert shares.results_["rank"] == errors.results_["rank"]

    def test_refitted_on_all_rows(self, rows):
        X, y = rows
        model = tuned(grid={"k": [1, 9]}).fit(X, y)
        alone = ilk.classifier("knn", **model.best_params_).fit(X, y)
        assert model.predict(X + 0.3).tolist() == alone.predict(X + 0.3).tolist()
        assert model.predict_proba(X + 0.3) == pytest.approx(alone.predict_proba(X + 0.3))
        assert model.classes_.tolist() == ["a", "b", "c"]
        assert model.n_features_in_ == 4
        assert model.score(X, y) == alone.score(X, y)

    def test_without_a_grid(self, rows):
        model = tuned("nearest_mean").fit(*rows)
        assert model.best_params_ == {}
        assert 0 < model.best_score_ < 1

    def test_same_seed_same_choice(self, rows):
        X, y = rows
        forest = {"use": "sklearn", "estimator": "RandomForestClassifier"}
        grid = {"params": [{"n_estimators": 3}, {"n_estimators": 5}]}
        one, two = (tuned(forest, grid, random_state=4).fit(X, y) for _ in range(2))
        assert one.results_["split0"].tolist() == two.results_["split0"].tolist()
        assert one.predict(X).tolist() == two.predict(X).tolist()
        assert tuned(forest, grid, random_state=5).fit(X, y).predict(X).tolist()

    @given(st.integers(0, 2**16))
    def test_names_of_classes_do_not_matter(self, seed):
        rng = np.random.default_rng(seed)
        codes = rng.permutation(np.repeat([0, 1, 2], [12, 9, 6]))
        X = rng.normal(size=(27, 2)) + codes[:, None]
        results = []
        for names in (np.array([-1, 0, 1]), np.array(["p", "q", "r"])):
            model = tuned(grid={"k": [1, 3, 7]}).fit(X, names[codes])
            results.append((model.results_["mean"].tolist(), model.best_index_))
            assert set(model.predict(X)) <= set(names)
        assert results[0] == results[1]


class TestAgainstGridSearch:
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_svm(self, seed):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=120)
        X = rng.normal(size=(120, 5)) + 0.8 * y[:, None]
        folds = StratifiedKFold(4, shuffle=True, random_state=seed)
        sigmas, costs = [0.5, 2.0, 5.0], [0.1, 1.0, 10.0, 100.0]
        grid = {"C": costs, "kernel": [{"use": "rbf", "sigma": s} for s in sigmas]}
        ours = tuned({"use": "svm", "tol": 1e-6}, grid, resampling=folds).fit(X, y)
        theirs = GridSearchCV(
            SVC(tol=1e-6), {"C": costs, "gamma": [0.5 / s**2 for s in sigmas]}, cv=folds
        ).fit(X, y)
        assert 1 - ours.results_["mean"] == pytest.approx(theirs.cv_results_["mean_test_score"])
        assert ours.best_index_ == theirs.best_index_
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()

    def test_estimators_of_scikit_learn(self, rows):
        X, y = rows
        folds = StratifiedKFold(3)
        grid = {"n_neighbors": [1, 5, 11], "p": [1, 2]}
        ours = tuned(KNeighborsClassifier(), grid, resampling=folds).fit(X, y)
        theirs = GridSearchCV(KNeighborsClassifier(), grid, cv=folds).fit(X, y)
        assert 1 - ours.results_["mean"] == pytest.approx(theirs.cv_results_["mean_test_score"])
        assert ours.best_params_ == theirs.best_params_
        for i in range(3):
            expected = theirs.cv_results_[f"split{i}_test_score"]
            assert 1 - ours.results_[f"split{i}"] == pytest.approx(expected)

    def test_itself_searched(self, rows):
        search = GridSearchCV(tuned(grid={"k": [1, 5]}), {"classifier__distance": ["manhattan"]})
        assert search.fit(*rows).best_estimator_.classifier_.distance_.p == 1


class TestSpecs:
    osvm = {
        "use": "tuned",
        "classifier": {"use": "svm"},
        "grid": {
            "C": [1, 10, 100, 1000],
            "kernel": [{"use": "rbf", "sigma": s} for s in (0.5, 1, 2)],
        },
        "random_state": 0,
    }

    def test_osvm(self, rows):
        model = ilk.build(self.osvm, kind="classifier").fit(*rows)
        assert len(model.results_["mean"]) == 12
        assert model.best_params_["C"] == model.classifier_.C
        assert model.classifier_.kernel_.sigma_ == model.best_params_["kernel"]["sigma"]
        again = ilk.to_spec(model)
        assert ilk.to_spec(ilk.build(again, kind="classifier")) == again
        assert again["grid"] == self.osvm["grid"]
        assert ilk.resolve(self.osvm, kind="classifier").data["grid"] == self.osvm["grid"]

    def test_grid_of_a_pipeline(self, rows):
        steps = [{"transformer": "standardize"}, {"classifier": "svm"}]
        grid = [
            {"classifier__C": [1, 10], "classifier__kernel": ["linear", "rbf"]},
            {"classifier": [{"use": "knn", "k": 3}], "transformer": ["minmax", {"use": "pca"}]},
        ]
        model = ilk.build(
            {"use": "tuned", "classifier": {"steps": steps}, "grid": grid, "random_state": 0},
            kind="classifier",
        ).fit(*rows)
        assert len(model.results_["mean"]) == 6
        assert model.score(*rows) > 0.5

    @in_one_test
    @pytest.mark.parametrize(
        ("grid", "said"),
        [
            ({"Cc": [1]}, "svm has no parameter 'Cc'; did you mean 'C'?"),
            ({"C": [1, -1]}, "C=-1: svm: C must be a number > 0"),
            ({"kernel__sgma": [1.0]}, "rbf has no parameter 'sgma'; did you mean 'sigma'?"),
            ({"kernel__sigma": [1.0, 0.0]}, "kernel__sigma=0.0: rbf: sigma must be"),
            ({"kernel": ["rbff"]}, "no kernel 'rbff'; did you mean 'rbf'?"),
            ({"kernel": [{"use": "rbf", "sgma": 1}]}, "did you mean 'sigma'?"),
            ({"kernel": ["linear"], "kernel__sigma": [1]}, "linear has no parameter 'sigma'"),
            ({"strategy": ["ovr"]}, "strategy must be 'ova' or 'ovo'"),
            ({"C": 1}, "C must be a list of values, got 1"),
            ({"kernel": "rbf"}, "kernel must be a list of values, got 'rbf'"),
            ({"C": []}, "C must have at least one value"),
            ([], "must have at least one table"),
            ([{"C": [1]}, 3], r"[1] must be a table of lists of values, got 3"),
            ([{"C": [1]}, {"C": 3}], r"[1]: C must be a list"),
            ("C", "must be a table or a list"),
        ],
        ids=str,
    )
    def test_wrong_grids_are_found_before_any_data(self, grid, said):
        spec = {"use": "tuned", "classifier": "svm", "grid": grid}
        with pytest.raises(ilk.SpecError) as caught:
            ilk.resolve(spec, kind="classifier")
        assert said in str(caught.value)
        assert caught.value.problems[0].path == ("grid",)
        with pytest.raises(ilk.ParameterError, match="tuned: grid"):
            tuned("svm", grid)

    def test_every_problem_is_told(self):
        with pytest.raises(ilk.ParameterError, match="C=-1: .*; .*C=-2: "):
            tuned("svm", {"C": [1, -1, -2]})

    @pytest.mark.parametrize("classifier", ["svm", SVC()], ids=["ours", "foreign"])
    def test_a_problem_of_many_combinations_is_told_once(self, classifier):
        with pytest.raises(ilk.ParameterError, match="no parameter 'c'; did you mean") as caught:
            tuned(classifier, {"c": [1, 10, 100], "tol": [0.1, 0.01]})
        assert str(caught.value).count("no parameter") == 1

    def test_wrong_grids_of_other_classifiers(self):
        with pytest.raises(ilk.ParameterError, match="KNeighborsClassifier has no .*'neighbors'"):
            tuned(KNeighborsClassifier(), {"neighbors": [1]})
        with pytest.raises(ilk.ParameterError, match="C=-1"):
            tuned(LogisticRegression(), {"C": [-1]})
        steps = {"use": "pipeline", "steps": [{"classifier": "knn"}]}
        with pytest.raises(ilk.ParameterError, match="no step"):
            tuned(steps, {"clasifier__k": [1]})
        with pytest.raises(ilk.ParameterError, match="did you mean 'knn'"):
            tuned(steps, {"classifier": ["knnn"]})

    def test_a_name_in_a_grid_that_is_of_another_kind(self):
        with pytest.raises(ilk.ParameterError, match="'euclidean' is a distance"):
            tuned("svm", {"kernel": ["euclidean"]})

    def test_values_of_numpy(self, rows):
        model = tuned("svm", {"C": np.logspace(0, 2, 3)}).fit(*rows)
        assert model.results_["param_C"] == [1, 10, 100]
        assert ilk.to_spec(model)["grid"] == {"C": [1, 10, 100]}

    def test_instances_in_a_grid_stay_as_they_are(self, rows):
        kernels = [ilk.kernel("linear"), ilk.kernel("rbf", sigma=2.0)]
        model = tuned("svm", {"kernel": kernels})
        model.fit(*rows)
        assert not hasattr(kernels[1], "sigma_")
        assert clone(model).grid["kernel"][1].sigma == 2.0

    def test_parameters_of_the_classifier(self):
        assert tuned("svm").set_params(classifier__C=3.0).classifier.C == 3.0

    def test_frozen(self, rows):
        knn = ilk.classifier("knn").fit(*rows)
        with pytest.raises(ilk.ParameterError, match="must not be frozen"):
            tuned(ilk.frozen(knn), {"k": [1]})


class TestSharing:
    grid = {
        "C": [0.1, 1.0, 10.0],
        "kernel": ["linear", {"use": "rbf", "sigma": 2.0}, "rbf"],
    }

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_same_as_alone(self, rows, monkeypatch, dtype):
        X, y = rows[0].astype(dtype), rows[1]
        shared = tuned("svm", self.grid).fit(X, y)
        monkeypatch.setattr(gram, "BUDGET", 0)
        alone = tuned("svm", self.grid).fit(X, y)
        for column in ("mean", "std", "split0", "split4"):
            assert shared.results_[column] == pytest.approx(alone.results_[column])
        assert shared.predict(X).tolist() == alone.predict(X).tolist()
        assert not ilk.is_frozen(shared.classifier_.kernel_)

    def test_one_gram_matrix_for_each_split_and_kernel(self, rows, linear_kernel, monkeypatch):
        calls = []
        computed = linear_kernel.gram
        monkeypatch.setattr(
            linear_kernel,
            "gram",
            lambda self, X, Y=None: calls.append(len(X)) or computed(self, X, Y),
        )
        tuned("svm", {"C": [1, 2, 3, 4], "kernel": ["linear_for_tests"]}).fit(*rows)
        assert len(calls) <= 5 * 2 + 1
        with_rest = len(calls)
        monkeypatch.setattr(gram, "BUDGET", 0)
        tuned("svm", {"C": [1, 2, 3, 4], "kernel": ["linear_for_tests"]}).fit(*rows)
        assert len(calls) - with_rest >= 4 * 5 * 2

    def test_texts(self):
        texts = ["aaab", "aaba", "abaa", "baaa", "bbba", "bbab", "babb", "abbb"] * 2
        y = np.array([0, 0, 0, 0, 1, 1, 1, 1] * 2)
        kernels = [{"use": "rbf", "distance": "levenshtein", "sigma": s} for s in (0.5, 1.0)]
        model = tuned("svm", {"C": [1, 10], "kernel": kernels}).fit(texts, y)
        assert model.predict(["aaaa", "bbbb"]).tolist() == [0, 1]

    def test_tables(self):
        rng = np.random.default_rng(0)
        y = np.arange(40) % 2
        table = pd.DataFrame(
            {"x": rng.normal(size=40) + y, "c": pd.Categorical(np.where(y, "u", "v"))}
        )
        kernel = {"use": "substitution", "distance": "heterogeneous"}
        model = tuned("svm", {"C": [1, 10], "kernel": [kernel]}).fit(table, y)
        assert model.score(table, y) == 1
        assert model.feature_names_in_.tolist() == ["x", "c"]

    def test_indefinite_kernels_are_not_shared(self, rows):
        """Each machine says what it says alone."""
        kernel = {"use": "sigmoid", "eta1": 1.0, "eta2": -1.0}
        with pytest.warns(IndefiniteKernelWarning, match="the kernel sigmoid is not"):
            tuned("svm", {"C": [1, 10], "kernel": [kernel]}).fit(*rows)

    def test_tuned_kernels(self, rows, monkeypatch):
        grid = {"kernel_tuning": ["none", "alignment"], "C": [1, 10]}
        shared = tuned({"use": "svm", "kernel": {"use": "rbf", "sigma": 20.0}}, grid).fit(*rows)
        monkeypatch.setattr(gram, "BUDGET", 0)
        alone = tuned({"use": "svm", "kernel": {"use": "rbf", "sigma": 20.0}}, grid).fit(*rows)
        assert shared.results_["mean"] == pytest.approx(alone.results_["mean"])
        assert len(set(shared.results_["mean"])) > 1


class TestMeasures:
    def test_it_sees_aligned_probabilities(self, rows, measure):
        seen = []
        of = lambda p: seen.append(p) or np.mean(p.probabilities[:, 0])  # noqa: E731
        name = measure(of, needs="probabilities")
        tuned(grid={"k": [3]}, measure=name).fit(*rows)
        assert len(seen) == 5
        for prediction in seen:
            assert prediction.probabilities.shape == (len(prediction), 3)
            assert prediction.probabilities.sum(axis=1) == pytest.approx(1)
            assert prediction.classes.tolist() == ["a", "b", "c"]
            assert (rows[1][prediction.indices] == prediction.truth).all()

    def test_decision_values_where_there_are_no_probabilities(self, rows, measure):
        seen = []
        name = measure(lambda p: seen.append(p.scores) or 0.0, needs="scores")
        X, y = rows
        tuned({"use": "sklearn", "estimator": "RidgeClassifier"}, measure=name).fit(X, y)
        assert all(scores.shape[1] == 3 for scores in seen)
        two = y != "c"
        tuned({"use": "sklearn", "estimator": "RidgeClassifier"}, measure=name).fit(X[two], y[two])
        assert (seen[-1][:, 0] == -seen[-1][:, 1]).all()

    def test_pooled(self, rows, measure):
        """One value for each repeat, of all its test rows."""
        counts = []
        name = measure(lambda p: counts.append(len(p)) or np.mean(p.truth != p.labels), pooled=True)
        scheme = {"use": "repeated_kfold", "folds": 3, "repeats": 2}
        model = tuned(grid={"k": [1, 5]}, measure=name, resampling=scheme).fit(*rows)
        assert counts == [90] * 4
        assert model.n_splits_ == 6
        assert model.results_["mean"] == pytest.approx(
            (model.results_["repeat0"] + model.results_["repeat1"]) / 2
        )

    def test_seconds(self, rows, measure):
        name = measure(lambda p: p.fit_seconds + p.predict_seconds, needs="seconds")
        assert tuned("svm", {"C": [1, 2]}, measure=name).fit(*rows).best_score_ > 0
        assert tuned("svm", {"C": [1, 2]}, measure="fit_seconds").fit(*rows).best_score_ > 0

    def test_undefined_on_a_split_for_all(self, rows, measure):
        """The split is left out, and that is said."""
        first = []

        def of(p):
            first.append(p.indices[0])
            return math.nan if p.indices[0] == first[0] else np.mean(p.truth != p.labels)

        scheme = StratifiedKFold(4)
        with pytest.warns(UndefinedMetricWarning, match="on 1 splits for every candidate"):
            model = tuned(grid={"k": [1, 5]}, measure=measure(of), resampling=scheme).fit(*rows)
        rest = [model.results_[f"split{i}"] for i in (1, 2, 3)]
        assert model.results_["mean"] == pytest.approx(np.mean(rest, axis=0))

    def test_undefined_for_one_candidate(self, rows, measure):
        calls = []

        def of(p):
            calls.append(p)
            return math.nan if len(calls) == 3 else 0.0

        with pytest.warns(UndefinedMetricWarning, match="for 1 candidates on others"):
            model = tuned(grid={"k": [1, 5]}, measure=measure(of)).fit(*rows)
        assert model.best_params_ == {"k": 5}
        assert math.isnan(model.results_["mean"][0])
        assert model.results_["rank"] == [None, 1]

    def test_infinite_scores_have_no_spread(self, rows, measure):
        name = measure(lambda p: math.inf if len(p.labels) else 0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = tuned(grid={"k": [1, 5]}, measure=name).fit(*rows)
        assert model.best_params_ == {"k": 1}
        assert np.isinf(model.results_["mean"]).all()
        assert np.isnan(model.results_["std"]).all()

    def test_undefined_for_all(self, rows, measure):
        with (
            pytest.warns(UndefinedMetricWarning),
            pytest.raises(ilk.InputError, match="undefined .NaN. for every candidate"),
        ):
            tuned(grid={"k": [1]}, measure=measure(lambda _: math.nan)).fit(*rows)

    def test_rejected_rows_are_not_answered(self, measure):
        seen = []
        name = measure(lambda p: seen.append(p.rejected.sum()) or 0.0)
        X = np.array([[0.0], [0.1], [1.0], [1.1], [0.5], [0.6]])
        knn = {"use": "knn", "k": 2, "ties": "reject"}
        tuned(knn, measure=name, resampling={"use": "kfold", "folds": 3}).fit(X, [0, 0, 1, 1, 0, 1])
        assert sum(seen) > 0


class Fragile(ilk.Classifier):
    """Fails on demand, and where row 0 is among the training rows."""

    how: str = ilk.param(default="never")

    def fit(self, X, y):
        if self.how == "always" or (self.how == "sometimes" and len(X) < 90 and X[0, 0] == 7.0):
            raise ArithmeticError("broken")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.how == "strange":
            return np.repeat("strange", len(X))
        return np.repeat(self.classes_[0], len(X))


class TestFailures:
    @pytest.fixture
    def fragile(self, rows):
        X, y = rows
        X[0, 0] = 7.0
        return X, y

    def test_the_candidate_and_the_split_are_named(self, fragile):
        model = tuned(Fragile(), {"how": ["never", "sometimes"]}, resampling=StratifiedKFold(3))
        with pytest.raises(
            ilk.InputError,
            match=r"tuned: candidate 1 \(how='sometimes'\) failed on split 1: ArithmeticError: bro",
        ) as caught:
            model.fit(*fragile)
        assert isinstance(caught.value.__cause__, ArithmeticError)

    def test_skipped(self, fragile):
        grid = {"how": ["always", "sometimes", "never"]}
        model = tuned(Fragile(), grid, resampling=StratifiedKFold(3), on_error="skip")
        with pytest.warns(FitFailedWarning, match=r"2 of 3 candidates failed .* \(how='always'\)"):
            model.fit(*fragile)
        assert model.n_failed_ == 2
        assert model.best_params_ == {"how": "never"}
        assert model.results_["error"][1] == "split 1: ArithmeticError: broken"
        assert model.results_["rank"] == [None, None, 1]

    def test_none_is_left(self, fragile):
        model = tuned(Fragile(), {"how": ["always"]}, on_error="skip")
        with pytest.raises(ilk.InputError, match="every candidate failed, as candidate 0"):
            model.fit(*fragile)

    def test_strange_labels(self, rows):
        with pytest.raises(ilk.InputError, match="the label 'strange', which is none of"):
            tuned(Fragile(how="strange")).fit(*rows)

    def test_wrong_data_are_no_fault_of_a_split(self, rows):
        X, y = rows
        X[70, 2] = np.nan
        with pytest.raises(ilk.InputError, match=r"^tuned: svm: X has NaN at row 70, column 2"):
            tuned("svm", {"C": [1]}).fit(X, y)

    def test_a_candidate_that_no_rows_suit_is_named(self, rows):
        for grid, who in (({"k": [1, 91]}, r"candidate 1 \(k=91\): "), ({"k": [91, 1]}, "")):
            with pytest.raises(ilk.InputError, match=f"^tuned: {who}knn: k must be at most 90"):
                tuned("knn", grid).fit(*rows)

    def test_one_class(self, rows):
        with pytest.raises(ilk.InputError, match="tuned: y has 1 class"):
            tuned().fit(rows[0], np.repeat("a", 90))

    def test_rows_that_cannot_be_divided(self, rows):
        with pytest.raises(ilk.InputError, match="tuned: resampling: stratified_kfold: class 'c'"):
            tuned(resampling={"use": "stratified_kfold", "folds": 21}).fit(*rows)
        with pytest.raises(ilk.InputError, match="tuned: resampling: .*groups"):
            tuned(resampling=GroupKFold(2)).fit(*rows)


class TestFolds:
    def test_as_many_as_the_smallest_class_allows(self, rows):
        X, y = rows
        for size, folds in ((20, 5), (3, 3), (2, 2), (1, 5)):
            keep = np.r_[0:70, 70 : 70 + size]
            assert tuned(grid={"k": [1]}).fit(X[keep], y[keep]).n_splits_ == folds

    def test_a_class_of_one_row_is_missing_from_a_fold(self, rows, measure):
        X, y = rows[0][:71], rows[1][:71]
        seen = []
        name = measure(lambda p: seen.append(p) or 0.0, needs="probabilities")
        model = tuned(grid={"k": [3]}, measure=name).fit(X, y)
        missing = next(p for p in seen if "c" in p.truth)
        assert (missing.probabilities[:, 2] == 0).all()
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_training_rows_of_one_class(self):
        """Two rows: each fold knows one class, and is wrong about the other."""
        for classifier in ({"use": "knn", "k": 1}, "svm"):
            model = tuned(classifier).fit([[0.0], [1.0]], ["u", "v"])
            assert model.best_score_ == 1
            assert model.predict([[0.1], [0.9]]).tolist() == ["u", "v"]

    def test_splitters_of_scikit_learn(self, rows):
        drawn = ShuffleSplit(4, test_size=0.3)
        one, two = (tuned(grid={"k": [1, 5]}, resampling=drawn).fit(*rows) for _ in range(2))
        assert one.results_["mean"].tolist() == two.results_["mean"].tolist()
        assert drawn.random_state is None
        assert one.n_splits_ == 4

    @in_one_test
    @pytest.mark.parametrize(
        "labels", [["n", "y"], [-1, 1], [False, True], [0, 5], [1.0, 2.0]], ids=str
    )
    def test_labels(self, labels):
        rng = np.random.default_rng(1)
        codes = np.arange(30) % 2
        X = rng.normal(size=(30, 2)) + 4 * codes[:, None]
        model = tuned("svm", {"C": [1, 10]}).fit(X, np.array(labels)[codes])
        assert model.classes_.tolist() == labels
        assert model.score(X, np.array(labels)[codes]) == 1


class TestWeights:
    def test_rows_of_weight_0_take_no_part(self, rows):
        X, y = rows
        weights = np.r_[np.ones(60), np.zeros(30)]
        weighted = tuned("svm", {"C": [1, 10]}).fit(X, y, sample_weight=weights)
        kept = tuned("svm", {"C": [1, 10]}).fit(X[:60], y[:60])
        assert weighted.classes_.tolist() == ["a", "b"]
        assert weighted.results_["mean"].tolist() == kept.results_["mean"].tolist()

    def test_weights_reach_inside(self, rows):
        X, y = rows
        rng = np.random.default_rng(0)
        weights = rng.integers(1, 9, size=90).astype(float)
        folds = StratifiedKFold(3)
        model = tuned(LogisticRegression(), {"C": [0.1, 1.0]}, resampling=folds)
        model.fit(X, y, sample_weight=weights)
        train, test = next(iter(folds.split(X, y)))
        alone = LogisticRegression(C=0.1).fit(X[train], y[train], sample_weight=weights[train])
        assert model.results_["split0"][0] == pytest.approx(1 - alone.score(X[test], y[test]))

    def test_refused_where_they_would_be_ignored(self, rows):
        with pytest.raises(ilk.InputError, match="sample_weight is given, but nearest_mean"):
            tuned("nearest_mean").fit(*rows, sample_weight=np.ones(90))


def test_no_warning_is_made_up(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuned("svm", {"C": [1, 1000]}).fit(*rows)


def test_choice_of_a_bootstrap_is_its_own(rows, monkeypatch):
    """The estimate of a resampling is used where it has one."""
    scheme = ilk.resampling("kfold", folds=3)
    monkeypatch.setattr(type(scheme), "estimate", lambda self, scores: max(scores))
    model = tuned(grid={"k": [1, 5]}, resampling=scheme).fit(*rows)
    splits = [model.results_[f"split{i}"] for i in range(3)]
    assert model.results_["mean"] == pytest.approx(np.max(splits, axis=0))


def test_components_in_a_grid_are_written_to_a_spec():
    grid = {"kernel": ["linear", ilk.kernel("rbf", sigma=2.0)]}
    spec = ilk.to_spec(ilk.classifier("tuned", classifier="svm", grid=grid))
    assert spec["grid"] == {"kernel": ["linear", {"use": "rbf", "sigma": 2.0}]}
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec


class TestCriterion:
    """Penalised training errors, beside ilk's theory and statsmodels."""

    def columns(self, *counts):
        return [list(range(count)) for count in counts]

    def noisy(self, n=150):
        """Two of five features tell two classes apart."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 5))
        return X, (X[:, 0] - X[:, 1] + rng.normal(size=n) > 0).astype(int)

    def of_columns(self, criterion, **parameters):
        template = ilk.Pipeline(
            [{"transformer": "select"}, {"classifier": {"use": "logistic", "penalty": None}}]
        )
        grid = {"transformer__columns": self.columns(1, 2, 3, 5)}
        return tuned(template, grid, criterion=criterion, **parameters)

    @pytest.mark.parametrize("criterion", ["aic", "bic"])
    def test_is_that_of_the_theory_and_of_statsmodels(self, criterion):
        api = pytest.importorskip("statsmodels.api")
        X, y = self.noisy()
        model = self.of_columns(criterion).fit(X, y)
        found = model.results_
        formula = {"aic": theory.aic, "bic": partial(theory.bic, n=150)}[criterion]
        expected = formula(found["log_likelihood"], found["n_parameters"])
        np.testing.assert_allclose(found["mean"], expected)
        theirs = [
            getattr(api.Logit(y, api.add_constant(X[:, :p])).fit(disp=0), criterion)
            for p in (1, 2, 3, 5)
        ]
        np.testing.assert_allclose(found["mean"], theirs, rtol=1e-6)
        assert model.best_index_ == 1
        assert found["n_parameters"] == [2, 3, 4, 6]

    def test_structural_risk_is_that_of_the_theory(self):
        X = np.random.default_rng(0).normal(size=(400, 2))
        y = (X**2).sum(axis=1) > 1.4
        svm = ilk.classifier("svm", kernel=ilk.kernel("polynomial"), C=100.0)
        model = tuned(svm, {"kernel__degree": [1, 2, 3]}, criterion="srm").fit(X, y)
        machines = [clone(svm).set_params(kernel__degree=q) for q in (1, 2, 3)]
        expected = theory.srm(machines, X, y, capacity=[3, 6, 10]).table
        np.testing.assert_allclose(model.results_["mean"], expected["bound"])
        np.testing.assert_allclose(model.results_["training_error"], expected["empirical_risk"])
        assert model.best_params_ == {"kernel__degree": 2}
        assert np.array_equal(model.predict(X), machines[1].fit(X, y).predict(X))

    def test_a_case_of_weight_two_counts_as_two(self):
        X, y = self.noisy(60)
        weights = np.arange(60) % 3
        rows = np.repeat(np.arange(60), weights)
        weighted = self.of_columns("bic").fit(X, y, sample_weight=weights).results_["mean"]
        repeated = self.of_columns("bic").fit(X[rows], y[rows]).results_["mean"]
        np.testing.assert_allclose(weighted, repeated, rtol=1e-6)

    @pytest.mark.parametrize(
        ("model", "attribute", "n_classes", "expected"),
        [
            ("logistic", "n_parameters_", 3, 2 * 5),
            ({"use": "mlp", "hidden": 3, "max_iter": 5}, "n_parameters_", 2, 4 * 3 + 3 + 3 + 1),
            ({"use": "mlp", "hidden": 3, "max_iter": 5}, "n_parameters_", 3, 4 * 3 + 3 + 2 * 4),
            ({"use": "rbf_network", "n_centers": 4}, "n_parameters_", 3, 2 * 5),
            ("logistic", "vc_dimension_", 2, 5),
            ("lda", "vc_dimension_", 2, 5),
            ("qda", "vc_dimension_", 2, 15),
            ({"use": "svm", "kernel": "linear"}, "vc_dimension_", 2, 5),
            ({"use": "svm", "kernel": {"use": "polynomial", "degree": 2}}, "vc_dimension_", 2, 15),
            ({"use": "svm", "kernel": "rbf"}, "vc_dimension_", 2, None),
        ],
    )
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_sizes_of_classifiers(self, model, attribute, n_classes, expected):
        X, y = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % n_classes
        built = ilk.build(model if isinstance(model, dict) else {"use": model}, kind="classifier")
        assert getattr(built.fit(X, y), attribute) == expected

    @pytest.mark.parametrize(
        ("classifier", "parameters", "message"),
        [
            ("knn", {"criterion": "aic"}, "'aic' needs n_parameters_ .* knn does not have"),
            ("svm", {"criterion": "srm"}, "'srm' needs vc_dimension_ .* svm does not have"),
            (
                "logistic",
                {"criterion": "bic", "resampling": "kfold"},
                "tuned: resampling must be None with criterion='bic'",
            ),
        ],
    )
    def test_refuses(self, classifier, parameters, message):
        X, y = self.noisy(40)
        with pytest.raises((ilk.InputError, ilk.ParameterError), match=message):
            tuned(classifier, None, **parameters).fit(X, y)

    def test_structural_risk_is_of_two_classes(self, rows):
        with pytest.raises(ilk.InputError, match="criterion='srm' is for two classes, y has 3"):
            tuned("lda", None, criterion="srm").fit(*rows)

    def test_skips_what_cannot_be_fitted(self, rows):
        X, y = rows
        grid = {"transformer__columns": [["x9"], [0, 1]]}
        template = self.of_columns("aic").classifier
        model = tuned(template, grid, criterion="aic", on_error="skip")
        with pytest.warns(FitFailedWarning, match="all rows"):
            model.fit(X, y)
        assert (model.best_index_, model.n_failed_) == (1, 1)
        with pytest.raises(ilk.InputError, match="x9"):
            tuned(template, grid, criterion="aic").fit(X, y)


class Counted(ilk.Transformer):
    """Adds noise by its random state, and counts its fits."""

    scale: float = ilk.param(default=3.0, gt=0)
    random_state: ilk.RandomState = ilk.param(default=None, type=ilk.Seed)
    fits = 0

    def fit(self, X, y=None):
        Counted.fits += 1
        self.noise_ = np.random.default_rng(self.random_state).normal(size=X.shape[1])
        return self

    def transform(self, X):
        X *= self.scale  # of a copy, each time
        return X + self.noise_


class TestSharedFits:
    grids = (
        {"classifier__k": [1, 7, 3]},
        {"transformer2__n_components": [2, 3], "classifier__k": [1, 5]},
        {"classifier": ["lda", {"use": "knn", "k": 2, "vote": "gaussian"}, "knn"]},
    )

    @pytest.fixture(autouse=True)
    def registered(self):
        ilk.registry("transformer").register("t_counted", Counted)
        yield
        ilk.registry("transformer").unregister("t_counted")

    @staticmethod
    def searched(rows, grid):
        steps = [
            {"transformer": "t_counted"},
            {"transformer": {"use": "pca", "n_components": 2}},
            {"classifier": "knn"},
        ]
        Counted.fits = 0
        halves = {"use": "stratified_kfold", "folds": 2}
        classifier = {"use": "pipeline", "steps": steps}
        model = tuned(classifier, grid, resampling=halves, measure="log_loss").fit(*rows)
        return repr({**model.results_, "best": model.predict_proba(rows[0].copy()).tobytes()})

    @pytest.mark.parametrize("grid", grids, ids=str)
    def test_equal_first_steps_are_fitted_once_with_the_same_results(self, rows, grid, monkeypatch):
        found = self.searched(rows, grid)
        splits, refit = 2, 1
        assert Counted.fits == splits + refit
        monkeypatch.setattr(scores, "_texts", lambda *_: None)
        assert self.searched(rows, grid) == found
        assert Counted.fits > splits + refit

    def test_knn_searches_once_for_all_k(self, rows, monkeypatch):
        asked, search = [], Nearest._nearest
        monkeypatch.setattr(
            Nearest, "_nearest", lambda self, X, k: (asked.append(k), search(self, X, k))[1]
        )
        halves = {"use": "stratified_kfold", "folds": 2}
        tuned(grid={"k": [1, 3, 9, 5]}, resampling=halves).fit(*rows)
        assert asked == [9, 9]
