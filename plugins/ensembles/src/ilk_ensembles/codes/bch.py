"""Binary BCH codes: words of 2^m - 1 bits with a guaranteed minimum distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ilk_ensembles.codes.matrices import best_of, usual_bits

LENGTHS = (7, 15, 31, 63, 127, 255, 511)
"""Lengths with a code in use: 2^m - 1 bits."""
_TRIES = 10_000  # draws until a code counts as having no valid words


@dataclass(frozen=True)
class BCH:
    """A primitive narrow-sense binary BCH code.

    Its words are the multiples of the generator polynomial: the polynomial of least degree over
    GF(2) with the roots a, a^2, ..., a^(2t), where a is a primitive element of GF(2^m). The
    code corrects t errors.

    Attributes
    ----------
    length : int
        2^m - 1.
    corrects : int
        t.
    generator : int
        Bit i is the coefficient of x^i.
    """

    length: int
    corrects: int
    generator: int

    @property
    def dimension(self) -> int:
        """Message bits: there are 2^dimension words."""
        return self.length - self.generator.bit_length() + 1

    @property
    def designed_distance(self) -> int:
        """2t + 1: a lower bound of the distance of two words."""
        return 2 * self.corrects + 1

    def words(self, messages: np.ndarray) -> np.ndarray:
        """Word of each message: its product with the generator polynomial.

        Parameters
        ----------
        messages : ndarray of 0 and 1, shape (r, dimension)

        Returns
        -------
        ndarray of 0 and 1, shape (r, length)
        """
        rows = [
            [
                self.generator >> (bit - shift) & 1 if bit >= shift else 0
                for bit in range(self.length)
            ]
            for shift in range(self.dimension)
        ]
        return np.asarray(messages @ np.array(rows) % 2)


@cache
def bch(m: int, corrects: int) -> BCH:
    """Return the BCH code of 2^m - 1 bits designed to correct the given number of errors."""
    powers = _powers(m)
    length = len(powers)
    generator, covered = 1, set()
    for root in range(1, 2 * corrects + 1):
        if root % length in covered:
            # over GF(2) a polynomial with the root a^r also has the roots a^(2r), a^(4r), ...
            continue
        conjugates = {root * 2**i % length for i in range(m)}
        covered |= conjugates
        generator = _product(generator, _with_roots(sorted(conjugates), powers))
    return BCH(length, corrects, generator)


def bch_code(
    n_classes: int, n_bits: int, rng: np.random.RandomState, *, n_draws: int
) -> np.ndarray | None:
    """Choose words of a BCH code for the classes, as -1 and 1.

    Of the codes with enough words, the one that corrects most errors is used. Words are drawn
    many times; the draw with the largest row separation, then column separation, is returned.
    No column may be constant, equal to another or its complement.

    Parameters
    ----------
    n_bits : int
        One of `LENGTHS`.

    Returns
    -------
    ndarray of shape (C, n_bits), or None
        None if no such words were found.
    """
    tried = 0
    for corrects in range((n_bits - 1) // 2, 0, -1):
        # close numbers of errors may give the same code
        family = bch(n_bits.bit_length(), corrects)
        if 2**family.dimension < n_classes or family.generator == tried:
            continue
        tried = family.generator
        code = best_of(partial(_some, family, n_classes, rng), n_draws, _TRIES)
        if code is not None:
            return code
    return None


def usual_length(n_classes: int) -> int:
    """The least length with at least as many bits as a random code would have by default."""
    wanted = usual_bits(n_classes, sparse=False)
    enough = [length for length in LENGTHS if length >= wanted]
    return enough[0] if enough else LENGTHS[-1]


def _some(family: BCH, n_classes: int, rng: np.random.RandomState, n_codes: int) -> np.ndarray:
    """Random words, as -1 and 1; distinct unless the code has a great many words."""
    assert n_codes == 1
    # of so many words, two equal ones are unlikely, and such a draw is rejected
    k = family.dimension
    if k > 16:
        messages = rng.randint(2, size=(n_classes, k))
    else:
        chosen = rng.choice(2**k, n_classes, replace=False)
        messages = chosen[:, None] >> np.arange(k) & 1
    return (2 * family.words(messages) - 1).astype(np.int8)[None]


@cache
def _powers(m: int) -> tuple[int, ...]:
    """Powers of a primitive element of GF(2^m), starting at 1, as polynomials."""
    # the powers of x modulo a primitive polynomial are all 2^m - 1 elements; else they repeat
    # sooner
    for modulus in range(2**m + 1, 2 ** (m + 1), 2):
        powers: list[int] = []
        value = 1
        while len(powers) < 2**m - 1:
            powers.append(value)
            value <<= 1
            if value >> m:
                value ^= modulus
            if value == 1:
                break
        if len(powers) == 2**m - 1:
            return tuple(powers)
    raise AssertionError("there is a primitive polynomial of each degree")


def _with_roots(roots: list[int], powers: tuple[int, ...]) -> int:
    """The polynomial with the given roots; they are conjugates, so its coefficients are bits."""
    logs = {value: power for power, value in enumerate(powers)}
    # multiplication by (x - a^root), which is x + a^root over GF(2)
    coefficients = [1]  # lowest degree first
    for root in roots:
        shifted = [0, *coefficients]
        scaled = [
            powers[(logs[value] + root) % len(powers)] if value else 0 for value in coefficients
        ]
        coefficients = [a ^ b for a, b in zip(shifted, [*scaled, 0], strict=True)]
    return sum(bit << place for place, bit in enumerate(coefficients))


def _product(a: int, b: int) -> int:
    """Product of polynomials over GF(2)."""
    product = 0
    for place in range(b.bit_length()):
        if b >> place & 1:
            product ^= a << place
    return product
