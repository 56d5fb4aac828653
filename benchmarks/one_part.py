"""Runs one part, here and now: `python benchmarks/one_part.py distances/vectors [repeats]`.

Each row is printed as a line of JSON as soon as it is measured. `python -m benchmarks` starts this
script for every part, as a peer may crash, take too long, or leave memory behind.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from measure import Row

ABSENT = 3
"""Exit code where a peer is not installed; its name is the last line of the errors."""


def main(part: str, repeats: str = "") -> None:
    """Print the rows of a part."""
    import measure

    if repeats:
        measure.most_repeats = int(repeats)
    folder, _, name = part.partition("/")
    sys.path.insert(0, str(Path(__file__).with_name(folder)))
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        print(error.name, file=sys.stderr)
        sys.exit(ABSENT)
    with measure.one_thread():
        for row in module.rows():
            print(_line(row), flush=True)


def _line(row: Row) -> str:
    """A row as JSON, which has no word for a ratio that there is not."""
    return json.dumps({**asdict(row), "ratio": None if math.isnan(row.ratio) else row.ratio})


if __name__ == "__main__":
    main(*sys.argv[1:])
