"""Functions of plugins with a name in ``ilk``, from the entry-point group ``ilk.functions``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ilk.discovery import found_in
from ilk.errors import BrokenComponentError, UnknownComponentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ilk.discovery import Found

GROUP = "ilk.functions"


def compare(
    pipelines: Mapping[str, Any] | Sequence[Any],
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    resampling: Any = None,
    measures: Any = None,
    comparisons: Any = None,
    store: str | Path | None = None,
    seed: int = 0,
    executor: Any = "serial",
    keep_going: bool = False,
    defaults: Sequence[Any] | None = None,
) -> Any:
    """Compare pipelines on arrays, data frames or data sets, as `ilk run` does by a file.

    Parameters
    ----------
    pipelines : mapping of str to pipeline, or list of pipelines
        A pipeline is the name or table of a classifier, an estimator of ilk or scikit-learn, an
        `ilk.Pipeline`, or a list of steps. A step is a table with one key, its kind, a component,
        an estimator, a pair (name, estimator) or, to transform, a function. Tables may hold such
        objects at any depth: ``{"use": "knn", "distance": function}``. A table of ``steps`` with
        a ``grid``, as ``{"classifier.k": [1, 3]}``, makes a family of pipelines, and a step
        ``{"use_steps": name}`` inserts the steps of another. Its other keys are those of a file:
        ``defaults``, ``datasets``, ``id`` in a list.
    data : frame, array, list, mapping of str to (X, y), or data set
        A data set is `ilk.Data`, the name of one (``"iris"``) or its table.
    y : array of shape (n,), optional
        Labels of the cases in `data`.
    target : str, optional
        Column of the labels of a frame.
    resampling, measures, comparisons : str, table, component or list of them, optional
        By default as in a file: ``"repeated_kfold"``, ``["error"]``, and none.
    store : str or Path, optional
        SQLite file for the predictions: stored ones are not computed again. By default a
        temporary one.
    seed : int, default=0
    executor : str, table or component, default="serial"
    keep_going : bool, default=False
        Record the failures of a pipeline that fails on a few rows, instead of raising them before
        the first fit that counts.
    defaults : list of steps, optional
        Stand before the steps of every pipeline, as ``[defaults] steps`` in a file; a table of
        ``steps`` with ``"defaults": False`` does without.

    Returns
    -------
    Results
        `ilk_evaluation.Results`: ``table()``, ``summary()``, ``verdicts``, ``best()``,
        ``plot("ranks")``, ``report("page.html")``, ``fit(id, X, y)``.

    Raises
    ------
    UnknownComponentError
        If ilk-evaluation is not installed.
    InputError, InputTypeError, SpecError
        If something is not one of these; before any fit. Also if a pipeline fails on up to 60 rows
        of a data set and on its first split, unless `keep_going`.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> results = ilk.compare(["knn", "nearest_mean"], X, y, resampling="stratified_kfold")
    >>> results.best()
    'knn'
    >>> raw = {"steps": [{"classifier": "knn"}], "defaults": False}
    >>> scaled = [{"transformer": "standardize"}]
    >>> results = ilk.compare({"scaled": "knn", "raw": raw}, X, y, defaults=scaled)
    >>> list(results.pivot("error"))
    ['scaled', 'raw']
    """
    return _offered("compare", "ilk-evaluation")(
        pipelines,
        data,
        y,
        target=target,
        resampling=resampling,
        measures=measures,
        comparisons=comparisons,
        store=store,
        seed=seed,
        executor=executor,
        keep_going=keep_going,
        defaults=defaults,
    )


def results(path: str | Path, **options: Any) -> Any:
    """Open the results of an experiment from its store; see `ilk_evaluation.Results`.

    Parameters
    ----------
    path : str or Path
        The SQLite file that ``ilk run`` wrote.
    **options
        ``measures``, a list of names, replaces the measures of the experiment.

    Returns
    -------
    Results
        Tables, verdicts and predictions, with methods to filter, score, aggregate and export.

    Raises
    ------
    UnknownComponentError
        If ilk-evaluation is not installed.

    Examples
    --------
    >>> import ilk
    >>> ilk.results("no.sqlite")
    Traceback (most recent call last):
    ilk_evaluation.run.database.StoreError: no.sqlite: there is no such store
    """
    return _offered("results", "ilk-evaluation")(path, **options)


def _offered(name: str, owner: str) -> Any:
    """Import a function that a distribution offers."""
    found = next((one for one in found_in(GROUP) if one.name == name), None)
    if found is None or found.entry_point is None:
        where = "which is not installed"
        if os.environ.get("ILK_PLUGINS"):
            where = "which is not among ILK_PLUGINS or not installed"
        raise UnknownComponentError(f"ilk.{name} is in {owner}, {where} (pip install {owner})")
    return imported(found, f"ilk.{name}")


def imported(found: Found, title: str) -> Any:
    """Import a function that a distribution offers; an error calls it by its title."""
    assert found.entry_point is not None
    try:
        return found.entry_point.load()
    except Exception as error:
        raise BrokenComponentError(
            f"{title} of {found.distribution} {found.version} ({found.value}) cannot be "
            f"imported: {type(error).__name__}: {error}"
        ) from error
