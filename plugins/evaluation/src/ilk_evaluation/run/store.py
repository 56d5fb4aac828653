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
    UNSEALED,
    StoreError,
    check,
    check_writable,
    complete,
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

Status = Literal["done", "fallback", "failed"]


class Store:
    """Predictions by the content keys of their cells.

    A file in write-ahead mode with one writer. Cells that finish together are a transaction, so a
    killed run keeps its finished cells, and others can read meanwhile. Any thread may read or
    close the store; one thread at a time may write. Arrays are stored as bytes and labels as JSON:
    reading a store runs no stored code. `verify` finds damage by the digest of each row.

    Parameters
    ----------
    connection : sqlite3.Connection
    path : Path or None
        None: a temporary store, removed on closing.
    lock : Lock, optional
        Released when the store is closed.
    sealed : bool
        Whether its rows have digests; a store of an older ilk has none until it is next written.

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
        """Open a store for writing; create it and its folder if missing.

        Raises
        ------
        StoreError
            If it cannot be written, is in use by another run, is not a store, is damaged or has
            another version.
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
        """Open a store for reading; no file is written, not even beside it.

        Raises
        ------
        StoreError
            If there is none, it is not a store, or it has another version.
        """
        if not path.is_file():
            raise StoreError(f"{path}: there is no such store")
        with explained(path):
            connection = connected(path, read_only=True)
        with ExitStack() as undo:
            undo.enter_context(closing(connection))
            version = check(connection, path)
            if version != SCHEMA:
                complete(connection, path)
            undo.pop_all()
            return cls(connection, path, sealed=version != UNSEALED)

    def verify(self) -> None:
        """Read the whole store and compare each row with its digest.

        Raises
        ------
        StoreError
            If a value was changed or is missing.
        """
        verify(self._connection, self.path, digests=self.sealed)

    @property
    def is_open(self) -> bool:
        """Whether it is not yet closed."""
        return self._close.alive

    def close(self) -> None:
        """Close the file; a temporary store is removed."""
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
        """Record the begin of a run; return its number.

        Parameters
        ----------
        name : str
        seed : int
        spec, environment : str
            The specification of the run and its environment, as JSON.
        planned : iterable of tuple
            Data set, number, repeat, fold and key of each split, in order.
        fallback : str, optional
            Specification and versions of the classifier that answers for a failed pipeline.
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
        """Return the recorded runs in order: the arguments of `begin_run`."""
        table = TABLES["runs"]
        rows = self._rows(f"SELECT {table.listed} FROM runs ORDER BY id")  # noqa: S608  # our own names
        return [dict(zip(table.columns, row, strict=True)) for row in rows]

    def planned(self, run: int) -> list[tuple[int, int, int, int, str]]:
        """Return the planned splits of a run, as passed to `begin_run`.

        Empty if the run is not the last one of its experiment.
        """
        which = "run" if self.sealed else "(SELECT max(id) FROM runs)"
        return self._rows(
            "SELECT dataset, number, repeat, fold, split FROM planned"  # noqa: S608  # our own names
            f" WHERE {which} = ? ORDER BY dataset, number",
            run,
        )

    def add_dataset(self, data: ilk.Data, n_features: int) -> None:
        """Store the target of a data set, against which predictions are scored later."""
        numeric = data.task == "regression"
        codes = data.y if numeric else np.searchsorted(data.classes, data.y).astype(np.int32)
        y = pack(codes)
        row = (data.fingerprint, data.name, n_features, pack_labels(data.classes), y)
        with self._transaction() as execute:
            execute(PUT_DATASET, row)

    def add_pipeline(self, key: str, spec: str, versions: str) -> None:
        """Store the spec of a pipeline and the versions of its code."""
        with self._transaction() as execute:
            execute(PUT_PIPELINE, (key, spec, versions))

    def statuses(self) -> dict[str, Status]:
        """Status of each stored cell, by key."""
        query = "SELECT key, CASE WHEN error IS NULL THEN 'done' WHEN fallback THEN 'fallback'"
        return dict(self._rows(f"{query} ELSE 'failed' END FROM cells"))

    def since(self, row: int) -> list[CellRow]:
        """Return the cells written after a given row, oldest first."""
        query = (
            "SELECT rowid, key, run, error, fallback,"
            " fit_seconds + predict_seconds - saved_seconds FROM cells"
            " WHERE rowid > ? ORDER BY rowid"
        )
        with explained(self.path):
            rows = self._connection.execute(query, (row,))
            return [
                CellRow(n, key, run, why, bool(fell), took) for n, key, run, why, fell, took in rows
            ]

    def failed(self) -> dict[str, str | None]:
        """Keys of the cells whose pipeline failed, with the fallback of their run."""
        return dict(
            self._rows(
                "SELECT key, runs.fallback FROM cells LEFT JOIN runs ON runs.id = cells.run"
                " WHERE error IS NOT NULL"
            )
        )

    def warnings(self) -> dict[str, list[str]]:
        """Warnings of cells, by key; cells without warnings are left out."""
        rows = self._rows("SELECT key, warnings FROM cells WHERE warnings IS NOT NULL")
        with undamaged(self.path):
            return {key: list(map(str, json.loads(text))) for key, text in rows}

    def answered_together(self) -> set[str]:
        """Keys of the leave-one-out cells that were answered without refitting."""
        return {key for (key,) in self._rows("SELECT key FROM cells WHERE together IS NOT NULL")}

    def saved_seconds(self) -> dict[str, float]:
        """Seconds that cells saved by steps of other cells, by key; cells without are left out."""
        return dict(self._rows("SELECT key, saved_seconds FROM cells WHERE saved_seconds > 0"))

    def drop(self, keys: Iterable[str]) -> None:
        """Delete cells."""
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
        """Store the outcome of a cell.

        Once this returns, the outcome survives any end of this process. A power cut may lose the
        last few cells; the next run computes them again.

        Raises
        ------
        StoreError
            If it cannot be written (a full disk, say).
        """
        with self._transaction() as execute:
            if split != self._last_split:  # consecutive cells share their split
                execute(PUT_SPLIT, (split, fingerprint, pack(test), n_train))
            execute(PUT_CELL, row_of(key, outcome, run, split, pipeline))
        self._last_split = split

    @contextmanager
    def together(self) -> Iterator[None]:
        """Store all outcomes that are put within the block in one transaction: all or none."""
        try:
            with explained(self.path), self._connection:
                self._connection.execute("BEGIN")
                yield
        except BaseException:
            self._last_split = ""  # perhaps not stored
            raise

    def outcome(self, key: str) -> Outcome:
        """Return the outcome of a cell."""
        return self._outcome(key)[0]

    def prediction(self, key: str) -> ilk.Prediction:
        """Return the prediction of a cell with an answer.

        A rejected case has the first class as its label and is marked in ``rejected``.
        """
        outcome, fingerprint, packed = self._outcome(key)
        if outcome.codes is None:
            raise StoreError(f"{self.path}: cell {key} failed: {outcome.error}")
        with undamaged(self.path):
            test = unpack(packed)
            assert test is not None  # a cell without its split means a damaged store
            arrays = (outcome.codes, outcome.probabilities, outcome.scores)
            lengths = {len(array) for array in arrays if array is not None}
            assert lengths == {len(test)}, f"answers to {lengths} cases of {len(test)}"
            classes, y = self._dataset(fingerprint)
            return ilk.Prediction(
                truth=y[test],
                classes=classes,
                indices=test,
                fit_seconds=outcome.fit_seconds,
                predict_seconds=outcome.predict_seconds,
                saved_seconds=outcome.saved_seconds,
                reduction=outcome.reduction,
                **_answers(outcome, classes),
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
        """Spec and code versions of each pipeline, by key."""
        rows = self._rows("SELECT key, spec, versions FROM pipelines")
        with undamaged(self.path):
            return {
                key: {"spec": json.loads(spec), "versions": json.loads(versions)}
                for key, spec, versions in rows
            }

    def split_sizes(self) -> dict[str, tuple[float, int]]:
        """Number of training cases (NaN if unknown) and of test cases of each split, by key."""
        rows = self._rows("SELECT key, n_train, test FROM splits")
        with undamaged(self.path):
            return {key: (_number(n_train), len(unpack(test))) for key, n_train, test in rows}

    def cells_by_run(self) -> dict[int, int]:
        """Number of cells whose present outcome each run wrote."""
        return dict(self._rows("SELECT run, count(*) FROM cells GROUP BY run"))

    def _outcome(self, key: str) -> tuple[Outcome, str, bytes]:
        """Return the outcome of a cell, and the data set and packed test rows of its split."""
        fingerprint, test, *arrays, fit, predict, reduced, warned, error, trace, fell, n, saved = (
            self._row(OUTCOME, key)
        )
        with undamaged(self.path):
            codes, probabilities, scores = map(unpack, arrays)
            assert codes is not None or error is not None  # a cell has an answer or an error
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
                float(saved),
            )
        return outcome, fingerprint, test

    def _read_dataset(self, fingerprint: str) -> tuple[np.ndarray, np.ndarray]:
        classes, y = self._row("SELECT classes, y FROM datasets WHERE fingerprint = ?", fingerprint)
        labels = unpack_labels(classes)
        target = unpack(y)
        return labels, target if target.dtype.kind == "f" else labels[target]

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
        with explained(self.path):
            if self._connection.in_transaction:  # a block of `together` commits it
                yield self._connection.execute
            else:
                with self._connection:
                    yield self._connection.execute


def _answers(outcome: Outcome, classes: np.ndarray) -> dict[str, Any]:
    """The parts of a prediction that depend on the kind of predictor, told by the type of codes."""
    codes = outcome.codes
    assert codes is not None
    if codes.dtype.kind == "f":
        return {"labels": codes, "predictor": "regressor"}
    if codes.dtype == np.int64:
        return {"labels": codes, "predictor": "clusterer", "silhouettes": outcome.scores}
    return {
        "labels": classes[np.maximum(codes, 0)],
        "probabilities": outcome.probabilities,
        "scores": outcome.scores,
        "rejected": codes == REJECTED,
    }


def _number(value: Any) -> float:
    return float("nan" if value is None else value)


def _close(connection: sqlite3.Connection, lock: Lock | None) -> None:
    if lock is not None:
        settle(connection)
    connection.close()
    if lock is not None:
        lock.release()
