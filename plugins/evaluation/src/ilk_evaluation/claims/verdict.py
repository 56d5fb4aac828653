"""Verdicts on claims: a statistic of scores, its posterior interval, and a fixed threshold.

The splits of a data set are a sample of dependent scores. Their mean vector over the pipelines has
a Student posterior with the covariance that Nadeau and Bengio correct for overlapping training
sets, ``(1/J + n_test/n_train) S`` for J splits: the interval of the difference of two pipelines on
one data set is that of `corrected_resampled_t`. Every rule is a statistic of such means, so its
interval is read from draws of them: the outer ends of the percentile interval and of the basic one,
which is the former reflected at the estimate. For differences they are the same; minima and ranges
of noisy scores are biased, and one of the two would be too sure of itself. The upper end of a
minimum is not below the least of the ends of its parts, each at a K-th of the tail for K parts. For
a count of data sets, the u-th smallest of n tail probabilities, times n - u + 1, tells whether u
data sets count (the partial conjunction of Benjamini and Heller, 2008): many data sets without a
difference give no verdict by chance. The mean of bias or variance has two errors, that of the cases
and that of the repeats, by a jackknife. All are about new splits of the same data sets.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk_evaluation import diversity, theory
from ilk_evaluation.bias_variance import of_results
from ilk_evaluation.claims.claim import ENSEMBLE, OVERLAPPING, Rule, theory_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk_evaluation.results.experiment_results import Results

HOLDS, IN_THE_MEAN = "holds", "holds in the mean"
UNKNOWN, FAILS, SKIPPED = "cannot be told", "does not hold", "skipped"
WORST_FIRST = (FAILS, UNKNOWN, IN_THE_MEAN, HOLDS)
DRAWS = 4000
LEVEL = 0.95


@dataclass(frozen=True)
class Sample:
    """Scores on one data set.

    Attributes
    ----------
    dataset : str
    values : ndarray of shape (n, p)
        A row for each split (or case), a column for each pipeline (or quantity).
    ratio : float
        Test cases per training case of the splits; 0 for independent rows.
    repeats : ndarray of shape (m, p), optional
        Independent rows whose mean has an error besides that of `values`.
    """

    dataset: str
    values: np.ndarray
    ratio: float = 0.0
    repeats: np.ndarray | None = None

    def draws(self, generator: np.random.Generator) -> np.ndarray:
        """Draw mean vectors from their posterior, shape (DRAWS, p)."""
        errors = _errors(self.values, self.ratio, generator)
        if self.repeats is not None:
            errors = errors + _errors(self.repeats, 0.0, generator)
        return np.asarray(self.values.mean(axis=0) + errors)


def _errors(rows: np.ndarray, ratio: float, generator: np.random.Generator) -> np.ndarray:
    """Draw errors of the mean of rows, shape (DRAWS, columns)."""
    n = len(rows)
    centred = (rows - rows.mean(axis=0)) / np.sqrt(n - 1)
    scale = np.sqrt((1 / n + ratio) * (n - 1) / generator.chisquare(n - 1, DRAWS))
    return np.asarray(scale[:, None] * (generator.standard_normal((DRAWS, n)) @ centred))


@dataclass(frozen=True)
class Finding:
    """What a rule found.

    Attributes
    ----------
    rule : str
        The rule in words.
    verdict : str
    estimate : float or None
        The statistic; the claim asks for more than `threshold`.
    low, high : float or None
        Its interval of 95 %.
    threshold : float or None
    reason : str
        Why it cannot be told.
    """

    rule: str
    verdict: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    threshold: float | None = None
    reason: str = ""


def overall(findings: Sequence[Finding]) -> str:
    """Verdict on a claim all of whose rules must hold: that of the worst."""
    return min((one.verdict for one in findings), key=WORST_FIRST.index)


def judge(rule: Rule, results: Results | None) -> Finding:
    """Apply a rule to the finished repeats of an experiment."""
    words = in_words(rule, "" if results is None else results.measure)
    try:
        if rule.kind == "value":
            return replace(_value(rule), rule=words)
        assert results is not None
        if not results.design.cells:
            return Finding(words, UNKNOWN, reason="no repeat is finished")
        if results.n_failed:
            error = results.failures["error"].iloc[0]
            reason = f"{results.n_failed} cells failed, the first with: {error}"
            return Finding(words, UNKNOWN, reason=reason)
        columns, found = samples(rule, results)
        greater = rule.of == "score" and _measure(rule, results)[1].greater_is_better
        return replace(decide(rule, columns, found, greater=greater), rule=words)
    except ilk.InputError as error:
        return Finding(words, UNKNOWN, reason=str(error))


def decide(
    rule: Rule, columns: Sequence[str], found: Sequence[Sample], *, greater: bool = False
) -> Finding:
    """Compare the statistic of a rule, and its interval, with the threshold.

    Parameters
    ----------
    rule : Rule
    columns : sequence of str
        Pipelines (or quantities) of the columns of the samples.
    found : sequence of Sample
    greater : bool
        Whether greater scores are better.
    """
    counted = {"count": rule.at_least - 0.5, "no_best": 0.5}
    threshold = {"equal": -rule.margin, **counted}.get(rule.kind, rule.margin)
    names = [one.dataset for one in found]
    means = np.stack([one.values.mean(axis=0) for one in found])
    estimate = float(_parts(rule, columns, names, means[None], greater=greater).min())
    rows = [part for one in found for part in (one.values, one.repeats) if part is not None]
    if min(map(len, rows)) < 2:
        reason = (
            "an interval needs two splits of each data set; of bias and variance, three repeats"
        )
        return Finding("", UNKNOWN, estimate, threshold=threshold, reason=reason)
    generator = np.random.default_rng(0)
    drawn = np.stack([one.draws(generator) for one in found], axis=1)
    if rule.kind in counted:
        low, high = _count_interval(estimate, _hits(rule, columns, drawn, greater=greater))
    else:
        parts = _parts(rule, columns, names, drawn, greater=greater)
        low, high = _interval(estimate, parts, *_BOUNDS.get(rule.kind, (-np.inf, np.inf)))
    return Finding("", _verdict(estimate, low, high, threshold), estimate, low, high, threshold)


_BOUNDS = {"equal": (-np.inf, 0), "correlation": (-1, 1)}
_TAIL = (1 - LEVEL) / 2


def _interval(estimate: float, parts: np.ndarray, least: float, most: float) -> tuple[float, float]:
    """Return the ends of the interval of the smallest part, within bounds."""
    low, high = (float(one) for one in np.quantile(parts.min(axis=1), [_TAIL, 1 - _TAIL]))
    each = float(np.quantile(parts, 1 - _TAIL / parts.shape[1], axis=0).min())
    low, high = min(low, 2 * estimate - high), max(high, 2 * estimate - low, each)
    return max(low, least), min(high, most)


def _count_interval(estimate: float, hits: np.ndarray) -> tuple[float, float]:
    """Return how many data sets count certainly, and how many possibly.

    Parameters
    ----------
    estimate : float
    hits : ndarray of bool, shape (draws, data sets, alternatives)
        The alternative with the fewest data sets counts.
    """
    share = hits.mean(axis=0)
    certain, impossible = _certain(1 - share), _certain(share)
    possible = len(share) - impossible
    return float(min(certain.min(), estimate)), float(max(possible.min(), estimate))


def _certain(doubts: np.ndarray) -> np.ndarray:
    """Return for how many data sets a statement is certain, of each alternative.

    Parameters
    ----------
    doubts : ndarray of shape (data sets, alternatives)
        Probabilities that the statement is wrong.
    """
    factors = np.arange(len(doubts), 0, -1)[:, None]
    jointly = np.maximum.accumulate(factors * np.sort(doubts, axis=0), axis=0)
    return np.asarray((jointly <= _TAIL).sum(axis=0))


def _verdict(estimate: float, low: float, high: float, threshold: float) -> str:
    if estimate > threshold:
        return HOLDS if low > threshold else IN_THE_MEAN
    return FAILS if high < threshold else UNKNOWN


def _parts(
    rule: Rule, columns: Sequence[str], datasets: Sequence[str], means: np.ndarray, *, greater: bool
) -> np.ndarray:
    """Return the parts of the statistic, the smallest counts: shape (draws, parts).

    Larger values speak for the claim.

    Parameters
    ----------
    means : ndarray of shape (draws, data sets, columns)
    """
    at = {name: position for position, name in enumerate(columns)}
    if rule.kind == "contrast":
        row = {name: position for position, name in enumerate(datasets)}
        signed = [(1, rule.plus), (-1, rule.minus)]
        terms = [s * means[:, row[data], at[one]] for s, part in signed for one, data in part]
        return np.asarray(sum(terms))[:, None]
    if rule.kind == "correlation":
        return _correlation(means[:, :, at[rule.x]], means[:, :, at[rule.y]])[:, None]
    if rule.kind in {"count", "no_best"}:
        hits = _hits(rule, columns, means, greater=greater)
        return np.asarray(hits.sum(axis=1))
    summed = _over_datasets(rule, means, greater=greater)
    if rule.kind == "better":
        others = [at[name] for name in _others(rule, columns)]
        return np.asarray(summed[:, others] - summed[:, [at[rule.pipeline]]])
    chosen = summed[:, [at[name] for name in rule.pipelines]]
    if rule.kind == "order":
        return np.asarray(np.diff(chosen, axis=1))
    return np.asarray(-np.ptp(chosen, axis=1, keepdims=True))


def _others(rule: Rule, columns: Sequence[str]) -> list[str]:
    return [name for name in rule.than or columns if name != rule.pipeline]


def _hits(rule: Rule, columns: Sequence[str], means: np.ndarray, *, greater: bool) -> np.ndarray:
    """Tell for each draw and data set whether it counts: shape (draws, data sets, alternatives)."""
    ordered = -means if greater else means
    if rule.kind == "no_best":
        return np.asarray(ordered > ordered.min(axis=2, keepdims=True) + rule.margin)
    own = [list(columns).index(rule.pipeline)]
    others = [list(columns).index(name) for name in _others(rule, columns)]
    best = ordered[:, :, others].min(axis=2, keepdims=True)
    return np.asarray(ordered[:, :, own] <= best + rule.margin)


def _correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row; 0 if one is constant."""
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    products = (x * y).sum(axis=1)
    return np.asarray(np.divide(products, size, out=np.zeros(len(x)), where=size > 0))


def _over_datasets(rule: Rule, means: np.ndarray, *, greater: bool) -> np.ndarray:
    """Sum up the data sets: shape (draws, columns), smaller is better."""
    if rule.by == "rank":
        from scipy.stats import rankdata

        return np.asarray(rankdata(-means if greater else means, axis=2).mean(axis=1))
    if rule.by == "robustness":
        raised = np.maximum(means, rule.floor)
        best = raised.max(axis=2, keepdims=True) if greater else raised.min(axis=2, keepdims=True)
        return np.asarray(np.median(best / raised if greater else raised / best, axis=1))
    return np.asarray((-means if greater else means).mean(axis=1))


def samples(rule: Rule, results: Results) -> tuple[list[str], list[Sample]]:
    """Return the columns that a rule compares, and their values on each data set.

    Raises
    ------
    ilk.InputError
        If the rule names a data set that there is not, or a quantity cannot be computed.
    """
    every = [one.label for one in results.design.datasets]
    datasets = list(rule.datasets) or every
    if rule.kind == "contrast":
        datasets = list(dict.fromkeys(data for _, data in (*rule.plus, *rule.minus)))
    for name in datasets:
        if name not in every:
            hint = ilk.did_you_mean(name, every)
            raise ilk.InputError(f"there is no data set {name!r}{hint}")
    if rule.of == "ensemble":
        return [*ENSEMBLE], [_of_ensemble(rule, results, name) for name in datasets]
    columns = _columns(rule, results)
    make = _scores if rule.of == "score" else _terms
    return columns, [make(rule, results, name, columns) for name in datasets]


def _columns(rule: Rule, results: Results) -> list[str]:
    """Pipelines that a rule compares, in the order of the experiment."""
    every = [one.label for one in results.design.pipelines]
    named = {name for _, name in rule.named()}
    everyone = rule.kind in {"better", "count", "no_best"} and not (rule.than or rule.pipelines)
    return [name for name in every if everyone or name in named]


def _measure(rule: Rule, results: Results) -> tuple[str, ilk.Measure]:
    label = rule.measure or results.measure
    known = results.design.measures
    if label not in known:
        hint = ilk.did_you_mean(label, list(known))
        raise ilk.InputError(f"the experiment has no measure {label!r}{hint}")
    if known[label].pooled:
        raise ilk.InputError(f"{label} is pooled over the folds; a measure of splits is needed")
    return label, known[label]


def _scores(rule: Rule, results: Results, dataset: str, columns: Sequence[str]) -> Sample:
    label = _measure(rule, results)[0]
    rows = results.scores
    rows = rows[(rows["measure"] == label) & (rows["dataset"] == dataset)]
    wide = rows.pivot(index=["repeat", "fold"], columns="pipeline", values="value")
    wide = wide.reindex(columns=list(columns))
    if wide.empty or wide.isna().to_numpy().any():
        raise ilk.InputError(f"{label} is not known of all pipelines on {dataset}")
    return Sample(dataset, wide.to_numpy(dtype=float), _ratio(results, dataset))


def _ratio(results: Results, dataset: str) -> float:
    """Test cases per training case, the mean over the splits."""
    scheme = ilk.display_name(results.design.resampling)
    if scheme in OVERLAPPING:
        raise ilk.InputError(f"the rule does not fit the resampling {scheme}")
    with results.reading() as store:
        sizes = store.split_sizes()
    cells = [cell for cell in results.design.cells if results.design.dataset(cell) == dataset]
    pairs = [sizes[key] for key in dict.fromkeys(cell.split_key for cell in cells)]
    return float(np.mean([n_test / n_train for n_train, n_test in pairs]))


def _terms(rule: Rule, results: Results, dataset: str, columns: Sequence[str]) -> Sample:
    """Bias or variance of each case, by Kohavi and Wolpert, with pseudo-values of the repeats."""

    def terms(part: Results) -> np.ndarray:
        found = [of_results(part, dataset=dataset, pipeline=name) for name in columns]
        return np.stack([one.bias if rule.of == "bias" else one.variance for one in found], axis=1)

    values = terms(results)
    repeats = sorted({cell.repeat for cell in results.design.cells})
    groups = [[*map(int, one)] for one in np.array_split(repeats, min(len(repeats), _GROUPS))]
    if len(groups) < 3:  # the terms need two predictions of each case
        return Sample(dataset, values, repeats=np.empty((0, len(columns))))
    others = [[one for one in repeats if one not in group] for group in groups]
    without = np.stack([terms(results.filter(repeat=part)).mean(axis=0) for part in others])
    pseudo = len(groups) * values.mean(axis=0) - (len(groups) - 1) * without
    return Sample(dataset, values, repeats=pseudo)


_GROUPS = 8
"""Of repeats, that the jackknife of bias and variance leaves out in turn."""


def _of_ensemble(rule: Rule, results: Results, dataset: str) -> Sample:
    """Errors of members and ensemble, uplift and diversity, split by split."""
    by_split: dict[tuple[int, int], dict[str, ilk.Prediction]] = {}
    for name in (*rule.members, rule.ensemble):
        for cell, prediction in results.predictions(dataset, name):
            by_split.setdefault((cell.repeat, cell.fold), {})[name] = prediction
    rows = [_ensemble_row(rule, by_split[split]) for split in sorted(by_split)]
    return Sample(dataset, np.array(rows), _ratio(results, dataset))


def _ensemble_row(rule: Rule, predictions: dict[str, ilk.Prediction]) -> list[float]:
    """Return the quantities of one split, in the order of `ENSEMBLE`."""
    whole = predictions[rule.ensemble]
    answers = np.stack([predictions[name].labels for name in rule.members])
    members = float((answers != whole.truth).mean())
    ensemble = float((whole.labels != whole.truth).mean())
    if rule.diversity == "entropy":
        spread = diversity.entropy(answers)
    elif rule.diversity == "fail_disagreement":
        spread = diversity.mean_of_pairs(diversity.fail_disagreement(answers, whole.truth))
    else:
        spread = diversity.mean_of_pairs(diversity.plain_disagreement(answers))
    independent = float(theory.ensemble_error(len(answers), members))
    return [members, ensemble, members - ensemble, spread, independent]


def _value(rule: Rule) -> Finding:
    """Compare a value of the theory with the text's number; it has no interval."""
    value = theory_value(rule.function, rule.arguments)
    gap = -abs(value - rule.equals)
    verdict = HOLDS if gap >= -rule.margin else FAILS
    return Finding("", verdict, value)


def in_words(rule: Rule, measure: str) -> str:
    """State a rule as a sentence; `measure` is the experiment's first."""
    if rule.kind == "value":
        given = ", ".join(f"{key} = {value}" for key, value in (rule.arguments or {}).items())
        return f"{rule.function}({given}) is {rule.equals:g}, up to {rule.margin:g}"
    what = rule.measure or measure if rule.of == "score" else rule.of
    sums = {"robustness": f"median ratio of {what} to the best", "rank": f"mean rank by {what}"}
    quantity = sums.get(rule.by, what)
    by = f" by more than {rule.margin:g}" if rule.margin else ""
    than = ", ".join(rule.than) or "all others"
    listed = ", ".join(rule.pipelines)
    named = {"diversity": f"diversity ({rule.diversity})"} if rule.of == "ensemble" else {}
    x, y = (named.get(name, name) for name in (rule.x, rule.y))
    return {
        "better": f"{quantity}: {rule.pipeline} is better than {than}{by}",
        "order": f"{quantity}: from best to worst {listed}{by and f', each{by}'}",
        "equal": f"{quantity}: {listed} differ by less than {rule.margin:g}",
        "count": f"{what}: {rule.pipeline} is at least as good as {than} on at least "
        f"{rule.at_least} data sets",
        "no_best": f"{what}: none of {listed or 'all pipelines'} is best on every data set",
        "contrast": f"{what}: {_listed(rule.plus)} exceed {_listed(rule.minus)}{by}",
        "correlation": f"{y} rises with {x}: their correlation over the data sets is "
        f"above {rule.margin:g}",
    }[rule.kind]


def _listed(places: Sequence[tuple[str, str]]) -> str:
    """Write places by pipeline: ``bagging on iris, wine + 2 AdaBoost on iris``."""
    counts = Counter(places)
    groups: dict[str, list[str]] = {}
    for (pipeline, dataset), number in counts.items():
        name = pipeline if number == 1 else f"{number} {pipeline}"
        groups.setdefault(name, []).append(dataset)
    return " + ".join(f"{name} on {', '.join(data)}" for name, data in groups.items())
