"""The commands ``ilk fit`` and ``ilk predict``: from a pipeline to predictions of new cases."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import click

from ilk_evaluation.commands.common import FORCE, cleaned_up, written_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ilk
    from ilk_evaluation.models.table_model import RowReader, TableModel
    from ilk_evaluation.plan.experiment_plan import PlannedPipeline

SHOWN = 40
"""Columns that `ilk fit` lists."""
AT_ONCE = 8192
"""Rows that are read, predicted and written together."""


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--pipeline", metavar="ID", help="Fit this pipeline; optional if FILE has one.")
@click.option(
    "--dataset",
    metavar="LABEL",
    help="Fit on all cases of this data set; optional if FILE has one.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Write the model here.",
)
@FORCE
def fit(
    file: Path, *, pipeline: str | None, dataset: str | None, output: Path, force: bool
) -> None:
    """Fit a pipeline of the experiment FILE on a whole data set and save the model.

    The model holds the names, kinds and levels of its columns; `ilk predict` checks new rows by
    them. In Python, `ilk.load` returns the fitted pipeline.
    """
    import ilk
    from ilk_evaluation.plan.experiment_file import read
    from ilk_evaluation.plan.experiment_plan import choose_data, choose_pipeline
    from ilk_evaluation.run.cell import fit_on_all

    _check_output(output, force=force)
    _check_apart(output, file)
    if file.suffix == ".sqlite":
        raise ilk.InputError(f"{file}: is a store; give the file that describes the experiment")
    experiment = read(file)
    if experiment.predictor == "clusterer":
        raise ilk.InputError(
            f"{file}: its pipelines end in a clusterer, which groups rows at once and predicts no "
            f"new ones"
        )
    planned = choose_pipeline(experiment, pipeline)
    source, data = choose_data(experiment, dataset)
    _check_apart(output, experiment.store, vars(source).get("path"))
    start = perf_counter()
    fitted = fit_on_all(planned.pipeline, data, experiment.seed)
    seconds = perf_counter() - start
    model = _with_columns(fitted, data, planned, source)
    model.save(output)
    click.echo(
        f"{output}: {planned.id} fitted on all {len(data)} cases of {data.name} "
        f"in {seconds:.2g} s; {output.stat().st_size / 1000:,.0f} kB"
    )
    for line in _description(model, data):
        click.echo(line)


def _with_columns(
    fitted: ilk.Pipeline, data: ilk.Data, planned: PlannedPipeline, source: ilk.Dataset
) -> TableModel:
    """Add the columns of the training data to a fitted pipeline."""
    import ilk
    from ilk_evaluation.models.row_stream import MISSING
    from ilk_evaluation.models.table_model import Columns, TableModel

    about = {
        "pipeline": planned.id,
        "dataset": data.name,
        "n_cases": len(data),
        "dialect": data.dialect,
        "date_format": getattr(source, "date_format", "auto"),
    }
    missing = {"", *getattr(source, "missing_values", MISSING)}
    cases = data.table() if ilk.uses_views(fitted) else data.X
    columns = Columns.of(cases, data.feature_names, data.dates)
    return TableModel(fitted, columns, about, sorted(missing))


def _description(model: TableModel, data: ilk.Data) -> Iterator[str]:
    """Describe the columns and the classes or the target of a model, a line each."""
    from ilk import printable

    if model.columns is None:
        yield "its cases are no rows of a table of numbers and categories: predict them in Python"
        return
    columns = model.columns.columns
    yield f"columns: {len(columns)}"
    yield from (printable(f"  {column}") for column in columns[:SHOWN])
    if len(columns) > SHOWN:
        yield f"  ... and {len(columns) - SHOWN} more"
    if data.task == "regression":
        yield f"target: {data.y.min():.6g} to {data.y.max():.6g}"
        return
    if not hasattr(model.pipeline, "classes_"):
        yield "predicts 1 for inliers and -1 for outliers"
        yield from map(printable, data.notes)
        return
    counts = ((str(label), int((data.y == label).sum())) for label in data.classes)
    shown = ", ".join(f"{label} ({n})" for label, n in list(counts)[:SHOWN])
    yield printable(f"classes: {len(data.classes)}: {shown}")


def _check_output(output: Path, *, force: bool) -> None:
    """Refuse a folder that does not exist, and to replace a file that is no model."""
    import ilk
    from ilk_evaluation.atomic_write import check_replaceable

    if not output.parent.is_dir():
        raise ilk.InputError(f"{output}: cannot be written: there is no folder {output.parent}")
    with written_to(output):
        check_replaceable(output, "no model of ilk", lambda _: _is_model(output), force=force)


def _is_model(path: Path) -> bool:
    import ilk

    try:
        ilk.read_header(path)
    except ilk.PersistError:
        return False
    return True


@click.command
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("rows", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Write the predictions here, as CSV.",
)
@click.option("--probabilities", is_flag=True, help="Add the probability of each class.")
@click.option("--explain", is_flag=True, help="Add the nearest training cases, if it has them.")
@click.option(
    "--keep", metavar="COLUMN", multiple=True, help="Copy this column of ROWS; may be repeated."
)
@click.option(
    "--unseen",
    type=click.Choice(["error", "missing"]),
    default="error",
    show_default=True,
    help="Meaning of a level that was not in training.",
)
@click.option(
    "--delimiter", metavar="SIGN", help="Separates cells; found by the header if left out."
)
@click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign; found if left out.")
@click.option(
    "--date-format", metavar="FORMAT", default="auto", help="Such as %d/%m/%Y; found if left out."
)
@click.option(
    "--no-header", is_flag=True, help="ROWS has no names: its columns are as in training."
)
@click.option("--any-version", is_flag=True, help="Accept a model of other versions of libraries.")
@FORCE
def predict(
    model: Path,
    rows: Path,
    *,
    output: Path,
    probabilities: bool,
    explain: bool,
    keep: tuple[str, ...],
    unseen: Literal["error", "missing"],
    delimiter: str | None,
    decimal: str | None,
    date_format: str,
    no_header: bool,
    any_version: bool,
    force: bool,
) -> None:
    """Predict the cases of the table ROWS by MODEL, which `ilk fit` wrote.

    Columns are found by name, in any order; columns that the model does not use are left out.
    ROWS may be packed. Delimited text is read in parts, so it may be larger than memory; ARFF,
    Parquet and SVMlight are read at once. OUTPUT has a line for each row, with
    its number from 1, and is complete or not written at all.
    """
    import ilk
    from ilk_evaluation.atomic_write import check_replaceable, replacing
    from ilk_evaluation.models.row_stream import open_rows
    from ilk_evaluation.models.table_model import RowReader

    _check_apart(output, model, rows)
    with written_to(output):
        check_replaceable(
            output, "no answers of ilk", lambda ends: ends[:4] == b"row,", force=force
        )
    loaded = _loaded(model, any_version=any_version)
    assert loaded.columns is not None
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ilk.InputError(f"--delimiter must be one character, got {delimiter!r}")
    nominal = [one.name for one in loaded.columns.columns if one.kind == "nominal"]
    names = loaded.columns.names
    stream = open_rows(rows, names, nominal, delimiter=delimiter, header=not no_header)
    reader = RowReader(loaded, stream, unseen, decimal or "auto", date_format)
    answers = _Answers(reader, probabilities=probabilities, explain=explain, keep=keep)
    with cleaned_up(), written_to(output), replacing(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        answers.write(text)
        text.detach()
    click.echo(f"{output}: {answers.n_rows} predictions of {_source(loaded)}")
    for note in reader.notes():
        click.echo(f"note: {note}", err=True)


def _check_apart(output: Path, *inputs: str | Path | None) -> None:
    """Refuse to replace a file of the experiment or the rows, also with --force."""
    import ilk

    for path in [Path(one) for one in inputs if one is not None]:
        if output.exists() and path.exists() and output.samefile(path):
            raise ilk.InputError(
                f"{output}: is another file of this command ({path}); give another --output"
            )


def _loaded(path: Path, *, any_version: bool) -> TableModel:
    import ilk
    from ilk_evaluation.models.table_model import TableModel

    try:
        return TableModel.load(path, check_versions=not any_version)
    except ilk.PersistError as error:
        message = str(error).replace("load it with check_versions=False", "say --any-version")
        raise ilk.PersistError(message) from error


def _source(model: TableModel) -> str:
    about = model.about
    return f"{about.get('pipeline', 'a model')}, fitted on {about.get('dataset', 'other data')}"


class _Answers:
    """Writes the predictions of rows, chunk by chunk.

    Raises
    ------
    InputError
        If the model has no probabilities or nearest cases, or a column to copy does not exist.
    """

    def __init__(
        self, reader: RowReader, *, probabilities: bool, explain: bool, keep: tuple[str, ...]
    ) -> None:
        self.reader = reader
        self.pipeline: Any = reader.model.pipeline
        self.probabilities = probabilities
        self.explain = explain
        self.keep = keep
        self.n_rows = 0
        self._check()

    def _check(self) -> None:
        import ilk

        last = ilk.display_name(self.pipeline[-1])
        if self.probabilities and not hasattr(self.pipeline, "predict_proba"):
            raise ilk.InputError(f"--probabilities: {last} gives none, as it was fitted")
        if self.explain and not hasattr(self.pipeline, "nearest_cases"):
            raise ilk.InputError(
                f"--explain: {last} has no nearest training cases; knn has, also within tuned"
            )
        header = self.reader.stream.header
        for name in self.keep:
            if name not in header:
                hint = ilk.did_you_mean(name, header)
                raise ilk.InputError(
                    f"--keep: {self.reader.stream.path} has no column {name!r}{hint}"
                )
            if header.count(name) > 1:
                raise self.reader.stream.error(f"the header has the column {name!r} twice", 1)

    def write(self, file: io.TextIOWrapper) -> None:
        """Write the header, then a line for each row."""
        writer = csv.writer(file, lineterminator="\n")
        for number, (names, columns) in enumerate(self._chunks()):
            if number == 0:
                writer.writerow(names)
            writer.writerows(zip(*columns, strict=True))
        if not self.n_rows:
            raise self.reader.stream.error("has a header but no rows")

    def _chunks(self) -> Iterator[tuple[list[str], list[Any]]]:
        """Yield the names of the columns of answers, and the columns of a chunk."""
        for chunk in self.reader.stream.chunks(AT_ONCE):
            n = len(chunk.lines)
            cases = self.reader.cases(chunk)
            columns: dict[str, Any] = {"row": range(self.n_rows + 1, self.n_rows + n + 1)}
            columns |= {name: chunk.cells[name] for name in self.keep}
            try:
                answers = self._answers(cases)
            except Exception as error:
                raise self._located(error, chunk.lines) from error
            self._check_new(answers)
            columns |= answers
            self.n_rows += n
            yield list(columns), list(columns.values())

    def _check_new(self, answers: dict[str, Any]) -> None:
        """Refuse to copy a column whose name a column of the answers has."""
        import ilk

        for name in self.keep:
            if name == "row" or name in answers:
                raise ilk.InputError(
                    f"--keep: {name!r} is a column of the answers; rename it in "
                    f"{self.reader.stream.path}"
                )

    def _answers(self, cases: Any) -> dict[str, Any]:
        """Predict cases; return the columns of the answers."""
        columns: dict[str, Any] = {"prediction": self.pipeline.predict(cases).tolist()}
        if self.probabilities:
            shares = self.pipeline.predict_proba(cases)
            for label, share in zip(self.pipeline.classes_.tolist(), shares.T, strict=True):
                columns[f"probability_{label}"] = share.tolist()
        if self.explain:
            near, rows, labels = self.pipeline.nearest_cases(cases)
            for k in range(rows.shape[1]):
                columns[f"neighbor_{k + 1}_case"] = (rows[:, k] + 1).tolist()
                columns[f"neighbor_{k + 1}_label"] = labels[:, k].tolist()
                columns[f"neighbor_{k + 1}_distance"] = near[:, k].tolist()
        return columns

    def _located(self, error: Exception, lines: list[int]) -> ilk.IlkError:
        """Return an error of a pipeline with the lines that it was given."""
        import ilk

        first = self.reader.first_missing
        where = "".join(
            f"; column {name!r} has a missing value on line {line}, and had none in training"
            for name, line in list(first.items())[:1]
        )
        return ilk.InputError(
            f"{self.reader.stream.path}: the rows of lines {lines[0]} to {lines[-1]} cannot be "
            f"predicted: {error}{where}"
        )
