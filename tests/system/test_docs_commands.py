"""The console blocks of the docs run in a terminal and print what is shown."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from sybil.parsers.markdown import CodeBlockParser

from pages import OURS, ROOT, assert_shown, commands, ignore, parse

# README's commands are CI's; those of hooks.md and tutorial-plugin.md install plugins by pip.
NAMES = (
    *("cli.md", "conformance.md", "evaluation.md", "guide.md", "many-machines.md", "new-rows.md"),
    *("own-csv.md", "reproduce.md"),
)
TYPED = [ROOT / "docs" / name for name in NAMES]

# Runs each command in a copy of a process that has its imports, which take longer than most.
SERVER = """
import os, socket, sys
import ilk_evaluation.commands.terminal_tables, ilk_evaluation.experiment
from ilk.cli import main

with socket.socket(socket.AF_UNIX) as door:
    door.bind(sys.argv[1])
    door.listen()
    print("ready", flush=True)
    while True:
        shell, _ = door.accept()
        message, streams, *_ = socket.recv_fds(shell, 65536, 3)
        process = os.fork()
        if not process:
            shell.close()
            break
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(process, 0)
        shell.sendall(bytes([os.waitstatus_to_exitcode(status) & 255]))
        shell.close()
folder, *sys.argv = message.decode().split("\\0")
os.chdir(folder)
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
main()
"""
CLIENT = """
import os, socket, sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    message = "\\0".join([os.getcwd(), "ilk", *sys.argv[2:]])
    socket.send_fds(server, [message.encode()], [0, 1, 2])
    sys.exit(server.recv(1)[0])
"""
ENVIRONMENT = {"COLUMNS": "100", "ILK_PLUGINS": ",".join(OURS), "PYTHONWARNINGS": "default"}


@pytest.fixture(scope="module")
def ilk(tmp_path_factory):
    """The command, as a shell calls it."""
    door = str(tmp_path_factory.mktemp("server") / "door")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, door],
        env=os.environ | ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout.readline() == b"ready\n"
        yield shlex.join([sys.executable, "-I", "-S", "-c", CLIENT, door])
        server.kill()


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_commands_print_what_is_shown(page, ilk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [CodeBlockParser(language, ignore) for language in ("toml", "python")]
    console = CodeBlockParser("console", partial(type_and_compare, ilk))
    for example in parse(page, *files, console):
        example.evaluate()


def type_and_compare(ilk, example):
    shown = commands(example)
    outputs = typed(ilk, [command for command, _ in shown])
    for (command, output), got in zip(shown, outputs, strict=True):
        assert_shown(example, command, output, got)


def typed(ilk: str, lines: list[str]) -> list[str]:
    """Type commands into one shell at a terminal 100 columns wide; errors follow the output."""
    errors = Path.cwd().with_suffix(".errors")
    script = f'ilk() {{ {ilk} "$@"; }}\n' + "".join(
        f"{{ {line}\n}} 2>{errors}; code=$?; cat {errors}; echo '<end>'; (exit $code)\n"
        for line in lines
    )
    ours, shells = os.openpty()
    said = b""
    with subprocess.Popen(
        ["bash", "-c", script],
        env=os.environ | ENVIRONMENT,
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
