"""Kernel: the similarity of two objects."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk.component import Component
from ilk.frames import guard_columns, keeps_columns

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels


class Kernel(Component):
    """The similarity of two objects; large always means close.

    A subclass must define `gram`. A kernel that computes parameters from training data
    (``capabilities.needs_fit``) must be fitted first. Data frames with columns in another order,
    or of other names, than in `fit` or than each other are refused.
    """

    kind: ClassVar[str] = "kernel"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        guard_columns(cls, "fit", "gram", "diagonal", "gram_gradient")

    @property
    def aligns_columns(self) -> bool:
        """Whether it finds the columns of data frames by name itself; else others are refused."""
        return False

    @abstractmethod
    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out).

        Returns
        -------
        ndarray of shape (n, m)
        """

    @keeps_columns
    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the kernel to training data; by default it learns nothing."""
        self.check_parameters()
        return self

    def diagonal(self, X: Cases) -> np.ndarray:
        """k(x, x) of every row; array of shape (n,)."""
        return np.diagonal(self.gram(X)).copy()

    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithms of the parameters.

        Only if ``capabilities.gram_gradient`` is declared.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, n_parameters)
        """
        raise AttributeError(f"{type(self).__name__} declares no gram_gradient")
