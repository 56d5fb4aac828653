"""
Recall of approximate indexes
=============================

Approximate indexes are faster the more neighbours they may miss. `recall_curve` draws the queries
a second against the share of the true neighbours that are found.
"""

import warnings

import numpy as np

import ilk
from ilk_distances import RecallWarning
from ilk_distances.plotting import recall_curve

random = np.random.default_rng(0)
centres = 2 * random.normal(size=(40, 16))
rows = centres[random.integers(0, 40, 10_200)] + random.normal(size=(10_200, 16))
X, Q = rows[:10_000], rows[10_000:]


def fitted(name, **parameters):
    """An index of X; those made to be too fast warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecallWarning)
        return ilk.index(name, **parameters).fit(X, distance=ilk.distance("euclidean"))


lines = {
    "lsh": [fitted("lsh", n_tables=tables, random_state=0) for tables in (2, 4, 8, 16)],
    "lsh, two probes": [
        fitted("lsh", n_tables=tables, n_probes=2, random_state=0) for tables in (2, 4, 8, 16)
    ],
    "brute": [fitted("brute")],
}
recall_curve(lines, Q)
