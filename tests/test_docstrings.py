"""Docstrings: their examples run, public names have a summary, components are documented."""

import doctest
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import ilk
import ilk.aliases
import ilk.arrays
from ilk.cli.docstrings import read_docstring
from ilk.kinds import kinds
from pages import OURS, ROOT
from registrations import registrations_undone

SOURCES = [ROOT / "core" / "src", *sorted(ROOT.glob("plugins/*/src"))]


def registered_by_us() -> list[ilk.Found]:
    every = (found for kind in kinds() for found in ilk.registry(kind).find())
    return [found for found in every if found.distribution in OURS]


def modules_with_examples(source: Path) -> Iterator[str]:
    """The dotted names of the modules whose text holds an example."""
    for path in sorted(source.rglob("*.py")):
        if ">>>" in path.read_text(encoding="utf-8"):
            dotted = ".".join(path.relative_to(source).with_suffix("").parts)
            yield dotted.removesuffix(".__init__")


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.parent.name)
def test_examples_run(source, subtests, tmp_path, monkeypatch):
    """All but those of components, which the conformance kit runs."""
    monkeypatch.chdir(tmp_path)
    components = {found.value.replace(":", ".") for found in registered_by_us()}
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for name in modules_with_examples(source):
        for test in finder.find(import_module(name)):
            owner = ".".join(test.name.split(".")[: name.count(".") + 2])
            if test.examples and owner not in components:
                with subtests.test(test.name), registrations_undone():
                    said: list[str] = []
                    runner.run(test, out=said.append)
                    if pyplot := sys.modules.get("matplotlib.pyplot"):
                        pyplot.close("all")  # it warns of too many
                    assert not said, "".join(said)


def has_summary(value: object) -> bool:
    """Whether its own docstring starts with a sentence on a line of its own."""
    text = value.__doc__ and inspect.getdoc(value)
    return bool(text and re.match(r"\S.*[.?](\n\s*\n|$)", text))


def test_public_names_have_a_summary():
    packages = ("ilk", "ilk.neighbors", "ilk.plotting", "ilk.testing")
    modules = map(import_module, (*packages, "ilk_distances", "ilk_evaluation"))
    values = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in modules
        for name in module.__all__
        if not name.startswith("__")
        and name not in {*vars(ilk.aliases), *vars(ilk.arrays), "Needs"}  # types
        and not name.isupper()  # constants
    }
    assert len(values) > 100
    assert not [name for name, value in values.items() if not has_summary(value)]


def test_components_are_documented(subtests):
    """A summary, an example, and each parameter once, in the order of the constructor."""
    for found in registered_by_us():
        with subtests.test(f"{found.kind} {found.name}"):
            cls = ilk.registry(found.kind).get(found.qualified)
            assert has_summary(cls)
            doc = read_docstring(cls)
            assert ">>>" in doc.section("Examples")
            heads = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", doc.section("Parameters"), re.MULTILINE)
            documented = [name for head in heads for name in head.split(", ")]
            assert documented == list(inspect.signature(cls).parameters)
            assert not [name for name, param in cls.parameters.items() if not param.doc]
