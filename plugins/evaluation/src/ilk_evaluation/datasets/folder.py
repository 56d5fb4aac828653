"""A data set of a folder that lists its files in ``datasets.toml``."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar, Self

import ilk
from ilk import Param
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.listing import Entry, find_entry
from ilk_evaluation.datasets.one_table import EXAMPLE
from ilk_evaluation.datasets.table_file import INFLATED, INFLATED_MB, TableFile, read_table

VARIABLE = "ILK_DATA"
TARGET = "class"


class Folder(ilk.Dataset):
    """A data set of a folder whose datasets.toml says what each file holds.

    An entry ``[datasets.NAME]`` has ``file`` (comma-separated with a header, the labels in
    column ``class``, a missing value is an empty cell) and may have ``columns`` (compared with
    the header), ``nominal_columns``, ``text_columns``, ``id_columns`` (no features), ``views``
    (tables with ``name`` and ``columns``), ``splits`` (first and last row of each part, from
    1), ``sha256`` (compared with the file), ``title`` and ``citation``. ``p01..p12`` stands
    for ``p01``, ``p02``, ... ``p12``.

    A data set of one text column gives a list of texts; otherwise X and labels are as for
    `csv`, where every column that the entry does not call nominal must hold numbers.

    Parameters
    ----------
    name : str
        Of the data set.
    path : path, optional
        The folder; the environment variable ``ILK_DATA`` if left out.
    missing : {"keep", "complete"}, default="keep"
        "keep" leaves missing values in (NaN), "complete" leaves rows out that have any, the
        label included. A row without a label is an error under "keep".
    split : str, optional
        Take only the rows of this part.
    inflated_mb : int, default=256
        A .gz file that inflates to more megabytes is refused.

    Raises
    ------
    DataError
        If there is no such folder, data set or file, or the file is not what the entry says.

    Examples
    --------
    >>> import ilk
    >>> folder = type(ilk.dataset("folder", name="fruit")).examples()[0]
    >>> data = folder.load()
    >>> data.nominal, data.classes.tolist()
    (('colour',), ['apple', 'banana', 'pear'])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "name": Param(str, doc="Name of the data set in datasets.toml."),
        "path": Param(ilk.FilePath, none=True, doc=f"The folder; {VARIABLE} if left out."),
        "missing": Param(
            choices=("keep", "complete"), doc="Keep missing values, or only complete rows."
        ),
        "split": Param(str, none=True, doc="Take only the rows of this part."),
        "inflated_mb": INFLATED,
    }

    def __init__(
        self,
        name: str | None = None,
        path: str | Path | None = None,
        missing: str = "keep",
        split: str | None = None,
        inflated_mb: int = INFLATED_MB,
    ) -> None:
        self.name = name
        self.path = path
        self.missing = missing
        self.split = split
        self.inflated_mb = inflated_mb

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
        table = read_table(entry.file, inflated_mb=self.inflated_mb)
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
        """Name of the data set, marked by what is taken of it."""
        marks = [self.split, "complete" if self.missing == "complete" else None]
        said = ", ".join(mark for mark in marks if mark)
        return f"{self.name} ({said})" if said else str(self.name)


def _check_header(entry: Entry, table: TableFile) -> None:
    expected = [*entry.names("columns"), TARGET]
    if "columns" not in entry.table or list(table.header) == expected:
        return
    unexpected = [name for name in table.header if name not in expected]
    absent = [name for name in expected if name not in table.header]
    what = f"lacks {absent[:5]}" if absent else f"has {unexpected[:5]}" if unexpected else "differs"
    raise table.error(f"the header is not what the entry says: it {what}")


def _views(entry: Entry, table: TableFile, kept: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Views without the columns that are no features."""
    views = entry.views()
    for name, members in views.items():
        for column in members:
            table.position(column, f"view {name!r}")
    return {name: tuple(c for c in members if c in kept) for name, members in views.items()}


def _describe(entry: Entry) -> str:
    said = (entry.table.get(key, "") for key in ("title", "note", "citation"))
    return "\n\n".join(str(text) for text in said if text)
