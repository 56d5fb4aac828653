"""Cases, waivers and reports, in Python and in the shell."""

import json
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from click.testing import CliRunner

import ilk
from ilk.cli import shell
from ilk.cli.check import check as check_command
from ilk.testing import ComponentReport, Report, cases, check_distribution, conformance_tests

SESSION = "(session)"


class Waiving(ilk.Distance):
    """Sum of the differences, which is not symmetric.

    Examples
    --------
    >>> Waiving().between([1], [3])
    2.0
    """

    capabilities = ilk.Capabilities(symmetric=True)
    waivers = {
        "check_symmetric": "counts one way only",
        "check_non_negative": "is signed",
        "check_kneighbors": "is signed",
    }

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.sum(Y - X[:, None], axis=2)


class Overcautious(Waiving):
    """Waives what it passes.

    Examples
    --------
    >>> Overcautious().between([1], [3])
    2.0
    """

    waivers = {**Waiving.waivers, "check_between": "I did not dare"}


class Mistaken(Waiving):
    """Waives a check that there is not.

    Examples
    --------
    >>> Mistaken().between([1], [3])
    2.0
    """

    waivers = {**Waiving.waivers, "check_simmetric": "misspelt"}


class Unloadable(Waiving):
    """Cannot even say what to try."""

    @classmethod
    def examples(cls):
        raise RuntimeError("no examples today")


@pytest.fixture
def offer():
    """Register classes as the only ones of the session for the time of a test."""
    registry, names = ilk.registry("distance"), []

    def register(**classes):
        for name, cls in classes.items():
            names.append(name)
            registry.register(name, cls)

    yield register
    for name in names:
        registry.unregister(name)


def component(name, **options):
    report = check_distribution(SESSION, "distance", slow=False, **options)
    return next(c for c in report.components if c.name == name)


def test_case_says_what_it_is(offer):
    offer(waiving=Waiving)
    case = next(c for c in cases(SESSION) if c.id == "distance/waiving/check_symmetric")
    assert case.component == "distance/waiving"
    assert (case.subject.cls, case.subject.example, case.slow) == (Waiving, 0, False)
    assert case.waiver == "counts one way only"


def test_waived_failure_is_no_failure(offer):
    offer(waiving=Waiving)
    found = component("waiving")
    assert not found.problems
    assert {o.check: o.message for o in found.those("waived")} == Waiving.waivers


def test_waived_check_that_passes_fails(offer):
    offer(cautious=Overcautious)
    ((name, message),) = component("cautious").problems
    assert name == "check_between"
    assert "I did not dare" in message


def test_waiver_of_an_unknown_check_fails(offer):
    offer(mistaken=Mistaken)
    ((name, message),) = component("mistaken").problems
    assert name == "check_waivers"
    assert "check_simmetric" in message


def test_waiver_of_one_example(offer):
    class Second(Waiving):
        """Wrong in its second example only.

        Examples
        --------
        >>> 1
        1
        """

        waivers = {"check_between#1": "the second is wrong"}
        wrong: bool = ilk.param(default=False, doc="Whether it is wrong.")
        capabilities = ilk.Capabilities()

        @classmethod
        def examples(cls):
            return [cls(), cls(wrong=True)]

        def between(self, x, y):
            return -1.0 if self.wrong else super().between(x, y)

    offer(second=Second)
    found = component("second")
    assert [o.check for o in found.those("waived")] == ["check_between#1"]
    assert "check_between" in [o.check for o in found.those("passed")]


def test_examples_that_raise_are_a_failure(offer):
    offer(unloadable=Unloadable)
    problems = dict(component("unloadable").problems)
    assert "no examples today" in problems["check_examples"]


def test_component_that_ran_no_check_fails():
    report = Report("mine", "1", [ComponentReport("distance", "idle")])
    assert not report.ok
    assert report.components[0].problems == [
        ("(none)", "expected at least one check to run, got none")
    ]


def test_distribution_without_components_is_not_ok():
    assert not Report("mine", "1", []).ok


def test_broken_distribution(monkeypatch):
    point = EntryPoint("gone", "no_such_module:Gone", "ilk.distances")
    found = ilk.Found("distance", "gone", "ilk-gone", "1", point.value, point)
    monkeypatch.setattr(ilk.registry("distance"), "find", lambda: [found])
    (case,) = cases("ilk-gone", "distance")
    assert case.id == "distance/gone/check_loads"
    with pytest.raises(ilk.BrokenComponentError, match="no_such_module"):
        case.run()


@pytest.mark.parametrize("function", [cases, check_distribution, conformance_tests])
def test_unknown_distribution(function):
    with pytest.raises(ilk.UnknownComponentError, match="did you mean 'ilk-core'"):
        function("ilk-cor")


def test_unknown_kind():
    with pytest.raises(ilk.UnknownComponentError, match="did you mean 'distance'"):
        cases(kind="distanse")


def test_fast_leaves_the_full_battery_out():
    every, fast = cases("ilk-core"), cases("ilk-core", slow=False)
    assert {c.id for c in fast} == {c.id for c in every if not c.slow}
    assert any(c.check.name.startswith("sklearn:") for c in every)
    assert not any(c.check.name.startswith("sklearn:") for c in fast)


def run(*arguments):
    return CliRunner().invoke(check_command, arguments)


def test_command_prints_counts_and_waivers(offer):
    offer(waiving=Waiving)
    done = run(SESSION, "--kind", "distance", "--fast")
    assert "distance waiving: " in done.output
    assert "0 failed, 3 waived" in done.output
    assert "waived check_symmetric: counts one way only" in done.output


def test_command_prints_failures(offer):
    offer(cautious=Overcautious)
    done = run(SESSION, "--kind", "distances", "--fast")
    assert done.exit_code == 1
    assert "FAILED distance cautious: check_between\n      expected to fail" in done.output


def test_command_writes_json(offer):
    offer(cautious=Overcautious)
    done = run(SESSION, "--kind", "distance", "--fast", "--json")
    assert done.exit_code == 1
    report = json.loads(done.output)
    assert (report["schema"], report["distribution"], report["ok"]) == (1, SESSION, False)
    (ours,) = [c for c in report["components"] if c["name"] == "cautious"]
    assert [failure["check"] for failure in ours["failed"]] == ["check_between"]
    assert len(ours["waived"]) == 3
    assert ours["passed"] > 20


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ilk-cor"], "did you mean 'ilk-core'"),
        (["ilk-core", "--kind", "kernl"], "did you mean 'kernel'"),
        (["ilk-core", "--kind", "kernel"], "offers no kernel"),
    ],
)
def test_command_complains(arguments, words, capsys):
    assert shell.run(["check", *arguments]) == 2
    assert words in capsys.readouterr().err
