"""Checks of every class: it loads, declares its parameters and is documented."""

from __future__ import annotations

import doctest
import inspect
import sys
from typing import TYPE_CHECKING, Any

from ilk.cli.docstrings import read_docstring
from ilk.component import Component
from ilk.kinds import kind_of
from ilk.registries import registry
from ilk.testing.expectations import expect
from ilk.testing.registered import check, checks_of

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


@check(on="class")
def check_loads(subject: Subject) -> None:
    """The entry point loads and gives a class of the kind."""
    cls: Any = registry(subject.kind).get(subject.found.qualified)
    bases = kind_of(subject.kind).interface_classes()
    names = " or ".join(base.__name__ for base in bases)
    expect(
        issubclass(cls, Component) and issubclass(cls, bases),
        f"expected a subclass of {names}, got {cls!r}",
    )


@check(on="class")
def check_parameter_docs(subject: Subject) -> None:
    """Each declared parameter says in a sentence what it is for."""
    silent = [name for name, param in subject.cls.parameters.items() if not param.doc.strip()]
    expect(not silent, f"expected a doc= for each parameter, got none for {silent}")


@check(on="class")
def check_examples(subject: Subject) -> None:
    """`examples()` gives one or more instances of the class."""
    examples = subject.cls.examples()
    expect(len(examples) > 0, "expected examples() to give at least one instance, got none")
    wrong = [example for example in examples if type(example) is not subject.cls]
    expect(not wrong, f"expected instances of {subject.cls.__name__}, got {wrong}")


@check(on="class")
def check_waivers(subject: Subject) -> None:
    """Each waiver names a check that is due for the class, and gives a reason."""
    from ilk.testing.battery import battery

    examples = subject.cls.examples()
    names = {each.name for each in checks_of(subject.kind)}
    names |= {each.name for each in battery(subject.kind, examples[0])}
    numbered = {f"{name}#{i}" for name in names for i in range(len(examples))}
    for name, reason in subject.cls.waivers.items():
        expect(name in names | numbered, f"expected waivers of known checks, got {name!r}")
        expect(str(reason).strip(), f"expected a reason for the waiver of {name}, got {reason!r}")


@check(on="class")
def check_summary(subject: Subject) -> None:
    """The docstring is the class's own and starts with a summary of one line."""
    lines = _docstring(subject.cls).splitlines()
    summary = lines[0] if lines else ""
    alone = len(lines) == 1 or not lines[1].strip()
    expect(
        summary and alone and summary.endswith("."),
        f"expected a docstring that starts with one line ended by a full stop, got {summary!r}",
    )


@check(on="class", slow=True)
def check_docstring_examples(subject: Subject) -> None:
    """The docstring has a section Examples, and every example in the class gives its output."""
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
