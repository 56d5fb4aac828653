"""The commands of ilk and its plugins; none is imported before it is called."""

from __future__ import annotations

import os
from importlib import import_module

import click

from ilk.discovery import Found, found_in
from ilk.errors import (
    AmbiguousComponentError,
    BrokenComponentError,
    UnknownComponentError,
)
from ilk.messages import did_you_mean

GROUP = "ilk.commands"

BUILT_IN = {
    "check": ("ilk.cli.check:check", "Check that a distribution's components keep their contract."),
    "doctor": ("ilk.cli.doctor:doctor", "Describe the installation and its problems."),
    "list": ("ilk.cli.list:list_", "List the components that are installed."),
    "new": ("ilk.cli.new:new", "Start a plugin: a project with passing tests."),
    "schema": ("ilk.cli.show:schema", "Print the JSON Schema of files or of a component."),
    "show": ("ilk.cli.show:show", "Show the interface of a kind, or a component's parameters."),
}

_KNOWN = {
    "data": ("ilk-evaluation", "Show how data sets are read, and what looks wrong in them."),
    "fit": ("ilk-evaluation", "Fit a pipeline on a whole data set and save the model."),
    "plot": ("ilk-evaluation", "Draw figures of an experiment into files."),
    "predict": ("ilk-evaluation", "Predict the rows of a table by a saved model."),
    "report": ("ilk-evaluation", "Write what an experiment found as one page of HTML."),
    "results": (
        "ilk-evaluation",
        "Look into the store of an experiment: tables, failures, differences, merging, exports.",
    ),
    "run": ("ilk-evaluation", "Run the experiment that a file describes and print its tables."),
    "watch": ("ilk-evaluation", "Follow a run from another terminal."),
}


def summaries() -> dict[str, str]:
    """Return one line for each command, read from metadata only."""
    lines = {name: summary for name, (_, summary) in BUILT_IN.items()}
    for name, offers in _offers().items():
        if len(offers) == 1:
            lines.setdefault(name, _summary(name, offers[0].distribution))
        elif name not in lines:
            choices = " or ".join(found.qualified for found in offers)
            lines[name] = f"Ambiguous: write {choices}."
    return dict(sorted(lines.items()))


def _summary(name: str, distribution: str) -> str:
    owner, sentence = _KNOWN.get(name, ("", ""))
    return sentence if owner == distribution else f"Provided by {distribution}."


def load(name: str) -> click.Command:
    """Return the command called `name` or ``"distribution/name"``, importing it.

    Raises
    ------
    UnknownComponentError
        If there is none; names the closest command and the distribution known to offer it.
    AmbiguousComponentError
        If two distributions offer it and the name is not qualified.
    BrokenComponentError
        If it cannot be imported or is not a command; the cause is chained.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name][0].partition(":")
        return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
    offers = [
        found
        for same in _offers().values()
        for found in same
        if name in (found.name, found.qualified)
    ]
    if not offers:
        raise UnknownComponentError(_unknown(name))
    if len(offers) > 1:
        distributions = " and ".join(found.distribution for found in offers)
        choices = " or ".join(repr(found.qualified) for found in offers)
        raise AmbiguousComponentError(
            f"command {name!r} is offered by {distributions}; write {choices}"
        )
    return _imported(offers[0])


def _imported(found: Found) -> click.Command:
    where = f"command {found.name!r} of {found.distribution} {found.version} ({found.value})"
    assert found.entry_point is not None
    try:
        command = found.entry_point.load()
    except KeyboardInterrupt as error:  # the user's, or the module's own
        raise KeyboardInterrupt(f"while {where} was imported") from error
    except (Exception, SystemExit) as error:
        raise BrokenComponentError(
            f"{where} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(command, click.Command):
        raise BrokenComponentError(
            f"{where}: it is {type(command).__name__} {command!r}, not a click command"
        )
    return command


def _offers() -> dict[str, list[Found]]:
    by_name: dict[str, list[Found]] = {}
    for found in sorted(found_in(GROUP), key=lambda found: found.distribution):
        by_name.setdefault(found.name, []).append(found)
    return by_name


def _unknown(name: str) -> str:
    message = f"there is no command {name!r}"
    if name not in _KNOWN:
        return message + did_you_mean(name, {*BUILT_IN, *_offers(), *_KNOWN})
    owner, _ = _KNOWN[name]
    if os.environ.get("ILK_PLUGINS"):
        return f"{message}; it is in {owner}, which is not among ILK_PLUGINS or not installed"
    return f"{message}; it is in {owner}, which is not installed (pip install {owner})"
