"""The pytest plugin: collects conformance tests, and counts the checks of each component."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

PROPERTY = "ilk_conformance"

# Runs that exclude the marker ``slow`` can set this, so that collecting loads no component.
FIRST_EXAMPLES_ONLY: pytest.StashKey[bool] = pytest.StashKey()


def pytest_configure(config: Any) -> None:
    """Register the marker ``slow`` unless the project does."""
    lines = config.getini("markers")
    if not any(line.partition(":")[0].strip() == "slow" for line in lines):
        config.addinivalue_line("markers", "slow: the full battery of ilk's conformance checks")


def pytest_generate_tests(metafunc: Any) -> None:
    """Parametrise conformance tests by the examples of their components."""
    parts_of = getattr(metafunc.function, "ilk_parts", None)
    if parts_of is None:
        return
    first_only = metafunc.config.stash.get(FIRST_EXAMPLES_ONLY, False)
    marked = [
        pytest.param(part, id=part.id, marks=[pytest.mark.slow] if part.more else [])
        for part in parts_of(first_only=first_only)
    ]
    metafunc.parametrize("conformance_part", marked)


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Fail a run in which all checks of some component were skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter is not None and _idle(_counts(reporter.stats)):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the number of checks that ran, by kind and component."""
    counts = _counts(terminalreporter.stats)
    if not counts:
        return
    terminalreporter.section("ilk conformance: checks run per component")
    for kind, components in sorted(_by_kind(counts).items()):
        total = sum(components.values())
        terminalreporter.write_line(
            f"{kind} ({_count(len(components), 'component')}, {_count(total, 'check')})"
        )
        parts = ", ".join(f"{name} {n}" for name, n in sorted(components.items()))
        terminalreporter.write_line(f"  {parts}")
    waived, skipped = (sum(each[status] for each in counts.values()) for status in _QUIET)
    terminalreporter.write_line(f"of these {waived} waived; {skipped} more did not apply")
    for component in _idle(counts):
        terminalreporter.write_line(f"FAILED: no check of {component} ran, all were skipped")


_QUIET = ("waived", "skipped")


def _counts(stats: Any) -> dict[str, Counter[str]]:
    """Count the outcomes of the checks of each component, as recorded by the tests.

    A pseudo-outcome `whole` marks components whose first example was run; without it, a component
    need not have a check that ran.
    """
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "skipped"):
        for report in stats.get(outcome, ()):
            for name, value in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    its_own = dict(value)
                    counts.setdefault(its_own.pop("component"), Counter()).update(its_own)
    return counts


def _ran(outcomes: Counter[str]) -> int:
    return outcomes.total() - outcomes["skipped"] - outcomes["whole"]


def _idle(counts: dict[str, Counter[str]]) -> list[str]:
    """List the components without any check that ran."""
    complete = {component: outcomes for component, outcomes in counts.items() if outcomes["whole"]}
    return sorted(component for component, outcomes in complete.items() if not _ran(outcomes))


def _by_kind(counts: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    kinds: dict[str, dict[str, int]] = defaultdict(dict)
    for component, outcomes in counts.items():
        kind, _, name = component.partition("/")
        kinds[kind][name] = _ran(outcomes)
    return kinds


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
