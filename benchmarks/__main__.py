"""Times ilk beside its peers, on one thread.

Each part runs in a process of its own, for at most five minutes, and all of them for at most
`--minutes`. A part whose peer is not installed is left out; `pip install '.[bench,dask]'` brings
the peers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks import record
from benchmarks.one_part import ABSENT

HERE = Path(__file__).parent
LIMIT = 300.0  # seconds of a part
MINUTES = 60.0  # of all parts
NOTHING: dict[str, Any] = {"date": "", "load": None, "repeats": None, "rows": [], "seconds": 0.0}


def main(arguments: list[str] | None = None) -> None:
    """Run parts, print their rows, and write the table if asked."""
    options = _parser().parse_args(arguments)
    if options.read:
        _print(record.rows(record.load(options.read)), options.behind)
        return
    parts = chosen(options.parts)
    page = options.table
    found = record.continued(page.with_suffix(".json")) if page else record.new()
    print(record.HEAD)
    end = monotonic() + 60 * options.minutes
    for part in parts:
        left = end - monotonic()
        if left > 0:
            result = found["parts"][part] = run(part, min(LIMIT, left), options.repeats)
        else:  # an earlier result stays
            result = {**NOTHING, "outcome": f"not run, as {options.minutes:g} minutes were over"}
            found["parts"].setdefault(part, result)
        _print(result["rows"], options.behind)
        if result["outcome"] != record.COMPLETE:
            print(f"{part}: {result['outcome']}", file=sys.stderr)
        if page:
            record.save(found, page)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", help=f"folders, or files in them (default: all of {', '.join(names())})"
    )
    parser.add_argument(
        "--table",
        type=Path,
        metavar="PAGE",
        help="write the results to a page, and the numbers to a file of JSON beside it; parts that "
        "this run leaves out stay as they are, if they are of this machine and these versions",
    )
    parser.add_argument("--behind", action="store_true", help="print rows with ratios below 1 only")
    parser.add_argument("--read", type=Path, metavar="JSON", help="print what an earlier run found")
    parser.add_argument("--repeats", type=int, help="of each pair at most (default: as they say)")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of all parts (default: 60)")
    return parser


def names() -> list[str]:
    """The parts: the files in the folders that yield rows."""
    files = (path.relative_to(HERE) for path in HERE.glob("*/*.py"))
    return sorted(path.with_suffix("").as_posix() for path in files)


def chosen(wanted: list[str]) -> list[str]:
    """The parts that are named, or in a folder that is; all of them if none is."""
    for name in wanted:
        if not any(part == name or part.startswith(f"{name}/") for part in names()):
            sys.exit(f"no part {name!r}; there are {', '.join(names())}")
    return [
        part for part in names() if not wanted or part in wanted or part.partition("/")[0] in wanted
    ]


def run(part: str, seconds: float, repeats: int | None = None) -> dict[str, Any]:
    """Measure a part in a new process; keep the rows that it has printed if it fails."""
    load, start = record.load_average(), monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        outcome = _outcome([part, *([str(repeats)] if repeats else [])], seconds, output)
        output.seek(0)
        lines = output.readlines()
    return {
        **NOTHING,
        "date": datetime.now(UTC).date().isoformat(),
        "load": load,
        "outcome": outcome,
        "repeats": repeats,
        "rows": [json.loads(line) for line in lines if line.endswith("}\n")],
        "seconds": round(monotonic() - start, 1),
    }


def _outcome(arguments: list[str], seconds: float, output: Any) -> str:
    command = [sys.executable, str(HERE / "one_part.py"), *arguments]
    try:
        done = subprocess.run(
            command, stdout=output, stderr=subprocess.PIPE, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"stopped after {seconds:.0f} s"
    if done.returncode == 0:
        return record.COMPLETE
    last = (done.stderr.splitlines() or [f"exit code {done.returncode}"])[-1]
    return (
        f"left out, as {last} is not installed" if done.returncode == ABSENT else f"failed: {last}"
    )


def _print(rows: Any, behind: bool) -> None:
    for row in rows:
        if not behind or record.behind(row):
            print(record.line(row), flush=True)


if __name__ == "__main__":
    main()
