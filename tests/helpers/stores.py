"""Stores whose contents a test changes."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from ilk_evaluation.run.database import connected
from ilk_evaluation.run.sql import TABLES

if TYPE_CHECKING:
    from pathlib import Path


def rewrite(path: Path, statement: str, *values: Any, sealed: bool = True) -> None:
    """Change a store, with digests of what is new, or else as damage does."""
    with closing(connected(path)) as connection, connection:
        connection.execute(statement, values)
        if sealed:
            for table in TABLES.values():
                connection.execute(f"UPDATE {table.name} SET digest = sealed({table.listed})")
