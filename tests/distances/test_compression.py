"""Compression distance by conditional sizes."""

import bz2
import random
import warnings
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_distances.strings.compression import WindowWarning
from ilk_distances.strings.compressors import make_compressor

LIBRARY = {"zstd": "zstandard", "lz4": "lz4", "isal": "isal"}


def prose(length, seed=0):
    lot = random.Random(seed)
    words = ["".join(lot.choices("etaoinshrdlu", k=lot.randint(1, 9))) for _ in range(2000)]
    text = " ".join(words[int(2000 ** lot.random()) - 1] for _ in range(length // 2 + 1))
    return text[:length].encode()


def noise(length, seed=0):
    return random.Random(seed).randbytes(length)


@pytest.fixture(params=["zlib", "bz2", "lzma", *LIBRARY])
def name(request):
    """A compressor that is installed."""
    if request.param in LIBRARY:
        pytest.importorskip(LIBRARY[request.param])
    return request.param


def test_zlib_by_hand():
    x, y = prose(3000, 1), prose(2000, 2) + prose(1000, 1)

    def size(text, known=None):
        known = {} if known is None else {"zdict": known}
        state = zlib.compressobj(6, zlib.DEFLATED, -15, **known)
        return len(state.compress(text) + state.flush()) - 2

    expected = (size(x, y) + size(y, x)) / size(x + y)
    distance = ilk.distance("compression", symmetric=False)
    assert distance.between(x, y) == expected
    assert distance.pairwise([x, y], [y, x, y]).tolist()[0][::2] == [expected, expected]
    both = (size(x, y) + size(y, x)) / size(min(x, y) + max(x, y))
    assert ilk.distance("compression").between(x, y) == both


def test_what_takes_no_dictionary_gets_a_difference():
    x, y = prose(3000, 1), prose(2500, 2)

    def size(text):
        return len(bz2.compress(text)) - 14

    expected = (size(y + x) - size(y)) + (size(x + y) - size(x))
    distance = ilk.distance("compression", compressor="bz2")
    assert distance.between(x, y) == expected / size(x + y)
    by_function = ilk.distance("compression", compressor=bz2.compress)
    assert by_function.between(x, y) == distance.between(x, y)


def test_conditional_sizes(name):
    """What is known costs little, what is not costs what it costs alone."""
    compressor = make_compressor(None, name, None)
    known, other = prose(4000, 1), noise(4000, 2)
    alone = compressor.alone([known, other])
    of_known, of_other = compressor.given(known, [known, other])
    assert of_known < alone[0] / 3
    assert 0.9 * alone[1] < of_other < 1.1 * alone[1]
    assert compressor.given(b"", [known])[0] == pytest.approx(alone[0], rel=0.02)
    assert compressor.given(known, [b""])[0] == pytest.approx(0, abs=4)


@given(st.lists(st.binary(max_size=60), min_size=2, max_size=4))
def test_dictionaries_are_shared_without_changing_a_byte(texts):
    for name in ("zlib", "lzma"):
        compressor = make_compressor(None, name, None)
        together = compressor.given(texts[0], texts[1:])
        assert together == [compressor.given(texts[0], [text])[0] for text in texts[1:]]
        assert min(together) >= 0


@in_one_test
@pytest.mark.parametrize("length", [1000, 4000, 32_000])
def test_a_text_is_near_itself_and_noise_is_far(name, length):
    text = prose(length)
    distance = ilk.distance("compression", compressor=name)
    assert 0 < distance.between(text, text) < (0.6 if name == "bz2" else 0.3)
    assert distance.between(text, noise(length)) > 0.85


def test_properties(name):
    texts = [prose(n, s) for s, n in enumerate([1100, 40, 2500, 3000])] + [b"", b"a", noise(90)]
    distance = ilk.distance("compression", compressor=name)
    with ilk.threads(1):
        D = distance.pairwise(texts)
    np.testing.assert_array_equal(D, D.T)
    assert (D >= 0).all()
    assert D[4, 4] == 0
    with ilk.threads(3):
        np.testing.assert_array_equal(distance.pairwise(texts, list(texts)), D)
    for i, text in enumerate(texts):
        np.testing.assert_array_equal(distance.pairwise([text], texts)[0], D[i])


@pytest.mark.parametrize("name", ["zstd", "lzma"])
def test_long_texts(name):
    if name == "zstd":
        pytest.importorskip("zstandard")
    text = noise(2_500_000 if name == "zstd" else 200_000)
    distance = ilk.distance("compression", compressor=name, level=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert distance.between(text, text) < 0.03


def test_windows():
    text = noise(40_000)
    with pytest.warns(WindowWarning, match="compression: X has 40000 bytes at row 1"):
        D = ilk.distance("compression").pairwise([b"a", text])
    assert D[1, 1] > 0.5


def test_errors_are_those_of_ncd():
    with pytest.raises(
        ilk.InputError, match=r"compression: X has a missing value \(None\) at row 0"
    ):
        ilk.distance("compression").pairwise([None])
    with pytest.raises(
        ilk.ParameterError, match="compression: level must be an integer from 1 to 9"
    ):
        ilk.distance("compression", level=0).pairwise(["a"])
