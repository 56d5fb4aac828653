"""ilk's distances, kernels and neighbour indexes.

Use the components by name through `ilk`. The package also has, imported on first use:

- `recall`: the share of the nearest neighbours that an approximate index finds;
- `gram_blocks`, `gram_product`, `GramRows`: Gram matrices that need not fit into memory;
- `alignment`: what a Gram matrix is worth;
- `plotting`: heat maps, embeddings and flows;
- `RecallWarning`: an approximate index finds few of its own neighbours;
- `WindowWarning`, `MissingLibraryError`: warnings and errors of distances by compression.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_distances import plotting as plotting
    from ilk_distances.indexes.approximate import RecallWarning as RecallWarning
    from ilk_distances.indexes.approximate import recall as recall
    from ilk_distances.kernels.gram import GramRows as GramRows
    from ilk_distances.kernels.gram import alignment as alignment
    from ilk_distances.kernels.gram import gram_blocks as gram_blocks
    from ilk_distances.kernels.gram import gram_product as gram_product
    from ilk_distances.strings.compression import WindowWarning as WindowWarning
    from ilk_distances.strings.extras import MissingLibraryError as MissingLibraryError

_WHERE = {
    "GramRows": "kernels.gram",
    "MissingLibraryError": "strings.extras",
    "RecallWarning": "indexes.approximate",
    "WindowWarning": "strings.compression",
    "alignment": "kernels.gram",
    "gram_blocks": "kernels.gram",
    "gram_product": "kernels.gram",
    "recall": "indexes.approximate",
}

__all__ = sorted((*_WHERE, "plotting"))  # noqa: PLE0605  # the table above is the one list


def __getattr__(name: str) -> Any:
    if name == "plotting":
        return import_module("ilk_distances.plotting")
    if name not in _WHERE:
        raise AttributeError(f"module 'ilk_distances' has no attribute {name!r}")
    value = getattr(import_module(f"ilk_distances.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
