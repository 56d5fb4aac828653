"""`ilk.nearest` and `ilk.within`, against a slow search and scikit-learn's."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import ilk

TWINS = np.random.default_rng(0).integers(0, 3, size=(40, 2)).astype(float)


def slow(X, queries, own):
    """Distances and numbers of all rows as each query has them, nearest first."""
    for i, query in enumerate(queries):
        others = [j for j in range(len(X)) if not own or j != i]
        far = [float(np.sqrt(((query - X[j]) ** 2).sum())) for j in others]
        yield sorted(zip(far, others, strict=True))


@pytest.mark.parametrize("queries", [None, TWINS[:7] + 0.5], ids=["itself", "queries"])
def test_neighbours_and_ties_are_those_of_a_slow_search(queries):
    distances, indices = ilk.nearest(TWINS, 5, queries)
    near, where = ilk.within(TWINS, 1.0, queries)
    given = TWINS if queries is None else queries
    for i, expected in enumerate(slow(TWINS, given, queries is None)):
        assert indices[i].tolist() == [j for _, j in expected[:5]]
        assert distances[i] == pytest.approx([d for d, _ in expected[:5]])
        inside = [(d, j) for d, j in expected if d <= 1.0]
        assert where[i].tolist() == [j for _, j in inside]
        assert near[i] == pytest.approx([d for d, _ in inside])


def test_neighbours_are_scikit_learns():
    X = np.random.default_rng(1).normal(size=(60, 4))
    peer = NearestNeighbors(n_neighbors=3, metric="manhattan", algorithm="brute").fit(X)
    for ours, theirs in zip(
        ilk.nearest(X, 3, distance="manhattan"), peer.kneighbors(), strict=True
    ):
        assert ours == pytest.approx(theirs)
    ours = ilk.within(X, 2.5, distance={"use": "minkowski", "p": 1})
    theirs = peer.radius_neighbors(radius=2.5, sort_results=True)
    for mine, other in zip(ours[1], theirs[1], strict=True):
        assert mine.tolist() == other.tolist()


def test_a_distance_that_learns_is_fitted_unless_it_is_frozen():
    X = np.random.default_rng(2).normal(size=(30, 2)) * [1, 1000]
    whole = ilk.distance("mahalanobis")
    learned = ilk.nearest(X, 1, distance=whole)[0]
    assert learned.max() < 10
    assert not hasattr(whole, "inverse_")
    frozen = ilk.frozen(ilk.distance("mahalanobis").fit(X / [1, 1000]))
    assert ilk.nearest(X, 1, distance=frozen)[0].max() > 10


@pytest.mark.parametrize(
    ("X", "k", "said"),
    [([[1.0]], 1, "two rows"), ([[1.0], [2.0]], 2, "got 2"), ([[1.0], [2.0]], 0, "got 0")],
)
def test_there_must_be_enough_others(X, k, said):
    with pytest.raises(ilk.InputError, match=said):
        ilk.nearest(X, k)


def test_a_row_among_equals_is_not_taken_for_its_own_neighbour():
    """Row 3 is not among its own three nearest: the first of its equals must stay."""
    near = np.tile([0, 1, 2], (4, 1))
    distances, others = ilk.without_itself(near / 2, near)
    assert others.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert (distances == others / 2).all()


def test_the_competence_model_of_few_cases():
    """Row 1 solves 0 and 2, being their nearest; row 3 of the other class solves only itself."""
    model = ilk.CompetenceModel.of(np.array([0, 0, 0, 1]), np.array([[1], [0], [1], [2]]))
    assert [each.tolist() for each in model.coverage] == [[0, 1], [0, 1, 2], [2], [3]]
    assert [each.tolist() for each in model.reachability] == [[0, 1], [0, 1], [1, 2], [3]]
    assert [each.tolist() for each in model.related] == [[0, 1], [0, 1, 2], [1, 2], [3]]
    assert model.related.union(np.array([0, 3])).tolist() == [0, 1, 3]
    assert model.relative_coverage.tolist() == [1.0, 1.5, 0.5, 1.0]
    assert model.groups.tolist() == [0, 0, 0, 1]
    with pytest.raises(IndexError, match="sets of 4 cases, not of case 4"):
        model.coverage[4]


@pytest.mark.parametrize("radius", [-1, np.nan, "far", None])
def test_a_bad_radius_is_named(radius):
    with pytest.raises(ilk.InputError, match="within: radius must be a number >= 0"):
        ilk.within([[0.0], [1.0]], radius)
