"""The SQL of a store: tables, digests of rows, statements, and arrays as bytes.

Reading arrays and labels back runs no stored code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from ilk_evaluation.run.cell import Outcome


@dataclass(frozen=True)
class Table:
    """A table; its last column is the digest of the others.

    Attributes
    ----------
    name : str
    columns : mapping of str to str
        Names and types.
    key : str
        Columns of the primary key.
    """

    name: str
    columns: dict[str, str]
    key: str

    @property
    def made(self) -> str:
        """Statement that creates it."""
        columns = ", ".join(f"{name} {type_}" for name, type_ in self.columns.items())
        return f"CREATE TABLE {self.name} ({columns}, digest BLOB, PRIMARY KEY ({self.key}))"

    @property
    def listed(self) -> str:
        """Its columns except the digest."""
        return ", ".join(self.columns)

    def insert(self, otherwise: str) -> str:
        """Statement that inserts a row, given a value per column.

        Parameters
        ----------
        otherwise : {"ABORT", "IGNORE", "REPLACE"}
            Conflict clause for a key that exists already.
        """
        values = ", ".join(f"?{number}" for number in range(1, len(self.columns) + 1))
        return f"INSERT OR {otherwise} INTO {self.name} VALUES ({values}, sealed({values}))"  # noqa: S608  # our own names

    def copy(self, source: str, otherwise: str = "ABORT") -> str:
        """Statement that inserts all rows of a table or query with the same columns."""
        return (
            f"INSERT OR {otherwise} INTO main.{self.name}"  # noqa: S608  # our own names
            f" SELECT {self.listed}, sealed({self.listed}) FROM {source}"
        )


def _table(name: str, columns: str, key: str) -> Table:
    return Table(name, dict(column.split(" ", 1) for column in columns.split(", ")), key)


TABLES = {
    table.name: table
    for table in (
        _table(
            "runs",
            "id INTEGER, started TEXT, name TEXT, seed INTEGER, spec TEXT, environment TEXT,"
            " fallback TEXT",
            "id",
        ),
        _table(
            "planned",
            "run INTEGER, dataset INTEGER, number INTEGER, repeat INTEGER, fold INTEGER,"
            " split TEXT",
            "run, dataset, number",
        ),
        _table(
            "datasets",
            "fingerprint TEXT, name TEXT, n_features INTEGER, classes TEXT, y BLOB",
            "fingerprint",
        ),
        _table("pipelines", "key TEXT, spec TEXT, versions TEXT", "key"),
        _table("splits", "key TEXT, fingerprint TEXT, test BLOB, n_train INTEGER", "key"),
        _table(
            "cells",
            "key TEXT, run INTEGER, split TEXT, pipeline TEXT, labels BLOB, probabilities BLOB,"
            " scores BLOB, fit_seconds REAL, predict_seconds REAL, reduction REAL, warnings TEXT,"
            " error TEXT, traceback TEXT, fallback INTEGER NOT NULL, together INTEGER,"
            " saved_seconds REAL",
            "key",
        ),
    )
}


def sealed(*values: Any) -> bytes:
    """Digest of the values of a row; equal numbers have equal digests.

    A column may return 1.0 for a stored 1.
    """
    parts: list[bytes] = []
    for value in values:
        binary = isinstance(value, bytes)
        if binary:
            part = value
        elif isinstance(value, float) and value.is_integer():
            part = repr(int(value)).encode()
        else:
            part = repr(value).encode()
        parts += (b"%d%c" % (len(part), b"tb"[binary]), part)
    return blake2b(b"".join(parts), digest_size=16).digest()


def damage(connection: sqlite3.Connection, *, digests: bool) -> str | None:
    """Describe the first damage found; None if there is none.

    Parameters
    ----------
    connection : sqlite3.Connection
    digests : bool
        Whether rows have digests; else only the structure of the file is checked.
    """
    (message,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if message != "ok":
        return " ".join(str(message).split())
    if digests:
        for table in TABLES.values():
            listed = ", ".join(_columns(connection, table))
            query = f"SELECT rowid FROM main.{table.name} WHERE digest IS NOT sealed({listed})"  # noqa: S608  # our own names
            found = connection.execute(query).fetchone()
            if found is not None:
                return f"a value in row {found[0]} of {table.name} was changed"
    return None


def _columns(connection: sqlite3.Connection, table: Table) -> list[str]:
    """Names of the columns of a table, today's or those of version 6."""
    there = {row[1] for row in connection.execute(f"PRAGMA main.table_info({table.name})")}
    return [name for name in table.columns if name != "saved_seconds" or name in there]


COMPLETED = "SELECT rowid, *, 0.0 AS saved_seconds FROM"
"""Cells of versions 5 and 6, which shared no steps, with the columns of today."""


def upgrade(version: int) -> Iterator[str]:
    """Yield the statements that upgrade version 5 or 6.

    Version 5 stored no digests, and the plan of the last run only.
    """
    for name, table in TABLES.items():
        source = f"old_{name}"
        if name == "cells":
            source = f"({COMPLETED} {source})"
        elif version == 6:
            continue
        elif name == "planned":
            source = f"(SELECT (SELECT max(id) FROM runs) AS run, * FROM {source})"  # noqa: S608  # our own names
        yield f"ALTER TABLE {name} RENAME TO old_{name}"
        yield table.made
        yield table.copy(source)
        yield f"DROP TABLE old_{name}"


def pack(array: Any) -> bytes | None:
    """Write an array: a line with its type and shape, then its bytes; None stays None."""
    if array is None:
        return None
    values = np.asarray(array)
    if values.dtype.hasobject:
        raise TypeError(f"objects cannot be stored, got an array of {values.dtype}")
    head = f"{values.dtype.str} {' '.join(map(str, values.shape))}\n"
    return head.encode() + values.tobytes()


def unpack(blob: bytes | None) -> Any:
    """Read an array that `pack` wrote; it is read-only."""
    if blob is None:
        return None
    head, _, content = blob.partition(b"\n")
    dtype, *shape = head.decode().split()
    return np.frombuffer(content, dtype=np.dtype(dtype)).reshape(tuple(map(int, shape)))


def pack_labels(labels: np.ndarray) -> str:
    """Write labels (strings, numbers, booleans) as JSON together with their type."""
    return json.dumps({"dtype": labels.dtype.str, "values": labels.tolist()})


def unpack_labels(text: str) -> np.ndarray:
    """Read labels that `pack_labels` wrote."""
    table = json.loads(text)
    return np.array(table["values"], dtype=np.dtype(table["dtype"]))


OUTCOME = (
    "SELECT fingerprint, test, labels, probabilities, scores, fit_seconds, predict_seconds,"
    " reduction, warnings, error, traceback, fallback, together, saved_seconds"
    " FROM cells LEFT JOIN splits ON splits.key = cells.split WHERE cells.key = ?"
)
PUT_RUN = TABLES["runs"].insert("ABORT")
PUT_PLANNED = TABLES["planned"].insert("ABORT")
PUT_DATASET = TABLES["datasets"].insert("IGNORE")
PUT_PIPELINE = TABLES["pipelines"].insert("IGNORE")
PUT_SPLIT = TABLES["splits"].insert("IGNORE")
PUT_CELL = TABLES["cells"].insert("REPLACE")
FORGET_PLANNED = "DELETE FROM planned WHERE run NOT IN (SELECT max(id) FROM runs GROUP BY name)"
"""Keeps the plan of the last run of each experiment."""


def row_of(key: str, outcome: Outcome, run: int, split: str, pipeline: str) -> tuple[Any, ...]:
    """The values of a row of the table of cells."""
    return (
        *(key, run, split, pipeline),
        *map(pack, (outcome.codes, outcome.probabilities, outcome.scores)),
        *(outcome.fit_seconds, outcome.predict_seconds, outcome.reduction),
        json.dumps(outcome.warnings) if outcome.warnings else None,
        *(outcome.error, outcome.traceback, outcome.fallback, outcome.together),
        outcome.saved_seconds,
    )


class CellRow(NamedTuple):
    """A row of the table of cells, without its predictions.

    Attributes
    ----------
    row : int
        Grows with each write, also when a cell replaces an earlier outcome.
    key : str
    run : int
        Number of the run that wrote it.
    error : str or None
    fallback : bool
    seconds : float or None
        Spent on fitting and predicting.
    """

    row: int
    key: str
    run: int
    error: str | None
    fallback: bool
    seconds: float | None
