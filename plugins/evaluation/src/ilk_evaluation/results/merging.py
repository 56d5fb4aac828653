"""Join stores that hold parts of one experiment."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ilk_evaluation.results.difference import unlike_designs
from ilk_evaluation.results.opening import open_store, results
from ilk_evaluation.run.database import (
    SCHEMA,
    UNSEALED,
    StoreError,
    check,
    check_writable,
    companions,
    connected,
    explained,
    locked,
    prepare,
    reachable,
    settle,
)
from ilk_evaluation.run.sql import COMPLETED, FORGET_PLANNED, TABLES
from ilk_evaluation.run.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk_evaluation.plan.design import Design


@dataclass(frozen=True)
class Merged:
    """The outcome of joining stores.

    Attributes
    ----------
    path : Path
        The new store.
    n_cells : int
        Cells of the experiment that it holds.
    n_missing : int
        Cells of the experiment that none of the stores had.
    n_twice : int
        Cells in more than one store. The best outcome was taken: done before answered by the
        fallback before failed.
    unlike : tuple of (Path, str, str, int, int)
        Store, data set, pipeline, repeat and fold of cells whose predictions differ from an earlier
        store; the earlier predictions were taken.
    """

    path: Path
    n_cells: int
    n_missing: int
    n_twice: int
    unlike: tuple[tuple[Path, str, str, int, int], ...]


def merge_stores(out: str | Path, stores: Sequence[str | Path], *, force: bool = False) -> Merged:
    """Join stores that hold parts of one experiment into a new one.

    If no part is missing, the results equal those of one run of the whole experiment. Runs are
    kept in the order of the stores, so each cell keeps its provenance.

    Parameters
    ----------
    out : str or Path
        The new store. It appears when it is complete, or not at all.
    stores : sequence of str or Path
        Each is only read; one of them may be `out` itself if `force` is set.
    force : bool
        Replace an existing store.

    Returns
    -------
    Merged

    Raises
    ------
    StoreError
        If a store cannot be read or holds another experiment (the message lists the differences),
        or if `out` exists or cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ilk_evaluation import merge_stores, run_experiment
    >>> spec = {
    ...     "datasets": ["iris"],
    ...     "pipelines": [{"id": "means", "steps": [{"classifier": "nearest_mean"}]}],
    ...     "evaluation": {"resampling": {"use": "kfold", "folds": 4}},
    ... }
    >>> with TemporaryDirectory() as folder:
    ...     stores = [Path(folder) / f"{i}.sqlite" for i in (1, 2)]
    ...     for i, store in enumerate(stores, 1):
    ...         _ = run_experiment(spec, store=store, shard=(i, 2))
    ...     merged = merge_stores(Path(folder) / "all.sqlite", stores)
    >>> merged.n_cells, merged.n_missing
    (4, 0)
    """
    paths = [Path(store) for store in stores]
    if not paths:
        raise StoreError("there is nothing to merge: name at least one store")
    target = Path(out)
    design = _common_design(paths)
    with _appearing(target, force=force) as part:
        twice: set[str] = set()
        unlike: list[tuple[Path, str]] = []
        with closing(connected(part)) as connection:
            prepare(connection, target)
            settle(connection)  # no reader to wait for, so a full disk shows here
            for path in paths:
                again, other = _take(connection, target, path)
                twice |= again
                unlike += [(path, key) for key in other]
        with Store.read(part) as store:
            keys = set(store.statuses())
    cells = {cell.key: cell for cell in design.cells}
    return Merged(
        target,
        n_cells=len(cells.keys() & keys),
        n_missing=len(cells.keys() - keys),
        n_twice=len(cells.keys() & twice),
        unlike=tuple((path, *design.place(cells[key])) for path, key in unlike if key in cells),
    )


@contextmanager
def _appearing(target: Path, *, force: bool) -> Iterator[Path]:
    """Give a temporary path that is renamed to the target after the block, if it succeeds."""
    if target.exists() and not force:
        raise StoreError(f"{target}: is there already; choose another name, or say --force")
    check_writable(target)
    if target.is_symlink():
        target = Path(os.path.realpath(target))  # a link stays a link
    part = target.with_name(f".{target.name}.part")
    with reachable(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    lock = locked(target)
    try:
        _remove(part)  # the lock is free, so this is left over from a killed merge
        _check_replaceable(target)
        yield part
        _check_alone(part)
        with reachable(target):
            part.replace(target)
    finally:
        _remove(part)
        lock.release()


def _remove(part: Path) -> None:
    """Remove an incomplete store and SQLite's files beside it."""
    for left in (part, *companions(part)):
        with suppress(OSError):
            left.unlink()


def _check_replaceable(target: Path) -> None:
    """Raise StoreError unless the path is free or holds a store in a single file."""
    if target.exists() and (not target.is_file() or target.stat().st_size):
        with explained(target), closing(connected(target)) as connection:
            check(connection, target)
            settle(connection)
    _check_alone(target)


def _check_alone(path: Path) -> None:
    """Raise StoreError if SQLite's files lie beside a store: the new store would take them over."""
    for beside in _beside(path):
        if beside.exists():
            raise StoreError(
                f"{path}: cannot be replaced: a part of a store is in {beside.name}; "
                f"is somebody reading it, or was the rest moved away?"
            )


def _beside(path: Path) -> list[Path]:
    """Files of SQLite with content not yet in the store itself."""
    return [path.with_name(f"{path.name}-{end}") for end in ("wal", "journal")]


def _common_design(paths: Sequence[Path]) -> Design:
    """Return the common design of all stores.

    Raises
    ------
    StoreError
        If the designs differ; the message lists the differences.
    """
    first = results(paths[0])
    for path in paths[1:]:
        other = results(path)
        unlike = unlike_designs(first, other)
        if _fallback(paths[0]) != _fallback(path):
            unlike.append("the handling of failed cells (the fallback)")
        if unlike:
            raise StoreError(
                f"{path} (B) holds another experiment than {paths[0]} (A), they cannot be merged: "
                + "; ".join(unlike)
            )
    return first.design


def _fallback(path: Path) -> str | None:
    with open_store(path) as store:
        fallback: str | None = store.runs()[-1]["fallback"]
    return fallback


def _take(connection: sqlite3.Connection, target: Path, path: Path) -> tuple[set[str], list[str]]:
    """Copy a store; return the keys of cells already present, and of differing ones."""
    with explained(path):
        connection.execute("ATTACH ? AS b", (f"{path.absolute().as_uri()}?mode=ro",))
    with _blamed(target, path), connection:
        (before,) = connection.execute("SELECT coalesce(max(id), 0) FROM main.runs").fetchone()
        (version,) = connection.execute("PRAGMA b.user_version").fetchone()
        for statement in _copies(before, version):
            connection.execute(statement)
        again = {key for (key,) in connection.execute(_TWICE)}
        other = [key for (key,) in connection.execute(_OTHERWISE)]
        connection.execute(TABLES["cells"].copy(_better_cells(before, version), "REPLACE"))
        connection.execute(FORGET_PLANNED)
    connection.execute("DETACH b")
    return again, other


@contextmanager
def _blamed(target: Path, path: Path) -> Iterator[None]:
    """Name the file that an error is about: the target may lack room, but is not damaged."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None) or 0
        with explained(target if code & 0xFF in _OF_WRITING else path):
            raise


_OF_WRITING = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
_TWICE = "SELECT key FROM main.cells AS a JOIN b.cells AS b USING (key)"
_OTHERWISE = (
    f"{_TWICE} WHERE a.error IS NULL AND b.error IS NULL AND (a.labels IS NOT b.labels"
    " OR a.probabilities IS NOT b.probabilities OR a.scores IS NOT b.scores)"
)


def _copies(before: int, version: int) -> Iterator[str]:
    """Yield the statements that copy all tables except cells; run numbers are shifted."""
    run = "run" if version != UNSEALED else "(SELECT max(id) FROM b.runs)"
    plan = ", ".join(name for name in TABLES["planned"].columns if name != "run")
    plan = f"(SELECT {run} + {before} AS run, {plan} FROM b.planned)"  # noqa: S608  # our own names
    yield TABLES["planned"].copy(plan)
    yield TABLES["runs"].copy(_numbered("runs", "id", before))
    for name in ("datasets", "pipelines", "splits"):  # equal keys have equal rows here
        yield TABLES[name].copy(f"b.{name}", "IGNORE")


def _numbered(table: str, number: str, before: int, source: str | None = None) -> str:
    """All rows of a table, with run numbers shifted past the present ones."""
    columns = TABLES[table].columns
    values = (f"{name} + {before} AS {name}" if name == number else name for name in columns)
    return f"(SELECT {', '.join(values)} FROM {source or f'b.{table}'} ORDER BY rowid)"  # noqa: S608  # our own names


def _better_cells(before: int, version: int) -> str:
    """Cells that the target lacks, or has with a worse outcome."""
    cells = "b.cells" if version == SCHEMA else f"({COMPLETED} b.cells)"
    return (
        f"{_numbered('cells', 'run', before, cells)} AS b WHERE NOT EXISTS"  # noqa: S608  # our own names
        f" (SELECT 1 FROM main.cells AS a WHERE a.key = b.key AND {_rank('a')} >= {_rank('b')})"
    )


def _rank(cells: str) -> str:
    """Rank of a cell's outcome: done, answered by the fallback, failed."""
    return f"CASE WHEN {cells}.error IS NULL THEN 2 WHEN {cells}.fallback THEN 1 ELSE 0 END"


def lines(merged: Merged, *, limit: int = 5) -> Iterator[str]:
    """Yield the outcome as text."""
    total = merged.n_cells + merged.n_missing
    yield f"{merged.path}: {merged.n_cells} of {total} cells"
    if merged.n_missing:
        yield f"{merged.n_missing} of {total} cells are in none of the stores"
    if merged.n_twice:
        yield f"{merged.n_twice} cells were in more than one; the best of each was taken"
    if merged.unlike:
        yield f"{len(merged.unlike)} were done with other predictions; the earlier were taken:"
        for path, dataset, pipeline, repeat, fold in merged.unlike[:limit]:
            yield f"  {dataset}, {pipeline}, repeat {repeat}, fold {fold}: not that of {path}"
        if len(merged.unlike) > limit:
            yield f"  ... and {len(merged.unlike) - limit} more"
