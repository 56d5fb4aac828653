"""The rooms of the plugin stand in one order, and each knows only those before it."""

import ast
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(find_spec("ilk_evaluation").origin).parent
ORDER = [
    "executors",
    "plan",
    "run",
    "results",
    "models",
    "curves",
    "figures",
    "report",
    "experiment",
    "comparing",
    "claims",
    "commands",
]


def test_each_room_imports_only_those_before_it():
    """Imports inside functions and for type checking count, too."""
    back = []
    for at, room in enumerate(ORDER):
        files = (ROOT / room).rglob("*.py") if (ROOT / room).is_dir() else [ROOT / f"{room}.py"]
        files = list(files)
        assert files
        for file in files:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
                    later = [name for name in names if _room(name) in ORDER[at + 1 :]]
                    back += [f"{file.relative_to(ROOT)}: {name}" for name in later]
    assert back == []


def _room(name):
    package, _, rest = name.partition(".")
    return rest.partition(".")[0] if package == "ilk_evaluation" else None
