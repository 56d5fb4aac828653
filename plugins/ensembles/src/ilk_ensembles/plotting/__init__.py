"""Pictures of ensembles: error by size, diversity against uplift, proximities, decision regions.

They need matplotlib, which the extra ``report`` of ilk has, and draw on axes of their own or on
yours; no global state of matplotlib's is touched.
"""

from ilk_ensembles.plotting.diversity import diversity_uplift
from ilk_ensembles.plotting.errors import error_by_size
from ilk_ensembles.plotting.proximities import proximity_embedding
from ilk_ensembles.plotting.regions import decision_regions

__all__ = ["decision_regions", "diversity_uplift", "error_by_size", "proximity_embedding"]
