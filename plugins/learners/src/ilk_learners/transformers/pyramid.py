"""pyramid: histograms of local features for each cell of increasingly fine grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, TransformerLike, check_fitted, param, slot
from ilk_learners.transformers.sets import Sets, check_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ilk import Cases, Labels

_PLACES = 2  # leading columns with the place of a feature: from the left, from the top


class Pyramid(ilk.Transformer):
    """Histograms over words per cell of a grid, on levels from coarse to fine (spatial pyramid).

    An image is a set of local features with their places, as from dense_sift: an array of shape
    (m, 2 + d). The first two columns are the place of each feature in the image, from the left and
    from the top, as a share of its width and height, within 0..1. Level i divides the image into
    ``2^i x 2^i = 4^i`` cells. On each level, a feature counts in its cell for the word nearest to
    its descriptor. The histograms of the cells of a level, row by row, form one vector; with
    `normalize` it sums to one, up to rounding.

    The result is a data frame with columns named by level, cell and word. So each level is a view:
    ``{level0 = ["level0_*"], level1 = ["level1_*"], ...}``, in the order of "pyramid" weights.
    Concatenate the views (`concatenated` or any classifier), add their weighted distances (the
    metric learner block_diagonal), or combine a classifier for each (`multiview`).

    Attributes
    ----------
    codebook_ : Codebook
        Fitted on the descriptors of the training sets.
    width_ : int
        Columns of a set, places included.

    Raises
    ------
    ParameterError
        If `codebook` is not a codebook.
    InputError
        If a set is empty, not an array of finite numbers, or has another number of columns, or if a
        place is outside 0..1. Names the position of the set.

    Notes
    -----
    A feature on the line between two cells belongs to the right or lower one. The result takes
    ``n_words (4^(Q+1) - 1) / 3`` numbers for each image, where Q is the last level: 4200 for 200
    words and Q = 2.

    References
    ----------
    .. [1] Zaidi 2011: section 10.4.1; figure 10.5 (level 2 has 16 cells; "8 cells" is a misprint).
    .. [2] S. Lazebnik, C. Schmid and J. Ponce, "Beyond bags of features: spatial pyramid matching
       for recognizing natural scene categories", *CVPR* 2006.

    Examples
    --------
    >>> import ilk
    >>> left, right = [0.2, 0.5], [0.7, 0.1]
    >>> X = [[[*left, 3.0], [*right, 9.0]], [[*left, 9.0], [*right, 3.0]]]
    >>> two = {"use": "codebook", "n_words": 2, "random_state": 0}
    >>> pyramid = ilk.transformer("pyramid", codebook=two, levels=1).fit(X)
    >>> out = pyramid.transform(X)
    >>> out[["level0_cell0_word0", "level0_cell0_word1"]].to_numpy()
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> out.filter(like="level1_").loc[0].loc[lambda share: share > 0].index.tolist()
    ['level1_cell1_word0', 'level1_cell2_word1']
    """

    codebook: TransformerLike = slot(
        "transformer",
        default="codebook",
        doc="Learns the words; its `places` must be 0, as it gets descriptors only. A frozen one "
        "keeps its words.",
    )
    levels: int = param(default=2, ge=0, le=8, doc="The last level, Q; there are Q + 1 levels.")
    normalize: bool = param(
        default=True,
        doc="Whether to divide the vector of each level by its sum, the number of features.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets",))

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples: few words on three levels; counts of the whole image."""
        return [
            cls(codebook={"use": "codebook", "n_words": 5}),
            cls(codebook={"use": "codebook", "n_words": 3}, levels=0, normalize=False),
        ]

    @staticmethod
    def example_data(_: str, n: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Sets of 3 to 6 local features in two classes: places, then descriptors of 3 numbers."""
        y = np.arange(n) % 2
        sizes = rng.integers(3, 7, n)
        X = [
            np.hstack([rng.random((m, 2)), rng.normal(size=(m, 3)) + 5 * label])
            for m, label in zip(sizes, y, strict=True)
        ]
        return X, y

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the words of the descriptors; y is ignored.

        Parameters
        ----------
        X : list of n arrays of shape (m, 2 + d)
        """
        self.check_parameters()
        codebook: Any = self.resolve_slot("codebook")
        if not hasattr(codebook, "assign"):
            name = ilk.display_name(codebook)
            raise self.parameter_error("codebook", f"must be a codebook, got {name}")
        if getattr(codebook, "places", 0):
            raise self.parameter_error(
                "codebook", f"must have places=0, as it sees no places, got {codebook.places}"
            )
        sets = self._checked(X, None)
        self.codebook_ = ilk.fit_component(codebook, _descriptors(sets))
        if not hasattr(self.codebook_, "words_"):
            raise self.parameter_error("codebook", "is frozen, but was never fitted")
        self.width_ = sets.width
        return self

    def _checked(self, X: Cases, width: int | None) -> Sets:
        sets = check_sets(self, X, width=width)
        name = ilk.display_name(self)
        if sets.weights is not None:
            raise ilk.InputError(f"{name}: X must be sets without weights, got pairs")
        if sets.width <= _PLACES:
            raise ilk.InputError(
                f"{name}: X must be sets of two columns of places and at least one of "
                f"descriptors, got {sets.width}"
            )
        for i, rows in enumerate(sets.rows):
            places = rows[:, :_PLACES]
            outside = np.argwhere((places < 0) | (places > 1))
            if len(outside):
                row, column = outside[0].tolist()
                raise ilk.InputError(
                    f"{name}: X[{i}] must have places in its first two columns, from 0 to 1; got "
                    f"{places[row, column]} at row {row}, column {column}"
                )
        return sets

    def transform(self, X: Cases) -> pd.DataFrame:
        """Histograms of all cells; data frame of ``n_words (4^(levels+1) - 1) / 3`` columns.

        Parameters
        ----------
        X : list of n arrays of shape (m, 2 + d)
        """
        import pandas as pd

        check_fitted(self)
        sets = self._checked(X, self.width_)
        finest = 2**self.levels
        n_words = len(self.codebook_.words_)
        widths = [4**level * n_words for level in range(self.levels + 1)]
        shares = np.empty((len(sets.rows), sum(widths)), dtype=sets.dtype)
        levels = np.split(shares, np.cumsum(widths)[:-1], axis=1)  # views
        for i, codes in enumerate(self.codebook_.assign(_descriptors(sets))):
            cells = _cells(sets.rows[i], finest)
            counts = np.bincount(cells * n_words + codes, minlength=finest**2 * n_words)
            grid = counts.reshape(finest, finest, n_words)
            # from the finest level up: a cell of a coarser level is the sum of 2 x 2 cells
            for level in reversed(range(self.levels + 1)):
                levels[level][i] = grid.ravel() / (len(codes) if self.normalize else 1)
                if level:
                    grid = grid.reshape(2 ** (level - 1), 2, 2 ** (level - 1), 2, n_words).sum(
                        (1, 3)
                    )
        return pd.DataFrame(shares, columns=self.get_feature_names_out(), copy=False)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """``level0_cell0_word0``, ...: cells of a level are numbered row by row."""
        check_fitted(self)
        return np.array(
            [
                f"level{level}_cell{cell}_word{word}"
                for level in range(self.levels + 1)
                for cell in range(4**level)
                for word in range(len(self.codebook_.words_))
            ],
            dtype=object,
        )


def _descriptors(sets: Sets) -> list[np.ndarray]:
    return [rows[:, _PLACES:] for rows in sets.rows]


def _cells(rows: np.ndarray, side: int) -> np.ndarray:
    """Cell number of each feature in a grid of `side` by `side` cells, row by row."""
    # a place of exactly 1 belongs to the last cell
    at = np.minimum((rows[:, :_PLACES].astype(float) * side).astype(np.int64), side - 1)
    return np.asarray(at[:, 1] * side + at[:, 0])
