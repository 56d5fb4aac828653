"""Write a page for each source text: its places, what implements them, and snippets that run.

Docstrings cite places. ``docs/sources/KEY.toml`` has a row for each place of a text: ``is``, its
subject in a few words; ``uses``, components ("classifier knn") and functions beside those that cite
it; ``run``, a snippet, and ``gives``, its value; ``missing``, why there is no code; ``figure``, the
id of what draws it; ``claims``, ids of the claims that are rerun. ``items`` lists the places that
the text numbers.
"""

from __future__ import annotations

import ast
import json
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ilk
import ilk.cli.docstrings
from ilk.cli.docstrings import TEXTS, key_of, single_places
from ilk.kinds import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = Path(__file__).parents[1] / "sources"
INDEX = Path(ilk.cli.docstrings.__file__).with_name("citations.json")

BEFORE = """\
import numpy as np
import ilk, ilk_evaluation
import ilk_distances.plotting, ilk_ensembles.plotting, ilk_learners.plotting
from ilk_evaluation import bias_variance, diversity, theory

X, y = ilk.dataset("iris").load().Xy
X, y = np.asarray(X), np.asarray(y)
parts = {"sepal": [0, 1], "petal": [2, 3]}
"""
INTRODUCTION = """\
The components and functions for each place of {title}. {missing} of {all} rows have no code, and
say why. [Errata](../errata.md) lists where the print is wrong. In a terminal, `ilk show --source
"{key} PLACE"` finds what cites a place. Before every snippet runs

```python
{before}```
"""


@dataclass(frozen=True)
class Row:
    """A place of a text, or several, with what implements it or the reason why nothing does."""

    place: str
    about: str
    uses: tuple[str, ...] = ()
    run: str = ""
    gives: str = ""
    missing: str = ""
    figure: str = ""
    claims: Sequence[str] = ()
    heading: str = field(default="", kw_only=True)

    @property
    def snippet(self) -> str:
        """The code of the row, by default the call of its first component."""
        kind, _, name = (self.uses or ("",))[0].partition(" ")
        return self.run or (f'ilk.{kind}("{name}")' if kind in kinds() else "")


@cache
def cited(key: str) -> dict[str, list[str]]:
    """Return what cites each place of a text."""
    by_place: dict[str, list[str]] = {}
    for record in json.loads(INDEX.read_text(encoding="utf-8")):
        name = f"{record['kind']} {record['name']}" if record["kind"] in kinds() else record["name"]
        for place in single_places(record["cites"].get(key, "")):
            by_place.setdefault(place, []).append(name)
    return by_place


def items(key: str) -> list[str]:
    """Return the numbered places that a text has."""
    return single_places(load(key).get("items", ""))


@cache
def load(key: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{key}.toml").read_text(encoding="utf-8"))


def rows(key: str) -> Iterator[Row]:
    """Yield the rows of a text in its order."""
    for heading, group in load(key).items():
        if isinstance(group, dict):
            for place, entry in group.items():
                known = {name: entry[name] for name in entry.keys() - {"is", "uses"}}
                citing = [n for one in single_places(place) for n in cited(key).get(one, [])]
                uses = tuple(dict.fromkeys([*entry.get("uses", []), *citing]))
                yield Row(place, entry["is"], uses, **known, heading=heading)


def value_of(row: Row) -> Any:
    """Run the snippet of a row and return the value of its last expression.

    Raises
    ------
    NameError
        If one that it uses does not exist.
    """
    for name in row.uses:
        kind, _, component = name.partition(" ")
        if kind in kinds():
            ilk.registry(kind).get(component)
        else:
            module, _, attribute = name.rpartition(".")
            if not hasattr(import_module(module), attribute):
                raise NameError(f"{row.place}: there is no {name}")
    space: dict[str, Any] = {}
    exec(BEFORE, space)
    *body, last = ast.parse(row.snippet or "None").body
    exec(compile(ast.Module(body, []), row.place, "exec"), space)
    if not isinstance(last, ast.Expr):
        raise TypeError(f"{row.place}: the snippet ends without an expression")
    return eval(compile(ast.Expression(last.value), row.place, "eval"), space)


def write_pages() -> None:
    """Write a page for each text and the page that lists them, leaving alone those that stay."""
    pages = {key_of(text): "\n".join(page(text)) for text in TEXTS}
    pages["index"] = "\n".join(contents())
    for name, text in pages.items():
        path = FOLDER / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def contents() -> Iterator[str]:
    yield "# From text to code\n"
    yield "ilk implements five texts. Their pages list every numbered section, equation, figure,"
    yield "table and algorithm, and the subjects of slides, with the components and functions for"
    yield "it and a snippet. [Errata](../errata.md) lists where the texts are wrong.\n"
    yield "| text | places | rows | without code |\n| --- | --- | --- | --- |"
    for text, title in TEXTS.items():
        key = key_of(text)
        each = list(rows(key))
        places = sum(len(single_places(row.place)) for row in each)
        missing = sum(bool(row.missing) for row in each)
        yield f"| [{text}]({key}.md): {title} | {places} | {len(each)} | {missing} |"
    yield "\n```{toctree}\n:hidden:\n"
    yield from [key_of(text) for text in TEXTS]
    yield "```\n"


def page(text: str) -> Iterator[str]:
    """One text: a table for each of its parts."""
    key, title = key_of(text), TEXTS[text]
    each = list(rows(key))
    missing = sum(bool(row.missing) for row in each)
    yield f"# {text}\n"
    yield INTRODUCTION.format(title=title, missing=missing, all=len(each), key=key, before=BEFORE)
    for heading, group in groupby(each, key=lambda row: row.heading):
        yield f"\n## {heading}\n\n````{{container}} places\n"
        yield "| place | subject | in ilk | snippet |\n| --- | --- | --- | --- |"
        for row in group:
            yield f"| {row.place} | {row.about} | {in_ilk(row)} | {code(row)} |"
        yield "\n````"
    yield ""


def in_ilk(row: Row) -> str:
    """The links of a row, or why there are none."""
    if row.missing:
        return f"*no code: {row.missing}*"
    links = []
    for kind, group in groupby(sorted(row.uses, key=kind_of), key=kind_of):
        if kind:
            names = " ".join(f"`{name.partition(' ')[2]}`" for name in group)
            links.append(f"`{kind}` {names}")
        else:
            links += [f"{{py:obj}}`{shorter(name)} <{name}>`" for name in group]
    page = "/reference/generated/text_figures"
    named = [f"{{doc}}`figure {row.figure} <{page}>`"] if row.figure else []
    if row.claims:
        named.append(f"[rerun](../claims.md) {' '.join(f'`{one}`' for one in row.claims)}")
    return ", ".join([*links, *named])


def kind_of(name: str) -> str:
    """Kind of a component, empty for a function."""
    return name.rpartition(" ")[0]


def shorter(name: str) -> str:
    return name.removeprefix("ilk_evaluation.").removeprefix("ilk_")


def code(row: Row) -> str:
    """The snippet of a row as inline code, with its result."""
    snippet = f"`{row.snippet}`" if row.snippet and not row.missing else ""
    return f"{snippet} gives `{row.gives}`" if row.gives else snippet


def start(app: Any, config: Any) -> None:
    write_pages()


def setup(app: Any) -> dict[str, Any]:
    app.connect("config-inited", start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
