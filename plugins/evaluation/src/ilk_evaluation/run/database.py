"""The SQLite file of a store: opened, checked, locked, with errors that name it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.lock import HeldError, Lock
from ilk_evaluation.run.sql import COMPLETED, TABLES, damage, sealed, upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION = 0x696C6B31
"""Marks a SQLite file as an ilk store (PRAGMA application_id)."""
SCHEMA = 7
"""Version of the tables (PRAGMA user_version)."""
UNSEALED, UNSHARED = 5, 6
"""Versions that are readable, and upgraded to `SCHEMA` on the next write: the rows of the first
have no digests, and both lack the seconds saved by shared steps."""
BUSY = 60.0
"""Seconds to wait for another reader or writer; SQLite's default of 5 s is too short on a busy
machine."""
_RECOVER = "`sqlite3 {path} .recover` saves its readable rows. Move the file away to start over"
_WORDS = {
    sqlite3.SQLITE_NOTADB: "is not a store of ilk",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full",
    sqlite3.SQLITE_IOERR: "cannot be read or written: {error}; is the disk full, or gone?",
    sqlite3.SQLITE_READONLY: "cannot be written: it is read-only",
    sqlite3.SQLITE_CORRUPT: f"is damaged ({{error}}); {_RECOVER}",
    sqlite3.SQLITE_ERROR: "is damaged ({error})",  # a table or a column is missing
    None: "is damaged, a value in it cannot be read ({error})",  # raised by Python: invalid UTF-8
}
_MAGIC = b"SQLite format 3\0"
_LONGEST = 200  # characters of SQLite's message, which may quote damaged bytes


class StoreError(ilk.IlkError):
    """A store cannot be opened, read or written."""


@contextmanager
def explained(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into `StoreError`."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # schemas, too, may be no UTF-8
        code = getattr(error, "sqlite_errorcode", None)
        code = code if code is None else code & 0xFF
        words = _WORDS.get(code, "cannot be used as a store: {error}")
        message = " ".join(str(error).split())[:_LONGEST]
        raise StoreError(f"{path}: {words.format(error=message, path=path)}") from error


def connected(path: Path | None, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a file, or a temporary one; any thread may read or close it.

    SQLite gets the path as a URI, in which no part of the path has a special meaning.
    """
    place = "" if path is None else _uri(path, "ro" if read_only else "rwc")
    connection = sqlite3.connect(place, uri=path is not None, timeout=BUSY, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.create_function("sealed", -1, sealed, deterministic=True)
    return connection


def _uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"


def prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    """Create missing tables, check existing ones, and switch to write-ahead logging."""
    with explained(path):
        (n_objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not n_objects and not _application(connection):
            tables = "; ".join(table.made for table in TABLES.values())
            connection.executescript(
                f"BEGIN; {tables}; PRAGMA application_id = {APPLICATION};"
                f" PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
        if (version := check(connection, path)) != SCHEMA:
            verify(connection, path, digests=version != UNSEALED)
            statements = "; ".join(upgrade(version))
            connection.executescript(
                f"BEGIN IMMEDIATE; {statements}; PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        # without write-ahead logging (some network file systems) only FULL survives a power cut
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if mode == 'wal' else 'FULL'}")


def _application(connection: sqlite3.Connection) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return int(application)


def complete(connection: sqlite3.Connection, path: Path | None) -> None:
    """Let the cells of an older version be read like those of today; the file is not changed."""
    with explained(path):
        connection.execute(f"CREATE TEMP VIEW cells AS {COMPLETED} main.cells")


_ACTIVE = "SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')"


def check(connection: sqlite3.Connection, path: Path | None) -> int:
    """Return the version of a store.

    Raises
    ------
    StoreError
        Unless the file is a store of a version that can be read.
    """
    with explained(path):
        application = _application(connection)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        columns = {row[1] for row in connection.execute("PRAGMA main.table_info(cells)")}
        (n_active,) = connection.execute(_ACTIVE).fetchone()
    if n_active:
        raise StoreError(f"{path}: has triggers or views, which no store of ilk has")
    if application != APPLICATION:
        raise StoreError(f"{path}: is not a store of ilk")
    if version not in {SCHEMA, UNSEALED, UNSHARED}:
        raise StoreError(
            f"{path}: has version {version} of the store's format, this ilk writes "
            f"version {SCHEMA}; choose another file"
        )
    if (("digest" in columns), ("saved_seconds" in columns)) != (
        version != UNSEALED,
        version == SCHEMA,
    ):
        raise StoreError(f"{path}: is damaged (its tables are not those of version {version})")
    return int(version)


def verify(connection: sqlite3.Connection, path: Path | None, *, digests: bool) -> None:
    """Raise StoreError if any value in a store differs from the value written."""
    with explained(path):
        message = damage(connection, digests=digests)
    if message is not None:
        raise StoreError(f"{path}: is damaged ({message}); {_RECOVER.format(path=path)}")


def check_writable(path: Path) -> None:
    """Raise StoreError if no store can be written at a path; nothing is written."""
    if Path(os.path.realpath(path)).is_symlink():
        raise StoreError(f"{path}: cannot be written: it is a link that leads to itself")
    with reachable(path):
        _check_writable(path)


@contextmanager
def reachable(path: Path) -> Iterator[None]:
    """Turn the system's errors about a path into `StoreError`."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def undamaged(path: Path | None) -> Iterator[None]:
    """Name the store in errors about unreadable contents."""
    try:
        yield
    except (
        ValueError,
        LookupError,
        TypeError,
        ArithmeticError,
        AssertionError,
        AttributeError,
        MemoryError,
        RecursionError,
    ) as error:
        raise StoreError(
            f"{path}: is damaged, a value in it cannot be read ({type(error).__name__}: {error})"
        ) from error


def _check_writable(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path}: is a folder, not a file")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is a device or a pipe, not a file")
    for beside in companions(path):
        if beside.is_symlink():
            raise StoreError(f"{path}: cannot be written: {beside} is a link, no part of a store")
    if path.is_file() and path.stat().st_size and not _is_sqlite(path):
        raise StoreError(f"{path}: is not a store of ilk")
    existing = next(place for place in (path, *path.absolute().parents) if place.exists())
    if existing != path and not existing.is_dir():
        raise StoreError(f"{path}: cannot be written: {existing} is a file, not a folder")
    for place in {existing, existing if existing.is_dir() else existing.absolute().parent}:
        if not os.access(place, os.W_OK):  # SQLite writes beside the file, too
            raise StoreError(f"{path}: cannot be written: no permission for {place}")


def companions(path: Path) -> list[Path]:
    """Files beside a store: SQLite's own, and the lock."""
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    return [path.with_name(f"{path.name}{end}") for end in ("-journal", "-wal", "-shm", ".lock")]


def _is_sqlite(path: Path) -> bool:
    """Tell whether a file has SQLite's header: SQLite itself accepts very short files as empty."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


_GLANCE = 1.0
"""Seconds to wait for short readers, such as `ilk watch`, to close the store."""


def settle(connection: sqlite3.Connection) -> None:
    """Leave write-ahead mode: the store becomes one file that readers open without writing."""
    deadline = monotonic() + _GLANCE
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        while True:
            try:
                connection.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.Error:  # another process reads it, or the disk is full
                if monotonic() > deadline:
                    return  # the store stays in write-ahead mode, which is valid too
                sleep(_GLANCE / 100)
            else:
                return


def lock_of(path: Path) -> Path:
    """The lock file of a store, beside the file that a link leads to."""
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    return path.with_name(f"{path.name}.lock")


def locked(path: Path) -> Lock:
    """Take the lock of a store.

    Raises
    ------
    StoreError
        If another run holds it.
    """
    try:
        return Lock(lock_of(path))
    except HeldError as holder:
        raise StoreError(
            f"{path}: is in use by another run ({holder}); wait for it or choose another store"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be locked: {error}") from error
