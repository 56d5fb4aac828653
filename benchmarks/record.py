"""The record of measurements, a file of JSON, and the page of the docs that is written from it."""

from __future__ import annotations

import json
import os
import platform
import statistics
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPLETE = "complete"
QUIET = 1.5  # load up to which a machine counts as doing nothing else: 1 is the benchmark's own
LIBRARIES = (
    *("ilk-core", "numpy", "scipy", "numba", "scikit-learn", "pandas", "dask", "deslib"),
    *("hnswlib", "imbalanced-learn", "lightgbm", "metric-learn", "mlxtend"),
    *("opencv-python-headless", "POT", "pylmnn", "rapidfuzz", "skrebate", "xgboost"),
)
HEAD = (
    "| work | peer | ratio | target | ours (s) | note |\n| --- | --- | ---: | ---: | ---: | --- |"
)
INTRODUCTION = """\
# Benchmarks

Times of ilk beside those of other libraries, on one thread. Each pair runs in turn in one process,
after a run that does not count. A ratio is the median of the peer's processor time divided by ours:
above 1 ilk is faster; ratios below 1 are **bold**. Targets are the ratios that we want to reach.
Where no library does the same work, the peer is a limit in seconds, a plain program in numpy, or
absent.

`python -m benchmarks --table docs/benchmarks.md` runs the benchmarks, at most an hour, and writes
this page, and the numbers to `docs/benchmarks.json`; `pip install '.[bench,dask]'` brings the
peers. `--repeats 1` takes about half the time, `--behind` prints the rows where a peer is faster.
"""


def new() -> dict[str, Any]:
    """A record of this machine and what is installed, without measurements."""
    return {"machine": machine(), "versions": versions(), "parts": {}}


def load(path: Path) -> dict[str, Any]:
    """The record in a file."""
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def continued(path: Path) -> dict[str, Any]:
    """The record in a file if it is of this machine and no version has changed, else a new one."""
    record = new()
    if path.exists():
        earlier = load(path)
        versions = {**record["versions"], **earlier["versions"]}  # peers come and go
        if earlier["machine"] == record["machine"] and versions | record["versions"] == versions:
            return {**earlier, "versions": versions}
    return record


def save(record: dict[str, Any], page: Path) -> None:
    """Write the page, and the record beside it."""
    record = {**record, "parts": dict(sorted(record["parts"].items()))}
    numbers = json.dumps(record, indent=1) + "\n"
    page.with_suffix(".json").write_text(numbers, encoding="utf-8")
    page.write_text(text(record), encoding="utf-8")


def machine() -> dict[str, Any]:
    """Processor, cores, memory and system."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory(),
        "system": platform.system(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (AttributeError, ValueError, OSError):  # Windows does not say
        return None


def load_average() -> float | None:
    """Processes that ran in the last minute, on average."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that are installed."""
    found = {"Python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def rows(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All rows, of all parts."""
    for part in record["parts"].values():
        yield from part["rows"]


def behind(row: dict[str, Any]) -> bool:
    """Tell whether ours is the slower one."""
    return row["ratio"] is not None and row["ratio"] < 1


def line(row: dict[str, Any]) -> str:
    """A row of a Markdown table."""
    ratio = _number(row["ratio"])
    cells = [
        row["work"],
        row["peer"],
        f"**{ratio}**" if behind(row) else ratio,
        _number(row["target"]),
        _number(row["seconds"]),
        row["note"],
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _number(value: float | None) -> str:
    """Three digits, without an exponent."""
    return "" if value is None else f"{value:,.{max(0, 2 - _exponent(value))}f}"


def _exponent(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])


def text(record: dict[str, Any]) -> str:
    """The page of a record."""
    chapters = [INTRODUCTION, _circumstances(record), _summary(record)]
    subject = None
    for name, part in sorted(record["parts"].items()):
        folder, _, title = name.partition("/")
        if folder != subject:
            subject = folder
            chapters.append(f"## {_words(folder)}\n")
        chapters.append(f"### {_words(title)} ({folder})\n")
        if part["rows"]:
            chapters.append("\n".join([HEAD, *map(line, part["rows"])]) + "\n")
        if part["outcome"] != COMPLETE:
            chapters.append(f"{part['outcome'].capitalize()}.\n")
    return "\n".join(chapters)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _circumstances(record: dict[str, Any]) -> str:
    of = record["machine"]
    dates = sorted({part["date"] for part in record["parts"].values() if part["rows"]})
    memory = "" if of["memory_gib"] is None else f", {of['memory_gib']} GiB of memory"
    library = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return (
        f"- Date: {' to '.join(dict.fromkeys([dates[0], dates[-1]])) if dates else 'never'}\n"
        f"- Machine: {of['processor']}, {of['cores']} cores{memory}, {of['system']}\n"
        f"- Versions: {library}\n"
        f"- Repeats of each pair: {_repeats(record)}\n"
        f"- {_noise(record)}\n"
    )


def _repeats(record: dict[str, Any]) -> str:
    asked = {part["repeats"] for part in record["parts"].values() if part["rows"]}
    most = max((number for number in asked if number), default=None)
    return "1 to 15" if None in asked or most is None else f"at most {most}"


def _noise(record: dict[str, Any]) -> str:
    loads = [part["load"] for part in record["parts"].values() if part["load"] is not None]
    if not loads:
        return "Other work on the machine: not known"
    load = statistics.median(loads)
    if load <= QUIET:
        return f"Other work on the machine: none to speak of (load {load:.1f})"
    return (
        f"Other work on the machine: yes (load {load:.1f}, of which 1 is the benchmark); the "
        "numbers are noisy, and small differences mean nothing"
    )


def _summary(record: dict[str, Any]) -> str:
    compared = [row for row in rows(record) if row["ratio"] is not None]
    slower = sum(map(behind, compared))
    return f"{len(compared)} rows have a ratio; {slower} of them are below 1.\n"
