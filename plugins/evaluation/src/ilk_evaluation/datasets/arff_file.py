"""A table in an ARFF file, as Weka writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import ilk
from ilk import Param
from ilk_evaluation.datasets.arff_text import MISSING, ArffText, Attribute, read_arff
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.one_table import EXAMPLE, OneTable, Table
from ilk_evaluation.datasets.table_file import INFLATED, INFLATED_MB


class Arff(OneTable):
    r"""A table in an ARFF file, dense or sparse, gzip if its name ends in .gz.

    What is numeric and what is nominal the file declares. X is a float array if all features are
    numeric, else a data frame whose nominal columns have category dtype, with the declared values
    in their order; a list of texts if the only feature is a string. What a sparse row leaves out is
    0, or the first value declared, as in Weka; ``?`` is a missing value. A percent sign at the
    start of a line, or after a blank and in no quotes, begins a comment. Labels are integers if
    each of them is one, else text; if they are declared as numeric, 1 and 1.0 are the same.

    Parameters
    ----------
    path : path
        In a spec file relative to that file. UTF-8.
    target : str or None, default=None
        Attribute of the labels; None: the last one.
    missing : {"keep", "complete"}, default="keep"
        "keep" leaves missing values in (NaN), "complete" leaves rows out that have any, the
        label and the group included. A row without a label is an error under "keep".
    ignore : list of str, default=()
        Attributes that are not taken.
    groups : str, optional
        Attribute that says which cases belong together; no feature.
    inflated_mb : int, default=256
        A .gz file that inflates to more megabytes is refused.

    Raises
    ------
    DataError
        If the file is not there, not UTF-8, or breaks the format; if an attribute is not there,
        or of a type that is no feature (dates; strings beside others); if a value is not declared
        or no finite number; if a label is missing or all are the same. Names file, line, attribute
        and value.

    References
    ----------
    Witten, I. H., Frank, E. and Hall, M. A. (2011). Data Mining, sec. 2.4.

    Examples
    --------
    >>> import ilk
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> text = "@relation fruit\n@attribute weight real\n@attribute 'its colour' {red, yellow}\n"
    >>> text += "@attribute class {apple, banana}\n@data\n152, red, apple\n?, yellow, banana\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.arff")
    ...     _ = path.write_text(text)
    ...     data = ilk.dataset("arff", path=path).load()
    >>> data.name, data.nominal, data.y.tolist()
    ('fruit', ('its colour',), ['apple', 'banana'])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "path": Param(ilk.FilePath, doc="The file; in a spec relative to the spec."),
        "target": Param(str, none=True, doc="Attribute of the labels; None: the last one."),
        "missing": Param(
            choices=("keep", "complete"), doc="Keep missing values, or only complete rows."
        ),
        "ignore": Param(list, items=Param(str), doc="Attributes that are not taken."),
        "groups": Param(str, none=True, doc="Attribute that says which cases belong together."),
        "inflated_mb": INFLATED,
    }

    def __init__(
        self,
        path: str | Path | None = None,
        target: str | None = None,
        *,
        missing: str = "keep",
        ignore: Sequence[str] = (),
        groups: str | None = None,
        inflated_mb: int = INFLATED_MB,
    ) -> None:
        self.path = path
        self.target = target
        self.missing = missing
        self.ignore = ignore
        self.groups = groups
        self.inflated_mb = inflated_mb

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.arff")
        return [cls(path=path), cls(path=path, missing="complete", ignore=["colour"])]

    def _read(self, path: Path) -> tuple[Table, str]:
        arff = read_arff(path, self.inflated_mb)
        roles = self._roles(arff)
        for name in (roles.target, roles.groups):
            arff.write_alike(name)
        columns = Columns(arff.table, roles)
        self._check_kinds(arff, columns.features)
        return columns, arff.relation

    def _roles(self, arff: ArffText) -> Roles:
        target = arff.attributes[-1].name if self.target is None else self.target
        for argument, name in (("ignore", target), ("groups", self.groups)):
            taken = self.ignore if argument == "ignore" else (target,)
            if name is not None and name in taken:
                raise arff.table.error(
                    f"{argument} names the target {target!r}, the last attribute"
                )
        apart = {target, self.groups, *self.ignore}
        features = [one for one in arff.attributes if one.name not in apart]
        return Roles(
            target=target,
            nominal=_names(features, "nominal"),
            ignored=self.ignore,
            values={one.name: one.values for one in features if one.kind == "nominal"},
            text=_names(features, "string"),
            groups=self.groups,
            missing=self.missing,
            missing_values=(MISSING,),
        )

    @staticmethod
    def _check_kinds(arff: ArffText, features: Sequence[str]) -> None:
        kinds = {one.name: one.kind for one in arff.attributes}
        for name in features:
            if kinds[name] == "date" or (kinds[name] == "string" and len(features) > 1):
                raise arff.table.error(
                    f"attribute {name!r} is a {kinds[name]}, which is no feature; ignore it"
                )


def _names(attributes: Sequence[Attribute], kind: str) -> Any:
    return [one.name for one in attributes if one.kind == kind]
