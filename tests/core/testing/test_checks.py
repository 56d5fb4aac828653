"""What the kit asks of every component: that the sound pass, and what it finds in the others."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk.kinds import kinds
from ilk.testing import check, checks_of, expect
from ilk.testing.registered import _CHECKS
from ilk.testing.use import DATA_KINDS


@in_one_test
@pytest.mark.parametrize("kind", DATA_KINDS)
def test_sound_component_passes(kind, sound, failures):
    assert failures(sound[kind]) == {}


def test_every_capability_has_a_check():
    tested = {c.capability for kind in kinds() for c in checks_of(kind)}
    assert {f.name for f in fields(ilk.Capabilities)} <= tested


def test_every_kind_has_checks_of_its_own():
    for kind in kinds():
        assert [c for c in checks_of(kind) if kind in c.kinds], kind


def test_every_check_says_what_is_promised():
    checks = {c.name: c for kind in kinds() for c in checks_of(kind)}
    assert all(c.name.startswith("check_") and c.summary.endswith(".") for c in checks.values())


DOCSTRINGS = {
    "check_summary": "no full stop",
    "check_docstring_examples": "One line.\n\nExamples\n--------\n>>> 1 + 1\n3\n",
}


@pytest.mark.parametrize("check", DOCSTRINGS)
def test_poor_docstring_is_caught(check, sound, failures):
    poor = type("Poor", (sound["distance"],), {"__doc__": DOCSTRINGS[check]})
    assert check in failures(poor, check)


class City(ilk.Distance):
    """Sum of the absolute differences, times a factor."""

    factor: float = ilk.param(default=1.0, gt=0)

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.abs(X[:, None] - Y).sum(axis=2)


class Converting(City):
    """Turns what it is given into something else."""

    def __setattr__(self, name, value):
        super().__setattr__(name, float(value) + 0.0 if name == "factor" else value)


class Caching(City):
    """Keeps something besides its parameters."""

    def __new__(cls, **_):
        made = super().__new__(cls)
        made.cache = {}
        return made


class Holding(City):
    """Holds a function and yet claims that a spec can."""

    factor: Callable[..., Any] | None = ilk.param(default=None, type=ilk.Function)

    @classmethod
    def examples(cls):
        return [cls(factor=len)]


class Modest(City):
    """Says that no spec can hold it, though one can."""

    capabilities = ilk.Capabilities(specable=False)


class Fragile(City):
    """Cannot be pickled."""

    def __getstate__(self):
        raise TypeError("no")


class Boasting(City):
    """Claims to take texts."""

    capabilities = ilk.Capabilities(inputs=("vectors", "strings"))


class Barren(City):
    """Has no example."""

    @classmethod
    def examples(cls):
        return []


class Foreign(City):
    """Has examples of something else."""

    @classmethod
    def examples(cls):
        return [City()]


class Dividing(City):
    """Divides by zero on the way."""

    def pairwise(self, X, Y=None):
        return City.pairwise(self, X, Y) + 0 * np.float64(1) / np.float64(0)


@in_one_test
@pytest.mark.parametrize(
    ("cls", "name", "word"),
    [
        (City, "check_parameter_docs", "factor"),
        (Converting, "check_constructor_stores", "factor"),
        (Caching, "check_constructor_stores", "cache"),
        (Holding, "check_spec_round_trip", "function"),
        (Modest, "check_spec_refused", "no error"),
        (Fragile, "check_pickle", "no"),
        (Fragile, "check_fitted_pickle", "no"),
        (Boasting, "check_declared_inputs", "strings"),
        (Barren, "check_examples", "none"),
        (Foreign, "check_examples", "City"),
        (Dividing, "check_non_negative", "RuntimeWarning"),
    ],
)
def test_broken_promise_is_caught(cls, name, word, failures):
    assert word in failures(cls, name)[name]


def test_a_check_of_ones_own(sound, failures):
    @check("distance")
    def check_small(subject):
        """No distance exceeds one."""
        X = subject.vectors().X
        expect(subject.seeded().pairwise(X).max() <= 1, "expected distances up to 1, got more")

    try:
        assert failures(sound["distance"], "check_small")
        with pytest.raises(ValueError, match="check_pairwise_shape"):
            check("distance")(type(check_small)(check_small.__code__, {}, "check_pairwise_shape"))
    finally:
        del _CHECKS["check_small"]
