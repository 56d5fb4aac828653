"""Write the reference from what is public and what is registered, before Sphinx reads sources.

A new public name or component has its place on the site by being there; no page lists it.
"""

from __future__ import annotations

import inspect
import re
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ilk_figures import figure_lines
from ilk_formulas import in_line, set_formulas

import ilk
import ilk.neighbors
import ilk.plotting
import ilk.testing
import ilk_distances
import ilk_distances.plotting
import ilk_ensembles.plotting
import ilk_evaluation
import ilk_evaluation.bias_variance
import ilk_evaluation.confusion
import ilk_evaluation.curves
import ilk_evaluation.curves.plotting
import ilk_evaluation.diversity
import ilk_evaluation.figures
import ilk_evaluation.intervals
import ilk_evaluation.object_detection
import ilk_evaluation.theory
import ilk_learners
import ilk_learners.plotting
import ilk_learners.sliding_windows
from ilk.cli.docstrings import TEXTS, key_of
from ilk.kinds import Kind, kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ilk.discovery import Found

HIDDEN = "capabilities, check_parameters, examples, kind, parameters, waivers"


def write_pages(folder: Path) -> None:
    """Write every page, leaving alone those that stay the same."""
    seen: set[str] = set()
    drawn: set[str] = set()
    takers = takers_by_kind()
    pages = {kind.plural: kind_page(kind) for kind in kinds().values()}
    for kind in kinds().values():
        for one in ilk.registry(kind.name).find():
            figure = [*figure_lines(one, folder, drawn)]
            pages[page_of(one)] = component_page(kind, one, takers, seen, figure)
    pages["ilk"] = topics_page()
    pages["neighbors"] = module_page(ilk.neighbors)
    pages["plotting"] = module_page(ilk.plotting)
    pages["testing"] = module_page(ilk.testing)
    pages["ilk_distances"] = module_page(ilk_distances)
    pages["ilk_evaluation"] = module_page(ilk_evaluation)
    pages["ilk_learners"] = module_page(ilk_learners)
    for module in (
        ilk_distances.plotting,
        ilk_learners.plotting,
        ilk_learners.sliding_windows,
        ilk_ensembles.plotting,
        ilk_evaluation.bias_variance,
        ilk_evaluation.confusion,
        ilk_evaluation.curves,
        ilk_evaluation.curves.plotting,
        ilk_evaluation.diversity,
        ilk_evaluation.figures,
        ilk_evaluation.intervals,
        ilk_evaluation.object_detection,
        ilk_evaluation.theory,
    ):
        pages[module.__name__] = module_page(module)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in {path.stem for path in folder.glob("*.rst")} - pages.keys():
        (folder / f"{stale}.rst").unlink()
    for name, lines in pages.items():
        path, text = folder / f"{name}.rst", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def kind_page(kind: Kind) -> Iterator[str]:
    """One kind: a table of its components, then the contract they keep."""
    found = ilk.registry(kind.name).find()
    yield from heading(title_of(kind), "=")
    yield f"{kind.summary[0].upper()}{kind.summary[1:]}."
    yield f"Entry points stand in the group ``{kind.group}``."
    yield "" if found else "None is installed yet.\n"
    if found:
        yield ".. list-table::\n   :widths: auto\n"
    for one in found:
        yield f"   * - :doc:`{one.name} <{page_of(one)}>`"
        yield f"     - {in_line(summary(ilk.registry(kind.name).get(one.name)))}"
    yield ""
    yield from heading("Interface", "-")
    names = {kind.name, kind.plural}
    interface = f"ilk.interfaces.{kind.name}"
    names |= {name for name, module in ilk._MODULE.items() if module == interface}
    yield from documented(ilk, sorted(names & set(ilk.__all__)))


def component_page(
    kind: Kind, one: Found, takers: Takers, seen: set[str], figure: list[str]
) -> Iterator[str]:
    """One component, with its figure if it has one, and links to what it composes with.

    A class that is registered under two kinds has a page for each, and is in the index once.
    """
    cls = ilk.registry(kind.name).get(one.name)
    yield ":orphan:\n"  # a tree of two hundred leaves would hide the others
    yield from heading(one.name, "=")
    yield ".. rst-class:: place\n"
    yield f":doc:`Reference <../index>` / :doc:`{title_of(kind)} <{kind.plural}>`\n"
    yield f'``ilk.{kind.name}("{one.name}")``, from {one.distribution}.\n'
    yield from figure
    yield from autodoc("autoclass", one.value.replace(":", "."), again=one.value in seen)
    seen.add(one.value)
    slots = {name: each.slot for name, each in cls.parameters.items() if each.slot in kinds()}
    taken = takers.get(kind.name, [])
    if slots or taken:
        yield from heading("Composes with", "-")
    for name, slot in slots.items():
        plural = kinds()[slot].plural
        yield f"- Its parameter ``{name}`` takes any of the :doc:`{title_of(slot)} <{plural}>`."
    for by, group in groupby(taken, key=lambda other: other.kind):
        links = ", ".join(f":doc:`{other.name} <{page_of(other)}>`" for other in group)
        yield f"- It fits a parameter of the {kinds()[by].plural.replace('_', ' ')} {links}."
    yield ""


Takers = dict[str, list[Any]]


def takers_by_kind() -> Takers:
    """Return, for each kind, the components with a parameter that takes one of it."""
    takers: Takers = {}
    for kind in kinds():
        for one in ilk.registry(kind).find():
            declared = ilk.registry(kind).get(one.name).parameters.values()
            for slot in sorted({each.slot for each in declared if each.slot}):
                takers.setdefault(slot, []).append(one)
    return takers


def page_of(one: Found) -> str:
    return f"{one.kind}.{one.name}"


def title_of(kind: Kind | str) -> str:
    plural = kinds()[kind].plural if isinstance(kind, str) else kind.plural
    return plural.replace("_", " ").capitalize()


def summary(cls: type) -> str:
    """Return the first sentence of a docstring, as reStructuredText on one line."""
    return (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")


def topics_page() -> Iterator[str]:
    """The public names of `ilk` that belong to no kind, in the groups of its source."""
    by_kind = {name for kind in kinds().values() for name in (kind.name, kind.plural)}
    interfaces = {f"ilk.interfaces.{name}" for name in kinds()}
    yield from heading("ilk", "=")
    yield "What belongs to one kind stands on the page of that kind.\n"
    for title, modules in ilk._GROUPS.items():
        places = modules.keys() - interfaces
        names = {name for place in places for name in modules[place]} - by_kind
        if names:
            yield from heading(title, "-")
            yield from documented(ilk, sorted(names))


def module_page(module: ModuleType) -> Iterator[str]:
    """All public names of a module."""
    yield from heading(module.__name__, "=")
    yield f".. py:module:: {module.__name__}\n"
    yield f"{inspect.getdoc(module)}\n"
    yield from documented(module, public(module))


def public(module: ModuleType) -> list[str]:
    return [name for name in module.__all__ if not name.startswith("__")]


def documented(module: ModuleType, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = getattr(module, name)
        if isinstance(value, ModuleType):  # it has a page of its own
            continue
        if not callable(value) or value.__module__ == "typing":
            yield f".. autodata:: {module.__name__}.{name}\n"
        elif not isinstance(value, type):
            yield f".. autofunction:: {module.__name__}.{name}\n"
        else:
            directive = "autoexception" if issubclass(value, Exception) else "autoclass"
            yield from autodoc(directive, f"{module.__name__}.{name}")


def autodoc(directive: str, path: str, *, again: bool = False) -> Iterator[str]:
    """The directive for a class, with those of its methods that have something to say."""
    yield f".. {directive}:: {path}"
    yield "   :members:"
    if again:
        yield "   :no-index:"
    yield f"   :exclude-members: {HIDDEN}\n"


def heading(text: str, underline: str) -> Iterator[str]:
    yield text
    yield underline * len(text)
    yield ""


def start(app: Any, config: Any) -> None:
    write_pages(Path(app.srcdir, "reference", "generated"))


def skip_member(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool:
    """Leave out what scikit-learn puts into a class; it is documented there."""
    return skip or (getattr(value, "__module__", None) or "").startswith("sklearn.")


def prepare_docstring(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Set formulas, number the references, whose names would have to be unique, link the texts."""
    lines[:] = set_formulas(lines)
    for text in TEXTS:
        link = rf"\1:doc:`{text} </sources/{key_of(text)}>`: "
        lines[:] = [re.sub(rf"^( *(?:\.\. \[\d\] )?){text}: ", link, line) for line in lines]
    lines[:] = [re.sub(r"^( *)\.\. \[(\d)\] ", r"\1\2. ", line) for line in lines]
    lines[:] = [re.sub(r"\[(\d)\]_", r"[\1]", line) for line in lines]


def share_tree(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let component pages, which stand in no tree, share the navigation of their folder.

    It is the same for all of them, and to make it takes longer than the page itself.
    """
    if "orphan" in app.env.metadata.get(page, {}):
        make, folder = context["toctree"], page.rpartition("/")[0]

        def shared(**options: Any) -> str:
            if folder not in trees:
                trees[folder] = make(**options)
            return trees[folder]

        trees: dict[str, str] = app.__dict__.setdefault("ilk_trees", {})
        context["toctree"] = shared


def setup(app: Any) -> dict[str, Any]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("config-inited", start)
    app.connect("html-page-context", share_tree, priority=400)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", prepare_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
