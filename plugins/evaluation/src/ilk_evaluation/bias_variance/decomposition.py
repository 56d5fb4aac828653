"""An expected loss and the terms that add up to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class MeanTerms(NamedTuple):
    """Means over the cases: ``loss = noise + bias + variance``.

    Attributes
    ----------
    loss, noise, bias, variance : float
    """

    loss: float
    noise: float
    bias: float
    variance: float


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Expected loss of each case, and what it is made of.

    For every case ``loss = noise_factor * noise + bias + variance_factor * variance``. The
    factors are 1 but for the decomposition of Domingos.

    Attributes
    ----------
    method : str
    loss : ndarray of shape (n,)
        Mean loss over the training sets, computed by itself.
    noise, bias, variance : ndarray of shape (n,)
        Bias is the squared one where the method squares it.
    noise_factor, variance_factor : ndarray of shape (n,)
    n_predictions : ndarray of int, shape (n,)
        Training sets that there is a prediction from.
    cases : ndarray of int, shape (n,)
        Row numbers of the cases.
    """

    method: str
    loss: np.ndarray
    noise: np.ndarray
    bias: np.ndarray
    variance: np.ndarray
    noise_factor: np.ndarray
    variance_factor: np.ndarray
    n_predictions: np.ndarray
    cases: np.ndarray

    @property
    def mean(self) -> MeanTerms:
        """Means over the cases of the loss and of what each term adds to it."""
        return MeanTerms(
            loss=float(self.loss.mean()),
            noise=float((self.noise_factor * self.noise).mean()),
            bias=float(self.bias.mean()),
            variance=float((self.variance_factor * self.variance).mean()),
        )

    def table(self) -> pd.DataFrame:
        """One row per case: case, n_predictions, loss, and what noise, bias and variance add."""
        import pandas as pd

        return pd.DataFrame(
            {
                "case": self.cases,
                "n_predictions": self.n_predictions,
                "loss": self.loss,
                "noise": self.noise_factor * self.noise,
                "bias": self.bias,
                "variance": self.variance_factor * self.variance,
            }
        )

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value:.4f}" for name, value in self.mean._asdict().items())
        return f"<{self.method}: {said}; {len(self.loss)} cases>"
