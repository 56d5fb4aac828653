"""Places in a TOML text: lines of values if it is valid, lines of open brackets if not."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ilk.errors import Where

# Possessive (`*+`) for text of any length, because backtracking costs memory. Not for groups that
# can fail midway: before 3.11.5, Python consumes the text that the failed repetition has read.
_SPACE = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n]++)*+"|'[^'\n]*+'""")
_STRINGS = [  # pairs: a string up to its end, and the end
    (r'"{3}(?:"{0,2}+(?:\\.|[^"\\]++))*', r'"{3,5}'),
    (r"'{3}(?:'{0,2}+[^']++)*", r"'{3,5}"),
    (r'"(?:\\.|[^"\\\n]++)*+', r'"'),
    (r"'[^'\n]*+", r"'"),
]
_STRING = re.compile("|".join(start + end for start, end in _STRINGS), re.DOTALL)
_SCALAR = re.compile(r"[^,\]}\n#]+")

DEEPEST = 100  # nested brackets, or parts of a key: tomllib and repr recurse and fail beyond
# A string without an end extends to its last possible end; otherwise each quote would be tried.
_OPEN_STRING = "|".join(f"{start}(?:{end})?" for start, end in _STRINGS)
_BRACKET = re.compile(
    rf"(?P<key>(?<![\w\"'-])(?:(?:{_KEY_PART.pattern})\s*+\.\s*+){{{DEEPEST}}})"
    rf"|{_OPEN_STRING}|#[^\n]*+|(?P<open>[\[{{])|(?P<close>[\]}}])",
    re.DOTALL,
)


def too_deep(text: str) -> int | None:
    """Return the first line at which a text, TOML or not, is nested too deeply, or None."""
    depth = 0
    for token in _BRACKET.finditer(text):
        depth += bool(token["open"]) - bool(token["close"])
        if token["key"] or depth > DEEPEST:
            return text.count("\n", 0, token.start()) + 1
    return None


def open_at(text: str, end: int) -> tuple[str, int] | None:
    """Return the innermost open bracket at an offset, and its line, or None."""
    opened: list[re.Match[str]] = []
    for token in _BRACKET.finditer(text, 0, end):
        if token["open"]:
            opened.append(token)
        elif token["close"] and opened:
            opened.pop()
    if not opened:
        return None
    return opened[-1]["open"], text.count("\n", 0, opened[-1].start()) + 1


def lines_of(text: str) -> dict[Where, int]:
    r"""Return the line (from 1) of every table, key and element.

    Parameters
    ----------
    text : str
        Valid TOML.

    Examples
    --------
    >>> lines_of("a = 1\n[b]\nc = [2,\n 3]")[("b", "c", 1)]
    4
    """
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Where, int] = {}
        self.arrays: dict[Where, int] = {}  # number of tables read of each [[array]]
        self.counted = (0, 1)  # an offset and its line

    def scan(self) -> dict[Where, int]:
        table: Where = ()
        while self._skip():
            if self.text.startswith("[[", self.at):
                table = self._array_header()
            elif self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self.lines

    def _skip(self) -> bool:
        """Skip white space and comments; return False at the end."""
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.at < len(self.text)

    def _note(self, path: Where) -> None:
        offset, line = self.counted
        line += self.text.count("\n", offset, self.at)
        self.counted = (self.at, line)
        self.lines.setdefault(path, line)

    def _header(self) -> Where:
        self.at += 1
        path = self._through_arrays(self._key())
        self._note(path)
        self._skip()
        self.at += 1
        return path

    def _array_header(self) -> Where:
        self.at += 2
        key = self._key()
        parent = (*self._through_arrays(key[:-1]), key[-1])
        position = self.arrays.get(parent, 0)
        self.arrays[parent] = position + 1
        self._note(parent)
        self._note((*parent, position))
        self._skip()
        self.at += 2
        return (*parent, position)

    def _through_arrays(self, key: tuple[str, ...]) -> Where:
        """Add the position of the latest table to each key that is an array of tables."""
        path: Where = ()
        for part in key:
            path = (*path, part)
            if path in self.arrays:
                path = (*path, self.arrays[path] - 1)
        return path

    def _key(self) -> tuple[str, ...]:
        parts = []
        while True:
            self._skip()
            match = _KEY_PART.match(self.text, self.at)
            assert match is not None
            self.at = match.end()
            parts.append(_key_text(match.group()))
            self._skip()
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1

    def _pair(self, table: Where) -> None:
        self._skip()
        start = self.at
        key = self._key()
        end, self.at = self.at, start
        for depth in range(1, len(key) + 1):
            self._note((*table, *key[:depth]))
        self.at = end + 1  # past "="
        self._value((*table, *key))

    def _value(self, path: Where) -> None:
        self._skip()
        self._note(path)
        if self.text[self.at] == "[":
            self._array(path)
        elif self.text[self.at] == "{":
            self._inline(path)
        else:
            pattern = _STRING if self.text[self.at] in "\"'" else _SCALAR
            match = pattern.match(self.text, self.at)
            assert match is not None
            self.at = match.end()

    def _array(self, path: Where) -> None:
        self.at += 1
        position = 0
        while self._skip() and self.text[self.at] != "]":
            self._value((*path, position))
            position += 1
            self._comma()
        self.at += 1

    def _inline(self, path: Where) -> None:
        self.at += 1
        while self._skip() and self.text[self.at] != "}":
            self._pair(path)
            self._comma()
        self.at += 1

    def _comma(self) -> None:
        self._skip()
        if self.text.startswith(",", self.at):
            self.at += 1


def _key_text(part: str) -> str:
    """The text of a key that may be quoted."""
    if part[0] == "'":
        return part[1:-1]
    return str(tomllib.loads(f"k = {part}")["k"]) if part[0] == '"' else part
