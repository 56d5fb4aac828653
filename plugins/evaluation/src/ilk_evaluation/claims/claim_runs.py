"""Run the experiments of claims within a budget, and record their verdicts."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import ilk
from ilk_evaluation.atomic_write import replace_file
from ilk_evaluation.claims.verdict import SKIPPED, UNKNOWN, Finding, judge, overall
from ilk_evaluation.plan.experiment_plan import plan_experiment
from ilk_evaluation.results.experiment_results import Results
from ilk_evaluation.run.progress import Silent
from ilk_evaluation.run.run_record import environment_here
from ilk_evaluation.run.runner import missing_cells, open_store, run_cells, with_executor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ilk_evaluation.claims.claim import Claim
    from ilk_evaluation.plan.design import Cell
    from ilk_evaluation.plan.experiment_plan import Plan

FORMAT = 1
"""Of the file of verdicts."""
_RECORD = {"id", "digest", "verdict", "reason", "rules"}


@dataclass
class _Work:
    """The run of a claim: its plan, missing data, and cost of a repeat."""

    claim: Claim
    plan: Plan | None = None
    missing: dict[int, list[Cell]] = field(default_factory=dict)
    pace: float = 0.0
    reason: str = ""

    def cost(self, n_repeats: int) -> float:
        """Predicted seconds of the next missing repeats; one begun counts by its missing cells."""
        assert self.plan is not None
        share = [len(cells) / self.per_repeat for cells in list(self.missing.values())[:n_repeats]]
        return self.pace * sum(share)

    @property
    def per_repeat(self) -> float:
        """Cells of a repeat."""
        assert self.plan is not None
        return self.plan.n_cells / len({cell.repeat for cell in self.plan.cells})

    def affordable(self, wanted: int, seconds: float) -> int:
        """How many of the wanted next repeats fit into a time."""
        fitting = [n for n in range(1, wanted + 1) if self.cost(n) <= seconds]
        return fitting[-1] if fitting else 0


def run_claims(
    claims: Iterable[Claim],
    folder: Path,
    *,
    repeats: int | None = None,
    seconds: float = 6000.0,
    executor: Any = None,
    say: Callable[[str], object] = print,
) -> Iterator[dict[str, Any]]:
    """Run claims in rounds and yield the record of each claim after each of its runs.

    In the first round each claim gets one repeat; in the next ones the repeats of all claims
    double, up to the number in their files. The rest of the budget is divided among the claims
    of a round by their predicted cost. Finished cells are kept in a store for each claim.

    Parameters
    ----------
    claims : iterable of Claim
    folder : Path
        Of the stores.
    repeats : int, optional
        Replaces the number of repeats in the files.
    seconds : float
        Budget of all claims together, by the clock. A repeat is begun if it is predicted to fit.
    executor : str, table or ilk.Executor, optional
    say : function
        Takes a line about the progress.

    Yields
    ------
    dict
        As `record_of` returns it; the last one of a claim counts.
    """
    end = monotonic() + seconds
    works = [_planned(claim, folder, repeats, executor) for claim in claims]
    for work in works:
        if not work.missing:
            yield record_of(work.claim, work.plan, work.reason)
    target, pending = 1, [work for work in works if work.missing]
    while pending:
        yield from _round(pending, target, end, say)
        pending = [work for work in pending if work.missing and not work.reason]
        target *= 2


def _round(
    pending: list[_Work], target: int, end: float, say: Callable[[str], object]
) -> Iterator[dict[str, Any]]:
    """Bring claims to a number of repeats, or to as many as their shares of the time allow."""
    wanted = [(work, number) for work in pending if (number := _next(work, target))]
    for position, (work, number) in enumerate(wanted):
        rest = sum(other.cost(n) for other, n in wanted[position:])
        left = end - monotonic()
        fitting = work.affordable(number, work.cost(number) * min(1.0, left / rest))
        if not fitting and target == 1 and work.cost(1) <= left:
            fitting = 1  # one repeat of each comes first
        if fitting:
            _run(work, fitting, say)
        else:
            work.reason = "the budget was spent"
        yield record_of(work.claim, work.plan, work.reason)


def _planned(claim: Claim, folder: Path, repeats: int | None, executor: Any) -> _Work:
    """Plan the experiment of a claim; without its data the claim is skipped."""
    work = _Work(claim, pace=claim.seconds)
    work.plan, work.reason = plan_claim(claim, folder, repeats)
    if work.plan is None:
        return work
    work.plan = with_executor(work.plan, executor)
    with open_store(work.plan) as store:
        for cell in missing_cells(work.plan, store):
            work.missing.setdefault(cell.repeat, []).append(cell)
    return work


def plan_claim(claim: Claim, folder: Path, repeats: int | None) -> tuple[Plan | None, str]:
    """Load the data of a claim and return its plan; else None, with the reason if data are absent.

    Raises
    ------
    ilk.SpecError
        If the experiment is wrong.
    """
    if not claim.has_experiment:
        return None, ""
    experiment = claim.experiment(folder / f"{claim.id}.sqlite", repeats)
    try:
        plan = plan_experiment(experiment.spec, store=experiment.store, trust=False)
    except ilk.SpecError as error:  # the file itself was checked above
        if any(problem.path[:1] != ("datasets",) for problem in error.problems):
            raise
        return None, _without_places("; ".join(one.message for one in error.problems), claim)
    claim.check_datasets([one.label for one in plan.datasets])
    return plan, ""


def _without_places(reason: str, claim: Claim) -> str:
    """Leave the folders of this machine out of a reason that is published."""
    for folder, name in ((os.environ.get("ILK_DATA"), "ILK_DATA"), (claim.spec.folder, "")):
        if folder:
            reason = reason.replace(f"{folder}{os.sep}", f"{name}{os.sep}" if name else "")
    return reason


def _next(work: _Work, target: int) -> int:
    """Number of repeats that a round adds to a claim to reach its target."""
    assert work.plan is not None
    planned = len({cell.repeat for cell in work.plan.cells})
    return max(0, min(target, planned) - (planned - len(work.missing)))


def _run(work: _Work, n_repeats: int, say: Callable[[str], object]) -> None:
    """Run the next repeats of a claim and measure its pace."""
    assert work.plan is not None
    chosen = list(work.missing)[:n_repeats]
    cells = [cell for repeat in chosen for cell in work.missing[repeat]]
    say(f"{work.claim.id}: {len(cells)} cells, about {work.cost(n_repeats):.0f} s")
    started = monotonic()
    with open_store(work.plan) as store:
        run_cells(
            work.plan,
            store,
            cells,
            ilk.Listeners(),
            Silent(),
            on_error="record",
            trial=False,
        )
    work.pace = (monotonic() - started) * work.per_repeat / len(cells)
    for repeat in chosen:
        del work.missing[repeat]


def record_of(claim: Claim, plan: Plan | None, reason: str = "") -> dict[str, Any]:
    """Judge a claim by its finished repeats; return what the file of verdicts holds about it."""
    about = {name: getattr(claim, name) for name in ("text", "place", "statement", "number")}
    about |= {"protocol": claim.protocol, "digest": claim.digest}
    if plan is None and claim.has_experiment:
        return {"id": claim.id, **about, "verdict": SKIPPED, "reason": reason, "rules": []}
    results = None if plan is None else _finished(plan)
    findings = [judge(rule, results) for rule in claim.rules]
    ran: dict[str, Any] = {} if plan is None or results is None else _ran(plan, results)
    verdict = overall(findings)
    why = [one.reason for one in findings if one.reason]
    if reason and verdict == UNKNOWN:
        why.insert(0, reason)
    return {
        "id": claim.id,
        **about,
        "verdict": verdict,
        "reason": "; ".join(dict.fromkeys(why)),
        "rules": [_rounded(one) for one in findings],
        **ran,
        **_provenance(plan),
    }


def _finished(plan: Plan) -> Results:
    """Return the results of the complete repeats."""
    with open_store(plan) as store:
        done = store.statuses().keys()
    short = {cell.repeat for cell in plan.cells if cell.key not in done}
    keep = sorted({cell.repeat for cell in plan.cells} - short)
    results = Results(plan.design, store, {one.key: one.pipeline for one in plan.pipelines})
    return results.filter(repeat=keep)


def _ran(plan: Plan, results: Results) -> dict[str, Any]:
    """Repeats, data sets and time of a run."""
    cells = results.to_pandas("cells") if results.design.cells else None
    spent = 0.0 if cells is None else float(cells[["fit_seconds", "predict_seconds"]].sum().sum())
    return {
        "repeats": len({cell.repeat for cell in results.design.cells}),
        "planned": len({cell.repeat for cell in plan.cells}),
        "datasets": [one.label for one in plan.design.datasets],
        "seconds": round(spent, 1),
    }


def _provenance(plan: Plan | None) -> dict[str, Any]:
    """Day, machine and versions of the last run of a claim; of now if there was none."""
    day, where = datetime.now(UTC).date().isoformat(), environment_here()
    if plan is not None:
        with open_store(plan) as store:
            for last in store.runs()[-1:]:
                day, where = last["started"][:10], json.loads(last["environment"])
    return {
        "date": day,
        "machine": f"{where['platform']}, {where['processors']} processors",
        "python": where["python"],
        "version": where["versions"]["ilk-evaluation"],
    }


def _rounded(finding: Finding) -> dict[str, Any]:
    """Write a finding with numbers of five digits, so that records compare by eye."""
    written = asdict(finding)
    return {k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in written.items()}


def read_verdicts(path: Path) -> dict[str, dict[str, Any]]:
    """Read the records of a file of verdicts by id; none if there is no file.

    Raises
    ------
    ilk.InputError
        If it is another kind of file.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        version, listed = content["format"], content["claims"]
        records = {one["id"]: one for one in listed if one.keys() >= _RECORD}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ilk.InputError(f"{path}: is no file of verdicts of `ilk claims run`") from error
    if version != FORMAT:
        raise ilk.InputError(f"{path}: has format {version}, not {FORMAT}; name another --output")
    if len(records) < len(listed):
        raise ilk.InputError(f"{path}: has a record without all of: {', '.join(sorted(_RECORD))}")
    return records


def write_verdicts(path: Path, records: dict[str, dict[str, Any]]) -> None:
    """Write the records of claims, ordered by id."""
    ordered = [records[name] for name in sorted(records)]
    text = json.dumps({"format": FORMAT, "claims": ordered}, indent=1, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"{text}\n".encode())
