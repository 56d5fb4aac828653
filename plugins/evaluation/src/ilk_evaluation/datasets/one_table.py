"""What data sets that are a table in one file have in common: roles of columns, and their title."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import ilk

if TYPE_CHECKING:
    import numpy as np

EXAMPLE = Path(__file__).parent / "example"


class Table(Protocol):
    """The columns of a file that are used."""

    @property
    def features(self) -> Sequence[str]:
        """Names of the features."""

    def labels(self) -> np.ndarray:
        """Label of each case."""

    def X(self) -> tuple[Any, tuple[str, ...]]:
        """Features, and the names of the nominal ones."""

    def groups(self) -> np.ndarray | None:
        """Group of each case, or None."""


class OneTable(ilk.Dataset):
    """A table in one file, whose columns have the roles that the parameters give them.

    A subclass has the parameters path, target, missing, ignore, groups, and perhaps nominal.
    """

    path: str | Path | None
    target: str | None
    missing: str
    ignore: Sequence[str]
    groups: str | None

    @abstractmethod
    def _read(self, path: Path) -> tuple[Table, str]:
        """Read the file: the columns that are used, and what it says of itself."""

    def check_parameters(self) -> None:
        """Check each parameter, and that no column has two roles."""
        super().check_parameters()
        if self.groups is not None and self.groups == self.target:
            raise self.parameter_error("groups", f"must not be the target, got {self.groups!r}")
        for name, role in ((self.target, "target"), (self.groups, "groups")):
            for argument in ("ignore", "nominal"):
                named = getattr(self, argument, "auto")
                if name is not None and named != "auto" and name in named:
                    raise self.parameter_error(argument, f"must not hold the {role}, got {name!r}")

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.path is not None
        table, description = self._read(Path(self.path).expanduser())
        y = table.labels()
        X, nominal = table.X()
        return ilk.Data(
            X=X,
            y=y,
            name=self._stem(),
            feature_names=tuple(table.features),
            nominal=nominal,
            groups=table.groups(),
            description=description,
        )

    def title(self) -> str:
        """Stem of the file's name, marked if only complete rows are taken."""
        stem = self._stem()
        return f"{stem} (complete)" if self.missing == "complete" else stem

    def _stem(self) -> str:
        name = Path(self.path).name if self.path is not None else ""
        return name.removesuffix(".gz").rpartition(".")[0] or name
