"""Predictions of the members of an ensemble: computed now, or read from stored results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from ilk import Cases, Estimator


@dataclass(frozen=True, eq=False)
class MemberLabels:
    """Labels predicted by each of L members for each of n cases; converts to an array.

    Attributes
    ----------
    labels : ndarray of shape (L, n)
    names : tuple of str
        Names of the members.
    truth : ndarray of shape (n,) or None
        True labels, if known.
    """

    labels: np.ndarray
    names: tuple[str, ...]
    truth: np.ndarray | None = None

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.labels, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.labels)


def member_labels(
    source: Any, X: Cases | None = None, *, dataset: str | None = None
) -> MemberLabels:
    """Return the labels that members predict, as input of the diversity measures.

    Parameters
    ----------
    source : fitted ensemble or Results
        A fitted ensemble with ``estimators_`` that predict its classes, or their codes, as in
        scikit-learn; members fitted on some columns get these columns. Or the results of an
        experiment, whose pipelines are taken as members.
    X : data of n rows, optional
        Cases for the members of an ensemble to predict.
    dataset : str, optional
        Name of a data set; required if results have several.

    Returns
    -------
    MemberLabels
        Cases are the rows of X; or, for results, the test cases of all splits, with true labels.

    Raises
    ------
    InputError
        If there are no members, they solve another task than the ensemble (as in ``ecoc`` and
        gradient boosting), X is missing, or stored predictions are missing or rejected.

    Examples
    --------
    >>> import ilk
    >>> from ilk_evaluation import diversity
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> forest = ilk.classifier("random_forest", n_members=5, random_state=0).fit(X[::2], y[::2])
    >>> members = diversity.member_labels(forest, X[1::2])
    >>> members.labels.shape
    (5, 75)
    >>> 0 < diversity.entropy(members) < 0.2
    True
    """
    if hasattr(source, "predictions") and hasattr(source, "design"):
        return _stored(source, dataset)
    if X is None:
        raise InputError("member_labels: X must be given: the members of an ensemble predict it")
    return _asked(source, X)


def _asked(ensemble: Estimator, X: Cases) -> MemberLabels:
    members = _members(ensemble)
    decode = _decoder(ensemble, members)
    columns = _columns(ensemble, len(members))
    labels = [
        decode(member.predict(X if member_columns is None else _some_columns(X, member_columns)))
        for member, member_columns in zip(members, columns, strict=True)
    ]
    return MemberLabels(np.stack(labels), tuple(f"member {i}" for i in range(len(labels))))


def _members(ensemble: Estimator) -> list[Any]:
    members = getattr(ensemble, "estimators_", None)
    if members is None:
        raise InputError(
            f"member_labels: {ilk.display_name(ensemble)} has no estimators_: it is no ensemble, "
            f"or not fitted"
        )
    members = list(members)
    if not members or not all(hasattr(member, "classes_") for member in members):
        raise InputError(
            f"member_labels: the members of {ilk.display_name(ensemble)} are no classifiers"
        )
    return members


def _decoder(ensemble: Any, members: Sequence[Any]) -> Any:
    """Function from a member's predictions to labels: the identity, or decoding of codes."""
    classes = np.asarray(ensemble.classes_)
    seen = {label for member in members for label in np.asarray(member.classes_).tolist()}
    if seen == set(classes.tolist()):
        return np.asarray
    if seen == set(range(len(classes))):
        return lambda codes: classes[np.asarray(codes).astype(int)]
    raise InputError(
        f"member_labels: the members of {ilk.display_name(ensemble)} do not tell its "
        f"{len(classes)} classes apart, but {len(seen)}: {sorted(seen, key=str)[:10]}"
    )


def _columns(ensemble: Estimator, n_members: int) -> list[Any]:
    """Positions of the columns that each member uses, None for all columns."""
    if hasattr(ensemble, "columns_") and hasattr(ensemble, "views_"):
        return [ensemble.columns_[view] for view in ensemble.views_]
    for name in ("estimators_features_", "features_"):
        columns = getattr(ensemble, name, None)
        if columns is not None and len(columns) == n_members:
            return list(columns)
    return [None] * n_members


def _some_columns(X: Cases, columns: np.ndarray) -> Any:
    if ilk.is_table(X):
        return ilk.as_table(X).iloc[:, list(columns)]
    return (X if hasattr(X, "shape") else np.asarray(X))[:, columns]


def _stored(results: Any, dataset: str | None) -> MemberLabels:
    design = results.design
    names = [one.label for one in design.datasets]
    if dataset is None and len(names) > 1:
        raise InputError(f"member_labels: dataset must be one of {', '.join(names)}")
    part = results.filter(dataset=names[0] if dataset is None else dataset)
    places = [part.whole.place(cell) for cell in part.whole.cells]
    splits = sorted({place[2:] for place in places})
    by_pipeline: dict[str, dict[tuple[int, int], ilk.Prediction]] = {
        place[1]: {} for place in places
    }
    for cell, prediction in part.predictions():
        _, pipeline, repeat, fold = part.whole.place(cell)
        by_pipeline[pipeline][repeat, fold] = prediction
    for pipeline, by_split in by_pipeline.items():
        _check_complete(pipeline, by_split, len(splits))
    first = next(iter(by_pipeline.values()))
    return MemberLabels(
        np.stack(
            [
                np.concatenate([own[split].labels for split in splits])
                for own in by_pipeline.values()
            ]
        ),
        tuple(by_pipeline),
        np.concatenate([first[split].truth for split in splits]),
    )


def _check_complete(pipeline: str, by_split: dict[Any, ilk.Prediction], n_splits: int) -> None:
    lacking = n_splits - len(by_split)
    if lacking:
        raise InputError(
            f"member_labels: {pipeline} has no prediction for {lacking} of {n_splits} splits"
        )
    rejected = sum(int(np.count_nonzero(~one.answered)) for one in by_split.values())
    if rejected:
        raise InputError(f"member_labels: {pipeline} rejected {rejected} cases")
