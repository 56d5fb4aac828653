"""Declarations of parameters: what a value may be, and the sentence that says so."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from ilk.suggest import did_you_mean
from ilk.wording import an, show


class Array:
    """Marks a parameter that takes a numeric array (in a spec: nested lists)."""


class Function:
    """Marks a parameter that takes a Python callable (cannot be written to a spec)."""


class Seed:
    """Marks a random state: None, an integer >= 0, or a numpy generator."""


class Views:
    """Marks named groups of columns, ``{"color": ["c1", "c2"]}``, or ``"data"``: the data set's.

    A table of lists, of columns' names or positions; a list of lists where names do not matter.
    """


DATA_VIEWS = "data"  # stands for the views that a data set brings
LARGEST_SEED = 2**32 - 1  # the largest that numpy's RandomState takes


class FilePath:
    """Marks a path of a file or folder; in a spec file it is relative to that file."""


@dataclass(frozen=True)
class Param:
    """What one parameter of a component may be.

    A value is accepted if any of the alternatives takes it.

    Parameters
    ----------
    type : type or tuple of types, optional
        ``int``, ``float`` (also takes integers), ``bool``, ``str``, ``list``, ``dict``, or one
        of the markers `Array`, `Function`, `Seed`, `FilePath`.
    ge, gt, le, lt : float, optional
        Bounds on a number.
    choices : tuple, optional
        Values taken as they are.
    none : bool, default=False
        Whether None is taken.
    slot : str, optional
        The kind of component that stands here, as an instance, a name or a spec table;
        ``"step"``: a table with one key, the kind.
    many : type, optional
        ``list`` or ``dict``: a slot that holds several components.
    items : Param, optional
        What each element of a list or each value of a dict may be.
    doc : str, optional
        One sentence for ``ilk show``.
    trusted : bool, default=False
        Whether a spec file may give it only if the user trusts the file: an address to which
        data is sent, say.
    schema : mapping, optional
        JSON Schema keywords for what is checked elsewhere (``{"uniqueItems": True}``), so that
        editors see it too.

    Examples
    --------
    >>> Param(int, ge=1).problem(0)
    'must be an integer >= 1, got 0'
    >>> Param(choices=("nearest", "random")).problem("nearst")
    "must be 'nearest' or 'random', got 'nearst'; did you mean 'nearest'?"
    """

    type: Any = None
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    choices: tuple[Any, ...] = ()
    none: bool = False
    slot: str | None = None
    many: Any = None
    items: Param | None = None
    doc: str = ""
    trusted: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def types(self) -> tuple[Any, ...]:
        """The accepted types as a tuple."""
        if self.type is None:
            return ()
        return self.type if isinstance(self.type, tuple) else (self.type,)

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value that is no component, or None if it is fine."""
        if value is None and self.none:
            return None
        if any(_same(value, choice) for choice in self.choices):
            return None
        if not any(_matches(value, kind) for kind in self.types):
            hint = did_you_mean(value, [c for c in self.choices if isinstance(c, str)])
            return f"must be {self.describe()}, got {show(value)}{hint}"
        if not self._in_bounds(value):
            return f"must be {self.describe()}, got {show(value)}"
        return self._items_problem(value)

    def _in_bounds(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return True
        limits = (
            (self.ge, operator.ge),
            (self.gt, operator.gt),
            (self.le, operator.le),
            (self.lt, operator.lt),
        )
        return value == value and all(  # noqa: PLR0124  # NaN is within no bounds
            limit is None or compare(value, limit) for limit, compare in limits
        )

    def _items_problem(self, value: Any) -> str | None:
        if self.items is None or isinstance(value, str):
            return None
        if isinstance(value, Mapping):
            pairs: Any = value.items()
        elif isinstance(value, Sequence):
            pairs = enumerate(value)
        else:
            return None
        for key, item in pairs:
            problem = self.items.problem(item)
            if problem:
                return f"[{key!r}] {problem}"
        return None

    def describe(self) -> str:
        """Return the accepted values as a phrase: ``"an integer >= 1 or 'auto'"``."""
        parts = [repr(choice) for choice in self.choices]
        types = list(self.types)
        if {str, int, bool} <= set(types) and not self.bounds():
            number = "number" if float in types else "integer"
            parts.append(f"a label (string, {number}, true or false)")
            types = [kind for kind in types if kind not in (str, int, float, bool)]
        parts += [self._describe_type(kind) for kind in types]
        if self.slot:
            parts.append(self._describe_slot())
        if self.none and Seed not in self.types:
            parts.append("None")
        return " or ".join(dict.fromkeys(parts)) or "nothing"

    def _describe_type(self, kind: Any) -> str:
        words: str = _WORDS.get(kind, kind.__name__)
        if kind in (list, dict) and self.items is not None:
            words += f" (each {self.items.describe()})"
        return words + self.bounds() if kind in (int, float) else words

    def _describe_slot(self) -> str:
        assert self.slot is not None
        one = an(self.slot)
        if self.many is list:
            return f"a list (each {one})"
        if self.many is dict:
            return f"a table (each value {one})"
        return f"{one} (name, table with 'use', or instance)"

    def bounds(self) -> str:
        """Return the bounds as text: ``" >= 0, < 1"``."""
        limits = ((">=", self.ge), (">", self.gt), ("<=", self.le), ("<", self.lt))
        return ",".join(f" {sign} {limit:g}" for sign, limit in limits if limit is not None)


_WORDS: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "a string",
    list: "a list",
    dict: "a table",
    Array: "an array of numbers",
    Function: "a function",
    Seed: f"a random seed (integer from 0 to {LARGEST_SEED}, numpy generator or None)",
    FilePath: "a path",
    Views: "a table of lists of columns (or 'data': the views of the data set)",
}


def _same(value: Any, choice: Any) -> bool:
    """Equality that keeps True apart from 1 and never compares arrays elementwise."""
    return type(value) is type(choice) and bool(value == choice)


def _matches(value: Any, kind: Any) -> bool:
    if kind is bool:
        return type(value).__name__ in {"bool", "bool_"}  # numpy's too
    if isinstance(value, bool):
        return False
    test = _TESTS.get(kind)
    return test(value) if test else isinstance(value, kind)


def _is_number(value: Any) -> bool:
    if not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:  # an integer larger than any float
        return False
    return True


def _is_array(value: Any) -> bool:
    if isinstance(value, str) or not (isinstance(value, Sequence) or hasattr(value, "__array__")):
        return False
    import numpy as np

    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # ragged
        return False


def _is_seed(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, Integral):
        return 0 <= int(value) <= LARGEST_SEED
    return type(value).__name__ in {"RandomState", "Generator"}


def _is_path(value: Any) -> bool:
    if not (isinstance(value, str) or hasattr(value, "__fspath__")):
        return False
    text = str(value)
    if not text or "\0" in text:
        return False
    try:
        Path(text).expanduser()
    except RuntimeError:  # "~" and the name of no user
        return False
    return True


def _is_views(value: Any) -> bool:
    if isinstance(value, str):
        return value == DATA_VIEWS
    if not isinstance(value, Mapping | Sequence):
        return False
    groups = value.values() if isinstance(value, Mapping) else value
    return all(isinstance(g, Sequence) and not isinstance(g, str | bytes) for g in groups)


_TESTS: dict[Any, Callable[[Any], bool]] = {
    int: lambda v: isinstance(v, Integral),
    float: _is_number,
    list: lambda v: isinstance(v, Sequence) and not isinstance(v, str | bytes),
    dict: lambda v: isinstance(v, Mapping),
    Array: _is_array,
    Function: callable,
    Seed: _is_seed,
    FilePath: _is_path,
    Views: _is_views,
}
