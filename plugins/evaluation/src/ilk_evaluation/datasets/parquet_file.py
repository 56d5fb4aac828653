"""A table in a Parquet file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

import ilk
from ilk import Param
from ilk_evaluation.datasets.columns import Roles
from ilk_evaluation.datasets.one_table import EXAMPLE, OneTable, Table
from ilk_evaluation.datasets.parquet_table import ParquetTable


class Parquet(OneTable):
    """A table in a Parquet file, which says itself what its columns are.

    Numbers, and true and false as 1 and 0, are numeric; texts and categories are nominal. X is a
    float array if all features are numeric (float32 if all of them are), else a data frame whose
    nominal columns have category dtype; categories keep their order, those of texts are sorted.
    It is read by pyarrow. An index that pandas has stored in it is no column.

    Parameters
    ----------
    path : path
        In a spec file relative to that file.
    target : str, default="class"
        Column of the labels: texts, integers, true and false, or categories of these.
    nominal : "auto" or list of str, default="auto"
        Nominal columns; every other one must hold numbers. "auto": texts and categories.
    missing : {"keep", "complete"}, default="keep"
        "keep" leaves missing values in (NaN), "complete" leaves rows out that have any, the
        label and the group included. A row without a label is an error under "keep".
    ignore : list of str, default=()
        Columns that are not read.
    groups : str, optional
        Column that says which cases belong together; no feature.

    Raises
    ------
    DataError
        If pyarrow is not installed; if the file is not there, no Parquet file or without rows; if
        a column is not there, or of a type that is no feature (dates, lists); if a number is
        infinite; if a label is missing or all are the same. Names file, column and row, from 0.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> table = pd.DataFrame(
    ...     {"weight": [152, None], "colour": ["red", "yellow"], "class": ["apple", "banana"]}
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.parquet")
    ...     table.to_parquet(path)
    ...     data = ilk.dataset("parquet", path=path).load()
    >>> data.name, data.nominal, data.y.tolist()
    ('fruit', ('colour',), ['apple', 'banana'])
    """

    target: str

    parameters: ClassVar[Mapping[str, Param]] = {
        "path": Param(ilk.FilePath, doc="The file; in a spec relative to the spec."),
        "target": Param(str, doc="Column of the labels."),
        "nominal": Param(
            list,
            choices=("auto",),
            items=Param(str),
            doc="Nominal columns, the others are numeric.",
        ),
        "missing": Param(
            choices=("keep", "complete"), doc="Keep missing values, or only complete rows."
        ),
        "ignore": Param(list, items=Param(str), doc="Columns that are not read."),
        "groups": Param(str, none=True, doc="Column that says which cases belong together."),
    }

    def __init__(
        self,
        path: str | Path | None = None,
        target: str = "class",
        *,
        nominal: Literal["auto"] | Sequence[str] = "auto",
        missing: str = "keep",
        ignore: Sequence[str] = (),
        groups: str | None = None,
    ) -> None:
        self.path = path
        self.target = target
        self.nominal = nominal
        self.missing = missing
        self.ignore = ignore
        self.groups = groups

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.parquet")
        return [cls(path=path), cls(path=path, missing="complete", ignore=["colour"])]

    def _read(self, path: Path) -> tuple[Table, str]:
        roles = Roles(
            target=self.target,
            nominal=self.nominal,
            ignored=self.ignore,
            groups=self.groups,
            missing=self.missing,
        )
        return ParquetTable.read(path, roles), ""
