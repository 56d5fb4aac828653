"""Pyramid: histograms of local features per cell and level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


def pyramid(n_words=3, **parameters):
    own = {"use": "codebook", "n_words": n_words, "random_state": 0}
    return ilk.transformer("pyramid", **{"codebook": own, **parameters})


def images(n=5, m=30, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return [np.hstack([rng.random((m + i, 2)), rng.normal(size=(m + i, d))]) for i in range(n)]


def test_known_cells():
    """Two words; one feature in the upper right quarter, two in the lower left."""
    X = [[[0.9, 0.1, 5.0], [0.1, 0.6, 0.0], [0.4, 0.9, 0.0]]]
    model = pyramid(2, levels=1, normalize=False).fit(X)
    low, high = model.codebook_.assign([[[0.0], [5.0]]])[0]
    found = model.transform(X).iloc[0]
    assert found[found > 0].to_dict() == {
        f"level0_cell0_word{high}": 1,
        f"level0_cell0_word{low}": 2,
        f"level1_cell1_word{high}": 1,
        f"level1_cell2_word{low}": 2,
    }


def test_as_a_slow_count_has_it():
    X = images()
    model = pyramid(levels=3).fit(X)
    out = model.transform(X)
    words = model.codebook_.assign([image[:, 2:] for image in X])
    for i, image in enumerate(X):
        expected = dict.fromkeys(out, 0.0)
        for (across, down, *_), word in zip(image, words[i], strict=True):
            for level in range(4):
                side = 2**level
                cell = int(down * side) * side + int(across * side)
                expected[f"level{level}_cell{cell}_word{word}"] += 1 / len(image)
        assert np.allclose(out.iloc[i], list(expected.values()))


def test_levels_are_views_that_sum_to_one():
    out = pyramid(5, levels=2).fit_transform(images())
    assert out.shape == (5, 5 * (1 + 4 + 16))
    for level, width in enumerate([5, 20, 80]):
        view = out.filter(like=f"level{level}_")
        assert view.shape == (5, width)
        assert np.allclose(view.sum(axis=1), 1)


def test_level_0_is_the_bag_of_words():
    X = images()
    plain = [image[:, 2:] for image in X]
    expected = ilk.transformer("codebook", n_words=3, random_state=0).fit_transform(plain)
    assert np.array_equal(pyramid(levels=0).fit_transform(X), expected)


@given(st.integers(0, 1000), st.integers(1, 3))
def test_each_level_adds_up_to_the_one_before(seed, levels):
    X = images(3, 12, 2, seed)
    model = pyramid(2, levels=levels, normalize=False).fit(X)
    out = model.transform(X)
    for level in range(1, levels + 1):
        side = 2**level
        fine = out.filter(like=f"level{level}_").to_numpy().reshape(3, side, side, 2)
        coarse = out.filter(like=f"level{level - 1}_").to_numpy()
        quads = fine.reshape(3, side // 2, 2, side // 2, 2, 2).sum(axis=(2, 4))
        assert np.array_equal(quads.reshape(3, -1), coarse)


def test_the_border_belongs_to_the_last_cell_and_lines_to_the_next():
    X = [[[1.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]]
    out = pyramid(1, levels=1, normalize=False).fit_transform(X)
    assert out.filter(like="level1_").to_numpy().tolist() == [[0, 1, 1, 1]]


def test_float32_stays_and_a_frozen_codebook_keeps_its_words():
    X = [image.astype(np.float32) for image in images()]
    words = ilk.transformer("codebook", n_words=3, random_state=0)
    words = ilk.frozen(words.fit([image[:, 2:] for image in X[:2]]))
    model = ilk.transformer("pyramid", codebook=words).fit(X)
    assert model.codebook_ is words
    assert set(model.transform(X).dtypes) == {np.dtype(np.float32)}


PLACED = [[0.5, 0.5, 1.0], [0.2, 0.2, 3.0], [0.1, 0.1, 9.0]]


@in_one_test
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([PLACED, [[0.5, 1.5, 1.0]]], r"X\[1\] must have places .* got 1.5 at row 0, column 1"),
        ([PLACED, [[-0.1, 0.5, 1.0]]], "got -0.1 at row 0, column 0"),
        ([[[0.5, 0.5]]], "two columns of places and at least one of descriptors, got 2"),
        ([(PLACED, [1, 1, 1])], "must be sets without weights, got pairs"),
        ([PLACED, []], r"pyramid: X\[1\] must be an array"),
        ([], "pyramid: X has 0 rows"),
    ],
)
def test_sets_that_are_none(X, message):
    with pytest.raises(ilk.InputError, match=message):
        pyramid().fit(X)


def test_other_transformers_are_no_codebooks():
    with pytest.raises(ilk.ParameterError, match="codebook must be a codebook, got standardize"):
        ilk.transformer("pyramid", codebook="standardize").fit([PLACED])
    placed = {"use": "codebook", "places": 2}
    with pytest.raises(ilk.ParameterError, match="must have places=0, as it sees no places, got 2"):
        ilk.transformer("pyramid", codebook=placed).fit([PLACED])


def test_codebook_that_is_frozen_must_be_fitted():
    empty = ilk.frozen(ilk.transformer("codebook", n_words=2))
    with pytest.raises(ilk.ParameterError, match="codebook is frozen, but was never fitted"):
        pyramid(codebook=empty).fit([PLACED])
