"""Runs the parts of a benchmark and prints their rows as one table."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from measure import Row, one_thread


def main(script: str, doc: str) -> None:
    """Print a table of the parts asked for: the files of the folder beside a script."""
    folder = Path(script).with_suffix("")
    names = sorted(path.stem for path in folder.glob("*.py"))
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"which of {', '.join(names)} (default: all)")
    parts = parser.parse_args().parts or names
    for part in parts:
        if part not in names:
            parser.error(f"no part {part!r}; there are {', '.join(names)}")
    sys.path.insert(0, str(folder))
    print("| work | peer | ratio | target | ours (s) | |\n| --- | --- | ---: | ---: | ---: | --- |")
    for part in parts:
        try:
            module = import_module(part)
        except ModuleNotFoundError as error:
            print(f"{part}: left out, as {error.name} is not installed", file=sys.stderr)
            continue
        with one_thread():
            for row in module.rows():
                print(_line(row), flush=True)


def _line(row: Row) -> str:
    target = "" if row.target is None else f"{row.target:.3g}"
    return (
        f"| {row.work} | {row.peer} | {row.ratio:.3g} | {target} | {row.seconds:.3g} | {row.note} |"
    )
