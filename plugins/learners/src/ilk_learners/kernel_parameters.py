"""The continuous parameters of a kernel, as factors of where they start."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ilk import Array, frozen


class KernelParameters:
    """The numbers among a kernel's parameters, in the order in which `gram_gradient` has them.

    They are the parameters declared as float or array that are given as numbers, or that the
    kernel took from data (``sigma="mean_distance"``, say, of which ``sigma_`` is the number),
    element by element. Each is moved by a factor, the logarithm of which is unbounded; so a sign
    is kept, and a 0 stays.

    Parameters
    ----------
    kernel : kernel
        Fitted.

    Attributes
    ----------
    start : dict of str to float or ndarray
        Where they are.
    size : int
        How many numbers there are.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = clone(kernel)
        self.start: dict[str, Any] = {}
        for name, param in kernel.parameters.items():
            if param.slot:
                self._keep_learned(kernel, name)
            elif {float, Array} & set(param.types):
                value = getattr(kernel, name)
                value = getattr(kernel, f"{name}_", None) if isinstance(value, str) else value
                if value is not None and not isinstance(value, bool):
                    self.start[name] = np.array(value, dtype=float)[()]
        self.size = sum(np.size(value) for value in self.start.values())

    def _keep_learned(self, kernel: Any, name: str) -> None:
        """Keep what stands in a slot as it was fitted: only numbers change."""
        learned = getattr(kernel, f"{name}_", None)
        if hasattr(learned, "get_params"):
            self._kernel.set_params(**{name: frozen(learned)})

    def values(self, logarithms: np.ndarray) -> dict[str, Any]:
        """The parameters where the start is multiplied by ``exp(logarithms)``."""
        result: dict[str, Any] = {}
        at = 0
        for name, start in self.start.items():
            some = logarithms[at : at + np.size(start)].reshape(np.shape(start))
            moved = start * np.exp(some)
            result[name] = moved if np.ndim(moved) else float(moved)
            at += np.size(start)
        return result

    def kernel(self, logarithms: np.ndarray) -> Any:
        """The kernel there, not fitted."""
        return clone(self._kernel).set_params(**self.values(logarithms))
