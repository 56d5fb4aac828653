"""The interface of each kind, one file each; its docstrings define the contract.

The classes are names of `ilk`: ``from ilk import Distance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk._lazy import missing_name

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing_name(__name__, name, ())
