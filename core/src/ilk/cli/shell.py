"""The frame of all commands: global options, help, and errors as one message and exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

import click

from ilk.cli import commands
from ilk.errors import IlkError, SpecError
from ilk.messages import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

WRONG, BROKEN, INTERRUPTED, UNREAD = 2, 3, 130, 141

_EPILOG = (
    "Exit codes: 0 all well, 1 something failed (cells of a run, checks), 2 a wrong command line, "
    "file or plugin, 3 a defect of ilk or a plugin, 130 interrupted, 141 the output was not read "
    "to its end, 143 terminated."
)


class Shell(click.Group):
    """A group that finds commands by name and imports them when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, without imports."""
        return list(commands.summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; shell completion ignores broken and unknown ones."""
        if ctx.resilient_parsing:
            with suppress(IlkError):
                return commands.load(cmd_name)
            return None
        return commands.load(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from metadata."""
        with formatter.section("Commands"):
            formatter.write_dl(list(commands.summaries().items()))

    def invoke(self, ctx: click.Context) -> None:
        """Run a command; an error is a message on stderr and an exit code."""
        try:
            super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            ctx.exit(UNREAD)
        except IlkError as error:
            ctx.exit(_complain(_message(error), WRONG, debug=ctx.params["debug"]))
        except OSError as error:  # such as a full disk: no defect of ilk
            place = f"{error.filename}: " if error.filename else ""
            what = f"{place}{error.strerror or error}"
            ctx.exit(_complain(what, WRONG, debug=ctx.params["debug"]))
        except MemoryError as error:
            what = f"out of memory: {error}".removesuffix(": ")
            ctx.exit(_complain(what, WRONG, debug=ctx.params["debug"]))
        except Exception as error:  # noqa: BLE001  # the last guard before the user
            again = f"`ilk --debug {ctx.invoked_subcommand or '--help'} ...`"
            what = f"internal error: {type(error).__name__}: {error}; {again} shows the traceback"
            ctx.exit(_complain(what, BROKEN, debug=ctx.params["debug"]))


@click.command(cls=Shell, invoke_without_command=True, epilog=_EPILOG)
@click.option("--version", is_flag=True, help="Show the version of ilk and of every plugin.")
@click.option("--debug", is_flag=True, help="Show where in the code an error was raised.")
@click.pass_context
def shell(ctx: click.Context, version: bool, debug: bool) -> None:  # noqa: ARG001  # see invoke
    """Learn from similarity: components by name, experiments from a file."""
    if version:
        _print_version()
        ctx.exit()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _print_version() -> None:
    from ilk import __version__
    from ilk.discovery import installed

    python = ".".join(map(str, sys.version_info[:3]))
    click.echo(f"ilk {__version__} (Python {python})")
    for name, version in installed().items():
        click.echo(f"{name} {version}")


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    given = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_buffered, given)
    try:
        return _all_written(_code_of(arguments))
    finally:
        for stream, before in zip((sys.stdout, sys.stderr), given, strict=True):
            if stream is not before and isinstance(stream, io.TextIOWrapper):
                stream.detach().detach()  # keeps the caller's stream open
        sys.stdout, sys.stderr = given


def _code_of(arguments: Sequence[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # "?" for characters that the terminal cannot encode
            stream.reconfigure(errors="replace")
    try:
        code = shell.main(list(arguments), prog_name="ilk", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as abort:
        return _complain(f"interrupted {abort.__cause__ or ''}".strip(), INTERRUPTED, debug=False)
    return code or 0


def _buffered(stream: TextIO | None) -> TextIO:
    """Add a buffer to an unbuffered stream: otherwise partial writes go unnoticed."""
    if stream is None:  # closed by the caller
        return io.StringIO()
    raw = getattr(stream, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        return stream
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=True)


def _all_written(code: int) -> int:
    """Flush the output; return the exit code, or another one if flushing fails."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            with suppress(OSError, ValueError):  # the interpreter flushes again at exit
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, stream.fileno())
                os.close(null)
            if stream is sys.stdout and not code and not isinstance(error, BrokenPipeError):
                code = _complain(error.strerror or str(error), WRONG, debug=False)
    return code


def _message(error: IlkError) -> str:
    if isinstance(error, SpecError) and len(error.problems) > 1:
        return f"{len(error.problems)} problems\n{error}"
    return str(error)


def _complain(message: str, code: int, *, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    with suppress(OSError):  # stderr may be closed
        click.echo(f"{click.style('Error:', fg='red')} {printable(message)}", err=True)
    return code
