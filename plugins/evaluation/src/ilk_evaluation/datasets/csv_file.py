"""A table in a delimited text file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from ilk import Param, param
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.table_file import (
    EXAMPLE,
    INFLATED,
    TableDataset,
    UsedColumns,
    read_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Csv(TableDataset):
    r"""A table in a comma-separated file with a header, gzip if its name ends in .gz.

    Blanks around cells are stripped, blank lines are skipped. X is a float array if all features
    are numeric, else a data frame whose nominal columns have category dtype. Labels are integers
    if all of them are written as integers, else text.

    Raises
    ------
    DataError
        If the file does not exist, is not UTF-8, is empty, has no rows or rows of different
        lengths; if a column does not exist or is named twice; if a cell of a numeric column is not
        a finite number; if labels are missing or all equal. Names file, line, column and value.

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

    nominal: Literal["auto"] | Sequence[str] = param(
        default="auto",
        type=list,
        choices=("auto",),
        items=Param(str),
        form='"auto" or list of str',
        doc='Nominal columns; all others must be numeric. "auto": columns without any cell that '
        "is a number. A column with both numbers and other cells is an error under "
        '"auto": it has a typing error, or must be listed here.',
    )
    missing_values: Sequence[str] = param(
        default=("", "?", "NA", "NaN", "nan"),
        type=list,
        items=Param(str),
        form="list of str",
        doc="Cells that mean a missing value.",
    )
    delimiter: str = param(default=",", doc="The character that separates cells.")
    inflated_mb: int = INFLATED

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
            target=str(self.target),
            nominal=self.nominal,
            ignored=self.ignore,
            groups=self.groups,
            missing=self.missing,
            missing_values=self.missing_values,
        )
        return Columns(read_table(path, self.delimiter, self.inflated_mb), roles), ""
