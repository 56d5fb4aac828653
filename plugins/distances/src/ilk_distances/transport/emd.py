"""The earth mover's distance of histograms and of signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, DistanceLike, param, slot
from ilk_distances.transport.nearest import PreparedEMD
from ilk_distances.transport.signatures import (
    Signatures,
    are_signatures,
    check_mass,
    check_signatures,
)
from ilk_distances.transport.spaces import Bins, Ground, Places, is_pseudometric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels


class EMD(ilk.Distance):
    """Earth mover's distance: the least work that turns one heap of mass into another.

    Moving a unit of mass from place i to place j costs the ground distance ``c_ij``. The flow
    ``f >= 0`` of least cost takes at most ``x_i`` from i, brings at most ``y_j`` to j, and moves
    the smaller of both masses in total::

        d(x, y) = (sum_ij c_ij f_ij + penalty |M - N|) / min(M, N)

    for the masses M and N of x and y: the average cost of the moved mass. The heavier object
    keeps its surplus (Rubner's partial matching), at `extra_mass_penalty` for each unit. Pele
    and Werman's EMD-hat (``pyemd``) is not divided: it is ``min(M, N)`` times this distance for
    the same penalty, which defaults to the largest ground distance there.

    Data are histograms, one a row, over common bins; or signatures, a list of pairs
    ``(positions, weights)`` of a few clusters each: positions of shape (m, d), or m texts for a
    ground distance of texts, and m weights. Weights and bins are non-negative and of any sum;
    zeros are ignored.

    The transportation problem is solved exactly, by a network simplex whose flows are integer
    multiples of 2^-52. If places lie on a line or a circle and masses are equal (up to the
    rounding of their type), the closed form is used. If the ground is a metric, common mass of
    two histograms stays in its bin, which is then optimal.

    A search for neighbours solves only some of the problems. If the ground is a norm and masses
    are equal, the distances of the centroids and of the marginals are lower bounds; on any
    ground, moving all mass of one side to its cheapest partner is one. The result equals that of
    comparing all objects, bit for bit; the handle ``prepare(X)`` counts in ``n_solved_`` the
    problems that its ``nearest(Q, k)`` solved.

    It is a metric if the ground is one and masses are equal. It is declared a metric only with
    ``normalize=True``, which guarantees equal masses.

    Attributes
    ----------
    ground_ : Distance
        The ground, fitted to all positions, set by `fit`.

    Raises
    ------
    ParameterError
        If the matrix or the positions do not match the bins, or more than one way to compare
        places is given.
    InputError
        If a weight is negative, NaN or infinite, an object has no mass, numbers of positions and
        weights differ, or a ground distance is negative, NaN or infinite.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2.1; equations 2.20-2.21; figure 2.2 (solved as a linear
       transportation problem, not by dynamic programming).
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for image
       retrieval", *International Journal of Computer Vision* 40(2), 2000.
    .. [3] O. Pele and M. Werman, "Fast and robust earth mover's distances", *ICCV*, 2009.
    .. [4] M. Werman, S. Peleg and A. Rosenfeld, "A distance metric for multidimensional
       histograms", *Computer Vision, Graphics, and Image Processing* 32, 1985.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("emd")
    >>> d.between([0, 1, 0], [0, 0, 1])
    1.0
    >>> x = ([[0, 0], [4, 0]], [0.6, 0.4])
    >>> y = ([[0, 1], [0, 3], [4, 2]], [0.5, 0.3, 0.2])
    >>> round(d.between(x, y), 3)
    2.2
    >>> d.flow(x, y).round(3)
    array([[0.5, 0.1, 0. ],
           [0. , 0.2, 0.2]])
    """

    ground: DistanceLike = slot("distance", default="euclidean", doc="Of positions.")
    matrix: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (n_bins, n_bins)",
        doc="Costs of moving a unit from bin to bin, for histograms, in place of `ground`; it "
        "need not be symmetric.",
    )
    positions: ArrayLike | Sequence[Any] | None = param(
        default=None,
        type=(Array, list),
        form="array of shape (n_bins, d) or (n_bins,), or list of texts",
        doc="Positions of the bins of histograms, in any order; 0, 1, 2, ... if left out.",
    )
    period: float | None = param(
        default=None,
        type=float,
        gt=0,
        doc="Circumference of the circle on which the positions lie (36 for 36 bins of hues); the "
        "shorter arc counts. Positions have one dimension, and `ground` is a norm.",
    )
    extra_mass_penalty: float = param(
        default=0,
        type=float,
        ge=0,
        doc="Cost of each unit of surplus mass.",
    )
    normalize: bool = param(default=False, doc="Divide every mass by its sum first.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms", "signatures"), symmetric=True
    )

    @classmethod
    def examples(cls) -> list[EMD]:
        """Return instances for histograms on a line, a circle and elsewhere, and for signatures."""
        costs = [
            [0.0, 1.0, 2.0, 3.0],
            [2.0, 0.0, 1.0, 2.0],
            [3.0, 2.0, 0.0, 1.0],
            [4.0, 3.0, 2.0, 0.0],
        ]
        corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
        return [
            cls(),
            cls(normalize=True),
            cls(positions=corners, normalize=True),
            cls(period=4, extra_mass_penalty=1, normalize=True),
            cls(matrix=costs),
            cls(ground="manhattan"),
        ]

    @property
    def metric(self) -> bool:
        """Whether the ground is a metric and masses are normalized."""
        if not self.normalize:
            return False
        if self.matrix is None:
            return bool(self._resolved().metric)
        matrix = np.asarray(self.matrix, dtype=float)
        apart = np.count_nonzero(matrix) == matrix.size - len(matrix)
        return apart and is_pseudometric(matrix)

    @property
    def symmetric(self) -> bool:
        """Whether the ground is symmetric."""
        if self.matrix is None:
            return bool(self._resolved().symmetric)
        return np.array_equal(self.matrix, np.transpose(self.matrix))

    def check_parameters(self) -> None:
        """Check that there is one way to compare places, and that its numbers are finite."""
        super().check_parameters()
        for name in ("extra_mass_penalty", "period"):
            if getattr(self, name) == np.inf:
                raise self.parameter_error(name, "must be finite, got inf")
        if self.matrix is not None:
            self._check_matrix(np.asarray(self.matrix))
        if self.positions is not None:
            self._check_positions()

    def _check_matrix(self, matrix: np.ndarray) -> None:
        for name in ("positions", "period"):
            if getattr(self, name) is not None:
                raise self.parameter_error(name, "must be None where a matrix is given")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            raise self.parameter_error("matrix", f"must be square, got shape {matrix.shape}")
        bad = ~((matrix >= 0) & (matrix < np.inf))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise self.parameter_error(
                "matrix", f"must be at least 0 and finite, got {matrix[i, j]} at [{i}, {j}]"
            )

    def _check_positions(self) -> None:
        if _are_texts(self.positions):
            return
        try:
            places = np.asarray(self.positions, dtype=float)
        except (TypeError, ValueError, OverflowError):  # OverflowError: a huge integer
            raise self.parameter_error(
                "positions", "must be numbers, rows of as many numbers each, or texts"
            ) from None
        if places.ndim not in (1, 2) or not places.size:
            raise self.parameter_error(
                "positions", f"must be of shape (n_bins, d), got shape {places.shape}"
            )
        if not np.isfinite(places).all():
            at = int(np.argwhere(~np.isfinite(places))[0][0])
            raise self.parameter_error("positions", f"must be finite, got {places[at]} at [{at}]")

    def fit(self, X: Any, y: Labels | None = None) -> Self:
        """Fit the ground to all positions, of the clusters or of the bins."""
        self.check_parameters()
        X = self.check_input(X)
        places = X.positions if isinstance(X, Signatures) else self._bins(X.shape[1])
        self.ground_ = ilk.fit_component(self.resolve_slot("ground"), places)
        return self

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every object of X to every one of Y (X itself if left out)."""
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        space = self.space(X)
        x = space.load(X)
        y = x if Y is X and self.symmetric else space.load(Y)
        D = space.distances(x, y)
        return D.astype(np.float32) if x.single and y.single else D

    def flow(self, x: object, y: Labels) -> np.ndarray:
        """The optimal flow of mass from one object to another.

        Parameters
        ----------
        x, y : histograms or signatures
            Two objects, of m and n bins or clusters.

        Returns
        -------
        ndarray of shape (m, n)
            Row sums are at most the masses of x, column sums at most those of y, and the total
            is the smaller mass. There may be other flows of the same cost.
        """
        from ilk_distances.transport.pairs import flows

        self.check_parameters()
        given = ilk.one_row(x), ilk.one_row(y)
        X, Y = self.check_pair(*given)
        space = self.space(X)
        heaps = space.load(X), space.load(Y)
        costs = space.costs(*heaps)
        moved = np.zeros(costs.shape)
        flows(costs, *((h.flat.item, h.flat.weight, h.mass[0]) for h in heaps), moved)
        if not isinstance(X, Signatures):
            return moved
        whole = np.zeros([len(pairs[0][1]) for pairs in given])
        whole[np.ix_(*(np.flatnonzero(pairs[0][1]) for pairs in given))] = moved
        return whole

    def prepare(self, X: Cases) -> PreparedEMD:
        """Return a handle on X, with input checked and ground and bounds computed once."""
        self.check_parameters()
        return PreparedEMD(self, self.check_input(X))

    def kneighbors(self, X: Any, Y: Cases | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k of Y nearest to each of X; pairs that bounds exclude are not solved."""
        ilk.check_k(self, k, ilk.n_rows(Y))
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        return PreparedEMD(self, Y).nearest(X, k)

    def check_input(self, X: Cases, argument: str = "X") -> Any:
        """Return histograms as a float array, or signatures as flat arrays."""
        if are_signatures(X):
            return check_signatures(self, X, argument)
        X = ilk.check_vectors(self, X, argument=argument)
        name = ilk.display_name(self)
        if X.min() < 0:
            i, j = np.argwhere(X < 0)[0]
            raise ilk.InputError(
                f"{name}: {argument} has {X[i, j]} at row {i}, column {j}: below 0"
            )
        empty = np.flatnonzero(~X.any(axis=1))
        if empty.size:
            raise ilk.InputError(
                f"{name}: {argument} has no mass at row {empty[0]}: all bins are 0"
            )
        with np.errstate(over="ignore"):
            check_mass(X.sum(axis=1, dtype=float), f"{name}: {argument}")
        return X

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """Return X and Y (X again if None), checked, of the same kind and width."""
        X, Y = super().check_pair(X, Y)
        ours, theirs = (isinstance(Z, Signatures) for Z in (X, Y))
        name = ilk.display_name(self)
        if ours != theirs:
            kinds = {True: "signatures", False: "histograms"}
            raise ilk.InputError(f"{name}: X holds {kinds[ours]} but Y holds {kinds[theirs]}")
        if ours:
            widths = [np.shape(Z.positions)[1:] for Z in (X, Y)]
            if widths[0] != widths[1]:
                text = " but ".join(
                    f"{Z} has positions of {w[0] if w else 'no'} dimensions"
                    for Z, w in zip("XY", widths, strict=True)
                )
                raise ilk.InputError(f"{name}: {text}")
        return X, Y

    def space(self, X: Any) -> Bins | Places:
        """The space in which the mass of checked objects such as X moves."""
        penalty = float(self.extra_mass_penalty)
        if isinstance(X, Signatures):
            for name in ("matrix", "positions"):
                if getattr(self, name) is not None:
                    raise self.parameter_error(name, "is for histograms, but X holds signatures")
            ground = self._ground(X.positions)
            return Places(ground, self.normalize, penalty)
        bins = X.shape[1]
        if self.matrix is not None:
            self._check_count("matrix", len(self.matrix), bins)
            return Bins(None, None, np.asarray(self.matrix), self.normalize, penalty)
        places = self._bins(bins)
        self._check_count("positions", len(places), bins)
        ground = self._ground(places)
        return Bins(ground, ground.checked(places), None, self.normalize, penalty)

    def _check_count(self, name: str, count: int, bins: int) -> None:
        if count != bins:
            raise self.parameter_error(
                name, f"must be of as many bins as X has features ({bins}), got {count}"
            )

    def _bins(self, count: int = 1) -> Any:
        """Positions of bins: a column of numbers, points, or a list of texts."""
        if self.positions is None:
            return np.arange(float(count))[:, None]
        if _are_texts(self.positions):
            return list(self.positions)
        places = np.asarray(self.positions, dtype=float)
        return places[:, None] if places.ndim == 1 else places

    def _resolved(self) -> Any:
        return self.ground_ if hasattr(self, "ground_") else self.resolve_slot("ground")

    def _ground(self, places: object) -> Ground:
        ground = Ground(self._resolved(), float(self.period or 0), ilk.display_name(self))
        if self.period and ground.scale(places) is None:
            raise self.parameter_error(
                "period", "needs positions of one dimension and a norm as the ground"
            )
        return ground


def _are_texts(positions: Any) -> bool:
    return (
        not isinstance(positions, np.ndarray | np.generic)
        and len(positions) > 0
        and all(isinstance(place, str | bytes) for place in positions)
    )
