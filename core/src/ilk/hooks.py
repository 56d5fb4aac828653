"""Events for listeners of plugins, by pluggy; a broken listener never stops a run."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import pluggy

from ilk.discovery import found_in

hookspec = pluggy.HookspecMarker("ilk")
hookimpl = pluggy.HookimplMarker("ilk")


@dataclass(frozen=True)
class Section:
    """A part of a report that a listener adds: a title and text, in Markdown."""

    title: str
    text: str


class Events:
    """The events. A listener is a module with functions of the same names.

    A function may leave out arguments it does not need. Modules are listed in the
    entry-point group ``ilk.plugins``.
    """

    @hookspec
    def ilk_plan(self, plan: Any) -> None:
        """An experiment is planned and about to run."""

    @hookspec
    def ilk_cell_finished(self, cell: object) -> None:
        """The outcome of one cell is stored."""

    @hookspec
    def ilk_run_finished(self, results: Any) -> None:
        """A run is finished and scored."""

    @hookspec
    def ilk_report_sections(self, results: Any) -> Any:
        """Return additional sections for the report."""


class HookWarning(UserWarning):
    """A listener is broken and ignored from now on; the message names it."""


class Listeners:
    """The listeners of all installed plugins, loaded one by one.

    Parameters
    ----------
    *modules : object
        Further listeners, by hand.

    Examples
    --------
    >>> class Counter:
    ...     cells = 0
    ...     @hookimpl
    ...     def ilk_cell_finished(self):
    ...         self.cells += 1
    >>> counter = Counter()
    >>> Listeners(counter).tell("ilk_cell_finished", cell=None)
    []
    >>> counter.cells
    1
    """

    def __init__(self, *modules: object) -> None:
        self.manager = pluggy.PluginManager("ilk")
        self.manager.add_hookspecs(Events)
        for found in found_in("ilk.plugins"):
            assert found.entry_point is not None
            self._add(found.entry_point.load, f"{found.name} of {found.distribution}")
        for module in modules:
            self._add(lambda module=module: module, repr(module))

    def _add(self, load: Any, name: str) -> None:
        """Load and register a listener; warn if it is broken or misspells an event."""
        try:
            module = load()
            self.manager.register(module, name)
            self.manager.check_pending()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # a plugin may raise anything
            if self.manager.has_plugin(name):
                self.manager.unregister(name=name)
            _warn(name, "cannot be used", error)

    def tell(self, event: str, **arguments: Any) -> list[Any]:
        """Notify all listeners of an event; return their answers that are not None."""
        answers = []
        for implementation in reversed(getattr(self.manager.hook, event).get_hookimpls()):
            values = [arguments[name] for name in implementation.argnames]
            try:
                answer = implementation.function(*values)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  # a plugin may raise anything
                self.manager.unregister(name=implementation.plugin_name)
                _warn(implementation.plugin_name, f"failed in {event}", error)
                continue
            if answer is not None:
                answers.append(answer)
        return answers


def _warn(name: str, what: str, error: BaseException) -> None:
    reason = " ".join(str(error).split())
    message = f"listener {name} {what} and is left out: {type(error).__name__}: {reason}"
    warnings.warn(message, HookWarning, stacklevel=4)
