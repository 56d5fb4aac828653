"""Classes by position: codes of labels, the positive class, values by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, did_you_mean

if TYPE_CHECKING:
    from ilk import Labels

_SPAN = 1 << 16  # largest range of integer labels for a lookup table
_WORD = 4  # bytes per character in numpy's text arrays


def codes_of(labels: Labels, classes: np.ndarray) -> np.ndarray:
    """Position of each label among the sorted classes.

    Parameters
    ----------
    labels : array of shape (n,)
    classes : array of shape (C,)
        Sorted, as `Prediction.classes`.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    InputError
        Names the first label that is not in the classes.
    """
    labels, classes = np.asarray(labels), np.asarray(classes)
    if not len(labels):
        return np.zeros(0, dtype=np.intp)
    if not len(classes):
        raise InputError("a prediction has cases, but no classes")
    codes = _codes(labels, classes)
    taken = np.take(classes, codes, mode="clip")
    if not _same(taken, labels):
        row = int(np.argmin(taken == labels))
        raise InputError(
            f"a prediction has the label {labels.tolist()[row]!r} in row {row}, which is none of "
            f"its classes"
        )
    return codes


def _same(taken: np.ndarray, labels: np.ndarray) -> bool:
    """Tell whether arrays are equal; texts are compared as integers, which is faster."""
    if taken.dtype != labels.dtype or taken.dtype.kind != "U" or not labels.flags.c_contiguous:
        return bool(np.all(taken == labels))
    word = np.uint64 if taken.dtype.itemsize % 8 == 0 else np.uint32
    return bool(np.array_equal(taken.view(word), labels.view(word)))


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Codes of labels; arbitrary for labels that are not in the classes."""
    kinds = labels.dtype.kind + classes.dtype.kind
    if set(kinds) <= set("iub"):
        return _whole_codes(labels, classes)
    if kinds == "UU" and labels.dtype.isnative and classes.dtype.isnative:
        return _text_codes(labels, classes)
    if "O" in kinds or kinds[0] != kinds[1]:
        table = {label: code for code, label in enumerate(classes.tolist())}
        return np.array([table.get(label, 0) for label in labels.tolist()], dtype=np.intp)
    return _searched(labels, classes)


def _searched(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    return np.minimum(np.searchsorted(classes, labels), len(classes) - 1)


def _whole_codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Look codes up in a table over the range of the classes."""
    first, last = int(classes[0]), int(classes[-1])
    least, most = int(labels.min()), int(labels.max())
    if least < first or most > last or last - first >= _SPAN or first < -_SPAN or last > 2 * _SPAN:
        return _searched(labels, classes)
    table = np.zeros(last - first + 1, dtype=np.intp)
    table[classes.astype(np.intp) - first] = np.arange(len(classes))
    return table[labels.astype(np.intp, copy=False) - first if first else labels.astype(np.intp)]


def _text_codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Compare only the characters that distinguish the classes."""
    seen = _characters(labels)
    reader = _reader(classes.tobytes(), classes.dtype.str, seen.shape[1])
    if reader is None:
        return _searched(labels, classes)
    steps, order = reader
    codes = np.zeros(1, dtype=np.intp)
    for place, span, table in steps:
        codes = np.take(table, codes * span + seen[:, place], mode="clip")
    return np.asarray(order[codes])


@lru_cache(maxsize=8)
def _reader(
    content: bytes, dtype: str, width: int
) -> tuple[list[tuple[int, int, np.ndarray]], np.ndarray] | None:
    """The characters to compare, each with a table; and the code of each group at the end.

    A group is a set of classes that agree in the characters read so far. A table of groups and
    characters gives the next groups, until each group has one class. None: the tables would be too
    large, or the first `width` characters do not distinguish the classes.
    """
    signs = _characters(np.frombuffer(content, dtype=dtype))
    groups = np.zeros(len(signs), dtype=np.intp)
    steps = []
    for place in _telling(signs[:, :width]):
        characters = signs[:, place]
        span = int(characters.max()) + 1
        if (int(groups.max()) + 1) * span > _SPAN:
            return None
        kinds, groups = np.unique(groups * span + characters, return_inverse=True)
        table = np.zeros(int(kinds[-1]) + 1, dtype=np.intp)
        table[kinds] = np.arange(len(kinds))
        steps.append((place, span, table))
    if not steps or len(np.unique(groups)) < len(signs):
        return None
    order = np.empty(len(signs), dtype=np.intp)
    order[groups] = np.arange(len(signs))
    return steps, order


def _telling(signs: np.ndarray) -> list[int]:
    """Character positions that together distinguish the rows, by a greedy search for few."""
    places: list[int] = []
    groups = np.zeros(len(signs), dtype=np.intp)
    while len(places) < signs.shape[1]:
        joint = [
            # 2**21 exceeds every code point: pairs of group and character stay distinct
            np.unique(groups * (1 << 21) + signs[:, place], return_inverse=True)[1]
            for place in range(signs.shape[1])
        ]
        counts = [int(one.max()) + 1 for one in joint]
        best = int(np.argmax(counts))
        if counts[best] == int(groups.max()) + 1:
            break
        places.append(best)
        groups = joint[best]
        if counts[best] == len(signs):
            break
    return places


def _characters(texts: np.ndarray) -> np.ndarray:
    """Code points of texts; shape (n, width)."""
    texts = np.ascontiguousarray(texts)
    return texts.view(np.uint32).reshape(len(texts), texts.dtype.itemsize // _WORD)


def positive_code(
    classes: np.ndarray, positive: object, name: str, *, averages: Sequence[str] = ()
) -> int:
    """Position of the positive class; default: the second of two.

    Parameters
    ----------
    classes : array of shape (C,)
    positive : label or None
    name : str
        Name of the measure or curve, for errors.
    averages : sequence of str, optional
        Options of the measure that average over all classes.

    Raises
    ------
    InputError
        If there are not two classes and none is named, or the name is not a class.
    """
    labels = np.asarray(classes).tolist()
    if positive is None:
        if len(labels) != 2:
            known = " or ".join(map(repr, averages))
            instead = f"; or take average = {known}" if averages else ""
            raise InputError(
                f"{name}: positive must name one of the classes where there are not two of "
                f"them, got None for {len(labels)} classes ({_listed(labels)}){instead}"
            )
        return 1
    wanted = positive.item() if isinstance(positive, np.generic) else positive
    code = find_code(wanted, labels)
    if code is not None:
        return code
    hint = did_you_mean(str(wanted), [str(label) for label in labels])
    raise InputError(
        f"{name}: positive must be one of the classes ({_listed(labels)}), got {wanted!r}{hint}"
    )


def second_of_two(measure: Any, classes: np.ndarray) -> Any:
    """The class that a measure without `positive` and average takes; None for other classes."""
    open_ = measure.positive is None and getattr(measure, "average", None) is None
    return classes.item(1) if open_ and len(classes) == 2 else None


def find_code(key: object, labels: Sequence[Any]) -> int | None:
    """Position of the class with this label, or with this label as text."""
    for code, label in enumerate(labels):
        if key == label and isinstance(key, bool) == isinstance(label, bool):
            return code
    written = [str(label) for label in labels]
    return written.index(key) if isinstance(key, str) and written.count(key) == 1 else None


def _listed(labels: list[Any]) -> str:
    few = ", ".join(repr(label) for label in labels[:6])
    return few if len(labels) <= 6 else f"{few}, ..."


def absent_remark(cases: np.ndarray, classes: np.ndarray) -> list[str]:
    """Name the classes that an average leaves out, if any."""
    labels = np.asarray(classes).tolist()
    absent = [repr(label) for label, n in zip(labels, cases, strict=True) if n == 0]
    if not absent or len(absent) == len(cases):
        return []
    have = "has" if len(absent) == 1 else "have"
    names = ", ".join(absent)
    coverage = f"the average is over {len(cases) - len(absent)} of {len(cases)} classes"
    return [f"{coverage}: no answered case belongs to {names}, which {have} been left out"]


def code_named(key: object, classes: list[Any], name: str) -> int:
    """Position of the class named by a key of a table.

    Raises
    ------
    InputError
        If it is not a class.
    """
    code = find_code(key, classes)
    if code is None:
        written = [str(label) for label in classes]
        hint = did_you_mean(str(key), written)
        raise InputError(f"{name}: {key!r} is none of the classes ({', '.join(written)}){hint}")
    return code


def by_class(values: object, classes: list[Any], name: str) -> np.ndarray:
    """Numbers in the order of the classes.

    Parameters
    ----------
    values : sequence of float, or mapping of class to float
        A mapping must name every class.

    Raises
    ------
    InputError
        If there is not one number for each class.
    """
    if not isinstance(values, Mapping):
        array = np.asarray(values, dtype=float)
        if array.shape != (len(classes),):
            raise InputError(
                f"{name} must be one number for each of {len(classes)} classes, got "
                f"{' x '.join(map(str, array.shape)) or 'one'}"
            )
        return array
    array = np.full(len(classes), np.nan)
    for key, value in values.items():
        array[code_named(key, classes, name)] = value
    if np.isnan(array).any():
        raise InputError(
            f"{name} must name every class, {classes[int(np.argmax(np.isnan(array)))]!r} is missing"
        )
    return array
