"""What a data set holds, column by column, and what looks wrong in it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    import ilk

_IDENTIFIER = re.compile(
    r"(?:.*[_ .-])?(?:id|index|key|nr|no|row|rownames?|row[_ .-]?(?:id|number|nr|no))|unnamed: ?0",
    re.IGNORECASE,
)
_FEWEST = 10  # rows; in smaller tables distinct values say nothing
_MOST_LISTED = 5


@dataclass(frozen=True)
class Column:
    """A feature: its kind, range or levels in words, and the number of missing values."""

    name: str
    kind: str
    values: str
    missing: int


def columns_of(data: ilk.Data) -> list[Column]:
    """Describe each feature; nothing for cases that are not rows of a table.

    Examples
    --------
    >>> import ilk
    >>> columns_of(ilk.dataset("iris").load())[0]
    Column(name='sepal length (cm)', kind='number', values='4.3 to 7.9', missing=0)
    """
    return [_described(data, name, column) for name, column in _columns(data)]


def class_counts(data: ilk.Data) -> dict[Any, int]:
    """Number of cases of each class, in the order of the classes."""
    if not data.labelled or data.task == "regression":
        return {}
    labels, counts = np.unique(data.y, return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def warnings_of(data: ilk.Data) -> list[str]:
    """What looks wrong in the values of a data set, with remedies.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.column_stack([np.arange(12.0), np.arange(12.0) ** 2])
    >>> y = np.array(["a"] * 6 + ["b"] * 6)
    >>> warnings_of(ilk.Data(X, y, feature_names=("no", "x")))
    ["column 'no' numbers the rows; ignore = ['no'] leaves it out"]
    """
    remarks = []
    for name, column in _columns(data):
        doubt = _doubt_of(name, column)
        if doubt:
            remarks.append(f"column {name!r} {doubt}")
    return [*_gathered(remarks), *_of_classes(data)]


def _columns(data: ilk.Data) -> Iterator[tuple[str, pd.Series[Any]]]:
    if data.feature_names and getattr(data.X, "ndim", 0) == 2 and not hasattr(data.X, "tocsr"):
        frame = data.table()
        yield from zip(data.feature_names, (frame.iloc[:, at] for at in range(frame.shape[1])))  # noqa: B905  # views may hide names


def _described(data: ilk.Data, name: str, column: pd.Series[Any]) -> Column:
    missing = int(column.isna().sum())
    if name in data.nominal:
        levels = [str(level) for level in column.cat.categories]
        kind = "ranks" if column.cat.ordered else "category"
        return Column(name, kind, f"{len(levels)}: {_listed(levels)}", missing)
    present = column.dropna().to_numpy(dtype=float)
    if not present.size:
        return Column(name, "number", "-", missing)
    low, high = float(present.min()), float(present.max())
    if name in data.dates:
        return Column(name, "date", f"{_day(low)} to {_day(high)}", missing)
    return Column(name, "number", f"{low:.6g} to {high:.6g}", missing)


def _day(days: float) -> str:
    return str(np.datetime64("1970-01-01") + np.timedelta64(int(np.floor(days)), "D"))


def _listed(levels: Sequence[str]) -> str:
    return ", ".join(levels[:_MOST_LISTED]) + (", ..." if len(levels) > _MOST_LISTED else "")


def _doubt_of(name: str, column: pd.Series[Any]) -> str | None:
    """What looks wrong in a column."""
    present = column.dropna()
    n, leave = len(present), f"ignore = [{name!r}] leaves it out"
    if n == 0:
        return f"has no value; {leave}"
    distinct = present.nunique()
    if distinct == 1 and len(column) > 1:
        return f"has a single value; {leave}"
    if n < _FEWEST or distinct < n:
        return _alike(present)
    if hasattr(column.dtype, "categories"):
        return f"has as many values as rows, so it tells rows apart; {leave}"
    values = present.to_numpy(dtype=float)
    if n == len(column) and (np.diff(values) == 1).all():
        return f"numbers the rows; {leave}"
    if (values == np.floor(values)).all() and _IDENTIFIER.fullmatch(name):
        return f"looks like an identifier: its values are all different; {leave}"
    return None


def _alike(present: pd.Series[Any]) -> str | None:
    """Levels that differ by case or blanks only."""
    if not hasattr(present.dtype, "categories"):
        return None
    pair = _nearly_equal(map(str, present.cat.categories))
    return f"has values that differ by case or blanks only: {pair}" if pair else None


def _nearly_equal(levels: Iterable[str]) -> str | None:
    folded: defaultdict[str, list[str]] = defaultdict(list)
    for level in levels:
        folded[" ".join(level.split()).casefold()].append(level)
    return next((f"{a[0]!r} and {a[1]!r}" for a in folded.values() if len(a) > 1), None)


def _gathered(remarks: Sequence[str]) -> list[str]:
    """Gather equal remarks on many columns."""
    about = Counter(text.partition("' ")[2].partition(";")[0] for text in remarks)
    n_listed: Counter[str] = Counter()
    result = []
    for text in remarks:
        what = text.partition("' ")[2].partition(";")[0]
        n_listed[what] += 1
        if n_listed[what] <= _MOST_LISTED:
            result.append(text)
        elif n_listed[what] == about[what]:
            result.append(f"{about[what] - _MOST_LISTED} more columns: {what}")
    return result


def _of_classes(data: ilk.Data) -> list[str]:
    if data.task == "regression":
        return []
    counts = class_counts(data)
    single = [str(label) for label, count in counts.items() if count == 1]
    remarks = []
    if len(counts) > max(_FEWEST, len(data) / 2):
        remarks.append(
            f"the target has {len(counts)} different values in {len(data)} rows: a quantity (for "
            f"regressors) or an identifier, no classes"
        )
    elif single:
        word = "class" if len(single) == 1 else "classes"
        remarks.append(
            f"{len(single)} {word} of one case ({_listed(single)}), which cannot be in training "
            f"and test at once"
        )
    pair = _nearly_equal(map(str, counts))
    if pair:
        remarks.append(f"the target has values that differ by case or blanks only: {pair}")
    return remarks
