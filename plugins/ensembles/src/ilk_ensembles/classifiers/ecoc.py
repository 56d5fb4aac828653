"""ecoc: error-correcting output codes, many classes by two-class members."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import (
    Array,
    ArrayLike,
    Capabilities,
    ClassifierLike,
    RandomState,
    Seed,
    available_if,
    check_fitted,
    param,
    slot,
)
from ilk_ensembles.base.combined_classifier import cases_of_weight, check_n_jobs
from ilk_ensembles.base.members import (
    N_JOBS,
    each_member,
    failure,
    fit_each,
    fit_member,
    seed_members,
)
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.resampling import member_tags
from ilk_ensembles.base.validation import check_features, indexable, row_blocks
from ilk_ensembles.codes.construction import CODES, MOST, named_code
from ilk_ensembles.codes.decoding import (
    agreement,
    check_decodable,
    couple,
    least_loss,
    side_bits,
    side_margins,
    side_probabilities,
)
from ilk_ensembles.codes.matrices import CodeReport, check_entries, check_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk import Cases, Estimator, FittedClassifier, Labels

_CELLS = 1 << 22  # outputs held in memory at once: 32 MB of float64
_QUERIES: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "hamming": side_bits,
    "loss": side_margins,
    "probability": side_probabilities,
}


def _gives(probabilities: bool) -> Any:
    """Whether an ecoc decodes to probabilities, or to scores."""
    return lambda self: (self.decoding == "probability") == probabilities


class ECOC(ilk.Classifier):
    """Predicts the class whose code word is nearest to the members' outputs (ECOC).

    A code matrix M has a row for each class and a column for each member: the member learns to
    separate the classes of entry 1 from the classes of entry -1, without the classes of entry
    0. For a row x with member outputs f_1(x), ..., f_L(x), the class of the least value is
    predicted:

    ==============  ==============================================================
    `decoding`
    ==============  ==============================================================
    "hamming"       share of entries that differ from the predicted labels: up to
                    ``floor((d - 1) / 2)`` wrong labels are corrected, d being the
                    least distance of two rows
    "loss"          mean loss ``L(M_cj f_j(x))``; f_j is the member's
                    ``decision_function``, else ``2 P(+1 | x) - 1``
    "probability"   minus its probability, by least squares from the members'
                    ``predict_proba``: see `predict_proba`
    ==============  ==============================================================

    Ties go to the first class. `code` may be, for C classes,

    ===============  =============================================================
    "ova"            each class against the rest
    "ovo"            each pair of classes: C (C - 1) / 2 columns
    "exhaustive"     all 2^(C-1) - 1 partitions of the classes in two; C <= 13
    "dense_random"   `n_bits` random partitions
    "sparse_random"  random; an entry is 0 with probability 1/2
    "bch"            words of a BCH code of `n_bits` = 7, 15, 31, ... 511 bits,
                     the one of largest designed distance with enough words;
                     C >= 4
    a matrix         of -1, 0 and 1, or of 0 and 1 where 0 is the other side; rows
                     in the order of the classes
    ===============  =============================================================

    Of `n_draws` random codes (or selections of BCH words), the one of largest row separation,
    then column separation is used. Codes never have equal rows, nor columns that are constant,
    equal or complementary.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Sorted.
    code_ : ndarray of -1, 0 and 1, shape (C, L)
        M, without the dropped columns.
    estimators_ : list of classifiers
        One for each column.
    failures_ : dict of int to IlkError
        Errors of the dropped columns, by position.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If a given matrix has equal rows, a constant column or the wrong number of rows; if
        `n_bits` is too small or too large: the error states the possible range.
    InputError
        If there is one class; if a member fails, or lacks the output that decoding needs.

    References
    ----------
    .. [1] Evaluation slides: Error-Correcting Output Codes; Multi-class Generalization.
    .. [2] T. G. Dietterich and G. Bakiri, "Solving multiclass learning problems via
       error-correcting output codes", *Journal of Artificial Intelligence Research* 2, 1995.
    .. [3] E. L. Allwein, R. E. Schapire and Y. Singer, "Reducing multiclass to binary", *Journal of
       Machine Learning Research* 1, 2000.
    .. [4] T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability estimates for multi-class classification
       by pairwise coupling", *Journal of Machine Learning Research* 5, 2004.
    .. [5] Ntoutsi 2015: Multi-class by two-class problems; One-versus-rest; All-pairs; Error
       correcting output codes; Row and column separation.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> ecoc = ilk.classifier("ecoc", member="knn", code="ova", decoding="probability")
    >>> float(ecoc.fit(X, y).score(X, y)) > 0.9
    True
    >>> print(ecoc.code_report())
    setosa      +--
    versicolor  -+-
    virginica   --+
    3 classes, 3 columns; rows at least 2 apart, columns 1; corrects 0
    """

    member: ClassifierLike = slot(
        "classifier",
        default="logistic",
        doc="Fitted once for each column, with labels 0 and 1.",
    )
    code: ArrayLike | str = param(
        default="dense_random",
        type=Array,
        choices=CODES,
        form="str or array of shape (C, L)",
        doc='For up to five classes the default is "exhaustive".',
    )
    decoding: Literal["hamming", "loss", "probability"] = param(
        default="hamming",
        choices=tuple(_QUERIES),
        doc='"loss" needs a `member` with ``decision_function`` or ``predict_proba``, '
        '"probability" one with the latter. "hamming" needs distant code words: "ova", and '
        "any code for three classes, correct no wrong entry, so prefer another decoding "
        "there.",
    )
    loss: Literal["exponential", "hinge", "logistic", "squared"] = param(
        default="logistic",
        choices=("exponential", "hinge", "logistic", "squared"),
        doc='L(z) of "loss": exp(-z), max(1 - z, 0), ln(1 + exp(-z)), (1 - z)^2.',
    )
    zeros: Literal["ignore", "count"] = param(
        default="ignore",
        choices=("ignore", "count"),
        doc='Entries 0 in "hamming" and "loss": left out of the mean over the columns; or, as '
        'Allwein, Schapire & Singer define it, with the loss L(0), which for "hamming" is 1/2.',
    )
    n_bits: int | None = param(
        default=None,
        type=int,
        ge=1,
        le=MOST,
        doc='Columns of random codes, or of "bch". If left out ``10 log2 C``, for sparse codes '
        '``15 log2 C``; for "bch" the next possible length; at most the number for C classes.',
    )
    n_draws: int = param(default=1000, ge=1, doc="Random codes drawn; the best is used.")
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': its column is left out.",
    )
    n_jobs: int | None = N_JOBS
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seed of random codes; if given, also seeds each member whose random_state is None.",
    )
    verbose: int = VERBOSE
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Each decoding, with dense and sparse codes."""
        return [
            cls(random_state=0),
            cls(code="ovo", decoding="loss", zeros="count"),
            cls(code="ova", decoding="probability", n_jobs=2),
            cls(member="nearest_mean", code="sparse_random", random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and a given code matrix."""
        super().check_parameters()
        check_n_jobs(self)
        if not isinstance(self.code, str):
            check_entries(self, self.code)

    def __sklearn_tags__(self) -> Any:
        return member_tags(super().__sklearn_tags__(), lambda: self.resolve_slot("member"))

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a member for each column of the code.

        Parameters
        ----------
        X : data of n rows
            Data that the member accepts.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Passed to the members; an error if they do not accept it.

        Returns
        -------
        ECOC
            The fitted ensemble.
        """
        from sklearn.base import clone

        self.check_parameters()
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        X = indexable(X)
        check_features(self, X, reset=True)
        rng = ilk.check_seed(self, self.random_state)
        code = self._code(len(self.classes_), rng)
        member = self.resolve_slot("member")
        weights, X, codes = cases_of_weight(self, sample_weight, X, codes, [member])
        members = [member, *(clone(member, safe=False) for _ in range(1, code.shape[1]))]
        seed_members(self, members, None if self.random_state is None else rng)

        sorted_once = self._presorted(member, X, code)

        def fit(position: int, member: FittedClassifier) -> Any:
            sides = code[codes, position]
            # the classes of entry 0 take no part in the column
            some = slice(None) if sides.all() else np.flatnonzero(sides)
            rows = X if sides.all() else ilk.take(X, some)
            some_weights = None if weights is None else weights[some]
            own = sorted_once if sides.all() else {}
            fit_member(member, rows, (sides[some] > 0).astype(np.intp), some_weights, **own)
            return check_decodable(member, self.decoding)

        positions, self.estimators_ = fit_each(
            self,
            members,
            fit,
            self.n_jobs,
            on_failure=self.on_failure,
            progress=Progress(self, len(members), self.verbose, "columns"),
            argument="columns",
            alike=True,
        )
        self.code_ = code[:, positions]
        self.failures_: dict[int, ilk.IlkError]  # set by `fit_each`
        # without the dropped columns, code words may be equal
        if self.failures_:
            check_rows(self, self.code_, self.classes_)
        return self

    def _code(self, n_classes: int, rng: np.random.RandomState) -> np.ndarray:
        if not isinstance(self.code, str):
            matrix = check_entries(self, self.code)
            if len(matrix) != n_classes:
                raise self.parameter_error(
                    "code",
                    f"must have a row for each of the {n_classes} classes, got {len(matrix)}",
                )
            return matrix
        return named_code(self, n_classes, rng)

    def _presorted(self, member: Any, X: Cases, code: np.ndarray) -> dict[str, Any]:
        """Argument ``presorted`` of a member that sorts, where several columns have all rows."""
        able = getattr(member, "capabilities", None)
        if able is None or not able.presort or ilk.is_frozen(member) or code.all(axis=0).sum() < 2:
            return {}
        try:
            return {"presorted": member.presort(X)}
        except Exception as error:
            raise failure(self, "member", member, error) from error

    def code_report(self) -> CodeReport:
        """Distances between code words and between columns, and the number of corrected errors.

        Returns
        -------
        CodeReport
            ``row_distances``, ``column_distances``, ``row_separation``, ``column_separation``,
            ``corrects``; prints as a table.
        """
        check_fitted(self)
        return CodeReport.of(self.code_, self.classes_)

    def predict(self, X: Cases) -> np.ndarray:
        """Label of the nearest code word; ties go to the first class; array of shape (n,)."""
        best = self._decoded(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @available_if(_gives(probabilities=False))
    def decision_function(self, X: Cases) -> np.ndarray:
        """Minus the share of differing entries, or L(0) minus the mean loss; shape (n, C).

        For the exponential loss, minus the logarithm of its mean.

        For two classes, the score of the second minus that of the first; shape (n,).
        """
        return _lead(self._decoded(X))

    def outputs(self, X: Cases) -> ilk.Outputs:
        """Labels with probabilities or scores; each member is asked once."""
        decoded = self._decoded(X)
        if self.decoding == "probability":
            return ilk.Outputs.of_largest(self.classes_, decoded)
        return ilk.Outputs(
            lambda: np.asarray(self.classes_[decoded.argmax(axis=1)]), None, lambda: _lead(decoded)
        )

    @available_if(_gives(probabilities=True))
    def predict_proba(self, X: Cases) -> np.ndarray:
        """Class probabilities p that agree best with the members' probabilities; shape (n, C).

        Let q_j be the probability that member j gives to its side +1, and P+ and P- the sums of p
        over the two sides of its column. Then p minimises ``sum_j ((1 - q_j) P+ - q_j P-)^2`` under
        ``p >= 0`` and sum one; of several solutions the one of least norm is used. For "ovo" this
        is the second method of pairwise coupling of Wu, Lin & Weng, for codes without zeros
        ordinary least squares.
        """
        return self._decoded(X)

    def _decoded(self, X: Cases) -> np.ndarray:
        """Scores or probabilities of each class; array of shape (n, C)."""
        check_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        return np.concatenate([self._decode(outputs) for outputs in self._member_outputs(X)])

    def _member_outputs(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the outputs of the members for blocks of rows; arrays of shape (m, L)."""
        query = _QUERIES[self.decoding]
        for rows in row_blocks(X, max(_CELLS // len(self.estimators_), 1)):
            work = partial(_query_member, rows, query)
            outputs = each_member(self, self.estimators_, work, self.n_jobs, argument="columns")
            yield np.stack(outputs, axis=1)

    def _decode(self, outputs: np.ndarray) -> np.ndarray:
        ignore = self.zeros == "ignore"
        if self.decoding == "hamming":
            return agreement(outputs, self.code_, ignore_zeros=ignore)
        if self.decoding == "loss":
            return least_loss(outputs, self.code_, self.loss, ignore_zeros=ignore)
        return couple(outputs, self.code_)


def _lead(scores: np.ndarray) -> np.ndarray:
    """The scores; of two classes, the lead of the second."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def _query_member(
    X: Cases, query: Callable[[Any, Any], np.ndarray], member: Estimator
) -> np.ndarray:
    return query(member, X)
