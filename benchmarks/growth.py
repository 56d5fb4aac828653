"""How time grows with rows, features and neighbours: ilk beside its peers, on one thread.

`python -m benchmarks.growth docs/growth.md` measures at most a quarter of an hour and writes the
page. Sizes that would take longer than their share are left out.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks import record
from benchmarks.measure import one_thread
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors, NeighborhoodComponentsAnalysis
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Work = Callable[[], object]
    Pair = tuple[Work, Work | None]

LIMIT = 40.0  # seconds of the next size, as the last two foretell it, of ours or the peer's
MINUTES = 15.0  # of all
BRIEF = 0.5  # seconds; shorter work is repeated, and the least time counts

INTRODUCTION = """\
# Growth

How processor time grows with the number of rows (n), of features (d) and of neighbours (k), on one
thread. An exponent is the slope of log time over log size, fitted to all sizes by least squares:
1 is linear, 2 quadratic. Fixed costs pull it down where the smallest size takes milliseconds. An
exponent that exceeds the peer's by more than 0.1 is **bold**. A dash marks sizes that are left
out: that side would take more than {limit:.0f} s, or more memory than there is.

`python -m benchmarks.growth docs/growth.md` writes this page in at most {minutes:.0f} minutes.
Each size is measured once, or as often as half a second allows.
"""


@dataclass(frozen=True)
class Series:
    """Work that is done in several sizes.

    Attributes
    ----------
    work, letter, peer : str
        Description, the letter of the size, and the peer's name.
    sizes : tuple of int
        Ascending.
    prepare : callable
        Returns ours and the peer's work of a size; None: there is no peer.
    most_of_peer : int
        Largest size of the peer, whose memory limits it.
    """

    work: str
    letter: str
    peer: str
    sizes: tuple[int, ...]
    prepare: Callable[[int], Pair]
    most_of_peer: int = sys.maxsize


def all_series(folder: Path) -> Iterator[Series]:
    """Yield the series of the page."""
    brute = "NearestNeighbors (brute)"
    sizes = (10_000, 100_000, 1_000_000)
    yield Series(
        "10-NN of 200 queries in a file, d = 64, float32",
        "n",
        brute,
        sizes,
        lambda n: _search(_file(folder, n), 200, 10),
    )
    yield Series(
        "10-NN of 1,000 queries, n = 20,000",
        "d",
        brute,
        (8, 32, 128, 512),
        lambda d: _search(_rows(20_000, d), 1000, 10),
    )
    yield Series(
        "k-NN of 1,000 queries, n = 20,000, d = 64",
        "k",
        brute,
        (1, 10, 100, 1000),
        lambda k: _search(_rows(20_000, 64), 1000, k),
    )
    for name, given, peer in (
        ("decision_tree", {"max_depth": 8}, DecisionTreeClassifier(max_depth=8)),
        ("decision_stump", {}, DecisionTreeClassifier(max_depth=1)),
        ("logistic", {}, LogisticRegression()),
        ("lda", {}, LinearDiscriminantAnalysis()),
        ("naive_bayes", {}, GaussianNB()),
    ):
        yield Series(
            f"{name}: fit, d = 10",
            "n",
            type(peer).__name__,
            sizes,
            lambda n, name=name, given=given, peer=peer: _fits(
                ilk.classifier(name, **given), peer, n
            ),
        )
    yield Series(
        "svm with rbf: fit, d = 10",
        "n",
        "SVC",
        (2_000, 10_000, 50_000),
        lambda n: _fits(
            ilk.classifier("svm", kernel={"use": "rbf", "sigma": 10**0.5}), SVC(gamma=0.05), n
        ),
    )
    yield Series(
        "nca: 5 iterations, d = 10",
        "n",
        "NeighborhoodComponentsAnalysis",
        (500, 2_000, 5_000, 20_000),
        lambda n: _fits(
            ilk.metric_learner("nca", max_iter=5, report=False),
            NeighborhoodComponentsAnalysis(max_iter=5),
            n,
        ),
        most_of_peer=5_000,
    )
    yield Series("plan of light cells", "cells", "", (1_000, 10_000, 50_000, 100_000), _plan)
    yield Series("run of light cells", "cells", "", (1_000, 10_000, 50_000), _cells)


def _rows(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def _file(folder: Path, n: int) -> np.ndarray:
    path, shape = folder / f"{n}.bin", (n, 64)
    written = np.memmap(path, dtype=np.float32, mode="w+", shape=shape)
    rng = np.random.default_rng(0)
    for start in range(0, n, 10_000):
        written[start : start + 10_000] = rng.normal(size=(min(10_000, n - start), 64))
    written.flush()
    return np.memmap(path, dtype=np.float32, mode="r", shape=shape)


def _search(X: np.ndarray, m: int, k: int) -> Pair:
    queries = np.random.default_rng(1).normal(size=(m, X.shape[1])).astype(X.dtype)
    peer = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X)
    return (lambda: ilk.nearest(X, k, queries)), (lambda: peer.kneighbors(queries))


def _fits(ours: Any, peer: Any, n: int) -> Pair:
    X = _rows(n, 10)
    noise = np.random.default_rng(1).normal(size=n) / 2
    y = (np.tanh(X[:, 0] * X[:, 1]) + X[:, 2] + noise > 0).astype(int)
    return (lambda: ours.fit(X, y)), (lambda: peer.fit(X, y))


def _experiment(n: int) -> dict[str, Any]:
    steps = [{"transformer": "standardize"}, {"classifier": "nearest_mean"}]
    resampling = {"use": "repeated_kfold", "folds": 2, "repeats": n // 2}
    return {
        "datasets": ["iris"],
        "pipelines": [{"id": "means", "steps": steps}],
        "evaluation": {"resampling": resampling, "measures": ["error"]},
    }


def _plan(n: int) -> Pair:
    from ilk_evaluation import plan_experiment

    return (lambda: plan_experiment(_experiment(n))), None


def _cells(n: int) -> Pair:
    from ilk_evaluation import run_experiment

    return (lambda: run_experiment(_experiment(n))), None


def measured(series: Series, end: float) -> dict[str, Any]:
    """Seconds of ours and of the peer at each size, until a limit foretold or the end."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for position, size in enumerate(series.sizes):
        allowed = [
            (position == 0 or _foretold(series, mine) < min(LIMIT, end - monotonic()))
            and len(mine) == position
            and size <= most
            for mine, most in zip(seconds, (sys.maxsize, series.most_of_peer), strict=True)
        ]
        if not any(allowed):
            break
        works = series.prepare(size)
        if position == 0:
            for work in filter(None, works):
                work()  # compiled, and imported
        for mine, work, may in zip(seconds, works, allowed, strict=True):
            if may and work is not None:
                mine.append(_least(work))
    return {**vars(series), "ours": seconds[0], "theirs": seconds[1]}


def _foretold(series: Series, seconds: list[float]) -> float:
    """Seconds of the next size, by the growth so far, or squares after the first."""
    if not seconds:
        return float("inf")
    ratio = series.sizes[len(seconds)] / series.sizes[len(seconds) - 1]
    power = exponent(series.sizes, seconds)
    return seconds[-1] * ratio ** (1.5 if power is None else max(power, 1.0))


def _least(work: Work) -> float:
    spent = []
    while not spent or (sum(spent) < BRIEF and len(spent) < 5):
        start = process_time()
        work()
        spent.append(process_time() - start)
    return min(spent)


def exponent(sizes: tuple[int, ...], seconds: list[float]) -> float | None:
    """Slope of the logarithms of seconds over those of sizes; None for fewer than two."""
    if len(seconds) < 2:
        return None
    return float(np.polyfit(np.log(sizes[: len(seconds)]), np.log(seconds), 1)[0])


def line(found: dict[str, Any]) -> str:
    """A row of the table."""
    sizes, ours, theirs = found["sizes"], found["ours"], found["theirs"]
    mine, other = exponent(sizes, ours), exponent(sizes, theirs)
    shown = "" if mine is None else f"{mine:.2f}"
    if mine is not None and other is not None and mine > other + 0.1:
        shown = f"**{shown}**"
    cells = [
        found["work"],
        f"{found['letter']} = {' / '.join(f'{size:,}' for size in sizes)}",
        _times(ours, len(sizes)),
        shown,
        found["peer"],
        _times(theirs, len(sizes)) if found["peer"] else "",
        "" if other is None else f"{other:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _times(seconds: list[float], n: int) -> str:
    return " / ".join([f"{value:.3g}" for value in seconds] + ["-"] * (n - len(seconds)))


HEAD = (
    "| work | sizes | ours (s) | exponent | peer | peer (s) | exponent |\n"
    "| --- | --- | --- | ---: | --- | --- | ---: |"
)


def main(page: str) -> None:
    """Measure all series and write the page."""
    of, date, load = record.machine(), datetime.now(UTC).date(), record.load_average()
    lines, end = [HEAD], monotonic() + 60 * MINUTES
    with tempfile.TemporaryDirectory() as folder, one_thread():
        for series in all_series(Path(folder)):
            if monotonic() < end:
                lines.append(line(measured(series, end)))
                print(lines[-1], flush=True)
    library = ", ".join(f"{name} {number}" for name, number in record.versions().items())
    text = [
        INTRODUCTION.format(limit=LIMIT, minutes=MINUTES),
        (
            f"- Date: {date.isoformat()}\n- Machine: {of['processor']}, {of['cores']} cores, "
            f"{of['memory_gib']} GiB of memory, {of['system']}\n- Versions: {library}\n"
            f"- Load at the start, without this program: {load}\n"
        ),
        *lines,
    ]
    Path(page).write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
