"""What was read from a file, checked before it is used: `ilk.load` calls `check_loaded`.

Compiled loops read where numbers tell them to, so a number that is out of range reads foreign
memory or ends the process. Components and records check theirs in a method ``check_loaded``;
those of libraries are checked by `ilk.loaded_libraries`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ilk.component import Component
from ilk.errors import InputError
from ilk.registries import display_name


def check_stored(
    owner: object,
    name: str,
    shape: tuple[int | None, ...],
    *,
    kinds: str = "iu",
    least: float | None = None,
    below: float | None = None,
    spans: int | None = None,
) -> np.ndarray:
    """Return an array that was learned, if it is as it must be; for methods ``check_loaded``.

    Parameters
    ----------
    owner : object
        The component or record that has it.
    name : str
        Of the attribute.
    shape : tuple of int or None
        None: any length.
    kinds : str, default="iu"
        Kinds of numpy's dtypes that may be: integers if left out, ``"f"`` for floats.
    least, below : float, optional
        Bounds of its values.
    spans : int, optional
        The values ascend from 0 to this: they say where parts of another array begin, and at
        last where the last one ends.

    Raises
    ------
    InputError
        Naming the owner and the attribute.

    Examples
    --------
    >>> import numpy as np
    >>> class Places:
    ...     order_ = np.array([2, 0, 1])
    >>> check_stored(Places(), "order_", (3,), least=0, below=3)
    array([2, 0, 1])
    """
    array = getattr(owner, name, None)
    if type(array) is not np.ndarray or array.dtype.kind not in kinds:
        raise stored_fault(owner, f"{name} must be an array of dtype {' or '.join(kinds)}")
    if array.ndim != len(shape) or any(
        length is not None and own != length for own, length in zip(array.shape, shape, strict=True)
    ):
        lengths = ", ".join("any" if length is None else str(length) for length in shape)
        raise stored_fault(owner, f"{name} must have the shape ({lengths}), got {array.shape}")
    if array.size and least is not None and not array.min() >= least:
        raise stored_fault(owner, f"{name} must be at least {least}, got {array.min()}")
    if array.size and below is not None and not array.max() < below:
        raise stored_fault(owner, f"{name} must be below {below}, got {array.max()}")
    if spans is not None:
        ends = array.tolist() or [None]
        if ends[0] != 0 or ends[-1] != spans or (array[1:] < array[:-1]).any():
            raise stored_fault(owner, f"{name} must ascend from 0 to {spans}")
    return array


def stored_fault(owner: object, problem: str) -> InputError:
    """Return the error ``"<owner>: <problem>"``; for methods ``check_loaded``."""
    return InputError(f"{display_name(owner)}: {problem}")


def check_loaded(model: Any) -> None:
    """Raise an error unless a component, and all that is in it, is fit to be used.

    Every component's parameters are checked, and what each component, record and tree of a
    library says of places in arrays.
    """
    from ilk.loaded_libraries import LIBRARIES

    if not isinstance(model, Component):
        raise InputError(f"it holds no component, but {type(model).__name__}")
    for part in _parts(model):
        _check_names(part)
        if isinstance(part, Component):
            type(part).check_parameters(part)
        if isinstance(part, BaseEstimator) and not _is_fitted(part):
            continue
        check = getattr(type(part), "check_loaded", None)
        (check or LIBRARIES.get(type(part).__module__, _check_nothing))(part)


def _parts(model: Any) -> Iterator[Any]:
    """Yield every object in a component once, itself first."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if part is None or type(part) in {str, int, float, bool, bytes} or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting.extend(_inside(part))


def _inside(part: Any) -> Iterator[Any]:
    if isinstance(part, np.ndarray):
        yield from part.flat if part.dtype.hasobject else ()
    elif isinstance(part, Mapping):
        yield from part.values()
    elif isinstance(part, list | tuple | set):
        yield from part
    elif is_dataclass(part):
        yield from (getattr(part, field.name) for field in fields(part))
    yield from getattr(part, "__dict__", {}).values()


def _check_names(part: Any) -> None:
    """See that nothing stands where a method is looked for."""
    for name in getattr(part, "__dict__", ()):
        if callable(getattr(type(part), name, None)):
            raise stored_fault(part, f"{name} is a method, and no place for data")


def _is_fitted(estimator: BaseEstimator) -> bool:
    """As `sklearn.utils.validation.check_is_fitted` will tell."""
    return any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))


def _check_nothing(part: Any) -> None:
    pass
