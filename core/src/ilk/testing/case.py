"""Cases: which checks are due for which components, one by one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import ConvergenceWarning

from ilk.discovery import Found, installed
from ilk.errors import UnknownComponentError
from ilk.kinds import kind_of, kinds
from ilk.registries import SESSION, registry
from ilk.suggest import did_you_mean
from ilk.testing.registered import Check, battery, checks_of
from ilk.testing.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class Case:
    """One check of one example of one component.

    Attributes
    ----------
    subject : Subject
        The component (``subject.cls``) and the example (``subject.example``).
    check : Check
    waiver : str or None
        Why the component is known to fail it; then it must fail.
    """

    subject: Subject
    check: Check
    waiver: str | None = None

    @property
    def id(self) -> str:
        """``"distance/minkowski/check_symmetric"``; ``#1`` is appended for the second example."""
        number = f"#{self.subject.example}" if self.subject.example else ""
        return f"{self.component}/{self.check.name}{number}"

    @property
    def component(self) -> str:
        """``"distance/minkowski"``."""
        return f"{self.subject.found.kind}/{self.subject.found.name}"

    @property
    def slow(self) -> bool:
        """Whether it belongs to the full battery only."""
        return self.check.slow

    def run(self) -> None:
        """Do the check.

        Numerical warnings (division by zero, overflow) are errors, early stopping is not
        looked at.

        Raises
        ------
        CheckFailed
            If the component breaks its promise; or whatever the component raises.
        unittest.SkipTest
            If the example cannot be checked so, with the reason; or if a library that the
            class relies on is not installed.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            if self.check.on != "class":
                self.subject.require_libraries()
            self.check.run(self.subject)


def cases(
    distribution: str | None = None, kind: str | None = None, *, slow: bool = True
) -> list[Case]:
    """Return every check that is due.

    Parameters
    ----------
    distribution : str, optional
        Name of an installed distribution, or ``"(session)"`` for classes registered by hand;
        all if left out.
    kind : str, optional
        All if left out.
    slow : bool
        Whether the full battery is wanted.

    Raises
    ------
    UnknownComponentError
        If there is no such kind, or no such distribution that offers anything to ilk.

    Examples
    --------
    >>> from ilk.testing import cases
    >>> cases("ilk-core", slow=False)[0].id
    'classifier/pipeline/check_loads'
    """
    chosen = offered(distribution, kind)
    return [case for found in chosen for case in cases_of(found) if slow or not case.slow]


def offered(distribution: str | None = None, kind: str | None = None) -> list[Found]:
    """Return the components of a distribution, of all if it is left out, without loading any.

    Raises
    ------
    UnknownComponentError
        If there is no such kind, or no such distribution that offers anything to ilk.
    """
    names = [kind_of(kind).name] if kind else list(kinds())
    every = (found for name in names for found in registry(name).find())
    chosen = [found for found in every if _offered_by(found, distribution)]
    if distribution is not None and not chosen:
        require_distribution(distribution)
    return chosen


def require_distribution(name: str) -> None:
    """Raise unless a distribution is installed that offers something to ilk."""
    known = (*installed(), SESSION)
    if not any(_normal(name) == _normal(other) for other in known):
        raise UnknownComponentError(
            f"no installed distribution {name!r} offers anything to ilk"
            f"{did_you_mean(name, known)} (there are: {', '.join(installed())})"
        )


def _offered_by(found: Found, distribution: str | None) -> bool:
    return distribution is None or _normal(found.distribution) == _normal(distribution)


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def cases_of(found: Found) -> Iterator[Case]:
    """Yield the cases of one component, those of the class with those of its first example.

    A component that cannot be loaded or built has the cases that say so.
    """
    try:
        cls: Any = registry(found.kind).get(found.qualified)
    except Exception:  # noqa: BLE001  # check_loads raises it again, where it is reported
        yield from _plain(Subject(found, None), (c for c in checks_of(found.kind) if _loads(c)))
        return
    classwide = [c for c in checks_of(found.kind) if c.on == "class" and c.applies(cls)]
    yield from _plain(Subject(found, cls), classwide)
    try:
        examples = list(cls.examples())
    except Exception:  # noqa: BLE001  # check_examples raises it again, where it is reported
        return
    for position, example in enumerate(examples):
        yield from _plain(Subject(found, cls, position), _due(found, example, position))


def _loads(check: Check) -> bool:
    return check.name == "check_loads"


def _due(found: Found, example: Any, position: int) -> Iterator[Check]:
    """Yield the checks that are due for one example."""
    for each in checks_of(found.kind):
        wanted = each.on == "examples" or (each.on == "first" and position == 0)
        if wanted and _applies(each, example):
            yield each
    if position == 0:
        yield from battery(found.kind, example)


def _applies(check: Check, example: Any) -> bool:
    try:
        return check.applies(example)
    except Exception:  # noqa: BLE001  # then the check itself shall fail, where it is reported
        return True


def _plain(subject: Subject, checks: Iterable[Check]) -> Iterator[Case]:
    waivers = getattr(subject.cls, "waivers", {})
    for each in checks:
        numbered = f"{each.name}#{subject.example}"
        yield Case(subject, each, waivers.get(numbered, waivers.get(each.name)))
