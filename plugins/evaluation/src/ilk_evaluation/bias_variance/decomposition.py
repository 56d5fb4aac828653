"""Results of a decomposition into noise, bias and variance; decomposition of squared loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ilk import InputError

if TYPE_CHECKING:
    import pandas as pd

    from ilk import ArrayLike, Labels


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
    """Expected loss of each case and its terms.

    For every case ``loss = noise_factor * noise + bias + variance_factor * variance``. The
    factors are 1 except in the decomposition of Domingos.

    Attributes
    ----------
    method : str
    loss : ndarray of shape (n,)
        Mean loss over the training sets, computed independently of the terms.
    noise, bias, variance : ndarray of shape (n,)
        The bias is squared if the method squares it.
    noise_factor, variance_factor : ndarray of shape (n,)
    n_predictions : ndarray of int, shape (n,)
        Number of training sets with a prediction.
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
        """Means over the cases of the loss and of each term's contribution."""
        return MeanTerms(
            loss=float(self.loss.mean()),
            noise=float((self.noise_factor * self.noise).mean()),
            bias=float(self.bias.mean()),
            variance=float((self.variance_factor * self.variance).mean()),
        )

    def table(self) -> pd.DataFrame:
        """One row per case: case, n_predictions, loss, contributions of noise, bias, variance."""
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
        terms = ", ".join(f"{name}={value:.4f}" for name, value in self.mean._asdict().items())
        return f"<{self.method}: {terms}; {len(self.loss)} cases>"


def squared_loss(
    outputs: ArrayLike, y: Labels, *, noise: float | ArrayLike = 0.0, unbiased: bool = True
) -> Decomposition:
    """Split the expected squared loss into noise, squared bias and variance.

    ``E (f - t)^2 = sigma^2 + (E f - y)^2 + E (f - E f)^2`` for outputs f after training on
    different sets, and targets t of mean y and variance sigma^2. Expectations are estimated by
    means over R outputs. The squared bias is then too large by ``V / R`` on average, where V is
    the variance; `unbiased` corrects this: V is divided by R - 1 instead of R, and the sum stays
    the same.

    Parameters
    ----------
    outputs : array of shape (R, n)
        Output for each of n cases after training on each of R sets of one size.
    y : array of shape (n,)
        True values, or the means of noisy ones where `noise` is given.
    noise : float or array of shape (n,), default=0
        sigma^2, in squared units of y; with 0, noise counts as bias.
    unbiased : bool, default=True
        Requires R of at least 2.

    Returns
    -------
    Decomposition

    Raises
    ------
    InputError
        For shapes that do not match, numbers that are not finite, or R = 1 with `unbiased`.

    Notes
    -----
    In Zaidi's equation of the variance (2.13) the square is missing.

    References
    ----------
    Geman, Bienenstock & Doursat (1992).

    Zaidi 2011: section 2.2.

    Ntoutsi 2015: Bias and variance.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance
    >>> bias_variance.squared_loss([[1.0, 2.0], [3.0, 2.0]], [2.0, 3.0], unbiased=False)
    <squared_loss: loss=1.0000, noise=0.0000, bias=0.5000, variance=0.5000; 2 cases>
    """
    outputs, truth = _finite("outputs", outputs), _finite("y", y)
    if outputs.ndim != 2 or 0 in outputs.shape:
        raise InputError(
            f"squared_loss: outputs must have shape (training sets, cases), got {outputs.shape}"
        )
    if truth.shape != outputs.shape[1:]:
        raise InputError(f"squared_loss: y must have shape {outputs.shape[1:]}, got {truth.shape}")
    sigma = _finite("noise", noise)
    if sigma.shape not in ((), truth.shape) or (sigma < 0).any():
        raise InputError("squared_loss: noise must be variances of at least 0, one or one a case")
    n_sets = len(outputs)
    if unbiased and n_sets < 2:
        raise InputError("squared_loss: at least 2 training sets are needed, or unbiased=False")
    mean = outputs.mean(axis=0)
    bias, variance = (mean - truth) ** 2, ((outputs - mean) ** 2).mean(axis=0)
    if unbiased:
        excess = variance / (n_sets - 1)
        bias, variance = bias - excess, variance + excess
    ones = np.ones(len(truth))
    return Decomposition(
        method="squared_loss",
        loss=((outputs - truth) ** 2).mean(axis=0) + sigma,
        noise=sigma * ones,
        bias=bias,
        variance=variance,
        noise_factor=ones,
        variance_factor=ones,
        n_predictions=np.full(len(truth), n_sets),
        cases=np.arange(len(truth)),
    )


def _finite(argument: str, values: object) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"squared_loss: {argument} must be numbers: {error}") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"squared_loss: {argument} must be finite numbers")
    return numbers
