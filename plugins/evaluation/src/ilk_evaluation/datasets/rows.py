"""Which reader a file needs, and rows without labels, to be predicted."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ilk
from ilk_evaluation.datasets.arff_file import Arff
from ilk_evaluation.datasets.csv_file import Csv
from ilk_evaluation.datasets.parquet_file import Parquet
from ilk_evaluation.datasets.svmlight_file import Svmlight
from ilk_evaluation.datasets.text_file import INFLATED_MB, format_of, read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_OF_TEXT = ("encoding", "inflated_mb")
_READERS: dict[str, type[ilk.Dataset]] = {"arff": Arff, "csv": Csv, "svmlight": Svmlight}


def reader_of(
    path: str | Path, encoding: str = "auto", inflated_mb: int = INFLATED_MB
) -> type[ilk.Dataset]:
    """Return the class of the data set that reads a file, by its content.

    Parameters
    ----------
    path : path
    encoding, inflated_mb
        As in `csv`.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    path = Path(path).expanduser()
    if read_bytes(path).startswith(b"PAR1"):
        return Parquet
    return _READERS[format_of(read_text(path, inflated_mb, encoding).text)]


def read_rows(
    path: str | Path,
    features: Sequence[str],
    nominal: Collection[str] = (),
    **parameters: Any,
) -> ilk.Data:
    """Read rows to predict: the features of a model, whatever else the file holds.

    Parameters
    ----------
    path : path
        A file as `csv`, `arff`, `parquet` or `svmlight` read it, told by its content.
    features : sequence of str
        Columns in the order of the model; other columns of the file are left out. A file without
        a header must have exactly these columns.
    nominal : collection of str
        Features that are categories; the others must be numbers or dates.
    **parameters
        Parameters of the reader, such as ``delimiter=";"``.

    Returns
    -------
    Data
        Columns as in `features`, labels None; notes name what was left out or guessed.

    Raises
    ------
    DataError
        If a column is absent, or of another kind; names the columns and the closest.

    Examples
    --------
    >>> from ilk_evaluation.datasets.table_file import EXAMPLE
    >>> rows = read_rows(EXAMPLE / "fruit.csv", ["length", "colour"], nominal=["colour"])
    >>> rows.X.columns.tolist(), rows.labelled
    (['length', 'colour'], False)
    """
    path = Path(path).expanduser()
    cls: Any = reader_of(path, **{k: parameters[k] for k in _OF_TEXT if k in parameters})
    given = {"path": path, "labels": "unknown", **parameters}
    if cls is Svmlight:
        given.setdefault("n_features", len(features))
        given.setdefault("zero_based", features[0] == "x0")
        return _selected(path, cls(**given).load(), features, nominal)
    given["target"] = ""
    names = cls(**given).names()
    if cls is Csv and not set(names) & set(features) and "columns" not in given:
        names = given["columns"] = _without_header(path, names, features)
    _check_present(path, names, features)
    given["ignore"] = [name for name in names if name not in features]
    if cls is not Arff:
        given["nominal"] = [name for name in nominal if name in names]
    return _selected(path, cls(**given).load(), features, nominal)


def _without_header(path: str | Path, names: list[str], features: Sequence[str]) -> list[str]:
    if len(names) == len(features) and all(re.fullmatch(r"x\d+", name) for name in names):
        return list(features)
    raise ilk.DataError(
        f"{path}: has none of the columns {', '.join(features[:5])} (it has: "
        f"{', '.join(names[:5])})"
    )


def _check_present(path: Path, names: Sequence[str], features: Sequence[str]) -> None:
    lacking = [name for name in features if name not in names]
    if lacking:
        hint = ilk.did_you_mean(lacking[0], names)
        some = ", ".join(map(repr, lacking[:5])) + (", ..." if len(lacking) > 5 else "")
        raise ilk.DataError(f"{path}: lacks the columns {some}{hint}")


def _selected(
    path: Path, data: ilk.Data, features: Sequence[str], nominal: Collection[str]
) -> ilk.Data:
    """The features in their order, with category dtype for the nominal ones."""
    for name in data.nominal:
        if name not in nominal:
            raise ilk.DataError(f"{path}: column {name!r} is nominal, but was numeric in training")
    if tuple(data.feature_names) == tuple(features) and set(data.nominal) == set(nominal):
        return data
    _check_present(path, data.feature_names, features)
    frame = data.table()[list(features)]
    for name in nominal:
        if name not in data.nominal:
            raise ilk.DataError(f"{path}: column {name!r} is numeric, but was nominal in training")
    X = frame if nominal else frame.to_numpy(dtype=float)
    dates = tuple(name for name in features if name in data.dates)
    nominal_names = tuple(name for name in features if name in nominal)
    return replace(data, X=X, feature_names=tuple(features), nominal=nominal_names, dates=dates)
