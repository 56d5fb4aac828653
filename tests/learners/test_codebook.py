"""Codebook: sets of descriptors as histograms over words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

import ilk
from cases import in_one_test
from ilk_learners.transformers.codebook import Words


def codebook(**parameters):
    return ilk.transformer("codebook", **{"random_state": 0, **parameters})


@pytest.fixture
def sets():
    """Thirty sets of 1 to 9 points around four corners."""
    rng = np.random.default_rng(0)
    corners = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0], [10.0, 10.0]])
    which = [rng.integers(0, 4, rng.integers(1, 10)) for _ in range(30)]
    X = [corners[w] + rng.normal(scale=0.5, size=(len(w), 2)) for w in which]
    return X, which, corners


def test_counts_of_known_words(sets):
    X, which, corners = sets
    model = codebook(n_words=4, normalize=False).fit(X)
    order = cdist(corners, model.words_).argmin(axis=1)
    assert sorted(order) == [0, 1, 2, 3]
    expected = [np.bincount(w, minlength=4) for w in which]
    assert np.array_equal(model.transform(X)[:, order], expected)
    shares = codebook(n_words=4).fit(X).transform(X)[:, order]
    assert np.allclose(shares, [e / e.sum() for e in expected])
    assert model.get_feature_names_out().tolist() == ["word0", "word1", "word2", "word3"]


def test_words_are_those_of_scikit_learns_k_means(sets):
    X, _, _ = sets
    rows = np.concatenate(X)
    model = codebook(n_words=4).fit(X)
    theirs = KMeans(4, n_init=10, random_state=0).fit(rows)
    words = model.words_[cdist(theirs.cluster_centers_, model.words_).argmin(axis=1)]
    assert np.allclose(words, theirs.cluster_centers_)


def test_signatures_sum_their_weights(sets):
    X, _, _ = sets
    rng = np.random.default_rng(1)
    weights = [rng.integers(0, 4, len(rows)) for rows in X]
    weights = [np.where(w.any(), w, 1) * np.ones(len(w)) for w in weights]
    repeated = [np.repeat(rows, w.astype(int), axis=0) for rows, w in zip(X, weights, strict=True)]
    model = ilk.frozen(codebook(n_words=4, normalize=False).fit(X))
    pairs = list(zip(X, weights, strict=True))
    assert np.array_equal(model.transform(pairs), model.transform(repeated))
    weighted = codebook(n_words=4).fit(pairs)
    words = weighted.words_[np.lexsort(weighted.words_.round().T)]
    plain = codebook(n_words=4).fit(repeated).words_
    assert np.allclose(words, plain[np.lexsort(plain.round().T)])


def test_places_do_not_count(sets):
    X, _, _ = sets
    rng = np.random.default_rng(1)
    placed = [np.hstack([rng.random((len(rows), 2)), rows]) for rows in X]
    expected = codebook(n_words=4).fit(X)
    model = codebook(n_words=4, places=2).fit(placed)
    assert np.array_equal(model.words_, expected.words_)
    assert np.array_equal(model.transform(placed), expected.transform(X))


def test_a_bounded_sample_of_descriptors(sets):
    X, _, _ = sets
    few = codebook(n_words=4, max_descriptors=20)
    assert np.array_equal(few.fit(X).words_, few.fit(X).words_)
    rows, _ = few._sample(_checked(few, X), np.random.RandomState(0))
    assert len(rows) == 20
    everything = np.concatenate(X)
    found = [np.flatnonzero((everything == row).all(axis=1)).item() for row in rows]
    assert found == sorted(set(found))


def _checked(owner, X):
    from ilk_learners.transformers.sets import check_sets

    return check_sets(owner, X)


@given(
    hnp.arrays(float, (5, 3), elements=st.integers(-3, 3)),
    hnp.arrays(float, (20, 3), elements=st.integers(-3, 3)),
    st.sampled_from([0.0, 1e6]),
    st.sampled_from([1e-12, 1.0, 1e12]),
)
def test_the_nearest_word_the_first_among_equals(words, rows, far, size):
    """Lattices are full of ties; products alone would settle them by rounding."""
    words, rows = (words + far) * size, (rows + far) * size
    exact = [[sum((a - b) ** 2 for a, b in zip(r, w, strict=True)) for w in words] for r in rows]
    got = Words.of(words).nearest(codebook(), rows)
    for squares, word in zip(exact, got, strict=True):
        assert squares[word] <= min(squares) * (1 + 1e-12)
    if size == 1:
        assert got.tolist() == [s.index(min(s)) for s in exact]
    alone = [Words.of(words).nearest(codebook(), row[None]).item() for row in rows]
    assert got.tolist() == alone


def test_blocks_change_nothing(sets, monkeypatch):
    X, _, _ = sets
    model = codebook(n_words=4).fit(X)
    expected = model.transform(X)
    monkeypatch.setattr("ilk_learners.transformers.codebook._CELLS", 12)
    monkeypatch.setattr("ilk_learners.transformers.codebook._ROWS", 7)
    assert np.array_equal(model.transform(X), expected)
    assert [len(codes) for codes in model.assign(X)] == [len(rows) for rows in X]


def test_order_of_rows_in_a_set_does_not_matter(sets):
    X, _, _ = sets
    model = codebook(n_words=3).fit(X)
    assert np.array_equal(model.transform([rows[::-1] for rows in X]), model.transform(X))


@in_one_test
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int64])
def test_dtypes(dtype):
    X = [np.array([[0, 1], [200, 7]], dtype=dtype), np.array([[1, 1]], dtype=dtype)]
    model = codebook(n_words=2, normalize=False).fit(X)
    wanted = np.float32 if dtype == np.float32 else np.float64
    assert model.words_.dtype == model.transform(X).dtype == wanted
    assert sorted(model.transform(X)[0]) == [1, 1]


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scales(sets, scale):
    X, _, _ = sets
    expected = codebook(n_words=4).fit(X).transform(X)
    scaled = [rows * scale for rows in X]
    assert np.array_equal(codebook(n_words=4).fit(scaled).transform(scaled), expected)


def test_read_only_strided_and_three_dimensional():
    cube = np.random.default_rng(0).normal(size=(6, 5, 4))
    cube.flags.writeable = False
    model = codebook(n_words=3).fit(cube)
    expected = model.transform([rows.copy() for rows in cube])
    assert np.array_equal(model.transform(cube), expected)
    assert np.array_equal(model.transform([np.asfortranarray(rows) for rows in cube]), expected)


def test_more_words_than_seen_and_all_alike():
    with pytest.raises(ilk.InputError, match="n_words=5 is more than .* to learn from: 3"):
        codebook(n_words=5).fit([[[0.0], [1.0]], [[2.0]]])
    same = [np.repeat([[1.0, 2.0]], 8, axis=0)] * 2
    with pytest.raises(ilk.InputError, match="n_words=2 is more than .* to learn from: 1"):
        codebook(n_words=2).fit(same)
    assert codebook(n_words=1).fit(same).transform(same).tolist() == [[1.0], [1.0]]


FIRST = [[1.0, 2.0]]


@in_one_test
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([FIRST, [[1.0, np.nan]]], r"codebook: X\[1\] has NaN at row 0, column 1"),
        ([FIRST, [[1.0, 2.0, 3.0]]], r"X\[1\] has 3 columns, X\[0\] has 2"),
        ([FIRST, []], r"X\[1\] must be an array of shape \(m, d\)"),
        ([FIRST, [1.0, 2.0]], r"X\[1\] must be an array of shape \(m, d\)"),
        ([FIRST, "word"], r"X\[1\] must be an array"),
        ([FIRST, [["a", "b"]]], r"X\[1\] must be an array"),
        ([FIRST, [[1.0], [1.0, 2.0]]], r"X\[1\] must be an array of numbers"),
        ([], "has 0 rows"),
        ("text", "must be a list of sets"),
        (None, "must be a list of sets"),
        (np.array(3), "must be a list of sets"),
        (iter([FIRST]), "must be a list of sets"),
        ([np.ma.masked_equal([[1.0, 2.0]], 2)], r"X\[0\] has masked values"),
        ([(FIRST, [1.0]), FIRST], r"X\[1\] has no weights, but other sets have"),
        ([(FIRST, [1.0, 2.0])], r"X\[0\] has weights of shape \(2,\) for 1 descriptors"),
        ([(FIRST, [-1.0])], r"X\[0\] must have weights that are finite and at least 0, got -1.0"),
        ([(FIRST, [np.nan])], "at least 0, got nan"),
        ([(FIRST, [0.0])], r"X\[0\] has weights that are all 0"),
    ],
)
def test_sets_that_are_none(X, message):
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=message):
        codebook(n_words=1).fit(X)


@in_one_test
@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300, 1.7e308])
def test_size_of_weights_does_not_count(sets, size):
    """Though their sum is infinite, or rounds to nothing."""
    X, _, _ = sets
    like = [(rows, np.full(len(rows), size)) for rows in X]
    plain = codebook(n_words=3, random_state=0).fit([(rows, np.ones(len(rows))) for rows in X])
    model = codebook(n_words=3, random_state=0).fit(like)
    np.testing.assert_array_equal(model.words_, plain.words_)
    np.testing.assert_allclose(model.transform(like), plain.transform(X))


def test_words_among_the_largest_numbers(sets):
    X, _, _ = sets
    largest = max(np.abs(rows).max() for rows in X)
    unit = 2.0 ** (1023 - np.frexp(largest)[1])
    plain = codebook(n_words=3, random_state=0).fit(X)
    model = codebook(n_words=3, random_state=0).fit([rows * unit for rows in X])
    np.testing.assert_allclose(model.words_ / unit, plain.words_)
    signs = [np.sign(rows) * 1.7e308 for rows in X]  # differences are infinite
    assert np.isfinite(codebook(n_words=2, random_state=0).fit(signs).words_).all()


def test_queries_of_another_width(sets):
    X, _, _ = sets
    model = codebook(n_words=2).fit(X)
    with pytest.raises(ilk.InputError, match=r"X\[0\] has 3 columns, there were 2 in training"):
        model.transform([[[1.0, 2.0, 3.0]]])
    with pytest.raises(ilk.InputError, match="too far from all of training"):
        model.transform([[[1e300, 0.0]]])


def test_parameters(sets):
    X, _, _ = sets
    with pytest.raises(ilk.ParameterError, match="max_descriptors must be at least n_words=200"):
        codebook(max_descriptors=100)
    with pytest.raises(ilk.InputError, match="2 columns, but places=2: no column of descriptors"):
        codebook(n_words=2, places=2).fit(X)
