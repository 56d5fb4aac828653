"""The SQLite file of a store: opened, checked, locked, with errors that name it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.lock import HeldError, Lock
from ilk_evaluation.run.sql import TABLES, damage, sealed, upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION = 0x696C6B31
"""Marks a SQLite file as a store of ours (PRAGMA application_id)."""
SCHEMA = 6
"""Version of the tables (PRAGMA user_version)."""
UNSEALED = 5
"""Version whose rows have no digests: it can be read, and becomes `SCHEMA` when it is written."""
BUSY = 60.0
"""Seconds to wait for whoever reads or writes a store just now; SQLite's 5 s are few on a busy
machine."""
_RECOVER = "`sqlite3 {path} .recover` saves what is left of it. Move it away to start over"
_WORDS = {
    sqlite3.SQLITE_NOTADB: "is not a store of ilk",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full",
    sqlite3.SQLITE_IOERR: "cannot be read or written: {error}; is the disk full, or gone?",
    sqlite3.SQLITE_READONLY: "cannot be written: it is read-only",
    sqlite3.SQLITE_CORRUPT: f"is damaged ({{error}}); {_RECOVER}",
    sqlite3.SQLITE_ERROR: "is damaged ({error})",  # a table or a column is not there
    None: "is damaged, a value in it cannot be read ({error})",  # Python's: no text
}
_MAGIC = b"SQLite format 3\0"
_LONGEST = 200  # characters of what SQLite says, which may quote what is damaged


class StoreError(ilk.IlkError):
    """A store cannot be opened, read or written."""


@contextmanager
def explained(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # a schema may be no text
        code = getattr(error, "sqlite_errorcode", None)
        code = code if code is None else code & 0xFF
        words = _WORDS.get(code, "cannot be used as a store: {error}")
        said = " ".join(str(error).split())[:_LONGEST]
        raise StoreError(f"{path}: {words.format(error=said, path=path)}") from error


def connected(path: Path | None, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a file, or a temporary one; its reader, or a collector, may be in any thread.

    The path goes to SQLite as a URI, which takes no part of it for anything but a path.
    """
    place = "" if path is None else _uri(path, "ro" if read_only else "rwc")
    connection = sqlite3.connect(place, uri=path is not None, timeout=BUSY, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.create_function("sealed", -1, sealed, deterministic=True)
    return connection


def _uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"


def prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    """Make the tables where there are none, check what is there, and begin to write ahead."""
    with explained(path):
        (n_objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not n_objects and not _application(connection):
            tables = "; ".join(table.made for table in TABLES.values())
            connection.executescript(
                f"BEGIN; {tables}; PRAGMA application_id = {APPLICATION};"
                f" PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
        if check(connection, path) == UNSEALED:
            verify(connection, path, digests=False)
            statements = "; ".join(upgrade())
            connection.executescript(
                f"BEGIN IMMEDIATE; {statements}; PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        # where none can write ahead (some network file systems), only FULL outlives a power cut
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if mode == 'wal' else 'FULL'}")


def _application(connection: sqlite3.Connection) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return int(application)


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
        columns = {row[1] for row in connection.execute("PRAGMA table_info(cells)")}
        (n_active,) = connection.execute(_ACTIVE).fetchone()
    if n_active:
        raise StoreError(f"{path}: has triggers or views, which no store of ilk has")
    if application != APPLICATION:
        raise StoreError(f"{path}: is not a store of ilk")
    if version not in {SCHEMA, UNSEALED}:
        raise StoreError(
            f"{path}: has version {version} of the store's format, this ilk writes "
            f"version {SCHEMA}; choose another file"
        )
    if ("digest" in columns) != (version == SCHEMA):
        raise StoreError(f"{path}: is damaged (its tables are not those of version {version})")
    return int(version)


def verify(connection: sqlite3.Connection, path: Path | None, *, digests: bool) -> None:
    """Raise StoreError if anything in a store is not as it was written."""
    with explained(path):
        said = damage(connection, digests=digests)
    if said is not None:
        raise StoreError(f"{path}: is damaged ({said}); {_RECOVER.format(path=path)}")


def check_writable(path: Path) -> None:
    """Raise StoreError if no store can be written at a path; nothing is written."""
    with reachable(path):
        _check_writable(path)


@contextmanager
def reachable(path: Path) -> Iterator[None]:
    """Turn what the system says of a path into our words."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def undamaged(path: Path | None) -> Iterator[None]:
    """Say of contents that cannot be read which store they are in."""
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
    """Files that are written beside a store: SQLite's, and the lock."""
    path = path.resolve() if path.is_symlink() else path
    return [path.with_name(f"{path.name}{end}") for end in ("-journal", "-wal", "-shm", ".lock")]


def _is_sqlite(path: Path) -> bool:
    """Tell whether a file begins as SQLite's do: SQLite itself takes very short ones for empty."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


_GLANCE = 1.0
"""Seconds in which whoever reads a store for a moment, to watch a run, closes it again."""


def settle(connection: sqlite3.Connection) -> None:
    """Stop to write ahead: what is left is a single file, which readers need not write beside."""
    deadline = monotonic() + _GLANCE
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        while True:
            try:
                connection.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.Error:  # somebody reads it, or the disk is full
                if monotonic() > deadline:
                    return  # so it stays as it is
                sleep(_GLANCE / 100)
            else:
                return


def lock_of(path: Path) -> Path:
    """The file beside a store, wherever a link leads, that the run that writes it locks."""
    path = path.resolve() if path.is_symlink() else path
    return path.with_name(f"{path.name}.lock")


def locked(path: Path) -> Lock:
    """Take the lock of a store.

    Raises
    ------
    StoreError
        If a run has it.
    """
    try:
        return Lock(lock_of(path))
    except HeldError as holder:
        raise StoreError(
            f"{path}: is in use by another run ({holder}); wait for it or choose another store"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be locked: {error}") from error
