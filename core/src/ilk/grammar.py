"""The grammar of a file: its tables, lists of tables and keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk.params import Param


@dataclass(frozen=True)
class Table:
    """The grammar of a table in a file that is not a component.

    Attributes
    ----------
    fields : mapping of str to Param, Table or Many
    required : tuple of str
    defaults : mapping
        Default values of fields.
    others : bool
        Whether other fields are allowed and ignored.
    """

    fields: Mapping[str, Param | Table | Many]
    required: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    others: bool = False


@dataclass(frozen=True)
class Many:
    """The grammar of a list of tables, ``[[pipelines]]``."""

    table: Table
    at_least: int = 1
