"""Verdicts as text of one or two sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ilk


MOST_LISTED = 8
"""Items of a list in a sentence; the others are counted."""


def friedman_text(verdict: ilk.Verdict) -> str:
    """Describe the test, whether pipelines differ, and which pairs do."""
    details = verdict.details
    if details["exact"]:  # there is no F then
        statistic = f"Friedman, chi-squared = {details['chi2']:.2f}, exact"
    else:
        first, second = details["degrees_of_freedom"]
        number = _number(verdict.statistic)
        statistic = f"Friedman, Iman-Davenport F({first}, {second}) = {number},"
    return (
        f"With {details['n_datasets']} data sets and {details['n_pipelines']} pipelines "
        f"({verdict.measure}; {statistic} {_p(verdict.p_value)}) "
        f"{_finding(verdict)}{left_out(details['dropped'])}"
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
    wins = list_some(better, separator="; ")
    return f"the pipelines differ at {alpha}; by Nemenyi's test ({distance}) {wins}."


def _better(verdict: ilk.Verdict) -> list[str]:
    """For each pipeline, best first, name the pipelines it beats."""
    beaten: dict[str, list[str]] = {}
    for pair in verdict.pairs:
        if pair["different"]:
            best, worst = sorted((pair["a"], pair["b"]), key=lambda name: verdict.ranks[name])
            beaten.setdefault(best, []).append(worst)
    order = sorted(beaten, key=lambda name: verdict.ranks[name])
    return [f"{best} is better than {list_some(beaten[best])}" for best in order]


def left_out(dropped: Sequence[str]) -> str:
    """Name the excluded data sets, after a space; empty if there are none."""
    if not dropped:
        return ""
    return f" Left out for missing scores: {len(dropped)} ({list_some(dropped)})."


def list_some(items: Sequence[str], most: int = MOST_LISTED, separator: str = ", ") -> str:
    """Join items by commas, truncated if there are many."""
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + rest


def _number(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.2f}"


def _p(value: float) -> str:
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.4f}"


def pairs_text(verdict: ilk.Verdict, test_name: str) -> str:
    """Describe the results of pairwise tests: a single pair in full, else the pairs that differ."""
    if len(verdict.pairs) == 1:
        return _one_pair(verdict, test_name)
    details, pairs = verdict.details, verdict.pairs
    n_sets = len(details.get("datasets", ("all",)))
    where = f" on {n_sets} data sets" if n_sets > 1 else ""
    names = {(pair["a"], pair["b"]) for pair in pairs}
    how = "Holm's correction" if details["adjust"] == "holm" else "no correction"
    opening = (
        f"By {test_name} of {_count(len(names), 'pair')}{where} ({verdict.measure}; {how} "
        f"for {len(pairs)} tests)"
    )
    if not any(pair["different"] for pair in pairs):
        least = f"the smallest p-value is {_number4(verdict.p_value)}"
        return f"{opening} no difference is significant at {details['alpha']:g}; {least}."
    wins = _wins(verdict, several=n_sets > 1)
    return f"{opening} at {details['alpha']:g} {list_some(wins, separator='; ')}."


def _wins(verdict: ilk.Verdict, *, several: bool) -> list[str]:
    """Name the better and worse pipelines, and the data sets if there are several.

    If they are too many to list, those with the smallest unadjusted p-values come first.
    """
    clauses: dict[str, list[str]] = {}
    pairs = list(verdict.pairs)
    if sum(pair["different"] for pair in pairs) > MOST_LISTED:
        pairs.sort(key=lambda pair: pair.get("raw_p_value", pair["p_value"]))
    for pair in pairs:
        if pair["different"]:
            best, worst = _best_first(pair)
            if pair["better"] is None:
                clause, more = f"{best} differs, with the same mean, from", worst
            else:
                clause, more = f"{best} is better than", worst
            if several:
                clause, more = f"{clause} {worst} on", pair["dataset"]
            clauses.setdefault(clause, []).append(more)
    return [f"{clause} {list_some(listed)}" for clause, listed in clauses.items()]


def _one_pair(verdict: ilk.Verdict, test_name: str) -> str:
    (pair,) = verdict.pairs
    best, worst = _best_first(pair)
    where = f" on {pair['dataset']}" if "dataset" in pair else ""
    ahead = pair["effect"] if best == pair["a"] else -pair["effect"]
    if ahead == 0:
        gap = f"the same mean {verdict.measure}"
    else:
        gap = f"{verdict.measure} {'higher' if ahead > 0 else 'lower'} by {abs(ahead):.4g}"
    if pair["different"] and pair["better"] is None:
        return (
            f"By {test_name} {best} and {worst} differ{where}, with {gap} ({_p(pair['p_value'])})."
        )
    if pair["different"]:
        return (
            f"By {test_name} {best} is better than {worst}{where} ({gap}; {_p(pair['p_value'])})."
        )
    by = gap if ahead == 0 else f"{gap} for {best}"
    return (
        f"By {test_name} {pair['a']} and {pair['b']} do not differ significantly at "
        f"{verdict.details['alpha']:g}{where} ({by}; {_p(pair['p_value'])})."
    )


def below_text(verdict: ilk.Verdict, test_name: str) -> str:
    """Name the pipelines whose error is below a bound, by data sets; a single test in full."""
    details, pairs = verdict.details, verdict.pairs
    bound, alpha = f"{details['p0']:g}", f"{details['alpha']:g}"
    if len(pairs) == 1:
        (pair,) = pairs
        finding = f"is below {bound}" if pair["different"] else f"is not surely below {bound}"
        return (
            f"By {test_name} the error of {pair['a']} on {pair['dataset']} ({pair['errors']} of "
            f"{pair['n_cases']}) {finding} ({_p(pair['p_value'])})."
        )
    how = "Holm's correction" if details["adjust"] == "holm" else "no correction"
    opening = f"By {test_name} ({how} for {len(pairs)} tests)"
    found: dict[str, list[str]] = {}
    for pair in pairs:
        if pair["different"]:
            found.setdefault(pair["a"], []).append(pair["dataset"])
    if not found:
        least = f"the smallest p-value is {_number4(verdict.p_value)}"
        return f"{opening} no error is below {bound} at {alpha}; {least}."
    clauses = [f"{pipeline} on {list_some(datasets)}" for pipeline, datasets in found.items()]
    return f"{opening} errors below {bound} at {alpha}: {list_some(clauses, separator='; ')}."


def _best_first(pair: Mapping[str, Any]) -> tuple[str, str]:
    return (pair["b"], pair["a"]) if pair["better"] == pair["b"] else (pair["a"], pair["b"])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _number4(value: float) -> str:
    return f"{value:.4f}" if value >= 1e-4 else "below 0.0001"


def posterior_text(verdict: ilk.Verdict) -> str:
    """Give the probabilities that pipelines are better, and that they are equivalent."""
    details, pairs = verdict.details, verdict.pairs
    rope = f", rope {details['rope']:g}" if details["rope"] else ""
    opening = (
        f"By the Bayesian signed-rank test over {details['n_datasets']} data sets "
        f"({verdict.measure}{rope})"
    )
    if len(pairs) == 1:
        (pair,) = pairs
        same = f", practically equivalent with {pair['p_equivalent']:.3f}" if rope else ""
        return (
            f"{opening} {pair['a']} is better than {pair['b']} with probability "
            f"{pair['p_a_better']:.3f}{same}, worse with {pair['p_b_better']:.3f}."
        )
    surely = f"with probability above {1 - details['alpha']:g}"
    wins = [" than ".join(_best_first(pair)) for pair in pairs if pair["different"]]
    same_ones = [f"{pair['a']} and {pair['b']}" for pair in pairs if pair["equivalent"]]
    parts = [f"better are {list_some(wins, separator='; ')}"] if wins else []
    if same_ones:
        parts.append(f"practically equivalent are {list_some(same_ones, separator='; ')}")
    left = len(pairs) - len(wins) - len(same_ones)
    if not parts:
        return f"{opening} no pair of {len(pairs)} is decided {surely}."
    verb = "is" if left == 1 else "are"
    rest = f"; {left} of {len(pairs)} pairs {verb} undecided" if left else ""
    return f"{opening} {surely} {', and '.join(parts)}{rest}."
