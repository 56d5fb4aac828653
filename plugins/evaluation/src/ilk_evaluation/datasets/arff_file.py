"""ARFF files: attributes and rows of cells; every error names the file and the line."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import ilk
from ilk import param
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.spelling import days, is_plain_number
from ilk_evaluation.datasets.table_file import EXAMPLE, TableDataset, TableFile, UsedColumns
from ilk_evaluation.datasets.text_file import ENCODING, INFLATED, check_encoding, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ilk_evaluation.datasets.text_file import TextFile

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
_KEYWORD = re.compile(  # KEEL's files may lack the blank after it
    r"@(relation|attribute|data|input|output)(?:(?<=put)s)?(.*)", re.IGNORECASE | re.DOTALL
)
_WEIGHT = re.compile(r"\s*\{\s*[0-9.eE+-]+\s*\}$")
_BY_BLANKS = re.compile(rf"{_QUOTED}|[^\s,]+", re.DOTALL)
_SPARSE = re.compile(r"(\d+)\s+(.+)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}

_JAVA_DATES = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "EEE": "%a",
    "a": "%p",
    "Z": "%z",
}


class Arff(TableDataset):
    r"""A table in an ARFF file as Weka, MOA and KEEL write it, dense or sparse.

    The file declares which attributes are numeric and which are nominal. X is a float array if all
    features are numeric, else a data frame whose nominal columns have category dtype, with the
    declared values in their order; a list of texts if the only feature is a string. Values omitted
    in a sparse row are 0, or the first declared value, as in Weka; ``?`` is a missing value. An
    unquoted percent sign at the start of a line, or after a blank, begins a comment. Values stand
    between commas, tabs or blanks. Dates are numbers of days since 1970-01-01. Weights of
    attributes and rows are left out. Of a KEEL file (``.dat``), ``@inputs`` are the features and
    ``@outputs`` is the target. Labels are integers if all of them are written as integers, else
    text; if declared numeric, 1 and 1.0 are the same label. Files packed by gzip, xz, bzip2 or zip
    are unpacked.

    Raises
    ------
    DataError
        If the file does not exist, is no text, or violates the format; if an attribute does not
        exist, or has a type that cannot be a feature (strings beside others); if a value is
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

    target: str | int | None = param(
        default=None,
        type=(str, int),
        doc="Attribute of the labels: its name, or its position from 0, or from the end; None: "
        "that of ``@outputs``, else the last attribute.",
    )
    encoding: str = ENCODING
    inflated_mb: int = INFLATED

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.arff")
        return [cls(path=path), cls(path=path, missing="complete", ignore=["colour"])]

    def check_parameters(self) -> None:
        """Check each parameter, and that no attribute has two roles."""
        super().check_parameters()
        check_encoding(self, self.encoding)

    def names(self) -> tuple[str, ...]:
        """Names of all attributes of the file."""
        self.check_parameters()
        assert self.path is not None
        path = Path(self.path).expanduser()
        return read_arff(read_text(path, self.inflated_mb, self.encoding)).table.header

    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        arff = read_arff(read_text(path, self.inflated_mb, self.encoding))
        roles = self._roles(arff)
        for name in (roles.target, roles.groups):
            arff.write_alike(name)
        arff.convert_dates(tuple(roles.days))
        columns = Columns(arff.table, roles)
        for one in arff.attributes:
            if one.kind == "string" and one.name in columns.features and len(columns.features) > 1:
                raise arff.table.error(
                    f"attribute {one.name!r} is a string, which is no feature; ignore it"
                )
        return columns, arff.relation

    def _roles(self, arff: ArffText) -> Roles:
        unlabelled = self.labels == "unknown"
        target = "" if unlabelled and self.target == "" else arff.target(self.target)
        for argument, name in (("ignore", target), ("groups", self.groups)):
            taken = self.ignore if argument == "ignore" else (target,)
            if name is not None and name in taken:
                raise arff.table.error(
                    f"{argument} names the target {target!r}, the last attribute"
                )
        apart = {target, self.groups, *self.ignore}
        features = [one for one in arff.attributes if one.name not in apart]
        unused = [one.name for one in features if arff.inputs and one.name not in arff.inputs]
        if unused:
            arff.table.notes.append(f"{', '.join(unused)} left out: not among @inputs")
            features = [one for one in features if one.name not in unused]
        return Roles(
            target=None if unlabelled else target,
            nominal=_names(features, "nominal"),
            ignored=[*self.ignore, *unused, *([target] if unlabelled and target else [])],
            values={one.name: one.values for one in features if one.kind == "nominal"},
            text=_names(features, "string"),
            groups=self.groups,
            missing=self.missing,
            missing_values=(MISSING,),
            days=_names(features, "date"),
        )


def _names(attributes: Sequence[Attribute], kind: str) -> Any:
    return [one.name for one in attributes if one.kind == kind]


@dataclass(frozen=True)
class Attribute:
    """A declared attribute: declared values of a nominal one, the format of dates."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    form: str = ""


@dataclass(frozen=True)
class ArffText:
    """Contents of an ARFF file: relation name, attributes, cells; of KEEL's also the roles."""

    relation: str
    attributes: tuple[Attribute, ...]
    table: TableFile
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    def target(self, given: str | int | None) -> str:
        """Name of the target: as given, else that of @outputs, else the last attribute."""
        if given is not None:
            return self.table.header[self.table.position(given, "target")]
        if len(self.outputs) > 1:
            raise self.table.error(f"has several @outputs ({', '.join(self.outputs)}): give target")
        name = self.outputs[0] if self.outputs else self.attributes[-1].name
        return self.table.header[self.table.position(name, "@outputs")]

    def convert_dates(self, names: Sequence[str]) -> None:
        """Write dates of the features as days since 1970-01-01.

        Raises
        ------
        DataError
            If a cell is no date of the declared format; names attribute, line and cell.
        """
        for at, one in enumerate(self.attributes):
            if one.kind != "date" or one.name not in names:
                continue
            for position, row in enumerate(self.table.rows):
                if row[at] == MISSING:
                    continue
                found = days([row[at]], one.form) if one.form else None
                if found is None:
                    raise self.table.error(
                        f"attribute {one.name!r}: {row[at]!r} is no date of its format; list it "
                        f"in ignore",
                        row=position,
                    )
                row[at] = repr(found[row[at]])

    def write_alike(self, name: str | int | None) -> None:
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


def read_arff(file: TextFile) -> ArffText:
    """Read the text of an ARFF file, dense or sparse.

    Raises
    ------
    DataError
        If it violates the format; names file, line and attribute.
    """
    lines = _lines(file.text)
    head = _header(file.path, lines)
    names = tuple(one.name for one in head.attributes)
    table = TableFile(file.path, names, [], [], list(file.notes), file.dialect)
    values = {one.name: frozenset(one.values) for one in head.attributes}
    weighted = 0
    for number, line in lines:
        bare = _without_weight(line)
        weighted += bare != line
        table.lines.append(number)
        table.rows.append(_row(table, head.attributes, values, bare))
    if not table.rows:
        raise table.error("the file has no rows after @data")
    if weighted:
        table.notes.append(f"weights of rows are left out ({weighted})")
    return replace(head, table=table)


def _without_weight(line: str) -> str:
    """A row without the weight that may stand in braces at its end."""
    match = _WEIGHT.search(line)
    bare = line[: match.start()] if match else ""
    return bare.removesuffix(",") if bare.endswith((",", "}")) else line


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with content and their numbers, stripped and without comments.

    The definition of the format has comments on lines of their own only; Weka's reader also ends a
    line at any other unquoted percent sign. Here the percent sign must follow a blank or a
    closing brace: ``50%`` is a value, as in scipy's reader.
    """
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        content = line.strip()
        if "%" in content:
            content = _CONTENT.match(content)[0].strip()  # type: ignore[index]  # matches any text
        if content:
            yield number, content


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> ArffText:
    """Parse the lines up to @data."""
    relation, attributes = "", []
    roles: dict[str, tuple[str, ...]] = {}
    for number, line in lines:
        match = _KEYWORD.fullmatch(line)
        keyword, rest = (match[1].lower(), match[2].strip()) if match else ("", "")
        match keyword:
            case "relation":
                relation = _cells(rest)[0][0]
            case "attribute":
                attributes.append(_attribute(f"{path}:{number}", rest))
            case "input" | "output":
                roles[keyword] = tuple(name for name, _ in _cells(rest) if name)
            case "data":
                _check_names(path, attributes)
                table = TableFile(path, (), [], [])
                inputs, outputs = roles.get("input", ()), roles.get("output", ())
                return ArffText(relation, tuple(attributes), table, inputs, outputs)
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
    name, declared = _unquoted(match[1])[0], _WEIGHT.sub("", match[2].strip()) or match[2].strip()
    if declared.startswith("{"):
        if not declared.endswith("}"):
            raise ilk.DataError(f"{place}: attribute {name!r}: its values have no closing brace")
        values = tuple(cell.strip() for cell, _ in _cells(declared[1:-1]))
        if len(values) > 1 and not values[-1]:
            values = values[:-1]  # a comma before the brace
        if len(set(values)) < len(values) or "" in values:
            raise ilk.DataError(f"{place}: attribute {name!r}: a value is empty, or stands twice")
        return Attribute(name, "nominal", values)
    word = re.split(r"[\s\[]", declared, maxsplit=1)[0]
    if word.lower() not in _KINDS:
        hint = ilk.did_you_mean(word, _KINDS)
        raise ilk.DataError(f"{place}: attribute {name!r}: the type {word!r} cannot be read{hint}")
    kind = _KINDS[word.lower()]
    form = _date_form(declared[len(word) :].strip()) if kind == "date" else ""
    return Attribute(name, kind, form=form)


def _date_form(written: str) -> str:
    """Java's format of dates as Python's; empty if it cannot be translated."""
    java, form = _unquoted(written)[0], ""
    if not java:
        return "iso"
    for token in re.findall(r"'[^']*'|([A-Za-z])(\1*)|(.)", java):
        letters = token[0] + token[1]
        if letters and letters not in _JAVA_DATES:
            return ""
        form += _JAVA_DATES[letters] if letters else token[2]
    return form


def _row(
    table: TableFile,
    attributes: Sequence[Attribute],
    values: Mapping[str, frozenset[str]],
    line: str,
) -> list[str]:
    if line.startswith("{"):
        return _sparse(table, attributes, values, line)
    cells = _cells(line)
    if len(cells) > 1 and cells[-1] == ("", False):
        cells.pop()  # a comma at the end
    if len(cells) != len(attributes):
        cells = _by_blanks(line, len(attributes)) or cells
    if len(cells) != len(attributes):
        raise table.error(
            f"the row has {len(cells)} values, there are {len(attributes)} attributes", -1
        )
    return [
        _value(table, one, values[one.name], *cell)
        for one, cell in zip(attributes, cells, strict=True)
    ]


def _by_blanks(line: str, width: int) -> list[tuple[str, bool]] | None:
    """Split at commas, tabs and blanks, as Weka's reader does; None if the number differs."""
    cells = [_unquoted(cell) for cell in _BY_BLANKS.findall(line)]
    return cells if len(cells) == width else None


def _sparse(
    table: TableFile,
    attributes: Sequence[Attribute],
    values: Mapping[str, frozenset[str]],
    line: str,
) -> list[str]:
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
        one = attributes[position]
        row[position] = _value(table, one, values[one.name], *_unquoted(match[2].strip()))
    return row


def _items(text: str) -> list[str]:
    """Split the braces of a sparse row at its unquoted commas."""
    if not text.strip():
        return []
    return [item.strip() for item in re.findall(rf"(?:{_QUOTED}|[^,'\"]|['\"])+", text)]


def _value(
    table: TableFile, attribute: Attribute, values: frozenset[str], cell: str, quoted: bool
) -> str:
    if not quoted and (cell == "?" or (cell == "<null>" and cell not in values)):
        return MISSING
    name = attribute.name
    if attribute.kind == "nominal" and cell.strip() not in values:
        hint = ilk.did_you_mean(cell, attribute.values)
        raise table.error(
            f"attribute {name!r}: {cell!r} is none of its {len(values)} declared values{hint}", -1
        )
    if attribute.kind == "numeric" and not is_plain_number(cell):
        raise table.error(f"attribute {name!r}: {cell!r} is not a number", -1)
    return cell


def _cells(line: str) -> list[tuple[str, bool]]:
    """Split at unquoted commas; return each cell, and whether it was quoted."""
    if "'" not in line and '"' not in line:
        return [(cell.strip(), False) for cell in line.split(",")]
    cells, at = [], 0
    while True:
        match = _CELL.match(line, at)
        assert match is not None  # unquoted text extends to a comma or the end
        cells.append(_unquoted(match[1]))
        if match[2] == "":
            return cells
        at = match.end()


def _unquoted(cell: str) -> tuple[str, bool]:
    """Strip quotes, and tell whether there were any."""
    if len(cell) >= 2 and cell[0] == cell[-1] and cell[0] in "'\"":
        return _ESCAPE.sub(lambda m: _SIGNS.get(m[1], m[1]), cell[1:-1]), True
    return cell, False
