"""The store: predictions of an experiment in one SQLite file, written cell by cell."""

from __future__ import annotations

import json
import weakref
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.run.cell import REJECTED, Outcome
from ilk_evaluation.run.database import (
    SCHEMA,
    StoreError,
    check,
    check_writable,
    connected,
    explained,
    locked,
    prepare,
    reachable,
    settle,
    undamaged,
    verify,
)
from ilk_evaluation.run.sql import (
    FORGET_PLANNED,
    OUTCOME,
    PUT_CELL,
    PUT_DATASET,
    PUT_PIPELINE,
    PUT_PLANNED,
    PUT_RUN,
    PUT_SPLIT,
    TABLES,
    CellRow,
    pack,
    pack_labels,
    row_of,
    unpack,
    unpack_labels,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ilk_evaluation.lock import Lock
    from ilk_evaluation.plan.design import Cell

Status = Literal["done", "fallback", "failed"]


class Store:
    """Predictions by the content keys of their cells.

    A file in write-ahead mode with one writer: each cell is a transaction of its own, so a
    run that is killed keeps what was finished, and others can read meanwhile. Any thread may
    read or close it, one at a time may write. Arrays are kept as bytes and labels as JSON:
    nothing in a store can run code. Each row has a digest of its values, by which `verify` finds
    damage.

    Parameters
    ----------
    connection : sqlite3.Connection
    path : Path or None
        None: a temporary store, which goes when it is closed.
    lock : Lock, optional
        Released when the store is closed.
    sealed : bool
        Whether its rows have digests; those of an older ilk have none until they are written.

    Examples
    --------
    >>> with Store.open(None) as store:
    ...     store.statuses()
    {}
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path | None,
        lock: Lock | None = None,
        *,
        sealed: bool = True,
    ) -> None:
        self.path = path
        self.sealed = sealed
        self._connection = connection
        self._close = weakref.finalize(self, _close, connection, lock)
        self._dataset = lru_cache(maxsize=8)(self._read_dataset)
        self._last_split = ""

    @classmethod
    def open(cls, path: Path | None) -> Self:
        """Open a store for writing; make it, and its folder, where there is none.

        Raises
        ------
        StoreError
            If it cannot be written, is in use by another run, is another kind of file, is
            damaged or has another version.
        """
        if path is not None:
            check_writable(path)
            with reachable(path):
                path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            lock = None
            if path is not None:
                lock = locked(path)
                undo.callback(lock.release)
            connection = undo.enter_context(closing(connected(path)))
            prepare(connection, path)
            undo.pop_all()
            return cls(connection, path, lock)

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
        with explained(path):
            connection = connected(path, read_only=True)
        with ExitStack() as undo:
            undo.enter_context(closing(connection))
            version = check(connection, path)
            undo.pop_all()
            return cls(connection, path, sealed=version == SCHEMA)

    def verify(self) -> None:
        """Read everything and compare it with its digests.

        Raises
        ------
        StoreError
            If a value is not what was written, or something is lost.
        """
        verify(self._connection, self.path, digests=self.sealed)

    def close(self) -> None:
        """Close the file; a temporary store is gone then."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin_run(
        self,
        name: str,
        seed: int,
        spec: str,
        environment: str,
        planned: Iterable[tuple[int, int, int, int, str]] = (),
        fallback: str | None = None,
    ) -> int:
        """Note that a run begins; return its number.

        Parameters
        ----------
        name : str
        seed : int
        spec, environment : str
            What is run and what it runs on, as JSON.
        planned : iterable of tuple
            Data set, number, repeat, fold and key of each split, in order.
        fallback : str, optional
            What answers where a pipeline fails: its specification and versions.
        """
        started = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        with self._transaction() as execute:
            (run,) = execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()
            execute(PUT_RUN, (run, started, name, seed, spec, environment, fallback))
            for split in planned:
                execute(PUT_PLANNED, (run, *split))
            execute(FORGET_PLANNED)
        return int(run)

    def runs(self) -> list[dict[str, Any]]:
        """Return the runs that wrote here, the first one first: what `begin_run` was told."""
        table = TABLES["runs"]
        rows = self._rows(f"SELECT {table.listed} FROM runs ORDER BY id")  # noqa: S608  # our own names
        return [dict(zip(table.columns, row, strict=True)) for row in rows]

    def planned(self, run: int) -> list[tuple[int, int, int, int, str]]:
        """Return the splits of a run, as `begin_run` was told them.

        Empty if the run is not the last one of its experiment.
        """
        which = "run" if self.sealed else "(SELECT max(id) FROM runs)"
        return self._rows(
            "SELECT dataset, number, repeat, fold, split FROM planned"  # noqa: S608  # our own names
            f" WHERE {which} = ? ORDER BY dataset, number",
            run,
        )

    def add_dataset(self, data: ilk.Data, n_features: int) -> None:
        """Keep the labels of a data set, by which predictions are scored later."""
        y = pack(np.searchsorted(data.classes, data.y).astype(np.int32))
        row = (data.fingerprint, data.name, n_features, pack_labels(data.classes), y)
        with self._transaction() as execute:
            execute(PUT_DATASET, row)

    def add_pipeline(self, key: str, spec: str, versions: str) -> None:
        """Keep what a pipeline is made of."""
        with self._transaction() as execute:
            execute(PUT_PIPELINE, (key, spec, versions))

    def statuses(self) -> dict[str, Status]:
        """What came of each cell that is there, by key."""
        query = "SELECT key, CASE WHEN error IS NULL THEN 'done' WHEN fallback THEN 'fallback'"
        return dict(self._rows(f"{query} ELSE 'failed' END FROM cells"))

    def since(self, row: int) -> list[CellRow]:
        """Return the cells that were written after some row of theirs, oldest first."""
        query = (
            "SELECT rowid, key, run, error, fallback, fit_seconds + predict_seconds FROM cells"
            " WHERE rowid > ? ORDER BY rowid"
        )
        with explained(self.path):
            rows = self._connection.execute(query, (row,))
            return [
                CellRow(n, key, run, why, bool(fell), took) for n, key, run, why, fell, took in rows
            ]

    def failed(self) -> dict[str, str | None]:
        """Keys of the cells whose pipeline failed, and which fallback their run had."""
        return dict(
            self._rows(
                "SELECT key, runs.fallback FROM cells LEFT JOIN runs ON runs.id = cells.run"
                " WHERE error IS NOT NULL"
            )
        )

    def warnings(self) -> dict[str, list[str]]:
        """What cells warned of, by key; cells without a warning are left out."""
        rows = self._rows("SELECT key, warnings FROM cells WHERE warnings IS NOT NULL")
        with undamaged(self.path):
            return {key: list(map(str, json.loads(text))) for key, text in rows}

    def answered_together(self) -> set[str]:
        """Keys of the cells that were left out without refitting."""
        return {key for (key,) in self._rows("SELECT key FROM cells WHERE together IS NOT NULL")}

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
        n_train: int | None = None,
    ) -> None:
        """Keep what came of a cell.

        Once this returns, it outlives the end of this process, however that comes. If the
        machine loses its power, the last few cells may be lost: they are run again then.

        Raises
        ------
        StoreError
            If it cannot be written (a full disk, say).
        """
        with self._transaction() as execute:
            if split != self._last_split:  # the cells of a split come one after the other
                execute(PUT_SPLIT, (split, fingerprint, pack(test), n_train))
            execute(PUT_CELL, row_of(key, outcome, run, split, pipeline))
        self._last_split = split

    def put_together(
        self,
        outcomes: Iterable[tuple[Cell, Outcome]],
        *,
        run: int,
        pipeline: str,
        fingerprint: str,
        n_train: int,
    ) -> None:
        """Keep cells of a pipeline that each test one case, the number of their split: all or none.

        Raises
        ------
        StoreError
            If they cannot be written.
        """
        with self._transaction() as execute:
            for cell, outcome in outcomes:
                split = cell.split_key
                execute(PUT_SPLIT, (split, fingerprint, pack(np.array([cell.split])), n_train))
                execute(PUT_CELL, row_of(cell.key, outcome, run, split, pipeline))

    def outcome(self, key: str) -> Outcome:
        """Return what came of a cell."""
        return self._outcome(key)[0]

    def prediction(self, key: str) -> ilk.Prediction:
        """Return the prediction of a cell that did not fail.

        A rejected case has the first class as its label and is marked in ``rejected``.
        """
        outcome, fingerprint, packed = self._outcome(key)
        if outcome.codes is None:
            raise StoreError(f"{self.path}: cell {key} failed: {outcome.error}")
        with undamaged(self.path):
            test = unpack(packed)
            assert test is not None  # else its split is lost
            arrays = (outcome.codes, outcome.probabilities, outcome.scores)
            lengths = {len(array) for array in arrays if array is not None}
            assert lengths == {len(test)}, f"answers to {lengths} cases of {len(test)}"
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
                reduction=outcome.reduction,
            )

    def datasets(self) -> dict[str, dict[str, Any]]:
        """Name and size of each data set, by fingerprint."""
        rows = self._rows("SELECT fingerprint, name, n_features, classes, y FROM datasets")
        with undamaged(self.path):
            return {
                fingerprint: {
                    "name": name,
                    "n_rows": len(unpack(y)),
                    "n_features": n_features,
                    "n_classes": len(unpack_labels(classes)),
                }
                for fingerprint, name, n_features, classes, y in rows
            }

    def pipelines(self) -> dict[str, dict[str, Any]]:
        """What each pipeline is made of, and by which code, by key."""
        rows = self._rows("SELECT key, spec, versions FROM pipelines")
        with undamaged(self.path):
            return {
                key: {"spec": json.loads(spec), "versions": json.loads(versions)}
                for key, spec, versions in rows
            }

    def split_sizes(self) -> dict[str, tuple[float, int]]:
        """Number of training (NaN if not known) and of test cases of each split, by key."""
        rows = self._rows("SELECT key, n_train, test FROM splits")
        with undamaged(self.path):
            return {key: (_number(n_train), len(unpack(test))) for key, n_train, test in rows}

    def cells_by_run(self) -> dict[int, int]:
        """Number of the cells that each run wrote, but for those that were run again."""
        return dict(self._rows("SELECT run, count(*) FROM cells GROUP BY run"))

    def _outcome(self, key: str) -> tuple[Outcome, str, bytes]:
        """Return what came of a cell, and the data set and the packed test rows of its split."""
        fingerprint, test, *arrays, fit, predict, reduced, warned, error, trace, fell, n = (
            self._row(OUTCOME, key)
        )
        with undamaged(self.path):
            codes, probabilities, scores = map(unpack, arrays)
            assert codes is not None or error is not None  # an answer, or why there is none
            outcome = Outcome(
                codes,
                probabilities,
                scores,
                _number(fit),
                _number(predict),
                _number(reduced),
                tuple(json.loads(warned)) if warned else (),
                error,
                trace,
                bool(fell),
                n,
            )
        return outcome, fingerprint, test

    def _read_dataset(self, fingerprint: str) -> tuple[np.ndarray, np.ndarray]:
        classes, y = self._row("SELECT classes, y FROM datasets WHERE fingerprint = ?", fingerprint)
        labels = unpack_labels(classes)
        return labels, labels[unpack(y)]

    def _row(self, query: str, key: str) -> Any:
        with explained(self.path):
            row = self._connection.execute(query, (key,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: holds nothing under the key {key}")
        return row

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with explained(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with explained(self.path), self._connection:
            yield self._connection.execute


def _number(kept: Any) -> float:
    return float("nan" if kept is None else kept)


def _close(connection: sqlite3.Connection, lock: Lock | None) -> None:
    if lock is not None:
        settle(connection)
    connection.close()
    if lock is not None:
        lock.release()
