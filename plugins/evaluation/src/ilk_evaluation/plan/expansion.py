"""Shared steps, families of pipelines and titles of data sets, written out as plain tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

import ilk
from ilk_evaluation.plan.design import short

Where = tuple[str | int, ...]
MOST_STEPS = 1000
"""Steps of one pipeline, with those that it inserts: a few lines could write out billions."""
MOST_MEMBERS = 10_000
"""Pipelines of one family."""
_DEEPEST = 50


@dataclass(frozen=True)
class Expanded(ilk.Spec):
    """A spec written out, which names the place in the original for each problem.

    Attributes
    ----------
    origin : mapping of path to path
        Original place of tables and values that were moved.
    titles : mapping of int to str
        Titles of data sets by position.
    """

    origin: Mapping[Where, Where] = field(default_factory=dict, repr=False)
    titles: Mapping[int, str] = field(default_factory=dict)

    def original(self, path: Where) -> Where:
        """Return the place in the original of a place in the expanded tables."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origin:
                return (*self.origin[path[:end]], *path[end:])
        return path

    def locate(self, problem: ilk.Problem) -> ilk.Problem:
        """Return the problem at its original place, with file and line."""
        return super().locate(replace(problem, path=self.original(problem.path)))


def expand(spec: ilk.Spec) -> tuple[Expanded, list[ilk.Problem]]:
    """Write out default steps, inserted steps and grids; set titles of data sets aside.

    Parameters
    ----------
    spec : ilk.Spec
        As written.

    Returns
    -------
    Expanded
        Its pipelines have no ``defaults``, ``grid`` or ``use_steps``.
    list of Problem
        Located in the file. A pipeline with a problem is left as it is, as far as possible.
    """
    if isinstance(spec, Expanded):
        return spec, []
    work = _Expansion(spec.data)
    data = work.expanded()
    problems = [spec.locate(problem) for problem in dict.fromkeys(work.problems)]
    return Expanded(data, spec.path, spec.lines, work.origin, work.titles), problems


@dataclass(frozen=True)
class _Step:
    """A step, and the places of its parts in the original; the step itself is at ``()``."""

    step: Any
    places: Mapping[Where, Where]


@dataclass(frozen=True)
class _Axis:
    """A line of a grid: a parameter, by step and path, and its values."""

    path: tuple[str, ...]
    values: list[Any]
    where: Where


class _GridError(Exception):
    """A path of a grid does not lead to a parameter."""


class _Expansion:
    """One walk over the tables of an experiment."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.problems: list[ilk.Problem] = []
        self.origin: dict[Where, Where] = {}
        self.titles: dict[int, str] = {}
        given = data.get("pipelines") if isinstance(data, Mapping) else None
        self.pipelines = given if isinstance(given, list) else []
        self.by_id: dict[str, int] = {}
        for position, table in enumerate(self.pipelines):
            name = table.get("id") if isinstance(table, Mapping) else None
            if isinstance(name, str):
                self.by_id.setdefault(name, position)

    def expanded(self) -> Any:
        """Return the tables written out."""
        if not isinstance(self.data, Mapping):
            return self.data
        result = {key: value for key, value in self.data.items() if key != "defaults"}
        if isinstance(result.get("datasets"), list):
            result["datasets"] = [*map(self._untitled, range(len(result["datasets"])))]
        if self.pipelines:
            common = self._common()
            tables: list[Any] = []
            for position in range(len(self.pipelines)):
                tables += self._members(position, common, len(tables))
            result["pipelines"] = tables
        return result

    def _complain(self, path: Where, message: str) -> None:
        self.problems.append(ilk.Problem(path, message))

    def _untitled(self, position: int) -> Any:
        """Return the table of a data set without its title."""
        table = self.data["datasets"][position]
        if not isinstance(table, Mapping) or "title" not in table:
            return table
        title = table["title"]
        if isinstance(title, str) and title.isprintable() and title and title == title.strip():
            self.titles[position] = title
        else:
            self._complain(
                ("datasets", position, "title"),
                f"must be a text of printable characters, without blanks at its ends, got "
                f"{ilk.short_repr(title)}",
            )
        return {key: value for key, value in table.items() if key != "title"}

    def _common(self) -> list[_Step]:
        """Return the steps that stand before the steps of every pipeline."""
        table = self.data.get("defaults")
        if table is None:
            return []
        if not isinstance(table, Mapping):
            self._complain(("defaults",), f"must be a table, got {ilk.short_repr(table)}")
            return []
        for key in table:
            if key != "steps":
                hint = ilk.did_you_mean(str(key), ["steps"])
                self._complain(("defaults", key), f"unknown key {key!r}{hint} (known: steps)")
        if not isinstance(table.get("steps"), list | tuple):
            self._complain(("defaults",), "'steps' must be a list of steps")
            return []
        self.visited = 0
        return self._placed(table["steps"], ("defaults", "steps"), ())

    def _members(self, position: int, common: list[_Step], first: int) -> Iterator[Any]:
        """Yield the plain tables of a pipeline: one, or one per point of its grid."""
        table, path = self.pipelines[position], ("pipelines", position)
        steps = table.get("steps") if isinstance(table, Mapping) else None
        if not isinstance(steps, list | tuple):
            self.origin["pipelines", first] = path
            yield table
            return
        wanted = table.get("defaults", True)
        if not isinstance(wanted, bool):
            got = ilk.short_repr(wanted)
            self._complain((*path, "defaults"), f"must be true or false, got {got}")
        self.visited = 0
        own = self._placed(steps, (*path, "steps"), (str(table.get("id")),))
        plain = {key: value for key, value in table.items() if key not in {"defaults", "grid"}}
        members = self._family(table, [*(common if wanted else ()), *own], path)
        for number, (mark, member) in enumerate(members, first):
            self._note(number, path, member)
            name = {"id": f"{table['id']}{mark}"} if mark else {}
            yield {**plain, **name, "steps": [one.step for one in member]}

    def _note(self, number: int, path: Where, steps: Sequence[_Step]) -> None:
        """Note the original places of a pipeline."""
        self.origin["pipelines", number] = path
        for at, step in enumerate(steps):
            for within, place in step.places.items():
                self.origin["pipelines", number, "steps", at, *within] = place

    def _placed(self, steps: Sequence[Any], path: Where, within: tuple[str, ...]) -> list[_Step]:
        """Return steps with their places, inserted ones in place of ``use_steps``."""
        found: list[_Step] = []
        for position, step in enumerate(steps):
            self.visited += 1
            if self.visited > MOST_STEPS:
                return found
            place = (*path, position)
            if isinstance(step, Mapping) and "use_steps" in step:
                found += self._inserted(step, place, within)
            else:
                found.append(_Step(step, {(): place}))
        if self.visited == MOST_STEPS:
            self._complain(path, f"has {MOST_STEPS} steps or more, inserted steps counted")
        return found

    def _inserted(self, step: Mapping[str, Any], path: Where, within: Any) -> list[_Step]:
        """Return the own steps of the pipeline that a step names."""
        name, at = step["use_steps"], (*path, "use_steps")
        if len(step) > 1:
            others = ", ".join(repr(key) for key in step if key != "use_steps")
            self._complain(path, f"'use_steps' is alone in its step, got {others} beside it")
        elif not isinstance(name, str) or name not in self.by_id:
            hint = ilk.did_you_mean(str(name), self.by_id)
            known = ", ".join(self.by_id)
            got = ilk.short_repr(name)
            self._complain(at, f"there is no pipeline {got}{hint} (there are: {known})")
        elif name in within:
            self._complain(at, f"is a circle: {' > '.join((*within, name))}")
        elif len(within) > _DEEPEST:
            self._complain(at, f"steps are inserted more than {_DEEPEST} deep")
        elif "grid" in self.pipelines[self.by_id[name]]:
            self._complain(
                at,
                f"{name!r} has a grid, so it is a family of pipelines; put the shared steps into a "
                f"pipeline without one, or into [defaults]",
            )
        else:
            position = self.by_id[name]
            steps = self.pipelines[position].get("steps")
            if isinstance(steps, list | tuple):
                return self._placed(steps, ("pipelines", position, "steps"), (*within, name))
        return []

    def _family(
        self, table: Mapping[str, Any], steps: list[_Step], path: Where
    ) -> list[tuple[str, list[_Step]]]:
        """Return the mark and steps of each point of a grid, the last line varying fastest."""
        alone = [("", steps)]
        if "grid" not in table:
            return alone
        before = len(self.problems)
        axes = [*self._axes(table["grid"], (*path, "grid"))]
        size = prod(len(axis.values) for axis in axes)
        if size > MOST_MEMBERS:
            self._complain(
                (*path, "grid"), f"makes {size:,} pipelines; at most {MOST_MEMBERS:,} are allowed"
            )
        if len(self.problems) > before or not isinstance(table.get("id"), str):
            return alone
        labels = _labels(axes)
        members = []
        for point in product(*(range(len(axis.values)) for axis in axes)):
            member, marks = steps, []
            for axis, label, at in zip(axes, labels, point, strict=True):
                try:
                    member = _varied(member, axis, at)
                except (_GridError, ilk.IlkError, ValueError, TypeError) as error:
                    self._complain(axis.where, str(error))
                    return alone
                marks.append(f"{label}={short(axis.values[at])}")
            members.append((f"[{', '.join(marks)}]", member))
        return members

    def _axes(self, grid: Any, path: Where) -> Iterator[_Axis]:
        """Yield the lines of a grid: nested tables, and keys with dots, are paths."""
        if not isinstance(grid, Mapping) or not grid:
            self._complain(
                path, f"must be a table, as in classifier.k = [1, 3]; got {ilk.short_repr(grid)}"
            )
            return
        todo: list[tuple[tuple[str, ...], Where, Any]] = [((), path, grid)]
        while todo:
            names, where, value = todo.pop()
            if isinstance(value, Mapping) and len(names) < _DEEPEST:
                todo += [
                    ((*names, *str(key).split(".")), (*where, key), item)
                    for key, item in reversed([*value.items()])
                ]
            elif not isinstance(value, list | tuple) or not value:
                got = ilk.short_repr(value)
                self._complain(where, f"must be a list of the values to try, got {got}")
            elif len({repr(item) for item in value}) < len(value):
                self._complain(where, f"must not have a value twice, got {ilk.short_repr(value)}")
            else:
                yield _Axis(names, list(value), where)


def _labels(axes: Sequence[_Axis]) -> list[str]:
    """Name each line of a grid by its last parts, as many as tell the lines apart."""
    paths = [
        axis.path[:-1] if axis.path[1:] and axis.path[-1] == "use" else axis.path for axis in axes
    ]
    for length in range(1, _DEEPEST):
        labels = [".".join(path[-length:]) for path in paths]
        if len(set(labels)) == len(labels):
            return labels
    return [".".join(axis.path) for axis in axes]


def _varied(steps: list[_Step], axis: _Axis, at: int) -> list[_Step]:
    """Return steps with one parameter set to a value of a grid."""
    value, place = axis.values[at], (*axis.where, at)
    position = _position(steps, axis.path[0])
    old, rest = steps[position], axis.path[1:]
    kind, component = ilk.kind_and_component(old.step)
    new = _with(component, rest, value, kind)
    if isinstance(old.step, Mapping):
        keys = (int(part) if part.isdigit() else part for part in rest)
        changed = _Step({kind: new}, {**old.places, (kind, *keys): place})
    else:
        changed = _Step(new, old.places)
    return [*steps[:position], changed, *steps[position + 1 :]]


def _position(steps: Sequence[_Step], name: str) -> int:
    """Position of the step of a kind, or of the component of a name."""
    known = [
        (position, *ilk.kind_and_component(one.step))
        for position, one in enumerate(steps)
        if ilk.step_problem(one.step) is None
    ]
    for found in (
        [position for position, kind, _ in known if kind == name],
        [position for position, _, component in known if _name(component) == name],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(_name(part) for position, _, part in known if position in found)
            raise _GridError(
                f"{len(found)} steps are {name!r} ({names}): begin the path with the name of a "
                f"component that occurs once"
            )
    there = dict.fromkeys(kind for _, kind, _ in known)
    raise _GridError(
        f"a path begins with the kind of a step or its component, got {name!r}"
        f"{ilk.did_you_mean(name, there)} (there are: {', '.join(there)})"
    )


def _name(component: Any) -> str:
    if isinstance(component, Mapping):
        component = component.get("use", "pipeline")
    return component if isinstance(component, str) else ilk.display_name(component)


def _with(component: Any, path: Sequence[str], value: Any, kind: str | None) -> Any:
    """Return a copy of a component with the value at a path; objects are cloned."""
    from sklearn.base import clone

    if not path:
        return value
    head, tail = path[0], path[1:]
    if isinstance(component, str):
        component = {"use": component}
    if isinstance(component, Mapping):
        inner, slot = _default(component, head, kind)
        return {**component, head: _with(component.get(head, inner), tail, value, slot)}
    if isinstance(component, list | tuple):
        if not head.isdigit() or int(head) >= len(component):
            last = len(component) - 1
            raise _GridError(f"in a list the path goes on with 0 to {last}, got {head!r}")
        at = int(head)
        return [*component[:at], _with(component[at], tail, value, kind), *component[at + 1 :]]
    if hasattr(component, "set_params") and not isinstance(component, type):
        return clone(component).set_params(**{"__".join(path): value})
    raise _GridError(f"{ilk.short_repr(component)} has no parameter {head!r}")


def _default(component: Mapping[str, Any], name: str, kind: str | None) -> tuple[Any, str | None]:
    """Return the default of a parameter, and the kind of its components."""
    if "use" not in component:
        return {}, name  # a step within a pipeline: its key is its kind
    try:
        cls: Any = ilk.registry(str(kind)).get(component["use"])
        declared = cls.parameters[name]
    except (ilk.IlkError, KeyError, TypeError):
        return {}, None  # the check of the table names the problem
    return ({} if declared.default is None else declared.default), declared.slot
