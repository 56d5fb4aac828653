"""Stacked generalization: a classifier trained on the members' outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, ClassifierLike, check_fitted, param, slot
from ilk_ensembles.base.members import failure, fit_member
from ilk_ensembles.base.outputs import member_codes, member_probabilities
from ilk_ensembles.base.validation import beside
from ilk_ensembles.combiners.support import SupportCombiner, leveled
from ilk_ensembles.combiners.weights import held_out_codes, normalized

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels


class Stacking(SupportCombiner):
    """Stacked generalization: predictions of a classifier whose features are members' outputs.

    The features of a sample are the outputs of all members, each divided by its sum over the
    classes: L times C numbers. The classifier is trained on outputs for held-out samples. The last
    class of each member is left out if the classifier refuses the features otherwise, as `lda`
    and `qda` do: the other classes determine it, so covariances are singular.

    Attributes
    ----------
    learner_ : classifier
        The fitted learner. Its labels are positions of classes.
    n_members_ : int
        L.
    n_columns_ : int
        Classes with a feature for each member: C, or C - 1.

    Raises
    ------
    InputError
        If the number of members or classes differs from that in `fit`.

    References
    ----------
    Wolpert (1992), "Stacked generalization".

    Evaluation slides: Stacking.

    Examples
    --------
    >>> import ilk
    >>> outputs = [[[0.9, 0.1], [0.2, 0.8], [0.8, 0.2], [0.4, 0.6]]]  # one member, always right
    >>> rule = ilk.combiner("stacking").fit(outputs, [0, 1, 0, 1])
    >>> rule.decide(rule.combine([[[0.3, 0.7]]]))[0].tolist()
    [1]
    """

    learner: ClassifierLike = slot(
        "classifier",
        default="logistic",
        doc="Fitted on arrays of shape (n, L C). If it has no ``predict_proba``, its predicted "
        "class has support 1.",
    )
    passthrough: bool = param(
        default=False,
        doc="Whether the learner also sees the cases X, which must then be vectors.",
    )
    of: Literal["probabilities", "labels"] = param(
        default="probabilities",
        choices=("probabilities", "labels"),
        doc="Which outputs of members it sees. Labels are one-hot encoded: 1 for the class that a "
        "member predicts and 0 for the others.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(needs_fit=True, sample_weight=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Learners with probabilities and without."""
        plain = {"use": "sklearn", "estimator": "RidgeClassifier"}
        return [
            cls(),
            cls(learner=plain, of="labels"),
            cls(learner="naive_bayes", passthrough=True, ties="reject"),
        ]

    @property
    def needs(self) -> Literal["probabilities", "labels"]:
        """Kind of output that an ensemble must pass to it."""
        return self.of

    def fit(
        self,
        outputs: ArrayLike,
        y: Labels,
        X: Cases | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier on held-out outputs and codes of their labels.

        Passes `sample_weight` on if the classifier accepts it.
        """
        self.check_parameters()
        support = normalized(self, outputs)
        codes = held_out_codes(self, support, y)
        self.n_members_, _, self.n_classes_ = support.shape
        learner = self.resolve_slot("learner")
        refused: Exception | None = None
        for n_columns in (self.n_classes_, self.n_classes_ - 1):
            self.n_columns_ = n_columns
            features = self._features(support, X)
            try:
                self.learner_ = fit_member(learner, features, codes, sample_weight)
            except Exception as error:  # noqa: BLE001  # a learner may raise anything
                refused = refused or error
            else:
                return self
        assert refused is not None
        raise failure(self, "learner", learner, refused) from refused

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        self.check_parameters()
        check_fitted(self)
        support = normalized(self, outputs)
        n_members, _, n_classes = support.shape
        if (n_members, n_classes) != (self.n_members_, self.n_classes_):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: outputs are of {n_members} members and {n_classes} "
                f"classes, but it was fitted with {self.n_members_} and {self.n_classes_}"
            )
        features = self._features(support, X)
        try:
            return self._learned(features, np.arange(n_classes))
        except Exception as error:
            raise failure(self, "learner", self.learner_, error) from error

    def _learned(self, features: Any, classes: np.ndarray) -> np.ndarray:
        """Support by the learner; array of shape (n, C)."""
        if hasattr(self.learner_, "predict_proba"):
            return leveled(member_probabilities(self.learner_, features, classes))
        predicted = member_codes(self.learner_, features, classes)
        return np.asarray((predicted[:, None] == classes).astype(float))

    def _features(self, support: np.ndarray, X: Cases | None) -> Any:
        """Outputs of all members side by side, and X with `passthrough`."""
        n = support.shape[1]
        columns = support[:, :, : self.n_columns_].transpose(1, 0, 2).reshape(n, -1)
        if not self.passthrough:
            return columns
        name = ilk.display_name(self)
        if X is None:
            raise ilk.InputError(f"{name}: needs X, the cases of the outputs")
        cases = ilk.check_vectors(self, X, sparse=True).astype(float, copy=False)
        if ilk.n_rows(cases) != n:
            raise ilk.InputError(
                f"{name}: X has {ilk.n_rows(cases)} rows for {n} samples of outputs"
            )
        return beside(columns, cases)
