"""README and docs as sybil parses them: each page is one session in the current folder."""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from sybil import Document, Example, Sybil
from sybil.document import NotEvaluated
from sybil.parsers.markdown import CodeBlockParser
from sybil.typing import Parser

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted(ROOT.glob("docs/*.md"))]
OURS = {"ilk-core", *(f"ilk-{path.parent.name}" for path in ROOT.glob("plugins/*/pyproject.toml"))}


def write_file(example: Example) -> None:
    """Write a block to the file that its first line names, ``# wine.toml``."""
    text = example.parsed
    named = isinstance(text, str) and re.match(r"# (\S+\.(?:toml|csv|py))\n", text)
    if not named:
        raise NotEvaluated
    Path(named[1]).write_text(text, encoding="utf-8")


def ignore(example: Example) -> None:
    """Do nothing with a block that names no file."""


class Page(Document):
    """A page whose files are written, whatever the evaluators of its blocks do."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, path)
        self.namespace["__name__"] = f"page_{Path(path).stem}"
        self.push_evaluator(write_file)


def parse(page: Path, *parsers: Parser) -> list[Example]:
    """Return the examples that the parsers find in a page, in order."""
    return list(Sybil(parsers, document_types={None: Page}).parse(page))


def blocks(page: Path, language: str) -> list[Example]:
    """Return the fenced blocks of one language, in order."""
    return parse(page, CodeBlockParser(language, ignore))


def commands(example: Example) -> list[tuple[str, str]]:
    """Return each command of a console block with the output shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", example.parsed, re.MULTILINE)


def ilk_calls(command: str) -> Iterator[Sequence[str]]:
    """Yield the arguments of each call of ilk in a command line of the shell."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for separates, words in groupby(lexer, lambda word: set(word) <= set("();<>|&")):
        name, *arguments = words
        if not separates and name == "ilk":
            yield arguments


def assert_shown(example: Example, command: str, shown: str, output: str) -> None:
    """Compare the output of a command with the one shown, where ``...`` stands for anything."""
    parts = re.split(r"\s*(?<!\.)\.\.\.(?!\.)\s*", _comparable(shown))
    pattern = ".*".join(map(re.escape, parts))
    same = re.fullmatch(pattern, _comparable(output), re.DOTALL)
    assert same, f"{example.path}:{example.line}: $ {command}\n{output}"


def _comparable(output: str) -> str:
    """Leave out what differs between runs or changes with every new component."""
    output = re.sub(r"^(\d+/\d+ cells, |trying each of ).*\n", "", output, flags=re.MULTILINE)
    output = re.sub(r" +(fit\b|[\d.]+ m?s\b)", r"  \1", output)  # columns as wide as the times
    output = re.sub(r"[\d.]+ (m?s|ok|passed|checks passed)\b", r"# \1", output)
    output = re.sub(r"\b\d+\.\d+\.\d+\b", "#.#.#", output)
    output = re.sub("─+", "─", output)
    return re.sub(r"[ \t]+$", "", output, flags=re.MULTILINE)
