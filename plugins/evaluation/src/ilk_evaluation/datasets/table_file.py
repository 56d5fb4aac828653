"""The base class of data sets that are a table in one file."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import ilk
from ilk import FilePath, Param, param
from ilk_evaluation.datasets.text_file import COMPRESSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

EXAMPLE = Path(__file__).parent / "example"

MISSING: Any = param(
    default="keep",
    choices=("keep", "labelled", "complete"),
    doc='"keep" keeps missing values (NaN), "labelled" drops rows without a label, "complete" '
    'drops rows with any missing value, label and group included. Under "keep" a row without a '
    "label is an error.",
)
"""The parameter ``missing`` of readers of tables."""


class UsedColumns(Protocol):
    """The used columns of a file."""

    @property
    def features(self) -> Sequence[str]:
        """Names of the features."""

    @property
    def dates(self) -> Sequence[str]:
        """Names of the features that were dates, after `X` was called."""

    def labels(self) -> np.ndarray:
        """Label of each case."""

    def X(self) -> tuple[Any, tuple[str, ...]]:
        """Features, and the names of the nominal ones."""

    def groups(self) -> np.ndarray | None:
        """Group of each case, or None."""

    def remarks(self) -> tuple[str, Sequence[str]]:
        """Dialect of the file and notes on it, after `X` was called."""


class TableDataset(ilk.Dataset):
    """A table in one file; parameters assign roles to its columns.

    A subclass has the parameters path, target, missing, ignore, groups, and optionally nominal.
    """

    path: str | Path | None = param(
        default=None,
        type=FilePath,
        none=False,
        doc="Path of the file; in a spec file relative to that file.",
    )
    target: str | int | None = param(
        default="class",
        type=(str, int),
        doc="Column of the labels: its name, or its position from 0, or from the end (-1 is the "
        "last column).",
    )
    missing: str = MISSING
    ignore: Sequence[str] = param(
        default=(),
        type=list,
        items=Param(str),
        form="list of str",
        doc="Columns to ignore.",
    )
    groups: str | None = param(
        default=None,
        type=str,
        doc="Column with the group of each case; not a feature.",
    )
    labels: str = param(
        default="known",
        choices=("known", "unknown"),
        doc='"unknown": the rows have no labels, as rows to predict; a column named as the target '
        "is left out.",
    )

    @abstractmethod
    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        """Read the file; return its used columns and its description."""

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
        dialect, notes = table.remarks()
        return ilk.Data(
            X=X,
            y=y,
            name=self._stem(),
            feature_names=tuple(table.features),
            nominal=nominal,
            groups=table.groups(),
            description=description,
            dates=tuple(table.dates),
            dialect=dialect,
            notes=tuple(notes),
        )

    def title(self) -> str:
        """Stem of the file name, marked if incomplete rows are dropped."""
        stem = self._stem()
        return f"{stem} (complete)" if self.missing == "complete" else stem

    def _stem(self) -> str:
        name = Path(self.path).name if self.path is not None else ""
        for suffix in COMPRESSED:
            name = name.removesuffix(suffix)
        return name.rpartition(".")[0] or name
