"""Failure messages of checks: expected this, got that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class CheckFailed(AssertionError):  # noqa: N818  # the name states the event
    """A component violates the contract of its kind or capabilities."""


def expect(condition: object, message: str) -> None:
    """Fail a check with a message unless the condition holds."""
    if not condition:
        raise CheckFailed(message)


def expect_same(
    got: object, expected: object, what: str, *, rtol: float = 1e-7, atol: float = 1e-9
) -> None:
    """Fail a check unless two arrays are equal: numbers within tolerances, the rest exactly.

    Parameters
    ----------
    got, expected : array-like
    what : str
        Names `got` in the message, as in ``"pairwise(X) of a read-only X"``.
    rtol, atol : float
        Tolerances for numbers.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    expect(got.shape == expected.shape, f"{what}: expected shape {expected.shape}, got {got.shape}")
    if got.dtype.kind in "fciub" and expected.dtype.kind in "fciub":
        with np.errstate(invalid="ignore"):
            equal = np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    else:
        equal = np.asarray(got == expected)
    if not equal.all():
        place = tuple(int(i) for i in np.argwhere(~equal)[0])
        raise CheckFailed(
            f"{what}: expected {expected[place]!r} at {_position(place)}, got {got[place]!r} "
            f"({int((~equal).sum())} of {equal.size} values differ)"
        )


def _position(place: tuple[int, ...]) -> str:
    return f"position {place[0]}" if len(place) == 1 else f"position {place}" if place else "once"


def expect_error(
    action: Callable[[], Any],
    what: str,
    *,
    errors: type[Exception] | tuple[type[Exception], ...] = (ValueError, TypeError),
    mentions: Iterable[str | tuple[str, ...]] = (),
) -> str:
    """Fail a check unless an action raises one of the given errors with a helpful message.

    Parameters
    ----------
    action : callable without arguments
    what : str
        Describes the faulty input, as in ``"X with NaN in row 3"``.
    errors : exception class or tuple of them
    mentions : iterable of str or tuple of str
        Texts that the message must contain; for a tuple, at least one of its texts.

    Returns
    -------
    str
        The message.
    """
    kinds = errors if isinstance(errors, tuple) else (errors,)
    names = " or ".join(kind.__name__ for kind in kinds)
    try:
        result = action()
    except kinds as error:
        message = str(error)
    except Exception as error:
        raise CheckFailed(
            f"{what}: expected {names}, got {type(error).__name__}: {error}"
        ) from error
    else:
        raise CheckFailed(f"{what}: expected {names}, got no error but {_short(result)}")
    for mention in mentions:
        options = mention if isinstance(mention, tuple) else (mention,)
        wanted = " or ".join(map(repr, options))
        expect(
            any(option in message for option in options),
            f"{what}: expected an error that mentions {wanted}, got {message!r}",
        )
    return message


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def expect_same_apart(
    ask: Callable[[np.ndarray], Mapping[str, Any]], n: int, what: str, *, alone: int = 5
) -> None:
    """Fail a check unless the answer for a row is independent of the other rows in the query.

    Parameters
    ----------
    ask : callable
        ``ask(rows)`` returns named arrays, each with an entry for each row.
    n : int
        Rows are 0 to n - 1; the class of a row should depend on its remainder.
    what : str
        Names the rows in the message.
    alone : int
        Number of rows that are queried one by one.
    """
    rows = np.arange(n)
    among = {name: np.asarray(values) for name, values in ask(rows).items()}
    shuffled = np.random.default_rng(0).permutation(n)
    halves = (shuffled[shuffled % 2 == 0], shuffled[shuffled % 2 == 1])
    ways: dict[str, Any] = {
        "one by one": shuffled[:alone, None],
        "in halves, in another order": halves,
    }
    for way, parts in ways.items():
        got = [ask(part) for part in parts]
        for name, values in among.items():
            expect_same(
                np.concatenate([np.asarray(part[name]) for part in got]),
                values[np.concatenate(parts)],
                f"{name} of {what} asked about {way}",
                rtol=1e-6,
                atol=1e-7,
            )
