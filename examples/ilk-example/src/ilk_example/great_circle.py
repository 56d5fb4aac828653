"""Distance along the surface of a sphere."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import ilk


class GreatCircle(ilk.Distance):
    """Great-circle distance between places given by latitude and longitude in degrees.

    By the haversine formula, with latitudes u, v and longitudes s, t,

    h = sin((u - v) / 2)^2 + cos(u) cos(v) sin((s - t) / 2)^2
    d = 2 radius atan2(sqrt(h), sqrt(1 - h))

    It is a metric on the sphere. Longitudes may go around it more than once: -10 and 350 are the
    same, and so are all of them at a pole.

    Raises
    ------
    InputError
        If X has other than two columns, or a latitude is not between -90 and 90.

    References
    ----------
    R. W. Sinnott, Virtues of the haversine, Sky and Telescope 68(2), 1984, p. 159. The arctangent
    in place of its arcsine keeps the digits of places nearly opposite each other.

    Examples
    --------
    >>> import ilk
    >>> london, new_york = [51.51, -0.13], [40.71, -74.01]
    >>> round(ilk.distance("great_circle").between(london, new_york))
    5570
    """

    radius: float = ilk.param(
        default=6371.0088,
        gt=0,
        doc="Of the sphere; the default is the earth's mean radius in kilometres, 1 gives angles.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(symmetric=True, metric=True)

    @classmethod
    def example_data(cls, kind: str, n: int, rng: Any) -> tuple[np.ndarray, np.ndarray]:
        """Places around two cities and their labels, for the conformance checks."""
        y = np.arange(n) % 2
        return rng.normal(size=(n, 2)) * 5 + np.array([[50, 5], [-20, 175]])[y], y

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        latitude, longitude = np.radians(X, dtype=float).T[:, :, None]
        other_latitude, other_longitude = np.radians(Y, dtype=float).T
        h = np.sin((longitude - other_longitude) / 2) ** 2
        h *= np.cos(latitude) * np.cos(other_latitude)
        h += np.sin((latitude - other_latitude) / 2) ** 2
        angle = 2 * np.arctan2(np.sqrt(h), np.sqrt(np.maximum(1 - h, 0)))
        return (self.radius * angle).astype(np.result_type(X, Y), copy=False)

    def check_input(self, X: Any, argument: str = "X") -> np.ndarray:
        """Return X as a float array of latitudes and longitudes."""
        X = super().check_input(X, argument)
        name = ilk.display_name(self)
        if X.shape[1] != 2:
            raise ilk.InputError(
                f"{name}: {argument} must have 2 columns, latitude and longitude, got {X.shape[1]}"
            )
        outside = np.abs(X[:, 0]) > 90
        if outside.any():
            row = int(outside.argmax())
            raise ilk.InputError(
                f"{name}: {argument} has the latitude {X[row, 0]:g} at row {row}, which is not "
                f"between -90 and 90"
            )
        return X
