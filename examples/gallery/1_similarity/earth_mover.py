"""
The flow of the earth mover's distance
======================================

A signature is a set of weighted points. The distance is the least work that turns one into the
other; the arrows show what moves where.
"""

import ilk
from ilk_distances.plotting import flow

before = [[0, 0], [1, 2], [4, 0]], [0.5, 0.2, 0.3]
after = [[0, 1], [2, 2], [3, 1], [5, 1]], [0.3, 0.3, 0.2, 0.2]
distance = ilk.distance("emd")
print(f"mean distance moved: {distance.between(before, after):.3f}")
flow(distance, before, after)
