"""Workers that may be on other machines: what goes to them, and what if there are none."""

import os
import pickle
import sys
import threading
import time

import cloudpickle
import numpy as np
import pytest

import ilk
from ilk_evaluation import ExecutorError, run_experiment
from ilk_evaluation.executors import remote
from ilk_evaluation.run.worker_context import WorkerContext

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # tests are no package


class Constant(ilk.Classifier):
    """Always the same label; registered by hand, so that no other process knows it."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(ilk.n_rows(X), self.classes_[0])


@pytest.fixture
def context():
    ilk.registry("classifier").register("t_constant", Constant)
    data = ilk.make("dataset", "iris").load()
    yield WorkerContext([data], [ilk.Pipeline([{"classifier": Constant()}])])
    ilk.registry("classifier").unregister("t_constant")


def answers(context, extra):
    """What a worker makes of a context: predictions, and a class that it knows by name only."""
    (data,), (pipeline,) = context.datasets, context.pipelines
    by_name = ilk.make("classifier", "t_constant").fit(data.X, data.y)
    return pipeline.fit(data.X, data.y).predict(data.X), by_name.predict(data.X[:1]), extra


def test_a_context_is_sent_once_and_calls_are_small(context):
    sent = {}
    packer = remote.Packer(sent.__setitem__)
    tasks = [packer.pack(answers, (context, i), {}) for i in range(3)]
    assert len(sent) == 1
    ((name, content),) = sent.items()
    assert len(content) > context.datasets[0].X.nbytes > max(map(len, tasks))
    with ilk.executor("loky", workers=1).open() as pool:  # a process that knows nothing
        pool.submit(remote.keep, name, content).result(timeout=60)
        for i, task in enumerate(tasks):
            labels, first, extra = pool.submit(remote.call, task, 1).result(timeout=60)
            assert set(labels) == set(first) == {context.datasets[0].classes[0]}
            assert (len(labels), extra) == (150, i)
        pool.submit(remote.forget, name).result(timeout=60)
        assert isinstance(pool.submit(remote.call, tasks[0], 1).exception(timeout=60), KeyError)


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (
            {"numpy": "0.1"},
            r"has numpy \d.*, the runner has numpy 0.1; the results",
        ),
        ({"ilk-other": "3"}, "lacks ilk-other, the runner has ilk-other 3"),
    ],
    ids=["other", "missing"],
)
def test_a_worker_of_another_installation_is_refused(context, theirs, message):
    remote.keep("odd", pickle.dumps((theirs, context.dumps())))
    try:
        with pytest.raises(ExecutorError, match=message):
            remote._shared("odd")
    finally:
        remote.forget("odd")


def test_what_runs_here_is_known_to_the_letter():
    found = remote.versions()
    assert found["numpy"] == np.__version__
    assert found["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert set(ilk.installed()) <= found.keys()


def test_one_cell_at_a_time_in_a_process():
    packer = remote.Packer(lambda *_: None)
    task = packer.pack(time.sleep, (0.02,), {})
    threads = [threading.Thread(target=remote.call, args=(task, None)) for _ in range(3)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start >= 0.06


@pytest.fixture(scope="module")
def scheduler():
    """A scheduler in this process, and a worker beside it."""
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp",
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    ) as cluster:
        yield cluster


def test_an_experiment_on_a_scheduler(scheduler, make_spec, parts, tmp_path):
    executor = {"use": "dask", "address": scheduler.scheduler_address}
    results = run_experiment(make_spec(), store=tmp_path / "x.sqlite", executor=executor)
    whole = ilk.results(parts[1]).table()
    assert results.table().drop(columns="fit_seconds").equals(whole.drop(columns="fit_seconds"))
    assert remote._kept == {}  # nothing stays in the workers


def test_the_number_of_workers_is_that_of_the_cluster(scheduler):
    executor = ilk.executor("dask", address=scheduler.scheduler_address)
    with executor.open() as pool:
        assert pool.n_workers == 1
        assert pool.submit(os.getpid).result(timeout=30) == os.getpid()


def test_without_workers_the_run_ends_before_long(make_spec, tmp_path):
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(
        n_workers=0,
        processes=False,
        protocol="tcp",
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    ) as cluster:
        address = cluster.scheduler_address
        executor = {"use": "dask", "address": address, "patience": 1}
        start = time.monotonic()
        with pytest.raises(ExecutorError) as caught:
            run_experiment(make_spec(), store=tmp_path / "x.sqlite", executor=executor)
        assert 1 <= time.monotonic() - start < 60
    said, kept = str(caught.value).splitlines()
    assert said == f"the Dask scheduler at {address} has had no worker for 1 s"
    assert kept == f"0 of 24 cells are kept in {tmp_path / 'x.sqlite'}; run the same again to go on"


def test_what_is_not_installed_is_named(monkeypatch):
    for name in ("distributed", "mpi4py"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("dask_address", "dask_local", "dask_pool"):
        monkeypatch.delitem(sys.modules, f"ilk_evaluation.executors.{name}", raising=False)
        monkeypatch.delattr(f"ilk_evaluation.executors.{name}", raising=False)
    for name, library in (("dask", "distributed"), ("mpi", "mpi4py")):
        with (
            pytest.raises(ExecutorError, match=f"pip install {library}"),
            ilk.executor(name).open(),
        ):
            pass
