"""Exclusive or: the table, parity of more bits, wrong labels, and both forms."""

from __future__ import annotations

from functools import reduce
from operator import xor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk


def load(**parameters):
    return ilk.dataset("xor", **parameters).load()


def test_the_table():
    data = load()
    assert data.X.to_numpy().tolist() == [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
    assert data.y.tolist() == [0, 1, 1, 0]
    assert data.nominal == data.feature_names == ("x1", "x2")


@given(bits=st.integers(1, 5), irrelevant=st.integers(0, 3))
def test_every_combination_once_with_its_parity(bits, irrelevant):
    X, y = load(bits=bits, irrelevant=irrelevant, encode="ordinal").Xy
    assert X.shape == (2 ** (bits + irrelevant), bits + irrelevant)
    assert len(np.unique(X, axis=0)) == len(X)
    assert y.tolist() == [reduce(xor, map(int, row[:bits])) for row in X]


@given(n=st.integers(20, 80), noise=st.floats(0, 0.49), seed=st.integers(0, 99))
def test_as_many_labels_are_wrong_as_asked_for(n, noise, seed):
    data = load(n=n, bits=3, irrelevant=1, noise=noise, random_state=seed, encode="ordinal")
    wrong = data.y != data.X[:, :3].sum(axis=1) % 2
    assert wrong.sum() == round(noise * n)
    assert data.feature_names == ("x1", "x2", "x3", "u1")


def test_no_feature_tells_anything_alone_and_no_hyperplane_separates():
    X, y = load(n=2000, encode="ordinal").Xy
    for feature in X.T:
        assert abs(np.corrcoef(feature, y)[0, 1]) < 0.06
    X, y = load(encode="ordinal").Xy
    assert ilk.classifier("svm", kernel="linear", C=1e3).fit(X, y).score(X, y) < 1


def test_codes_are_the_values_even_where_one_is_missing():
    for seed in range(30):
        try:
            coded = load(n=2, random_state=seed, encode="ordinal")
        except ilk.DataError as error:
            assert "all 2 cases are of one class" in str(error)  # noqa: PT017
            continue
        plain = load(n=2, random_state=seed)
        np.testing.assert_array_equal(coded.X, plain.X.astype(str).astype(float))


def test_the_seed_decides():
    assert load(n=40).fingerprint == load(n=40).fingerprint
    assert load(n=40).fingerprint != load(n=40, random_state=1).fingerprint


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"bits": 10, "irrelevant": 7}, "n must be given for more than 16 features"),
        ({"bits": 0}, "bits must be"),
        ({"n": 1}, "n must be"),
        ({"noise": 0.5}, "noise must be"),
        ({"encode": "onehot"}, "encode must be"),
    ],
)
def test_other_values_are_refused(parameters, said):
    with pytest.raises(ilk.ParameterError, match=f"xor: {said}"):
        load(**parameters)


def test_what_memory_cannot_hold_is_refused_at_once():
    for use, parameters in (
        ("xor", {"n": 10**12}),
        ("xor", {"n": 10, "irrelevant": 10**12}),
        ("waveform", {"n": 10**12}),
        ("waveform", {"n": 10, "noise_features": 10**12}),
    ):
        with pytest.raises(ilk.DataError, match=rf"{use}: n = .* would need about .* TiB"):
            ilk.dataset(use, **parameters).load()
