"""Steps with which several pipelines begin: fitted once for each split, with the same results."""

import sqlite3
import time
import warnings
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
from ilk_evaluation import Store, merge_stores, plan_experiment, run_experiment
from ilk_evaluation.run import worker_context
from ilk_evaluation.run.database import connected
from ilk_evaluation.run.sql import TABLES
from ilk_evaluation.run.tasks import shared_prefixes
from ilk_evaluation.run.worker_context import Place, SharedSteps
from ilk_learners.classifiers.knn import KNN
from stores import rewrite

pytestmark = pytest.mark.filterwarnings("ignore:slow:RuntimeWarning")


class Slow(ilk.Transformer):
    """Adds noise by its random state, slowly, and warns."""

    seconds: float = ilk.param(default=0.0, ge=0)
    wrong: bool = ilk.param(default=False)
    random_state: ilk.RandomState = ilk.param(default=None, type=ilk.Seed)
    fits = 0

    def fit(self, X, y=None):
        Slow.fits += 1
        time.sleep(self.seconds)
        warnings.warn("slow", RuntimeWarning, stacklevel=2)
        if self.wrong and len(X) > 8:
            raise ValueError(f"wrong on {len(X)} cases")
        self.noise_ = np.random.default_rng(self.random_state).normal(size=np.shape(X)[1])
        return self

    def transform(self, X):
        return np.asarray(X) + self.noise_


@pytest.fixture(autouse=True)
def slow(with_component, monkeypatch):
    with_component("transformer", "t_slow", Slow)
    monkeypatch.setattr(worker_context, "WORTH_KEEPING", 0.0)  # also what takes no time
    Slow.fits = 0
    return Slow


def pipelines(*steps, last=("t_nearest", "t_shares", "t_lot")):
    return [{"id": name, "steps": [*steps, {"classifier": name}]} for name in last]


def contents(results):
    with results.reading() as store:
        for key in sorted(store.statuses()):
            found = store.outcome(key)
            parts = (found.codes, found.probabilities, found.scores)
            arrays = [None if part is None else part.tobytes() for part in parts]
            yield key, arrays, repr(found.reduction), found.error, sorted(found.warnings)


def both(spec):
    """Run with and without shared steps; return both, whose stored contents must be equal."""
    spec = {name: part for name, part in spec.items() if name != "output"}
    runs = [run_experiment(spec, share=share, keep_going=True) for share in (True, False)]
    one, other = (list(contents(run)) for run in runs)
    assert one == other
    return runs


STEPS = st.sampled_from(
    [
        {"transformer": "standardize"},
        {"transformer": {"use": "pca", "n_components": 2}},
        {"transformer": "t_slow"},
        {"transformer": "minmax"},
        {"editor": {"use": "enn", "k": 1}},
        {"metric_learner": {"use": "rca", "report": False}},
    ]
)
LAST = st.sampled_from(["t_nearest", "t_shares", "t_lot", {"use": "knn", "k": 3}, "lda"])


def plan_of(tails):
    return {
        "datasets": [{"use": "t_blobs", "n": 18, "p": 3}],
        "pipelines": [
            {"id": str(at), "steps": [{"transformer": "t_slow"}, *steps, {"classifier": last}]}
            for at, (steps, last) in enumerate(tails)
        ],
        "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 1}},
    }


@pytest.mark.exhaustive
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.lists(STEPS, max_size=3), LAST), min_size=2, max_size=5))
def test_any_plan_gives_the_same_with_and_without(tails):
    both(plan_of(tails))


def test_a_plan_with_steps_of_every_role_gives_the_same_with_and_without():
    scaled, edited = {"transformer": "standardize"}, {"editor": {"use": "enn", "k": 1}}
    learned = {"metric_learner": {"use": "rca", "report": False}}
    before = [[scaled], [scaled, edited], [scaled, edited, learned], [scaled, edited, learned]]
    both(plan_of([*zip(before, ["t_lot", "t_shares", "lda", "t_lot"], strict=True)]))
    trial, splits = 1, 2
    assert Slow.fits == (1 + 4) * (trial + splits)


def test_a_step_is_fitted_once_for_each_split(make_spec):
    spec = make_spec(pipelines=pipelines({"transformer": "t_slow"}))
    trial, splits = 2, 2 * 4
    run_experiment(spec)
    assert Slow.fits == trial + splits
    run_experiment(spec, fresh=True, share=False)
    assert Slow.fits == trial + splits + 3 * (trial + splits)


def test_times_are_as_if_alone_and_what_was_saved_is_beside(make_spec):
    slow = {"transformer": {"use": "t_slow", "seconds": 0.05}}
    results = run_experiment(make_spec(pipelines=pipelines(slow)))
    cells = results.to_pandas("cells")
    assert (cells["fit_seconds"] >= 0.05).all()
    saving = cells.groupby(["dataset", "repeat", "fold"])["saved_seconds"]
    assert (saving.min() == 0).all()  # of the cell that fitted
    assert (saving.sum() > 0.02).all()
    scored = results.score("saved_seconds").table()["saved_seconds"].sum()
    expected = cells.groupby(["dataset", "pipeline"])["saved_seconds"].mean().sum()
    assert scored == pytest.approx(expected)


def test_a_shared_step_that_fails_fails_every_cell_with_the_same_message(make_spec):
    wrong = {"transformer": {"use": "t_slow", "wrong": True}}
    shared, _ = both(make_spec(pipelines=pipelines(wrong)))
    assert set(shared.failures["error"].str.partition("\n")[0]) == {
        "ValueError: wrong on 12 cases",
        "ValueError: wrong on 15 cases",
    }


def voters(*steps, **parameters):
    each = [{"k": 1}, {"k": 6}, {"k": 4, "vote": "gaussian"}, {"k": 3, "vote": "inverse_distance"}]
    return [
        {
            "id": str(at),
            "steps": [*steps, {"classifier": {"use": "knn", **parameters, **votes}}],
        }
        for at, votes in enumerate(each)
    ]


def check_voters(spec, monkeypatch):
    fits, fit = [], KNN.fit
    monkeypatch.setattr(KNN, "fit", lambda self, X, y: (fits.append(self.k), fit(self, X, y))[1])
    shared, _ = both(spec)
    few, splits = 2, 2 * 4
    assert len(fits) == (few + splits) + 4 * (few + splits)
    saving = shared.to_pandas("cells").groupby(["dataset", "repeat", "fold"])["saved_seconds"]
    assert ((saving.min() >= 0) & (saving.max() > 0)).all()


def test_knn_with_other_votes_is_fitted_once_with_the_same_results(make_spec, monkeypatch):
    steps = {"transformer": "minmax"}, {"transformer": "t_slow"}
    check_voters(make_spec(pipelines=voters(*steps, ties="random")), monkeypatch)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "parameters",
    [{"index": "kd_tree"}, {"metric_learner": "dann"}, {"index": "hnsw"}],
    ids=lambda parameters: str(*parameters.values()),
)
def test_lists_of_inexact_searches_are_not_cut(make_spec, monkeypatch, parameters):
    if parameters == {"index": "hnsw"}:
        pytest.importorskip("hnswlib", reason="in the extra ann")
    steps = [{"transformer": "minmax"}]
    check_voters(make_spec(pipelines=voters(*steps, **parameters)), monkeypatch)


def test_k_beyond_the_rows_fails_as_if_alone_and_only_that_cell(make_spec):
    chosen = [{"use": "knn", "k": k} for k in (1, 13, 1000)]
    last = [{"id": str(c["k"]), "steps": [{"classifier": c}]} for c in chosen]
    shared, _ = both(make_spec(pipelines=last))
    assert "k must be at most 12, the number of training rows" in shared.failures["error"].iloc[0]
    assert set(shared.failures["pipeline"]) == {"13", "1000"}


def test_longest_beginnings_are_shared_by_those_that_have_them(make_spec):
    scaled, slow = {"transformer": "standardize"}, {"transformer": "t_slow"}
    steps = [[scaled, slow], [scaled, slow], [scaled], [slow], []]
    spec = make_spec(
        pipelines=[
            {"id": str(at), "steps": [*before, {"classifier": "t_shares"}]}
            for at, before in enumerate(steps)
        ]
    )
    found = shared_prefixes(plan_experiment(spec))
    assert {at: [n for n, _ in prefixes] for at, prefixes in found.items()} == {
        0: [1, 2],
        1: [1, 2],
        2: [1],
    }
    assert found[0] == found[1]
    assert found[0][0] == found[2][0]


def test_an_interrupted_run_goes_on_with_the_same_results(make_spec, components):
    slow = {"transformer": "t_slow"}
    spec = make_spec(pipelines=pipelines(slow, last=("t_nearest", "t_fussy", "t_shares")))
    spec["pipelines"][1]["steps"][1] = {"classifier": {"use": "t_fussy", "how": "interrupt"}}
    with pytest.raises(KeyboardInterrupt):
        run_experiment(spec)
    resumed = list(contents(run_experiment(spec)))
    assert resumed == list(contents(run_experiment(spec, fresh=True, share=False)))


def model_and_start():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(20, 3)), np.repeat(["a", "b"], 10)
    steps = [{"transformer": ilk.build({"use": "t_slow"}, kind="transformer")}]
    model = ilk.seeded(ilk.Pipeline([*steps, {"classifier": "knn"}]), 0)
    return model, ilk.Carried(X, y, X[:5])


HERE = Place("split", few=False)
SHARED = {0: [(1, 0)]}


def begin(shared, place=HERE):
    model, start = model_and_start()
    found = shared.begin(model, 0, place, start)
    return found.carried.X.tobytes(), found.carried.queries.tobytes()


@pytest.fixture
def heavy(monkeypatch):
    monkeypatch.setattr(worker_context, "WORTH_WRITING", 0.0)


@pytest.mark.usefixtures("heavy")
def test_another_worker_reads_the_file_and_computes_anew_what_is_damaged(tmp_path):
    first = begin(SharedSteps(SHARED, tmp_path))
    assert begin(SharedSteps(SHARED, tmp_path)) == first
    assert Slow.fits == 1
    (file,) = tmp_path.glob("steps-*.pickle")
    whole = file.read_bytes()
    for damaged in (b"", whole[:10], whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1])):
        before = Slow.fits
        file.write_bytes(damaged)
        assert begin(SharedSteps(SHARED, tmp_path)) == first
        assert Slow.fits == before + 1
        assert file.read_bytes()[16:17] == whole[16:17]  # and written again


@pytest.mark.usefixtures("heavy")
@pytest.mark.parametrize(
    ("memory", "disk", "fits", "files"),
    [(0, 0, 2, 0), (2**20, 0, 1, 0), (0, 2**20, 1, 1)],
)
def test_budgets_hold(tmp_path, memory, disk, fits, files):
    shared = SharedSteps(SHARED, tmp_path, memory=memory, disk=disk)
    assert begin(shared) == begin(shared)
    assert Slow.fits == fits
    assert len(list(tmp_path.iterdir())) == files


@pytest.mark.usefixtures("heavy")
def test_the_oldest_goes_first_and_few_rows_are_never_written(tmp_path):
    begin(SharedSteps(SHARED, tmp_path))
    (file,) = tmp_path.iterdir()
    shared = SharedSteps(SHARED, tmp_path, disk=int(1.5 * file.stat().st_size))
    begin(shared, Place("other", few=False))
    assert len(list(tmp_path.iterdir())) == 1
    assert not file.exists()
    begin(shared, Place("third", few=True))
    assert len(list(tmp_path.iterdir())) == 1


def test_views_with_gaps_are_not_copied_since_their_copies_round_otherwise():
    class Gaps(Slow):
        def transform(self, X):
            return np.repeat(X, 2, axis=1)[:, ::2]

    shared = SharedSteps(SHARED)
    model, start = model_and_start()
    model = ilk.seeded(ilk.Pipeline([Gaps(), {"classifier": "knn"}]), 0)
    for _ in range(2):
        found = shared.begin(model, 0, HERE, start)
        assert not found.carried.X.flags.c_contiguous
    assert Slow.fits == 2


def test_a_store_of_version_6_is_read_upgraded_and_merged(make_spec, tmp_path):
    spec = make_spec()
    first = run_experiment(spec)
    path = first.design.store
    before = list(contents(first))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE cells DROP COLUMN saved_seconds")
        connection.execute("PRAGMA user_version = 6")
    with Store.read(path) as store, pytest.raises(ilk.IlkError, match="was changed"):
        store.verify()  # the digests are those of version 7
    columns = ", ".join(name for name in TABLES["cells"].columns if name != "saved_seconds")
    with closing(connected(path)) as connection, connection:
        connection.execute(f"UPDATE cells SET digest = sealed({columns})")
    content = path.read_bytes()
    with Store.read(path) as store:
        store.verify()
        assert store.outcome(before[0][0]).saved_seconds == 0.0
    assert list(contents(ilk.results(path))) == before
    merged = merge_stores(tmp_path / "merged.sqlite", [path])
    assert list(contents(ilk.results(merged.path))) == before
    assert path.read_bytes() == content
    with Store.open(path) as store:
        store.verify()
    assert list(contents(ilk.results(path))) == before
    rewrite(path, "UPDATE cells SET saved_seconds = 1.5")
    with Store.read(path) as store:
        assert set(store.saved_seconds().values()) == {1.5}
