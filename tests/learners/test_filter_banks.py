"""mr8 and gist: filters and their responses against direct sums, and what does not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import ilk
from cases import in_one_test
from ilk_learners.transformers.filter_banks import mr8_filters


def make(name, **parameters):
    return ilk.transformer(name, **parameters)


def image_of(height, width, seed=0):
    noise = np.random.default_rng(seed).normal(size=(height, width))
    smooth = ndimage.gaussian_filter(noise, 1.5)
    return np.interp(smooth, [smooth.min(), smooth.max()], [0, 255]).astype(np.uint8)


def gaussian(order, sigma, at):
    """A derivative of a Gaussian, by differences."""
    step = 1e-3
    bell = [np.exp(-((at + k * step) ** 2) / (2 * sigma**2)) for k in (-1, 0, 1)]
    return [bell[1], bell[2] - bell[0], bell[2] - 2 * bell[1] + bell[0]][order]


def filters_by_hand():
    down, across = np.mgrid[-24:25, -24:25]
    for order in (1, 2):
        for sigma in (1, 2, 4):
            for k in range(6):
                angle = np.radians(30 * k)
                along = across * np.cos(angle) + down * np.sin(angle)
                over = down * np.cos(angle) - across * np.sin(angle)
                yield gaussian(0, 3 * sigma, along) * gaussian(order, sigma, over), 0
    yield gaussian(0, 10, across) * gaussian(0, 10, down), 1
    two = gaussian(2, 10, across) * gaussian(0, 10, down)
    yield two + gaussian(0, 10, across) * gaussian(2, 10, down), 0


def test_filters_are_derivatives_of_gaussians():
    for ours, (theirs, total) in zip(mr8_filters(), filters_by_hand(), strict=True):
        shape = theirs if total else theirs - theirs.mean()
        aligned = shape / np.abs(shape).sum() * np.sign((ours * shape).sum())
        np.testing.assert_allclose(ours, aligned, atol=1e-6)
        assert ours.sum() == pytest.approx(total, abs=1e-12)


def test_responses_are_those_of_direct_convolution():
    image = image_of(13, 18)
    (features,) = make("mr8", spacing=5).transform([image])
    grey = (image - image.mean()) / image.std()
    every = np.array([ndimage.convolve(grey, one, mode="reflect") for one in mr8_filters()])
    oriented = [np.abs(every[6 * i : 6 * i + 6]).max(axis=0) for i in range(6)]
    eight = np.array([*oriented, *every[36:]])
    lengths = np.linalg.norm(eight, axis=0)
    expected = (eight * np.log(1 + lengths / 0.03) / lengths)[:, ::5, ::5].reshape(8, -1).T
    np.testing.assert_allclose(features[:, 2:], expected, atol=2e-5)
    places = features[:, :2] * [18, 13] - 0.5
    assert places.round().astype(int).tolist() == [
        [x, y] for y in range(0, 13, 5) for x in range(0, 18, 5)
    ]


@given(st.integers(0, 1000), st.integers(-20, 20))
def test_texture_does_not_turn_with_the_image(seed, brighter):
    """A quarter turn, another brightness and half the contrast move features only."""
    image = image_of(16, 16, seed) // 2 + 20
    (features,) = make("mr8", spacing=1).transform([image])
    turned = np.rot90(image).astype(int) + brighter
    (other,) = make("mr8", spacing=1).transform([turned])
    back = np.rot90(other[:, 2:].reshape(16, 16, 8), -1).reshape(-1, 8)
    np.testing.assert_allclose(back, features[:, 2:], atol=1e-3)


def test_textons_are_words_of_responses():
    """Section 3.4: responses quantised by a codebook tell stripes from spots."""
    down, across = np.indices((32, 32))
    stripes = np.where(across % 6 < 3, 60, 180)
    spots = np.where((across % 12 < 6) == (down % 12 < 6), 60, 180)
    images = [each + i for i in range(4) for each in (stripes, spots)]
    words = {"use": "codebook", "n_words": 6, "places": 2, "random_state": 0}
    steps = [{"transformer": "mr8"}, {"transformer": words}, {"classifier": {"use": "knn", "k": 1}}]
    pipeline = ilk.Pipeline(steps).fit(images[:4], [0, 1, 0, 1])
    assert pipeline.predict(images[4:]).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("name", ["mr8", "gist"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 50)])
def test_flat_and_tiny_images(name, shape):
    out = make(name).fit([np.full(shape, 7)]).transform([np.full(shape, 7)])[0]
    np.testing.assert_allclose(out[:, 2:] if name == "mr8" else out, 0, atol=1e-9)


def energies(image, **parameters):
    gist = make("gist", **parameters).fit([image])
    return gist.transform([image])[0].reshape(gist.scales, gist.orientations, gist.grid, gist.grid)


@in_one_test
@pytest.mark.parametrize("scale", range(3))
@pytest.mark.parametrize("orientation", range(0, 8, 3))
def test_a_wave_has_energy_at_its_frequency_and_orientation(scale, orientation):
    frequency, angle = 0.3 / 1.85**scale, np.pi * orientation / 8
    down, across = np.indices((64, 64))
    wave = np.sin(2 * np.pi * frequency * (across * np.cos(angle) + down * np.sin(angle)))
    found = energies((128 + 60 * wave).astype(np.uint8), grid=1)[:, :, 0, 0]
    assert np.unravel_index(found.argmax(), found.shape) == (scale, orientation)


def test_gist_turns_and_mirrors_with_the_image():
    image = image_of(41, 41)  # of even sides the highest frequency would have one sign only
    found = energies(image)
    turned = energies(np.rot90(image))
    expected = np.rot90(np.roll(found, 4, axis=1), axes=(2, 3))
    np.testing.assert_allclose(turned, expected, rtol=1e-9)
    mirrored = energies(image[:, ::-1])
    np.testing.assert_allclose(mirrored, found[:, -np.arange(8) % 8, :, ::-1], rtol=1e-9)


def test_energies_are_those_of_a_direct_transform():
    """By matrices of the discrete Fourier transform, and means over cells of 3 by 2 pixels."""
    image = image_of(6, 4)
    found = energies(image, scales=2, orientations=3, grid=2)
    sigma = np.array(image.shape) * np.sqrt(np.log(2) / 2) / (4 * np.pi)
    x = np.log(1 + image.astype(float))
    x -= ndimage.gaussian_filter(x, sigma)
    x /= 0.2 + np.sqrt(ndimage.gaussian_filter(x**2, sigma))
    x = np.pad(x, 32, mode="symmetric")
    f, g = (np.fft.fftfreq(n) for n in x.shape)
    F, G = (np.exp(-2j * np.pi * np.outer(w, np.arange(len(w)))) for w in (f, g))
    spectrum = F @ x @ G.T
    for s in range(2):
        for o in range(3):
            t = np.angle(g[None, :] + 1j * f[:, None])
            apart = np.angle(np.exp(1j * (t - np.pi * o / 3)))
            radial = np.hypot(f[:, None], g[None, :]) * 1.85**s / 0.3 - 1
            gabor = np.exp(-3.5 * radial**2 - 2 * np.pi * (3 / 8) ** 2 * apart**2)
            gabor[0, 0] = 0
            size = np.abs(F.conj().T @ (spectrum * gabor) @ G.conj()) / x.size
            cells = size[32:38, 32:36].reshape(2, 3, 2, 2).mean(axis=(1, 3))
            np.testing.assert_allclose(found[s, o], cells, rtol=1e-9)


def test_parameters_and_images_are_checked():
    with pytest.raises(ilk.ParameterError, match="mr8: spacing must be an integer >= 1"):
        make("mr8", spacing=0)
    for name in ("mr8", "gist"):
        with pytest.raises(ilk.InputError, match=rf"{name}: X\[0\] .*\(3, 3, 3\); .*color='grey'"):
            make(name).fit([np.zeros((3, 3, 3), dtype=np.uint8)])
    assert len(make("gist").fit([image_of(8, 8)]).get_feature_names_out()) == 512
