"""Classifiers that take their time, die or never end, and a listener that writes a log."""

import ctypes
import json
import os
import re
import signal
import time
from pathlib import Path

import numpy as np

import ilk


class Slow(ilk.Classifier):
    """Nearest mean by hand, after a while."""

    seconds: float = ilk.param(default=0.0, ge=0)

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([np.asarray(X)[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X):
        gaps = np.linalg.norm(np.asarray(X)[:, None] - self.means_[None], axis=2)
        weights = np.exp(-gaps)
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Held(Slow):
    """Needs so long on data with so many features, or until a file is there."""

    longest: float = ilk.param(default=5.0, ge=0)
    features: int = ilk.param(default=13, ge=1)
    until: str = ilk.param(default="")

    seconds = 0.0

    def fit(self, X, y):
        end = time.monotonic() + self.longest
        while X.shape[1] == self.features and time.monotonic() < end:
            if Path(self.until).exists():
                break
            time.sleep(0.01)
        return super().fit(X, y)


class Deadly(Slow):
    """Does something terrible on data with so many features, once or always."""

    how: str = ilk.param(default="exit")
    features: int = ilk.param(default=13, ge=1)
    once: ilk.FileLike | None = ilk.param(default=None, type=ilk.FilePath)

    seconds = 0.0

    def fit(self, X, y):
        if X.shape[1] == self.features and not (self.once and Path(self.once).exists()):
            if self.once:
                Path(self.once).touch()
            HOW[self.how]()
        return super().fit(X, y)


def fail():
    raise ValueError("no appetite")


HOW = {
    "exit": lambda: os._exit(7),
    "fail": fail,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda: ctypes.string_at(0),
    "sleep": lambda: time.sleep(1000),
    "spin": lambda: re.match("(a|a)+$", "a" * 60 + "b"),  # holds the interpreter's lock
}


@ilk.hookimpl
def ilk_cell_finished(cell):
    if "CALAMITY_LOG" in os.environ:
        with Path(os.environ["CALAMITY_LOG"]).open("a") as log:
            log.write(json.dumps([cell.key, cell.error]) + "\n")
