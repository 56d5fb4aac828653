"""Choice inside a cell: what a classifier that tunes itself chooses its parameters by."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk import Param

_TUNES = "tuned"
_FOLDS = 5


def rows_to_fit(model: ilk.Pipeline, data: ilk.Data, split: ilk.Split) -> np.ndarray:
    """Return the rows that a pipeline learns from, and tell its `tuned` step how to choose.

    A `tuned` classifier that ends the pipeline chooses by the validation cases, if there are
    any, and then learns from them too; without them its inner resampling keeps the groups of the
    data whole, and together the copies of a case that a bootstrap drew several times: one that is
    judged by its own copy would be learned by heart. Test cases have no part in either. Other
    pipelines learn from the training cases.

    Parameters
    ----------
    model : ilk.Pipeline
        With a component in every slot; its last step is changed.
    data, split : ilk.Data, ilk.Split

    Warns
    -----
    UserWarning
        If that cannot be, as an editor before `tuned` decides which cases it sees.
    """
    steps = [_component(step) for step in model.steps]
    last = steps[-1]
    if ilk.display_name(last) != _TUNES:
        return split.train
    together = _together(data, split.train)
    if split.validation is None and together is None:
        return split.train
    if any(hasattr(step, "fit_resample") for step in steps[:-1]):
        lost = "validation cases are unused"
        if split.validation is None:
            lost = f"{'copies of cases' if data.groups is None else 'groups'} are divided"
        warnings.warn(
            f"{_TUNES}: an editor before it chooses the cases that it sees, so where it chooses "
            f"parameters {lost}; the editor can be part of the pipeline that is tuned instead",
            stacklevel=2,
        )
        return split.train
    if split.validation is None:
        last.set_params(resampling=InGroups(last.resampling, together, data.groups is None))
        return split.train
    from sklearn.model_selection import PredefinedSplit  # slow to import, and seldom needed

    part = np.repeat([-1, 0], [len(split.train), len(split.validation)])
    last.set_params(resampling=PredefinedSplit(part))
    return np.concatenate([split.train, split.validation])


def _together(data: ilk.Data, train: np.ndarray) -> np.ndarray | None:
    """Return the code of what each training case stays together with; None if with nothing."""
    names = train if data.groups is None else np.asarray(data.groups)[train]
    values, codes = np.unique(names, return_inverse=True)
    return None if data.groups is None and len(values) == len(names) else codes


def _component(step: Any) -> Any:
    return next(iter(step.values())) if isinstance(step, Mapping) else step


class InGroups(ilk.Resampling):
    """Another resampling, which is given groups that the data do not bring along.

    Parameters
    ----------
    resampling : resampling, splitter of scikit-learn, or None
        None: ``stratified_kfold`` of at most 5 folds, small classes spread.
    known : array of int, shape (n,)
        Group of each case.
    copies : bool, default=False
        Whether groups are copies of a case.

    Raises
    ------
    InputError
        If the other resampling cannot keep them together.
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "resampling": Param(slot="resampling", none=True, doc="What divides."),
        "known": Param(ilk.Array, doc="Group of each case."),
        "copies": Param(bool, doc="Whether groups are copies of a case."),
    }

    def __init__(self, resampling: Any = None, known: Any = (), copies: bool = False) -> None:
        self.resampling = resampling
        self.known = known
        self.copies = copies

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        scheme = self._scheme()
        if hasattr(scheme, "splits"):
            try:
                yield from scheme.splits(X, y, self.known, random_state=random_state)
            except ilk.InputError as error:
                if not self.copies:
                    raise
                raise ilk.InputError(
                    f"{_TUNES}: copies of a case that was drawn several times are a group: {error}"
                ) from None
            return
        drawn = scheme.split(np.zeros(ilk.n_rows(X)), y, self.known)
        for fold, (train, test) in enumerate(drawn):
            yield ilk.Split(train, test, fold=fold)

    def estimate(self, scores: Sequence[float]) -> float:
        scheme = self._scheme()
        if hasattr(scheme, "estimate"):
            return float(scheme.estimate(scores))
        return super().estimate(scores)

    def _scheme(self) -> Any:
        """Return what divides; splitters of scikit-learn as resamplings that know of groups."""
        scheme = self.resampling
        if scheme is None:
            folds = max(2, min(_FOLDS, len(np.unique(self.known))))
            return ilk.resampling(
                "ilk-evaluation/stratified_kfold", folds=folds, small_classes="spread"
            )
        scheme = self.resolve_slot("resampling")
        if hasattr(scheme, "splits"):
            return scheme
        from ilk_evaluation.resamplings.wrapped import table_of

        table = table_of(scheme)
        return scheme if table is None else ilk.build(table, kind="resampling")
