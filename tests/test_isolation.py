"""Who may import whom, and what: plugins use public names of the core only."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import ilk
from cases import in_one_test
from ilk._lazy import PACKAGES
from ilk_evaluation import run_experiment

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core" / "src" / "ilk"
PLUGINS = sorted(ROOT.glob("plugins/*/src/ilk_*"))
PLUGIN_NAMES = {plugin.name for plugin in PLUGINS}
EXAMPLE = ROOT / "examples" / "ilk-example"
TEMPLATES = CORE / "scaffold" / "templates"
PUBLIC = {package: import_module(f"ilk.{package}").__all__ for package in PACKAGES}


def dotted(node: ast.AST) -> str:
    """Return ``a.b.c`` for an attribute of an attribute of a name, else an empty string."""
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return owner and f"{owner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of everything imported, and of everything reached as `ilk.name`."""
    nodes = list(ast.walk(tree))
    inner = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Attribute() if node not in inner and dotted(node).startswith("ilk."):
                yield dotted(node)


def public(name: str) -> bool:
    """Whether a dotted name starts with a name of `ilk.__all__` or of a public package's."""
    _, first, second, *_ = *name.split("."), "", ""
    return second in PUBLIC[first] if first in PUBLIC else not first or first in ilk.__all__


def violations(source: str, package: str) -> list[str]:
    """List what `source`, a module of `package`, imports against the rules."""
    found = []
    for name in imports(ast.parse(source)):
        root = name.split(".")[0]
        other_plugin = root in PLUGIN_NAMES and root != package
        if other_plugin or (root == "ilk" != package and not public(name)):
            found.append(name)
    return found


@pytest.mark.parametrize("package", [CORE, *PLUGINS, EXAMPLE], ids=lambda package: package.name)
def test_import_rules(package):
    broken = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in package.rglob("*.py")
        for name in violations(path.read_text(encoding="utf-8"), package.name)
    }
    assert not broken


def test_templates_follow_the_rules():
    templates = {
        path: path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.py.template")
    }
    assert len(templates) > 30
    for path, text in templates.items():
        assert not violations(re.sub(r"\$\{?(\w+)\}?", r"\1", text), "ilk_new"), path


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
        ("ilk_learners", "import ilk\nilk.no_such_name"),
        ("ilk_learners", "from ilk import registries"),
        ("ilk_learners", "import ilk.registries"),
        ("ilk_learners", "from ilk.registries import SESSION"),
        ("ilk_learners", "from ilk.interfaces.distance import Distance"),
        ("ilk_learners", "from ilk.neighbors.rows import Rows"),
        ("ilk_learners", "from ilk.plotting import np"),
        ("ilk_learners", "import ilk\nilk.plotting.np.zeros"),
    ],
)
def test_rules_catch(package, source):
    assert violations(source, package)


@pytest.mark.parametrize(
    "source",
    [
        "import ilk\nilk.distance",
        "from ilk import Distance, __version__",
        "from ilk.neighbors import Rows\nfrom ilk.testing import expect",
        "import ilk\nilk.plotting.new_axes(1, 1).plot",
        "import ilk_learners.knn",
    ],
)
def test_rules_allow(source):
    assert not violations(source, "ilk_learners")


@in_one_test
@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("from ilk.interfaces import Distance", "from ilk import Distance"),
        ("from ilk.neighbors import nearest", "from ilk import nearest"),
        ("from ilk.plotting import Distance", "from ilk import Distance"),
        ("from ilk.testing import ParameterError", "from ilk import ParameterError"),
        ("from ilk import Rows", "from ilk.neighbors import Rows"),
        ("import ilk\nilk.new_axes", "from ilk.plotting import new_axes"),
        ("from ilk import conformance_tests", "from ilk.testing import conformance_tests"),
    ],
)
def test_a_wrong_import_names_the_right_one(source, place):
    with pytest.raises(ImportError, match=re.escape(f"({place})")):
        exec(source, {})  # the lines above
    exec(place, {})


def test_a_module_of_a_name_is_no_wrong_import():
    from ilk.interfaces import distance

    assert distance.Distance is ilk.Distance
    assert not hasattr(ilk.plotting, "_pytest")
    assert not hasattr(ilk.plotting, "colours")


@pytest.mark.parametrize("package", ["ilk", "ilk.neighbors", "ilk.testing"])
def test_type_checkers_read_the_same_names(package):
    module = import_module(package)
    nodes = ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8")))
    pairs = [
        (alias.asname, node.module)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    ]
    assert dict(pairs) == module._MODULE | {name: "ilk" for name in PUBLIC if package == "ilk"}


LATE = {"joblib", "matplotlib", "numba", "scipy.stats", "sklearn.base"}
STARTS = """
import sys
from ilk.cli.shell import run
spec, late = sys.argv[1], set(sys.argv[2].split(","))
run(["show", "classifier", "knn"])
run(["run", spec, "--dry-run"])
run(["figures"])
assert not {*late, "scipy", "pandas"} & sys.modules.keys()
run(["run", spec])
print("imported:", *late & sys.modules.keys())
"""


def test_commands_that_fit_nothing_import_no_library_of_learners(tmp_path):
    spec = tmp_path / "experiment.toml"
    plan = (ROOT / "examples" / "quickstart.toml").read_text(encoding="utf-8")
    spec.write_text(plan.replace("repeats = 5", "repeats = 1"), encoding="utf-8")
    run_experiment(spec)  # the process below has nothing to compute
    command = [sys.executable, "-c", STARTS, str(spec), ",".join(LATE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "imported:"
