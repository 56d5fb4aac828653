"""The list of a folder's data sets: ``datasets.toml``."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ilk
from ilk_evaluation.datasets.table_file import read_bytes

LIST = "datasets.toml"
_RANGE = re.compile(r"(?P<name>.*?)(?P<first>\d+)\.\.(?P=name)(?P<last>\d+)")


@dataclass(frozen=True)
class Entry:
    """What ``datasets.toml`` says about one data set.

    Attributes
    ----------
    folder : Path
    name : str
    table : mapping
        As written.
    """

    folder: Path
    name: str
    table: Mapping[str, Any]

    @property
    def file(self) -> Path:
        """The data file."""
        file = self.table.get("file")
        if not isinstance(file, str):
            raise self.error(f"file must be the name of the data file, got {file!r}")
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise self.error(f"file must be in the folder of {LIST}, got {file!r}")
        return self.folder / file

    def error(self, message: str) -> ilk.DataError:
        """Return the error ``"datasets.toml: [datasets.name]: message"``."""
        return ilk.DataError(f"{self.folder / LIST}: [datasets.{self.name}]: {message}")

    def names(self, key: str) -> list[str]:
        """Names of columns, ranges such as ``p01..p12`` spelled out."""
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise self.error(f"{key} must be a list of names, got {value!r}")
        return self._spell(value)

    def views(self) -> dict[str, tuple[str, ...]]:
        """Named groups of columns."""
        views = self.table.get("views", [])
        try:
            return {view["name"]: tuple(self._spell(view["columns"])) for view in views}
        except (KeyError, TypeError) as error:
            raise self.error(f"views must be tables with name and columns: {error!r}") from None

    def rows_of(self, split: str) -> range:
        """Positions of the rows of one part, ``splits = { train = [1, 100] }``."""
        splits = self.table.get("splits", {})
        if split not in splits:
            known = f"it has {', '.join(splits)}" if splits else "it has none"
            hint = ilk.did_you_mean(split, splits)
            raise self.error(f"there is no split {split!r}{hint} ({known})")
        match splits[split]:
            case [int(first), int(last)] if 1 <= first <= last <= int(self.table.get("rows", last)):
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
        if int(first) > int(last) or (padded and len(first) != len(last)):
            raise self.error(f"{item!r} is no range of columns")
        width = len(first) if padded else 0
        return [f"{name}{number:0{width}}" for number in range(int(first), int(last) + 1)]


def find_entry(folder: Path, name: str) -> Entry:
    """Return what the list of a folder says about a data set.

    Raises
    ------
    DataError
        If there is no list, it is not TOML, or it has no such data set; names the closest.
    """
    path = folder / LIST
    try:
        listed = tomllib.loads(read_bytes(path).decode("utf-8")).get("datasets", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ilk.DataError(f"{path}: not valid TOML: {error}") from None
    if name not in listed:
        hint = ilk.did_you_mean(name, listed)
        raise ilk.DataError(f"{path}: there is no data set {name!r}{hint} (it has {len(listed)})")
    return Entry(folder, name, listed[name])
