"""Commands of this distribution: `ilk run`, `watch`, `results`, `plot` and `report`."""
