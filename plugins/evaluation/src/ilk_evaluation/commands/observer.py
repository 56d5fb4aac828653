"""Follow a run from another process, by reading its store and testing its lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from ilk_evaluation.lock import holder
from ilk_evaluation.plan.shards import cells_of
from ilk_evaluation.results.opening import open_store
from ilk_evaluation.results.scoring import first_estimates
from ilk_evaluation.run.database import StoreError, lock_of, undamaged
from ilk_evaluation.run.leader import Leader
from ilk_evaluation.run.progress import shown_on
from ilk_evaluation.run.run_record import recorded_design, recorded_shard
from ilk_evaluation.run.run_state import CellSummary, RunState
from ilk_evaluation.run.run_view import View

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from ilk_evaluation.plan.shards import Shard
    from ilk_evaluation.run.sql import CellRow
    from ilk_evaluation.run.store import Store

_OFTEN = 0.1  # seconds between checks for a missing store
_ROUNDED = 1.0  # seconds: the precision of a run's recorded start


class State(Enum):
    """The state of a run: running, or how it ended."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped before its end"
    DIED = "died before its end"


@dataclass(frozen=True)
class Observation:
    """A snapshot of a run.

    Attributes
    ----------
    name : str
        Name of the experiment.
    state : State
    view : View
        Of the cells of this run: all cells, or those of its shard and those stored before.
    shard : (int, int) or None
        Position and number of shards, if a shard is run.
    """

    name: str
    state: State
    view: View
    shard: Shard | None = None


class Observer:
    """Reads a store repeatedly; the store is open only while being read, and never written.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._run: tuple[Any, ...] | None = None

    def look(self, seconds: float = float("inf")) -> Observation:
        """Look at the last run.

        Parameters
        ----------
        seconds : float
            Time that may be spent on scoring the leader.

        Raises
        ------
        StoreError
            If there is no readable store, or nothing was run yet.
        """
        if not self.path.is_file():
            open_store(self.path)  # raises an error that names the kind of the path
        held = holder(lock_of(self.path)) is not None  # tested first: if free, all is written
        left_behind = lock_of(self.path).exists()
        with open_store(self.path) as store:
            self._read(store)
            self._leader.work(store, self._run_state, seconds)
        complete = self._run_state.done == self._run_state.total
        if held:
            state = State.RUNNING
        elif complete:
            state = State.FINISHED
        else:
            state = State.DIED if left_behind else State.STOPPED
        began = monotonic() - self._elapsed() if held and self._has_begun() else None
        view = View(self._run_state, self._leader.best, began, running=held)
        return Observation(self._run_state.design.name, state, view, self._shard)

    def _read(self, store: Store) -> None:
        """Count new cells; recount all if another run or file has replaced this one."""
        runs = store.runs()
        there = self.path.stat()
        run = (there.st_dev, there.st_ino, len(runs), runs[-1]["started"] if runs else "")
        if run != self._run:
            self._run_state, self._shard = _begun(store)
            self._leader = Leader(self._run_state.design, first_estimates)
            with undamaged(self.path):
                self._number, self._began = runs[-1]["id"], _moment(runs[-1]["started"])
            self._row, self._counted = 0, dict[str, CellSummary]()
            self._run = run
        for row in store.since(self._row):
            self._count(row)
            self._row = row.row

    def _count(self, row: CellRow) -> None:
        if row.key not in self._run_state.cells:  # a cell of another experiment
            return
        before = self._counted.get(row.key)
        if before is not None:
            self._run_state.count(row.key, before, times=-1)
            self._leader.forget(self._run_state.cells[row.key].dataset)
        self._counted[row.key] = CellSummary.kept(row, self._number)
        self._run_state.count(row.key, self._counted[row.key])

    def _has_begun(self) -> bool:
        """Whether the last run in the store is the one that holds the lock."""
        try:
            locked = lock_of(self.path).stat().st_mtime
        except OSError:  # it ended meanwhile
            return True
        return self._began.timestamp() > locked - _ROUNDED

    def _elapsed(self) -> float:
        return max((datetime.now(UTC) - self._began).total_seconds(), 0.0)


def _begun(store: Store) -> tuple[RunState, Shard | None]:
    """Return the empty run state of the last run, and its shard.

    Cells of other machines count only if they are in the store.
    """
    design, shard = recorded_design(store), recorded_shard(store)
    run_state = RunState(design)
    if shard is not None:
        known = {cell.key for cell in cells_of(design, shard)} | store.statuses().keys()
        run_state.leave_out(run_state.cells.keys() - known)
    return run_state, shard


def wait_for(
    watch: Observer, patience: float, seconds: float = float("inf"), *, resumed: bool = False
) -> Observation:
    """Return the first observation, or raise the error if there is none in time.

    Parameters
    ----------
    watch : Observer
    patience : float
        Seconds to wait for a store that is missing or just being created.
    seconds : float
        Time that may be spent on scoring the leader.
    resumed : bool
        Whether to wait, too, for a stopped run to resume: a resumed run loads its data before it
        locks the store, and looks stopped until then.

    Raises
    ------
    StoreError
        At once, if waiting cannot help.
    """
    deadline = monotonic() + patience
    while True:
        try:
            observation = watch.look(seconds)
            ended = observation.state in {State.STOPPED, State.DIED}
            if not (resumed and ended) or monotonic() > deadline:
                return observation
            sleep(_OFTEN)
        except (StoreError, OSError) as error:
            if monotonic() > deadline or not _may_come(watch.path):
                raise _said(watch.path, error) from error
            sleep(_OFTEN)


def follow(
    watch: Observer, first: Observation, console: Console, interval: float, patience: float
) -> Observation:
    """Show a run until it ends; return the last observation.

    Parameters
    ----------
    watch : Observer
    first : Observation
    console : rich.console.Console
    interval : float
        Seconds between observations.
    patience : float
        Seconds that a store may be missing, or locked by another process.

    Raises
    ------
    StoreError
        If the store cannot be read any more.
    """
    observation = first
    if first.state is not State.RUNNING:
        return first
    seen = monotonic()
    with shown_on(console, lambda: observation.view, at_once=True) as tell:
        while observation.state is State.RUNNING:
            sleep(interval)
            try:
                observation = watch.look(interval / 2)
            except (StoreError, OSError) as error:
                if monotonic() - seen > max(patience, interval):
                    raise _said(watch.path, error) from error
                continue
            seen = monotonic()
            tell()
    return observation


def _may_come(path: Path) -> bool:
    """Tell whether waiting may help: there is no file, or a run has just begun."""
    if path.is_dir() or path.suffix == ".toml":
        return False
    try:
        return not path.stat().st_size or holder(lock_of(path)) is not None
    except OSError:
        return True


def _said(path: Path, error: Exception) -> StoreError:
    return error if isinstance(error, StoreError) else StoreError(f"{path}: {error}")


def _moment(text: str) -> datetime:
    """Parse a time in SQLite's format."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
