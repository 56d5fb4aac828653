"""The stub that types the names which ship with ilk is current."""

import ast

import typed_names


def statements(text):
    """What a stub says, however it is formatted and its imports are sorted."""
    imports, others = [], []
    for node in ast.parse(text).body:
        (imports if isinstance(node, ast.ImportFrom) else others).append(ast.dump(node))
    return sorted(imports), others


def test_the_stub_is_current():
    assert statements(typed_names.stub()) == statements(typed_names.STUB.read_text()), (
        "run python tests/helpers/typed_names.py && ruff check --fix core && ruff format core"
    )
