"""Checks of seeds: they reach everything that draws, however deep."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.component import seeded
from ilk.inputs import take
from ilk.testing.expectations import expect_same
from ilk.testing.registered import check
from ilk.testing.use import DATA_KINDS

if TYPE_CHECKING:
    from ilk.params import Param
    from ilk.testing.subject import Subject


def _slots(component: Any) -> dict[str, Param]:
    return {name: param for name, param in component.parameters.items() if param.slot}


@check(*DATA_KINDS, on="first", when=lambda component: bool(_slots(component)))
def check_seed_reaches_slots(subject: Subject) -> None:
    """With one random state, it gives the same whatever in its slots draws.

    The random state is its own where it has one, and reaches the slots from outside if not.
    """
    X, y = subject.sample_of(subject.data_kind, 24, apart=0.3)
    for name, param in _slots(subject.cls).items():
        with suppress(_Refused):
            first, second = (_run(subject, name, param, X, y) for _ in "12")
            what = f"a second run with random_state=0 and a random {param.slot} in {name}"
            expect_same(second, first, what, rtol=0, atol=0)


class _Refused(Exception):  # noqa: N818  # it says what happened
    """A slot does not take a stranger."""


def _run(subject: Subject, name: str, param: Param, X: Any, y: Any) -> Any:
    component = subject.new()
    value = _random_value(param, component)
    if value is None:
        raise _Refused
    component.set_params(**{name: value})
    if "random_state" in component.parameters:
        component.set_params(random_state=0)
    else:
        seeded(component, 0)
    use, some = subject.use, np.arange(16)
    try:
        if use.train is None or use.answer is None:
            return use.run(component, X, y)
        return use.answer(use.train(component, take(X, some), y[some]), X)
    except Exception as error:
        raise _Refused from error


def _random_value(param: Param, owner: Any) -> Any:
    """Return a value of a slot in which something draws, or None if nothing does."""
    from ilk.testing.random_parts import PARTS

    if param.slot == "step":
        return [{kind: PARTS[kind]()} for kind in ("metric_learner", "classifier")]
    cls = PARTS.get(param.slot or "")
    if cls is None or param.many is None:
        return cls and cls()
    if param.many is list:
        return [cls(), cls()]
    if "views" in owner.parameters and not isinstance(owner.views, dict):
        owner.set_params(views={"a": [0, 1], "b": [2, 3]})
    return {view: cls() for view in getattr(owner, "views", "ab")}
