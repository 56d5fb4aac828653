"""Checks of every class: it loads, declares and stores its parameters, and is documented."""

from __future__ import annotations

import doctest
import inspect
import io
import json
import math
import pickle
import re
import sys
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from ilk.building import build
from ilk.cli.docstrings import read_docstring
from ilk.component import Component
from ilk.errors import ParameterError, SpecError
from ilk.kinds import kind_of
from ilk.params import Function, Param
from ilk.registries import registry
from ilk.resolution import resolve
from ilk.slot_values import slot_problem
from ilk.testing.expectations import expect, expect_error
from ilk.testing.registered import battery, check, checks_of
from ilk.writing import to_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.testing.subject import Subject


@check(on="class")
def check_loads(subject: Subject) -> None:
    """The entry point loads and returns a class of the kind."""
    cls: Any = registry(subject.kind).get(subject.found.qualified)
    bases = kind_of(subject.kind).interface_classes()
    names = " or ".join(base.__name__ for base in bases)
    expect(
        issubclass(cls, Component) and issubclass(cls, bases),
        f"expected a subclass of {names}, got {cls!r}",
    )


@check(on="class")
def check_parameter_docs(subject: Subject) -> None:
    """Each declared parameter has a `doc` that explains it."""
    silent = [name for name, param in subject.cls.parameters.items() if not param.doc.strip()]
    expect(not silent, f"expected a doc= for each parameter, got none for {silent}")


@check(on="class")
def check_examples(subject: Subject) -> None:
    """`examples()` returns at least one instance of the class."""
    examples = subject.cls.examples()
    expect(len(examples) > 0, "expected examples() to give at least one instance, got none")
    wrong = [example for example in examples if type(example) is not subject.cls]
    expect(not wrong, f"expected instances of {subject.cls.__name__}, got {wrong}")


@check(on="class")
def check_waivers(subject: Subject) -> None:
    """Each waiver names a check that applies to the class, and gives a reason."""
    examples = subject.cls.examples()
    names = {each.name for each in checks_of(subject.kind)}
    names |= {each.name for each in battery(subject.kind, examples[0])}
    numbered = {f"{name}#{i}" for name in names for i in range(len(examples))}
    for name, reason in subject.cls.waivers.items():
        expect(name in names | numbered, f"expected waivers of known checks, got {name!r}")
        expect(str(reason).strip(), f"expected a reason for the waiver of {name}, got {reason!r}")


@check(on="class")
def check_summary(subject: Subject) -> None:
    """The docstring is the class's own and starts with a one-line summary."""
    lines = _docstring(subject.cls).splitlines()
    summary = lines[0] if lines else ""
    alone = len(lines) == 1 or not lines[1].strip()
    expect(
        summary and alone and summary.endswith("."),
        f"expected a docstring that starts with one line ended by a full stop, got {summary!r}",
    )


@check(on="class", slow=True)
def check_docstring_examples(subject: Subject) -> None:
    """The docstring has a section Examples, and every example in the class runs as printed."""
    expect(
        ">>> " in read_docstring(subject.cls).section("Examples"),
        "expected a section Examples with '>>> ' lines in the docstring, got none",
    )
    subject.require_libraries()
    module = sys.modules.get(subject.cls.__module__)
    names = dict(vars(module)) if module else {subject.cls.__name__: subject.cls}
    finder, complaints = doctest.DocTestFinder(), list[str]()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in finder.find(subject.cls, module=module, globs=names):
        runner.run(test, out=complaints.append)
    expect(not complaints, "expected the docstring's examples to run, got\n" + "".join(complaints))


def _docstring(cls: type) -> str:
    """Return the class's own docstring, not an inherited one."""
    return inspect.cleandoc(cls.__dict__.get("__doc__") or "")


def _same_parameters(got: Any, expected: Any, what: str) -> None:
    for name in expected.parameters:
        mine, theirs = getattr(got, name), getattr(expected, name)
        expect(
            mine is theirs or _text(mine) == _text(theirs),
            f"{what}: expected {name}={theirs!r}, got {mine!r}",
        )


def _text(value: object) -> str:
    """Write a value without the memory address that some objects show."""
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))


@check()
def check_constructor_stores(subject: Subject) -> None:
    """The constructor stores its arguments unchanged and does nothing else."""
    example = subject.new()
    given = {name: getattr(example, name) for name in example.parameters}
    component = subject.cls(**given)
    for name, value in given.items():
        got = getattr(component, name)
        expect(got is value, f"expected {name} stored as the object given, got {got!r}")
    extra = sorted(set(vars(component)) - set(given))
    expect(not extra, f"expected a constructor that sets only parameters, got also {extra}")


@check()
def check_get_and_set_params(subject: Subject) -> None:
    """`get_params` returns every parameter and `set_params` accepts them."""
    example = subject.new()
    given = example.get_params(deep=False)
    expect(
        sorted(given) == sorted(example.parameters),
        f"expected get_params to give {sorted(example.parameters)}, got {sorted(given)}",
    )
    component = subject.cls()
    expect(
        component.set_params(**given) is component,
        "expected set_params to return the component itself",
    )
    _same_parameters(component, example, "after set_params")


@check()
def check_unknown_parameter(subject: Subject) -> None:
    """`set_params` refuses an unknown parameter."""
    expect_error(
        lambda: subject.new().set_params(no_such_parameter=1),
        "set_params(no_such_parameter=1)",
        errors=ParameterError,
        mentions=["no_such_parameter"],
    )


@check()
def check_clone(subject: Subject) -> None:
    """scikit-learn's `clone` returns another instance with the same parameters."""
    example = subject.new()
    copy = clone(example)
    expect(copy is not example, "expected clone to give another instance, got the same")
    expect(type(copy) is type(example), f"expected a {type(example)}, got {type(copy)}")
    _same_parameters(copy, example, "of the clone")


@check()
def check_example_is_valid(subject: Subject) -> None:
    """`check_parameters` accepts the example."""
    subject.new().check_parameters()


@check()
def check_repr(subject: Subject) -> None:
    """`repr` names the class."""
    text = repr(subject.new())
    name = subject.cls.__name__
    expect(name in text, f"expected {name} in the repr, got {text!r}")


@check()
def check_pickle(subject: Subject) -> None:
    """An unfitted instance survives pickle and joblib."""
    import joblib

    example = subject.new()
    _same_parameters(pickle.loads(pickle.dumps(example)), example, "after pickle")  # noqa: S301
    buffer = io.BytesIO()
    joblib.dump(example, buffer)
    buffer.seek(0)
    _same_parameters(joblib.load(buffer), example, "after joblib")


@check(capability="specable")
def check_spec_round_trip(subject: Subject) -> None:
    """`to_spec` returns JSON values, and an object built from it has the same spec."""
    spec = to_spec(subject.new())
    again = json.loads(json.dumps(spec))
    expect(again == spec, f"expected a spec of JSON values, got {spec!r}")
    rebuilt = to_spec(build(spec, kind=subject.kind))
    expect(rebuilt == spec, f"expected {spec} of what was built from it, got {rebuilt}")


@check(capability="specable")
def check_spec_resolves(subject: Subject) -> None:
    """`resolve` accepts the spec and adds every omitted parameter."""
    table = resolve(to_spec(subject.new()), kind=subject.kind).data
    expected = {"use", *subject.cls.parameters}
    expect(set(table) == expected, f"expected the keys {sorted(expected)}, got {sorted(table)}")


@check(when=lambda component: not component.capabilities.specable)
def check_spec_refused(subject: Subject) -> None:
    """`to_spec` refuses what the class declares not to be expressible in a spec."""
    expect_error(lambda: to_spec(subject.new()), "to_spec", errors=SpecError)


@check(on="first", when=lambda component: bool(component.parameters))
def check_bad_parameters(subject: Subject) -> None:
    """`check_parameters` refuses invalid values, naming component and value."""
    for name, param in subject.cls.parameters.items():
        for bad in bad_values(param):
            component = _with(subject, name, bad)
            expect_error(
                component.check_parameters,
                f"check_parameters with {name}={bad!r}",
                errors=ParameterError,
                mentions=[subject.names()[0], name, _shown(bad)],
            )


@check(on="first", when=lambda component: any(p.slot for p in component.parameters.values()))
def check_unknown_in_slot(subject: Subject) -> None:
    """An unknown component in a slot is an error that names the slot and the name."""
    for name, param in subject.cls.parameters.items():
        if not param.slot:
            continue
        component = _with(subject, name, _in_slot(param, "no_such_component"))
        expect_error(
            lambda: component.resolve_slot(name),  # noqa: B023  # called before the next turn
            f"{name}='no_such_component'",
            mentions=["no_such_component", name],
        )


def _with(subject: Subject, name: str, value: object) -> Component:
    """Return the example with one parameter replaced, bypassing `set_params`."""
    component: Component = subject.new()
    setattr(component, name, value)
    return component


def _in_slot(param: Param, value: object) -> Any:
    inner = {"classifier": value} if param.slot == "step" else value
    return [inner] if param.many is list else {"a": inner} if param.many is dict else inner


class _Nothing:
    """A value that no parameter accepts."""

    def __repr__(self) -> str:
        return "<nothing>"


def bad_values(param: Param) -> Iterator[Any]:
    """Yield values that violate a declaration."""
    if Function not in param.types:
        yield _Nothing()
    candidates: list[Any] = [float("nan"), "no such choice", None]
    for bound, step in ((param.ge, -1), (param.gt, 0), (param.le, 1), (param.lt, 0)):
        if bound is not None:
            value = bound + step
            integer = int in param.types and math.isfinite(value)
            candidates.append(int(value) if integer else float(value))
    if param.slot:
        candidates = [7, _in_slot(param, _Nothing())]
    for value in candidates:
        problem = slot_problem(param, value) if param.slot else param.problem(value)
        if problem:
            yield value


def _shown(value: object) -> tuple[str, ...]:
    """Return the parts of a value that an error must show."""
    return ("<nothing>",) if "<nothing>" in repr(value) else (repr(value), str(value))
