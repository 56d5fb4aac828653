"""A vote of classifiers over one set of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

import ilk
from ilk import Capabilities, Param
from ilk_ensembles.classifiers.members import each_member, fit_member, seed_members
from ilk_ensembles.classifiers.outputs import member_support


class Voting(ilk.Classifier):
    """Fits every member on the same data and combines what they say by a rule.

    A member's output is its ``predict_proba``, aligned to the classes of the ensemble; where
    it has none, and for rules over labels such as `majority`, it is 1 for the class it
    predicts and 0 for the others. A member that itself declines to answer supports all
    classes alike. The combiner turns the outputs of shape (L, n, C) into support of shape
    (n, C), and decides.

    Parameters
    ----------
    members : list of classifiers
        Instances, names or tables; pipelines too. X may be whatever all of them take.
    combiner : combiner, default="sum"
    reject_label : str, int or bool, optional
        Predicted where the combiner rejects; must not be a class. If left out nothing is
        rejected: the class of most support is predicted.
    n_jobs : int, optional
        How many members are fitted, and asked, at once (threads); -1: one per processor.
    random_state : int or numpy generator, optional
        Gives a seed to each member whose own random state is None.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    combiner_ : combiner
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If there is no member, the combiner has to be fitted on held-out outputs, or
        `reject_label` is a class.
    InputError
        If a member fails; names it, and says why.

    References
    ----------
    System Evaluation slides, "Combining Classifiers" and "Voting"; Cunningham, Cord & Delany
    (2008), sec. 2.5.3.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> vote = ilk.classifier("voting", members=["knn", "nearest_mean"], combiner="product")
    >>> float(vote.fit(X, y).score(X, y)) > 0.9
    True
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "members": Param(slot="classifier", many=list, doc="The classifiers that vote."),
        "combiner": Param(slot="combiner", doc="The rule that makes one output of theirs."),
        "reject_label": Param(
            (str, int, bool), none=True, doc="Predicted where the combiner rejects."
        ),
        "n_jobs": Param(int, none=True, doc="How many members work at once; -1: all processors."),
        "random_state": Param(ilk.Seed, none=True, doc="Gives a seed to each member without one."),
    }
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True, probabilistic=True)

    def __init__(
        self,
        members: Sequence[Any] = (
            "knn",
            "nearest_mean",
            {"use": "sklearn", "estimator": "GaussianNB"},
        ),
        combiner: Any = "sum",
        *,
        reject_label: str | int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.members = members
        self.combiner = combiner
        self.reject_label = reject_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Probabilities by the sum and the product, labels by the majority."""
        weighted = [
            {"use": "sklearn", "estimator": name} for name in ("GaussianNB", "RidgeClassifier")
        ]
        return [
            cls(members=weighted),
            cls(combiner="product", random_state=0),
            cls(combiner="majority", reject_label="?", n_jobs=2),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that there is a member."""
        super().check_parameters()
        if not len(self.members):
            raise self.parameter_error("members", "must have at least one member, got none")
        if self.n_jobs == 0:
            raise self.parameter_error("n_jobs", "must not be 0")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every member.

        Parameters
        ----------
        X : data of n rows
            Whatever the members take.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Given to the members that take it; an error if none does.

        Returns
        -------
        Voting
            Itself.
        """
        self.check_parameters()
        self.classes_, codes = ilk.check_labels(self, y)
        self._check_reject_label()
        self._check_features(X, reset=True)
        combiner = self.resolve_slot("combiner")
        if combiner.capabilities.needs_fit:
            raise self.parameter_error(
                "combiner", f"must not need held-out outputs, got {ilk.display_name(combiner)}"
            )
        members = self.resolve_slot("members")
        seed_members(self, members, self.random_state)
        weights = self._check_weights(sample_weight, codes, members)
        labels = self.classes_[codes]
        self.estimators_ = each_member(
            self, members, lambda m: fit_member(m, X, labels, weights), self.n_jobs
        )
        self.combiner_ = combiner
        return self

    def predict(self, X: Any) -> np.ndarray:
        codes, rejected = self.decide(X)
        labels = self.classes_[codes]
        if self.reject_label is None or not rejected.any():
            return np.asarray(labels)
        reject = np.asarray(self.reject_label)
        if reject.dtype.kind != labels.dtype.kind:
            reject, labels = reject.astype(object), labels.astype(object)
        return np.where(rejected, reject, labels)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Combined support, each row divided by its sum; array of shape (n, n_classes)."""
        combined = self._combined(X)
        total = combined.sum(axis=1, keepdims=True)
        if not (total > 0).all() or (combined < 0).any():
            raise ilk.InputError(
                f"{ilk.display_name(self)}: what {ilk.display_name(self.combiner_)} gives cannot "
                f"be made probabilities: it is negative, or zero for every class"
            )
        return np.asarray(combined / total)

    def decide(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the position of the class decided for, and which rows the combiner rejects.

        Returns
        -------
        codes : ndarray of int, shape (n,)
        rejected : ndarray of bool, shape (n,)
        """
        combined = self._combined(X)
        codes, rejected = self.combiner_.decide(combined)
        return codes, rejected

    def _combined(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        self._check_features(X, reset=False)
        labels = self.combiner_.needs == "labels"
        outputs = each_member(
            self,
            self.estimators_,
            lambda m: member_support(m, X, self.classes_, labels=labels),
            self.n_jobs,
        )
        return np.asarray(self.combiner_.combine(np.stack(outputs), X))

    def _check_features(self, X: Any, *, reset: bool) -> None:
        name = ilk.display_name(self)
        if isinstance(X, Mapping | AbstractSet) and not hasattr(X, "shape"):
            kind = type(X).__name__
            raise ilk.InputTypeError(f"{name}: X must be an array, a table or a list, got a {kind}")
        if getattr(X, "ndim", 2) < 2:
            return  # no columns: texts, or an error for members to raise
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)
        except (TypeError, ValueError) as error:
            raise ilk.InputError(f"{name}: X: {error}") from None

    def _check_reject_label(self) -> None:
        if self.reject_label is not None and self.reject_label in self.classes_.tolist():
            raise self.parameter_error(
                "reject_label", f"must not be one of the classes, got {self.reject_label!r}"
            )

    def _check_weights(self, weights: Any, codes: np.ndarray, members: Sequence[Any]) -> Any:
        if weights is None:
            return None
        weights = ilk.check_weights(self, weights, codes)
        lost = np.flatnonzero(np.bincount(codes, weights) <= 0)
        if len(lost):
            label = self.classes_[lost[0]].item()
            raise ilk.InputError(
                f"{ilk.display_name(self)}: sample_weight is zero for every case of class {label!r}"
            )
        if not any(map(ilk.takes_weights, members)):
            raise ilk.InputError(f"{ilk.display_name(self)}: no member takes sample_weight")
        return weights
