"""What an experiment must be beyond its grammar: unique, not empty, pipelines that classify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import ilk
from ilk.wording import show


def experiment_problems(written: Any, tables: Any) -> Iterator[ilk.Problem]:
    """Yield the problems of an experiment that may also have problems of grammar.

    Parameters
    ----------
    written : mapping
        As in the file.
    tables : mapping or None
        Canonical, where the grammar found nothing wrong.
    """
    if not isinstance(written, Mapping):
        return
    evaluation = written.get("evaluation")
    canonical = tables["evaluation"] if tables else evaluation
    yield from _list_problems(("datasets",), written, tables or written, at_least=1)
    yield from _list_problems(("evaluation", "measures"), evaluation, canonical, at_least=1)
    yield from _list_problems(("evaluation", "comparisons"), evaluation, canonical, at_least=0)
    yield from _name_problems(written.get("experiment"))
    yield from _pipeline_problems(written.get("pipelines"))
    yield from _run_problems(written.get("run"))


def _list_problems(
    path: tuple[str, ...], written: Any, canonical: Any, *, at_least: int
) -> Iterator[ilk.Problem]:
    """Check a list of components: long enough, nothing twice."""
    key = path[-1]
    if not isinstance(written, Mapping) or not isinstance(written.get(key), list):
        return
    items = canonical[key]
    if len(items) < at_least:
        yield ilk.Problem(path, f"needs at least {at_least}, got an empty list")
    for position, item in enumerate(items):
        first = items.index(item)
        if first < position:
            yield ilk.Problem(
                (*path, position), f"is the same as {'.'.join(path)}[{first}]; leave one out"
            )


def _run_problems(run: Any) -> Iterator[ilk.Problem]:
    """Check that a fallback is named where one is asked for, and only there."""
    if not isinstance(run, Mapping):
        return
    asked = run.get("on_error") == "fallback"
    if asked and "fallback" not in run:
        yield ilk.Problem(
            ("run", "on_error"),
            "is 'fallback', so run.fallback must name the classifier that answers where a "
            "pipeline fails",
        )
    if "fallback" in run and not asked:
        yield ilk.Problem(("run", "fallback"), "has no effect without on_error = 'fallback'")


def _name_problems(experiment: Any) -> Iterator[ilk.Problem]:
    """Check the name of the experiment; one without any is that of the file."""
    name = experiment.get("name") if isinstance(experiment, Mapping) else None
    if isinstance(name, str) and not name.isprintable():
        yield ilk.Problem(("experiment", "name"), f"must be printable, got {name!r}")


def _pipeline_problems(pipelines: Any) -> Iterator[ilk.Problem]:
    if not isinstance(pipelines, list):
        return
    first: dict[str, int] = {}
    for position, pipeline in enumerate(pipelines):
        if not isinstance(pipeline, Mapping):
            continue
        path = ("pipelines", position)
        name = pipeline.get("id")
        if isinstance(name, str):
            if name.strip() and (name != name.strip() or not name.isprintable()):
                said = "must be printable, without blanks at its ends"
                yield ilk.Problem((*path, "id"), f"{said}, got {name!r}")
            if not name.strip():
                yield ilk.Problem((*path, "id"), "must not be empty")
            elif first.setdefault(name, position) < position:
                yield ilk.Problem(
                    (*path, "id"), f"{name!r} is already the id of pipelines[{first[name]}]"
                )
        chosen = pipeline.get("datasets")
        names = [one for one in chosen if isinstance(one, str)] if isinstance(chosen, list) else []
        if len(names) != len(set(names)):
            yield ilk.Problem((*path, "datasets"), f"must not name one twice, got {show(names)}")
        if chosen == []:
            yield ilk.Problem((*path, "datasets"), "needs at least 1, got an empty list")
        yield from _step_problems(pipeline.get("steps"), (*path, "steps"))


def _step_problems(steps: Any, path: tuple[str | int, ...]) -> Iterator[ilk.Problem]:
    """Check that a classifier stands last, and nothing that predicts before it."""
    if not isinstance(steps, list | tuple):
        return
    if not steps:
        yield ilk.Problem(path, "a pipeline needs at least one step, its classifier")
        return
    for position, step in enumerate(steps):
        if hasattr(step, "get_params"):
            yield ilk.Problem(
                (*path, position), "a step is a table with one key, its kind: {kind: instance}"
            )
    for position, step in enumerate(steps[:-1]):
        kind = _kind(step)
        if kind is not None and ilk.kind_of(kind).role == "final":
            yield ilk.Problem(
                (*path, position), f"a {kind} ends a pipeline, so it must be the last step"
            )
    last = _kind(steps[-1])
    if last not in {None, "classifier"}:
        yield ilk.Problem(
            path,
            f"a pipeline without a classifier: the last step must be one, it is of kind {last}",
        )


def _kind(step: Any) -> str | None:
    """The kind of a step; None where the grammar finds fault with it."""
    kind = next(iter(step)) if isinstance(step, Mapping) and len(step) == 1 else None
    try:
        found = ilk.kind_of(str(kind))
    except ilk.UnknownComponentError:
        return None
    return found.name if found.name == kind and found.role else None
