"""Every reader on files gone wrong: each is read, or refused by one of ilk's own errors."""

from __future__ import annotations

import gzip
import tomllib
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ilk
from ilk_evaluation import run_experiment
from ilk_evaluation.datasets.table_file import EXAMPLE
from ilk_evaluation.plan.experiment_plan import plan_experiment
from mutants import (
    mutate_store,
    mutated_bytes,
    mutated_data,
    mutated_frame,
    mutated_model,
    mutated_text,
    toml,
)

if TYPE_CHECKING:
    from collections.abc import Callable

EACH = 1000
SPEC = """
[experiment]
name = "mutant"
seed = 3
[[datasets]]
use = "csv"
path = "fruit.csv"
missing = "complete"
[[datasets]]
use = "xor"
n = 40
bits = 3
[[pipelines]]
id = "near"
datasets = ["fruit (complete)"]
steps = [
    {transformer = "one_hot"},
    {classifier = {use = "knn", k = 3, distance = {use = "minkowski", p = 1.5}}},
]
[[pipelines]]
id = "forest"
steps = [
    {transformer = {use = "ordinal"}},
    {classifier = {use = "bagging", n_members = 3, member = "decision_tree"}},
]
[[pipelines]]
id = "own"
steps = [
    {transformer = "one_hot"},
    {classifier = {use = "sklearn", estimator = "SVC", params = {C = 2.0, gamma = "scale"}}},
]
[evaluation]
resampling = {use = "repeated_kfold", folds = 2, repeats = 1}
measures = ["error", {use = "cost", costs = {a = {b = 2.0}}}]
comparisons = ["wilcoxon", {use = "friedman_nemenyi", alpha = 0.1}]
[run]
executor = {use = "loky", workers = 1, timeout = 60.0}
on_error = "fallback"
fallback = {use = "knn", k = 1}
[output]
store = "mutant.sqlite"
"""

RUN = {
    "datasets": ["balance_scale"],
    "pipelines": [
        {"id": "near", "steps": [{"classifier": "knn"}]},
        {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
        {"id": "fails", "steps": [{"classifier": {"use": "knn", "k": 900}}]},
    ],
    "evaluation": {
        "resampling": {"use": "kfold", "folds": 2},
        "measures": ["error", "brier"],
        "comparisons": ["mcnemar"],
    },
}
MODELS: dict[str, dict[str, Any]] = {
    "knn": {"k": 3, "index": "kd_tree"},
    "decision_tree": {},
    "random_forest": {"n_members": 2, "random_state": 0},
}


def spec(folder: Path, rng: Random) -> None:
    (folder / "fruit.csv").write_bytes((EXAMPLE / "fruit.csv").read_bytes())
    written = _toml(SPEC, rng)
    (folder / "mutant.toml").write_text(written, encoding="utf-8")
    plan_experiment(folder / "mutant.toml")


def datasets_toml(folder: Path, rng: Random) -> None:
    (folder / "fruit.csv").write_bytes((EXAMPLE / "fruit.csv").read_bytes())
    written = _toml((EXAMPLE / "datasets.toml").read_text(encoding="utf-8"), rng)
    (folder / "datasets.toml").write_text(written, encoding="utf-8")
    split = rng.choice((None, "train"))
    ilk.dataset("folder", name="fruit", path=folder, split=split).load()


def csv(folder: Path, rng: Random) -> None:
    _table("csv", folder, rng)


def arff(folder: Path, rng: Random) -> None:
    _table("arff", folder, rng)


def svmlight(folder: Path, rng: Random) -> None:
    _table("svmlight", folder, rng)


def parquet(folder: Path, rng: Random) -> None:
    path = folder / "a.parquet"
    good = pd.read_parquet(EXAMPLE / "fruit.parquet")
    if rng.random() < 0.5:
        mutated_frame(good, rng).to_parquet(path)
    else:
        path.write_bytes(mutated_bytes((EXAMPLE / "fruit.parquet").read_bytes(), rng))
    ilk.dataset("parquet", path=path, missing=rng.choice(("keep", "complete"))).load()


def store(folder: Path, rng: Random) -> None:
    """What was changed by chance must not show; what was forged only in the numbers."""
    path = folder / "run.sqlite"
    if not path.exists():
        run_experiment(RUN, store=path, keep_going=True)
    copy, kind = folder / "a.sqlite", rng.choice(("bytes", "value", "forged"))
    for left in folder.glob("a.sqlite*"):
        left.unlink()
    copy.write_bytes(path.read_bytes())
    if kind == "bytes":
        copy.write_bytes(mutated_bytes(path.read_bytes(), rng))
    else:
        mutate_store(copy, rng, forged=kind == "forged")
    found = _found(copy)
    assert kind == "forged" or found == _found(path)


def model(folder: Path, rng: Random) -> None:
    """A file that fits may answer wrongly or fail when it is used; the process must live on."""
    X, y, raw = rng.choice(_models())
    path = folder / "a.ilk"
    by_chance = rng.random() < 0.2
    path.write_bytes(mutated_bytes(raw, rng) if by_chance else mutated_model(raw, rng))
    loaded = ilk.load(path)
    if by_chance:
        assert (loaded.predict(X) == y).all()
    with suppress(Exception):
        loaded.predict(X)


def _found(path: Path) -> list[str]:
    found = ilk.results(path)
    predictions = [
        (cell.key, each.answered.tolist(), each.indices.tolist())
        for cell, each in found.predictions()
    ]
    return [found.table().to_csv(), found.failures.to_csv(), *found.notes, str(predictions)]


@cache
def _models() -> list[tuple[np.ndarray, np.ndarray, bytes]]:
    """Data, answers and files of models in which numbers say where to read."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 3
    made = []
    with TemporaryDirectory() as folder:
        for name, params in MODELS.items():
            model = ilk.classifier(name, **params).fit(X, y)
            raw = ilk.save(model, Path(folder) / "a.ilk").read_bytes()
            made.append((X, model.predict(X), raw))
    return made


def _toml(text: str, rng: Random) -> str:
    if rng.random() < 0.5:
        return mutated_text(text, rng)
    return toml(mutated_data(tomllib.loads(text), rng))


def _table(use: str, folder: Path, rng: Random) -> None:
    name = "fruit.svm" if use == "svmlight" else f"fruit.{use}"
    text = mutated_text((EXAMPLE / name).read_text(encoding="utf-8"), rng)
    if rng.random() < 0.4:
        text = text.replace(".", ",").replace(",", rng.choice(";\t| ,"))
    raw = text.encode(rng.choice(("utf-8", "utf-8", "utf-16", "cp1252")), "replace")
    path = folder / f"a.{use}"
    if rng.random() < 0.2:
        raw, path = gzip.compress(raw), folder / f"a.{use}.gz"
    if rng.random() < 0.3:
        raw = mutated_bytes(raw, rng)
    path.write_bytes(raw)
    given: dict[str, Any] = {"labels": rng.choice(("known", "known", "unknown"))}
    if use != "svmlight":
        given["missing"] = rng.choice(("keep", "labelled", "complete"))
        given |= {"target": rng.choice((0, -1, 7))} if rng.random() < 0.3 else {}
    ilk.build({"use": use, "path": path, **given}, kind="dataset").load()


@pytest.mark.parametrize(
    "reader", [spec, datasets_toml, csv, arff, svmlight, parquet, store, model]
)
def test_every_mutant_is_read_or_refused(
    reader: Callable[[Path, Random], None], tmp_path: Path
) -> None:
    ends = {"read": 0, "refused": 0}

    @settings(max_examples=EACH, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 2**32 - 1))
    def try_one(seed: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                reader(tmp_path, Random(seed))
            except ilk.IlkError:
                ends["refused"] += 1
            else:
                ends["read"] += 1

    try_one()
    assert min(ends.values()) > EACH // 50, f"{ends}: mutants must be neither all good nor all bad"
