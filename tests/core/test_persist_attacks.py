"""Model files made to do harm: refused with one message, before anything of them is made."""

import io
import itertools
import json
import struct
import zipfile

import numpy as np
import pytest
import skops.io

import ilk
from cases import unix_only

_numbers = itertools.count(1)


@pytest.fixture
def saved(tmp_path):
    X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    model = ilk.classifier("knn", k=1, index="kd_tree").fit(X, y)
    return ilk.save(model, tmp_path / "model.ilk")


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        state = archive.read("state.skops")
    with zipfile.ZipFile(io.BytesIO(state)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_members(path, members, method=zipfile.ZIP_STORED):
    """Write a model file again with another state; return its path."""
    with zipfile.ZipFile(path) as archive:
        header = archive.read("ilk.json")
    state = io.BytesIO()
    with zipfile.ZipFile(state, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ilk.json", header)
        archive.writestr("state.skops", state.getvalue())
    return path


def with_schema(path, change):
    """Write a model file again after `change` of the attributes of the component in it."""
    members = members_of(path)
    schema = json.loads(members["schema.json"])
    change(schema["content"]["content"])
    return with_members(path, members | {"schema.json": json.dumps(schema)})


def node(loader, name, **rest):
    """Describe an object of the type called `name`."""
    module, _, own = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": own} | {
        "__id__": next(_numbers),
        **rest,
    }


def plain(value):
    """Describe a number or text, or a tuple of what is described."""
    if isinstance(value, tuple):
        return node("TupleNode", "builtins.tuple", content=[plain(each) for each in value])
    return (
        value
        if isinstance(value, dict)
        else node("JsonNode", "builtins.str", content=json.dumps(value))
    )


def refused(path, match="refused: "):
    with pytest.raises(ilk.PersistError, match=match) as caught:
        ilk.load(path, check_versions=False)
    assert "\n" not in str(caught.value)


def called(name, *arguments):
    return node("ConstructorFromReduceNode", name, content=plain(arguments))


ATTACKS = [
    lambda file: called("sklearn.datasets._covtype.GzipFile", str(file), "wb"),
    lambda file: called("gzip.GzipFile", str(file), "wb"),
    lambda file: called("sklearn.pipeline.islice", plain((str(file),)), 1),
    lambda file: called("sklearn.pipeline.chain", plain((str(file),))),
    lambda _: called("operator.attrgetter", "fit.__globals__"),
    lambda file: called("ilk.persist.Path", str(file)),
    lambda _: called("ilk_learners.classifiers.knn.KNN", 3),
    lambda _: called("builtins.frozenset", plain(())),
    lambda _: node("OperatorFuncNode", "operator.methodcaller", attrs=plain(("fit",))),
    lambda _: node("FunctionNode", "numpy.negative"),
    lambda _: node("FunctionNode", "ilk_learners.scikit_learn.import_module"),
    lambda _: node("TypeNode", "builtins.map"),
    lambda _: node("TypeNode", "sklearn.pipeline.Pipeline"),
    lambda _: node("ObjectNode", "sklearn.pipeline.islice"),
    lambda _: node("ObjectNode", "sklearn.pipeline.BaseEstimator"),
    lambda _: node("ObjectNode", "ilk_distances.indexes.kd_tree.Norm"),
    lambda _: node("ObjectNode", "ilk.__main__.Any"),
    lambda file: node("ListNode", "ilk.persist.Path", content=[plain(str(file))]),
    lambda _: node("CachedNode", "builtins.str"),
    lambda _: node("MethodNode", "builtins.str", content={"func": "format", "obj": plain("x")}),
    lambda _: node(
        "PartialNode",
        "functools.partial",
        content={
            "func": node("FunctionNode", "numpy.negative"),
            "args": plain(()),
            "kwds": plain(()),
            "namespace": plain(()),
        },
    ),
    lambda _: node(
        "DefaultDictNode",
        "collections.defaultdict",
        content={"main": plain(()), "default_factory": node("TypeNode", "builtins.str")},
    ),
]


def test_nothing_is_called_that_is_on_no_list(saved, tmp_path):
    victim, whole = tmp_path / "victim", saved.read_bytes()
    for attack in ATTACKS:
        victim.write_text("precious")
        saved.write_bytes(whole)

        def put(attributes, attack=attack):
            attributes["k"] = attack(victim)

        refused(with_schema(saved, put), "refused: it holds .*, which no installed distribution")
        assert victim.read_text() == "precious"


def test_one_number_for_two_objects(saved):
    def keys_of_the_table(attributes):
        stand_in = node("ListNode", "builtins.list", content=[plain(1)])
        own = node("ListNode", "builtins.list", content=[node("TypeNode", "builtins.str")])
        own["__id__"] = stand_in["__id__"]  # skops would take the first for both
        table = node("DictNode", "builtins.dict", content={"a": plain(1)}, key_types=own)
        attributes["weights"] = plain((stand_in, table))

    refused(with_schema(saved, keys_of_the_table), "occurs twice")


def test_keys_are_made_by_plain_types_only(saved):
    def put(attributes):
        keys = node("ListNode", "builtins.list", content=[plain(1)])
        attributes["k"] = node("DictNode", "builtins.dict", content={"1": plain(1)}, key_types=keys)

    refused(with_schema(saved, put), "keys of a table")


def npy(array, **save):
    buffer = io.BytesIO()
    np.save(buffer, array, **save)
    return buffer.getvalue()


def header_of(shape, descr="<f8"):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": descr, "fortran_order": False, "shape": shape}
    )
    return buffer.getvalue()


def npz():
    buffer = io.BytesIO()
    np.savez(buffer, a=np.zeros(3))
    return buffer.getvalue()


class Evil:
    """Unpickled, it prints."""

    def __reduce__(self):
        return print, ("run!",)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (npy(np.array([Evil()]), allow_pickle=True), "holds objects"),
        (npz(), "cannot be loaded"),
        (header_of((10**13,)), r"of shape \(10000000000000,\) has 0 bytes"),
        (header_of((2**32, 2**32)), "has 0 bytes"),
        (header_of((10**13, 0)), "has 0 bytes"),
        (header_of((1,), "V2000000000"), "has 0 bytes"),
        (header_of((9,)) + bytes(8), "has 8 bytes"),
    ],
    ids=["pickle", "archive", "terabytes", "overflow", "nothing", "wide", "short"],
)
def test_arrays_are_what_their_files_hold(saved, content, match, capsys):
    members = members_of(saved)
    name = next(name for name in members if name.endswith(".npy"))
    refused(with_members(saved, members | {name: content}), match)
    assert "run!" not in capsys.readouterr().out


def test_archives_in_the_archive(saved):
    def put(attributes):
        attributes["X_"] = node(
            "SparseMatrixNode", "scipy.sparse._csr.csr_matrix", type="scipy", file="x.npz"
        )

    refused(with_schema(saved, put), "csr_matrix, which no installed")
    refused(with_members(saved, members_of(saved), zipfile.ZIP_DEFLATED), "not stored as they are")


@pytest.mark.parametrize("says", [None, 10, 2**30])
def test_a_small_file_that_unpacks_to_much(saved, says, monkeypatch):
    monkeypatch.setattr("ilk.persist.LARGEST", 2**20)
    content, method = io.BytesIO(), zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(content, "w", method) as archive, zipfile.ZipFile(saved) as old:
        archive.writestr("ilk.json", old.read("ilk.json"))
        archive.writestr("state.skops", bytes(2**20 + 1))
    bomb = bytearray(content.getvalue())
    if says is not None:  # what the directory of the archive says of the second size
        struct.pack_into("<I", bomb, bomb.rindex(b"PK\x01\x02") + 24, says)
    saved.write_bytes(bomb)
    refused(saved, "unpacks to more" if says != 10 else "damaged|cannot be loaded")


def test_what_compresses_well_can_be_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr("ilk.persist.LARGEST", 2**16)
    model = ilk.transformer("standardize").fit(np.zeros((2, 10**5)))
    assert (ilk.load(ilk.save(model, tmp_path / "model.ilk")).mean_ == 0).all()


@unix_only
def test_a_pipe_is_no_model(tmp_path):
    import os

    os.mkfifo(tmp_path / "model.ilk")
    refused(tmp_path / "model.ilk", "device or a pipe")


def test_parameters_are_checked(saved):
    def put(attributes):
        attributes["k"] = plain(-3)

    refused(with_schema(saved, put), "refused: knn: k must be an integer >= 1")


def test_data_stands_for_no_method(saved):
    def put(attributes):
        attributes["predict"] = plain(1)
        attributes_types.append(node("TypeNode", "builtins.str"))

    members = members_of(saved)
    schema = json.loads(members["schema.json"])
    attributes_types = schema["content"]["key_types"]["content"]
    put(schema["content"]["content"])
    path = with_members(saved, members | {"schema.json": json.dumps(schema)})
    refused(path, "knn: predict is a method")


def test_a_file_holds_a_component(saved):
    from sklearn.naive_bayes import GaussianNB

    state = zipfile.ZipFile(io.BytesIO(skops.io.dumps(GaussianNB())))
    members = {name: state.read(name) for name in state.namelist()}
    refused(with_members(saved, members), "it holds a GaussianNB, not a component")
