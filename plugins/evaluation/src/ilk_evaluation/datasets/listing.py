"""The list of a folder's data sets: ``datasets.toml``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ilk
from ilk import Many, Param, Table
from ilk.spec import load
from ilk.wording import show
from ilk_evaluation.datasets.table_file import check_is_file, read_bytes

LIST = "datasets.toml"
_RANGE = re.compile(r"(?P<name>.*?)(?P<first>\d+)\.\.(?P=name)(?P<last>\d+)")
_MOST_COLUMNS = 100_000
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


@dataclass(frozen=True)
class Entry:
    """What ``datasets.toml`` says about one data set.

    Attributes
    ----------
    path : Path
        The list.
    name : str
    table : mapping
        As written, with the file's whole path.
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
        """Names of columns, ranges such as ``p01..p12`` spelled out."""
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
        """Compare the data file with its SHA-256, where the list gives one.

        Raises
        ------
        DataError
            If they differ, or the file is not there.
        """
        found = hashlib.sha256(read_bytes(self.file)).hexdigest()
        stated = self.table.get("sha256", found)
        if stated != found:
            raise ilk.DataError(
                f"{self.file}: the file is not the one that {LIST} describes: its SHA-256 is "
                f"{found}, not {stated}"
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
            raise self.error(f"{show(item)} is no range of columns")
        if len(last) > 9 or int(last) - int(first) >= _MOST_COLUMNS:
            raise self.error(f"{show(item)} are more than {_MOST_COLUMNS:,} columns")
        width = len(first) if padded else 0
        return [f"{name}{number:0{width}}" for number in range(int(first), int(last) + 1)]


def find_entry(folder: Path, name: str) -> Entry:
    """Return what the list of a folder says about a data set.

    Raises
    ------
    DataError
        If there is no list, it is not TOML, it has no such data set, names the closest, or what
        it says about it is not what it can say; names file and line.
    """
    path = folder / LIST
    try:
        check_is_file(path)
        spec = load(path)
        listed = spec.data.get("datasets", {})
        if isinstance(listed, Mapping) and name not in listed:
            hint = ilk.did_you_mean(name, listed)
            there = f"there is no data set {name!r}{hint} (it has {len(listed)})"
            raise ilk.DataError(f"{path}: {there}")
        grammar = Table({"datasets": Table({name: _ENTRY}, others=True)}, others=True)
        tables = ilk.resolve(spec, grammar=grammar).data
    except (ilk.SpecError, OSError) as error:  # of a path that is too long
        raise ilk.DataError(str(error)) from None
    entry, written = Entry(path, name, tables["datasets"][name]), Path(listed[name]["file"])
    if written.is_absolute() or ".." in written.parts:
        raise entry.error(f"file must be in the folder of {LIST}, got {show(str(written))}")
    return entry
