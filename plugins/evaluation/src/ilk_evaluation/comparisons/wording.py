"""A verdict on average ranks in a sentence or two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ilk


def verdict_text(verdict: ilk.Verdict) -> str:
    """Say what was tested, whether pipelines differ, and which pairs do."""
    said = verdict.details
    first, second = said["degrees_of_freedom"]
    statistic = f"Friedman, Iman-Davenport F({first}, {second}) = {_number(verdict.statistic)}"
    return (
        f"With {said['n_datasets']} data sets and {said['n_pipelines']} pipelines "
        f"({verdict.measure}; {statistic}, {_p(verdict.p_value)}) "
        f"{_finding(verdict)}{left_out(said['dropped'])}"
    )


def _finding(verdict: ilk.Verdict) -> str:
    alpha = f"{verdict.details['alpha']:g}"
    if verdict.p_value >= verdict.details["alpha"]:
        return f"no difference is significant at {alpha}."
    distance = f"critical difference {verdict.details['critical_difference']:.2f}"
    better = _better(verdict)
    if not better:
        return (
            f"the pipelines differ at {alpha}, but Nemenyi's test ({distance}) finds no pair "
            f"that does."
        )
    return f"the pipelines differ at {alpha}; by Nemenyi's test ({distance}) {'; '.join(better)}."


def _better(verdict: ilk.Verdict) -> list[str]:
    """Say for each pipeline, best first, which ones it is better than."""
    beaten: dict[str, list[str]] = {}
    for pair in verdict.pairs:
        if pair["different"]:
            best, worst = sorted((pair["a"], pair["b"]), key=lambda name: verdict.ranks[name])
            beaten.setdefault(best, []).append(worst)
    order = sorted(beaten, key=lambda name: verdict.ranks[name])
    return [f"{best} is better than {list_some(beaten[best])}" for best in order]


def left_out(dropped: Sequence[str]) -> str:
    """Say which data sets were left out, with a space before; nothing if none were."""
    if not dropped:
        return ""
    return f" Left out for failed cells: {len(dropped)} ({list_some(dropped)})."


def list_some(items: Sequence[str], most: int = 8) -> str:
    """Join items by commas, the first ones if there are many."""
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + rest


def _number(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.2f}"


def _p(value: float) -> str:
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.4f}"
