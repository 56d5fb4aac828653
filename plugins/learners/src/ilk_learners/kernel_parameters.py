"""The continuous parameters of a kernel, as factors of their initial values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import Array, frozen

if TYPE_CHECKING:
    from ilk import Kernel


class KernelParameters:
    """The numeric parameters of a kernel, in the order of `gram_gradient`.

    These are the elements of parameters declared as float or array, either given as numbers or
    taken from data by the kernel (such as ``sigma="mean_distance"``, with the number in
    ``sigma_``). Each is multiplied by a factor with an unbounded logarithm: signs are kept, and 0
    stays 0.

    Parameters
    ----------
    kernel : kernel
        Fitted.

    Attributes
    ----------
    start : dict of str to float or ndarray
        Initial values.
    size : int
        Number of parameters.
    """

    def __init__(self, kernel: Kernel) -> None:
        from sklearn.base import clone

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

    def _keep_learned(self, kernel: Kernel, name: str) -> None:
        """Keep fitted components in slots: only numbers change."""
        learned = getattr(kernel, f"{name}_", None)
        if hasattr(learned, "get_params"):
            self._kernel.set_params(**{name: frozen(learned)})

    def values(self, logarithms: np.ndarray) -> dict[str, Any]:
        """The parameters: initial values times ``exp(logarithms)``."""
        result: dict[str, Any] = {}
        at = 0
        for name, start in self.start.items():
            some = logarithms[at : at + np.size(start)].reshape(np.shape(start))
            # numbers keep their sign, and a 0 stays 0
            moved = start * np.exp(some)
            result[name] = moved if np.ndim(moved) else float(moved)
            at += np.size(start)
        return result

    def kernel(self, logarithms: np.ndarray) -> Any:
        """The unfitted kernel with these parameters."""
        from sklearn.base import clone

        return clone(self._kernel).set_params(**self.values(logarithms))
