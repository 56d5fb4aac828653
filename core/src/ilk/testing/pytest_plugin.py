"""The pytest plugin: registers the marker ``slow`` and counts the checks of each component."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

PROPERTY = "ilk_conformance"


def pytest_configure(config: Any) -> None:
    """Register the marker ``slow`` where the project does not."""
    lines = config.getini("markers")
    if not any(line.partition(":")[0].strip() == "slow" for line in lines):
        config.addinivalue_line("markers", "slow: the full battery of ilk's conformance checks")


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Fail a run in which no check of some component ran: all were skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter is not None and 0 in _counts(reporter.stats).values():
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print for each kind how many checks ran, by component."""
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
    for component in sorted(name for name, n in counts.items() if n == 0):
        terminalreporter.write_line(f"FAILED: no check of {component} ran, all were skipped")


def _counts(stats: Any) -> Counter[str]:
    """Count the checks that ran, by component; skipped ones did not run."""
    counts: Counter[str] = Counter()
    for outcome in ("passed", "failed", "xfailed", "xpassed", "skipped"):
        for report in stats.get(outcome, ()):
            for name, component in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    counts[component] += outcome != "skipped"
    return counts


def _by_kind(counts: Counter[str]) -> dict[str, dict[str, int]]:
    kinds: dict[str, dict[str, int]] = defaultdict(dict)
    for component, n in counts.items():
        kind, _, name = component.partition("/")
        kinds[kind][name] = n
    return kinds


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
