"""`ilk.check_gram` and `ilk.is_positive_semidefinite`."""

import numpy as np
import pytest

import ilk
from ilk import is_positive_semidefinite


def test_positive_semidefinite_matrices():
    A = np.random.default_rng(5).normal(size=(30, 8))
    assert is_positive_semidefinite(A @ A.T)
    assert is_positive_semidefinite(np.zeros((3, 3)))
    assert not is_positive_semidefinite(A @ A.T - 1e-6 * np.eye(30))
    assert not is_positive_semidefinite([[0.0, 1.0], [1.0, 0.0]])
    assert is_positive_semidefinite(1e-200 * (A @ A.T))


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200])
def test_definiteness_does_not_depend_on_scale(scale):
    assert is_positive_semidefinite(np.eye(3) * scale)
    assert not is_positive_semidefinite(-np.eye(3) * scale)
    assert not is_positive_semidefinite(np.array([[1, 2], [2, 1]]) * scale)


@pytest.mark.parametrize("K", [[["a"]], [[1j]], [[None]]])
def test_matrices_of_no_numbers(K):
    with pytest.raises(ilk.InputError, match="a Gram matrix must be of real numbers, got type"):
        is_positive_semidefinite(K)
