"""Shards: a plan divided over machines that do not communicate."""

from __future__ import annotations

import re
from collections import defaultdict
from numbers import Integral
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.plan.keys import seed_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ilk_evaluation.plan.design import Cell, Design


Shard = tuple[int, int]
"""Position, from 1, and number of shards."""


def read_shard(text: str) -> Shard:
    """Read ``"2/5"``.

    Raises
    ------
    ilk.InputError
        If it is not of the form i/n, or there is no such shard.
    """
    found = re.fullmatch(r"\s*(-?\d{1,99})\s*/\s*(-?\d{1,99})\s*", text)
    if found is None:
        raise ilk.InputError(f"shard must be i/n, the i-th of n, as in 1/4, got {text!r}")
    return checked_shard((int(found[1]), int(found[2])))


def checked_shard(shard: Shard) -> Shard:
    """Return a shard after checking it.

    Raises
    ------
    ilk.InputError
        Unless it is a pair of integers i and n with 1 <= i <= n.
    """
    try:
        i, n = shard
    except (TypeError, ValueError):
        raise ilk.InputError(f"shard must be a pair (i, n), the i-th of n, got {shard!r}") from None
    if not all(isinstance(number, Integral) and not isinstance(number, bool) for number in (i, n)):
        raise ilk.InputError(f"shard must be a pair of integers, got {shard!r}")
    if n < 1 or not 1 <= i <= n:
        there = f"1/{n} to {n}/{n}" if n > 0 else "none"
        raise ilk.InputError(f"shard {i}/{n} does not exist; of {n} there are {there}")
    return int(i), int(n)


def shard_name(shard: Shard) -> str:
    """``"shard 1/3"``."""
    return "shard {}/{}".format(*shard)


def cells_of(design: Design, shard: Shard | None) -> list[Cell]:
    """Return the cells of a shard, each key once, in the order of the design.

    The division depends on keys only, so each machine with the same plan divides it in the same
    way. The cells of each pipeline on each data set are dealt out evenly in the order of their
    keys, beginning at a shard that the keys of the two decide. So each shard has its share of
    slow pipelines and large data sets, and cells stay in their shard when a pipeline or a data
    set is added.
    """
    cells: dict[str, Cell] = {}
    for cell in design.cells:  # equal splits, data sets and pipelines share cells: take the first
        cells.setdefault(cell.key, cell)
    if shard is None:
        return list(cells.values())
    i, n = shard
    mine = {key for keys in _groups(design, cells.values()) for key in _share(keys, i, n)}
    return [cell for key, cell in cells.items() if key in mine]


def _groups(design: Design, cells: Iterable[Cell]) -> Iterator[tuple[str, list[str]]]:
    """Yield the cell keys of each pipeline on each data set, and a name of the pair."""
    groups = defaultdict(list)
    for cell in cells:
        pair = design.pipelines[cell.pipeline].key, design.datasets[cell.dataset].key
        groups["/".join(pair)].append(cell.key)
    yield from groups.items()


def _share(group: tuple[str, list[str]], i: int, n: int) -> list[str]:
    """Return the shard's part of a group: every n-th key."""
    name, keys = group
    first = (i - 1 - seed_from("shard", name)) % n
    return sorted(keys)[first::n]
