"""The checks in pytest: a test for each example, a subtest for each check that fails."""

import pytest

import ilk
from ilk.testing import check_distribution, conformance_tests, pytest_tests
from ilk.testing.pytest_tests import parts_of
from ilk.testing.report import outcomes

PROJECT = '''
import numpy as np
import ilk
from ilk.testing import conformance_tests

class Lopsided(ilk.Kernel):
    """The inner product, and something of the row alone.

    Examples
    --------
    >>> 1
    1
    """

    extra: float = ilk.param(default=0.0, doc="Weight of the row alone.")
    capabilities = ilk.Capabilities(symmetric=True)
    waivers = {waivers}

    @classmethod
    def examples(cls):
        return [cls(), cls(extra={second})]

    def gram(self, X, Y=None):
        X = ilk.check_vectors(self, X)
        Y = X if Y is None else ilk.check_vectors(self, Y, argument="Y")
        ilk.check_same_features(self, X, Y)
        return (X @ Y.T + self.extra * X[:, :1]).astype(X.dtype)

ilk.registry("kernel").register("lopsided", Lopsided)
test_conformance = conformance_tests("(session)", kind="kernel")
'''


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    """Load here what the checks of a kernel import: pytester forgets what its runs have loaded."""
    kernel = next(found for found in ilk.registry("kernel").find() if found.name == "linear")
    for part in parts_of(kernel):
        list(outcomes(part.cases()))


@pytest.fixture
def run(pytester):
    """Run the tests of a project whose kernel has some waivers, and another second example.

    Nothing is configured: the marker `slow` is known all the same.
    """

    def call(*arguments, waivers=None, second=0.0):
        pytester.makepyfile(PROJECT.format(waivers=waivers or {}, second=second))
        options = ("-p", "no:cacheprovider", "-p", "no:xdist", "-W", "error", "--strict-markers")
        return pytester.runpytest_inprocess(*options, *arguments)

    yield call
    ilk.registry("kernel").unregister("lopsided")


def test_each_example_is_a_test_and_all_its_checks_are_counted(run):
    done = run()
    done.assert_outcomes(passed=3)  # two examples, and what is slow of the class
    (report,) = check_distribution("(session)", "kernel").components
    ran = len(report.outcomes) - len(report.those("skipped"))
    assert ran > 50
    done.stdout.fnmatch_lines([f"kernel (1 component, {ran} checks)", f"  lopsided {ran}"])


def test_a_failure_is_named_and_hides_no_other(run):
    done = run(second=1.0, waivers={"check_summary": "it passes"})
    text = done.stdout.str()
    for name in ("check_gram_symmetric#1", "check_positive_semidefinite#1", "check_summary"):
        assert f"SUBFAILED[{name}]" in text
    assert "expected to fail (it passes), but passes" in text
    assert done.ret == 1


def test_a_waived_check_is_no_failure(run):
    done = run(second=1.0, waivers={"check_gram_symmetric#1": "it is not"})
    assert "SUBFAILED[check_positive_semidefinite#1]" in done.stdout.str()
    assert "SUBFAILED[check_gram_symmetric#1]" not in done.stdout.str()
    done.stdout.fnmatch_lines(["of these 1 waived; * more did not apply"])


def test_what_is_slow_can_be_left_out(run):
    run("-m", "not slow").assert_outcomes(passed=1, deselected=2)


def test_before_pytest_9_one_failure_lists_the_checks(run, monkeypatch):
    monkeypatch.setattr(pytest_tests, "_has_subtests", lambda: False)
    done = run(second=1.0)
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(
        ["*AssertionError: checks that fail: *", "*check_gram_symmetric#1: *"]
    )


SHY = """
import pytest
from ilk.testing.pytest_plugin import PROPERTY

def test_conformance(request):
    told = {"component": "distance/shy", "skipped": 2, "whole": WHOLE}
    request.node.user_properties.append((PROPERTY, told))
"""


@pytest.mark.parametrize(("whole", "code"), [(1, 1), (0, 0)])
def test_a_component_of_which_all_is_skipped_fails_the_run(pytester, whole, code):
    """Where only further examples were run, that says nothing."""
    pytester.makepyfile(SHY.replace("WHOLE", str(whole)))
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    assert done.ret == code
    said = "FAILED: no check of distance/shy ran, all were skipped"
    assert (said in done.stdout.str()) == bool(whole)


def test_the_first_example_is_collected_without_loading_anything(monkeypatch):
    registry = ilk.registry("distance")
    found = registry.find()[0]
    monkeypatch.setattr(type(registry), "get", lambda *_: pytest.fail("it is loaded"))
    (part,) = parts_of(found, first_only=True)
    assert part.id == f"distance/{found.name}"


def test_nothing_to_check_is_an_error():
    with pytest.raises(ilk.IlkError, match="nothing to check: ilk-core offers no kernel"):
        conformance_tests("ilk-core", kind="kernel")


@pytest.mark.parametrize(
    ("raised", "status"),
    [(pytest.skip.Exception("not here"), "skipped"), (SystemExit(3), "failed")],
)
def test_no_check_ends_the_others(raised, status):
    class Raising:
        waiver = None

        def run(self):
            raise raised

    found = list(outcomes([Raising(), Raising()]))
    assert [outcome.status for outcome in found] == [status] * 2
    assert all(isinstance(outcome.error, Exception | None) for outcome in found)
