"""The console blocks of the docs run in a terminal and print what is shown."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sybil.parsers.markdown import CodeBlockParser

from pages import OURS, ROOT, assert_shown, commands, ignore, parse

# README's commands are CI's; those of hooks.md and tutorial-plugin.md install plugins by pip.
NAMES = ("cli.md", "conformance.md", "evaluation.md", "guide.md", "new-rows.md", "own-csv.md")
TYPED = [ROOT / "docs" / name for name in NAMES]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_commands_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [CodeBlockParser(language, ignore) for language in ("toml", "python")]
    for example in parse(page, *files, CodeBlockParser("console", type_and_compare)):
        example.evaluate()


def type_and_compare(example):
    shown = commands(example)
    outputs = typed([command for command, _ in shown])
    for (command, output), got in zip(shown, outputs, strict=True):
        assert_shown(example, command, output, got)


def typed(lines: list[str]) -> list[str]:
    """Type commands into one shell at a terminal 100 columns wide; errors follow the output."""
    errors = Path.cwd().with_suffix(".errors")
    ilk = shlex.join([sys.executable, "-m", "ilk"])
    script = f'ilk() {{ {ilk} "$@"; }}\n' + "".join(
        f"{{ {line}\n}} 2>{errors}; code=$?; cat {errors}; echo '<end>'; (exit $code)\n"
        for line in lines
    )
    environment = {"COLUMNS": "100", "ILK_PLUGINS": ",".join(OURS), "PYTHONWARNINGS": "default"}
    ours, shells = os.openpty()
    said = b""
    with subprocess.Popen(
        ["bash", "-c", script],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=shells,
    ):
        os.close(shells)
        with suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(ours, 65536):
                said += part
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r\n", "\n")
    return plain.split("<end>\n")[:-1]
