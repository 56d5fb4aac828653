"""Building blocks of distances of vectors and of searches; the Euclidean distance, brute force.

A distance that is computed tile by tile derives from `VectorDistance`: it prepares `Rows` and
fills each `Tile` by a compiled kernel. To search, call `ilk.nearest` and `ilk.within`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk._lazy import public_name

if TYPE_CHECKING:
    from ilk.neighbors.brute import Brute as Brute
    from ilk.neighbors.checks import check_distance as check_distance
    from ilk.neighbors.checks import check_radius as check_radius
    from ilk.neighbors.checks import training_rows as training_rows
    from ilk.neighbors.norms import Euclidean as Euclidean
    from ilk.neighbors.norms import Norm as Norm
    from ilk.neighbors.rows import MAX_FLOAT32_FEATURES as MAX_FLOAT32_FEATURES
    from ilk.neighbors.rows import Rows as Rows
    from ilk.neighbors.rows import Tile as Tile
    from ilk.neighbors.rows import fill_tile as fill_tile
    from ilk.neighbors.rows import padded_width as padded_width
    from ilk.neighbors.sparse import SparseRows as SparseRows
    from ilk.neighbors.sparse import dense_pairs as dense_pairs
    from ilk.neighbors.sparse import densified as densified
    from ilk.neighbors.sparse import merged as merged
    from ilk.neighbors.sums import manhattan as manhattan
    from ilk.neighbors.sums import squared_euclidean as squared_euclidean
    from ilk.neighbors.sums import squared_pairs as squared_pairs
    from ilk.neighbors.vector_distance import MAX_SORTED as MAX_SORTED
    from ilk.neighbors.vector_distance import VectorDistance as VectorDistance
    from ilk.neighbors.weights import all_positive as all_positive
    from ilk.neighbors.weights import check_feature_weights as check_feature_weights
    from ilk.neighbors.weights import feature_weights as feature_weights

_WHERE = {
    "brute": ("Brute",),
    "checks": ("check_distance", "check_radius", "training_rows"),
    "norms": ("Euclidean", "Norm"),
    "rows": ("MAX_FLOAT32_FEATURES", "Rows", "Tile", "fill_tile", "padded_width"),
    "sparse": ("SparseRows", "dense_pairs", "densified", "merged"),
    "sums": ("manhattan", "squared_euclidean", "squared_pairs"),
    "vector_distance": ("MAX_SORTED", "VectorDistance"),
    "weights": ("all_positive", "check_feature_weights", "feature_weights"),
}
_MODULE = {name: f"{__name__}.{module}" for module, names in _WHERE.items() for name in names}

__all__ = sorted(_MODULE)  # noqa: PLE0605  # the table above is the one list

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return public_name(__name__, _MODULE, name)
