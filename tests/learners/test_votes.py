"""What votes weigh by distance, and who wins by them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import in_one_test
from ilk_learners.votes import Ballot, n_asked, vote_weights

VOTES = ["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"]
WIDTHS = [0.7, 3.0, "next_neighbor", "last_neighbor"]


def plain(distances, k, vote, power, width, zero_decides):
    """Votes as the formulas have them, one by one, not in relation to the nearest's."""
    h = {"next_neighbor": distances[-1], "last_neighbor": distances[k - 1]}.get(width, width)
    distances = distances[:k]
    if distances[0] == 0 and (zero_decides or vote == "inverse_distance"):
        return [float(d == 0) for d in distances]
    if vote == "majority":
        return [1.0] * k
    if vote == "inverse_distance":
        return [d**-power for d in distances]
    if h == 0:
        return [1.0] * k  # all are at distance 0
    if vote == "shepard":
        return [math.exp(-d / h) for d in distances]
    if vote == "gaussian":
        return [math.exp(-((d / h) ** 2) / 2) for d in distances]
    votes = [max(1 - (d / h) ** 2, 0.0) for d in distances]
    return votes if any(votes) else [float(d == distances[0]) for d in distances]


@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=8),
    st.sampled_from(VOTES),
    st.sampled_from([1.0, 0.5, 3.0]),
    st.sampled_from(WIDTHS),
    st.booleans(),
)
def test_follow_the_formulas(steps, vote, power, width, zero_decides):
    distances = sorted(steps)
    k = len(distances) - 1
    near = np.array([distances], dtype=float)
    weights = vote_weights(near, k, vote, power=power, width=width, zero_decides=zero_decides)
    expected = np.array(plain(distances, k, vote, power, width, zero_decides))
    got = np.ones(k) if weights is None else weights[0]
    assert got[0] == 1
    assert got / got.sum() == pytest.approx(expected / expected.sum(), rel=1e-12, abs=1e-15)


@given(
    st.lists(st.floats(0.5, 50), min_size=3, max_size=8),
    st.sampled_from(VOTES),
    st.sampled_from(["next_neighbor", "last_neighbor"]),
    st.integers(-900, 900),
)
def test_widths_by_neighbour_know_no_unit(distances, vote, width, exponent):
    near = np.sort(np.array([distances]))
    k = near.shape[1] - 1
    with np.errstate(all="raise", under="ignore"):
        here = vote_weights(near, k, vote, width=width)
        there = vote_weights(np.ldexp(near, exponent), k, vote, width=width)
    assert (here is None) == (there is None)
    if here is not None:
        assert np.array_equal(here, there)


class TestExtremes:
    @pytest.mark.parametrize("vote", ["shepard", "gaussian"])
    def test_far_away_the_nearest_still_count(self, vote):
        # exp(-1000) is 0 for a computer, exp(-1000) / (exp(-1000) + exp(-1001)) is not.
        near = np.array([[1000.0, 1001.0]])
        got = vote_weights(near, 2, vote, width=1.0)[0, 1]
        assert got == pytest.approx(math.exp(-1) if vote == "shepard" else 0)
        assert vote_weights(near, 2, "gaussian", width=1e3)[0, 1] == pytest.approx(
            math.exp(-(1001**2 - 1000**2) / 2e6)
        )

    def test_no_row_within_reach(self):
        near = np.array([[2.0, 2.0, 3.0]])
        assert vote_weights(near, 3, "epanechnikov", width=1.0).tolist() == [[1, 1, 0]]
        assert vote_weights(near, 3, "epanechnikov", width=2.0).tolist() == [[1, 1, 0]]

    def test_as_the_width_shrinks_to_the_nearest(self):
        near = np.array([[2.0, 2.0, 2.5]])
        got = vote_weights(near, 3, "epanechnikov", width=2.0 + 1e-12)
        assert got.tolist() == [[1, 1, 0]]

    def test_one_neighbour_that_gives_the_width(self):
        assert vote_weights(np.array([[2.0]]), 1, "epanechnikov", width="last_neighbor") == 1

    @in_one_test
    @pytest.mark.parametrize("vote", VOTES)
    @pytest.mark.parametrize("width", [1e-300, 1e300, np.inf, *WIDTHS[2:]])
    @pytest.mark.parametrize("unit", [1e-320, 1e-200, 1.0, 1e200, 1e308])
    def test_always_numbers(self, vote, width, unit):
        near = np.array([[0.0, 0, 1, 1.5], [0.5, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1.7, np.inf]])
        near[:, :3] *= unit
        near[:, 3] *= unit
        near = np.vstack([np.sort(near), np.full((1, 4), np.inf)])
        for zero_decides in (True, False):
            got = vote_weights(near, 3, vote, width=width, zero_decides=zero_decides)
            if got is not None:
                assert got.shape == (5, 3)
                assert ((got >= 0) & (got <= 1)).all()
                assert (got[:, 0] == 1).all()
                assert (np.diff(got, axis=1) <= 0).all()

    def test_float32_is_weighed_in_double(self):
        near = np.array([[1e-20, 1.0, 3.0]], dtype=np.float32)
        assert vote_weights(near, 2, "inverse_distance", power=2)[0, 1] == pytest.approx(1e-40)


def test_how_many_are_asked_for():
    assert n_asked(3, "gaussian", "next_neighbor") == 4
    assert n_asked(np.int8(127), "shepard", "next_neighbor") == 128
    assert n_asked(3, "gaussian", "last_neighbor") == n_asked(3, "gaussian", 1.0) == 3
    assert n_asked(3, "inverse_distance", "next_neighbor") == n_asked(3, "majority", 1.0) == 3


def elect(codes, rows, weights, ties, lots, own):
    """Count one query's votes, without row `own`, in plain Python."""
    votes = {}
    for row, weight in zip(rows, weights, strict=True):
        votes[codes[row]] = votes.get(codes[row], 0) + weight
    best = [c for c in votes if votes[c] >= max(votes.values()) * (1 - 1e-12)]
    tied = len(best) > 1
    rest = [row for row in range(len(codes)) if row != own]
    if ties == "prior":
        counts = {c: sum(codes[row] == c for row in rest) for c in best}
        best = [c for c in best if counts[c] == max(counts.values())]
    running = [row for row in rows if codes[row] in best]
    if ties == "random" and tied:  # lots are drawn by those who are there
        return codes[min(running, key=lambda row: lots[rest.index(row)])], tied
    return codes[running[0]], tied


@given(st.integers(0, 2**31), st.sampled_from(["nearest", "random", "prior", "reject"]))
def test_winners_agree_with_plain_counting(seed, ties):
    rng = np.random.default_rng(seed)
    n, k, classes = 9, int(rng.integers(1, 8)), int(rng.integers(2, 6))
    codes = rng.integers(0, classes, n)
    lots = rng.random(n)
    weights = None if rng.random() < 0.5 else rng.integers(1, 4, size=(n, k)).astype(float)
    ballot = Ballot(codes, classes, ties, lots)
    for left_out in (True, False):
        rows = np.array([rng.permutation([r for r in range(n) if r != i])[:k] for i in range(n)])
        got = ballot.winners(rows, weights, left_out=left_out)
        for i in range(n):
            one = np.ones(k) if weights is None else weights[i]
            own = i if left_out else None
            assert (got[0][i], got[1][i]) == elect(codes, rows[i], one, ties, lots, own)


def test_many_classes_are_counted_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    codes, rows = rng.integers(0, 50, 200), rng.integers(0, 200, size=(70, 4))
    ballot = Ballot(codes, 50, "prior")
    whole = ballot.winners(rows, None)
    monkeypatch.setattr("ilk_learners.votes._CELLS", 50 * 8)
    parts = ballot.winners(rows, None)
    assert np.array_equal(whole, parts)


def test_shares_sum_to_one():
    ballot = Ballot(np.array([0, 1, 2, 1]), 3, "nearest")
    shares = ballot.shares(np.array([[0, 1, 3], [1, 3, 2]]), np.array([[1, 0.5, 0.5], [1, 1, 0]]))
    assert shares.tolist() == [[0.5, 0.5, 0], [0, 1, 0]]
