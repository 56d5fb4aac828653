"""Resolve a spec: find names, fill in defaults, check values, collect every problem."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from ilk.errors import ParameterError, Problem, RegistryError, SpecError, Where
from ilk.freezing import is_frozen
from ilk.grammar import Many, Table
from ilk.kinds import kind_of, kinds
from ilk.locate import DEEPEST as DEEPEST_TABLE
from ilk.messages import an, did_you_mean, short_repr
from ilk.params import FilePath, Param
from ilk.registries import SESSION, find_class, registry
from ilk.slot_values import At, SlotError, map_slot
from ilk.spec import Spec
from ilk.steps import kind_and_component, step_problem

DEEPEST = 50  # nested components; building much deeper ones exhausts the stack
_SHOWN = 4  # steps of a path shown for deeply nested values


@dataclass(frozen=True)
class Resolved:
    """A spec with names resolved, defaults filled in and values checked.

    Attributes
    ----------
    data : Any
        The canonical spec: a component is a table with ``use`` and all its parameters.
    versions : dict of str to str
        Version of every distribution with components in the spec.
    used : tuple
        Path, distribution and version of each component, in the order of the spec.
    """

    data: Any
    versions: dict[str, str]
    used: tuple[tuple[Where, str, str], ...] = ()

    def part(self, *path: str | int) -> Resolved:
        """Return a part of a spec: its data, and the versions of its own components."""
        data, n = self.data, len(path)
        for step in path:
            data = data[step]
        used = tuple((at[n:], name, version) for at, name, version in self.used if at[:n] == path)
        return Resolved(data, _versions(used), used)


def _versions(used: Iterable[tuple[Where, str, str]]) -> dict[str, str]:
    return {name: version for _, name, version in sorted(used, key=itemgetter(1))}


def resolve(
    spec: Spec | Mapping[str, Any] | str,
    *,
    kind: str | None = None,
    grammar: Table | None = None,
    trust: bool = True,
    objects: bool = False,
) -> Resolved:
    """Find every name, fill in every default and check every value.

    Parameters
    ----------
    spec : Spec, table or str
        A component's name or table (give `kind`), or a whole file (give `grammar`).
    kind : str, optional
        The kind of the component.
    grammar : Table, optional
        The allowed tables and keys of a file.
    trust : bool, default=True
        Whether to accept parameters that only a trusted file may set (`Param.trusted`).
    objects : bool, default=False
        Whether a component that no table can describe, such as a frozen one or an estimator of
        scikit-learn, stays as it is; in a whole file only inside steps and as a data set.

    Raises
    ------
    SpecError
        With all problems at once, each with its path and, for a file, its line.

    Examples
    --------
    >>> resolve({"use": "minkowski", "p": 1}, kind="distance").data
    {'use': 'minkowski', 'weights': None, 'p': 1.0}
    """
    source = spec if isinstance(spec, Spec) else None
    data = spec.data if isinstance(spec, Spec) else spec
    resolution = Resolution(source.folder if source else None, trust=trust, objects=objects)
    resolution.keeps_objects = objects and grammar is None
    resolution.problems += _unusable(data)
    if resolution.problems:
        result = None
    elif grammar is not None:
        result = resolution.table(grammar, data, ())
    else:
        result = resolution.component(data, kind or kind_from(data), ())
    if resolution.problems:
        problems = resolution.problems
        raise SpecError([source.locate(p) for p in problems] if source else problems)
    return Resolved(result, _versions(resolution.used), tuple(resolution.used))


def _unusable(data: object) -> Iterator[Problem]:
    """Yield problems of integers too large for TOML, and of tables nested too deeply."""
    stack: list[tuple[Where, Any]] = [((), data)]
    while stack:
        path, value = stack.pop()
        if type(value) is int and not -(2**63) <= value < 2**63:
            yield Problem(path, f"must be an integer of at most 64 bits, got {short_repr(value)}")
        elif len(path) > 2 * DEEPEST_TABLE and isinstance(value, Mapping | list | tuple):
            yield Problem(path[:_SHOWN], "is nested too deeply to be read")
        elif isinstance(value, Mapping):
            stack += [((*path, key), item) for key, item in reversed([*value.items()])]
        elif isinstance(value, list | tuple):
            stack += [((*path, i), value[i]) for i in reversed(range(len(value)))]


def kind_from(data: object) -> str:
    """The kind of a component given without a kind: valid if only one kind has the name."""
    name = data.get("use") if isinstance(data, Mapping) else data
    if isinstance(data, Mapping) and name is None and "steps" in data:
        return "classifier"
    if not isinstance(name, str):
        raise SpecError([Problem((), f"expected a component's name or table, got {data!r}")])
    plain = name.rpartition("/")[2]
    having = [kind for kind in kinds() if plain in registry(kind)]
    if len(having) != 1:
        what = f"is a {' and a '.join(having)}" if having else "is unknown"
        raise SpecError([Problem((), f"{name!r} {what}: say which with kind=")])
    return having[0]


def first_problem(spec: object, kind: str) -> str | None:
    """Return the first problem of names and values in the name or table of a component.

    Combinations of parameters are not checked, and nothing is built.
    """
    resolution = Resolution(objects=True)
    resolution.keeps_objects, resolution.checks_together = True, False
    resolution.component(spec, kind, ())
    return str(SpecError(resolution.problems[:1])) if resolution.problems else None


class Resolution:
    """One walk over a spec, which collects `problems` and components `used`."""

    def __init__(
        self, folder: Path | None = None, *, trust: bool = True, objects: bool = False
    ) -> None:
        self.folder = folder
        self.trust = trust
        self.objects = objects
        self.keeps_objects = False
        self.checks_together = True
        self.problems: list[Problem] = []
        self.used: list[tuple[Where, str, str]] = []
        self.depth = 0

    def complain(self, path: Where, message: str) -> None:
        """Record a problem and continue."""
        self.problems.append(Problem(path, message))

    def table(self, grammar: Table, data: object, path: Where) -> dict[str, Any]:
        """Check a table of a file against its grammar."""
        if not isinstance(data, Mapping):
            self.complain(path, f"must be a table, got {short_repr(data)}")
            return {}
        for key in data:
            if key not in grammar.fields and not grammar.others:
                hint = did_you_mean(key, grammar.fields)
                names = ", ".join(grammar.fields)
                self.complain((*path, key), f"unknown key {key!r}{hint} (known: {names})")
        for key in grammar.required:
            if key not in data:
                self.complain(path, f"{key!r} is missing")
        given = {**grammar.defaults, **{k: v for k, v in data.items() if k in grammar.fields}}
        return {
            key: self.field(grammar.fields[key], value, (*path, key))
            for key, value in given.items()
        }

    def field(self, grammar: Param | Table | Many, value: object, path: Where) -> Any:
        """Check one field of a table."""
        if isinstance(grammar, Table):
            return self.table(grammar, value, path)
        if isinstance(grammar, Many):
            return self._tables(grammar, value, path)
        return self.value(grammar, value, path)

    def _tables(self, grammar: Many, value: object, path: Where) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            self.complain(
                path, f"must be a list of tables ([[{path[-1]}]]), got {short_repr(value)}"
            )
            return []
        if len(value) < grammar.at_least:
            self.complain(path, f"needs at least {grammar.at_least}, got {len(value)}")
        return [self.table(grammar.table, item, (*path, i)) for i, item in enumerate(value)]

    def value(self, param: Param, value: object, path: Where) -> Any:
        """Check the value of a parameter; return its canonical form."""
        if param.slot:
            return self._slot(param, value, path)
        problem = param.problem(value)
        if problem:
            self.complain(path, problem)
            return value
        if FilePath in param.types and isinstance(value, str) and self.folder is not None:
            if any(unicodedata.category(sign) == "Cc" for sign in value):
                self.complain(
                    path, f"must be a path without control characters, got {short_repr(value)}"
                )
                return value
            return os.path.realpath(self.folder / Path(value).expanduser())
        if float in param.types and int not in param.types and type(value) is int:
            return float(value)  # 1 and 1.0 are equal, so they get the same canonical form
        return value

    def _slot(self, param: Param, value: object, path: Where) -> Any:
        def one(item: object, kind: str, at: At) -> Any:
            if param.slot != "step":
                return self.component(item, kind, (*path, *at))
            return self._step(item, kind, (*path, *at))

        if value is None and not param.none:
            self.complain(path, f"must be {param.describe()}, got None")
            return value
        outside = self.keeps_objects
        self.keeps_objects = outside or (self.objects and param.slot in {"step", "dataset"})
        try:
            return map_slot(param, value, one)
        except SlotError as error:
            hint = ""
            if param.many is list and isinstance(value, Mapping) and len(path) == 1:
                hint = f"; write [[{path[0]}]]"
            self.complain(path, f"{error}{hint}")
            return value
        finally:
            self.keeps_objects = outside

    def _step(self, item: object, kind: str, path: Where) -> Any:
        """Check a step: a table with one key, its kind."""
        if kind == "step":
            if not hasattr(item, "get_params") or step_problem(item):
                self.complain(
                    path,
                    f"a step is a table with one key, its kind, as in "
                    f"{{ classifier = 'knn' }}; got {short_repr(item)}",
                )
                return item
            kind, item = kind_and_component(item)
            return {kind: self.component(item, kind, (*path, kind))}
        table = kinds()
        if kind not in table:
            hint = did_you_mean(kind, [name for name, k in table.items() if k.role])
            self.complain((*path, kind), f"there is no kind {kind!r}{hint}")
            return item
        if table[kind].role is None:
            steps = ", ".join(name for name, k in table.items() if k.role)
            self.complain(
                (*path, kind), f"{an(kind)} cannot be a step of a pipeline (steps are: {steps})"
            )
            return item
        resolved = self.component(item, kind, (*path, kind))
        if self._is_local(resolved, kind):
            message = "adapts to each query and has no transform: give it to knn as metric_learner"
            self.complain((*path, kind), f"{resolved['use']} {message}")
        return resolved

    def _is_local(self, resolved: Any, kind: str) -> bool:
        name = resolved.get("use") if isinstance(resolved, Mapping) else None
        if kind != "metric_learner" or not isinstance(name, str):
            return False
        try:
            cls: Any = registry(kind).get(name)
        except RegistryError:
            return False  # the problem is recorded already
        return bool(cls.capabilities.local)

    def component(self, value: object, kind: str, path: Where) -> Any:
        """Check a component given by name or table; return its table with every parameter."""
        if hasattr(value, "get_params") and kind_of(kind).accepts(value):
            before = len(self.problems)
            table = self._as_table(value, path)
            if self.keeps_objects and len(self.problems) > before:
                del self.problems[before:]
                self._check_object(value, path)
                return value
            value = table
        if self.depth >= DEEPEST:
            self.complain(path, f"components are nested more than {DEEPEST} deep")
            return value
        table = {"use": value} if isinstance(value, str) else value
        if not isinstance(table, Mapping):
            self.complain(path, f"must be {Param(slot=kind).describe()}, got {short_repr(value)}")
            return value
        if "use" not in table and "steps" in table:
            table = {"use": "pipeline", **table}
        name = table.get("use")
        if not isinstance(name, str):
            problem = (
                "'use' is missing"
                if name is None
                else f"'use' must be a name, got {short_repr(name)}"
            )
            self.complain(path, f"{an(kind)} is a name or a table with 'use': {problem}")
            return value
        at_name = (*path, "use") if isinstance(value, Mapping) else path
        try:
            found = registry(kind).lookup(name)
            cls: Any = registry(kind).get(name)
        except RegistryError as error:
            self.complain(at_name, str(error))
            return value
        if found.distribution != SESSION:
            self.used.append((path, found.distribution, found.version))
        given = {key: item for key, item in table.items() if key != "use"}
        self.depth += 1
        parameters = self._parameters(cls, name, given, path)
        self.depth -= 1
        return {"use": registry(kind).shortest(found), **parameters}

    def _as_table(self, component: Any, path: Where) -> Any:
        """Return an instance as a table with all its parameters."""
        if is_frozen(component):
            self.complain(path, f"{component!r} is frozen: a spec cannot hold what was learned")
            return component
        found = find_class(type(component))
        if found is None:
            self.complain(path, f"{component!r} is not registered, so a spec cannot name it")
            return component
        values: dict[str, Any] = {"use": found.qualified}
        for name, declared in type(component).parameters.items():
            value = getattr(component, name)
            try:
                values[name] = value if declared.slot else plain_value(value, path, self._among)
            except SpecError as error:
                self.problems += error.problems
        return values

    def _check_object(self, component: Any, path: Where) -> None:
        """Let a component that stays as it is check its parameters."""
        try:
            if hasattr(component, "check_parameters"):
                component.check_parameters()
        except ParameterError as error:
            self.complain((*path, error.argument) if error.argument else path, str(error))

    def _among(self, component: Any, path: Where) -> Any:
        return self.component(component, component.kind, path)

    def _parameters(self, cls: Any, name: str, given: Mapping[str, Any], path: Where) -> Any:
        before = len(self.problems)
        for key in given:
            if key not in cls.parameters:
                hint = did_you_mean(key, cls.parameters)
                names = ", ".join(cls.parameters) or "none"
                self.complain(
                    (*path, key), f"{name} has no parameter {key!r}{hint} (it has: {names})"
                )
            elif cls.parameters[key].trusted and not self.trust:
                self.complain(
                    (*path, key),
                    f"is taken from a file only if you trust it: give {key!r} on the command line, "
                    f"or say --trust",
                )
        values = {**defaults_of(cls), **{k: v for k, v in given.items() if k in cls.parameters}}
        result = {
            key: self.value(param, values[key], (*path, key))
            for key, param in cls.parameters.items()
        }
        if len(self.problems) == before and self.checks_together:
            self._check_together(cls, values, path)
        return result

    def _check_together(self, cls: type, values: dict[str, Any], path: Where) -> None:
        """Let the component check combinations of parameters."""
        try:
            cls(**values).check_parameters()
        except ParameterError as error:
            where = (*path, error.argument) if error.argument else path
            self.complain(where, str(error))


def defaults_of(cls: Any) -> dict[str, Any]:
    """Return the defaults of a component's parameters."""
    return {name: param.default for name, param in cls.parameters.items()}


def plain_value(value: object, path: Where, component: Callable[[Any, Where], Any]) -> Any:
    """Convert a value to types of TOML and JSON.

    Parameters
    ----------
    value : object
    path : tuple
        Path of the value, for errors.
    component : callable
        Converts a component among plain values.

    Raises
    ------
    SpecError
        If a spec cannot represent the value, such as a function.
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "tolist"):  # numpy arrays and numbers
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, Mapping):
        return {
            str(key): plain_value(item, (*path, str(key)), component) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain_value(item, (*path, i), component) for i, item in enumerate(value)]
    if isinstance(getattr(type(value), "kind", None), str) and hasattr(value, "parameters"):
        return component(value, path)
    what = "a function" if callable(value) else f"{type(value).__name__} {value!r}"
    raise SpecError([Problem(path, f"{what} cannot be written to a spec")])
