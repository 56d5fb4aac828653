"""A real run on a terminal, and `ilk watch` beside it: both look alike, both give it back."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs pseudo-terminals")
PROGRAM = "from ilk.cli import main; main()"
# Ctrl-C reaches whom a terminal controls, and is not ignored as by what a script starts with "&",
# such as these tests where a machine runs them.
CONTROLLED = f"""
import fcntl, signal, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
{PROGRAM}
"""


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, shell, *arguments, width=100, **environment):
        self.mine, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-c", CONTROLLED, *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**shell.environment, "TERM": "xterm-256color", **environment},
            cwd=shell.folder,
            start_new_session=True,
        )
        self.theirs = theirs
        self.text = ""

    def read_until(self, pattern, seconds=60):
        """Read until what was written matches."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < deadline, self.text
            if not self._read(0.1):
                assert self.process.poll() is None, self.text
        return self

    def finish(self, seconds=60):
        """Read to the end; return the exit code and whether the terminal is as it was."""
        deadline = time.monotonic() + seconds
        while self._read(0.05) or self.process.poll() is None:
            assert time.monotonic() < deadline, self.text
        same = termios.tcgetattr(self.theirs) == self.before
        os.close(self.mine)
        os.close(self.theirs)
        shown = self.text.count("\x1b[?25h") == self.text.count("\x1b[?25l")
        return self.process.wait(), same and shown

    def _read(self, seconds):
        ready, _, _ = select.select([self.mine], [], [], seconds)
        if ready:
            self.text += os.read(self.mine, 2**16).decode("utf-8", "replace")
        return bool(ready)

    def type(self, text):
        os.write(self.mine, text.encode())


@pytest.fixture
def held_run(shell):
    """A run that comes to its end only when it is let go, however long others need to start.

    All of iris is done at once, and one cell of wine every few seconds.
    """
    shell.go = shell.folder / "go"
    held = f'{{ use = "held", longest = 4, until = {str(shell.go)!r} }}'
    shell.write(pipelines={"held": held, "sour": '{ use = "deadly", how = "fail" }'}, repeats=12)
    return shell


def test_a_run_and_its_watch_look_alike(held_run):
    run = Terminal(held_run, "run", held_run.file, "--keep-going")
    watch = Terminal(held_run, "watch", held_run.store, "--interval", 0.1, NO_COLOR="1", width=44)
    plain = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "watch", held_run.store, "--interval", "0.1"],
        env=held_run.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    for terminal in (run, watch):
        terminal.read_until(r"\d+/96 cells")
        terminal.read_until(r"after \d+ s")
        terminal.read_until(r"about \d+ (s|min \d+ s) left")
        terminal.read_until(r"best so far: held[^(]* \(error")
        terminal.read_until(r"wine, sour \(\d+ cells?\): ValueError")
    first = plain.stdout.readline()
    held_run.go.touch()
    assert run.finish() == (1, True)
    assert watch.finish() == (1, True)
    out = first + plain.communicate(timeout=60)[0]
    assert plain.returncode == 1
    assert "x: finished\n96/96 cells, 24 failed\n  wine, sour (24 cells): ValueError: no app" in out
    assert re.match(r"\d+/96 cells, \d+ failed", first)
    assert "\x1b[3" in run.text
    assert "\x1b[3" not in watch.text
    assert [each.name for each in held_run.store.parent.iterdir()] == [held_run.store.name]


def test_ctrl_c_gives_the_terminal_back_and_the_watch_knows(held_run):
    run = Terminal(held_run, "run", held_run.file, "--keep-going")
    watch = Terminal(held_run, "watch", held_run.store, "--interval", 0.1)
    other = Terminal(held_run, "watch", held_run.store)
    other.read_until(r"/96 cells").type("\x03")  # the watch ends, the run does not notice
    assert other.finish() == (130, True)
    watch.read_until(r"[1-9]\d*/96 cells")
    assert run.process.poll() is None
    run.type("\x03")
    assert run.finish() == (130, True)
    assert "interrupted: " in run.text
    assert watch.finish() == (4, True)
    assert "x: stopped before its end" in watch.text


def test_a_run_that_is_killed_has_died(held_run):
    process = held_run.start("--quiet", "--keep-going")
    held_run.wait_for_cells(2, process)
    watch = Terminal(held_run, "watch", held_run.store, "--interval", 0.1)
    watch.read_until(r"/96 cells")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert watch.finish() == (5, True)
    assert "x: died before its end" in watch.text
