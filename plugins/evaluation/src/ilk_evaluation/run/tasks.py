"""Tasks for the workers of a run: a cell, or all leave-one-out cells of a pipeline; batches.

Under leave-one-out, all cells of a pipeline on a data set are one task if the pipeline can
answer for each case as if fitted to the others (`ilk.Pipeline.fast_leave_one_out`): no step
before the learner depends on cases, and no cell would draw a random state. The store then holds
the same rows under the same keys as after one fit per cell.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import zip_longest
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

import ilk
from ilk_evaluation.plan.keys import canonical
from ilk_evaluation.run.cell import Outcome, answers, evaluate, guarded, ready, supports
from ilk_evaluation.run.other_predictors import numbers
from ilk_evaluation.run.worker_context import Place, Sharing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.plan.experiment_plan import Plan, PlannedPipeline
    from ilk_evaluation.run.store import Store
    from ilk_evaluation.run.worker_context import WorkerContext

WITHOUT_REFITTING = "leave-one-out without refitting"


class Task(Protocol):
    """One call of a worker, for one cell or several."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that it computes, at least one."""

    @property
    def suspect(self) -> bool:
        """Whether a worker died of it, or beside it."""

    @property
    def alike(self) -> tuple[int, int] | None:
        """Data set and pipeline: such tasks take about equally long. None: it runs alone."""

    @property
    def group(self) -> tuple[int, int, int] | None:
        """Data set, split and shared first steps: such tasks run in one worker, in turn."""

    def suspected(self) -> Self:
        """Return the same task as a suspect."""

    def call(self, context: WorkerContext) -> tuple[Any, ...]:
        """Return the function that a worker runs, and its arguments."""

    def retries(self, outcome: Outcome, fallback: int | None) -> Iterator[Task] | None:
        """Return the tasks that replace it after a failure; None: the failure is final."""

    def final(self, outcome: Outcome) -> Outcome:
        """Return the outcome to store."""

    def outcomes(self, outcome: Outcome) -> list[tuple[Cell, Outcome]]:
        """Return each cell with its share of the outcome."""

    def write(self, store: Store, outcome: Outcome, plan: Plan, run: int) -> None:
        """Write the outcome of a run into a store."""


@dataclass(frozen=True)
class CellTask:
    """One cell.

    Attributes
    ----------
    cell : Cell
    split : ilk.Split
    seed : int
    pipeline : int
        Its position in the worker context.
    failed : Outcome or None
        Outcome of the cell's pipeline, if this task runs the fallback.
    suspect : bool
        Whether a worker died of it, or beside it.
    prefix : int or None
        Identity of the longest beginning that the pipeline shares with others, or of its family.
    """

    cell: Cell
    split: ilk.Split
    seed: int
    pipeline: int
    failed: Outcome | None = None
    suspect: bool = False
    prefix: int | None = None

    @property
    def group(self) -> tuple[int, int, int] | None:
        """Data set, split and shared first steps: such tasks run in one worker, in turn."""
        if self.suspect or self.prefix is None:
            return None
        return self.cell.dataset, self.cell.split, self.prefix

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cell, alone."""
        return (self.cell,)

    @property
    def alike(self) -> tuple[int, int] | None:
        """Data set and pipeline: such tasks take about equally long. None: it runs alone."""
        return None if self.suspect else (self.cell.dataset, self.pipeline)

    def suspected(self) -> Self:
        """Return the same task as a suspect."""
        return replace(self, suspect=True)

    def call(self, context: WorkerContext) -> tuple[Any, ...]:
        """Return the function that a worker runs, and its arguments."""
        return run_cell, context, self

    def retries(self, outcome: Outcome, fallback: int | None) -> Iterator[Task] | None:
        """Return a task for the fallback, if there is one that has not been tried yet."""
        if fallback is None or self.failed is not None:
            return None
        return iter((replace(self, pipeline=fallback, failed=outcome, prefix=None),))

    def final(self, outcome: Outcome) -> Outcome:
        """Add the error of the cell's pipeline to the outcome of the fallback."""
        failed = self.failed
        if failed is None:
            return outcome
        if outcome.error is None:
            return replace(outcome, error=failed.error, traceback=failed.traceback, fallback=True)
        return replace(failed, error=f"{failed.error}; the fallback failed too: {outcome.error}")

    def outcomes(self, outcome: Outcome) -> list[tuple[Cell, Outcome]]:
        """Return the cell with the outcome."""
        return [(self.cell, outcome)]

    def write(self, store: Store, outcome: Outcome, plan: Plan, run: int) -> None:
        """Write the outcome of a run into a store."""
        store.put(
            self.cell.key,
            outcome,
            run=run,
            pipeline=plan.pipelines[self.cell.pipeline].key,
            split=self.cell.split_key,
            fingerprint=plan.datasets[self.cell.dataset].data.fingerprint,
            test=self.split.test,
            n_train=len(self.split.train),
        )


class TrialTask(CellTask):
    """One cell on a few rows of its split."""

    alike = None
    group = None

    def call(self, context: WorkerContext) -> tuple[Any, ...]:
        """Return the function that a worker runs, and its arguments."""
        return try_cell, context, self


@dataclass(frozen=True)
class LeaveOneOutTask:
    """All leave-one-out cells of a pipeline on a data set, answered without refitting.

    Attributes
    ----------
    cells : tuple of Cell
    one_by_one : function
        Takes the failed outcome of them all, and yields a task for each cell.
    suspect : bool
        Whether a worker died of it, or beside it.
    """

    alike = None
    group = None
    cells: tuple[Cell, ...]
    one_by_one: Callable[[Outcome], Iterator[CellTask]]
    suspect: bool = False

    def suspected(self) -> Self:
        """Return the same task as a suspect."""
        return replace(self, suspect=True)

    def call(self, context: WorkerContext) -> tuple[Any, ...]:
        """Return the function that a worker runs, and its arguments."""
        return leave_out, context, self.cells[0].dataset, self.cells[0].pipeline

    def retries(self, outcome: Outcome, fallback: int | None) -> Iterator[Task] | None:
        """Return a task for each cell."""
        return self.one_by_one(outcome)

    def final(self, outcome: Outcome) -> Outcome:
        """Return the outcome as it is."""
        return outcome

    def outcomes(self, outcome: Outcome) -> list[tuple[Cell, Outcome]]:
        """Return each cell with its share of the outcome."""
        return [(cell, _of_case(outcome, cell.split)) for cell in self.cells]

    def write(self, store: Store, outcome: Outcome, plan: Plan, run: int) -> None:
        """Write the outcome of a run into a store; the number of a split is its test case."""
        data = plan.datasets[self.cells[0].dataset].data
        for cell, share in self.outcomes(outcome):
            store.put(
                cell.key,
                share,
                run=run,
                pipeline=plan.pipelines[cell.pipeline].key,
                split=cell.split_key,
                fingerprint=data.fingerprint,
                test=np.array([cell.split]),
                n_train=len(data) - 1,
            )


def shortcuts(plan: Plan) -> frozenset[int]:
    """Positions of the pipelines whose cells one call can answer."""
    if not plan.resampling.leaves_one_out:
        return frozenset()
    fast = (i for i, planned in enumerate(plan.pipelines) if _is_fast(planned.pipeline))
    return frozenset(fast)


def _is_fast(pipeline: ilk.Pipeline) -> bool:
    try:
        return pipeline.fast_leave_one_out
    except Exception:  # noqa: BLE001  # a component may raise anything; the fit reports the error
        return False


def divided(plan: Plan, cells: Sequence[Cell]) -> tuple[list[tuple[Cell, ...]], list[Cell]]:
    """Divide cells into groups that one call answers, and cells to run one by one.

    A single cell makes a group, too. A fit may round differently; this way the answer does not
    depend on which other cells are to be run, in a shard or after an interrupted run.
    """
    fast = shortcuts(plan)
    groups: defaultdict[tuple[int, int], list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.pipeline in fast:
            groups[cell.dataset, cell.pipeline].append(cell)
    together = [tuple(group) for group in groups.values()]
    return together, [cell for cell in cells if cell.pipeline not in fast]


def row_name(plan: Plan, cell: Cell) -> str:
    """``"wine, 1-NN"``."""
    return f"{plan.datasets[cell.dataset].label}, {plan.pipelines[cell.pipeline].id}"


def cell_tasks(
    plan: Plan,
    cells: Iterable[Cell],
    prefixes: Prefixes | None = None,
    families: Families | None = None,
) -> Iterator[CellTask]:
    """Pair cells, which are in the plan's order, with their splits, one split at a time.

    Those of a split that share steps follow one another. Of a family those of the largest
    numbers go first: their lists of neighbours serve for the others.
    """
    shared, alike = prefixes or {}, families or {}
    if shared or alike:
        cells = sorted(cells, key=lambda cell: _beginning(cell, shared, alike))
    current, position, split = -1, -1, None
    for cell in cells:
        if cell.dataset != current or cell.split < position:
            current, position = cell.dataset, -1
            splits = plan.splits(current)
        while position < cell.split:
            position, split = position + 1, next(splits)
        assert split is not None
        prefix = None
        if cell.pipeline in shared:
            prefix = shared[cell.pipeline][-1][1]
        elif cell.pipeline in alike:
            prefix = -1 - alike[cell.pipeline].identity
        seed = plan.cell_seed(cell)
        yield CellTask(cell, split, seed, cell.pipeline, prefix=prefix)


def _beginning(cell: Cell, prefixes: Prefixes, families: Families) -> tuple[Any, ...]:
    shared = [identity for _, identity in prefixes.get(cell.pipeline, ())]
    family = families.get(cell.pipeline, Member(-1, ()))
    return cell.dataset, cell.split, shared, family, cell.pipeline


class Member(NamedTuple):
    """A pipeline among those that differ only in `late` parameters of the last step.

    Attributes
    ----------
    identity : int
        Of the family.
    order : tuple of float
        Its late numbers, negated: the largest go first.
    """

    identity: int
    order: tuple[float, ...]


Families: TypeAlias = "Mapping[int, Member]"
"""Pipelines, by position, that differ from another one only in late parameters."""


def families(plan: Plan) -> Families:
    """Find the pipelines that differ only in `late` parameters of their last steps."""
    found: defaultdict[str, dict[int, tuple[float, ...]]] = defaultdict(dict)
    for at, planned in enumerate(plan.pipelines):
        _, last = ilk.kind_and_component(planned.pipeline.steps[-1])
        steps = json.loads(planned.spec)
        table = next(iter(steps[-1].values()))
        late = [table.pop(name, None) for name in getattr(last, "late", ())]
        if late:
            numbers = [-value for value in late if isinstance(value, int | float)]
            found[canonical(steps)][at] = tuple(numbers)
    return {
        at: Member(identity, order)
        for identity, members in enumerate(found.values())
        if len(members) > 1
        for at, order in members.items()
    }


Prefixes: TypeAlias = "Mapping[int, Sequence[tuple[int, int]]]"
"""Number of steps and identity of each shared beginning of a pipeline, shortest first."""


def shared_prefixes(plan: Plan) -> Prefixes:
    """Find the steps with which several pipelines begin that are tried on one data set.

    Of two beginnings that the same pipelines share, the longer one counts. The last step of a
    pipeline is never shared.
    """
    tried: defaultdict[int, set[int]] = defaultdict(set)
    for cell in plan.design.cells:
        tried[cell.pipeline].add(cell.dataset)
    beginnings = {at: _beginnings(plan.pipelines[at]) for at in sorted(tried)}
    number: Counter[tuple[int, str]] = Counter(
        (dataset, text)
        for at, texts in beginnings.items()
        for text in texts
        for dataset in tried[at]
    )
    identities: dict[str, int] = {}
    found = {}
    for at, texts in beginnings.items():
        users = [[number[dataset, text] for dataset in sorted(tried[at])] for text in texts]
        found[at] = [
            (n_steps, identities.setdefault(text, len(identities)))
            for n_steps, (text, own, longer) in enumerate(zip_longest(texts, users, users[1:]), 1)
            if max(own) > 1 and own != longer
        ]
    return {at: prefixes for at, prefixes in found.items() if prefixes}


def _beginnings(planned: PlannedPipeline) -> list[str]:
    """Specifications of the first step, of the first two steps, ... except the last one."""
    steps = [canonical(step) for step in json.loads(planned.spec)]
    return ["\n".join(steps[:n]) for n in range(1, len(steps))]


def run_cell(context: WorkerContext, task: CellTask) -> Outcome:
    """Run a cell, here or in a worker, which first compiles what the pipeline needs."""
    data = context.datasets[task.cell.dataset]
    pipeline = context.pipelines[task.pipeline]
    sharing = _shared(context, task)
    new = sharing.fitted() is None and context.is_new("cell", task.pipeline, data)
    if new:  # a few rows compile it before the clock runs
        few = small_split(task.split, data.y)
        evaluate(pipeline, data, few, task.seed, _shared(context, task, few=True))
    return evaluate(pipeline, data, task.split, task.seed, sharing)


def _shared(context: WorkerContext, task: CellTask, *, few: bool = False) -> Sharing:
    """Return what the pipeline of a task shares with others."""
    return Sharing(context.shared, task.pipeline, Place(task.cell.split_key, few))


_MOST_BYTES = 2**20  # of predictions in memory before they are stored


def run_batch(
    context: WorkerContext, tasks: Sequence[CellTask], seconds: float, until_failure: bool
) -> tuple[list[Outcome], bool]:
    """Run cells one after the other, here or in a worker.

    Return the outcomes, and whether an interrupt ended the work, which loses no outcome.

    Parameters
    ----------
    context : WorkerContext
    tasks : sequence of CellTask
    seconds : float
        Time after which no other cell starts.
    until_failure : bool
        Whether no other cell starts after a failed one.
    """
    start, n_bytes = perf_counter(), 0
    outcomes: list[Outcome] = []
    try:
        for task in tasks:
            outcomes.append(run_cell(context, task))
            n_bytes += outcomes[-1].n_bytes
            failed = until_failure and outcomes[-1].error is not None
            if failed or n_bytes > _MOST_BYTES or perf_counter() - start > seconds:
                break
    except KeyboardInterrupt:
        return outcomes, True
    return outcomes, False


def try_cell(context: WorkerContext, task: CellTask) -> Outcome:
    """Run a cell on a few rows, here or in a worker."""
    data = context.datasets[task.cell.dataset]
    context.is_new("cell", task.pipeline, data)  # no longer
    pipeline, shared = context.pipelines[task.pipeline], _shared(context, task, few=True)
    return evaluate(pipeline, data, task.split, task.seed, shared)


def leave_out(context: WorkerContext, dataset: int, pipeline: int) -> Outcome:
    """Answer for every case of a data set, here or in a worker; return one outcome of all cells.

    An exception becomes a failed outcome, as it does for a single cell.
    """
    data, model = context.datasets[dataset], context.pipelines[pipeline]
    if context.is_new("leave-one-out", pipeline, data):
        rows = np.arange(len(data))
        few = small_split(ilk.Split(rows, rows), data.y).train
        guarded(lambda: _leave_out(model, data, few))
    return guarded(lambda: _leave_out(model, data, np.arange(len(data))))


def _leave_out(pipeline: ilk.Pipeline, data: ilk.Data, rows: np.ndarray) -> Outcome:
    model, cases = ready(pipeline, data, seed=0)  # no cell draws a random state
    n, y = len(rows), data.y
    if n < len(data):
        cases, y = ilk.take(cases, rows), y[rows]
    start = perf_counter()
    answer: Any = model.leave_one_out(cases, y)
    shares: dict[str, Any] = {
        "fit_seconds": (perf_counter() - start) / n,
        "predict_seconds": 0.0,
        "reduction": 0.0,
    }
    if data.task == "regression":
        return Outcome(numbers(answer, cases), **shares, together=n)
    for name in ("labels", "probabilities", "scores"):
        values = getattr(answer, name)
        shape = np.shape(values)
        if values is not None and shape[: 2 if name == "labels" else 1] != (n,):
            raise ilk.InputError(f"leave_one_out gave {name} of shape {shape} for {n} cases")
    return Outcome(
        answers(model, answer.labels, data.classes),
        *supports(model, answer, data.classes),
        **shares,
        together=n,
    )


def _of_case(together: Outcome, row: int) -> Outcome:
    rows = slice(row, row + 1)
    parts = (together.codes, together.probabilities, together.scores)
    codes, probabilities, scores = (None if part is None else part[rows] for part in parts)
    return replace(together, codes=codes, probabilities=probabilities, scores=scores)


def notes_on(design: Design, keys: set[str]) -> list[str]:
    """Note which pipelines had cells answered without refitting, and the meaning of their times.

    Parameters
    ----------
    design : Design
    keys : set of str
        Keys of the cells answered without refitting.
    """
    if not keys:
        return []
    total = Counter(cell.pipeline for cell in design.cells)
    fast = Counter(cell.pipeline for cell in design.cells if cell.key in keys)
    return [
        f"{design.pipelines[column].label}: {WITHOUT_REFITTING} ({n} of {total[column]} cells), "
        f"all cases of a data set by one call; the seconds of a cell are its equal share of "
        f"that call"
        for column, n in sorted(fast.items())
    ]


TRAINING, OTHERS = 40, 10
"""Rows of the training part, and of the test and validation parts: 60 in all."""


def small_split(split: ilk.Split, y: np.ndarray) -> ilk.Split:
    """Return a split of at most 60 of its rows, or one training row per class if that is more.

    Classes have equal shares of the rows, as far as they have cases, so none is lost. The choice
    depends on nothing but the split and the labels.

    Parameters
    ----------
    split : ilk.Split
    y : ndarray of shape (n,)
        Labels of all rows of the data set.

    Examples
    --------
    >>> import ilk
    >>> y = np.repeat(["rare", "usual"], [2, 998])
    >>> small = small_split(ilk.Split(np.arange(1000), np.arange(500)), y)
    >>> np.unique(y[small.train], return_counts=True)[1], len(small.test)
    (array([ 2, 38]), 10)
    """
    validation = None if split.validation is None else _some(split.validation, y, OTHERS)
    return replace(
        split,
        train=_some(split.train, y, TRAINING, every_class=True),
        test=_some(split.test, y, OTHERS),
        validation=validation,
    )


def _some(rows: np.ndarray, y: np.ndarray, most: int, *, every_class: bool = False) -> np.ndarray:
    """Return rows in their order: the first of each class in a fixed shuffle, then the second."""
    if len(rows) <= most:
        return rows
    shuffled = np.random.default_rng(0).permutation(len(rows))
    _, codes, counts = np.unique(y[rows[shuffled]], return_inverse=True, return_counts=True)
    if every_class and y.dtype.kind != "f":  # values of a quantity are no classes
        most = max(most, len(counts))
    by_class = np.argsort(codes, kind="stable")
    turn = np.empty(len(rows), dtype=int)
    turn[by_class] = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = shuffled[np.argsort(turn, kind="stable")[:most]]
    return rows[np.sort(chosen)]
