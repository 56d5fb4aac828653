"""Notes on results: ranks, protocols, warnings, the store; and sections that listeners add."""

from __future__ import annotations

import shlex
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.comparisons.paired_scores import with_scores
from ilk_evaluation.comparisons.verdict_text import list_some

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from ilk_evaluation.plan.design import Design
    from ilk_evaluation.results.scoring import Scored
    from ilk_evaluation.run.store import Store


def of_protocol(design: Design, predictor: str) -> Iterator[str]:
    """Note how detectors and clusterers were trained and tested."""
    given = design.evaluation
    if predictor == "detector":
        some = given.get("train_on", "inliers") == "inliers"
        what = "the inliers among the training cases" if some else "all training cases"
        named = f"class {given['outliers']!r}" if "outliers" in given else "the rarest class"
        yield f"detectors learned from {what}; outliers are {named} of a data set"
    if predictor == "clusterer":
        yield (
            "clusterers grouped the test cases of each split, without their classes; the steps "
            "before them learned from the training cases"
        )


def of_sizes(design: Design, by_size: Sequence[Scored]) -> Iterator[str]:
    """Note that learning curves are no part of the tables, and what smaller parts could not do."""
    if design.n_sizes == 1:
        return
    yield (
        "tables, ranks and comparisons are of the whole training parts; learning curves have the "
        "smaller ones"
    )
    lost = sum(int(scored.n_failed.to_numpy().sum()) for scored in by_size[1:])
    if lost:
        yield f"{lost} of the failed cells are of smaller training parts, in learning curves only"
    whole = set(by_size[0].notes)
    some = [note for scored in by_size[1:] for note in scored.notes if note not in whole]
    yield from (f"with smaller training parts: {note}" for note in dict.fromkeys(some))


def of_ranks(design: Design, estimates: pd.DataFrame, ranked: Sequence[str]) -> Iterator[str]:
    """Note what ranks leave out, and over how many data sets they are.

    Parameters
    ----------
    design : Design
    estimates : DataFrame
        Data sets by pipelines, of the ranking measure.
    ranked : sequence of str
        The data sets of the mean ranks.
    """
    measure, all_ = next(iter(design.measures)), len(design.datasets)
    judged = with_scores(estimates)
    if not judged.empty:
        for what, other, every, found in (
            ("pipeline", "data set", estimates.columns, judged.columns),
            ("data set", "pipeline", estimates.index, judged.index),
        ):
            lost = [str(name) for name in every if name not in found]
            if lost:
                yield (
                    f"means, ranks and verdicts leave out {len(lost)} {what}"
                    f"{'s' * (len(lost) != 1)} ({list_some(lost)}): no {measure} of any "
                    f"{other}"
                )
    for pipeline, sets in design.partial.items():
        yield (
            f"ranks and comparisons leave out {pipeline}: it is planned on {len(sets)} of {all_} "
            f"data sets only ({list_some(sets)})"
        )
    if 0 < len(ranked) < len(judged):
        yield (
            f"mean ranks are over {len(ranked)} of {all_} data sets, those that every "
            f"ranked pipeline finished"
        )


def of_measures(design: Design, store: Store) -> Iterator[str]:
    """Note the classes that measures took as positive by themselves."""
    two = np.array([0, 1])
    choosing = [
        (name, measure)
        for name, measure in design.measures.items()
        if measure.positive_class(two) is not None
    ]
    taken: dict[str, dict[str, str]] = {}
    for dataset, classes in _classes(design, store) if choosing else ():
        for name, measure in choosing:
            label = measure.positive_class(classes)
            if label is not None:
                taken.setdefault(name, {})[dataset] = repr(label)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, labels in taken.items():
        said = [f"{label} ({dataset})" for dataset, label in labels.items()]
        if len(set(labels.values())) == 1:
            said = list(dict.fromkeys(labels.values()))
        alike.setdefault(tuple(said), []).append(name)
    for labels_said, names in alike.items():
        yield (
            f"the positive class of {list_some(names)} is {list_some(labels_said)}, the second of "
            f"two; the parameter positive names another"
        )


def _classes(design: Design, store: Store) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each data set that has a prediction, and its classes."""
    statuses, seen = store.statuses(), set()
    for cell in design.cells:
        if cell.dataset not in seen and statuses.get(cell.key) in {"done", "fallback"}:
            seen.add(cell.dataset)
            yield design.dataset(cell), store.prediction(cell.key).classes


def warned(design: Design, given: Mapping[str, Sequence[str]]) -> list[str]:
    """Note each warning of a pipeline once, with its number of cells.

    Parameters
    ----------
    design : Design
    given : mapping of str to sequence of str
        Warnings by the keys of cells.
    """
    counts: dict[tuple[str, str], int] = {}
    for cell in design.cells:
        for message in given.get(cell.key, ()):
            key = design.pipeline(cell), message
            counts[key] = counts.get(key, 0) + 1
    return [f"{pipeline} warned in {n} cells: {text}" for (pipeline, text), n in counts.items()]


_WORTH_SAYING = 1.0


def of_sharing(design: Design, store: Store) -> list[str]:
    """Note the time saved by work that several pipelines share, from a second."""
    saved = store.saved_seconds()
    total = sum(saved.get(key, 0.0) for key in {cell.key for cell in design.cells})
    if total < _WORTH_SAYING:
        return []
    note = "work that several pipelines share was done once for each split, which saved"
    return [f"{note} {total:.0f} s; the seconds of a cell are those of its pipeline alone"]


def beside(design: Design, store: Store) -> list[str]:
    """Note other experiments in the store, and a store without digests."""
    names = dict.fromkeys(str(run["name"]) for run in store.runs())
    found = [
        f"the store also holds the experiment {name!r} (--experiment {shlex.quote(name)})"
        for name in names
        if name != design.name
    ]
    if not store.sealed:
        found.append(
            "the store is not verifiable: an older ilk wrote it, without digests by which changed "
            "values are found; the next run that writes to it adds them"
        )
    return found


def sections_of(listeners: ilk.Listeners, results: object) -> Iterator[ilk.Section]:
    """Yield the sections of listeners; warn of other values."""
    for answer in listeners.tell("ilk_report_sections", results=results):
        for section in answer if isinstance(answer, list | tuple) else [answer]:
            if _is_section(section):
                yield section
            else:
                what = f"ilk_report_sections must return ilk.Section, got {section!r}"
                warnings.warn(what, ilk.HookWarning, stacklevel=2)


def _is_section(section: Any) -> bool:
    return (
        isinstance(section, ilk.Section)
        and isinstance(section.title, str)
        and isinstance(section.text, str)
    )
