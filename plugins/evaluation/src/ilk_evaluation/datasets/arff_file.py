"""ARFF files: attributes and rows of cells; every error names the file and the line."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import ilk
from ilk import param
from ilk_evaluation.datasets.columns import Columns, Roles, is_number
from ilk_evaluation.datasets.table_file import (
    EXAMPLE,
    INFLATED,
    TableDataset,
    TableFile,
    UsedColumns,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MISSING = "\0"
"""Marks a missing cell; no text file can contain it."""

Kind = Literal["numeric", "nominal", "string", "date"]

_KINDS: dict[str, Kind] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "string",
    "date": "date",
}

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_CELL = re.compile(rf"\s*({_QUOTED}|[^,]*?)\s*(,|$)", re.DOTALL)
_ATTRIBUTE = re.compile(rf"({_QUOTED}|[^\s'\"{{}},%]+)\s*(.*)", re.DOTALL)
_CONTENT = re.compile(rf"(?:(?<![^\s,{{])(?:{_QUOTED})|(?<=[^\s}}])%|[^%])*", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
_SPARSE = re.compile(r"(\d+)\s+(.+)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}


class Arff(TableDataset):
    r"""A table in an ARFF file, dense or sparse, gzip if its name ends in .gz.

    The file declares which attributes are numeric and which are nominal. X is a float array if all
    features are numeric, else a data frame whose nominal columns have category dtype, with the
    declared values in their order; a list of texts if the only feature is a string. Values omitted
    in a sparse row are 0, or the first declared value, as in Weka; ``?`` is a missing value. An
    unquoted percent sign at the start of a line, or after a blank, begins a comment. Labels are
    integers if all of them are written as integers, else text; if declared numeric, 1 and 1.0 are
    the same label.

    Raises
    ------
    DataError
        If the file does not exist, is not UTF-8, or violates the format; if an attribute does not
        exist, or has a type that cannot be a feature (dates; strings beside others); if a value is
        not declared or not a finite number; if labels are missing or all equal. Names file, line,
        attribute and value.

    References
    ----------
    Witten, I. H., Frank, E. and Hall, M. A. (2011). Data Mining, sec. 2.4.

    Examples
    --------
    >>> import ilk
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> text = "@relation fruit\n@attribute weight real\n@attribute 'its colour' {red, yellow}\n"
    >>> text += "@attribute class {apple, banana}\n@data\n152, red, apple\n?, yellow, banana\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.arff")
    ...     _ = path.write_text(text)
    ...     data = ilk.dataset("arff", path=path).load()
    >>> data.name, data.nominal, data.y.tolist()
    ('fruit', ('its colour',), ['apple', 'banana'])
    """

    target: str | None = param(
        default=None,
        type=str,
        doc="Attribute of the labels; None: the last attribute.",
    )
    inflated_mb: int = INFLATED

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.arff")
        return [cls(path=path), cls(path=path, missing="complete", ignore=["colour"])]

    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        arff = read_arff(path, self.inflated_mb)
        roles = self._roles(arff)
        for name in (roles.target, roles.groups):
            arff.write_alike(name)
        columns = Columns(arff.table, roles)
        self._check_kinds(arff, columns.features)
        return columns, arff.relation

    def _roles(self, arff: ArffText) -> Roles:
        target = arff.attributes[-1].name if self.target is None else self.target
        for argument, name in (("ignore", target), ("groups", self.groups)):
            taken = self.ignore if argument == "ignore" else (target,)
            if name is not None and name in taken:
                raise arff.table.error(
                    f"{argument} names the target {target!r}, the last attribute"
                )
        apart = {target, self.groups, *self.ignore}
        features = [one for one in arff.attributes if one.name not in apart]
        return Roles(
            target=target,
            nominal=_names(features, "nominal"),
            ignored=self.ignore,
            values={one.name: one.values for one in features if one.kind == "nominal"},
            text=_names(features, "string"),
            groups=self.groups,
            missing=self.missing,
            missing_values=(MISSING,),
        )

    @staticmethod
    def _check_kinds(arff: ArffText, features: Sequence[str]) -> None:
        kinds = {one.name: one.kind for one in arff.attributes}
        for name in features:
            if kinds[name] == "date" or (kinds[name] == "string" and len(features) > 1):
                raise arff.table.error(
                    f"attribute {name!r} is a {kinds[name]}, which is no feature; ignore it"
                )


def _names(attributes: Sequence[Attribute], kind: str) -> Any:
    return [one.name for one in attributes if one.kind == kind]


@dataclass(frozen=True)
class Attribute:
    """A declared attribute; `values` are the values of a nominal one, in declared order."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArffText:
    """Contents of an ARFF file: relation name, attributes, cells."""

    relation: str
    attributes: tuple[Attribute, ...]
    table: TableFile

    def write_alike(self, name: str | None) -> None:
        """Write equal numbers of a numeric attribute identically, for use as labels or groups.

        Raises
        ------
        DataError
            If a number is not finite.
        """
        for at, one in enumerate(self.attributes):
            if one.name != name or one.kind != "numeric":
                continue
            for position, row in enumerate(self.table.rows):
                if row[at] != MISSING:
                    row[at] = self._alike(row[at], name, position)

    def _alike(self, cell: str, name: str, position: int) -> str:
        value = float(cell)
        if not math.isfinite(value):
            raise self.table.error(
                f"column {name!r}: {cell!r} is not a finite number", row=position
            )
        if _WHOLE.fullmatch(cell):  # may have more digits than a float keeps
            return str(int(cell))
        return str(int(value)) if value.is_integer() else repr(value)


def read_arff(path: Path, inflated_mb: int) -> ArffText:
    """Read an ARFF file, dense or sparse; one whose name ends in ``.gz`` is decompressed.

    Raises
    ------
    DataError
        If it cannot be read, or violates the format; names file, line and attribute.
    """
    lines = _lines(read_text(path, inflated_mb))
    relation, attributes = _header(path, lines)
    table = TableFile(path, tuple(one.name for one in attributes), [], [])
    for number, line in lines:
        table.lines.append(number)
        table.rows.append(_row(table, attributes, line))
    if not table.rows:
        raise table.error("the file has no rows after @data")
    return ArffText(relation, attributes, table)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with content and their numbers, stripped and without comments.

    The definition of the format has comments on lines of their own only; Weka's reader also ends a
    line at any other unquoted percent sign. Here the percent sign must follow a blank or a
    closing brace: ``50%`` is a value, as in scipy's reader.
    """
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip()
        if "%" in content:
            content = _CONTENT.match(content)[0].strip()  # type: ignore[index]  # matches any text
        if content:
            yield number, content


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> tuple[str, tuple[Attribute, ...]]:
    """Parse the lines up to @data; return the relation's name and the attributes."""
    relation, attributes = "", []
    for number, line in lines:
        keyword, _, rest = re.sub(r"\s+", " ", line, count=1).partition(" ")
        match keyword.lower():
            case "@relation":
                relation = _cells(rest)[0][0]
            case "@attribute":
                attributes.append(_attribute(f"{path}:{number}", rest.strip()))
            case "@data":
                _check_names(path, attributes)
                return relation, tuple(attributes)
            case _:
                raise ilk.DataError(
                    f"{path}:{number}: expected @relation, @attribute or @data, got {line[:40]!r}"
                )
    raise ilk.DataError(f"{path}: no ARFF file: it has no @data")


def _check_names(path: Path, attributes: Sequence[Attribute]) -> None:
    if not attributes:
        raise ilk.DataError(f"{path}: no @attribute before @data")
    name, times = Counter(one.name for one in attributes).most_common(1)[0]
    if times > 1:
        raise ilk.DataError(f"{path}: the attribute {name!r} is declared {times} times")


def _attribute(place: str, text: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None or not match[2]:
        raise ilk.DataError(f"{place}: expected a name and a type after @attribute, got {text!r}")
    name, declared = _plain(match[1])[0], match[2].strip()
    if declared.startswith("{"):
        if not declared.endswith("}"):
            raise ilk.DataError(f"{place}: attribute {name!r}: its values have no closing brace")
        values = tuple(cell.strip() for cell, _ in _cells(declared[1:-1]))
        if len(set(values)) < len(values) or "" in values:
            raise ilk.DataError(f"{place}: attribute {name!r}: a value is empty, or stands twice")
        return Attribute(name, "nominal", values)
    word = declared.split()[0]
    if word.lower() not in _KINDS:
        hint = ilk.did_you_mean(word, _KINDS)
        raise ilk.DataError(f"{place}: attribute {name!r}: the type {word!r} cannot be read{hint}")
    return Attribute(name, _KINDS[word.lower()])


def _row(table: TableFile, attributes: Sequence[Attribute], line: str) -> list[str]:
    if line.startswith("{"):
        return _sparse(table, attributes, line)
    cells = _cells(line)
    if len(cells) != len(attributes):
        weight = "; weights of rows are not read" if cells[-1][0].startswith("{") else ""
        raise table.error(
            f"the row has {len(cells)} values, there are {len(attributes)} attributes{weight}", -1
        )
    return [_value(table, one, *cell) for one, cell in zip(attributes, cells, strict=True)]


def _sparse(table: TableFile, attributes: Sequence[Attribute], line: str) -> list[str]:
    """Parse a row that gives values by position; others are 0, or the first declared value."""
    bare = re.sub(_QUOTED, "", line)
    if not line.endswith("}") or bare.count("{") + bare.count("}") != 2:
        raise table.error("expected a sparse row in braces, and nothing after it", -1)
    row = [one.values[0] if one.kind == "nominal" else "0" for one in attributes]
    seen: set[int] = set()
    for item in _items(line[1:-1]):
        match = _SPARSE.fullmatch(item)
        position = int(match[1]) if match else -1
        if match is None or position in seen or position >= len(attributes):
            raise table.error(
                f"expected a position from 0 to {len(attributes) - 1}, each once, and a value, got "
                f"{item!r}",
                -1,
            )
        seen.add(position)
        row[position] = _value(table, attributes[position], *_plain(match[2].strip()))
    return row


def _items(text: str) -> list[str]:
    """Split the braces of a sparse row at its unquoted commas."""
    if not text.strip():
        return []
    return [item.strip() for item in re.findall(rf"(?:{_QUOTED}|[^,'\"]|['\"])+", text)]


def _value(table: TableFile, attribute: Attribute, cell: str, quoted: bool) -> str:
    if cell == "?" and not quoted:
        return MISSING
    if attribute.kind == "nominal" and cell.strip() not in attribute.values:
        hint = ilk.did_you_mean(cell, attribute.values)
        raise table.error(
            f"attribute {attribute.name!r}: {cell!r} is none of its {len(attribute.values)} "
            f"declared values{hint}",
            -1,
        )
    if attribute.kind == "numeric" and not is_number(cell):
        raise table.error(f"attribute {attribute.name!r}: {cell!r} is not a number", -1)
    return cell


def _cells(line: str) -> list[tuple[str, bool]]:
    """Split at unquoted commas; return each cell, and whether it was quoted."""
    if "'" not in line and '"' not in line:
        return [(cell.strip(), False) for cell in line.split(",")]
    cells, at = [], 0
    while True:
        match = _CELL.match(line, at)
        assert match is not None  # unquoted text extends to a comma or the end
        cells.append(_plain(match[1]))
        if match[2] == "":
            return cells
        at = match.end()


def _plain(cell: str) -> tuple[str, bool]:
    """Strip quotes, and tell whether there were any."""
    if len(cell) >= 2 and cell[0] == cell[-1] and cell[0] in "'\"":
        return _ESCAPE.sub(lambda m: _SIGNS.get(m[1], m[1]), cell[1:-1]), True
    return cell, False
