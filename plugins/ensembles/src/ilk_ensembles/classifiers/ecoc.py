"""ecoc: many classes by members that each tell two groups of them apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import (
    Array,
    ArrayLike,
    Capabilities,
    ClassifierLike,
    RandomState,
    Seed,
    param,
    slot,
)
from ilk_ensembles.base.combined_classifier import check_member_weights, check_n_jobs
from ilk_ensembles.base.members import (
    N_JOBS,
    each_member,
    fit_each,
    fit_member,
    seed_members,
)
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import check_features, row_blocks
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

_CELLS = 1 << 22  # outputs that are held at once: 32 MB
_ASK = {"hamming": side_bits, "loss": side_margins, "probability": side_probabilities}


def _gives(probabilities: bool) -> Any:
    """Whether an ecoc decodes to probabilities, or to scores."""
    return lambda self: (self.decoding == "probability") == probabilities


class ECOC(ilk.Classifier):
    """Gives each class a code word and decides for the word nearest to what members say (ECOC).

    A code matrix M has a row for each class and a column for each member: the member learns to
    tell the classes of entry 1 from those of entry -1, without those of entry 0. For a row x
    the members say f_1(x), ..., f_L(x), and the class is decided for that has the least

    ==============  ==============================================================
    `decoding`
    ==============  ==============================================================
    "hamming"       share of entries that differ from the labels predicted: up to
                    ``floor((d - 1) / 2)`` wrong ones do no harm, d being the least
                    distance between two rows
    "loss"          mean loss ``L(M_cj f_j(x))``; f_j is the member's
                    ``decision_function``, or where it has none ``2 P(+1 | x) - 1``
    "probability"   minus its probability, by least squares from the members'
                    ``predict_proba``: see `predict_proba`
    ==============  ==============================================================

    Ties go to the first class. `code` may be, for C classes,

    ===============  =============================================================
    "ova"            each class against all others
    "ovo"            each class against each other one: C (C - 1) / 2 columns
    "exhaustive"     all 2^(C-1) - 1 ways to part the classes in two; C <= 13
    "dense_random"   `n_bits` of them by lot
    "sparse_random"  by lot, an entry being 0 with probability 1/2
    "bch"            words of a BCH code of `n_bits` = 7, 15, 31, ... 511 bits,
                     that of largest designed distance which has enough words;
                     C >= 4
    a matrix         of -1, 0 and 1, or of 0 and 1 where 0 is the other side; rows
                     in the order of the classes
    ===============  =============================================================

    Of `n_draws` codes by lot (or choices among BCH words) the one is taken whose closest rows
    are farthest apart, then its closest columns. They never have equal rows, nor columns that
    are constant, equal or complementary.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Sorted.
    code_ : ndarray of -1, 0 and 1, shape (C, L)
        M, without the columns left out.
    estimators_ : list of classifiers
        Of each column.
    failures_ : dict of int to IlkError
        Why columns were left out, by their position.
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If a given matrix has equal rows, a constant column or another number of rows than
        there are classes; if there are too few or too many `n_bits`: says how many there can be.
    InputError
        If there is one class; if a member fails, or does not give what decoding needs.

    References
    ----------
    .. [1] System Evaluation slides, "Error-Correcting Output Codes"; E. Ntoutsi, lecture slides
       2015, "Error correcting output codes".
    .. [2] T. G. Dietterich and G. Bakiri, "Solving multiclass learning problems via
       error-correcting output codes", *Journal of Artificial Intelligence Research* 2, 1995.
    .. [3] E. L. Allwein, R. E. Schapire and Y. Singer, "Reducing multiclass to binary",
       *Journal of Machine Learning Research* 1, 2000.
    .. [4] T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability estimates for multi-class
       classification by pairwise coupling", *Journal of Machine Learning Research* 5, 2004.

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
        choices=tuple(_ASK),
        doc='Of `member`, "loss" needs ``decision_function`` or ``predict_proba``, '
        '"probability" the latter. "hamming" rests on words that are far apart. Those of '
        '"ova", and any for three classes, correct no wrong entry: prefer another decoding '
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
        doc='What an entry 0 is in "hamming" and "loss": left out, the mean being over the '
        "other columns; or, as Allwein, Schapire & Singer have it, L(0), which for "
        '"hamming" is 1/2.',
    )
    n_bits: int | None = param(
        default=None,
        type=int,
        ge=1,
        le=MOST,
        doc='Columns by lot, or of "bch". If left out ``10 log2 C``, with zeros ``15 log2 C``; '
        'for "bch" the next length from there on; and no more than C classes allow.',
    )
    n_draws: int = param(default=1000, ge=1, doc="Random codes of which the best is taken.")
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="A member that cannot be fitted is an error, or its column is left out.",
    )
    n_jobs: int | None = N_JOBS
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Draws codes; if given, also a seed for each member whose own random state is None.",
    )
    verbose: int = VERBOSE
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Each decoding, with codes of both sorts."""
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a member for each column of the code.

        Parameters
        ----------
        X : data of n rows
            Whatever the member takes.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Given to the members; an error if they take none.

        Returns
        -------
        ECOC
            Itself.
        """
        self.check_parameters()
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        check_features(self, X, reset=True)
        rng = ilk.check_seed(self, self.random_state)
        code = self._code(len(self.classes_), rng)
        member = self.resolve_slot("member")
        weights = check_member_weights(self, sample_weight, codes, [member])
        members = [clone(member, safe=False) for _ in range(code.shape[1])]
        seed_members(self, members, None if self.random_state is None else rng)

        def fit(position: int, member: Any) -> Any:
            sides = code[codes, position]
            some = slice(None) if sides.all() else np.flatnonzero(sides)
            rows = X if sides.all() else ilk.take(X, some)
            own = None if weights is None else weights[some]
            fit_member(member, rows, (sides[some] > 0).astype(np.intp), own)
            return check_decodable(member, self.decoding)

        kept, self.estimators_ = fit_each(
            self,
            members,
            fit,
            self.n_jobs,
            on_failure=self.on_failure,
            progress=Progress(self, len(members), self.verbose, "columns"),
            argument="columns",
        )
        self.code_ = code[:, kept]
        self.failures_: dict[int, ilk.IlkError]  # set by `fit_each`
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

    def code_report(self) -> CodeReport:
        """Distances between code words and between columns, and how many errors are corrected.

        Returns
        -------
        CodeReport
            ``row_distances``, ``column_distances``, ``row_separation``, ``column_separation``,
            ``corrects``; prints as a table.
        """
        check_is_fitted(self)
        return CodeReport.of(self.code_, self.classes_)

    def predict(self, X: Any) -> np.ndarray:
        """Label of the nearest code word; ties go to the first class; array of shape (n,)."""
        best = self._decoded(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @available_if(_gives(probabilities=False))
    def decision_function(self, X: Any) -> np.ndarray:
        """Minus the share of entries that differ, or L(0) less the mean loss; shape (n, C).

        For the exponential loss, minus the logarithm of its mean.

        For two classes, that of the second less that of the first; shape (n,).
        """
        scores = self._decoded(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available_if(_gives(probabilities=True))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities p of the classes that agree best with the members'; shape (n, C).

        With q_j the probability that member j gives to its side +1, and P+ and P- the sums of p
        over the two sides of its column, p minimises ``sum_j ((1 - q_j) P+ - q_j P-)^2`` among
        all ``p >= 0`` of sum one; the shortest of several. For "ovo" that is the second method
        of pairwise coupling of Wu, Lin & Weng, for codes without zeros plain least squares.
        """
        return self._decoded(X)

    def _decoded(self, X: Any) -> np.ndarray:
        """Scores or probabilities of each class; array of shape (n, C)."""
        check_is_fitted(self)
        check_features(self, X, reset=False)
        return np.concatenate([self._decode(said) for said in self._member_outputs(X)])

    def _member_outputs(self, X: Any) -> Iterator[np.ndarray]:
        """Outputs of the members for some rows at a time; arrays of shape (m, L)."""
        ask = _ASK[self.decoding]
        for rows in row_blocks(X, max(_CELLS // len(self.estimators_), 1)):
            work = partial(_ask_member, rows, ask)
            said = each_member(self, self.estimators_, work, self.n_jobs, argument="columns")
            yield np.stack(said, axis=1)

    def _decode(self, said: np.ndarray) -> np.ndarray:
        ignore = self.zeros == "ignore"
        if self.decoding == "hamming":
            return agreement(said, self.code_, ignore_zeros=ignore)
        if self.decoding == "loss":
            return least_loss(said, self.code_, self.loss, ignore_zeros=ignore)
        return couple(said, self.code_)


def _ask_member(X: Any, ask: Callable[[Any, Any], np.ndarray], member: Any) -> np.ndarray:
    return ask(member, X)
