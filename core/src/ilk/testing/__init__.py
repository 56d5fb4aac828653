"""The conformance kit: checks that components fulfil the contracts of kind and capabilities.

Use ``conformance_tests("my-plugin")`` in a test file, or ``ilk check my-plugin`` in a shell.
Names are imported on first use, because pytest loads the plugin in here for every project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk._lazy import public_name

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
    "Case": "ilk.testing.case",
    "Check": "ilk.testing.registered",
    "CheckFailed": "ilk.testing.expectations",
    "ComponentReport": "ilk.testing.report",
    "Outcome": "ilk.testing.report",
    "Report": "ilk.testing.report",
    "Subject": "ilk.testing.subject",
    "cases": "ilk.testing.case",
    "check": "ilk.testing.registered",
    "check_distribution": "ilk.testing.report",
    "checks_of": "ilk.testing.registered",
    "conformance_tests": "ilk.testing.pytest_tests",
    "expect": "ilk.testing.expectations",
    "expect_error": "ilk.testing.expectations",
    "expect_same": "ilk.testing.expectations",
}

__all__ = sorted(_MODULE)  # noqa: PLE0605  # the table above is the single source


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return public_name(__name__, _MODULE, name)
