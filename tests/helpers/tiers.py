"""The tiers of the tests: which tests a run takes, by rules that stand here and nowhere else.

Plain `pytest` takes the default tier. The markers `exhaustive` and `system` name the others. Node
ids, `--all` and any other `-m` lift the filter.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from _pytest.mark.expression import Expression

from changes import PARTS, changed_parts, commit
from ilk.testing.pytest_plugin import FIRST_EXAMPLES_ONLY

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parents[1]
DEFAULT = "not exhaustive and not system"

# Tests below a folder of one of these names are of that tier:
# `system`: what starts processes, kills, installs, or needs a browser;
# `exhaustive`: grids, long searches and extreme inputs.
FOLDERS = {"system", "exhaustive"}
# A test that asks for one of these fixtures is of that tier, too.
SYSTEM_FIXTURES = {"run_python"}
# These components start processes in the conformance tests.
SYSTEM_COMPONENTS = {"executor/dask", "executor/loky", "executor/mpi"}
# Of a test with more cases than these, the default tier takes so many, chosen by their names.
CASES = 2

# Test functions of which a case takes more than LONG seconds of processor time are exhaustive.
# `pytest --find-long` finds them anew, on a quiet machine and with functions compiled before.
LONG = 0.06
# Long as they are, these stay: nothing else notices what they do.
KEPT = {
    "tests/core/cli/test_plugins.py::test_spoiled_metadata_is_left_out",
    "tests/core/testing/test_broken.py::test_broken_component_is_caught",
    "tests/core/testing/test_experiments.py::test_broken_component_is_caught",
    "tests/core/testing/test_other_inputs.py::test_broken_component_is_caught",
    "tests/distances/test_case_retrieval_net.py::test_infinite_distances_tie",
    "tests/distances/test_engine.py::test_neighbours_are_those_of_the_matrix",
    "tests/distances/test_engine.py::test_single_precision_of_many_features_is_rounded_once",
    "tests/distances/test_function.py::test_the_compiled_loop_does_not_depend_on_threads_or_blocks",
    "tests/ensembles/test_voting.py::test_usual_members_take_any_scale",
    "tests/evaluation/experiments/test_experiment_run.py::test_fresh_loses_nothing_where_nothing_can_run",
    "tests/evaluation/experiments/test_results.py::test_a_store_tells_all_that_the_run_told",
    "tests/evaluation/experiments/test_store.py::test_any_thread_may_read_and_collect",
}
LONG_TESTS = Path(__file__).with_name("long_tests.txt")

OVER_BUDGET = "the time for exhaustive tests is over"
FOUND_LONG: pytest.StashKey[set[str]] = pytest.StashKey()
FIRST_EXHAUSTIVE: pytest.StashKey[float] = pytest.StashKey()

# Machines are shared: how long an example takes says nothing about it.
hypothesis.settings.register_profile(
    "random",
    deadline=None,
    max_examples=40,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "quick",
    hypothesis.settings.get_profile("random"),
    database=None,
    derandomize=True,
    max_examples=12,
)
hypothesis.settings.register_profile(
    "long",  # for a change, which is judged by the same examples whenever it is judged
    hypothesis.settings.get_profile("random"),
    database=None,
    derandomize=True,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tiers of ilk's tests")
    group.addoption("--all", action="store_true", help="every tier, hypothesis at random")
    group.addoption(
        "--changed", action="store_true", help="of the exhaustive tests, those of what git changed"
    )
    group.addoption("--find-long", action="store_true", help=f"write {LONG_TESTS.name} anew")
    group.addoption(
        "--budget", type=int, metavar="SECONDS", help="start exhaustive tests for so long only"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    option = config.option
    if option.markexpr == DEFAULT and (option.all or any(map(lifts_filter, config.args))):
        option.markexpr = ""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if option.find_long and not (whole and option.markexpr == DEFAULT and takes_all(option)):
        raise pytest.UsageError("--find-long takes the whole default tier, in one process")
    if option.budget is not None and option.budget < 0:
        raise pytest.UsageError(f"--budget must be at least 0 seconds, got {option.budget}")
    config.stash[FIRST_EXAMPLES_ONLY] = not (takes(config, "exhaustive") or takes(config, "system"))
    long = "long" if option.changed else "random"
    hypothesis.settings.load_profile(long if wants_exhaustive(config) else "quick")


def lifts_filter(argument: str) -> bool:
    """Tell whether an argument is a node id, or a path below the folder of another tier."""
    return "::" in argument or tier_of(Path.cwd() / argument) is not None


def takes_all(option: Any) -> bool:
    """Tell whether a run leaves out no test of what it was given, and is of one process."""
    return not (option.collectonly or option.keyword or getattr(option, "numprocesses", None))


def takes(config: pytest.Config, tier: str) -> bool:
    """Tell whether the markers that a run was asked for take tests of a tier."""
    asked = config.option.markexpr
    return not asked or Expression.compile(asked).evaluate(lambda name, **_: name == tier)


def wants_exhaustive(config: pytest.Config) -> bool:
    """Tell whether a run takes the exhaustive tier, to which long runs of hypothesis belong."""
    named = any("::" in each for each in config.args) and not config.option.markexpr
    return config.option.all or (takes(config, "exhaustive") and not named)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out, long = set(beyond_samples(items)), wants_exhaustive(config)
    long_tests = set() if config.option.find_long else set(LONG_TESTS.read_text().split())
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        processes = fixtures & SYSTEM_FIXTURES or component_of(item) in SYSTEM_COMPONENTS
        if tier_of(item.path) == "system" or processes:
            item.add_marker("system")
        elif (
            tier_of(item.path) == "exhaustive"
            or item in left_out
            or function_of(item) in long_tests
            or item.get_closest_marker("slow")
            or (long and hypothesis.is_hypothesis_test(getattr(item, "obj", None)))
        ):
            item.add_marker("exhaustive")
    if config.option.changed:
        keep_changed(config, items)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare the default tier the import of files that it leaves out whole."""
    left_out = config.option.markexpr == DEFAULT and tier_of(collection_path) is not None
    return True if left_out else None


def tier_of(path: Path) -> str | None:
    """Return the tier that the folder of a test says it is of."""
    below = path.relative_to(TESTS).parts if path.is_relative_to(TESTS) else ()
    return next(iter(FOLDERS.intersection(below)), None)


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Make no test of the cases that the default tier leaves out: there are thousands.

    pytest has no public name for the cases. Without this one they are made, and left out later.
    """
    yield
    calls = getattr(metafunc, "_calls", [])
    if metafunc.config.option.markexpr == DEFAULT and is_sampled(metafunc):
        function = metafunc.definition.nodeid
        chosen = sorted(calls, key=lambda call: digest(f"{function}[{call.id}]"))[:CASES]
        calls[:] = [call for call in calls if any(call is one for one in chosen)]


def beyond_samples(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the cases of tests with many that the default tier leaves out."""
    cases = defaultdict(list)
    for item in filter(is_sampled, items):
        cases[function_of(item)].append(item)
    for same in cases.values():
        yield from sorted(same, key=lambda item: digest(item.nodeid))[CASES:]


def is_sampled(test: pytest.Item | pytest.Metafunc) -> bool:
    """Tell whether a test is one of cases; each component counts, which the kit sees to."""
    return "conformance_part" not in getattr(test, "fixturenames", ())


def component_of(item: pytest.Item) -> str | None:
    """Return the component that a conformance test is for."""
    return None if is_sampled(item) else str(item.callspec.params["conformance_part"].component)


def function_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def keep_changed(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the exhaustive tests of what was changed, in an order that the commit settles."""
    parts, seed = changed_parts(), commit()
    about_all = parts and {None}
    kept = [
        item
        for item in items
        if not item.get_closest_marker("exhaustive") or part_of(item) in parts | about_all
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = sorted(kept, key=lambda item: digest(seed + function_of(item)))


def part_of(item: pytest.Item) -> str | None:
    """Return the part of the project that a test is about; None, if it is about several."""
    if not is_sampled(item):
        return str(item.callspec.params["conformance_part"].found.distribution).removeprefix("ilk-")
    folder = item.path.relative_to(TESTS).parts[0]
    return folder if folder in PARTS else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    budget = item.config.option.budget
    if budget is not None and item.get_closest_marker("exhaustive"):
        now = time.monotonic()
        if now - item.config.stash.setdefault(FIRST_EXHAUSTIVE, now) > budget:
            pytest.skip(OVER_BUDGET)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note which tests take long; each component counts, however long its checks take."""
    start = time.process_time()
    result = yield
    default = not {"exhaustive", "system"} & {mark.name for mark in item.iter_markers()}
    if time.process_time() - start > LONG and default and is_sampled(item):
        item.session.stash.setdefault(FOUND_LONG, set()).add(function_of(item))
    return result


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Let a change that touches no part pass without exhaustive tests."""
    if session.config.option.find_long and exitstatus == pytest.ExitCode.OK:
        found = sorted(session.stash.get(FOUND_LONG, set()) - KEPT)
        LONG_TESTS.write_text("".join(f"{function}\n" for function in found))
    none = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
    if none and session.config.option.changed and not changed_parts():
        session.exitstatus = pytest.ExitCode.OK


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what there was no time for."""
    late = Counter(
        report.nodeid.partition("::")[0]
        for report in terminalreporter.stats.get("skipped", ())
        if OVER_BUDGET in str(report.longrepr)
    )
    if late:
        terminalreporter.section(f"{late.total()} exhaustive tests not run: {OVER_BUDGET}")
        for path, number in sorted(late.items()):
            terminalreporter.write_line(f"{path} {number}")
