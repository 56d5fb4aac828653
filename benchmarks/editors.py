"""Speed of editors beside their peers, on one thread.

    python benchmarks/editors.py [part ...]

The parts are the files of the folder `editors`, each with its `rows`. Ratios are medians of
runs in turn, in processor time: above 1 ours is faster.
"""

from __future__ import annotations

from table import main

if __name__ == "__main__":
    main(__file__, __doc__)
