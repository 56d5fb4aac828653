"""A table in a delimited text file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

import ilk
from ilk import Param
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.table_file import (
    EXAMPLE,
    INFLATED,
    INFLATED_MB,
    TableDataset,
    UsedColumns,
    read_table,
)


class Csv(TableDataset):
    r"""A table in a comma-separated file with a header, gzip if its name ends in .gz.

    Blanks around a cell do not count, blank lines are passed over. X is a float array if all
    features are numeric, else a data frame whose nominal columns have category dtype. Labels
    are integers if each of them is written as one, else text.

    Parameters
    ----------
    path : path
        In a spec file relative to that file. UTF-8.
    target : str, default="class"
        Column of the labels.
    nominal : "auto" or list of str, default="auto"
        Nominal columns; every other one must hold numbers. "auto": those none of whose cells
        is a number. A column with both numbers and other cells is an error under "auto": it is
        a slip, or a nominal column that has to be named.
    missing : {"keep", "complete"}, default="keep"
        "keep" leaves missing values in (NaN), "complete" leaves rows out that have any, the
        label and the group included. A row without a label is an error under "keep".
    missing_values : list of str, default=("", "?", "NA", "NaN", "nan")
        What a missing cell may hold.
    ignore : list of str, default=()
        Columns that are not read.
    groups : str, optional
        Column that says which cases belong together; no feature.
    delimiter : str, default=","
    inflated_mb : int, default=256
        A .gz file that inflates to more megabytes is refused.

    Raises
    ------
    DataError
        If the file is not there, not UTF-8, empty, without rows or ragged; if a column is not
        there or named twice; if a cell of a numeric column is no finite number; if a label is
        missing or all are the same. Names file, line, column and value.

    Examples
    --------
    >>> import ilk
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("weight,colour,class\n152,red,apple\n,yellow,banana\n")
    ...     data = ilk.dataset("csv", path=path).load()
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
        "missing_values": Param(list, items=Param(str), doc="What a missing cell may hold."),
        "ignore": Param(list, items=Param(str), doc="Columns that are not read."),
        "groups": Param(str, none=True, doc="Column that says which cases belong together."),
        "delimiter": Param(str, doc="The character between cells."),
        "inflated_mb": INFLATED,
    }

    def __init__(
        self,
        path: str | Path | None = None,
        target: str = "class",
        *,
        nominal: Literal["auto"] | Sequence[str] = "auto",
        missing: str = "keep",
        missing_values: Sequence[str] = ("", "?", "NA", "NaN", "nan"),
        ignore: Sequence[str] = (),
        groups: str | None = None,
        delimiter: str = ",",
        inflated_mb: int = INFLATED_MB,
    ) -> None:
        self.path = path
        self.target = target
        self.nominal = nominal
        self.missing = missing
        self.missing_values = missing_values
        self.ignore = ignore
        self.groups = groups
        self.delimiter = delimiter
        self.inflated_mb = inflated_mb

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.csv")
        return [
            cls(path=path),
            cls(path=path, missing="complete", ignore=["colour"]),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, the delimiter, and that no column has two roles."""
        super().check_parameters()
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            raise self.parameter_error(
                "delimiter", f"must be one character, got {self.delimiter!r}"
            )

    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        roles = Roles(
            target=self.target,
            nominal=self.nominal,
            ignored=self.ignore,
            groups=self.groups,
            missing=self.missing,
            missing_values=self.missing_values,
        )
        return Columns(read_table(path, self.delimiter, self.inflated_mb), roles), ""
