"""Who may import whom."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases import in_one_test

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core" / "src" / "ilk"
PLUGINS = sorted(ROOT.glob("plugins/*/src/ilk_*"))
PLUGIN_NAMES = {plugin.name for plugin in PLUGINS}


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of everything imported, and of everything reached as `ilk.name`."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Attribute(value=ast.Name(id="ilk"), attr=name):
                yield f"ilk.{name}"


def private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def violations(source: str, package: str) -> list[str]:
    """List what `source`, a module of `package`, imports against the rules."""
    found = []
    for name in imports(ast.parse(source)):
        root, *rest = name.split(".")
        other_plugin = root in PLUGIN_NAMES and root != package
        core_private = root == "ilk" != package and any(map(private, rest))
        if other_plugin or core_private:
            found.append(name)
    return found


@pytest.mark.parametrize("package", [CORE, *PLUGINS], ids=lambda package: package.name)
def test_import_rules(package):
    broken = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in package.rglob("*.py")
        for name in violations(path.read_text(encoding="utf-8"), package.name)
    }
    assert not broken


@in_one_test
@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("ilk", "from ilk_distances import Minkowski"),
        ("ilk_learners", "import ilk_distances.vectors.minkowski"),
        ("ilk_learners", "def f():\n    from ilk_distances.vectors.minkowski import Minkowski"),
        ("ilk_learners", "from ilk._private import name"),
        ("ilk_learners", "from ilk.spec import _name"),
        ("ilk_learners", "import ilk\nilk._name"),
    ],
)
def test_rules_catch(package, source):
    assert violations(source, package)


@pytest.mark.parametrize(
    "source",
    [
        "import ilk\nilk.distance",
        "from ilk import Distance, __version__",
        "import ilk_learners.knn",
    ],
)
def test_rules_allow(source):
    assert not violations(source, "ilk_learners")
