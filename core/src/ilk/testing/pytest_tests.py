"""The checks as a parametrised pytest test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ilk.errors import IlkError
from ilk.testing.case import Case, cases
from ilk.testing.pytest_plugin import PROPERTY


def conformance_tests(*distributions: str, kind: str | None = None) -> Callable[..., None]:
    """Return a pytest test of every component of some distributions, a case for each check.

    Waived checks are strict expected failures with their reason; those of the full battery
    have the marker ``slow``, so that ``pytest -m "not slow"`` leaves them out.

    Parameters
    ----------
    *distributions : str
        Names of installed distributions; all if left out.
    kind : str, optional
        Only components of this kind.

    Returns
    -------
    callable
        To be assigned to a name that starts with ``test``.

    Examples
    --------
    >>> from ilk.testing import conformance_tests
    >>> test_conformance = conformance_tests("ilk-core")
    """
    import pytest

    every = [case for name in distributions or (None,) for case in cases(name, kind)]
    if not every:
        what = f"no {kind}" if kind else "no component"
        raise IlkError(f"nothing to check: {' and '.join(distributions) or 'ilk'} offers {what}")

    def test_conformance(case: Case, request: Any) -> None:
        request.node.user_properties.append((PROPERTY, case.component))
        case.run()

    parametrize = pytest.mark.parametrize("case", [_parameter(case) for case in every])
    decorated: Callable[..., None] = parametrize(test_conformance)
    return decorated


def _parameter(case: Case) -> Any:
    import pytest

    marks = [pytest.mark.slow] if case.slow else []
    if case.waiver is not None:
        marks.append(pytest.mark.xfail(reason=case.waiver, strict=True))
    return pytest.param(case, id=case.id, marks=marks)
