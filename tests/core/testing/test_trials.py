"""What a class tells the kit: the distance an index is tried with, the libraries it relies on."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.testing.case import cases
from ilk.testing.report import outcomes


class Picky(ilk.Index):
    """Compares all, but by the distance manhattan only.

    Examples
    --------
    >>> index = Picky().fit([[1.0], [4.0]], distance=ilk.distance("manhattan"))
    >>> index.kneighbors([[3.0]], 1)[1].tolist()
    [[1]]
    """

    @classmethod
    def example_distance(cls):
        return ilk.distance("manhattan")

    def fit(self, X, y=None, *, distance):
        if ilk.display_name(distance) != "manhattan":
            raise ilk.InputError(f"{ilk.display_name(self)} takes manhattan only")
        ilk.refuse_sparse(self, X)
        self.X_ = distance.check_input(X)
        self.distance_ = distance
        self.n_distance_evaluations_ = 0
        return self

    def kneighbors(self, Q, k):
        check_is_fitted(self)
        self.check_k(k, len(self.X_))
        D = self.distance_.pairwise(Q, self.X_)
        self.n_distance_evaluations_ += D.size
        return ilk.smallest(D, k)


class Borrowing(Picky):
    """Relies on what nobody has.

    Examples
    --------
    >>> Borrowing().fit([[1.0]], distance=ilk.distance("manhattan"))
    Borrowing()
    """

    relies_on = ("no-such-library",)

    def fit(self, X, y=None, *, distance):
        raise ImportError("no-such-library")


def test_an_index_is_tried_with_its_own_distance(failures):
    assert failures(Picky) == {}


def test_an_index_without_one_is_tried_with_euclidean(failures):
    class Strict(Picky):
        __doc__ = Picky.__doc__
        example_distance = None

    assert "takes manhattan only" in failures(Strict)["check_deterministic"]


def test_what_needs_a_missing_library_is_named_not_failed():
    registry = ilk.registry("index")
    registry.register("borrowing", Borrowing)
    try:
        due = [case for case in cases("(session)", "index") if case.component == "index/borrowing"]
        found = {outcome.check: outcome for outcome in outcomes(due)}
    finally:
        registry.unregister("borrowing")
    assert {outcome.status for outcome in found.values()} == {"passed", "skipped"}
    assert found["check_docstring_examples"].message == "no-such-library is not installed"
    assert found["check_rows_apart"].status == "skipped"
    assert found["check_loads"].status == "passed"
    assert np.mean([outcome.status == "skipped" for outcome in found.values()]) > 0.3
