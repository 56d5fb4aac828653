"""What cells need is sent to a worker once, as it was, with classes made in a session."""

import os
import subprocess
import sys
import textwrap

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation.run import worker_context as module
from ilk_evaluation.run.worker_context import WorkerContext

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # tests are no package


def data_of(X, name="d"):
    return ilk.Data(X, np.array(["a", "b"] * (len(X) // 2)), name)


@pytest.fixture
def context():
    large = np.arange(40_000.0).reshape(-1, 4)
    table = pd.DataFrame({"n": np.arange(10.0), "c": pd.Categorical(list("xyxyxyxyxy"))})
    pipelines = [ilk.Pipeline([{"classifier": {"use": "knn", "k": 3}}])]
    with WorkerContext([data_of(large), data_of(table), data_of(["ab"] * 6)], pipelines) as made:
        yield made


def about(context):
    """Said in a worker of what it got."""
    large, table, texts = (data.X for data in context.datasets)
    base = large.base
    while getattr(base, "base", None) is not None and not isinstance(base, np.memmap):
        base = base.base
    return {
        "context": id(context),
        "large": (type(large), large.flags.writeable, isinstance(base, np.memmap), large.sum()),
        "dtypes": list(map(str, table.dtypes)),
        "texts": texts,
        "fingerprints": [data.fingerprint for data in context.datasets],
        "pid": os.getpid(),
    }


def test_a_context_arrives_as_it_was_and_once(context):
    with ilk.executor("loky", workers=1).open() as pool:
        first, second = (pool.submit(about, context).result(timeout=120) for _ in range(2))
    assert first == second  # the same object, not another copy
    assert first["large"] == (np.ndarray, False, True, context.datasets[0].X.sum())
    assert first["dtypes"] == ["float64", "category"]
    assert first["texts"] == ["ab"] * 6
    assert first["fingerprints"] == [data.fingerprint for data in context.datasets]


def test_it_is_written_once_and_pickled_in_a_few_bytes(context, monkeypatch):
    written = []
    monkeypatch.setattr(module, "_write", lambda *args: written.append(args))
    sizes = {len(cloudpickle.dumps(context)) for _ in range(3)}
    assert len(written) == 1
    assert max(sizes) < 300


def test_in_this_process_nothing_is_written(context, temporary_folders):
    before = temporary_folders()
    with ilk.executor("serial").open() as pool:
        assert pool.submit(lambda given: given is context, context).result()
    assert temporary_folders() <= before


def test_equal_looking_arrays_are_not_mixed_up():
    """Arrays that live only while they are pickled may share an address one after the other."""

    class Made(list):
        def __reduce__(self):
            return list, ([np.full(20_000, float(i)) for i in range(5)],)

    with WorkerContext([data_of([Made(), Made()])], []) as made:
        _, (file,) = made.__reduce__()
        read = module._read.__wrapped__(file)
    for rows in read.datasets[0].X:
        assert [row[0] for row in rows] == [0, 1, 2, 3, 4]


SESSION = """
    import numpy as np
    import ilk
    from ilk_evaluation import run_experiment

    CALLS = []

    def helper(X):
        return np.asarray(X).sum(axis=1)

    class Sums(ilk.Classifier):
        '''Sign of the sums.'''
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self
        def predict(self, X):
            return self.classes_[(helper(X) > np.median(helper(X))).astype(int)]

    class Gap(ilk.Distance):
        '''Differences of sums.'''
        def pairwise(self, X, Y=None):
            return np.abs(helper(X)[:, None] - helper(X if Y is None else Y)[None])

    ilk.registry("classifier").register("sums", Sums)
    ilk.registry("distance").register("gap", Gap)

    def results(executor):
        return run_experiment({
            "datasets": ["iris"],
            "pipelines": [
                {"id": "own", "steps": [{"classifier": "sums"}]},
                {"id": "inside", "steps": [{"classifier": {"use": "knn", "distance": "gap"}}]},
            ],
            "run": {"executor": executor},
        })

    if __name__ == "__main__":
        tables = [
            results(executor).table().drop(columns="fit_seconds")
            for executor in ("serial", {"use": "loky", "workers": 1})
        ]
        assert tables[0].equals(tables[1])
        assert tables[0]["n_failed"].sum() == 0
        print("the same")
"""


@pytest.mark.parametrize("how", ["script", "exec"])
def test_classes_of_a_session_reach_the_workers(tmp_path, how):
    """From a script, and from a notebook, whose cells are no file."""
    path = tmp_path / "session.py"
    path.write_text(textwrap.dedent(SESSION))
    program = [str(path)] if how == "script" else ["-c", path.read_text()]
    environment = {**os.environ, "ILK_PLUGINS": "ilk-distances,ilk-learners,ilk-evaluation"}
    done = subprocess.run(
        [sys.executable, *program], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stdout) == (0, "the same\n"), done.stderr


def test_a_class_of_a_module_that_workers_cannot_import(make_module):
    loose = make_module("loose_module", on_path=False)
    named = make_module("named_module", on_path=True)
    assert not module._importable(loose)
    assert module._importable(named)
    assert module._importable(np.linalg)


@pytest.fixture
def make_module(tmp_path, monkeypatch):
    from importlib.util import module_from_spec, spec_from_file_location

    def make(name, *, on_path):
        folder = tmp_path / name
        folder.mkdir()
        file = folder / f"{name}.py"
        file.write_text("VALUE = 1\n")
        if on_path:
            monkeypatch.syspath_prepend(folder)
        spec = spec_from_file_location(name, file)
        made = module_from_spec(spec)
        spec.loader.exec_module(made)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    return make
