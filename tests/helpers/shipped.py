"""The components that ship with ilk, by the entry points of its members.

``python tests/helpers/shipped.py`` writes their names to ``core/src/ilk/shipped.py``, and appends
to the table of the README those that it lacks.
"""

import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

from ilk.kinds import kinds

ROOT = Path(__file__).parents[2]
KNOWN = ROOT / "core" / "src" / "ilk" / "shipped.py"
README = ROOT / "README.md"
_BLOCK = re.compile(r'_SHIPPED = """.*?"""', re.DOTALL)


def offers() -> Iterator[tuple[str, str, list[str]]]:
    """Yield distribution, kind and sorted names as the members' pyproject files have them."""
    groups = {kind.group: kind.name for kind in kinds().values()}
    for file in (ROOT / "core" / "pyproject.toml", *sorted(ROOT.glob("plugins/*/pyproject.toml"))):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        for group, points in sorted(project["entry-points"].items()):
            if group in groups:
                yield project["name"], groups[group], sorted(points)


def known_as_it_should_be() -> str:
    """Return the text of shipped.py with the present names."""
    indent = {"initial_indent": "    ", "subsequent_indent": "    "}
    lines = [
        f"{distribution}/{kind}:\n{textwrap.fill(' '.join(names), 100, **indent)}\n"
        for distribution, kind, names in offers()
    ]
    block = f'_SHIPPED = """\n{"".join(lines)}"""'
    return _BLOCK.sub(block, KNOWN.read_text(encoding="utf-8"))


def rows(text: str) -> dict[str, tuple[list[str], list[str]]]:
    """Return each row of the README's table with the plurals of its kinds and its names."""
    found = {}
    for row in re.findall(r"^\| [^|]*`.*$|^\| .*\| .*`.*\|$", text, re.MULTILINE):
        first, names = row.strip("| ").split(" | ")
        plurals = [
            re.sub(" (of|made) .*", "", each).replace(" ", "_") for each in first.split(", ")
        ]
        found[row] = plurals, re.findall(r"`(\w+)`", names)
    return found


def missing(text: str) -> Iterator[tuple[str, str]]:
    """Yield plural and name of each component that the README's table does not have."""
    plurals = {kind.name: kind.plural for kind in kinds().values()}
    for _, kind, names in offers():
        shown = {n for where, have in rows(text).values() if plurals[kind] in where for n in have}
        yield from ((plurals[kind], name) for name in names if name not in shown)


def readme_as_it_should_be() -> str:
    """Return the text of the README with what its table lacks, in the last row of that kind."""
    text = README.read_text(encoding="utf-8")
    for plural, name in [*missing(text)]:
        row = next(row for row, (where, _) in reversed(rows(text).items()) if plural in where)
        text = text.replace(row, row.removesuffix(" |") + f" `{name}` |")
    return text


if __name__ == "__main__":
    KNOWN.write_text(known_as_it_should_be(), encoding="utf-8")
    README.write_text(readme_as_it_should_be(), encoding="utf-8")
