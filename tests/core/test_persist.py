"""Fitted components on disk and back: the same answers, and nothing that could run code."""

import io
import json
import os
import zipfile

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk.persist import FORMAT


@pytest.fixture
def iris():
    return ilk.dataset("iris").load().Xy


@pytest.fixture
def saved(tmp_path, iris):
    return ilk.save(ilk.classifier("knn", k=3).fit(*iris), tmp_path / "model.ilk")


def rewrite(path, change_header=lambda header: header, state=None):
    """Write a saved file again with another header or state."""
    with zipfile.ZipFile(path) as archive:
        header, old = json.loads(archive.read("ilk.json")), archive.read("state.skops")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ilk.json", json.dumps(change_header(header)))
        archive.writestr("state.skops", old if state is None else state)


@pytest.mark.parametrize(
    "steps",
    [
        [{"classifier": "knn"}],
        [{"transformer": "standardize"}, {"metric_learner": "rca"}, {"classifier": "nearest_mean"}],
        [{"transformer": "pca"}, {"editor": "enn"}, {"classifier": {"use": "knn", "k": 1}}],
        [{"classifier": {"use": "voting", "members": ["knn", "nearest_mean"]}}],
        [{"classifier": {"use": "sklearn", "estimator": "RandomForestClassifier"}}],
        [{"classifier": {"use": "knn", "distance": {"use": "learned", "learner": "pca"}}}],
    ],
    ids=str,
)
def test_pipelines_answer_the_same(steps, iris, tmp_path):
    X, y = iris
    model = ilk.seeded(ilk.Pipeline(steps), 0).fit(X, y)
    twin = ilk.load(ilk.save(model, tmp_path / "model.ilk"))
    assert np.array_equal(twin.predict(X), model.predict(X))
    assert np.array_equal(twin.predict_proba(X), model.predict_proba(X))
    assert ilk.to_spec(twin) == ilk.to_spec(model)


@pytest.mark.parametrize("estimator", ["EllipticEnvelope", "LocalOutlierFactor", "OneClassSVM"])
def test_detectors_answer_the_same(estimator, iris, tmp_path):
    model = ilk.detector("sklearn", estimator=estimator, random_state=0).fit(iris[0])
    twin = ilk.load(ilk.save(model, tmp_path / "model.ilk"))
    assert np.array_equal(twin.decision_function(iris[0]), model.decision_function(iris[0]))


def test_mixed_tables_survive(tmp_path):
    X = pd.DataFrame(
        {"size": [1.0, 2.0, np.nan, 5.0], "hue": pd.Categorical(["red", None, "blue", "red"])}
    )
    model = ilk.classifier("knn", k=1, distance="heterogeneous").fit(X, ["a", "b", "b", "a"])
    twin = ilk.load(ilk.save(model, tmp_path / "model.ilk"))
    assert np.array_equal(twin.kneighbors(X)[0], model.kneighbors(X)[0])


def test_a_frame_in_the_state_is_the_same_afterwards(tmp_path, monkeypatch):
    frame = pd.DataFrame(
        {
            "n": [1, 2],
            "t": ["x", None],
            "c": pd.Categorical(["u", None], categories=["v", "u"], ordered=True),
            "b": [True, False],
        },
        index=[7, 3],
    )
    model = ilk.transformer("standardize").fit([[0.0], [1.0]])
    model.frame_ = frame
    twin = ilk.load(ilk.save(model, tmp_path / "model.ilk"))
    pd.testing.assert_frame_equal(twin.frame_, frame)


def test_the_file_holds_versions(saved):
    with zipfile.ZipFile(saved) as archive:
        header = json.loads(archive.read("ilk.json"))
    assert header["component"] == "knn"
    assert {"ilk-learners", "ilk-core", "numpy", "scikit-learn"} <= set(header["versions"])


def test_other_versions_are_refused_unless_told(saved, iris):
    rewrite(saved, lambda header: header | {"versions": {"ilk-learners": "0.0.1", "gone": "1"}})
    with pytest.raises(
        ilk.PersistError, match=r"ilk-learners 0\.0\.1 .*gone 1 .here: not installed"
    ):
        ilk.load(saved)
    assert len(ilk.load(saved, check_versions=False).predict(iris[0])) == 150


def test_another_format_is_refused(saved):
    rewrite(saved, lambda header: header | {"format": FORMAT + 1})
    with pytest.raises(ilk.PersistError, match="has format 2"):
        ilk.load(saved)


@pytest.mark.parametrize(
    "header",
    [
        *({}, {"format": FORMAT}, {"format": FORMAT, "versions": 3}, [], "x"),
        {"format": FORMAT, "versions": {"": "1"}},
    ],
    ids=str,
)
def test_a_spoiled_header_is_refused(saved, header):
    rewrite(saved, lambda _: header)
    with pytest.raises(ilk.PersistError, match="model.ilk"):
        ilk.load(saved)


class Evil:
    """Would run code when it is loaded."""

    def __reduce__(self):
        return print, ("run!",)


@pytest.mark.parametrize(
    "payload",
    [Evil(), len, {"a": io.BytesIO}, np.linalg.norm],
    ids=["class", "builtin", "nested", "function"],
)
def test_foreign_types_are_never_loaded(saved, payload, capsys):
    import skops.io

    rewrite(saved, state=skops.io.dumps({"model": payload}))
    with pytest.raises(ilk.PersistError, match=r"refused: it holds"):
        ilk.load(saved)
    assert "run!" not in capsys.readouterr().out


def test_every_cut_of_a_file_is_refused(saved):
    whole = saved.read_bytes()
    for size in (0, 1, 10, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:size])
        with pytest.raises((ilk.PersistError, ilk.SpecError)):
            ilk.load(saved)


def test_every_flipped_byte_is_noticed_or_harmless(saved, iris):
    whole = bytearray(saved.read_bytes())
    expected = ilk.load(saved).predict(iris[0])
    for position in range(0, len(whole), max(len(whole) // 40, 1)):
        spoiled = whole.copy()
        spoiled[position] ^= 0xFF
        saved.write_bytes(spoiled)
        try:
            model = ilk.load(saved)
        except (ilk.PersistError, ilk.SpecError):
            continue
        assert np.array_equal(model.predict(iris[0]), expected)


def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path, toys, blobs):
    made_by_hand = toys["nearest"]().fit(*blobs)
    with_function = ilk.distance("callable", function=np.dot)
    for model in (made_by_hand, with_function):
        with pytest.raises(
            ilk.PersistError, match="cannot be saved.*no installed.*or take another"
        ):
            ilk.save(model, tmp_path / "model.ilk")
    assert not list(tmp_path.iterdir())


def test_an_older_file_stays_if_saving_fails(saved, toys, blobs):
    before = saved.read_bytes()
    with pytest.raises(ilk.PersistError):
        ilk.save(toys["nearest"]().fit(*blobs), saved)
    assert saved.read_bytes() == before


def test_where_nothing_can_be_written(tmp_path, iris):
    model = ilk.classifier("knn").fit(*iris)
    with pytest.raises(ilk.PersistError, match="cannot be written: No such file"):
        ilk.save(model, tmp_path / "missing" / "model.ilk")


def test_a_spec_is_loaded_as_one(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("a = 1\n")
    assert ilk.load(path).data == {"a": 1}
    with pytest.raises(ilk.SpecError, match="cannot be read"):
        ilk.load(tmp_path / "y.toml")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path):
    link, pipe = tmp_path / "link.ilk", tmp_path / "pipe.ilk"
    link.symlink_to(tmp_path / "real.ilk")
    os.mkfifo(pipe)
    ilk.save(ilk.distance("euclidean"), link)
    assert link.is_symlink()
    (tmp_path / "usual").touch()
    assert (tmp_path / "real.ilk").stat().st_mode == (tmp_path / "usual").stat().st_mode
    with pytest.raises(ilk.PersistError, match="a device or a pipe"):
        ilk.save(ilk.distance("euclidean"), pipe)
    assert pipe.is_fifo()
