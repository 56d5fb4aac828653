"""Claims of the source texts as files: statement, experiment, and the rules of the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Any

import ilk
from ilk import Many, Param, Table
from ilk_evaluation import theory
from ilk_evaluation.plan.design import distinct
from ilk_evaluation.plan.experiment_file import Experiment, read
from ilk_evaluation.plan.keys import canonical, digest

FOLDER = Path(__file__).parent
"""The claims that come along."""
TEXTS = {
    "arras": "Arras, Supervised Learning (slides), part 3",
    "cunningham": "Cunningham, Cord and Delany (2008), Supervised Learning",
    "evaluation": "System Evaluation (slides)",
    "ntoutsi": "Ntoutsi and Schubert (2015), multi-view data and ensembles (slides)",
    "zaidi": "Zaidi (2011), Metric Learning and Scale Estimation (thesis)",
}
THEORY = ("condorcet", "cover_count", "ensemble_error", "separable_share", "test_set_size")
ENSEMBLE = ("members", "ensemble", "uplift", "diversity", "independent")
"""Columns of the quantity `ensemble`, by which its rules name what they compare."""
OVERLAPPING = ("bootstrap", "bootstrap_632", "resubstitution", "learning_curve")
"""Resamplings whose splits have no ratio of test cases to training cases to correct by."""

_SHARED = ("of", "measure", "datasets", "margin", "members", "ensemble", "diversity")
_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "better": (("pipeline",), ("than", "by", "floor", *_SHARED)),
    "order": (("pipelines",), ("by", "floor", *_SHARED)),
    "equal": (("pipelines", "margin"), ("by", "floor", *_SHARED)),
    "count": (("pipeline", "at_least"), ("than", *_SHARED)),
    "contrast": (("plus", "minus"), _SHARED),
    "correlation": (("x", "y"), _SHARED),
    "no_best": ((), ("pipelines", *_SHARED)),
    "value": (("function", "equals"), ("arguments", "margin")),
}
"""Required and optional keys of each kind of rule."""

_CLAIM = Table(
    {
        "text": Param(choices=tuple(TEXTS), doc="Which of the five texts."),
        "place": Param(str, doc="Section, figure or table of the text."),
        "statement": Param(str, doc="The claim, in our words."),
        "protocol": Param(str, doc="How it is tested here, and what differs from the text."),
        "number": Param(str, doc="What the text reports."),
        "seconds": Param(float, gt=0, doc="Seconds that one repeat takes, about, on two cores."),
    },
    required=("text", "place", "statement", "protocol"),
    defaults={"number": "", "seconds": 10.0},
)
_NAMES = Param(list, items=Param(str))
_PLACES = Param(list, items=Param(list, items=Param(str)))
_RULE = Table(
    {
        "kind": Param(choices=tuple(_KEYS), doc="Form of the comparison."),
        "of": Param(choices=("score", "bias", "variance", "ensemble"), doc="Compared quantity."),
        "measure": Param(str, doc="Measure of the experiment; its first if left out."),
        "by": Param(choices=("mean", "robustness", "rank"), doc="How data sets are summed up."),
        "pipeline": Param(str, doc="The one that the claim is about."),
        "than": _NAMES,
        "pipelines": _NAMES,
        "datasets": _NAMES,
        "at_least": Param(int, ge=1, doc="Number of data sets."),
        "plus": _PLACES,
        "minus": _PLACES,
        "x": Param(str),
        "y": Param(str),
        "members": _NAMES,
        "ensemble": Param(str, doc="The pipeline that combines the members."),
        "diversity": Param(choices=("plain_disagreement", "fail_disagreement", "entropy")),
        "floor": Param(float, ge=0, doc="Smallest error in a ratio of robustness."),
        "function": Param(choices=THEORY),
        "arguments": Param(dict),
        "equals": Param(float),
        "margin": Param(
            float, ge=0, lt=inf, doc="The least difference that counts, fixed before a run."
        ),
    },
    required=("kind",),
)
_GRAMMAR = Table({"claim": _CLAIM, "rules": Many(_RULE)}, required=("claim", "rules"))


@dataclass(frozen=True)
class Rule:
    """A rule of verdicts; the fields are the keys of ``[[rules]]``."""

    kind: str
    of: str = "score"
    measure: str | None = None
    by: str = "mean"
    pipeline: str = ""
    than: tuple[str, ...] = ()
    pipelines: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    at_least: int = 1
    plus: tuple[tuple[str, str], ...] = ()
    minus: tuple[tuple[str, str], ...] = ()
    x: str = ""
    y: str = ""
    members: tuple[str, ...] = ()
    ensemble: str = ""
    diversity: str = "plain_disagreement"
    floor: float = 0.001
    function: str = ""
    arguments: Mapping[str, Any] | None = None
    equals: float = 0.0
    margin: float = 0.0

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the keys that name pipelines (or columns of the quantity), each with a name."""
        for key in ("pipeline", "x", "y"):
            if getattr(self, key):
                yield key, getattr(self, key)
        for key in ("than", "pipelines"):
            yield from ((key, name) for name in getattr(self, key))
        for key in ("plus", "minus"):
            yield from ((key, place[0]) for place in getattr(self, key) if place)


@dataclass(frozen=True)
class Claim:
    """A claim of a text, with the experiment and the rules that decide about it.

    Attributes
    ----------
    id : str
        The stem of its file.
    text, place, statement, protocol, number : str
    seconds : float
        Predicted time of one repeat.
    rules : tuple of Rule
        All must hold.
    spec : ilk.Spec
        The tables of the experiment; empty if the rules need none.
    digest : str
        Of rules and experiment: a verdict is about this form of the claim.
    """

    id: str
    text: str
    place: str
    statement: str
    protocol: str
    number: str
    seconds: float
    rules: tuple[Rule, ...]
    spec: ilk.Spec
    digest: str

    @property
    def has_experiment(self) -> bool:
        """Whether a rule needs an experiment."""
        return any(rule.kind != "value" for rule in self.rules)

    @property
    def measure(self) -> str:
        """The first measure of the experiment."""
        first: Any = self.spec.data.get("evaluation", {}).get("measures", ["error"])[0]
        return str(first["use"] if isinstance(first, Mapping) else first)

    def experiment(self, store: Path | None = None, repeats: int | None = None) -> Experiment:
        """Return the checked experiment, with another store and number of repeats.

        Raises
        ------
        ilk.SpecError
            Listing all problems, with file and line.
        """
        data = dict(self.spec.data)
        if repeats is not None:
            data["evaluation"] = {**data.get("evaluation", {}), "resampling": self._with(repeats)}
        spec = ilk.Spec(data, self.spec.path, self.spec.lines)
        return read(spec, store or Path(f"{self.id}.sqlite"), trust=False)

    def check_datasets(self, labels: Sequence[str]) -> None:
        """Raise SpecError if a rule names or counts data sets that the experiment lacks."""
        problems = []
        for position, rule in enumerate(self.rules):
            there = len(rule.datasets or labels)
            if rule.kind == "count" and rule.at_least > there:
                message = f"must be at most the number of data sets, {there}"
                problems.append(ilk.Problem(("rules", position, "at_least"), message))
            named = [("datasets", name) for name in rule.datasets]
            named += [(key, place[1]) for key in ("plus", "minus") for place in getattr(rule, key)]
            for key, name in dict.fromkeys(named):
                if name not in labels:
                    message = f"there is no data set {name!r}{ilk.did_you_mean(name, labels)}"
                    full = f"{message} (there are: {', '.join(labels)})"
                    problems.append(ilk.Problem(("rules", position, key), full))
        if problems:
            raise ilk.SpecError([*map(self.spec.locate, problems)])

    def _with(self, repeats: int) -> Any:
        """Return the resampling with a number of repeats, if it has one."""
        given = self.spec.data.get("evaluation", {}).get("resampling", "repeated_kfold")
        table = {"use": given} if isinstance(given, str) else dict(given)
        cls: Any = ilk.registry("resampling").get(table["use"])
        return {**table, "repeats": repeats} if "repeats" in cls.parameters else table


def load_claims(
    folder: Path | None = None, ids: Sequence[str] = (), *, check: bool = False
) -> dict[str, Claim]:
    """Read claims, by id.

    Parameters
    ----------
    folder : Path, optional
        By default that of the claims that come along.
    ids : sequence of str
        Read these only; all of them if empty.
    check : bool
        Whether to check the experiments, too.

    Raises
    ------
    ilk.InputError
        If there is no claim of an id, or none at all.
    ilk.SpecError
        Listing all problems of all files, with file and line.
    """
    paths = {path.stem: path for path in sorted((folder or FOLDER).glob("*.toml"))}
    for name in ids:
        if name not in paths:
            hint = ilk.did_you_mean(name, list(paths))
            raise ilk.InputError(f"there is no claim {name!r}{hint}; `ilk claims` lists them")
    if not paths:
        raise ilk.InputError(f"{folder or FOLDER}: there is no claim, a file *.toml, in it")
    found: dict[str, Claim] = {}
    problems: list[ilk.Problem] = []
    for name in ids or paths:
        try:
            found[name] = read_claim(paths[name], check=check)
        except ilk.SpecError as error:
            problems += error.problems
    if problems:
        raise ilk.SpecError(problems)
    return found


def read_claim(path: Path, *, check: bool = True) -> Claim:
    """Read a claim from its file.

    Raises
    ------
    ilk.SpecError
        Listing all problems, with file and line.
    """
    whole = ilk.load_spec(path)
    own = {key: value for key, value in whole.data.items() if key in {"claim", "rules"}}
    rest = {key: value for key, value in whole.data.items() if key not in own}
    spec = ilk.Spec(rest, whole.path, whole.lines)
    problems: list[ilk.Problem] = []
    claim: Claim | None = None
    try:
        tables = ilk.resolve(ilk.Spec(own, whole.path, whole.lines), grammar=_GRAMMAR).data
        problems += map(whole.locate, _rule_problems(tables["rules"], whole.data["rules"]))
        claim = _claim(path.stem, tables, spec)
    except ilk.SpecError as error:
        problems += error.problems
    if check or claim is None:
        problems += _experiment_problems(claim, spec, whole)
    if problems:
        raise ilk.SpecError(sorted(problems, key=lambda problem: problem.line or 0))
    assert claim is not None
    return claim


def _claim(stem: str, tables: Mapping[str, Any], spec: ilk.Spec) -> Claim:
    known = {field.name for field in fields(Rule)}
    rules = tuple(
        Rule(**{key: _frozen(value) for key, value in table.items() if key in known})
        for table in tables["rules"]
    )
    mark = digest(canonical([tables["rules"], spec.data]))
    return Claim(stem, **tables["claim"], rules=rules, spec=spec, digest=mark[:16])


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _rule_problems(rules: list[Any], written: list[Any]) -> Iterator[ilk.Problem]:
    """Yield the keys that a rule lacks, or that are not for its kind, and unusable values."""
    for position, rule in enumerate(rules):
        kind = rule["kind"]
        required, allowed = _KEYS[kind]
        for key in required:
            if key not in rule:
                yield ilk.Problem(("rules", position), f"a rule of kind {kind} needs {key}")
        for key in written[position]:
            if key not in {"kind", *required, *allowed}:
                also = ", ".join((*required, *allowed))
                message = f"is not for a rule of kind {kind} (keys are: {also})"
                yield ilk.Problem(("rules", position, key), message)
        if rule.get("of") == "ensemble" and not {"members", "ensemble"} <= rule.keys():
            message = "a rule of an ensemble needs members and ensemble, ids of pipelines"
            yield ilk.Problem(("rules", position), message)
        yield from (
            ilk.Problem(("rules", position, *path), message) for path, message in _wrong(rule)
        )


def _wrong(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the paths of values that a rule cannot use, each with the reason."""
    for key in ("plus", "minus"):
        if key in rule and not rule[key]:
            yield (key,), "must not be empty"
        for at, place in enumerate(rule.get(key, ())):
            if len(place) != 2:
                yield (key, at), "must be a list of a pipeline and a data set"
    for key in ("pipelines", "members"):
        if key in rule and len({*rule[key]}) < max(2, len(rule[key])):
            yield (key,), "must be two pipelines or more, each of them once"
    if rule.get("pipeline") in rule.get("than", ()):
        yield ("than",), "must not have the pipeline itself"
    if rule["kind"] == "value" and "function" in rule:
        try:
            theory_value(rule["function"], rule.get("arguments"))
        except ilk.InputError as error:
            yield ("arguments" if "arguments" in rule else "function",), str(error)


def theory_value(function: str, arguments: Mapping[str, Any] | None) -> float:
    """Compute a function of `ilk_evaluation.theory`.

    Raises
    ------
    ilk.InputError
        If it cannot be computed from the arguments.
    """
    try:
        return float(getattr(theory, function)(**dict(arguments or {})))
    except ilk.InputError:
        raise
    except (TypeError, ValueError) as error:
        raise ilk.InputError(f"{function}: {error}") from error


def _experiment_problems(
    claim: Claim | None, spec: ilk.Spec, whole: ilk.Spec
) -> Iterator[ilk.Problem]:
    """Yield the problems of the experiment, and names in rules that it does not have."""
    if claim is not None and not claim.has_experiment and not spec.data:
        return
    if "output" in spec.data:
        message = "is not for a claim: `ilk claims run --store FOLDER` says where cells are stored"
        yield whole.locate(ilk.Problem(("output",), message))
    try:
        experiment = read(spec, Path("claim.sqlite"), trust=False)
    except ilk.SpecError as error:
        yield from error.problems
        return
    if claim is None:
        return
    ids = [table["id"] for table in experiment.pipelines]
    measures = distinct(table["use"] for table in experiment.evaluation["measures"])
    for position, rule in enumerate(claim.rules):
        known = ENSEMBLE if rule.of == "ensemble" else ids
        named = [*((key, name, known) for key, name in rule.named())]
        named += [("members", name, ids) for name in rule.members]
        named += [("ensemble", rule.ensemble, ids)] if rule.ensemble else []
        named += [("measure", rule.measure, measures)] if rule.measure else []
        yield from map(whole.locate, _unusable(position, rule, ids, experiment))
        for key, name, there in named:
            if name not in there:
                what = "measure" if key == "measure" else "pipeline"
                message = f"there is no {what} {name!r}{ilk.did_you_mean(name, there)}"
                full = f"{message} (there are: {', '.join(there)})"
                yield whole.locate(ilk.Problem(("rules", position, key), full))


def _unusable(
    position: int, rule: Rule, ids: Sequence[str], experiment: Experiment
) -> Iterator[ilk.Problem]:
    """Yield why a rule cannot be applied to an experiment whose names are right."""
    everyone = rule.kind in {"better", "count", "no_best"} and not (rule.than or rule.pipelines)
    if everyone and rule.of != "ensemble" and len(ids) < 2:
        yield ilk.Problem(("rules", position), "needs two pipelines, but the experiment has one")
    if rule.of not in {"score", "ensemble"} or rule.kind == "value":
        return
    resampling = experiment.evaluation["resampling"]["use"]
    if resampling in OVERLAPPING:
        message = f"does not fit the resampling {resampling}: training and test cases overlap"
        yield ilk.Problem(("rules", position), message)
    tables = experiment.evaluation["measures"]
    labels = distinct(table["use"] for table in tables)
    pooled = [label for label, table in zip(labels, tables, strict=True) if table.get("pooled")]
    if rule.of == "score" and (rule.measure or labels[0]) in pooled:
        message = f"{rule.measure or labels[0]} is pooled over the folds: a rule compares splits"
        yield ilk.Problem(("rules", position), message)
