"""Cases: the pairs of checks and examples to run."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import ConvergenceWarning

from ilk.discovery import Found, installed
from ilk.errors import UnknownComponentError
from ilk.kinds import kind_of, kinds
from ilk.messages import did_you_mean
from ilk.registries import SESSION, registry
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
        Reason for a known failure; then the check must fail.
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
        """Run the check.

        Numerical warnings (division by zero, overflow) are errors; convergence warnings are
        ignored.

        Raises
        ------
        CheckFailed
            If the component violates its contract; or any exception of the component.
        unittest.SkipTest
            If the check does not apply to the example, with the reason; or if a library that the
            class needs is not installed.
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
    """Return all checks to run.

    Parameters
    ----------
    distribution : str, optional
        Name of an installed distribution, or ``"(session)"`` for manually registered classes;
        default: all.
    kind : str, optional
        Default: all kinds.
    slow : bool
        Whether to include the full battery.

    Raises
    ------
    UnknownComponentError
        If there is no such kind, or no installed distribution of this name with components.

    Examples
    --------
    >>> from ilk.testing import cases
    >>> cases("ilk-core", slow=False)[0].id
    'distance/euclidean/check_loads'
    """
    chosen = offered(distribution, kind)
    return [case for found in chosen for case in cases_of(found) if slow or not case.slow]


def offered(distribution: str | None = None, kind: str | None = None) -> list[Found]:
    """Return the components of a distribution, or of all, without loading them.

    Raises
    ------
    UnknownComponentError
        If there is no such kind, or no installed distribution of this name with components.
    """
    names = [kind_of(kind).name] if kind else list(kinds())
    every = (found for name in names for found in registry(name).find())
    chosen = [found for found in every if _offered_by(found, distribution)]
    if distribution is not None and not chosen:
        require_distribution(distribution)
    return chosen


def require_distribution(name: str) -> None:
    """Raise unless an installed distribution of this name has components."""
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
    """Yield the cases of one component; checks of the class go with its first example.

    If a component cannot be loaded or built, only the checks that report this are yielded.
    """
    try:
        cls: Any = registry(found.kind).get(found.qualified)
    except Exception:  # noqa: BLE001  # check_loads raises it again, and is reported
        yield from _cases_for(Subject(found, None), (c for c in checks_of(found.kind) if _loads(c)))
        return
    classwide = [c for c in checks_of(found.kind) if c.on == "class" and c.applies(cls)]
    yield from _cases_for(Subject(found, cls), classwide)
    try:
        examples = list(cls.examples())
    except Exception:  # noqa: BLE001  # check_examples raises it again, and is reported
        return
    for position, example in enumerate(examples):
        yield from _cases_for(Subject(found, cls, position), _due(found, example, position))


def _loads(check: Check) -> bool:
    return check.name == "check_loads"


def _due(found: Found, example: object, position: int) -> Iterator[Check]:
    """Yield the checks to run for one example."""
    for each in checks_of(found.kind):
        wanted = each.on == "examples" or (each.on == "first" and position == 0)
        if wanted and _applies(each, example):
            yield each
    if position == 0:
        yield from battery(found.kind, example)


def _applies(check: Check, example: object) -> bool:
    try:
        return check.applies(example)
    except Exception:  # noqa: BLE001  # then the check itself fails, and is reported
        return True


def _cases_for(subject: Subject, checks: Iterable[Check]) -> Iterator[Case]:
    waivers = getattr(subject.cls, "waivers", {})
    for each in checks:
        numbered = f"{each.name}#{subject.example}"
        yield Case(subject, each, waivers.get(numbered, waivers.get(each.name)))
