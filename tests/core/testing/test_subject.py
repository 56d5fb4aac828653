"""What checks share: worked out once, and nothing that one check does to it reaches another."""

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.discovery import Found
from ilk.testing import Subject
from ilk.testing.subject import learned, named, result

SEEN = []  # the data of each fit


class Nearest(ilk.Classifier):
    """The class of the nearest row.

    Examples
    --------
    >>> Nearest().fit([[0.0], [2.0]], ["a", "b"]).predict([[1.5]]).tolist()
    ['b']
    """

    def fit(self, X, y):
        self.X_ = ilk.check_vectors(self, X, reset=True)
        self.classes_, self.codes_ = ilk.check_labels(self, y, self.X_)
        SEEN.append((self.X_.tobytes(), self.codes_.tobytes(), str(self.classes_)))
        return self

    def predict(self, X):
        check_is_fitted(self)
        X = ilk.check_vectors(self, X, reset=False)
        return self.classes_[self.codes_[np.abs(X[:, None] - self.X_).sum(axis=2).argmin(axis=1)]]


@pytest.fixture
def subject():
    return Subject(Found("classifier", "nearest", "(session)", "0", "here:Nearest"), Nearest)


def test_each_check_has_an_instance_of_its_own(subject):
    first, second = learned(subject), learned(subject)
    expected = result(subject)
    assert first is not second
    first.codes_[:] = 0
    first.later_ = True
    for again in (second, learned(subject)):
        assert not hasattr(again, "later_")
        np.testing.assert_array_equal(again.predict(subject.data().X), expected)


def test_what_is_kept_is_that_of_the_subject(subject):
    class Other(Nearest):
        """Says the first class."""

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    other = Subject(subject.found, Other)
    assert len(set(result(subject).tolist())) == 2
    assert len(set(result(other).tolist())) == 1
    assert type(learned(other)) is Other
    assert {len(set(each.training.tolist())) for each in named(other, 3)} == {1}


def test_no_data_are_learned_more_often_than_needed(failures):
    """A fit to show its result, one to be asked, one to compare; names by two checks at once."""
    SEEN.clear()
    assert failures(Nearest) == {}
    often = {each: SEEN.count(each) for each in SEEN}
    words = [count for (_, _, classes), count in often.items() if "ant" in classes]
    assert max(words) <= 2  # as strings, and as objects
    assert len(SEEN) < 80


def test_what_raises_is_not_kept(subject):
    tries = []

    class Failing(Nearest):
        """Fails at first."""

        def fit(self, X, y):
            tries.append(X)
            if len(tries) == 1:
                raise ValueError("not yet")
            return super().fit(X, y)

    failing = Subject(subject.found, Failing)
    with pytest.raises(ValueError, match="not yet"):
        learned(failing)
    assert learned(failing).X_.shape == (30, 4)
