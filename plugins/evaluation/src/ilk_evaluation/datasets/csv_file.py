"""A table in a delimited text file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

import ilk
from ilk import Param
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.table_file import read_table

EXAMPLE = Path(__file__).parent / "example"


class Csv(ilk.Dataset):
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
    ) -> None:
        self.path = path
        self.target = target
        self.nominal = nominal
        self.missing = missing
        self.missing_values = missing_values
        self.ignore = ignore
        self.groups = groups
        self.delimiter = delimiter

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.csv")
        return [
            cls(path=path),
            cls(path=path, missing="complete", ignore=["colour"]),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that no column has two roles."""
        super().check_parameters()
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            raise self.parameter_error(
                "delimiter", f"must be one character, got {self.delimiter!r}"
            )
        if self.groups == self.target:
            raise self.parameter_error("groups", f"must not be the target, got {self.groups!r}")
        for name in (self.target, self.groups):
            for argument in ("ignore", "nominal"):
                if self.nominal != "auto" or argument == "ignore":
                    self._refuse(argument, name)

    def _refuse(self, argument: str, name: str | None) -> None:
        if name is not None and name in getattr(self, argument):
            role = "target" if name == self.target else "groups"
            raise self.parameter_error(argument, f"must not hold the {role}, got {name!r}")

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.path is not None
        table = read_table(Path(self.path).expanduser(), self.delimiter)
        roles = Roles(
            target=self.target,
            nominal=self.nominal,
            ignored=self.ignore,
            groups=self.groups,
            missing=self.missing,
            missing_values=self.missing_values,
        )
        columns = Columns(table, roles)
        y = columns.labels()
        X, nominal = columns.X()
        return ilk.Data(
            X=X,
            y=y,
            name=self._stem(),
            feature_names=tuple(columns.features),
            nominal=nominal,
            groups=columns.groups(),
        )

    def title(self) -> str:
        """Stem of the file's name, marked if only complete rows are taken."""
        stem = self._stem()
        return f"{stem} (complete)" if self.missing == "complete" else stem

    def _stem(self) -> str:
        name = Path(self.path).name if self.path is not None else ""
        return name.removesuffix(".gz").rpartition(".")[0] or name
