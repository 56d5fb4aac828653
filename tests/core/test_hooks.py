"""Listeners: told of events, and never in the way."""

import pytest

import ilk


class Counter:
    """Remembers what it was told."""

    def __init__(self):
        self.told = []

    @ilk.hookimpl
    def ilk_cell_finished(self, cell):
        self.told.append(cell)

    @ilk.hookimpl
    def ilk_report_sections(self):
        return [ilk.Section("Counted", f"{len(self.told)} cells")]


class Failing:
    """Fails at the first event."""

    @ilk.hookimpl
    def ilk_cell_finished(self, cell):
        raise OSError("the disk is full")


class Misspelt:
    """Waits for an event that never comes."""

    @ilk.hookimpl
    def ilk_cell_finnished(self, cell):
        pass


def test_listeners_are_told_and_answer():
    counter = Counter()
    listeners = ilk.Listeners(counter)
    listeners.tell("ilk_cell_finished", cell=1)
    listeners.tell("ilk_cell_finished", cell=2)
    listeners.tell("ilk_plan", plan=None)
    assert counter.told == [1, 2]
    (sections,) = listeners.tell("ilk_report_sections", results=None)
    assert sections[0].text == "2 cells"


def test_a_failing_listener_is_named_once_and_left_out():
    counter = Counter()
    listeners = ilk.Listeners(Failing(), counter)
    with pytest.warns(ilk.HookWarning, match="Failing.*failed in ilk_cell_finished.*disk is full"):
        listeners.tell("ilk_cell_finished", cell=1)
    listeners.tell("ilk_cell_finished", cell=2)
    assert counter.told == [1, 2]


def test_a_misspelt_event_is_an_error_of_that_listener_alone():
    counter = Counter()
    with pytest.warns(ilk.HookWarning, match="Misspelt.*cannot be used.*ilk_cell_finnished"):
        listeners = ilk.Listeners(Misspelt(), counter)
    listeners.tell("ilk_cell_finished", cell=1)
    assert counter.told == [1]


def test_an_unknown_argument_is_an_error_of_that_listener_alone():
    class Asking:
        @ilk.hookimpl
        def ilk_plan(self, plam):
            pass

    with pytest.warns(ilk.HookWarning, match="Asking.*cannot be used.*plam"):
        ilk.Listeners(Asking())


LISTENER = """
import ilk
seen = []

@ilk.hookimpl
def ilk_plan(plan):
    seen.append(plan)
"""


def test_modules_of_plugins_are_loaded_when_told(installed_fakes):
    points = "[ilk.plugins]\nlistener = fake_listener\n"
    installed_fakes("fake-listener", points, LISTENER)
    installed_fakes("fake-broken", "[ilk.plugins]\nother = fake_broken\n", "import no_such_module")
    with pytest.warns(ilk.HookWarning, match="other of fake-broken cannot be used.*no_such_module"):
        listeners = ilk.Listeners()
    listeners.tell("ilk_plan", plan="the plan")
    import fake_listener

    assert fake_listener.seen == ["the plan"]
