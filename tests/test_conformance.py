"""Every component of our distributions does what its kind and its capabilities promise."""

import pytest

import ilk
from ilk.kinds import kinds
from ilk.testing import cases, checks_of, conformance_tests

OURS = ("ilk-core", "ilk-distances", "ilk-learners", "ilk-ensembles", "ilk-evaluation")

test_conformance = conformance_tests(*OURS)


@pytest.fixture(scope="module")
def every():
    return [case for name in OURS for case in cases(name)]


@pytest.fixture(scope="module")
def due(every):
    """Return the cases by component, those of the full battery left out."""
    found = {}
    for case in every:
        if not case.slow:
            found.setdefault(case.component, []).append(case)
    return found


def test_every_component_is_checked(due):
    """None is left out, whatever it is; the numbers are in the summary of the run."""
    registered = {
        f"{kind}/{found.name}"
        for kind in kinds()
        for found in ilk.registry(kind).find()
        if found.distribution in OURS
    }
    assert set(due) == registered


def test_every_kind_is_checked_by_its_own_checks(due):
    """A component that only the checks of all kinds look at would be hardly checked."""
    for component, its_cases in due.items():
        kind = component.partition("/")[0]
        own = {check.name for check in checks_of(kind) if kind in check.kinds}
        assert len({case.check.name for case in its_cases} & own) >= 2, component


def test_ids_are_unique(every):
    ids = [case.id for case in every]
    assert len(set(ids)) == len(ids)
