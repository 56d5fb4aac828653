"""Read an experiment from a file or a dict: its grammar, further checks, canonical tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ilk
from ilk import FilePath, Many, Param, Table, load_spec, short_repr
from ilk_evaluation.plan.expansion import Expanded, expand
from ilk_evaluation.plan.predictors import USUAL_MEASURE, fit_evaluation

Source = str | Path | Mapping[str, Any] | ilk.Spec


@dataclass(frozen=True)
class Experiment:
    """An experiment as described: names resolved, defaults filled in, values checked.

    Attributes
    ----------
    spec : Expanded
        Shared steps and families written out; problems get the line as written.
    resolved : ilk.Resolved
        The same, checked; its parts are built without checking them again.
    name : str
    seed : int
    datasets : list of dict
        Canonical tables of components.
    pipelines : list of dict
        Tables with ``id`` and canonical ``steps``.
    evaluation, run : dict
        Canonical tables of the grammar.
    store : Path or None
        None: a temporary store, removed with the process.
    predictor : str
        Kind of the last step of every pipeline.
    """

    spec: Expanded
    resolved: ilk.Resolved
    name: str
    seed: int
    datasets: list[dict[str, Any]]
    pipelines: list[dict[str, Any]]
    evaluation: dict[str, Any]
    run: dict[str, Any]
    store: Path | None
    predictor: str = "classifier"

    def error(self, *problems: ilk.Problem) -> ilk.SpecError:
        """Return the error that lists problems with file and line."""
        return ilk.SpecError([self.spec.locate(problem) for problem in problems])


def read(source: Source, store: str | Path | None = None, *, trust: bool = True) -> Experiment:
    """Read and check an experiment; no data is loaded yet.

    Parameters
    ----------
    source : path, dict or ilk.Spec
    store : path, optional
        Replaces the file's ``[output] store``.
    trust : bool
        Whether a file may name addresses, and outputs outside its own and the working folder.

    Raises
    ------
    ilk.SpecError
        Listing all problems in the order of the file.
    """
    spec, unexpanded = expand(_spec(source))
    problems: list[ilk.Problem] = []
    try:
        resolved = ilk.resolve(spec, grammar=GRAMMAR, trust=trust, objects=True)
        tables = resolved.data
    except ilk.SpecError as error:
        problems, tables = error.problems, None
    found = [*_experiment_problems(spec, tables)]
    if tables is not None and store is None:
        found += _output_problems(spec, tables, trust=trust)
    kinds = []
    if tables is not None and not found:
        kinds = [str(_kind(pipeline["steps"][-1])) for pipeline in tables["pipelines"]]
        found += fit_evaluation(kinds, spec.data, resolved)
    problems += map(spec.locate, found)
    problems = unexpanded + [one for one in problems if not _follows(one, unexpanded)]
    if problems:  # a problem of shared steps is found once for each pipeline
        by_line = sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)
        raise ilk.SpecError(by_line)
    stem = spec.path.stem if spec.path else "experiment"
    return Experiment(
        spec,
        resolved,
        tables["experiment"].get("name", stem),
        tables["experiment"]["seed"],
        tables["datasets"],
        tables["pipelines"],
        tables["evaluation"],
        tables["run"],
        _store_of(spec, tables) if store is None else Path(store),
        kinds[0],
    )


def _spec(source: Source) -> ilk.Spec:
    if isinstance(source, str | Path):
        return load_spec(source)
    return source if isinstance(source, ilk.Spec) else ilk.Spec(_as_tables(source))


def _follows(problem: ilk.Problem, unexpanded: list[ilk.Problem]) -> bool:
    """Tell whether a problem may follow from a pipeline or default steps not written out."""
    broken = {one.path[: 1 if one.path[0] == "defaults" else 2] for one in unexpanded}
    return ("defaults",) in broken or problem.path[:2] in broken


def _as_tables(source: Mapping[str, Any]) -> dict[str, Any]:
    """Replace a scikit-learn splitter by the table that names it."""
    evaluation: Any = source.get("evaluation")
    given = evaluation.get("resampling") if isinstance(evaluation, Mapping) else None
    if not hasattr(given, "get_n_splits"):
        return dict(source)
    from ilk_evaluation.resamplings.sklearn_splitters import table_of

    return {**source, "evaluation": {**evaluation, "resampling": table_of(given) or given}}


_EXPERIMENT = Table(
    {
        "name": Param(str, doc="Title of the report; the file's name if left out."),
        "seed": Param(int, ge=0, le=2**63 - 1, doc="Decides the splits and every random state."),
    },
    defaults={"seed": 0},
)
_INSERTED = {"required": ["use_steps"]}
_STEPS = {
    "items": {
        "anyOf": [
            {"$ref": "#/$defs/step"},
            {
                "description": "Inserts the steps of the pipeline with this id.",
                "type": "object",
                "properties": {"use_steps": {"type": "string"}},
                "additionalProperties": False,
                **_INSERTED,
            },
        ]
    }
}
_DEFAULTS = Table(
    {
        "steps": Param(
            slot="step",
            many=list,
            doc="Stand before the steps of every pipeline without defaults = false.",
            schema=_STEPS,
        )
    },
    required=("steps",),
)
_PREDICTING = [{"required": [kind]} for kind in USUAL_MEASURE]
_PIPELINE = Table(
    {
        "id": Param(
            str, doc="Name in the tables, unique in the file.", schema={"pattern": r"^\S(.*\S)?$"}
        ),
        "steps": Param(
            slot="step",
            many=list,
            doc="The last one predicts: a classifier, regressor, detector or clusterer, of one "
            "kind in all pipelines; { use_steps = ID } inserts another's steps.",
            schema={
                **_STEPS,
                "contains": {"anyOf": [*_PREDICTING, _INSERTED]},
                "allOf": [
                    {
                        "contains": {"anyOf": _PREDICTING},
                        "minContains": 0,
                        "maxContains": 1,
                    }
                ],
            },
        ),
        "defaults": Param(bool, doc="Whether the steps of [defaults] stand before its own."),
        "grid": Param(
            dict,
            doc="Lists of values by the paths of parameters, as classifier.k = [1, 3]: makes a "
            "family of pipelines with ids such as ID[k=3].",
            schema={
                "minProperties": 1,
                "additionalProperties": {
                    "anyOf": [
                        {"type": "array", "minItems": 1, "uniqueItems": True},
                        {"$ref": "#/properties/pipelines/items/properties/grid"},
                    ]
                },
            },
        ),
        "datasets": Param(
            list,
            items=Param(str),
            doc="Titles of the data sets to try it on; all of them if left out.",
            schema={"minItems": 1, "uniqueItems": True},
        ),
    },
    required=("id", "steps"),
)
_EVALUATION = Table(
    {
        "resampling": Param(slot="resampling", doc="Which cases train and which test."),
        "measures": Param(
            slot="measure",
            many=list,
            doc="The first ranks the pipelines and feeds comparisons; default of regressors: "
            "rmse, of detectors: roc_auc, of clusterers: adjusted_rand.",
            schema={"minItems": 1, "uniqueItems": True},
        ),
        "comparisons": Param(
            slot="comparison",
            many=list,
            doc="Statistical tests at the end.",
            schema={"uniqueItems": True},
        ),
        "outliers": Param(
            (str, int), doc="Class of the outliers, for detectors; the rarest if left out."
        ),
        "train_on": Param(
            choices=("inliers", "all"),
            doc="What detectors train on: the inliers of the training cases (if left out), or all.",
        ),
    },
    defaults={"resampling": "repeated_kfold", "measures": ["error"], "comparisons": []},
)
_RUN = Table(
    {
        "executor": Param(slot="executor", doc="Runs the cells."),
        "on_error": Param(
            choices=("record", "raise", "fallback"),
            doc="Record a failed cell and go on, stop at it, or let the fallback answer.",
        ),
        "fallback": Param(
            slot="classifier",
            doc="Answers where a classifier fails. For other predictors the answer is fixed: the "
            "mean of the training targets, inliers only, one cluster.",
        ),
        "share": Param(
            bool,
            doc="Whether steps with which several pipelines begin are fitted once for each split; "
            "results are the same.",
        ),
    },
    defaults={"executor": "serial", "on_error": "record", "share": True},
)
_OUTPUT = Table({"store": Param(FilePath, doc="SQLite file, relative to the experiment's file.")})
GRAMMAR = Table(
    {
        "experiment": _EXPERIMENT,
        "datasets": Param(
            slot="dataset",
            many=list,
            doc="Data sets on which the pipelines are tried.",
            schema={"minItems": 1, "uniqueItems": True},
        ),
        "defaults": _DEFAULTS,
        "pipelines": Many(_PIPELINE),
        "evaluation": _EVALUATION,
        "run": _RUN,
        "output": _OUTPUT,
    },
    required=("datasets", "pipelines"),
    defaults={"experiment": {}, "evaluation": {}, "run": {}, "output": {}},
)
SUFFIX = ".sqlite"


def _store_of(spec: ilk.Spec, tables: Mapping[str, Any]) -> Path | None:
    """Return the store a file names, or ``results/<stem>.sqlite`` beside it."""
    chosen = tables["output"].get("store")
    if chosen is not None:
        return Path(chosen)
    return spec.path.parent / "results" / f"{spec.path.stem}{SUFFIX}" if spec.path else None


def _output_problems(
    spec: ilk.Spec, tables: Mapping[str, Any], *, trust: bool
) -> Iterator[ilk.Problem]:
    """Yield the problems of the store of a file; links are resolved before the check.

    Parameters
    ----------
    spec : ilk.Spec
    tables : mapping
        Canonical.
    trust : bool
        Whether the store may lie in any folder.
    """
    store = _store_of(spec, tables)
    if spec.path is None or store is None:  # tables from Python are the caller's own
        return
    real = Path(os.path.realpath(store))
    if real.suffix != SUFFIX:
        yield ilk.Problem(("output", "store"), f"must end in {SUFFIX}, got {str(real)!r}")
    allowed = {os.path.realpath(folder) for folder in (spec.path.parent, Path.cwd())}
    if not trust and not any(map(real.is_relative_to, allowed)):
        yield ilk.Problem(
            ("output", "store"),
            f"{str(real)!r} is neither in the folder of the file nor in the working folder: "
            f"name it on the command line (--store), or say --trust",
        )


def data_outside(spec: ilk.Spec, datasets: list[dict[str, Any]]) -> list[str]:
    """Return the paths of data sets that lie outside the folder of their file."""
    if spec.path is None:
        return []
    folder = os.path.realpath(spec.path.parent)
    paths = [os.path.realpath(path) for table in datasets for path in _paths(table)]
    return [path for path in dict.fromkeys(paths) if not Path(path).is_relative_to(folder)]


def _paths(table: dict[str, Any]) -> Iterator[str]:
    cls: Any = ilk.registry("dataset").get(table["use"])
    parameters = cls.parameters
    for name, value in table.items():
        if value is not None and name in parameters and ilk.FilePath in parameters[name].types:
            yield value


def _experiment_problems(spec: Expanded, tables: Any) -> Iterator[ilk.Problem]:
    """Yield the problems of an experiment beyond those of its grammar.

    Parameters
    ----------
    spec : Expanded
    tables : mapping or None
        Canonical; None where the grammar found a problem.
    """
    written = spec.data
    if not isinstance(written, Mapping):
        return
    evaluation = written.get("evaluation")
    canonical = tables["evaluation"] if tables else evaluation
    yield from _list_problems(("datasets",), written, tables or written, at_least=1)
    yield from _list_problems(("evaluation", "measures"), evaluation, canonical, at_least=1)
    yield from _list_problems(("evaluation", "comparisons"), evaluation, canonical, at_least=0)
    yield from _name_problems(written.get("experiment"))
    yield from _pipeline_problems(written.get("pipelines"), spec)


def _list_problems(
    path: tuple[str, ...], written: object, canonical: Any, *, at_least: int
) -> Iterator[ilk.Problem]:
    """Check a list of components: its length and that no item occurs twice."""
    key = path[-1]
    if not isinstance(written, Mapping) or not isinstance(written.get(key), list):
        return
    items = canonical[key]
    if len(items) < at_least:
        yield ilk.Problem(path, f"needs at least {at_least}, got an empty list")
    for position, item in enumerate(items):
        first = items.index(item)
        if first < position:
            yield ilk.Problem(
                (*path, position), f"is the same as {'.'.join(path)}[{first}]; leave one out"
            )


def _name_problems(experiment: Any) -> Iterator[ilk.Problem]:
    """Check the name of the experiment; by default it is the name of the file."""
    name = experiment.get("name") if isinstance(experiment, Mapping) else None
    if isinstance(name, str) and not name.isprintable():
        yield ilk.Problem(("experiment", "name"), f"must be printable, got {name!r}")


def _pipeline_problems(pipelines: Any, spec: Expanded) -> Iterator[ilk.Problem]:
    if not isinstance(pipelines, list):
        return
    first: dict[str, int] = {}
    for position, pipeline in enumerate(pipelines):
        if not isinstance(pipeline, Mapping):
            continue
        path = ("pipelines", position)
        name = pipeline.get("id")
        if isinstance(name, str):
            if name.strip() and (name != name.strip() or not name.isprintable()):
                rule = "must be printable, without blanks at its ends"
                yield ilk.Problem((*path, "id"), f"{rule}, got {name!r}")
            if not name.strip():
                yield ilk.Problem((*path, "id"), "must not be empty")
            elif first.setdefault(name, position) < position:
                place = spec.original(("pipelines", first[name]))[1]
                yield ilk.Problem(
                    (*path, "id"), f"{name!r} is already the id of pipelines[{place}]"
                )
        chosen = pipeline.get("datasets")
        names = [one for one in chosen if isinstance(one, str)] if isinstance(chosen, list) else []
        if len(names) != len(set(names)):
            yield ilk.Problem(
                (*path, "datasets"), f"must not name one twice, got {short_repr(names)}"
            )
        if chosen == []:
            yield ilk.Problem((*path, "datasets"), "needs at least 1, got an empty list")
        yield from _step_problems(pipeline.get("steps"), (*path, "steps"))


def _step_problems(steps: Any, path: tuple[str | int, ...]) -> Iterator[ilk.Problem]:
    """Check that the last step predicts and no earlier step does."""
    if not isinstance(steps, list | tuple):
        return
    if not steps:
        yield ilk.Problem(path, "a pipeline needs at least one step, its predictor")
        return
    for position, step in enumerate(steps[:-1]):
        kind = _kind(step)
        if kind is not None and ilk.kind_of(kind).role == "final":
            yield ilk.Problem(
                (*path, position), f"a {kind} ends a pipeline, so it must be the last step"
            )
    last = _kind(steps[-1])
    if last not in {None, *USUAL_MEASURE}:
        yield ilk.Problem(
            path,
            f"a pipeline without a predictor: the last step must be one "
            f"({', '.join(USUAL_MEASURE)}), it is of kind {last}{_JUDGED_BY.get(str(last), '')}",
        )


_JUDGED_BY = {
    "editor": "; the cases that an editor keeps are judged by the classifier after it: append "
    '{ classifier = { use = "knn", k = 1 } }',
    "metric_learner": "; a learned metric is judged by the classifier after it: append "
    '{ classifier = "knn" }',
}
"""The remedy for a pipeline that ends in a component that is studied, but predicts nothing."""


def _kind(step: object) -> str | None:
    """The kind of a step; None where the grammar rejects it."""
    kind = None if ilk.step_problem(step) else ilk.kind_and_component(step)[0]
    try:
        found = ilk.kind_of(str(kind))
    except ilk.UnknownComponentError:
        return None
    return found.name if found.name == kind and found.role else None
