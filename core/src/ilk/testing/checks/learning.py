"""Checks of components that work on data, for all kinds of input."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ilk.errors import IlkError
from ilk.inputs import n_rows, take
from ilk.persist import PersistError, load, save
from ilk.registries import SESSION
from ilk.testing.expectations import (
    CheckFailed,
    expect,
    expect_error,
    expect_same,
    expect_same_apart,
)
from ilk.testing.registered import check
from ilk.testing.subject import fit_returned, learned, result
from ilk.testing.use import ANSWERING_KINDS, DATA_KINDS, TRAINED_KINDS, answers_by_row

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels
    from ilk.component import Component
    from ilk.testing.subject import Subject


def trained(subject: Subject, X: Cases, y: Labels | None) -> Any:
    """Return a seeded instance fitted to X and y."""
    assert subject.use.train is not None
    return subject.use.train(subject.seeded(), X, y)


def answer(subject: Subject, component: object, Q: Cases) -> Any:
    """Return the output of a fitted component for the rows of Q."""
    assert subject.use.answer is not None
    return subject.use.answer(component, Q)


def comparable(subject: Subject, result: Any) -> np.ndarray:
    """Return a result; of transformed rows all distances, as rows may be moved and turned."""
    values = np.asarray(result)
    if subject.kind in ("transformer", "metric_learner") and values.ndim == 2:
        from scipy.spatial.distance import pdist

        return np.asarray(pdist(values.astype(float)))
    return values


def _fingerprint(value: object) -> str:
    """Serialise data so that equal texts mean equal data."""
    import joblib

    return str(joblib.hash(value))


@check(*DATA_KINDS, on="first", capability="inputs")
def check_declared_inputs(subject: Subject) -> None:
    """Each declared kind of input is accepted by at least one of the examples."""
    refused = [kind for kind in subject.inputs if subject.able(kind) is None]
    expect(not refused, f"expected an example that takes each declared input, got none: {refused}")


@check(*DATA_KINDS)
def check_input_not_modified(subject: Subject) -> None:
    """Use leaves X and y unchanged."""
    X, y = subject.data()
    before = _fingerprint((X, y))
    subject.use.run(subject.seeded(), X, y)
    expect(_fingerprint((X, y)) == before, "expected X and y unchanged by use, got other values")


@check(*DATA_KINDS)
def check_parameters_not_modified(subject: Subject) -> None:
    """Use leaves the parameters the same objects with the same contents."""
    X, y = subject.data()
    component = subject.seeded()
    before = {name: getattr(component, name) for name in component.parameters}
    copies = {name: copy.deepcopy(value) for name, value in before.items()}
    subject.use.run(component, X, y)
    for name, value in before.items():
        got = getattr(component, name)
        expect(got is value, f"expected {name} to stay the object given, got {got!r}")
        expect(
            _fingerprint(got) == _fingerprint(copies[name]),
            f"expected {name} to stay {copies[name]!r}, got {got!r}",
        )


@check(*DATA_KINDS)
def check_deterministic(subject: Subject) -> None:
    """With fixed random states, results do not depend on numpy's global state."""
    X, y = subject.data()
    first = result(subject)
    saved = np.random.get_state()  # noqa: NPY002  # the check is about the global state
    try:
        np.random.seed(24680)  # noqa: NPY002
        second = subject.use.run(subject.seeded(), X, y)
    finally:
        np.random.set_state(saved)  # noqa: NPY002
    expect_same(second, first, "a second run with the same random_state", rtol=0, atol=0)


def _draws(component: Component) -> bool:
    return "random_state" in component.parameters


@check(*DATA_KINDS, when=_draws, slow=True)
def check_seed_heard(subject: Subject) -> None:
    """Without a fixed random state, random results depend on the seed."""
    X, y = subject.data()

    def run(seed: int | None) -> np.ndarray:
        component = subject.new().set_params(random_state=seed)
        return np.asarray(subject.use.run(component, X, y))

    first = run(None)
    if np.array_equal(run(None), first):
        return  # not random, or not visibly
    expected = run(0)  # restarts may make another answer rare: many seeds, as long as needed
    differ = any(not np.array_equal(run(seed), expected) for seed in range(1, 40))
    expect(differ, "expected answers that follow random_state, got the same for the seeds 0 to 39")


@check(*TRAINED_KINDS)
def check_fit_returns_self(subject: Subject) -> None:
    """`fit` returns the component itself."""
    component, got = fit_returned(subject)
    expect(got is component, f"expected fit to return the component itself, got {got!r}")


@check(*TRAINED_KINDS)
def check_refit_forgets(subject: Subject) -> None:
    """Refitting gives the result of a fresh instance; fitting other instances has no effect."""
    X, y = subject.data()
    other = learned(subject)
    again = trained(subject, *subject.data(24, classes=3, seed=1))
    assert subject.use.train is not None
    if subject.use.answer is not None:
        got = answer(subject, other, X)
        expect_same(got, result(subject), "the answer after another instance was fitted")
    subject.use.train(again, X, y)
    ours, theirs = (sorted(vars(each)) for each in (again, learned(subject)))
    expect(ours == theirs, f"expected the attributes {theirs} after fitting again, got {ours}")
    if subject.use.answer is not None:
        expect_same(answer(subject, again, X), result(subject), "the answer after fitting again")


@check(*TRAINED_KINDS)
def check_clone_is_unfitted(subject: Subject) -> None:
    """A clone of a fitted instance has nothing but its parameters."""
    extra = set(vars(clone(learned(subject)))) - set(subject.cls.parameters)
    expect(not extra, f"expected a clone without fitted attributes, got {sorted(extra)}")


@check(*ANSWERING_KINDS)
def check_fitted_pickle(subject: Subject) -> None:
    """A fitted instance gives the same output after pickle and joblib."""
    import joblib

    X, component, expected = subject.data().X, fit_returned(subject)[0], result(subject)
    again = pickle.loads(pickle.dumps(component))  # noqa: S301  # our own bytes
    expect_same(answer(subject, again, X), expected, "the answer after pickle")
    buffer = io.BytesIO()
    joblib.dump(component, buffer)
    buffer.seek(0)
    expect_same(answer(subject, joblib.load(buffer), X), expected, "the answer after joblib")


def _needs_fit(component: Component) -> bool:
    return component.kind not in {"distance", "kernel"} or component.capabilities.needs_fit


@check(*ANSWERING_KINDS, capability="needs_fit", when=_needs_fit)
def check_unfitted_refused(subject: Subject) -> None:
    """A component that needs fitting raises NotFittedError before it is fitted."""
    X, _ = subject.data()
    expect_error(
        lambda: answer(subject, subject.seeded(), X), "use before fit", errors=NotFittedError
    )


@check(*ANSWERING_KINDS)
def check_answer_changes_nothing(subject: Subject) -> None:
    """Queries are left unchanged, and repeated queries give the same answers."""
    Q = subject.data(9, seed=1).X
    component = learned(subject)
    before = _fingerprint(Q)
    first = answer(subject, component, Q)
    expect(_fingerprint(Q) == before, "expected the queries unchanged, got other values")
    answer(subject, component, subject.data().X)
    expect_same(answer(subject, component, Q), first, "the answer to the same queries again")


@check(*ANSWERING_KINDS)
def check_rows_apart(subject: Subject) -> None:
    """The answer for a row is independent of the other rows in the query and of their order."""
    expect_rows_apart(subject, learned(subject), subject.data_kind)


def expect_rows_apart(
    subject: Subject, component: object, kind: str, *, n: int = 40, alone: int = 5
) -> None:
    """Fail a check if the output for a row depends on other rows of the query."""
    X = subject.sample_of(kind).X
    Q = subject.sample_of(kind, n, seed=1, apart=0.3).X  # near the border, where answers can flip

    def ask(rows: np.ndarray) -> dict[str, Any]:
        return answers_by_row(component, X, take(Q, rows))

    expect_same_apart(ask, n_rows(Q), f"rows ({kind})", alone=alone)


@check(*DATA_KINDS)
def check_no_rows(subject: Subject) -> None:
    """Training without rows is an error that names the component."""
    X, y = subject.data()
    none: list[int] = []
    expect_error(
        lambda: subject.use.run(subject.seeded(), take(X, none), y[:0]),
        "data without rows",
        mentions=[subject.names()],
    )


def _choices(component: Component) -> list[tuple[str, Any]]:
    own = component.parameters.items()
    return [(name, choice) for name, param in own for choice in param.choices]


@check(*DATA_KINDS, on="first", when=lambda c: bool(_choices(c)), slow=True)
def check_every_choice(subject: Subject) -> None:
    """Each declared choice works, or is refused because of another parameter or of the data."""
    X, y = subject.data()
    for name, choice in _choices(subject.cls):
        component = subject.seeded().set_params(**{name: choice})
        try:
            subject.use.run(component, X, y)
        except IlkError:
            continue
        except Exception as error:
            what = f"{name}={choice!r} to work or to be refused"
            raise CheckFailed(f"expected {what}, got {type(error).__name__}: {error}") from error


@check(*ANSWERING_KINDS, on="examples")
def check_saved(subject: Subject) -> None:
    """A fitted instance gives the same output after `ilk.save` and `ilk.load`.

    Instances that hold a function, or are manually registered, are refused instead.
    """
    component = fit_returned(subject)[0]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "component.ilk"
        if subject.found.distribution == SESSION or not subject.cls.capabilities.specable:
            expect_error(lambda: save(component, path), "ilk.save", errors=PersistError)
            return
        again = load(save(component, path))
    got = answer(subject, again, subject.data().X)
    expect_same(got, result(subject), "the answer after ilk.load")
