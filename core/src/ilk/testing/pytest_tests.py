"""The checks as a parametrised pytest test: one case for each example of each component."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ilk.errors import IlkError
from ilk.testing.case import Case, cases_of, offered
from ilk.testing.pytest_plugin import PROPERTY
from ilk.testing.report import Outcome, outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from ilk.discovery import Found


@dataclass(frozen=True)
class Part:
    """The checks of one example of a component that run in one test.

    Attributes
    ----------
    found : Found
        The component.
    example : int
        Position in ``cls.examples()``; the first also has the checks of the class.
    slow : bool
        Whether these are the full battery, or the other checks.
    """

    found: Found
    example: int = 0
    slow: bool = False

    @property
    def component(self) -> str:
        """``"distance/minkowski"``."""
        return f"{self.found.kind}/{self.found.name}"

    @property
    def id(self) -> str:
        """``"distance/minkowski"``, ``"distance/minkowski#1"`` for the second example."""
        number = f"#{self.example}" if self.example else ""
        return f"{self.component}{number}{'/full' if self.slow else ''}"

    @property
    def more(self) -> bool:
        """Whether it is more than the basic checks of the first example."""
        return self.slow or self.example > 0

    def cases(self) -> Iterator[Case]:
        """Yield the checks to run."""
        for case in cases_of(self.found):
            if (case.subject.example, case.slow) == (self.example, self.slow):
                yield case


def conformance_tests(*distributions: str, kind: str | None = None) -> Callable[..., None]:
    """Return a pytest test of the components of some distributions, with a case per example.

    No component is loaded before pytest collects. The checks of an example are subtests, which
    pytest has from version 9 on; in earlier versions, one failure lists all failed checks. Further
    examples, and the full battery, have the marker ``slow``, so that ``pytest -m "not slow"``
    excludes them. A waived check must fail.

    Parameters
    ----------
    *distributions : str
        Names of installed distributions; default: all.
    kind : str, optional
        Only components of this kind.

    Returns
    -------
    callable
        Assign it to a name that starts with ``test``.

    Raises
    ------
    UnknownComponentError
        If there is no such kind or distribution.
    IlkError
        If there is nothing to check.

    Examples
    --------
    >>> from ilk.testing import conformance_tests
    >>> test_conformance = conformance_tests("ilk-core")
    """
    every = [found for name in distributions or (None,) for found in offered(name, kind)]
    if not every:
        what = f"no {kind}" if kind else "no component"
        raise IlkError(f"nothing to check: {' and '.join(distributions) or 'ilk'} offers {what}")

    def test_conformance(conformance_part: Part, request: pytest.FixtureRequest) -> None:
        run_part(conformance_part, request)

    test_conformance.ilk_parts = partial(_parts, every)  # type: ignore[attr-defined]
    return test_conformance


def _parts(every: list[Found], *, first_only: bool) -> list[Part]:
    """Return the parts of components; called when pytest collects."""
    return [part for found in every for part in parts_of(found, first_only=first_only)]


def parts_of(found: Found, *, first_only: bool = False) -> list[Part]:
    """Return the parts of a component; with `first_only`, nothing needs to be loaded."""
    if first_only:
        return [Part(found)]
    due = {(case.slow, case.subject.example) for case in cases_of(found)}
    return [Part(found, example, slow) for slow, example in sorted(due)]


def run_part(part: Part, request: pytest.FixtureRequest) -> None:
    """Run the checks of a part; report failures, and record the counts of outcomes for pytest.

    Only failed checks become subtests: reporting takes a millisecond each, and there are
    thousands.
    """
    results = list(outcomes(part.cases()))
    counts: dict[str, Any] = dict(Counter(outcome.status for outcome in results))
    counts["whole"] = int(not part.more)
    try:
        _tell([outcome for outcome in results if outcome.error is not None], request)
    finally:  # recorded last, because subtests would report the property too
        request.node.user_properties.append((PROPERTY, {"component": part.component} | counts))


def _tell(failed: list[Outcome], request: pytest.FixtureRequest) -> None:
    """Report each failed check as a subtest; before pytest 9, as one failure of all."""
    if failed and _has_subtests():
        subtests = request.getfixturevalue("subtests")
        for outcome in failed:
            with subtests.test(outcome.check):
                raise _error(outcome)
    elif failed:
        lines = "\n".join(f"{outcome.check}: {outcome.message}" for outcome in failed)
        raise AssertionError(f"checks that fail: {len(failed)}\n{lines}")


def _error(outcome: Outcome) -> Exception:
    assert outcome.error is not None
    return outcome.error


def _has_subtests() -> bool:
    import pytest

    return int(pytest.__version__.partition(".")[0]) >= 9
