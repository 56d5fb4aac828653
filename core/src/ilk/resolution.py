"""Walk a spec along its declarations, collecting every problem on the way."""

from __future__ import annotations

import inspect
import os
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ilk.errors import ParameterError, Problem, RegistryError, Where
from ilk.grammar import Many, Table
from ilk.kinds import kind_of, kinds
from ilk.params import FilePath, Param
from ilk.registries import SESSION, registry
from ilk.suggest import did_you_mean
from ilk.wording import an, show

DEEPEST = 50  # components inside components; building much deeper ones exhausts the stack


class Resolution:
    """One walk over a spec; `problems` and `versions` fill up as it goes."""

    def __init__(self, folder: Path | None = None, *, trust: bool = True) -> None:
        self.folder = folder
        self.trust = trust
        self.problems: list[Problem] = []
        self.versions: dict[str, str] = {}
        self.depth = 0

    def complain(self, path: Where, message: str) -> None:
        """Note a problem and go on."""
        self.problems.append(Problem(path, message))

    def table(self, grammar: Table, data: Any, path: Where) -> dict[str, Any]:
        """Check a table of a file against its grammar."""
        if not isinstance(data, Mapping):
            self.complain(path, f"must be a table, got {show(data)}")
            return {}
        for key in data:
            if key not in grammar.fields and not grammar.others:
                hint = did_you_mean(key, grammar.fields)
                known = ", ".join(grammar.fields)
                self.complain((*path, key), f"unknown key {key!r}{hint} (known: {known})")
        for key in grammar.required:
            if key not in data:
                self.complain(path, f"{key!r} is missing")
        given = {**grammar.defaults, **{k: v for k, v in data.items() if k in grammar.fields}}
        return {
            key: self.field(grammar.fields[key], value, (*path, key))
            for key, value in given.items()
        }

    def field(self, grammar: Param | Table | Many, value: Any, path: Where) -> Any:
        """Check one field of a table."""
        if isinstance(grammar, Table):
            return self.table(grammar, value, path)
        if isinstance(grammar, Many):
            return self._tables(grammar, value, path)
        return self.value(grammar, value, path)

    def _tables(self, grammar: Many, value: Any, path: Where) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            self.complain(path, f"must be a list of tables ([[{path[-1]}]]), got {show(value)}")
            return []
        if len(value) < grammar.at_least:
            self.complain(path, f"needs at least {grammar.at_least}, got {len(value)}")
        return [self.table(grammar.table, item, (*path, i)) for i, item in enumerate(value)]

    def value(self, param: Param, value: Any, path: Where) -> Any:
        """Check the value of a parameter; return its canonical form."""
        if param.slot and not _plain_choice(param, value):
            return self._slot(param, value, path)
        problem = param.problem(value)
        if problem:
            self.complain(path, problem)
            return value
        if FilePath in param.types and isinstance(value, str) and self.folder is not None:
            if any(unicodedata.category(sign) == "Cc" for sign in value):
                self.complain(path, f"must be a path without control characters, got {show(value)}")
                return value
            return os.path.realpath(self.folder / Path(value).expanduser())
        if float in param.types and int not in param.types and type(value) is int:
            return float(value)  # 1 and 1.0 are the same number, so they are written the same
        return value

    def _slot(self, param: Param, value: Any, path: Where) -> Any:
        assert param.slot is not None
        one = self.step if param.slot == "step" else self._component_in(param.slot)
        if param.many is None:
            return one(value, path)
        if param.many is dict and isinstance(value, Mapping):
            return {key: one(item, (*path, key)) for key, item in value.items()}
        if param.many is list and isinstance(value, Sequence) and not isinstance(value, str):
            return [one(item, (*path, i)) for i, item in enumerate(value)]
        hint = ""
        if param.many is list and isinstance(value, Mapping) and len(path) == 1:
            hint = f"; write [[{path[0]}]]"
        self.complain(path, f"must be {param.describe()}, got {show(value)}{hint}")
        return value

    def _component_in(self, kind: str) -> Any:
        return lambda value, path: self.component(value, kind, path)

    def step(self, value: Any, path: Where) -> Any:
        """Check a step: a table with one key, its kind."""
        if not isinstance(value, Mapping) or len(value) != 1:
            if hasattr(value, "get_params"):
                return value
            self.complain(
                path,
                f"a step is a table with one key, its kind, as in "
                f"{{ classifier = 'knn' }}; got {show(value)}",
            )
            return value
        ((kind, item),) = value.items()
        table = kinds()
        if kind not in table:
            hint = did_you_mean(kind, [name for name, k in table.items() if k.role])
            self.complain((*path, kind), f"there is no kind {kind!r}{hint}")
            return value
        if table[kind].role is None:
            steps = ", ".join(name for name, k in table.items() if k.role)
            self.complain(
                (*path, kind), f"{an(kind)} cannot be a step of a pipeline (steps are: {steps})"
            )
            return value
        resolved = self.component(item, kind, (*path, kind))
        if self._is_local(resolved, kind):
            message = "adapts to each query and has no transform: give it to knn as metric_learner"
            self.complain((*path, kind), f"{resolved['use']} {message}")
        return {kind: resolved}

    def _is_local(self, resolved: Any, kind: str) -> bool:
        name = resolved.get("use") if isinstance(resolved, Mapping) else None
        if kind != "metric_learner" or not isinstance(name, str):
            return False
        try:
            cls: Any = registry(kind).get(name)
        except RegistryError:
            return False  # complained about already
        return bool(cls.capabilities.local)

    def component(self, value: Any, kind: str, path: Where) -> Any:
        """Check a component given by name or table; return its table with every parameter."""
        if hasattr(value, "get_params") and kind_of(kind).accepts(value):
            from ilk.spec import to_spec

            value = to_spec(value, kind=kind)
        if self.depth >= DEEPEST:
            self.complain(path, f"components are nested more than {DEEPEST} deep")
            return value
        table = {"use": value} if isinstance(value, str) else value
        if not isinstance(table, Mapping):
            self.complain(path, f"must be {Param(slot=kind).describe()}, got {show(value)}")
            return value
        if "use" not in table and "steps" in table:
            table = {"use": "pipeline", **table}
        name = table.get("use")
        if not isinstance(name, str):
            said = "'use' is missing" if name is None else f"'use' must be a name, got {show(name)}"
            self.complain(path, f"{an(kind)} is a name or a table with 'use': {said}")
            return value
        at_name = (*path, "use") if isinstance(value, Mapping) else path
        try:
            found = registry(kind).lookup(name)
            cls: Any = registry(kind).get(name)
        except RegistryError as error:
            self.complain(at_name, str(error))
            return value
        if found.distribution != SESSION:
            self.versions[found.distribution] = found.version
        given = {key: item for key, item in table.items() if key != "use"}
        self.depth += 1
        parameters = self._parameters(cls, name, given, path)
        self.depth -= 1
        return {"use": registry(kind).shortest(found), **parameters}

    def _parameters(self, cls: Any, name: str, given: Mapping[str, Any], path: Where) -> Any:
        before = len(self.problems)
        for key in given:
            if key not in cls.parameters:
                hint = did_you_mean(key, cls.parameters)
                known = ", ".join(cls.parameters) or "none"
                self.complain(
                    (*path, key), f"{name} has no parameter {key!r}{hint} (it has: {known})"
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
        if len(self.problems) == before:
            self._check_together(cls, values, path)
        return result

    def _check_together(self, cls: Any, values: dict[str, Any], path: Where) -> None:
        """Let the component itself check what depends on several parameters."""
        try:
            cls(**values).check_parameters()
        except ParameterError as error:
            where = (*path, error.argument) if error.argument else path
            self.complain(where, str(error))


def _plain_choice(param: Param, value: Any) -> bool:
    return (value is None and param.none) or (isinstance(value, str) and value in param.choices)


def defaults_of(cls: type) -> dict[str, Any]:
    """Return the defaults of a component's constructor."""
    marked = getattr(cls, "marked_defaults", {})
    return {
        parameter.name: marked.get(parameter.name, parameter.default)
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.default is not parameter.empty
    }
