"""What stays unloaded until it is used."""

import pytest

HEAVY = {"numba", "cvxpy", "sklearn", "scipy", "pandas", "matplotlib", "polars"}
PLUGINS = {"ilk_distances", "ilk_learners", "ilk_ensembles", "ilk_evaluation"}
COMMAND = "import sys; from ilk.cli import main; sys.argv = ['ilk', {!r}]; main()"
UNUSED = {
    "import ilk": HEAVY | PLUGINS | {"numpy"},
    COMMAND.format("--help"): HEAVY | PLUGINS,
    COMMAND.format("list"): HEAVY | PLUGINS,
    "import ilk_learners": {"numpy", "matplotlib"},
    "import ilk_learners; ilk_learners.plotting": {"matplotlib", "numba"},
    "import ilk_evaluation.commands.run": HEAVY | {"numpy", "rich", "sqlite3"},
    "import ilk_evaluation.commands.results": HEAVY | {"numpy", "rich", "sqlite3"},
    "import ilk; ilk.distance('euclidean')": {"numba"},
    "import ilk, numpy\n"
    "distance = ilk.distance('callable', function=lambda x, y: 1.0)\n"
    "distance.pairwise(numpy.ones((2, 2)))": {"numba"},
    "import ilk, numpy\n"
    "X = numpy.eye(6)\n"
    "ilk.classifier('knn', k=1).fit(X, [0, 1] * 3).predict(X)": {"dask"},
    "import ilk; ilk.classifier('sklearn', estimator='LogisticRegression')": {"sklearn.ensemble"},
}


@pytest.mark.parametrize("code", UNUSED)
def test_what_is_not_used_is_not_imported(run_python, code):
    report = f"print({UNUSED[code]!r} & set(sys.modules) or 'nothing', file=sys.stderr)"
    done = run_python("-c", f"import atexit, sys\natexit.register(lambda: {report})\n{code}")
    assert (done.returncode, done.stderr) == (0, "nothing\n")
