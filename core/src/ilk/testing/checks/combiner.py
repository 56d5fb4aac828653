"""Checks of combiners: combined support, decisions, and refused outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import NotFittedError

from ilk.errors import InputError
from ilk.interfaces.combiner import label_outputs
from ilk.testing.expectations import expect, expect_error, expect_same, expect_same_apart
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.arrays import Cases
    from ilk.interfaces.combiner import Combiner
    from ilk.testing.subject import Subject

MEMBERS, ROWS, CLASSES = 5, 20, 3


def _outputs() -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities by mostly correct members, and the true codes."""
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % CLASSES
    alpha = 1 + 4 * np.eye(CLASSES)[y]
    return np.array([[rng.dirichlet(a) for a in alpha] for _ in range(MEMBERS)]), y


def _cases(y: np.ndarray) -> np.ndarray:
    """Return cases to go with the outputs, for combiners that use X."""
    return np.asarray(np.random.default_rng(2).normal(size=(len(y), 2)) + y[:, None])


def _combined(
    subject: Subject, outputs: np.ndarray, y: np.ndarray, X: Cases | None = None
) -> np.ndarray:
    X = _cases(y) if X is None else X
    return np.asarray(subject.seeded().fit(outputs, y, X).combine(outputs, X))


@check("combiner")
def check_combined_shape(subject: Subject) -> None:
    """`combine` returns a finite number >= 0 for each row and class."""
    got = _combined(subject, *_outputs())
    expect(got.shape == (ROWS, CLASSES), f"expected shape {(ROWS, CLASSES)}, got {got.shape}")
    expect((np.isfinite(got) & (got >= 0)).all(), f"expected finite supports >= 0, got {got.min()}")


@check("combiner")
def check_outputs_not_modified(subject: Subject) -> None:
    """Combining leaves the outputs unchanged; they may be read-only."""
    outputs, y = _outputs()
    before = outputs.copy()
    outputs.flags.writeable = False
    X = _cases(y)
    combiner = subject.seeded().fit(outputs, y, X)
    first = combiner.combine(outputs, X)
    writable = before.copy()
    for given in (outputs, writable):
        combiner.combine(given, X)
        expect_same(given, before, "outputs after combine", rtol=0, atol=0)
    expect_same(
        combiner.combine(outputs, X), first, "the same outputs combined again", rtol=0, atol=0
    )


@check("combiner")
def check_combiner_fit_returns_self(subject: Subject) -> None:
    """`fit` returns the combiner itself."""
    combiner = subject.seeded()
    outputs, y = _outputs()
    got = combiner.fit(outputs, y, _cases(y))
    expect(got is combiner, f"expected fit to return the combiner itself, got {got!r}")


@check("combiner")
def check_decide(subject: Subject) -> None:
    """`decide` returns a mask of rejected rows and a class for each row, the largest otherwise."""
    outputs, y = _outputs()
    combiner = subject.seeded().fit(outputs, y, _cases(y))
    combined = np.asarray(combiner.combine(outputs, _cases(y)))
    codes, rejected = map(np.asarray, combiner.decide(combined))
    expect(codes.shape == (ROWS,), f"expected codes of shape ({ROWS},), got {codes.shape}")
    expect(rejected.dtype == bool, f"expected a mask of booleans, got {rejected.dtype}")
    expect(rejected.shape == (ROWS,), f"expected a mask of shape ({ROWS},), got {rejected.shape}")
    answered = ~rejected
    expected = combined.argmax(axis=1)[answered]
    expect_same(codes[answered], expected, "the classes of rows that are not rejected")


@check("combiner")
def check_agreement(subject: Subject) -> None:
    """If all members agree with certainty, their class is decided."""
    outputs, y = _outputs()
    combiner = subject.seeded().fit(outputs, y, _cases(y))
    sure = np.broadcast_to(np.eye(CLASSES)[y] * 0.98 + 0.02 / CLASSES, outputs.shape)
    codes, rejected = combiner.decide(combiner.combine(sure, _cases(y)))
    expect(not np.any(rejected), "expected no row rejected where all agree, got some")
    expect_same(codes, y, "decisions where all members agree")


@check("combiner")
def check_class_permutation(subject: Subject) -> None:
    """Permuting the classes permutes the combined support."""
    outputs, y = _outputs()
    order = np.array([2, 0, 1])
    position = np.argsort(order)
    got = _combined(subject, outputs[:, :, order], position[y], _cases(y))
    expect_same(got, _combined(subject, outputs, y)[:, order], "permuted classes", rtol=1e-5)


@check("combiner")
def check_outputs_apart(subject: Subject) -> None:
    """The support of a row is independent of the other rows in the query and of their order."""
    outputs, y = _outputs()
    X, codes = _cases(y), outputs.argmax(axis=2)
    combiner = subject.seeded().fit(outputs, y, X)

    def ask(rows: np.ndarray) -> dict[str, np.ndarray]:
        return {
            "combine": combiner.combine(outputs[:, rows], X[rows]),
            "combine_labels": combiner.combine_labels(codes[:, rows], CLASSES, X[rows]),
        }

    expect_same_apart(ask, ROWS, "rows")


@check("combiner")
def check_member_permutation(subject: Subject) -> None:
    """The order of the members does not matter; waive this if members have roles."""
    outputs, y = _outputs()
    got = _combined(subject, outputs[[3, 1, 4, 0, 2]], y)
    expect_same(got, _combined(subject, outputs, y), "permuted members", rtol=1e-5)


@check("combiner")
def check_forms_of_outputs(subject: Subject) -> None:
    """Outputs may be nested lists, of another memory layout, views, or of single precision."""
    outputs, y = _outputs()
    X = _cases(y)
    combiner = subject.seeded().fit(outputs, y, X)
    expected = combiner.combine(outputs, X)
    wide = np.zeros((MEMBERS, 2 * ROWS, 2 * CLASSES))
    wide[:, ::2, ::2] = outputs
    forms = {
        "nested lists": outputs.tolist(),
        "an array in Fortran's order": np.asfortranarray(outputs),
        "a view with steps": wide[:, ::2, ::2],
    }
    for what, form in forms.items():
        expect_same(combiner.combine(form, X), expected, what, rtol=1e-9)
    single = outputs.astype(np.float32)
    expected = combiner.combine(single.astype(float), X)
    expect_same(combiner.combine(single, X), expected, "float32", rtol=1e-4, atol=1e-5)


@check("combiner")
def check_labels_combined(subject: Subject) -> None:
    """Labels give the support of one-hot outputs; a rejected label supports all classes alike."""
    outputs, y = _outputs()
    X = _cases(y)
    combiner = subject.seeded().fit(outputs, y, X)
    codes = outputs.argmax(axis=2)
    codes[1, ::3] = -1
    expected = combiner.combine(label_outputs(combiner, codes, CLASSES), X)
    got = combiner.combine_labels(codes, CLASSES, X)
    expect_same(got, expected, "labels as codes", rtol=1e-9)
    codes[2, 7] = CLASSES
    mentions = [subject.names()[0], "member 2", "sample 7"]
    expect_error(
        lambda: combiner.combine_labels(codes, CLASSES, X),
        "a code that is no class",
        errors=InputError,
        mentions=mentions,
    )


@check("combiner", when=lambda combiner: combiner.needs_fit)
def check_unfitted_combiner(subject: Subject) -> None:
    """A trainable combiner raises NotFittedError before it is fitted to held-out outputs."""
    outputs, y = _outputs()
    expect_error(
        lambda: subject.seeded().combine(outputs, _cases(y)),
        "combine before fit",
        errors=NotFittedError,
    )


@check("combiner")
def check_bad_outputs(subject: Subject) -> None:
    """NaN, negative values, rows of zeros and wrong shapes are errors that name the place."""
    outputs, y = _outputs()
    X = _cases(y)
    combiner = subject.seeded().fit(outputs, y, X)
    name = subject.names()[0]
    for what, value in (("NaN", np.nan), ("a negative value", -0.5), ("all zero", 0.0)):
        bad: Any = outputs.copy()
        if value == 0:
            bad[2, 7] = 0
        else:
            bad[2, 7, 1] = value
        mentions = [name, "member 2", "sample 7"]
        _refused(combiner, X, bad, f"{what} of member 2 for sample 7", mentions)
    _refused(combiner, X, outputs[0], "outputs of one member without its axis", [name, "shape"])
    _refused(combiner, X, outputs[:0], "outputs of no member", [name])


def _refused(
    combiner: Combiner, X: np.ndarray, bad: np.ndarray, what: str, mentions: list[str]
) -> None:
    expect_error(lambda: combiner.combine(bad, X), what, errors=InputError, mentions=mentions)
