"""Components that experiments are made of: the sound pass, the broken are caught."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import binomtest

import ilk
from cases import in_one_test
from ilk.plotting import new_axes


class Average(ilk.Combiner):
    """The mean of the members.

    Examples
    --------
    >>> Average().combine([[[0.2, 0.8]], [[0.4, 0.6]]])
    array([[0.3, 0.7]])
    """

    def combine(self, outputs, X=None):
        return ilk.check_outputs(self, outputs).mean(axis=0)


class Line(ilk.Dataset):
    """Ten numbers, the first five of one class.

    Examples
    --------
    >>> len(Line().load())
    10
    """

    def load(self):
        X = np.arange(10.0)[:, None]
        return ilk.Data(X, np.array(["low", "high"])[(X[:, 0] > 4).astype(int)], "line", ("x",))


class Flip(ilk.Resampling):
    """Two random halves, each tested once.

    Examples
    --------
    >>> len(list(Flip().splits([[1], [2]], [0, 1])))
    2
    """

    def splits(self, X, y, groups=None, random_state=None):
        n = ilk.n_rows(X)
        if n < 2:
            raise ilk.InputError(f"{ilk.display_name(self)}: at least 2 rows are needed, got {n}")
        if groups is not None:
            raise ilk.InputError(f"{ilk.display_name(self)}: groups would be divided")
        order = np.random.default_rng(random_state).permutation(n)
        yield ilk.Split(order[: n // 2], order[n // 2 :], fold=0)
        yield ilk.Split(order[n // 2 :], order[: n // 2], fold=1)


class Share(ilk.Measure):
    """Share of the answered cases that are right.

    Examples
    --------
    >>> Share().greater_is_better
    True
    """

    greater_is_better = True

    def __call__(self, prediction):
        right = (prediction.truth == prediction.labels)[prediction.answered]
        return float(right.mean()) if len(right) else float("nan")


class Signs(ilk.Comparison):
    """A sign test of the first pipeline, by name, against the last.

    Examples
    --------
    >>> Signs().kind
    'comparison'
    """

    def compare(self, results):
        matrix = results.matrix().dropna()
        if matrix.shape[1] < 2 or matrix.empty:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: needs two pipelines and one data set, got "
                f"{matrix.shape[1]} and {len(matrix)}"
            )
        lost = [name for name in results.datasets if name not in matrix.index]
        first, last = (matrix[name] for name in (min(matrix.columns), max(matrix.columns)))
        wins, losses = int((first < last).sum()), int((first > last).sum())
        p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        text = f"{wins} wins, {losses} losses, left out: {lost}"
        return ilk.Verdict("signs", results.measure, float(wins), float(p), text)


class Threads(ilk.Executor):
    """Two threads.

    Examples
    --------
    >>> Threads().n_workers
    2
    """

    n_workers = 2

    def open(self):
        return ThreadPoolExecutor(2)


SOUND = [Average, Line, Flip, Share, Signs, Threads]


@in_one_test
@pytest.mark.parametrize("cls", SOUND, ids=lambda cls: cls.kind)
def test_sound_component_passes(cls, failures):
    assert failures(cls) == {}


def trusting(self, outputs, X=None):
    return np.nan_to_num(np.abs(outputs)).mean(axis=0)


def first_class_favoured(self, outputs, X=None):
    return Average.combine(self, outputs) * np.array([2.0, 1.0, 1.0])


def first_member_only(self, outputs, X=None):
    return ilk.check_outputs(self, outputs)[0]


def fresh_noise(self):
    data = Line.load(self)
    return ilk.Data(np.random.default_rng().normal(size=data.X.shape), data.y, "x", ("x",))


def one_label(self):
    return ilk.Data(np.zeros((4, 1)), np.array(["a"] * 4), "x", ("x",))


def overlapping(self, X, y, groups=None, random_state=None):
    for split in Flip.splits(self, X, y, groups, random_state):
        yield ilk.Split(np.append(split.train, split.test[0]), split.test, fold=split.fold)


def globally_random(self, X, y, groups=None, random_state=None):
    if len(X) < 2:
        raise ilk.InputError(ilk.display_name(self))
    return Flip.splits(self, X, y, groups, np.random.randint(1000))  # noqa: NPY002


def seed_ignored(self, X, y, groups=None, random_state=None):
    seed = None if random_state is None else 0
    return Flip.splits(self, X, y, groups, seed)


def listed(self, X, y, groups=None, random_state=None):
    return list(Flip.splits(self, X, y, groups, random_state))


def groups_unread(self, X, y, groups=None, random_state=None):
    return Flip.splits(self, X, y, None, random_state)


def skipping(self, scores):
    return float(np.nanmean(scores))


def all_counted(self, prediction):
    return float(np.mean((prediction.truth == prediction.labels) & prediction.answered))


def always_sure(self, results):
    Signs.compare(self, results)
    return ilk.Verdict("signs", results.measure, 1.0, 0.0, "different d0")


def first_by_position(self, results):
    a, b = results.pipelines[0], results.pipelines[-1]
    p = 0.01 if results.matrix()[a].mean() < results.matrix()[b].mean() else 0.02
    return ilk.Verdict("signs", results.measure, 1.0, p, "d0")


def small_is_best(self, results):
    p = 0.01 if results.matrix()["p0"].mean() < 0.5 else 0.02
    return ilk.Verdict("signs", results.measure, 1.0, p, "d0")


def missing_filled_in(self, results):
    means = results.matrix()
    means = means.fillna(means.mean())
    p = float(min(1, means.to_numpy().std()))
    return ilk.Verdict("signs", results.measure, 1.0, p, "d0")


def share_of_the_largest(self, outputs, X=None):
    P = Average.combine(self, outputs)
    return P / P.max()


def scaled_in_place(self, outputs, X=None):
    P = Average.combine(self, outputs)
    if isinstance(outputs, np.ndarray) and outputs.flags.writeable:
        outputs *= 2
    return P


def average_so_far(self, prediction):
    self.scores = [*getattr(self, "scores", ()), Share.__call__(self, prediction)]
    return float(np.mean(self.scores))


def answers_sorted_in_place(self, prediction):
    score = Share.__call__(self, prediction)
    prediction.labels.sort()
    return score


def scores_rounded_in_place(self, results):
    verdict = Signs.compare(self, results)
    results.table["value"] = results.table["value"].round(1)
    return verdict


class Swallowing(ThreadPoolExecutor):
    def submit(self, function, /, *args, **kwargs):
        def quiet():
            try:
                return function(*args, **kwargs)
            except Exception:  # noqa: BLE001
                return None

        return super().submit(quiet)


BROKEN = [
    (Average, {"combine": trusting}, "check_bad_outputs"),
    (Average, {"combine": first_class_favoured}, "check_class_permutation"),
    (Average, {"combine": first_member_only}, "check_member_permutation"),
    (Average, {"combine": share_of_the_largest}, "check_outputs_apart"),
    (Average, {"combine": scaled_in_place}, "check_outputs_not_modified"),
    (Line, {"load": fresh_noise}, "check_loads_again"),
    (Line, {"load": one_label}, "check_labels_complete"),
    (Flip, {"leaves_one_out": True}, "check_leaves_one_out"),
    (Flip, {"splits": overlapping}, "check_disjoint"),
    (Flip, {"splits": globally_random}, "check_same_seed"),
    (Flip, {"splits": seed_ignored}, "check_other_seed"),
    (Flip, {"splits": listed}, "check_lazy"),
    (Flip, {"at_least": lambda self: 3}, "check_lazy"),
    (Flip, {"splits": groups_unread}, "check_groups"),
    (Flip, {"splits": groups_unread}, "check_missing_groups"),
    (Flip, {"estimate": skipping}, "check_estimate_missing"),
    (Share, {"__call__": all_counted}, "check_rejected_not_counted"),
    (Share, {"__call__": all_counted}, "check_nothing_answered"),
    (Share, {"greater_is_better": False}, "check_perfect_is_best"),
    (Share, {"needs": "scores"}, "check_lack_is_named"),
    (Share, {"needs": "rejected"}, "check_rejection_measured"),
    (Share, {"remarks": lambda self, prediction: "all is well"}, "check_remarks"),
    (Share, {"__call__": average_so_far}, "check_value"),
    (Share, {"__call__": answers_sorted_in_place}, "check_value"),
    (Signs, {"compare": scores_rounded_in_place}, "check_order_ignored"),
    (Signs, {"compare": always_sure}, "check_no_difference"),
    (Signs, {"compare": first_by_position}, "check_order_ignored"),
    (Signs, {"compare": small_is_best}, "check_direction"),
    (Signs, {"compare": missing_filled_in}, "check_one_missing_score"),
    (Signs, {"plot": lambda self, verdict, ax=None: new_axes(1, 1)}, "check_plot"),
    (Threads, {"open": lambda self: Swallowing(2)}, "check_exceptions"),
    (Threads, {"n_workers": 0}, "check_workers"),
]


@in_one_test
@pytest.mark.parametrize(
    ("cls", "change", "check"), BROKEN, ids=[f"{cls.kind}-{check}" for cls, _, check in BROKEN]
)
def test_broken_component_is_caught(cls, change, check, failures):
    broken = type("Broken", (cls,), {"__doc__": cls.__doc__, **change})
    assert check in failures(broken, check)
