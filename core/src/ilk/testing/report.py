"""Reports: outcomes of the checks of a distribution, without pytest."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from unittest import SkipTest

from ilk.discovery import Found, installed
from ilk.testing.case import Case, cases
from ilk.testing.expectations import CheckFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Status = Literal["passed", "failed", "waived", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """Outcome of one case.

    Attributes
    ----------
    case : Case
    status : {"passed", "failed", "waived", "skipped"}
        Waived: failed, as its waiver states. Skipped: the check does not apply to the example.
    message : str
        Why it did not pass.
    error : Exception or None
        The exception, if it failed.
    """

    case: Case
    status: Status
    message: str = ""
    error: Exception | None = None

    @property
    def check(self) -> str:
        """Name of the check, with the number of the example unless it is the first."""
        return self.case.id.removeprefix(f"{self.case.component}/")


@dataclass
class ComponentReport:
    """Outcomes of the checks of one component."""

    kind: str
    name: str
    outcomes: list[Outcome] = field(default_factory=list)

    def those(self, status: Status) -> list[Outcome]:
        """Outcomes with the given status."""
        return [outcome for outcome in self.outcomes if outcome.status == status]

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Name of the check and message of each problem."""
        problems = [(o.check, o.message) for o in self.those("failed")]
        if len(self.those("skipped")) == len(self.outcomes):
            problems.append(("(none)", "expected at least one check to run, got none"))
        return problems

    def to_dict(self) -> dict[str, Any]:
        """Return counts, failures, waivers and skips as plain values."""
        listed = {
            status: [{"check": o.check, "message": o.message} for o in found]
            for status, found in (
                ("waived", self.those("waived")),
                ("skipped", self.those("skipped")),
            )
        }
        failed = [{"check": name, "message": message} for name, message in self.problems]
        passed = len(self.those("passed"))
        return {
            "kind": self.kind,
            "name": self.name,
            "passed": passed,
            "failed": failed,
            **listed,
        }


@dataclass(frozen=True)
class Report:
    """Outcomes of the checks of a distribution.

    Attributes
    ----------
    distribution, version : str
    components : sequence of ComponentReport
    """

    distribution: str
    version: str
    components: Sequence[ComponentReport]

    @property
    def ok(self) -> bool:
        """Whether there are components, and none has a problem."""
        return bool(self.components) and not any(c.problems for c in self.components)

    def count(self, status: Status) -> int:
        """Number of checks with the given status, over all components."""
        return sum(len(c.those(status)) for c in self.components)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return {
            "distribution": self.distribution,
            "version": self.version,
            "ok": self.ok,
            "components": [component.to_dict() for component in self.components],
        }


def check_distribution(name: str, kind: str | None = None, *, slow: bool = True) -> Report:
    """Check every component of an installed distribution.

    Parameters
    ----------
    name : str
        Name of the distribution; ``"(session)"`` for manually registered classes.
    kind : str, optional
        Only components of this kind.
    slow : bool
        Whether to run the full battery.

    Raises
    ------
    UnknownComponentError
        If there is no such distribution or kind.

    Examples
    --------
    >>> from ilk.testing import check_distribution
    >>> check_distribution("ilk-core", slow=False).distribution
    'ilk-core'
    """
    due = cases(name, kind, slow=slow)
    return report_on(name, due, outcomes(due))


def report_on(name: str, due: Iterable[Case], outcomes: Iterable[Outcome]) -> Report:
    """Group the outcomes of the cases of one distribution by component."""
    components: dict[str, ComponentReport] = {}
    tested: list[Found] = []
    for case in due:
        component = case.subject.found
        components.setdefault(case.component, ComponentReport(component.kind, component.name))
        tested.append(component)
    for outcome in outcomes:
        components[outcome.case.component].outcomes.append(outcome)
    version = tested[0].version if tested else installed().get(name, "")
    return Report(tested[0].distribution if tested else name, version, list(components.values()))


def outcomes(due: Iterable[Case]) -> Iterator[Outcome]:
    """Run cases one after the other and yield their outcomes."""
    for case in due:
        yield _outcome(case)


def _outcome(case: Case) -> Outcome:
    try:
        case.run()
    except SkipTest as skip:
        return Outcome(case, "skipped", str(skip))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # any exception of a component is its failure
        if _is_skip(error):
            return Outcome(case, "skipped", str(error))
        if case.waiver is not None:
            return Outcome(case, "waived", case.waiver)
        message = _message(error)
        shown = error if isinstance(error, Exception) else CheckFailed(message)
        return Outcome(case, "failed", message, shown)
    if case.waiver is not None:
        message = f"expected to fail ({case.waiver}), but passes: remove the waiver"
        return Outcome(case, "failed", message, CheckFailed(message))
    return Outcome(case, "passed")


def _is_skip(error: BaseException) -> bool:
    """Tell whether a check called `pytest.skip`."""
    pytest = sys.modules.get("pytest")
    return pytest is not None and isinstance(error, pytest.skip.Exception)


def _message(error: BaseException) -> str:
    if isinstance(error, CheckFailed):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
