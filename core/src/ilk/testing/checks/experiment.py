"""Checks of the parts of experiments: datasets, resamplings and executors."""

from __future__ import annotations

from concurrent import futures
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError
from ilk.inputs import is_table, n_rows, nominal_columns
from ilk.interfaces.dataset import Data
from ilk.testing.data import sample
from ilk.testing.expectations import expect, expect_error
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.arrays import Labels
    from ilk.interfaces.resampling import Split
    from ilk.testing.subject import Subject


ROWS = 24
_SQUARE = partial(pow, exp=2)  # built-in, so that workers import nothing for it


def _splits(subject: Subject, seed: int | None = 0, y: Labels | None = None) -> list[Split]:
    X, labels = sample("vectors", ROWS, classes=3)
    splits = subject.new().splits(X, labels if y is None else y, random_state=seed)
    return list(splits)


def _rows(splits: list[Split]) -> list[tuple[list[int], list[int]]]:
    return [(split.train.tolist(), split.test.tolist()) for split in splits]


@check("resampling")
def check_splits(subject: Subject) -> None:
    """Each split has training and test rows, all within the data."""
    splits = _splits(subject)
    expect(splits, "expected at least one split, got none")
    for number, split in enumerate(splits):
        for part, rows in (("train", split.train), ("test", split.test)):
            expect(len(rows) > 0, f"expected {part} rows in split {number}, got none")
            expect(rows.dtype.kind == "i", f"expected integer rows, got {rows.dtype}")
            inside = rows.min() >= 0 and rows.max() < ROWS
            expect(inside, f"expected rows within 0..{ROWS - 1} in {part}, got {rows}")


@check("resampling", when=lambda resampling: resampling.leaves_one_out)
def check_leaves_one_out(subject: Subject) -> None:
    """A declared leave-one-out tests row i in split i, and trains on all others in order."""
    rows = list(range(ROWS))
    expected = [(rows[:i] + rows[i + 1 :], [i]) for i in rows]
    splits = _splits(subject)
    expect(_rows(splits) == expected, "expected each row left out in turn, got other splits")
    spare = [i for i, split in enumerate(splits) if split.validation is not None]
    expect(not spare, f"expected no rows to choose by, got some in splits {spare}")


@check("resampling")
def check_disjoint(subject: Subject) -> None:
    """Training, validation and test rows are disjoint; waive this where overlap is intended."""
    for number, split in enumerate(_splits(subject)):
        parts = [set(split.train.tolist()), set(split.test.tolist())]
        if split.validation is not None:
            parts.append(set(np.asarray(split.validation).tolist()))
        shared = sum(map(len, parts)) - len(set().union(*parts))
        expect(shared == 0, f"expected disjoint parts in split {number}, got {shared} shared rows")


@check("resampling")
def check_tested_once(subject: Subject) -> None:
    """No row is tested twice in one split, and each split has its own repeat and fold."""
    splits = _splits(subject)
    for split in splits:
        expect(len(set(split.test.tolist())) == len(split.test), "expected each test row once")
    places = [(split.repeat, split.fold) for split in splits]
    expect(len(set(places)) == len(places), f"expected distinct (repeat, fold), got {places}")


@check("resampling")
def check_same_seed(subject: Subject) -> None:
    """The same random state gives the same splits, whatever numpy's global state is."""
    saved = np.random.get_state()  # noqa: NPY002  # the check is about the global state
    try:
        results = []
        for seed in (1, 2):
            np.random.seed(seed)  # noqa: NPY002
            results.append(_rows(_splits(subject, 7)))
    finally:
        np.random.set_state(saved)  # noqa: NPY002
    expect(results[0] == results[1], "expected the same splits for the same seed, got others")


@check("resampling")
def check_other_seed(subject: Subject) -> None:
    """Without a fixed random state, random splits depend on the seed."""
    if _rows(_splits(subject, None)) == _rows(_splits(subject, None)):
        return  # not random
    results = [_rows(_splits(subject, seed)) for seed in range(5)]
    expect(any(rows != results[0] for rows in results), "expected splits to follow the seed")


@check("resampling")
def check_labels_of_any_type(subject: Subject) -> None:
    """Labels may be strings; renaming them does not change the splits."""
    labels = np.array(["ant", "bee", "cat"])[sample("vectors", ROWS, classes=3).y]
    expected, got = _rows(_splits(subject)), _rows(_splits(subject, y=labels))
    expect(got == expected, "expected the same splits for labels of other names, got others")


@check("resampling")
def check_too_few_rows(subject: Subject) -> None:
    """A single row cannot be split: an error that names the component."""
    X, y = sample("vectors", 1)
    expect_error(
        lambda: list(subject.new().splits(X, y, random_state=0)),
        "data of one row",
        errors=InputError,
        mentions=[subject.names()[0]],
    )


@check("resampling")
def check_lazy(subject: Subject) -> None:
    """Splits are generated lazily, at least as many as `at_least` states."""
    X, y = sample("vectors", ROWS, classes=3)
    splits = subject.new().splits(X, y, random_state=0)
    expect(iter(splits) is splits, f"expected an iterator of splits, got {type(splits).__name__}")
    number, least = len(list(splits)), subject.new().at_least()
    expect(1 <= least <= number, f"expected at_least from 1 to {number} splits, got {least}")


@check("resampling")
def check_groups(subject: Subject) -> None:
    """Cases of one group never both train and test in a split; or groups are refused."""
    X, y = sample("vectors", ROWS, classes=3)
    groups = np.array([f"g{number % 8}" for number in range(ROWS)])
    try:
        splits = list(subject.new().splits(X, y, groups, random_state=0))
    except InputError as error:
        expect("group" in str(error), f"expected an error about groups, got {error}")
        return
    for number, split in enumerate(splits):
        parts = [split.train, split.test]
        parts += [] if split.validation is None else [split.validation]
        names = [set(groups[rows]) for rows in parts]
        divided = sum(map(len, names)) - len(set().union(*names))
        expect(divided == 0, f"expected whole groups in split {number}, got {divided} divided")


@check("resampling")
def check_missing_groups(subject: Subject) -> None:
    """A case without a group is refused, and named."""
    X, y = sample("vectors", ROWS, classes=3)
    groups = np.arange(ROWS, dtype=float)
    groups[5] = np.nan
    expect_error(
        lambda: list(subject.new().splits(X, y, groups, random_state=0)),
        "groups with a NaN",
        errors=InputError,
        mentions=[subject.names()[0], "groups"],
    )


def _estimate(subject: Subject, scores: list[float]) -> Any:
    scheme = subject.new()
    if scheme.needs_no_information:
        return scheme.estimate(scores, no_information=0.5, greater_is_better=False)
    return scheme.estimate(scores)


@check("resampling")
def check_estimate(subject: Subject) -> None:
    """The estimate from equal scores is that score."""
    got = _estimate(subject, [0.25] * len(_splits(subject)))
    expect(isinstance(got, float), f"expected a float, got {type(got).__name__}")
    expect(np.isclose(got, 0.25), f"expected 0.25 from scores that all are, got {got}")


@check("resampling")
def check_estimate_missing(subject: Subject) -> None:
    """If a score is NaN, so is the estimate: missing scores are not skipped."""
    number = len(_splits(subject))
    for missing in range(number):
        scores = [0.25] * number
        scores[missing] = float("nan")
        got = _estimate(subject, scores)
        expect(np.isnan(got), f"expected NaN as score {missing} of {number} is, got {got}")


@check("dataset")
def check_loads_data(subject: Subject) -> None:
    """`load` returns Data with a label for each row."""
    data = subject.new().load()
    expect(isinstance(data, Data), f"expected Data, got {type(data).__name__}")
    expect(n_rows(data.X) > 0, "expected rows, got none")
    expect(np.ndim(data.y) == 1, f"expected labels of one dimension, got {np.shape(data.y)}")
    expect(len(data.y) == n_rows(data.X), f"expected {n_rows(data.X)} labels, got {len(data.y)}")
    expect(len(data) == len(data.y), f"expected len {len(data.y)}, got {len(data)}")


@check("dataset")
def check_labels_complete(subject: Subject) -> None:
    """No label is missing, and there are at least two classes."""
    y = subject.new().load().y
    missing = [i for i, label in enumerate(y.tolist()) if label is None or label != label]  # noqa: PLR0124
    expect(not missing, f"expected every label, got none in rows {missing[:5]}")
    expect(len(np.unique(y)) >= 2, f"expected at least 2 classes, got {np.unique(y)}")


@check("dataset")
def check_loads_again(subject: Subject) -> None:
    """Loading again returns equal data in a new object."""
    first, second = subject.new().load(), subject.new().load()
    expect(first.fingerprint == second.fingerprint, "expected the same fingerprint, got another")
    if isinstance(first.X, np.ndarray):
        shared = np.shares_memory(first.X, second.X)
        expect(not shared, "expected data of its own from each load, got shared memory")


@check("dataset")
def check_columns(subject: Subject) -> None:
    """Names match the columns, nominal columns have category dtype, views consist of columns."""
    data = subject.new().load()
    if np.ndim(data.X) != 2:
        return
    width, names = np.shape(data.X)[1], list(data.feature_names)
    expect(len(names) == width, f"expected {width} feature names, got {len(names)}")
    if is_table(data.X):
        columns = [str(name) for name in data.X.columns]
        expect(columns == names, f"expected the feature names {columns}, got {names}")
        nominal = [str(name) for name in nominal_columns(data.X)]
        expect(nominal == list(data.nominal), f"expected nominal={nominal}, got {data.nominal}")
        plain = [name for name in nominal if str(data.X[name].dtype) != "category"]
        expect(not plain, f"expected category dtype of nominal columns, got others: {plain}")
    else:
        expect(not data.nominal, f"expected no nominal columns in an array, got {data.nominal}")
    strange = [name for view in data.views.values() for name in view if name not in names]
    expect(not strange, f"expected views of known columns, got {strange}")


@check("dataset")
def check_title(subject: Subject) -> None:
    """`title` is a short name on one line."""
    title = subject.new().title()
    expect(title and "\n" not in title, f"expected a name of one line, got {title!r}")


@check("executor")
def check_results(subject: Subject) -> None:
    """Tasks return their results to their own futures; futures can be waited for."""
    with subject.new().open() as pool:
        pending = [pool.submit(_SQUARE, x) for x in range(6)]
        got = [future.result(timeout=60) for future in pending]
        mapped = list(pool.map(_SQUARE, range(6)))
        waiting = {pool.submit(_SQUARE, x): x for x in range(4)}
        done = {waiting[f]: f.result() for f in futures.as_completed(waiting, timeout=60)}
    expected = [0, 1, 4, 9, 16, 25]
    expect(got == expected, f"expected {expected} of submit, got {got}")
    expect(mapped == expected, f"expected {expected} of map, got {mapped}")
    expect(done == {0: 0, 1: 1, 2: 4, 3: 9}, f"expected the squares of 0..3, got {done}")


@check("executor")
def check_exceptions(subject: Subject) -> None:
    """An exception of a task is raised by its future; other tasks are unaffected."""
    with subject.new().open() as pool:
        bad, good = pool.submit(int, "three"), pool.submit(_SQUARE, 3)
        expect_error(
            lambda: bad.result(timeout=60),
            "a task that makes a number of a word",
            errors=ValueError,
            mentions=["three"],
        )
        got: Any = good.result(timeout=60)
    expect(got == 9, f"expected 9 of the task after one that failed, got {got}")


@check("executor")
def check_reopens(subject: Subject) -> None:
    """Once closed, it accepts no more tasks; it can be reopened."""
    executor = subject.new()
    for x in (2, 3):
        with executor.open() as pool:
            got = pool.submit(_SQUARE, x).result(timeout=60)
        expect(got == x * x, f"expected {x * x}, got {got}")
        expect_error(lambda: pool.submit(_SQUARE, 2), "a task after closing", errors=RuntimeError)


@check("executor")
def check_workers(subject: Subject) -> None:
    """`n_workers` is the number of parallel tasks, at least one."""
    got = subject.new().n_workers
    expect(isinstance(got, int) and got >= 1, f"expected an integer >= 1, got {got!r}")
