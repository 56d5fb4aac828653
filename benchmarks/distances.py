"""Speed of distances and neighbour search beside their peers, on one thread.

    python benchmarks/distances.py [part ...]

The parts are the files of the folder `distances`, each with its `rows`. Ratios are medians of
runs in turn, in processor time: above 1 ours is faster. Peers come with
``pip install '.[bench]'``; where one is missing its part is left out, with a word.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).with_suffix("")


def main() -> None:
    """Print a table of the parts asked for."""
    names = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "measure")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"which of {', '.join(names)} (default: all)")
    parts = parser.parse_args().parts or names
    for part in parts:
        if part not in names:
            parser.error(f"no part {part!r}; there are {', '.join(names)}")
    sys.path.insert(0, str(FOLDER))
    measure = import_module("measure")
    print("| work | peer | ratio | target | ours (s) | |\n| --- | --- | ---: | ---: | ---: | --- |")
    for part in parts:
        try:
            module = import_module(part)
        except ModuleNotFoundError as error:
            print(f"{part}: left out, as {error.name} is not installed", file=sys.stderr)
            continue
        with measure.one_thread():
            for row in module.rows():
                print(_line(row), flush=True)


def _line(row: object) -> str:
    target = "" if row.target is None else f"{row.target:.3g}"
    return (
        f"| {row.work} | {row.peer} | {row.ratio:.3g} | {target} | {row.seconds:.3g} | {row.note} |"
    )


if __name__ == "__main__":
    main()
