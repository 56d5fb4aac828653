"""The stub that types the names which ship with ilk is current."""

import ast

import typed_names


def statements(text):
    """What a stub says, however it is formatted and its imports are sorted."""
    imports, others = set(), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            imports |= {(node.module, alias.name) for alias in node.names}
        else:
            others.append(ast.dump(node))
    return imports, others


def test_the_stub_is_current():
    assert statements(typed_names.stub()) == statements(typed_names.STUB.read_text()), (
        "run python tests/helpers/typed_names.py && ruff check --fix core && ruff format core"
    )
