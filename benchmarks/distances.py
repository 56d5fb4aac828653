"""Speed of distances and neighbour search beside their peers, on one thread.

    python benchmarks/distances.py [part ...]

The parts are the files of the folder `distances`, each with its `rows`. Ratios are
medians of runs in turn, in processor time: above 1 ours is faster. Peers come with
``pip install '.[bench]'``; a part whose peer is missing is left out, with a word.
"""

from __future__ import annotations

from table import main

if __name__ == "__main__":
    main(__file__, __doc__)
