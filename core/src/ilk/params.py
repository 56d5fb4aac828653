"""Fields that declare the parameters of components: allowed values, default, documentation."""

from __future__ import annotations

import operator
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from ilk.errors import DeclarationError
from ilk.messages import an, did_you_mean, short_repr
from ilk.shipped import as_default


class Array:
    """Marks a parameter that takes a numeric array (in a spec: nested lists)."""


class Function:
    """Marks a parameter that takes a Python callable (cannot be written to a spec)."""


class Seed:
    """Marks a random state: None, an integer >= 0, or a numpy generator."""


class Views:
    """Marks named groups of columns, ``{"color": ["c1", "c2"]}``, or ``"data"``: the data set's.

    A table of lists of names or positions of columns; a list of lists if names do not matter.
    """


DATA_VIEWS = "data"  # means the views of the data set
LARGEST_SEED = 2**32 - 1  # maximum seed of numpy's RandomState


class FilePath:
    """Marks a path of a file or folder; in a spec file it is relative to that file."""


class _Missing:
    """Marks a declaration without a default: a key of a file."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(frozen=True)
class Param:
    """Allowed values of one parameter of a component, or of one key of a file.

    A value is accepted if any of the alternatives accepts it. Components declare their
    parameters by `param`, `slot` and `slots`, which fill this record.

    Parameters
    ----------
    type : type or tuple of types, optional
        ``int``, ``float`` (also takes integers), ``bool``, ``str``, ``list``, ``dict``, or one
        of the markers `Array`, `Function`, `Seed`, `FilePath`.
    ge, gt, le, lt : float, optional
        Bounds on a number.
    choices : tuple, optional
        Allowed values.
    none : bool, default=False
        Whether None is allowed.
    slot : str, optional
        The kind of component, given as an instance, a name or a spec table; ``"step"``: a table
        with one key, the kind.
    many : type, optional
        ``list`` or ``dict``: a slot for several components.
    items : Param, optional
        Declaration of the elements of a list or the values of a dict.
    doc : str, optional
        Description for docstrings, ``ilk show`` and JSON Schema.
    trusted : bool, default=False
        Whether a spec file may set it only if the user trusts the file, for example an address
        that receives data.
    schema : mapping, optional
        JSON Schema keywords for checks made elsewhere (``{"uniqueItems": True}``), so that
        editors make them, too.
    default : object, optional
        The default value.
    form : str, optional
        The type for docstrings, if the declaration alone does not define it: ``"array of shape
        (n_features,)"``.
    kw_only : bool, default=True
        Whether the constructor takes it by keyword only.

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
    default: Any = field(default=MISSING, hash=False)
    form: str = ""
    kw_only: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.choices, str):
            raise DeclarationError(f"choices must be a tuple, got {self.choices!r}")
        object.__setattr__(self, "choices", tuple(self.choices))
        for kind in self.types:
            if not isinstance(kind, type):
                raise DeclarationError(f"type must be a type or a tuple of them, got {kind!r}")
        if self.many not in (None, list, dict):
            raise DeclarationError(f"many must be list or dict, got {self.many!r}")
        if not isinstance(self.items, Param | None):
            raise DeclarationError(f"items must be ilk.Param(...), got {self.items!r}")

    @property
    def types(self) -> tuple[Any, ...]:
        """The accepted types as a tuple."""
        if self.type is None:
            return ()
        return self.type if isinstance(self.type, tuple) else (self.type,)

    def problem(self, value: object) -> str | None:
        """Return the problem of a value that is no component, or None if it is valid."""
        if value is None and self.none:
            return None
        if any(_same(value, choice) for choice in self.choices):
            return None
        if not any(_matches(value, kind) for kind in self.types):
            hint = did_you_mean(value, [c for c in self.choices if isinstance(c, str)])
            return f"must be {self.describe()}, got {short_repr(value)}{hint}"
        if not self._in_bounds(value):
            return f"must be {self.describe()}, got {short_repr(value)}"
        return self._items_problem(value)

    def _in_bounds(self, value: object) -> bool:
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

    def _items_problem(self, value: object) -> str | None:
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

    def docstring(self, name: str) -> str:
        """Return the entry of a numpydoc section *Parameters*."""
        default = "" if self.default is MISSING else f", default={_plainly(self.default)}"
        head = f"{name} : {self.form or self._numpydoc_type()}{default}"
        paragraphs = [textwrap.fill(text, 92) for text in self.doc.split("\n\n")]
        return head + "\n" + textwrap.indent("\n\n".join(paragraphs), "    ")

    def _numpydoc_type(self) -> str:
        parts = ["{" + ", ".join(map(repr, self.choices)) + "}"] if self.choices else []
        parts += [
            _NUMPYDOC.get(kind, kind.__name__) + (self.bounds() if kind in (int, float) else "")
            for kind in self.types
        ]
        if self.slot:
            one = self.slot.replace("_", " ")
            many = {list: f"list of {one}", dict: f"dict of str to {one}"}
            parts.append(many.get(self.many, one))
        if self.none and Seed not in self.types:
            parts.append("None")
        return " or ".join(parts).replace("'", '"')


def param(
    *,
    default: Any,
    type: Any = None,  # noqa: A002  # the word of the declaration
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    choices: tuple[Any, ...] = (),
    none: bool | None = None,
    items: Param | None = None,
    doc: str = "",
    trusted: bool = False,
    schema: Mapping[str, Any] | None = None,
    form: str = "",
) -> Any:
    """Declare a parameter of a component, as a field of its class.

    Parameters
    ----------
    default : object
        The default value; its type is the type of the parameter, unless `type` or `choices` are
        given.
    none : bool, optional
        Whether None is allowed; true by default if None is the default. With ``none=False`` and
        the default None the parameter must be given.
    type, ge, gt, le, lt, choices, items, doc, trusted, schema, form
        As in `Param`.

    Returns
    -------
    Param
        Typed as `Any`, so that a type checker accepts it as a value of the field.

    Raises
    ------
    DeclarationError
        If the default is mutable, of another type, or does not determine the type.

    Examples
    --------
    >>> import ilk
    >>> class Capped(ilk.Component):
    ...     cap: float = ilk.param(default=1.0, gt=0, doc="Most that one feature contributes.")
    >>> Capped(cap=2).cap
    2
    >>> Capped.parameters["cap"].describe()
    'a number > 0'
    """
    if getattr(default, "shape", None) == ():  # a number of numpy's
        default = default.tolist()
    kind = type if type is not None else _type_of(default, choices)
    declared = Param(
        type=kind,
        ge=ge,
        gt=gt,
        le=le,
        lt=lt,
        choices=choices,
        none=default is None and kind is not Seed if none is None else none,
        items=items,
        doc=doc,
        trusted=trusted,
        schema=schema or {},
        default=default,
        form=form,
    )
    return declared if default is None else with_default(declared, default)


def slot(
    kind: str,
    *,
    default: object,
    none: bool = False,
    choices: tuple[Any, ...] = (),
    doc: str = "",
    form: str = "",
) -> Any:
    """Declare a slot: a parameter for a component of a kind.

    Parameters
    ----------
    kind : str
        ``"distance"``, ``"classifier"``, ...
    default : str, mapping or None
        A name or a table: an instance would be shared by all that have the default.
    none, choices, doc, form
        As in `Param`.

    Returns
    -------
    Param

    Raises
    ------
    DeclarationError
        If the slot does not take the default.

    Examples
    --------
    >>> import ilk
    >>> class Near(ilk.Component):
    ...     distance: ilk.DistanceLike = ilk.slot("distance", default="euclidean", doc="Any.")
    >>> Near().resolve_slot("distance").between([0, 0], [3, 4])
    5.0
    """
    none = none or default is None
    declared = Param(slot=kind, choices=choices, none=none, doc=doc, form=form)
    return with_default(declared, default)


def slots(
    kind: str,
    *,
    default: object = (),
    many: Any = list,
    none: bool = False,
    choices: tuple[Any, ...] = (),
    doc: str = "",
    form: str = "",
    kw_only: bool = True,
) -> Any:
    """Declare a parameter for several components of a kind.

    Parameters
    ----------
    kind : str
    default : tuple, mapping or None, default=()
    many : type, default=list
        ``list`` or ``dict``.
    none, choices, doc, form, kw_only
        As in `Param`.

    Returns
    -------
    Param

    Raises
    ------
    DeclarationError
        If the slot does not take the default.

    Examples
    --------
    >>> import ilk
    >>> class Panel(ilk.Component):
    ...     members: list[ilk.ClassifierLike] = ilk.slots("classifier", doc="Who votes.")
    >>> len(Panel(members=["knn", "lda"]).resolve_slot("members"))
    2
    """
    declared = Param(
        slot=kind,
        many=many,
        choices=choices,
        none=none or default is None,
        doc=doc,
        form=form,
        kw_only=kw_only,
    )
    return with_default(declared, default)


def with_default(declared: Param, default: object) -> Param:
    """Return a declaration with a default.

    Names in the default of a slot mean what ships with ilk, whatever else is registered.

    Raises
    ------
    DeclarationError
        If it is mutable, or the parameter does not take it.
    """
    if isinstance(default, list | set | bytearray) or hasattr(default, "__array__"):
        problem: str | None = f"must not be mutable: use None or a tuple, got {short_repr(default)}"
    elif declared.slot:
        problem = _slot_problem(declared, default)
    else:
        table = isinstance(default, dict)
        mutable = f"must not be mutable: use None, got {short_repr(default)}"
        problem = mutable if table else declared.problem(default)
    nothing = isinstance(default, tuple) and not default
    if problem and (declared.slot or not nothing):
        raise DeclarationError(f"the default {problem}")
    named = declared.slot and not any(_same(default, choice) for choice in declared.choices)
    return replace(declared, default=as_default(default) if named else default)


def _slot_problem(declared: Param, default: object) -> str | None:
    if default is None and declared.none:
        return None
    if isinstance(default, str) and default in declared.choices:
        return None
    one = (str, Mapping)
    if declared.many is None and isinstance(default, one):
        return None
    if declared.many is list and isinstance(default, tuple):
        wrong = [item for item in default if not isinstance(item, one)]
        default = wrong[0] if wrong else default
        if not wrong:
            return None
    if declared.many is dict and isinstance(default, Mapping):
        return None
    instance = hasattr(default, "get_params")
    hint = ": an instance would be shared; use its name or a table" if instance else ""
    return f"must be {declared.describe()}, got {short_repr(default)}{hint}"


def is_shared(default: object) -> bool:
    """Tell whether a default is or holds what can be changed: each instance needs its own."""
    items = default if isinstance(default, tuple) else (default,)
    return any(isinstance(item, dict | list) for item in items)


def _type_of(default: object, choices: tuple[Any, ...]) -> Any:
    """Return the type of a default, or None if only choices are allowed."""
    if any(_same(default, choice) for choice in choices) or (choices and default is None):
        return None
    kind = type(default)
    if any(type(choice) is kind for choice in choices):
        raise DeclarationError(f"the default {Param(choices=choices).problem(default)}")
    if kind is tuple and default:
        return list
    if kind in (int, float, bool, str, list, dict, set) or hasattr(default, "__array__"):
        return kind
    raise DeclarationError(
        f"param(default={short_repr(default)}) does not tell the type: give type= or choices="
    )


def _plainly(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


_NUMPYDOC: dict[Any, str] = {
    Array: "array-like",
    Function: "callable",
    Seed: "int, numpy generator or None",
    FilePath: "path",
    Views: 'dict of str to list, list of lists or "data"',
}

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


def _same(value: object, choice: Any) -> bool:
    """Equality that distinguishes True from 1 and never compares arrays elementwise."""
    return type(value) is type(choice) and bool(value == choice)


def _matches(value: object, kind: Any) -> bool:
    if kind is bool:
        return type(value).__name__ in {"bool", "bool_"}  # bool_: numpy's
    if isinstance(value, bool):
        return False
    test = _TESTS.get(kind)
    return test(value) if test else isinstance(value, kind)


def _is_number(value: object) -> bool:
    if not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:  # an integer larger than any float
        return False
    return True


def _is_array(value: object) -> bool:
    if isinstance(value, str) or not (isinstance(value, Sequence) or hasattr(value, "__array__")):
        return False
    import numpy as np

    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # rows of different lengths
        return False


def _is_seed(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, Integral):
        return 0 <= int(value) <= LARGEST_SEED
    return type(value).__name__ in {"RandomState", "Generator"}


def _is_path(value: object) -> bool:
    if not (isinstance(value, str) or hasattr(value, "__fspath__")):
        return False
    text = str(value)
    if not text or "\0" in text:
        return False
    try:
        Path(text).expanduser()
    except RuntimeError:  # "~name" of an unknown user
        return False
    return True


def _is_views(value: object) -> bool:
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
