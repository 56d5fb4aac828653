"""Measures of clusters: agreement with the classes, and separation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import ilk

_WAIVERS = {"check_perfect_is_best": "clusters that exchange the classes agree with them as well"}


class AdjustedRand(ilk.Measure):
    """Adjusted Rand index of the clusters and the classes of the test cases.

    The Rand index is the share of the pairs of cases that both divisions treat alike, together
    or apart. Adjusted for chance, ``(Rand - expected) / (1 - expected)``, it is 1 for the same
    division and about 0 for a random one. Noise counts as one cluster. NaN if no case was
    answered.

    References
    ----------
    Hubert & Arabie (1985), Comparing partitions, Journal of Classification 2.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, clusters = np.array(list("aabb")), np.array([0, 0, 1, 2])
    >>> prediction = ilk.Prediction(truth, clusters, np.array(["a", "b"]), predictor="clusterer")
    >>> round(ilk.measure("adjusted_rand")(prediction), 4)
    0.5714
    """

    greater_is_better = True
    needs = "clusters"
    predictors = ("clusterer",)
    waivers: ClassVar[Mapping[str, str]] = _WAIVERS

    def __call__(self, prediction: ilk.Prediction) -> float:
        from sklearn.metrics import adjusted_rand_score

        return _agreement(adjusted_rand_score, prediction)


class AdjustedMutualInformation(ilk.Measure):
    """Adjusted mutual information of the clusters and the classes of the test cases.

    ``(MI - E[MI]) / ((H(clusters) + H(classes)) / 2 - E[MI])``, with the expectation over random
    divisions into parts of the same sizes: 1 for the same division, about 0 for a random one.
    Noise counts as one cluster. NaN if no case was answered.

    References
    ----------
    Vinh, Epps & Bailey (2010), Information theoretic measures for clusterings comparison,
    Journal of Machine Learning Research 11.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, clusters = np.array(list("aabb")), np.array([1, 1, 0, 0])
    >>> prediction = ilk.Prediction(truth, clusters, np.array(["a", "b"]), predictor="clusterer")
    >>> ilk.measure("adjusted_mutual_information")(prediction)
    1.0
    """

    greater_is_better = True
    needs = "clusters"
    predictors = ("clusterer",)
    waivers: ClassVar[Mapping[str, str]] = _WAIVERS

    def __call__(self, prediction: ilk.Prediction) -> float:
        from sklearn.metrics import adjusted_mutual_info_score

        return _agreement(adjusted_mutual_info_score, prediction)


class Silhouette(ilk.Measure):
    """Silhouette: how much nearer the test cases are to their own cluster than to the next one.

    The mean of ``(b - a) / max(a, b)`` over the cases, with a the mean distance of a case to the
    others of its cluster and b that to the cases of the nearest other cluster; 0 for a case alone.
    Distances are Euclidean, between rows as the clusterer gets them. Noise is left out. From -1
    to 1; NaN if no case was answered.

    Raises
    ------
    InputError
        If the pipeline gives no silhouettes, as rows are no numbers or there is one cluster only.

    References
    ----------
    Rousseeuw (1987), Silhouettes: a graphical aid to the interpretation and validation of
    cluster analysis, Journal of Computational and Applied Mathematics 20.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, widths = np.array(["a", "b"]), np.array([0.5, 1.0])
    >>> prediction = ilk.Prediction(truth, truth, truth, silhouettes=widths)
    >>> ilk.measure("silhouette")(prediction)
    0.75
    """

    greater_is_better = True
    needs = "clusters"
    predictors = ("clusterer",)

    def __call__(self, prediction: ilk.Prediction) -> float:
        if not prediction.answered.any():
            return math.nan
        name = ilk.display_name(self)
        if prediction.silhouettes is None:
            raise ilk.InputError(
                f"{name}: there are no silhouettes, as there is one cluster only, or its rows are "
                f"no finite numbers"
            )
        widths = np.asarray(prediction.silhouettes)[prediction.answered]
        if np.isnan(widths).all():
            raise ilk.InputError(f"{name}: all {len(widths)} cases are noise")
        return float(np.nanmean(widths))


def _agreement(index: Any, prediction: ilk.Prediction) -> float:
    """Value of an index of scikit-learn for the answered cases."""
    answered = prediction.answered
    if not answered.any():
        return math.nan
    truth, clusters = np.asarray(prediction.truth), np.asarray(prediction.labels)
    texts = (ilk.text_array([*map(str, each[answered].tolist())]) for each in (truth, clusters))
    return float(index(*texts))
