"""Read an experiment: from a file or a dict to checked, canonical tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ilk
from ilk.spec import load
from ilk_evaluation.experiments.checks import experiment_problems
from ilk_evaluation.experiments.grammar import GRAMMAR
from ilk_evaluation.experiments.outputs import output_problems, store_of

Source = str | Path | Mapping[str, Any] | ilk.Spec


@dataclass(frozen=True)
class Experiment:
    """An experiment as it is described: every name found, default filled in and value checked.

    Attributes
    ----------
    spec : ilk.Spec
        As written, with lines.
    name : str
    seed : int
    datasets : list of dict
        Canonical tables of components.
    pipelines : list of dict
        Tables with ``id`` and canonical ``steps``.
    evaluation, run : dict
        As the grammar has them, canonical.
    store : Path or None
        None: nothing outlives the process.
    """

    spec: ilk.Spec
    name: str
    seed: int
    datasets: list[dict[str, Any]]
    pipelines: list[dict[str, Any]]
    evaluation: dict[str, Any]
    run: dict[str, Any]
    store: Path | None

    def error(self, *problems: ilk.Problem) -> ilk.SpecError:
        """Return the error that lists problems with file and line."""
        return ilk.SpecError([self.spec.locate(problem) for problem in problems])


def read(source: Source, store: str | Path | None = None, *, trust: bool = True) -> Experiment:
    """Read and check an experiment; no data is loaded yet.

    Parameters
    ----------
    source : path, dict or ilk.Spec
    store : path, optional
        Takes the place of the file's ``[output] store``.
    trust : bool
        Whether a file may name addresses, and outputs outside its folder and the working folder.

    Raises
    ------
    ilk.SpecError
        With everything that is wrong, in the order of the file.
    """
    spec = _spec(source)
    problems: list[ilk.Problem] = []
    try:
        tables = ilk.resolve(spec, grammar=GRAMMAR, trust=trust).data
    except ilk.SpecError as error:
        problems, tables = error.problems, None
    found = [*experiment_problems(spec.data, tables)]
    if tables is not None and store is None:
        found += output_problems(spec, tables, trust=trust)
    problems += map(spec.locate, found)
    if problems:
        raise ilk.SpecError(sorted(problems, key=lambda problem: problem.line or 0))
    stem = spec.path.stem if spec.path else "experiment"
    return Experiment(
        spec,
        tables["experiment"].get("name", stem),
        tables["experiment"]["seed"],
        tables["datasets"],
        tables["pipelines"],
        tables["evaluation"],
        tables["run"],
        store_of(spec, tables) if store is None else Path(store),
    )


def _spec(source: Source) -> ilk.Spec:
    if isinstance(source, str | Path):
        return load(source)
    return source if isinstance(source, ilk.Spec) else ilk.Spec(_as_tables(source))


def _as_tables(source: Mapping[str, Any]) -> dict[str, Any]:
    """Write a splitter of scikit-learn as the table that names it; all else stays."""
    evaluation: Any = source.get("evaluation")
    given = evaluation.get("resampling") if isinstance(evaluation, Mapping) else None
    if not hasattr(given, "get_n_splits"):
        return dict(source)
    from ilk_evaluation.resamplings.sklearn_splitters import table_of

    return {**source, "evaluation": {**evaluation, "resampling": table_of(given) or given}}
