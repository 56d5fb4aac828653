"""Files of LIBSVM and SVMlight: a label and pairs of position and value in each line."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk import FilePath, param
from ilk_evaluation.datasets.columns import check_memory
from ilk_evaluation.datasets.spelling import is_plain_number
from ilk_evaluation.datasets.table_file import EXAMPLE
from ilk_evaluation.datasets.text_file import COMPRESSED, INFLATED, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAIR = re.compile(r"([0-9]{1,9}):(\S+)")
_LARGEST = 2**53
_WIDEST = 10**6  # columns; a typing error in a position must not fill the memory
_MOST_DENSE = 10**7  # cells of an array; larger tables with few values are kept sparse
_FULL = 0.1  # share of stored values from which on an array is no larger than sparse rows


class Svmlight(ilk.Dataset):
    r"""A file of LIBSVM or SVMlight: ``label position:value position:value ...`` in each line.

    Values that are left out are 0; the columns of X are named ``x1``, ``x2``, ... by position. X
    is a dense array, or CSR by `sparse`. ``qid:N`` after the label is the group of the case; ``#``
    begins a comment. Labels that are whole numbers are integers, others are text. Files packed by
    gzip, xz, bzip2 or zip are unpacked.

    Raises
    ------
    DataError
        If the file cannot be read, a line has another form, a position stands twice or is beyond
        `n_features`, or a value is not a finite number; names file and line. If the array would
        not fit into memory.

    References
    ----------
    Chang, C.-C. and Lin, C.-J. (2011). LIBSVM: a library for support vector machines. ACM
    Transactions on Intelligent Systems and Technology 2(3).

    Examples
    --------
    >>> import ilk
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.svm")
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1 2:4 # the second\n")
    ...     data = ilk.dataset("svmlight", path=path).load()
    >>> data.X.tolist(), data.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 4.0, 0.0]], [1, -1])
    """

    path: str | Path | None = param(
        default=None,
        type=FilePath,
        none=False,
        doc="Path of the file; in a spec file relative to that file.",
    )
    n_features: int | None = param(
        default=None, type=int, ge=1, doc="Number of features; None: the largest position."
    )
    zero_based: bool | Literal["auto"] = param(
        default="auto",
        type=bool,
        choices=("auto",),
        doc='Whether positions start at 0, not at 1. "auto": if there is a position 0.',
    )
    sparse: bool | Literal["auto"] = param(
        default="auto",
        type=bool,
        choices=("auto",),
        doc='Whether X is a sparse array (CSR), not a dense one. "auto": if it has more than 10 '
        "million cells and less than a tenth of them is in the file.",
    )
    labels: str = param(
        default="known",
        choices=("known", "unknown"),
        doc='"unknown": rows to predict; a label in a line is left out.',
    )
    inflated_mb: int = INFLATED

    @classmethod
    def examples(cls) -> list[Self]:
        """A small file."""
        path = str(EXAMPLE / "fruit.svm")
        return [cls(path=path), cls(path=path, n_features=5), cls(path=path, sparse=True)]

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.path is not None
        path = Path(self.path).expanduser()
        file = read_text(path, self.inflated_mb)
        rows = list(_rows(path, file.text, labelled=self.labels == "known"))
        if not rows:
            raise ilk.DataError(f"{path}: the file has no rows")
        X, first = self._features(path, rows)
        known = any(row.group for row in rows)
        return ilk.Data(
            X=X,
            y=self._labels(path, rows),
            name=self.title(),
            feature_names=tuple(f"x{at}" for at in range(first, first + X.shape[1])),
            groups=np.array([row.group for row in rows]) if known else None,
            dialect=", ".join(["LIBSVM", *file.dialect]),
            notes=file.notes,
        )

    def title(self) -> str:
        """Stem of the file name."""
        name = Path(self.path).name if self.path is not None else ""
        for suffix in COMPRESSED:
            name = name.removesuffix(suffix)
        return name.rpartition(".")[0] or name

    def _features(self, path: Path, rows: list[_Row]) -> tuple[Any, int]:
        """Features as an array or CSR, and the position of the first."""
        import scipy.sparse as sp

        positions = [at for row in rows for at in row.values]
        zero = 0 in positions if self.zero_based == "auto" else self.zero_based
        first = 0 if zero else 1
        width = self.n_features or max(positions, default=0) + 1 - first
        if self.n_features is None and width > _WIDEST:
            raise ilk.DataError(
                f"{path}: position {max(positions)} makes a table of {width:,} columns; n_features "
                f"= {width} reads it"
            )
        if width < 1:
            raise ilk.DataError(f"{path}: no row has a feature")
        columns = np.array(positions, dtype=np.int64) - first
        numbers = np.repeat(np.arange(len(rows)), [len(row.values) for row in rows])
        wrong = np.flatnonzero((columns < 0) | (columns >= width))
        if wrong.size:
            raise ilk.DataError(
                f"{path}:{rows[numbers[wrong[0]]].line}: position {positions[wrong[0]]} is not "
                f"within {first} to {first + width - 1}"
            )
        values = np.array([value for row in rows for value in row.values.values()], dtype=float)
        cells = len(rows) * width
        if self.sparse == "auto":
            keep = cells > _MOST_DENSE and len(values) < _FULL * cells
        else:
            keep = bool(self.sparse)
        if keep:
            X = sp.csr_array((values, (numbers, columns)), shape=(len(rows), width))
            X.sum_duplicates()  # sorts the columns; no position stands twice
            return X, first
        check_memory(str(path), f"{len(rows)} rows of {width} columns", 8 * cells)
        array = np.zeros((len(rows), width))
        array[numbers, columns] = values
        return array, first

    def _labels(self, path: Path, rows: list[_Row]) -> np.ndarray:
        labels = [row.label for row in rows]
        if self.labels == "unknown":
            return np.full(len(rows), None, dtype=object)
        for row in rows:
            if not row.label:
                raise ilk.DataError(f"{path}:{row.line}: the row has no label")
        if len(set(labels)) < 2:
            raise ilk.DataError(f"{path}: has one class only ({labels[0]!r})")
        whole = all(map(_whole, labels))
        return np.array([int(float(each)) for each in labels]) if whole else ilk.text_array(labels)


@dataclass(frozen=True)
class _Row:
    """A line: its label (empty if there is none), group and values by position."""

    line: int
    label: str
    group: str
    values: dict[int, float]


def _whole(label: str) -> bool:
    if not is_plain_number(label):
        return False
    value = float(label)
    return abs(value) <= _LARGEST and value.is_integer()


def _rows(path: Path, text: str, *, labelled: bool) -> Iterator[_Row]:
    for number, line in enumerate(text.splitlines(), 1):
        tokens = line.partition("#")[0].split()
        if tokens:
            yield _row(f"{path}:{number}", number, tokens, labelled=labelled)


def _row(place: str, number: int, tokens: list[str], *, labelled: bool) -> _Row:
    label = "" if ":" in tokens[0] else tokens[0]
    if labelled and "," in label:
        raise ilk.DataError(f"{place}: {label!r} are several labels; one for each case is read")
    rest = tokens[1:] if label else tokens
    group = rest.pop(0).removeprefix("qid:") if rest and rest[0].startswith("qid:") else ""
    values: dict[int, float] = {}
    for token in rest:
        match = _PAIR.fullmatch(token)
        value = float(match[2]) if match and is_plain_number(match[2]) else math.nan
        if match is None or not math.isfinite(value):
            raise ilk.DataError(f"{place}: expected position:number, got {token[:40]!r}")
        at = int(match[1])
        if at in values:
            raise ilk.DataError(f"{place}: position {at} stands twice")
        values[at] = value
    return _Row(number, label, group, values)
