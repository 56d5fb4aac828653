"""Normalised compression distance, and the compressors by which it is computed."""

import bz2
import importlib
import itertools
import lzma
import random
import sys
import warnings
import zlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_distances.strings.compression import WindowWarning
from ilk_distances.strings.compressors import COMPRESSORS, make_compressor
from ilk_distances.strings.extras import MissingLibraryError

LIBRARY = {"zstd": "zstandard", "lz4": "lz4", "isal": "isal"}


def prose(length, seed=0):
    """Words of very different frequency, as in a language."""
    lot = random.Random(seed)
    letters = "eeeetttaaooiinnsshhrrdlucmfwypvbgkjqxz"
    words = ["".join(lot.choices(letters, k=lot.randint(1, 9))) for _ in range(2000)]
    lot = random.Random(seed + 1)
    text = " ".join(words[int(2000 ** lot.random()) - 1] for _ in range(length // 2 + 1))
    return text[:length].encode()


def noise(length, seed=0):
    return random.Random(seed).randbytes(length)


def plain_zlib(text, level=-1):
    return len(zlib.compress(text, level)) - len(zlib.compress(b"", level))


def plain_lzma(text, level=6):
    def size(text):
        reach = max(1 << max(len(text) - 1, 0).bit_length(), 4096)
        method = {"id": lzma.FILTER_LZMA1, "preset": level, "dict_size": reach}
        return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=[method]))

    return size(text) - size(b"")


def plain_bz2(text, level=9):
    return len(bz2.compress(text, level)) - len(bz2.compress(b"", level))


def plain_zstd(text, level=3):
    zstandard = pytest.importorskip("zstandard")

    def size(text):
        return len(zstandard.ZstdCompressor(level, write_content_size=False).compress(text))

    return size(text) - size(b"")


def plain_lz4(text, level=0):
    block = pytest.importorskip("lz4.block")
    mode = {"mode": "high_compression", "compression": level} if level else {}
    return len(block.compress(text, store_size=False, **mode)) - 1


def plain_isal(text, level=2):
    isal_zlib = pytest.importorskip("isal.isal_zlib")
    sizes = []
    for part in (text, b""):
        state = isal_zlib.compressobj(level)
        sizes.append(len(state.compress(part) + state.flush()))
    return sizes[0] - sizes[1]


PLAIN = {
    "zlib": plain_zlib,
    "bz2": plain_bz2,
    "lzma": plain_lzma,
    "zstd": plain_zstd,
    "lz4": plain_lz4,
    "isal": plain_isal,
}


def plain_ncd(size, x, y):
    least, most = sorted([size(x), size(y)])
    return max(size(x + y) - least, 0) / most if most else 0.0


@pytest.fixture(params=sorted(PLAIN))
def name(request):
    """A compressor that is installed."""
    if request.param in LIBRARY:
        pytest.importorskip(LIBRARY[request.param])
    return request.param


LENGTHS = [0, 1, 2, 10, 120, 1023, 1024, 1500, 5000, 20000]


def test_sizes_are_those_of_a_plain_loop(name):
    texts = [prose(length, i) for i, length in enumerate(LENGTHS)] + [noise(700), bytes(3000)]
    size = PLAIN[name]
    got = ilk.distance("ncd", compressor=name, symmetric=False).pairwise(texts)
    expected = [[plain_ncd(size, x, y) for y in texts] for x in texts]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("level", range(1, 10))
def test_the_state_of_zlib_is_copied_without_changing_a_byte(level):
    compressor = make_compressor(None, "zlib", level)
    first = prose(3000, 5)
    others = [b"", b"x", prose(200, 6), prose(4000, 7), first, noise(40_000), prose(33_000, 5)]
    for one in (first, noise(2000), prose(30_000, 8), prose(70_000, 9)):
        assert compressor.after(one, others) == [plain_zlib(one + y, level) for y in others]


PIECES = st.lists(st.sampled_from([b"a", b"ab", b"the ", bytes(300), noise(80)]), max_size=60)


@given(PIECES.map(b"".join), st.lists(PIECES.map(b"".join), min_size=2, max_size=3))
def test_copied_states_of_any_bytes(first, others):
    first = first * (1 + 1024 // max(len(first), 1))
    compressor = make_compressor(None, "zlib", None)
    assert compressor.after(first, others) == [plain_zlib(first + y) for y in others]


@in_one_test
@pytest.mark.parametrize(("name", "level"), [("bz2", 1), ("lzma", 1), ("zstd", 9), ("lz4", 9)])
def test_levels(name, level):
    texts = [prose(3000, 1), prose(2000, 2)]
    distance = ilk.distance("ncd", compressor=name, level=level, symmetric=False)
    expected = plain_ncd(lambda text: PLAIN[name](text, level), *texts)
    assert distance.between(*texts) == expected


def test_symmetric_puts_the_longer_text_first():
    long, short, other = prose(3000, 1), prose(1000, 2), prose(1000, 3)
    distance = ilk.distance("ncd")
    expected = plain_ncd(plain_zlib, long, short)
    assert distance.between(long, short) == distance.between(short, long) == expected
    expected = plain_ncd(plain_zlib, *sorted([short, other]))
    assert distance.between(other, short) == distance.between(short, other) == expected


@given(st.lists(st.binary(max_size=40) | st.text(max_size=20), min_size=1, max_size=6))
def test_symmetric_whatever_the_texts(texts):
    distance = ilk.distance("ncd")
    D = distance.pairwise(texts)
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(D, distance.pairwise(texts, list(texts)))
    assert (D >= 0).all()
    for i, text in enumerate(texts):
        np.testing.assert_array_equal(distance.pairwise([text], texts)[0], D[i])


def test_one_order_is_close_to_the_other():
    texts = [prose(n, s) for s, n in enumerate([500, 900, 2000, 4000])]
    there = ilk.distance("ncd", symmetric=False).pairwise(texts)
    assert not np.array_equal(there, there.T)
    np.testing.assert_allclose(there, there.T, atol=0.03)
    np.testing.assert_allclose(there, ilk.distance("ncd").pairwise(texts), atol=0.03)


BOUNDS = {"zlib": 0.15, "bz2": 0.35, "lzma": 0.1, "zstd": 0.15, "lz4": 0.2, "isal": 0.2}


@in_one_test
@pytest.mark.parametrize("length", [500, 2000, 8000, 32_000])
def test_a_text_is_near_itself_but_not_at_0(name, length):
    text = prose(length)
    own = ilk.distance("ncd", compressor=name).between(text, text)
    assert 0 < own < BOUNDS[name]
    other = ilk.distance("ncd", compressor=name).between(text, noise(length))
    assert other > 0.75


def test_short_texts_are_not_alike_because_of_headers(name):
    x, y = b"qwertzuiop", b"asdfghjklm"
    raw = len(zlib.compress(x)), len(zlib.compress(x + y))
    assert (raw[1] - raw[0]) / raw[0] < 0.6
    least = 0.4 if name == "bz2" else 0.9  # which writes tables for a block, however short
    assert least <= ilk.distance("ncd", compressor=name).between(x, y) <= 1.2


def test_empty_texts(name):
    distance = ilk.distance("ncd", compressor=name)
    D = distance.pairwise(["", "a", prose(300)])
    assert D[0, 0] == 0
    assert D[0, 1:].tolist() == D[1:, 0].tolist() == [1, 1]


def test_zlib_sees_nothing_of_a_text_longer_than_its_window():
    text = prose(40_000)
    distance = ilk.distance("ncd")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert distance.between(text[:32_505], text[:32_505]) < 0.06
    with pytest.warns(WindowWarning, match=r"ncd: X has 33000 bytes at row 0; .* use lzma or zstd"):
        assert distance.pairwise([text[:33_000]])[0, 0] > 0.7


@in_one_test
@pytest.mark.parametrize(
    ("name", "level", "reach"),
    [
        ("zlib", None, 32_505),
        ("isal", 3, 32_768),
        ("lz4", None, 65_535),
        ("bz2", 1, 49_990),
    ],
)
def test_the_window_of_each_compressor(name, level, reach):
    if name in LIBRARY:
        pytest.importorskip(LIBRARY[name])
    distance = ilk.distance("ncd", compressor=name, level=level, symmetric=False)
    texts = [noise(reach), noise(reach + 20_000)]
    near = distance.between(texts[0], texts[0])
    with pytest.warns(WindowWarning, match=f"longer than {reach} bytes"):
        far = distance.between(texts[1], texts[1])
    assert near < 0.3
    assert far > near + (0.15 if name == "bz2" else 0.5)


def test_isal_of_level_3_sees_repeated_noise_up_to_its_window():
    pytest.importorskip("isal")
    fast, thorough = (ilk.distance("ncd", compressor="isal", level=level) for level in (2, 3))
    assert fast.between(noise(8000), noise(8000)) > 0.9  # as the docstring says
    for length in (500, 4000, 8000, 32_000):
        assert thorough.between(noise(length), noise(length)) < 0.07


@pytest.mark.parametrize(("name", "level"), [("lzma", 0), ("zstd", 1), ("zstd", 3)])
def test_lzma_and_zstd_look_back_over_any_length(name, level):
    if name == "zstd":
        pytest.importorskip("zstandard")
    text = noise(300_000 if name == "lzma" else 3_000_000)
    distance = ilk.distance("ncd", compressor=name, level=level)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert distance.between(text, text) < 0.01


def test_threads_change_nothing(name):
    texts = [prose(n, s) for s, n in enumerate([1100, 2000, 2500, 3000] * 3)]
    distance = ilk.distance("ncd", compressor=name)
    with ilk.threads(1):
        alone = distance.pairwise(texts)
    with ilk.threads(4):
        np.testing.assert_array_equal(distance.pairwise(texts), alone)
        rows = [distance.pairwise([text], texts)[0] for text in texts]
    np.testing.assert_array_equal(rows, alone)


def test_single_sizes_are_computed_once():
    calls = []

    def count(text):
        calls.append(text)
        return len(set(text))

    Q, X = ["ab", "cd"], ["abc", "de", "f"]
    ilk.distance("ncd", compressor=count).kneighbors(Q, X, 2)
    singles = {text.encode() for text in Q + X}
    assert sorted(text for text in calls if text in singles) == sorted(singles)
    assert len([text for text in calls if text]) == 5 + 6
    index = ilk.index("brute").fit(X, distance=ilk.distance("ncd", compressor=count))
    calls.clear()
    index.kneighbors(Q, 1)
    assert not {b"abc", b"de", b"f"} & set(calls)
    handle = ilk.distance("ncd", compressor=count).prepare(X)
    calls.clear()
    assert len(handle.to("ab")) == len(handle) == 3
    assert not {b"abc", b"de", b"f"} & set(calls)


def test_what_was_checked_for_another_compressor_is_compressed_again():
    texts = [prose(400, 1), prose(500, 2)]
    checked = ilk.distance("ncd").check_input(texts)
    assert ilk.distance("ncd").check_input(checked) is checked
    lzma_distance = ilk.distance("ncd", compressor="lzma")
    np.testing.assert_array_equal(lzma_distance.pairwise(checked), lzma_distance.pairwise(texts))


def test_parts_of_what_was_checked():
    distance = ilk.distance("ncd")
    texts = [prose(300, s) for s in range(5)]
    checked, D = distance.check_input(texts), distance.pairwise(texts)
    assert checked[2] == texts[2]
    for rows in (slice(1, 4), [3, 0], np.array([False, True, True, False, True])):
        np.testing.assert_array_equal(distance.pairwise(checked[rows]), D[rows][:, rows])


def test_texts_bytes_and_files(tmp_path):
    texts = ["Grüße", "naïve Grüße", "κόσμε"]
    paths = [tmp_path / f"{i}.txt" for i in range(3)]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    distance = ilk.distance("ncd")
    D = distance.pairwise(texts)
    encoded = [text.encode() for text in texts]
    array = np.empty(3, dtype=object)
    array[:] = texts
    for X in (
        encoded,
        [bytearray(text) for text in encoded],
        [memoryview(text) for text in encoded],
        paths,
        tuple(texts),
        array,
        np.array(texts),
        pd.Series(texts, index=[7, 7, 8]),
        pd.DataFrame({"text": texts}),
        pl.Series(texts),
        pl.DataFrame({"text": texts}),
        [texts[0], encoded[1], paths[2]],
    ):
        np.testing.assert_array_equal(distance.pairwise(X), D)
        np.testing.assert_array_equal(distance.pairwise(texts, X), D)
    assert distance.between(paths[0], texts[1]) == D[0, 1]


def test_encodings():
    texts = ["Grüße" * 20, "Straße" * 20]
    latin = ilk.distance("ncd", encoding="latin-1")
    assert latin.between(*texts) == ilk.distance("ncd").between(
        *(t.encode("latin-1") for t in texts)
    )
    with pytest.raises(ilk.InputError, match="X has a text at row 1 that ascii cannot encode"):
        ilk.distance("ncd", encoding="ascii").pairwise(["a", "ß"])
    with pytest.raises(ilk.InputError, match="row 0 that utf-8 cannot encode"):
        ilk.distance("ncd").pairwise(["\ud800"])
    for bad in ("no-such", "base64"):
        with pytest.raises(ilk.ParameterError, match=f"ncd: encoding must name .* got '{bad}'"):
            ilk.distance("ncd", encoding=bad).pairwise(["a"])


@in_one_test
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ("a text", ilk.InputError, "X must be a list of objects, got the single 'a text'"),
        (b"bytes", ilk.InputError, "got the single b'bytes'"),
        ([], ilk.InputError, "X has no rows"),
        (["a", None], ilk.InputError, r"X has a missing value \(None\) at row 1"),
        (["a", float("nan")], ilk.InputError, r"X has a missing value \(nan\) at row 1"),
        ([pd.NA], ilk.InputError, r"X has a missing value \(<NA>\) at row 0"),
        (["a", 3], ilk.InputTypeError, "X has a int at row 1, expected a text, bytes or the path"),
        ({"a"}, ilk.InputTypeError, "X must be a sequence of objects, got a set"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), ilk.InputError, "must have one column.* a, b"),
        (np.zeros((2, 2)), ilk.InputTypeError, "X has a ndarray at row 0"),
    ],
    ids=str,
)
def test_what_is_no_text(X, error, message):
    with pytest.raises(error, match=f"ncd: .*{message}"):
        ilk.distance("ncd").pairwise(X)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(
        ilk.InputError, match=r"has the file .*none\.txt' at row 1, .* No such file"
    ):
        ilk.distance("ncd").pairwise(["a", tmp_path / "none.txt"])


def test_functions():
    texts = [prose(300, 1), prose(400, 2)]
    expected = ilk.distance("ncd").pairwise(texts)
    compressing = ilk.distance("ncd", compressor=zlib.compress)
    np.testing.assert_array_equal(compressing.pairwise(texts), expected)
    sizing = ilk.distance("ncd", compressor=lambda text: len(zlib.compress(text)))
    np.testing.assert_array_equal(sizing.pairwise(texts), expected)
    with pytest.raises(ilk.SpecError):
        ilk.to_spec(sizing)


@in_one_test
@pytest.mark.parametrize("value", [None, -1, float("nan"), float("inf"), "text"])
def test_what_functions_return_is_checked(value):
    distance = ilk.distance("ncd", compressor=lambda text: value if text else 0)
    with pytest.raises(
        ilk.InputError, match="ncd: compressor must return bytes or a finite number"
    ):
        distance.pairwise(["a"])


def test_errors_of_functions_say_where():
    with pytest.raises(ZeroDivisionError) as caught:
        ilk.distance("ncd", compressor=lambda text: 1 / abs(len(text) - 2)).pairwise(["ab"])
    assert caught.value.__notes__[0].startswith("ncd: compressing 2 bytes by")


def runs(text):
    return sum(1 for _ in itertools.groupby(text))


def test_a_function_gets_a_name_by_a_subclass():
    cls = ilk.registry("distance").get("ncd")

    class Runs(cls):
        """NCD by the number of runs of equal bytes."""

        compressor = staticmethod(runs)
        level, symmetric, encoding = None, True, "utf-8"

    registry = ilk.registry("distance")
    registry.register("runs", Runs)
    try:
        distance = ilk.distance("runs")
        assert ilk.to_spec(distance) == {"use": "runs"}
        assert distance.between("aabb", "abab") == (6 - 2) / 4
    finally:
        registry.unregister("runs")


def test_bad_levels(name):
    low, high = COMPRESSORS[name].levels
    for level in (low - 1, high + 1):
        message = f"ncd: level must be an integer from {low} to {high} for {name}, got {level}"
        with pytest.raises(ilk.ParameterError, match=message):
            ilk.distance("ncd", compressor=name, level=level).pairwise(["a"])
    assert ilk.distance("ncd", compressor=name, level=high).between("abc", "abc") >= 0


def test_bad_compressors():
    with pytest.raises(ilk.ParameterError, match="got 'zstandard'"):
        ilk.distance("ncd", compressor="zstandard").pairwise(["a"])
    with pytest.raises(ilk.ParameterError, match="level must be None if compressor is a function"):
        ilk.distance("ncd", compressor=len, level=1).pairwise(["a"])


@pytest.mark.parametrize(
    ("name", "module"), [("zstd", "zstandard"), ("lz4", "lz4.block"), ("isal", "isal.isal_zlib")]
)
def test_missing_libraries_are_named(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, module, None)
    message = rf"ncd: compressor '{name}' needs (\w+), which is not installed \(pip install \1; "
    with pytest.raises(MissingLibraryError, match=message) as caught:
        ilk.distance("ncd", compressor=name).pairwise(["a"])
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, ilk.IlkError)


def test_nothing_heavy_is_imported_for_zlib():
    module = importlib.import_module("ilk_distances.strings.compressors")
    assert not {"zstandard", "lz4", "isal"} & set(vars(module))


def test_neighbours_of_texts():
    X = [prose(600, 1), prose(600, 2), noise(600), prose(600, 1) + b"!"]
    near, where = ilk.distance("ncd").kneighbors([X[0][:-3]], X, 4)
    assert where[0, :2].tolist() == [0, 3]
    assert where[0, 3] == 2
    assert (np.diff(near[0]) >= 0).all()
