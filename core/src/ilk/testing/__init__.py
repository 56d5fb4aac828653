"""The conformance kit: checks that components fulfil the contracts of kind and capabilities.

Use ``conformance_tests("my-plugin")`` in a test file, or ``ilk check my-plugin`` in a shell.
Names are imported on first use, because pytest loads the plugin in here for every project.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk.testing.case import Case as Case
    from ilk.testing.case import cases as cases
    from ilk.testing.expectations import CheckFailed as CheckFailed
    from ilk.testing.expectations import expect as expect
    from ilk.testing.expectations import expect_error as expect_error
    from ilk.testing.expectations import expect_same as expect_same
    from ilk.testing.pytest_tests import conformance_tests as conformance_tests
    from ilk.testing.registered import Check as Check
    from ilk.testing.registered import check as check
    from ilk.testing.registered import checks_of as checks_of
    from ilk.testing.report import ComponentReport as ComponentReport
    from ilk.testing.report import Outcome as Outcome
    from ilk.testing.report import Report as Report
    from ilk.testing.report import check_distribution as check_distribution
    from ilk.testing.subject import Subject as Subject

_MODULE = {
    "Case": "case",
    "Check": "registered",
    "CheckFailed": "expectations",
    "ComponentReport": "report",
    "Outcome": "report",
    "Report": "report",
    "Subject": "subject",
    "cases": "case",
    "check": "registered",
    "check_distribution": "report",
    "checks_of": "registered",
    "conformance_tests": "pytest_tests",
    "expect": "expectations",
    "expect_error": "expectations",
    "expect_same": "expectations",
}

__all__ = sorted(_MODULE)  # noqa: PLE0605  # the table above is the single source


def __getattr__(name: str) -> Any:
    module = _MODULE.get(name)
    if module is None:
        raise AttributeError(f"module 'ilk.testing' has no attribute {name!r}")
    value = getattr(import_module(f"ilk.testing.{module}"), name)
    globals()[name] = value
    return value
