"""Metric learners from pairs, beside metric-learn, as it would run if it were kept up."""

from __future__ import annotations

import statistics
import time
import warnings
from functools import wraps
from typing import TYPE_CHECKING

import metric_learn
import numpy as np
from measure import Row
from metric_learn import _util
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows() -> Iterator[Row]:
    """Yield a row for each learner, both with about as many pairs; ours report nothing."""
    _revive()
    warnings.simplefilter("ignore")
    for load, targets in ((load_wine, (None, None, None)), (load_digits, (11, 37, None))):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        name = f"{load.__name__.removeprefix('load_')}, standardised"
        n = 2560
        ml = {"n_constraints": n // 2, "random_state": 0}
        peers = {
            "mmc": metric_learn.MMC_Supervised(**ml),
            "itml": metric_learn.ITML_Supervised(**ml),
            "mmc, diagonal": metric_learn.MMC_Supervised(diagonal=True, **ml),
        }
        for (what, peer), target in zip(peers.items(), targets, strict=True):
            learner = ilk.metric_learner(
                what.partition(",")[0], n_constraints=n, random_state=0, report=False
            )
            if "diagonal" in what:
                learner.set_params(diagonal=True)
            yield _beside(f"{what}, {name}", learner, peer, X, y, target)


def _beside(
    work: str, learner: object, peer: object, X: np.ndarray, y: np.ndarray, target: float | None
) -> Row:
    """Time the peer once, as it may take minutes, and ours three times."""
    learner.fit(X, y)
    ours = statistics.median(_seconds(lambda: learner.fit(X, y)) for _ in range(3))
    try:
        theirs = _seconds(lambda: peer.fit(X, y))
    except Exception as error:  # noqa: BLE001  # a peer may fail as it likes
        note = f"peer: {type(error).__name__}: {error}"[:80]
        return Row(work, "metric-learn", target, float("nan"), ours, note)
    errors = [_error(model.transform(X), y) for model in (learner, peer)]
    note = "error {:.3f}, theirs {:.3f}".format(*errors)
    return Row(work, "metric-learn", target, theirs / ours, ours, note)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _error(Z: np.ndarray, y: np.ndarray) -> float:
    """Leave-one-out error of the nearest neighbour."""
    _, found = ilk.distance("euclidean").kneighbors(Z, Z, 2)
    other = np.where(found[:, 0] == np.arange(len(Z)), found[:, 1], found[:, 0])
    return float((y[other] != y).mean())


def _revive() -> None:
    """Rename the argument that scikit-learn has renamed since the peer's last release."""
    for name in ("check_array", "check_X_y"):
        setattr(_util, name, _renaming(getattr(_util, name)))


def _renaming(check: Callable[..., object]) -> Callable[..., object]:
    @wraps(check)
    def renamed(*args: object, **keywords: object) -> object:
        if "force_all_finite" in keywords:
            keywords["ensure_all_finite"] = keywords.pop("force_all_finite")
        return check(*args, **keywords)

    return renamed
