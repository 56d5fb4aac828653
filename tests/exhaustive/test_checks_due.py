"""Which conformance checks are due for our components."""

from collections import Counter

import pytest

from ilk.testing import cases, checks_of

OURS = ("ilk-core", "ilk-distances", "ilk-learners", "ilk-ensembles", "ilk-evaluation")


@pytest.fixture(scope="module")
def every():
    return [case for name in OURS for case in cases(name)]


def test_every_component_has_checks_of_its_kind(every):
    """A component that only the checks of all kinds look at would be hardly checked."""
    due = {}
    for case in every:
        if not case.slow:
            due.setdefault(case.component, set()).add(case.check.name)
    for component, names in due.items():
        kind = component.partition("/")[0]
        own = {check.name for check in checks_of(kind) if kind in check.kinds}
        assert len(names & own) >= 2, component


def test_ids_are_unique(every):
    assert not [id_ for id_, number in Counter(case.id for case in every).items() if number > 1]
