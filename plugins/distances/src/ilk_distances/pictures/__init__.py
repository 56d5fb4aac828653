"""Pictures of distances: a heat map, an embedding in the plane, the flow between two signatures.

They need matplotlib, which the extra ``report`` of ilk has, and draw on axes of their own or on
yours; no global state of matplotlib's is touched.
"""

from ilk_distances.pictures.embedding import embedding
from ilk_distances.pictures.flow import flow
from ilk_distances.pictures.heat_map import heat_map

__all__ = ["embedding", "flow", "heat_map"]
