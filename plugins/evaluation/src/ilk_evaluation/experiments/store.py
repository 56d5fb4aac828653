"""The store: predictions of an experiment in one SQLite file, written cell by cell."""

from __future__ import annotations

import json
import os
import sqlite3
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.experiments.blobs import (
    pack,
    pack_labels,
    unpack,
    unpack_labels,
)
from ilk_evaluation.experiments.cell import REJECTED, Outcome

Status = Literal["done", "fallback", "failed"]

APPLICATION = 0x696C6B31
"""Marks a SQLite file as a store of ours (PRAGMA application_id)."""
SCHEMA = 1
"""Version of the tables below (PRAGMA user_version)."""

_TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, started TEXT, name TEXT, seed INTEGER, spec TEXT, environment TEXT
);
CREATE TABLE datasets (
    fingerprint TEXT PRIMARY KEY, name TEXT, n_features INTEGER, classes TEXT, y BLOB
);
CREATE TABLE pipelines (key TEXT PRIMARY KEY, spec TEXT, versions TEXT);
CREATE TABLE splits (key TEXT PRIMARY KEY, fingerprint TEXT, test BLOB);
CREATE TABLE cells (
    key TEXT PRIMARY KEY, run INTEGER, split TEXT, pipeline TEXT,
    labels BLOB, probabilities BLOB, scores BLOB, fit_seconds REAL, predict_seconds REAL,
    warnings TEXT, error TEXT, traceback TEXT
);
"""


class StoreError(ilk.IlkError):
    """A store cannot be opened, read or written."""


class Store:
    """Predictions by the content keys of their cells.

    A file in write-ahead mode with one writer: each cell is a transaction of its own, so a
    run that is killed keeps what was finished, and others can read meanwhile. Arrays are kept
    in numpy's format and labels as JSON: nothing in a store can run code.

    Parameters
    ----------
    connection : sqlite3.Connection
    path : Path or None
        None: a temporary store, which goes when it is closed.

    Examples
    --------
    >>> with Store.open(None) as store:
    ...     store.finished()
    {}
    """

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self.path = path
        self._connection = connection
        self._close = weakref.finalize(self, _close, connection)
        self._dataset = lru_cache(maxsize=8)(self._read_dataset)
        self._split = lru_cache(maxsize=8)(self._read_split)

    @classmethod
    def open(cls, path: Path | None) -> Self:
        """Open a store for writing; make it, and its folder, where there is none.

        Raises
        ------
        StoreError
            If it cannot be written, is another kind of file or has another version.
        """
        if path is not None:
            check_writable(path)
            path.parent.mkdir(parents=True, exist_ok=True)
        with _explained(path):
            connection = sqlite3.connect(path or "")
            store = cls(connection, path)
            if _is_empty(connection):
                _create(connection)
            store.check()
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        return store

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open a store for reading; nothing is written, not even beside it.

        Raises
        ------
        StoreError
            If there is none, or it is another kind of file or has another version.
        """
        if not path.is_file():
            raise StoreError(f"{path}: there is no such store")
        with _explained(path):
            store = cls(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True), path)
            store.check()
        return store

    def close(self) -> None:
        """Close the file; a temporary store is gone then."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> None:
        """Raise StoreError unless the file is a store of this version."""
        if self._value("PRAGMA application_id") != APPLICATION:
            raise StoreError(f"{self.path}: is not a store of ilk")
        version = self._value("PRAGMA user_version")
        if version != SCHEMA:
            raise StoreError(
                f"{self.path}: has version {version} of the store's format, this ilk writes "
                f"version {SCHEMA}; choose another file"
            )

    def begin_run(self, name: str, seed: int, spec: str, environment: str) -> int:
        """Note that a run begins; return its number."""
        with self._transaction() as execute:
            cursor = execute(
                "INSERT INTO runs (started, name, seed, spec, environment)"
                " VALUES (datetime('now'), ?, ?, ?, ?)",
                (name, seed, spec, environment),
            )
        return int(cursor.lastrowid or 0)

    def add_dataset(self, data: ilk.Data, n_features: int) -> None:
        """Keep the labels of a data set, by which predictions are scored later."""
        y = pack(np.searchsorted(data.classes, data.y).astype(np.int32))
        row = (data.fingerprint, data.name, n_features, pack_labels(data.classes), y)
        with self._transaction() as execute:
            execute("INSERT OR IGNORE INTO datasets VALUES (?, ?, ?, ?, ?)", row)

    def add_pipeline(self, key: str, spec: str, versions: str) -> None:
        """Keep what a pipeline is made of."""
        with self._transaction() as execute:
            execute("INSERT OR IGNORE INTO pipelines VALUES (?, ?, ?)", (key, spec, versions))

    def finished(self) -> dict[str, bool]:
        """Keys of the cells that are there; True for those that did not fail."""
        with _explained(self.path):
            rows = self._connection.execute("SELECT key, error IS NULL FROM cells")
            return {key: bool(fine) for key, fine in rows}

    def statuses(self) -> dict[str, Status]:
        """What came of each cell that is there, by key."""
        with _explained(self.path):
            rows = self._connection.execute("SELECT key, error IS NULL FROM cells")
            return {key: "done" if fine else "failed" for key, fine in rows}

    def warnings(self) -> dict[str, list[str]]:
        """What cells warned of, by key; cells without a warning are left out."""
        with _explained(self.path):
            query = "SELECT key, warnings FROM cells WHERE warnings IS NOT NULL"
            return {key: json.loads(text) for key, text in self._connection.execute(query)}

    def drop(self, keys: Iterable[str]) -> None:
        """Forget cells."""
        with self._transaction() as execute:
            for key in keys:
                execute("DELETE FROM cells WHERE key = ?", (key,))

    def put(
        self,
        key: str,
        outcome: Outcome,
        *,
        run: int,
        pipeline: str,
        split: str,
        fingerprint: str,
        test: np.ndarray,
    ) -> None:
        """Keep what came of a cell, for good once this returns.

        Raises
        ------
        StoreError
            If it cannot be written (a full disk, say).
        """
        row = (
            *(key, run, split, pipeline),
            *map(pack, (outcome.codes, outcome.probabilities, outcome.scores)),
            *(outcome.fit_seconds, outcome.predict_seconds),
            json.dumps(outcome.warnings) if outcome.warnings else None,
            *(outcome.error, outcome.traceback),
        )
        with self._transaction() as execute:
            if not execute("SELECT 1 FROM splits WHERE key = ?", (split,)).fetchone():
                execute("INSERT INTO splits VALUES (?, ?, ?)", (split, fingerprint, pack(test)))
            execute("INSERT OR REPLACE INTO cells VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row)

    def outcome(self, key: str) -> Outcome:
        """Return what came of a cell."""
        return self._outcome(key)[0]

    def prediction(self, key: str) -> ilk.Prediction:
        """Return the prediction of a cell that did not fail.

        A rejected case has the first class as its label and is marked in ``rejected``.
        """
        outcome, split = self._outcome(key)
        if outcome.codes is None:
            raise StoreError(f"{self.path}: cell {key} failed: {outcome.error}")
        fingerprint, test = self._split(split)
        classes, y = self._dataset(fingerprint)
        return ilk.Prediction(
            truth=y[test],
            labels=classes[np.maximum(outcome.codes, 0)],
            classes=classes,
            probabilities=outcome.probabilities,
            scores=outcome.scores,
            rejected=outcome.codes == REJECTED,
            indices=test,
            fit_seconds=outcome.fit_seconds,
            predict_seconds=outcome.predict_seconds,
        )

    def _outcome(self, key: str) -> tuple[Outcome, str]:
        """Return what came of a cell, and the key of its split."""
        split, *arrays, fit, predict, warned, error, trace = self._row(
            "SELECT split, labels, probabilities, scores, fit_seconds, predict_seconds,"
            " warnings, error, traceback FROM cells WHERE key = ?",
            key,
        )
        codes, probabilities, scores = map(unpack, arrays)
        outcome = Outcome(
            codes,
            probabilities,
            scores,
            float("nan") if fit is None else fit,
            float("nan") if predict is None else predict,
            tuple(json.loads(warned or "[]")),
            error,
            trace,
        )
        return outcome, split

    def _read_dataset(self, fingerprint: str) -> tuple[np.ndarray, np.ndarray]:
        classes, y = self._row("SELECT classes, y FROM datasets WHERE fingerprint = ?", fingerprint)
        labels = unpack_labels(classes)
        return labels, labels[unpack(y)]

    def _read_split(self, key: str) -> tuple[str, np.ndarray]:
        fingerprint, test = self._row("SELECT fingerprint, test FROM splits WHERE key = ?", key)
        rows = unpack(test)
        assert rows is not None
        return fingerprint, rows

    def _row(self, query: str, key: str) -> Any:
        with _explained(self.path):
            row = self._connection.execute(query, (key,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: holds nothing under the key {key}")
        return row

    def _value(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()[0]

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with _explained(self.path), self._connection:
            yield self._connection.execute


def check_writable(path: Path) -> None:
    """Raise StoreError if no store can be written at a path; nothing is written."""
    if path.is_dir():
        raise StoreError(f"{path}: is a folder, not a file")
    existing = next(place for place in (path, *path.absolute().parents) if place.exists())
    if existing != path and not existing.is_dir():
        raise StoreError(f"{path}: cannot be written: {existing} is a file, not a folder")
    if not os.access(existing, os.W_OK):
        raise StoreError(f"{path}: cannot be written: no permission for {existing}")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _create(connection: sqlite3.Connection) -> None:
    connection.executescript(
        f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION};"
        f" PRAGMA user_version = {SCHEMA}; COMMIT;"
    )


def _close(connection: sqlite3.Connection) -> None:
    """Close; the last writer leaves a single file, which readers need not write beside."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


@contextmanager
def _explained(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise StoreError(f"{path}: is not a store of ilk") from error
        raise StoreError(f"{path}: cannot be used as a store: {error}") from error
