"""The data set `images`: pictures in folders named for their classes."""

import sys

import numpy as np
import pytest
from matplotlib.colors import rgb_to_hsv

import ilk

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed (extra 'images')")


def load(path, **parameters):
    return ilk.dataset("images", path=str(path), **parameters).load()


def picture(path, pixels, **options):
    path.parent.mkdir(exist_ok=True)
    Image.fromarray(np.asarray(pixels, dtype=np.uint8)).save(path, **options)


def noise(height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size=(height, width), dtype=np.uint8)


@pytest.fixture
def folder(tmp_path):
    for name, seed in (("zebra", 0), ("ant", 10)):
        for i in (2, 10, 1):
            picture(tmp_path / name / f"{i}.png", noise(20 + i, 30, seed + i))
    return tmp_path


def test_in_the_order_of_names(folder):
    data = load(folder)
    assert data.y.tolist() == ["ant"] * 3 + ["zebra"] * 3
    assert [image.shape for image in data.X] == [(21, 30), (30, 30), (22, 30)] * 2
    assert all(image.dtype == np.uint8 for image in data.X)
    expected = [noise(20 + i, 30, seed + i) for seed in (10, 0) for i in (1, 10, 2)]
    assert all(np.array_equal(a, b) for a, b in zip(data.X, expected, strict=True))
    assert data.name == folder.name
    assert data.description == "6 images: 3 ant, 3 zebra"


def test_limit_takes_the_first_of_each_class(folder):
    data = load(folder, limit=2)
    assert data.y.tolist() == ["ant"] * 2 + ["zebra"] * 2
    assert [len(image) for image in data.X] == [21, 30] * 2


def test_longer_sides_are_shrunk_and_never_enlarged(folder):
    picture(folder / "ant" / "0.png", noise(100, 60))
    picture(folder / "ant" / "00.png", noise(60, 100))
    assert [image.shape for image in load(folder, size=50).X[:3]] == [(50, 30), (30, 50), (21, 30)]


def test_shrinking_keeps_mean_grey(folder):
    down, across = np.indices((80, 80))
    picture(folder / "ant" / "0.png", (across + down) // 4 * 4)
    image = load(folder, size=20).X[0]
    assert image.shape == (20, 20)
    assert abs(image.mean() - 77.5) < 2


def test_colours_become_luminance_and_pictures_stand_upright(folder):
    red = np.zeros((4, 6, 3))
    red[..., 0] = 255
    picture(folder / "ant" / "0.png", red)
    turned = Image.new("L", (6, 4), 9)
    exif = turned.getexif()
    exif[0x0112] = 6  # turned by a quarter
    turned.save(folder / "ant" / "00.JPG", exif=exif)
    grey, upright = load(folder).X[:2]
    assert grey.shape == (4, 6)
    assert upright.shape == (6, 4)
    assert set(grey.ravel()) == {76}  # 0.299 * 255


def test_colors_are_channels_from_0_to_255(folder):
    """HSV is 255 times that of matplotlib, rounded down."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, size=(40, 30, 3), dtype=np.uint8)
    pixels[:2, :3] = [[[255, 0, 0], [0, 255, 0], [0, 0, 255]], [[0, 0, 0], [90] * 3, [255] * 3]]
    picture(folder / "ant" / "0.png", pixels)
    data = load(folder, color="rgb")
    assert np.array_equal(data.X[0], pixels)
    assert data.X[1].shape == (21, 30, 3)  # a grey file has three equal channels
    assert (np.ptp(data.X[1], axis=2) == 0).all()
    hsv = load(folder, color="hsv").X[0]
    assert hsv.dtype == np.uint8
    assert hsv[:2, :3].tolist() == [
        [[0, 255, 255], [85, 255, 255], [170, 255, 255]],
        [[0, 0, 0], [0, 0, 90], [0, 0, 255]],
    ]
    exact = 255 * rgb_to_hsv(pixels / 255)
    assert (np.abs(hsv - exact) < 1 + 1e-3).all()
    assert data.fingerprint != load(folder, color="hsv").fingerprint


def test_hues_are_computed_after_shrinking(folder):
    """The mean of two reds on both sides of hue 0 is red, not cyan."""
    reds = np.zeros((40, 40, 3))
    reds[:, ::2] = [255, 0, 40]
    reds[:, 1::2] = [255, 40, 0]
    picture(folder / "ant" / "0.png", reds)
    hue = load(folder, color="hsv", size=10).X[0][..., 0].astype(int)
    assert (np.minimum(hue, 255 - hue) < 10).all()


def test_other_files_and_hidden_ones_are_passed_over(folder):
    expected = load(folder).fingerprint
    (folder / "ant" / "notes.txt").write_text("two legs missing")
    (folder / "ant" / ".hidden.png").write_bytes(b"")
    (folder / ".cache").mkdir()
    (folder / "readme.png").write_bytes(b"")
    (folder / "zebra" / "more.png").mkdir()
    assert load(folder).fingerprint == expected


def test_the_fingerprint_covers_each_pixel(folder):
    before = load(folder).fingerprint
    assert load(folder).fingerprint == before
    pixels = noise(21, 30, 11)
    pixels[3, 4] ^= 1
    picture(folder / "ant" / "1.png", pixels)
    assert load(folder).fingerprint != before


@pytest.mark.parametrize("content", [b"", b"no image at all", b"\x89PNG\r\n\x1a\n broken"])
def test_broken_files_are_named(folder, content):
    (folder / "zebra" / "3.png").write_bytes(content)
    with pytest.raises(ilk.DataError, match=r"zebra.3\.png: cannot be read as an image"):
        load(folder)


def test_files_cut_short_are_named(folder):
    path = folder / "zebra" / "1.png"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ilk.DataError, match=r"1\.png: cannot be read as an image"):
        load(folder)


def test_more_than_8_bits_are_refused(folder):
    Image.fromarray(np.full((3, 3), 40_000, dtype=np.uint16)).save(folder / "ant" / "0.png")
    with pytest.raises(ilk.DataError, match=r"0\.png: .* more than 8 bits per pixel"):
        load(folder)


def test_a_picture_too_large_to_be_meant_is_named(folder, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 200)
    with pytest.raises(ilk.DataError, match=r"1\.png: cannot be read as an image.* limit"):
        load(folder)


def test_folders_that_will_not_do(tmp_path):
    with pytest.raises(ilk.DataError, match="there is no such folder"):
        load(tmp_path / "nothing")
    with pytest.raises(ilk.DataError, match=r"two or more classes, has \[\]"):
        load(tmp_path)
    (tmp_path / "one").mkdir()
    with pytest.raises(ilk.DataError, match=r"two or more classes, has \['one'\]"):
        load(tmp_path)
    (tmp_path / "two").mkdir()
    with pytest.raises(ilk.DataError, match=r"one: holds no image \(files that end in \.bmp,"):
        load(tmp_path)


def test_titles_tell_what_is_taken(folder):
    def title(**parameters):
        return ilk.dataset("images", path=str(folder), **parameters).title()

    assert title() == folder.name
    assert title(limit=5, size=100) == f"{folder.name} (5 a class, 100 px)"
    assert title(color="hsv") == f"{folder.name} (hsv)"


def test_the_missing_library_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ilk.IlkError, match=r"needs Pillow, .*pip install pillow"):
        load(folder)
