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
    "curves",
    "figures",
    "report",
    "experiment",
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
                named = node.module if isinstance(node, ast.ImportFrom) else None
                parts = (named or "").split(".")
                if parts[0] == "ilk_evaluation" and set(parts[1:2]) & set(ORDER[at + 1 :]):
                    back.append(f"{file.relative_to(ROOT)}: {named}")
    assert back == []
