"""Lines of values in TOML."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import in_one_test
from ilk.locate import lines_of

TEXT = """\
# a comment
title = "x # not a comment"
a.b."c d" = 1

[experiment]   # here
name = 'q'
notes = \"\"\"
[not.a.table]
k = 1
\"\"\"

[[pipelines]]
id = "one"
steps = [
  { transformer = "standardize" },  # first
  { classifier = { use = "knn", members = [1,
                                           2] } },
]

[[pipelines]]
id = "two"
[pipelines.options]
deep = [[1, 2],
        [3, 4]]
[[pipelines.parts]]
x = 1979-05-27 07:32:00
[[pipelines.parts]]
x = '''
y'''
z = -inf
"""


@in_one_test
@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("a", "b", "c d"), 3),
        (("experiment",), 5),
        (("experiment", "name"), 6),
        (("experiment", "notes"), 7),
        (("pipelines",), 12),
        (("pipelines", 0), 12),
        (("pipelines", 0, "steps", 0, "transformer"), 15),
        (("pipelines", 0, "steps", 1, "classifier", "use"), 16),
        (("pipelines", 0, "steps", 1, "classifier", "members", 1), 17),
        (("pipelines", 1, "id"), 21),
        (("pipelines", 1, "options", "deep", 1, 0), 24),
        (("pipelines", 1, "parts", 0, "x"), 26),
        (("pipelines", 1, "parts", 1, "x"), 28),
        (("pipelines", 1, "parts", 1, "z"), 30),
    ],
)
def test_each_value_has_its_line(path, line):
    assert lines_of(TEXT)[path] == line


def test_windows_line_ends():
    assert lines_of("a = 1\r\n[b]\r\nc = 2\r\n")[("b", "c")] == 3


def _paths(value, path=()):
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(item, (*path, key))


def test_no_value_is_without_a_line():
    assert set(_paths(tomllib.loads(TEXT))) <= set(lines_of(TEXT))


keys = st.text("abc-_ \"'\\.é", min_size=1, max_size=5)
values = st.recursive(
    st.integers(-5, 5) | st.booleans() | st.text("ab#[]{}=,\"'\n\\", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def _inline(value):
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_inline(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(_inline(item) for item in value) + "]"
    return json.dumps(value)


@given(st.dictionaries(keys, values, max_size=4))
def test_every_path_of_any_document_is_found(document):
    text = "".join(f"\n{json.dumps(key)} = {_inline(value)}" for key, value in document.items())
    assert tomllib.loads(text) == document
    lines = lines_of(text)
    assert set(_paths(document)) == set(lines)
    for path, line in lines.items():
        if isinstance(path[-1], str):
            assert json.dumps(path[-1]) in text.split("\n")[line - 1]
