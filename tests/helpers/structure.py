"""Counts the modules of the workspace, who imports whom, and how many modules make a component.

``python tests/helpers/structure.py`` prints the figures.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SHORT = 150  # lines: a shorter module with one importer may as well stand in that module


def modules() -> dict[str, Path]:
    """Return the file of each module by its dotted name."""
    found = {}
    for source in [ROOT / "core/src", *sorted(ROOT.glob("plugins/*/src"))]:
        for path in sorted(source.rglob("*.py")):
            dotted = ".".join(path.relative_to(source).with_suffix("").parts)
            found[dotted.removesuffix(".__init__")] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """Parse a module, once for all figures."""
    return ast.parse(path.read_text())


def imports(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Yield the modules that are imported anywhere: in functions and under TYPE_CHECKING, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


def graph() -> dict[str, set[str]]:
    """Return which modules of the workspace each module imports."""
    files = modules()
    return {
        name: {one for one in imports(tree(path), set(files)) if one in files} - {name}
        for name, path in files.items()
    }


def circles(uses: dict[str, set[str]]) -> list[list[str]]:
    """List the groups of modules that import each other, packages' own modules left out."""
    packages = {name.rpartition(".")[0] for name in uses}
    reach = {name: set() if name in packages else set(others) for name, others in uses.items()}
    changed = True
    while changed:
        changed = False
        for others in reach.values():
            more = set().union(*(reach[other] for other in others)) - others
            others.update(more)
            changed = changed or bool(more)
    groups = {
        tuple(sorted(other for other in reach[name] if name in reach[other]))
        for name in reach
        if name in reach[name]
    }
    return [list(group) for group in sorted(groups)]


def parts(uses: dict[str, set[str]], module: str) -> set[str]:
    """Return the modules of its distribution from which a component's module is made."""
    root, found, todo = module.partition(".")[0], set(), [module]
    while todo:
        name = todo.pop()
        if name not in found and name.partition(".")[0] == root:
            found.add(name)
            todo += uses[name]
    return found


def lines() -> dict[str, int]:
    """Return the number of lines of each module."""
    return {name: len(path.read_text().splitlines()) for name, path in modules().items()}


def any_share() -> float:
    """Return the share of arguments annotated `Any` among all annotated arguments."""
    annotations = [
        argument.annotation
        for path in modules().values()
        for function in ast.walk(tree(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for argument in (
            *function.args.posonlyargs,
            *function.args.args,
            *function.args.kwonlyargs,
        )
        if argument.annotation is not None
    ]
    loose = [one for one in annotations if isinstance(one, ast.Name) and one.id == "Any"]
    return len(loose) / len(annotations)


def single_importers(uses: dict[str, set[str]]) -> list[str]:
    """List the short modules that exactly one other module imports, and no entry point."""
    projects = [ROOT / "core/pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")]
    offered = "".join(path.read_text() for path in projects)
    size = lines()
    return [
        name
        for name in uses
        if sum(name in others for others in uses.values()) == 1
        and size[name] < SHORT
        and f'"{name}:' not in offered
    ]


if __name__ == "__main__":
    uses, size = graph(), lines()
    middle, most = median(size.values()), max(size.values())
    print(f"modules: {len(size)}; lines: {middle:g} (median), {most} (most)")
    print(f"short modules with one importer: {len(single_importers(uses))}")
    print(f"circles: {circles(uses)}")
    print(f"arguments annotated Any: {any_share():.1%}")
    for name in ("metric_learners.nca", "metric_learners.lmnn", "metric_learners.itml"):
        print(f"{name}: {len(parts(uses, f'ilk_learners.{name}'))} modules")
    print(f"classifiers.knn: {len(parts(uses, 'ilk_learners.classifiers.knn'))} modules")
    print(f"histograms.chi2: {len(parts(uses, 'ilk_distances.histograms.chi2'))} modules")
