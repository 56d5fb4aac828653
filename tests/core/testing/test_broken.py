"""A component on data that is broken in one way is caught, whatever the way."""

from dataclasses import replace

import numpy as np
import pytest

import ilk
from cases import in_one_test


def broken(cls, **changes):
    return type("Broken", (cls,), {"__doc__": cls.__doc__, **changes})


def sound_one(component):
    """Return the class that a broken one was made from."""
    return type(component).__base__


def without_look(self, X, Y=None):
    X = np.asarray(X, dtype=float)
    Y = X if Y is None else np.asarray(Y, dtype=float)
    return np.nan_to_num(np.abs(X[:, None] - Y)).sum(axis=2)


def one_sided(self, X, Y=None):
    X, Y = self.check_pair(X, Y)
    return np.maximum(X[:, None] - Y, 0).sum(axis=2)


def squared(self, X, Y=None):
    return sound_one(self).pairwise(self, X, Y) ** 2


def negative(self, X, Y=None):
    return sound_one(self).pairwise(self, X, Y) - 1


def doubled(self, X, Y=None):
    return sound_one(self).pairwise(self, X, Y).astype(float)


def scribbling(self, X, Y=None):
    D = sound_one(self).pairwise(self, X, Y)
    if isinstance(X, np.ndarray):
        X[0, 0] += 1
    return D


def ties_by_higher_index(self, X, Y, k):
    D = self.pairwise(X, Y)
    rows = D.shape[1] - 1 - np.argsort(D[:, ::-1], axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, rows, axis=1), rows


class Deaf(ilk.Prepared):
    """Does not hear which rows are wanted."""

    def to(self, q, indices=None):
        return super().to(q)


def indefinite(self, X, Y=None):
    return 1 - 2 * sound_one(self).gram(self, X, Y)


def lopsided_gram(self, X, Y=None):
    G = sound_one(self).gram(self, X, Y)
    return G + np.arange(G.shape[1]) * 1e-3


def wrong_gradient(self, X):
    G, gradient = sound_one(self).gram_gradient(self, X)
    return G, 2 * gradient


def unstable_search(self, Q, k):
    D = self._all(Q)
    self.check_k(k, D.shape[1])
    rows = D.shape[1] - 1 - np.argsort(D[:, ::-1], axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, rows, axis=1), rows


def uncounted(self, Q, k):
    result = sound_one(self).kneighbors(self, Q, k)
    self.n_distance_evaluations_ = 0
    return result


def exclusive(self, Q, r):
    return sound_one(self).radius_neighbors(self, Q, np.nextafter(r, -1))


def batch_mean(self, X):
    return sound_one(self).transform(self, X) - np.mean(X, axis=0) + self.mean_


def fit_and_forget_to_return(self, X, y=None):
    sound_one(self).fit(self, X, y)


def twice(self, X):
    return 2 * sound_one(self).transform(self, X) - np.asarray(X, dtype=float)


def by_name(self, X, y):
    sound_one(self).fit(self, X, y)
    self.components_ *= 1 + (str(y[0]) == "yes")
    return self


def code_predicted(self, X):
    return np.searchsorted(self.classes_, sound_one(self).predict(self, X))


def backwards(self, X, y, sample_weight=None, presorted=None):
    sound_one(self).fit(self, X, y, sample_weight)
    self.classes_, self.means_ = self.classes_[::-1], self.means_[::-1]
    return self


def weightless(self, X, y, sample_weight=None, presorted=None):
    return sound_one(self).fit(self, X, y)


def unseeded(self, X, y, sample_weight=None, presorted=None):
    sound_one(self).fit(self, X, y, sample_weight)
    self.means_ = self.means_ + np.random.normal(size=self.means_.shape)  # noqa: NPY002
    return self


CLAIMS = ilk.Capabilities(
    probabilistic=True,
    sample_weight=True,
    presort=True,
    fast_leave_one_out=True,
    one_threshold=True,
    exact_weights=True,
)


def presort_ruins(self, X, y, sample_weight=None, presorted=None):
    return sound_one(self).fit(self, X, y if presorted is None else y[::-1], sample_weight)


def handle_of_others(self, X):
    return sound_one(self).presort(self, X[::-1])


def remembering(self, X, y, sample_weight=None, presorted=None):
    self.seen_ = getattr(self, "seen_", 0) + 1
    if self.seen_ > 1:
        self.again_ = True
    return sound_one(self).fit(self, X, y, sample_weight)


def touching(self, X, y, sample_weight=None, presorted=None):
    sound_one(self).fit(self, X, y, sample_weight)
    self.jitter = 0.5
    return self


def resubstituted(self, X, y):
    return ilk.Prediction(truth=y, labels=1 - y, classes=np.unique(y))


def reversed_proba(self, X):
    return sound_one(self).predict_proba(self, X)[:, ::-1]


def unchecked(self):
    return None


def descending(self, X, y):
    X_kept, y_kept = sound_one(self).fit_resample(self, X, y)
    self.sample_indices_ = self.sample_indices_[::-1]
    return X_kept, y_kept


BROKEN = [
    ("distance", {"pairwise": one_sided}, "check_symmetric"),
    ("distance", {"pairwise": squared}, "check_triangle"),
    ("distance", {"pairwise": negative}, "check_non_negative"),
    ("distance", {"pairwise": negative}, "check_identity"),
    ("distance", {"pairwise": doubled}, "check_dtype_kept"),
    ("distance", {"pairwise": without_look}, "check_nan_refused"),
    ("distance", {"pairwise": without_look}, "check_wrong_width"),
    ("distance", {"pairwise": without_look}, "check_no_rows"),
    ("distance", {"pairwise": scribbling}, "check_input_not_modified"),
    ("distance", {"pairwise": scribbling}, "check_read_only"),
    ("distance", {"kneighbors": ties_by_higher_index}, "check_kneighbors"),
    ("distance", {"kneighbors": ties_by_higher_index}, "check_kneighbors_range"),
    ("distance", {"between": lambda self, x, y: 1.0}, "check_between"),
    ("distance", {"prepare": Deaf}, "check_prepare"),
    ("distance", {"symmetric": False}, "check_metric_is_symmetric"),
    ("distance", {"metric": False}, "check_metric_by_default"),
    ("distance", {"check_parameters": unchecked}, "check_bad_parameters"),
    ("kernel", {"gram": indefinite}, "check_positive_semidefinite"),
    ("kernel", {"gram": lopsided_gram}, "check_gram_symmetric"),
    ("kernel", {"gram_gradient": wrong_gradient}, "check_gram_gradient"),
    ("kernel", {"diagonal": lambda self, X: np.zeros(len(X))}, "check_diagonal"),
    ("index", {"kneighbors": unstable_search}, "check_equals_brute_force"),
    ("index", {"kneighbors": uncounted}, "check_counts_evaluations"),
    ("index", {"radius_neighbors": exclusive}, "check_radius"),
    ("transformer", {"transform": batch_mean}, "check_rows_apart"),
    ("transformer", {"fit": fit_and_forget_to_return}, "check_fit_returns_self"),
    ("transformer", {"capabilities": ilk.Capabilities(stateless=True)}, "check_stateless"),
    (
        "transformer",
        {"get_feature_names_out": lambda self, names=None: ["x"]},
        "check_feature_names_out",
    ),
    ("metric_learner", {"transform": twice}, "check_components"),
    ("metric_learner", {"fit": by_name}, "check_metric_ignores_names"),
    (
        "metric_learner",
        {"metric_matrix_": property(lambda s: s.components_)},
        "check_metric_matrix",
    ),
    ("relevance", {"scores": lambda self, X, y: np.zeros(4)}, "check_relevant_first"),
    ("relevance", {"scores": lambda self, X, y: -np.ones(4)}, "check_scores"),
    ("classifier", {"predict": code_predicted}, "check_label_names"),
    ("classifier", {"fit": backwards}, "check_classes"),
    ("classifier", {"fit": weightless}, "check_weights_repeat"),
    ("classifier", {"fit": weightless}, "check_weights_checked"),
    ("classifier", {"fit": weightless}, "check_weights_absent"),
    ("classifier", {"fit": unseeded}, "check_deterministic"),
    ("classifier", {"fit": presort_ruins}, "check_presort"),
    ("classifier", {"presort": handle_of_others}, "check_presort"),
    (
        "classifier",
        {"capabilities": CLAIMS, "feature_": 0, "threshold_": 0.0, "leaf_weights_": np.eye(2)},
        "check_one_threshold",
    ),
    ("classifier", {"capabilities": CLAIMS, "fit": weightless}, "check_exact_weights"),
    ("classifier", {"fit": remembering}, "check_refit_forgets"),
    ("classifier", {"fit": touching}, "check_parameters_not_modified"),
    ("classifier", {"leave_one_out": resubstituted}, "check_leave_one_out"),
    ("classifier", {"predict_proba": reversed_proba}, "check_learns"),
    ("regressor", {"predict": lambda self, X: np.zeros(len(X))}, "check_constant_target"),
    ("detector", {"predict": lambda self, X: np.ones(len(X))}, "check_inliers"),
    (
        "clusterer",
        {"fit_predict": lambda self, X, y=None: np.zeros(len(X))},
        "check_cluster_labels",
    ),
    ("editor", {"fit_resample": descending}, "check_kept_rows"),
    ("editor", {"reduction_": 0.1}, "check_reduction"),
]


def centring(self, X):
    """Take the mean of the queries away, in the labels only."""
    X = ilk.check_vectors(self, getattr(X, "X", X), reset=False)
    return sound_one(self).predict(self, X - X.mean(axis=0) + self.means_.mean(axis=0))


def spread_of_many(self, X):
    """Divide by the standard deviation of the queries, where there are some."""
    Z = sound_one(self).transform(self, X)
    return Z / Z.std(axis=0) if len(Z) > 9 else Z


def quantile_of_queries(self, X):
    scores = sound_one(self).decision_function(self, X)
    return scores - np.quantile(scores, 0.1)


def mean_of_queries(self, X):
    return sound_one(self).predict(self, X) + np.mean(np.asarray(X, dtype=float))


def share_of_the_largest(self, X, Y=None):
    D = sound_one(self).pairwise(self, X, Y)
    return D / max(D.max(), D.dtype.type(1))


def centred_gram(self, X, Y=None):
    G = sound_one(self).gram(self, X, Y)
    return G - G.mean() / 2


def first_query_for_all(self, Q, k):
    near, rows = sound_one(self).kneighbors(self, Q, k)
    return np.broadcast_to(near[:1], near.shape), np.broadcast_to(rows[:1], rows.shape)


def kept_by_shape(self, X):
    """Answer queries of a shape that was asked before as they were answered then."""
    self.kept_ = getattr(self, "kept_", {})
    return self.kept_.setdefault(np.shape(X), sound_one(self).transform(self, X))


def kept_in_the_class(self, X, y=None):
    sound_one(self).fit(self, X, y)
    type(self).mean_ = self.__dict__.pop("mean_")
    return self


def blended(self, X, y=None):
    """Start from what was learned before."""
    old = getattr(self, "mean_", None)
    sound_one(self).fit(self, X, y)
    self.mean_ = self.mean_ if old is None else (self.mean_ + old) / 2
    return self


def largest_so_far(self, X, Y=None):
    """Divide by the largest value that was ever seen."""
    X, Y = self.check_pair(X, Y)
    self.seen = max(getattr(self, "seen", 0), np.abs(X).max(), np.abs(Y).max())
    return (np.abs(X[:, None] - Y).sum(axis=2) / self.seen).astype(X.dtype)


def sorting(self, X, y, sample_weight=None, presorted=None):
    sound_one(self).fit(self, X, y, sample_weight)
    if isinstance(y, np.ndarray):
        y.sort()
    return self


def weights_scaled_in_place(self, X, y, sample_weight=None, presorted=None):
    sound_one(self).fit(self, X, y, sample_weight)
    if sample_weight is not None:
        sample_weight /= np.sum(sample_weight)
    return self


def queries_shifted_in_place(self, X):
    out = sound_one(self).transform(self, X)
    if isinstance(X, np.ndarray) and X.flags.writeable:
        X -= self.mean_
    return out


def shuffled_in_place(self, X, y):
    result = sound_one(self).fit_resample(self, X, y)
    if isinstance(X, np.ndarray) and X.flags.writeable:
        X[:] = X[::-1]
    return result


def by_appearance(self, X, y, sample_weight=None, presorted=None):
    """Number the classes as they come."""
    sound_one(self).fit(self, X, y, sample_weight)
    first = np.unique(np.asarray(y), return_index=True)[1]
    self.order_ = np.argsort(first)
    return self


def columns_by_appearance(self, X):
    return sound_one(self).predict_proba(self, X)[:, self.order_]


def winners_by_appearance(self, X):
    P = self.predict_proba(getattr(X, "X", X))
    return self.classes_[self.order_][P.argmax(axis=1)]


def wrong_side(self, X):
    P = self.predict_proba(X)
    return P[:, 0] - P[:, 1] if P.shape[1] == 2 else P


def seed_unheard(self, X, y, sample_weight=None, presorted=None):
    seed = None if self.random_state is None else 0
    other = sound_one(self)(jitter=self.jitter, random_state=seed).fit(X, y, sample_weight)
    vars(self).update({name: value for name, value in vars(other).items() if name[-1] == "_"})
    return self


def rarely_one_sided(self, X, Y=None):
    X, Y = self.check_pair(X, Y)
    D = np.abs(X[:, None] - Y).sum(axis=2)
    return np.where(X[:, :1] > Y[:, 0] + 5, D * X.dtype.type(1.01), D)


def slightly_bent(self, X, Y=None):
    return sound_one(self).pairwise(self, X, Y) ** 1.05


def last_column_unseen(self, X, Y=None):
    X, Y = self.check_pair(X, Y)
    return np.abs(X[:, None, :-1] - Y[:, :-1]).sum(axis=2)


def one_too_many(self, Q, k):
    D = self._all(Q)
    self.check_k(k, D.shape[1])
    rows = np.argsort(D, axis=1, kind="stable")[:, min(1, D.shape[1] - k) :][:, :k]
    return np.take_along_axis(D, rows, axis=1), rows


def floats(self, X):
    return sound_one(self).predict(self, X).astype(float)


def numbers(self, X):
    labels = sound_one(self).predict(self, X)
    return labels.astype(float) if labels.dtype.kind == "i" else labels


def single(self, X):
    return sound_one(self).transform(self, X).astype(np.float32)


def shifted_outputs(self, X):
    outputs = ilk.Outputs.by_methods(self, X)
    return replace(outputs, labels=lambda: np.roll(outputs.labels(), 1))


# Wrong in ways that a glance at the answers does not show: leaks between queries, state kept
# between calls, input changed in place, the order of classes, seeds, axioms, counts, types.
SUBTLE = [
    ("classifier", {"predict": centring}, "check_rows_apart"),
    ("transformer", {"transform": spread_of_many}, "check_rows_apart"),
    ("detector", {"decision_function": quantile_of_queries}, "check_rows_apart"),
    ("regressor", {"predict": mean_of_queries}, "check_rows_apart"),
    ("distance", {"pairwise": share_of_the_largest}, "check_rows_apart"),
    ("kernel", {"gram": centred_gram}, "check_rows_apart"),
    ("index", {"kneighbors": first_query_for_all}, "check_rows_apart"),
    ("transformer", {"transform": kept_by_shape}, "check_rows_apart"),
    ("transformer", {"fit": kept_in_the_class}, "check_refit_forgets"),
    ("detector", {"fit": blended}, "check_refit_forgets"),
    ("distance", {"pairwise": largest_so_far}, "check_answer_changes_nothing"),
    ("classifier", {"fit": sorting}, "check_input_not_modified"),
    ("classifier", {"fit": weights_scaled_in_place}, "check_weights_repeat"),
    ("transformer", {"transform": queries_shifted_in_place}, "check_answer_changes_nothing"),
    ("editor", {"fit_resample": shuffled_in_place}, "check_input_not_modified"),
    (
        "classifier",
        {
            "fit": by_appearance,
            "predict_proba": columns_by_appearance,
            "predict": winners_by_appearance,
        },
        "check_probabilities",
    ),
    ("classifier", {"decision_function": wrong_side}, "check_decision_function"),
    ("classifier", {"fit": seed_unheard}, "check_seed_heard"),
    ("classifier", {"outputs": shifted_outputs}, "check_outputs_agree"),
    ("distance", {"pairwise": rarely_one_sided}, "check_symmetric"),
    ("distance", {"pairwise": slightly_bent}, "check_triangle"),
    ("distance", {"pairwise": last_column_unseen}, "check_identity"),
    ("index", {"kneighbors": one_too_many}, "check_equals_brute_force"),
    ("detector", {"predict": floats}, "check_inliers"),
    ("classifier", {"predict": numbers}, "check_classes"),
    ("transformer", {"transform": single}, "check_dtype_kept"),
]


@in_one_test
@pytest.mark.parametrize(("kind", "change", "check"), [*BROKEN, *SUBTLE])
def test_broken_component_is_caught(kind, change, check, sound, failures):
    found = failures(broken(sound[kind], **change), check)
    assert check in {name.partition("#")[0] for name in found}
    assert all("expected" in message or "Error" in message for message in found.values())


def test_messages_say_what_was_expected_and_what_was_got(sound, failures):
    found = failures(broken(sound["distance"], pairwise=negative), "check_non_negative")
    assert found["check_non_negative"].startswith("expected distances >= 0, got -1")


def test_a_distance_that_does_not_look_is_told_what_looks(sound, failures):
    plain = broken(sound["distance"], pairwise=without_look)
    found = failures(plain, "check_nan_refused")
    assert "ilk.check_vectors(self, X) returns X checked" in found["check_nan_refused"]


class Asking(ilk.Classifier):
    """Answers as its member does.

    Examples
    --------
    >>> Asking().kind
    'classifier'
    """

    member: ilk.ClassifierLike = ilk.slot("classifier", default="pipeline", doc="Is asked.")
    random_state: ilk.RandomState = ilk.param(
        default=None,
        type=ilk.Seed,
        doc="Of all that draws in the member.",
    )

    def fit(self, X, y):
        self.member_ = self.seeded_slot("member").fit(X, y)
        self.classes_ = self.member_.classes_
        return self

    def predict(self, X):
        return self.member_.predict(X)


def unseeded_member(self, X, y):
    self.member_ = self.resolve_slot("member").fit(X, y)
    self.classes_ = self.member_.classes_
    return self


def test_a_seed_that_does_not_reach_a_slot_is_caught(failures):
    check = "check_seed_reaches_slots"
    assert failures(Asking, check) == {}
    assert list(failures(broken(Asking, fit=unseeded_member), check)) == [check]


class Thresholds(ilk.Classifier):
    """The second class lies above a share of the way between two means.

    Examples
    --------
    >>> Thresholds().kind
    'classifier'
    """

    share: float = ilk.param(default=0.5, ge=0, le=1, doc="Of the way.")
    late = ("share",)

    @classmethod
    def examples(cls):
        return [cls(), cls(share=0.1)]

    def fit(self, X, y):
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        self.ends_ = [np.asarray(X)[codes == code, 0].mean() for code in (0, 1)]
        return self

    def predict(self, X):
        low, high = self.ends_
        return self.classes_[(np.asarray(X)[:, 0] > low + self.share * (high - low)).astype(int)]


def early(self, X, y):
    Thresholds.fit(self, X, y)
    self.ends_ = [self.ends_[0], self.ends_[0] + 2 * self.share * (self.ends_[1] - self.ends_[0])]
    return self


def predict_expected(self, X):
    if getattr(self, "expected", None) is not X:
        return Thresholds.predict(self, X)
    self.answer = getattr(self, "answer", Thresholds.predict(self, X))
    return self.answer


def expect_for_ever(self, X):
    self.expected = X


@pytest.mark.parametrize(
    "change",
    [{"fit": early, "late": ("share",)}, {"predict": predict_expected, "expect": expect_for_ever}],
)
def test_late_parameters_that_are_early_and_stale_expectations_are_caught(change, failures):
    check = "check_late_parameters"
    assert failures(Thresholds, check) == {}
    assert check in failures(broken(Thresholds, **change), check)
