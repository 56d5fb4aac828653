"""Data sets in a folder, described by its file ``datasets.toml``."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import ilk
from ilk import FilePath, Many, Param, Table, load_spec, param, short_repr
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.dialect import Layout, read_table
from ilk_evaluation.datasets.table_file import EXAMPLE, MISSING, TableFile
from ilk_evaluation.datasets.text_file import INFLATED, check_is_file, read_bytes, read_text

LIST = "datasets.toml"
_RANGE = re.compile(r"(?P<name>.*?)(?P<first>\d+)\.\.(?P=name)(?P<last>\d+)")
_MOST_COLUMNS = 100_000  # of a range: a typing error must not fill the memory
_NAMES = Param(list, items=Param(str))
_SPLIT = Param(list, items=Param(int, ge=1))

_ENTRY = Table(
    {
        "file": Param(ilk.FilePath),
        "rows": Param(int, ge=1),
        **dict.fromkeys(("columns", "nominal_columns", "text_columns", "id_columns"), _NAMES),
        "views": Many(
            Table({"name": Param(str), "columns": _NAMES}, ("name", "columns"), others=True),
            at_least=0,
        ),
        "splits": Param(dict, items=_SPLIT),
        **dict.fromkeys(("sha256", "title", "note", "citation"), Param(str)),
    },
    required=("file",),
    others=True,
)

_LAYOUT = Layout(",", header=True, comment="", padded=False)
VARIABLE = "ILK_DATA"
TARGET = "class"


class Folder(ilk.Dataset):
    """A data set of a folder with a description ``datasets.toml``.

    An entry ``[datasets.NAME]`` has ``file`` (comma-separated with a header, labels in column
    ``class``, empty cells are missing values). Optional keys: ``columns`` (checked against the
    header), ``nominal_columns``, ``text_columns``, ``id_columns`` (not features), ``views``
    (tables with ``name`` and ``columns``), ``splits`` (first and last row of each part, from
    1), ``sha256`` (checksum of the file), ``title`` and ``citation``. ``p01..p12`` stands
    for ``p01``, ``p02``, ... ``p12``.

    If the only feature is a text column, X is a list of texts; otherwise X and labels are as for
    `csv`, where every column that the entry does not list as nominal must be numeric.

    Raises
    ------
    DataError
        If the folder, data set or file does not exist, or the file contradicts the entry.

    Examples
    --------
    >>> import ilk
    >>> folder = type(ilk.dataset("folder", name="fruit")).examples()[0]
    >>> data = folder.load()
    >>> data.nominal, data.classes.tolist()
    (('colour',), ['apple', 'banana', 'pear'])
    """

    name: str | None = param(default=None, type=str, none=False, doc="Name of the data set.")
    path: str | Path | None = param(
        default=None,
        type=FilePath,
        doc="The folder; default: the environment variable ``ILK_DATA``.",
    )
    missing: str = MISSING
    split: str | None = param(default=None, type=str, doc="Use only the rows of this part.")
    inflated_mb: int = INFLATED

    @classmethod
    def examples(cls) -> list[Self]:
        """A small folder with one data set."""
        path = str(EXAMPLE)
        return [
            cls(name="fruit", path=path),
            cls(name="fruit", path=path, missing="complete"),
            cls(name="fruit", path=path, split="test"),
        ]

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.name is not None
        entry = find_entry(self._folder(), self.name)
        entry.verify()
        table = read_table(read_text(entry.file, self.inflated_mb), _LAYOUT)
        _check_header(entry, table)
        columns = Columns(table, self._roles(entry), self._rows(entry, table))
        y = columns.labels()
        X, nominal = columns.X()
        return ilk.Data(
            X=X,
            y=y,
            name=self.name,
            feature_names=tuple(columns.features),
            nominal=nominal,
            views=_views(entry, table, columns.features),
            description=_describe(entry),
            notes=tuple(table.notes),
        )

    def _folder(self) -> Path:
        place = self.path or os.environ.get(VARIABLE)
        if not place:
            raise ilk.DataError(
                f"{ilk.display_name(self)}: there is no folder: give path, or set the "
                f"environment variable {VARIABLE} to the folder that holds datasets.toml"
            )
        folder = Path(place).expanduser()
        if not folder.is_dir():
            origin = "path" if self.path else VARIABLE
            raise ilk.DataError(f"{ilk.display_name(self)}: {origin} is no folder: {folder}")
        return folder

    def _roles(self, entry: Entry) -> Roles:
        return Roles(
            target=TARGET,
            nominal=entry.names("nominal_columns"),
            ignored=entry.names("id_columns"),
            text=entry.names("text_columns"),
            missing=self.missing,
        )

    def _rows(self, entry: Entry, table: TableFile) -> range | None:
        if self.split is None:
            return None
        rows = entry.rows_of(self.split)
        if rows.stop > len(table.rows):
            raise entry.error(
                f"split {self.split!r} ends at row {rows.stop}, the file has {len(table.rows)}"
            )
        return rows

    def title(self) -> str:
        """Name of the data set, marked if only a part is used."""
        marks = [self.split, "complete" if self.missing == "complete" else None]
        suffix = ", ".join(mark for mark in marks if mark)
        return f"{self.name} ({suffix})" if suffix else str(self.name)


def _check_header(entry: Entry, table: TableFile) -> None:
    expected = [*entry.names("columns"), TARGET]
    if "columns" not in entry.table or list(table.header) == expected:
        return
    unexpected = [name for name in table.header if name not in expected]
    absent = [name for name in expected if name not in table.header]
    what = f"lacks {absent[:5]}" if absent else f"has {unexpected[:5]}" if unexpected else "differs"
    raise table.error(f"the header differs from the entry: it {what}")


def _views(entry: Entry, table: TableFile, features: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Views without the columns that are not features."""
    views = entry.views()
    for name, members in views.items():
        for column in members:
            table.position(column, f"view {name!r}")
    return {name: tuple(c for c in members if c in features) for name, members in views.items()}


def _describe(entry: Entry) -> str:
    texts = (entry.table.get(key, "") for key in ("title", "note", "citation"))
    return "\n\n".join(str(text) for text in texts if text)


@dataclass(frozen=True)
class Entry:
    """Entry of ``datasets.toml`` for one data set.

    Attributes
    ----------
    path : Path
        Path of ``datasets.toml``.
    name : str
    table : mapping
        As written, with the absolute path of the file.
    """

    path: Path
    name: str
    table: Mapping[str, Any]

    @property
    def file(self) -> Path:
        """The data file."""
        return Path(self.table["file"])

    def error(self, message: str) -> ilk.DataError:
        """Return the error ``"datasets.toml: [datasets.name]: message"``."""
        return ilk.DataError(f"{self.path}: [datasets.{self.name}]: {message}")

    def names(self, key: str) -> list[str]:
        """Names of columns, with ranges such as ``p01..p12`` expanded."""
        return self._spell(self.table.get(key, ()))

    def views(self) -> dict[str, tuple[str, ...]]:
        """Named groups of columns."""
        views = self.table.get("views", ())
        return {view["name"]: tuple(self._spell(view["columns"])) for view in views}

    def rows_of(self, split: str) -> range:
        """Positions of the rows of one part, ``splits = { train = [1, 100] }``."""
        splits = self.table.get("splits", {})
        if split not in splits:
            known = f"it has {', '.join(splits)}" if splits else "it has none"
            hint = ilk.did_you_mean(split, splits)
            raise self.error(f"there is no split {split!r}{hint} ({known})")
        match splits[split]:
            case [first, last] if first <= last <= self.table.get("rows", last):
                return range(first - 1, last)
            case other:
                raise self.error(f"split {split!r} must be [first row, last row], got {other!r}")

    def verify(self) -> None:
        """Check the data file against its SHA-256, if the entry has one.

        Raises
        ------
        DataError
            If they differ, or the file does not exist.
        """
        digest = hashlib.sha256(read_bytes(self.file)).hexdigest()
        stated = self.table.get("sha256", digest)
        if stated != digest:
            raise ilk.DataError(
                f"{self.file}: the file is not the one that {LIST} describes: its SHA-256 is "
                f"{digest}, not {stated}"
            )

    def _spell(self, names: Iterable[str]) -> list[str]:
        return [name for item in names for name in self._spell_one(item)]

    def _spell_one(self, item: str) -> list[str]:
        match = _RANGE.fullmatch(item)
        if match is None:
            return [item]
        name, first, last = match["name"], match["first"], match["last"]
        padded = first.startswith("0")
        if (padded and len(first) != len(last)) or (len(first), first) > (len(last), last):
            raise self.error(f"{short_repr(item)} is no range of columns")
        if len(last) > 9 or int(last) - int(first) >= _MOST_COLUMNS:
            raise self.error(f"{short_repr(item)} are more than {_MOST_COLUMNS:,} columns")
        width = len(first) if padded else 0
        return [f"{name}{number:0{width}}" for number in range(int(first), int(last) + 1)]


def find_entry(folder: Path, name: str) -> Entry:
    """Return the entry of ``datasets.toml`` for a data set.

    Raises
    ------
    DataError
        If there is no list, it is not TOML, it has no such data set (names the closest), or the
        entry is invalid; names file and line.
    """
    path = folder / LIST
    try:
        check_is_file(path)
        spec = load_spec(path)
        listed = spec.data.get("datasets", {})
        if isinstance(listed, Mapping) and name not in listed:
            hint = ilk.did_you_mean(name, listed)
            there = f"there is no data set {name!r}{hint} (it has {len(listed)})"
            raise ilk.DataError(f"{path}: {there}")
        grammar = Table({"datasets": Table({name: _ENTRY}, others=True)}, others=True)
        tables = ilk.resolve(spec, grammar=grammar).data
    except (ilk.SpecError, OSError) as error:  # OSError: the path is too long
        raise ilk.DataError(str(error)) from None
    entry, written = Entry(path, name, tables["datasets"][name]), Path(listed[name]["file"])
    if written.is_absolute() or ".." in written.parts:
        raise entry.error(f"file must be in the folder of {LIST}, got {short_repr(str(written))}")
    return entry
