"""Checks of a saved state by its description, before any object is created.

A state is a skops archive: ``schema.json`` describes the objects as nested nodes, and arrays are
separate files. A node names its loader, a type, and its parts. Only the loaders, types and
arrays below are accepted, independent of the types that skops trusts.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import IlkError
from ilk.kinds import kinds
from ilk.registries import SESSION, registry

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST, RATIO = 2**26, 100  # limits of unpacking: bytes, or multiples of the file's size


def _names(module: str, names: str) -> set[str]:
    return {f"{module}.{name}" for name in names.split()}


_SCALARS = {
    f"numpy.{kind.__name__}"
    for kind in set(np.sctypeDict.values())
    if issubclass(kind, np.number | np.bool_ | np.str_ | np.bytes_ | np.datetime64 | np.timedelta64)
}
_OF_LOADER = {
    "DictNode": {"builtins.dict", "sklearn.utils._bunch.Bunch"},
    "ListNode": {"builtins.list"},
    "SetNode": {"builtins.set"},
    "TupleNode": {"builtins.tuple"},
    "JsonNode": {"builtins.str"},
    "BytesNode": {"builtins.bytes"},
    "NdArrayNode": {"numpy.ndarray", *_SCALARS},
    "DTypeNode": {"numpy.dtype"},
    "TypeNode": _SCALARS | _names("builtins", "str int float bool"),
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
    "TreeNode": {"sklearn.tree._tree.Tree"},
    "LossNode": _names(
        "sklearn.linear_model._sgd_fast",
        "EpsilonInsensitive Hinge ModifiedHuber SquaredEpsilonInsensitive SquaredHinge",
    )
    | _names(
        "sklearn._loss._loss",
        "CyAbsoluteError CyExponentialLoss CyHalfBinomialLoss CyHalfGammaLoss "
        "CyHalfMultinomialLoss CyHalfPoissonLoss CyHalfSquaredError CyHalfTweedieLoss "
        "CyHalfTweedieLossIdentity CyHuberLoss CyPinballLoss",
    ),
}
_GENERATORS = ('"PCG64"', '"PCG64DXSM"', '"SFC64"')  # without a position that may be out of range
# Packages of scikit-learn whose public estimators, and their parts, components may contain.
_HOMES = _names(
    "sklearn",
    "calibration compose covariance discriminant_analysis dummy ensemble feature_selection "
    "gaussian_process impute isotonic linear_model model_selection multiclass multioutput "
    "naive_bayes neighbors neural_network pipeline preprocessing semi_supervised svm tree",
)
_PARTS = (
    _names("sklearn.calibration", "_CalibratedClassifier _SigmoidCalibration")
    | _names("sklearn.ensemble._hist_gradient_boosting", "binning._BinMapper")
    | _names("sklearn.ensemble._hist_gradient_boosting", "predictor.TreePredictor")
    | _names("sklearn.gaussian_process._gpc", "_BinaryGaussianProcessClassifierLaplace")
    | _names(
        "sklearn.gaussian_process.kernels",
        "CompoundKernel ConstantKernel DotProduct ExpSineSquared Exponentiation Matern Product RBF "
        "RationalQuadratic Sum WhiteKernel",
    )
    | _names("sklearn.multiclass", "_ConstantPredictor")
    | _names("sklearn.neighbors", "_ball_tree.BallTree _kd_tree.KDTree")
    | _names("sklearn.neural_network._stochastic_optimizers", "AdamOptimizer SGDOptimizer")
    | _names(
        "sklearn.metrics._dist_metrics",
        "BrayCurtisDistance64 CanberraDistance64 ChebyshevDistance64 EuclideanDistance64 "
        "HammingDistance64 ManhattanDistance64 MinkowskiDistance64",
    )
    | _names(
        "sklearn._loss.link",
        "HalfLogitLink IdentityLink Interval LogLink LogitLink MultinomialLogit",
    )
    | _names(
        "sklearn._loss.loss",
        "AbsoluteError ExponentialLoss HalfBinomialLoss HalfGammaLoss HalfMultinomialLoss "
        "HalfPoissonLoss HalfSquaredError HuberLoss PinballLoss",
    )
)
_UNCHECKED = {"IsolationForest"}  # each tree uses a subset of features, which no check covers


class RefusedError(IlkError):
    """A state has a forbidden part."""


def vet(state: bytes) -> list[str]:
    """Return the names of all types in a state.

    Raises
    ------
    RefusedError
        If no installed distribution registers a type, an array does not have the size of its
        file, or the parts of the archive are compressed.
    """
    with zipfile.ZipFile(io.BytesIO(state)) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        packed = any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist())
        if packed or len(sizes) < len(archive.infolist()) or sum(sizes.values()) > len(state):
            raise RefusedError("its parts are not stored as they are")
        schema = json.loads(archive.read("schema.json"))
        vetting = _Vetting(archive, sizes)
        vetting.look_at(schema)
    if schema.get("protocol") != _protocol():
        raise RefusedError(f"it has protocol {schema.get('protocol')!r} of skops")
    if vetting.unknown:
        names = ", ".join(sorted(vetting.unknown))
        raise RefusedError(f"it holds {names}, which no installed distribution registers")
    return sorted(vetting.known)


def read_bounded(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member of an archive, unpacking at most a given number of bytes."""
    info = archive.getinfo(name)
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise RefusedError(f"{name} is packed by method {info.compress_type}")
    with archive.open(info) as member:
        content = member.read(most + 1)
    if max(len(content), info.file_size) > most:
        raise RefusedError(f"{name} unpacks to more than {most} bytes")
    return content


class _Vetting:
    """Visits every node once, and collects the names of types."""

    def __init__(self, archive: zipfile.ZipFile, sizes: dict[str, int]) -> None:
        self.archive, self.sizes = archive, sizes
        self.known: set[str] = set()
        self.unknown: set[str] = set()
        self._first: dict[Any, Any] = {}  # first occurrence of a node or file, by number or name
        self._registered = _registered()
        self._classes: dict[str, bool] = {}

    def look_at(self, schema: Any) -> None:
        waiting = [(schema, "")]
        while waiting:
            node, role = waiting.pop()
            loader, name = node["__loader__"], f"{node['__module__']}.{node['__class__']}"
            if not self._is_known(loader, name):
                self.unknown.add(name)
                continue
            self.known.add(name)
            self._look_for_doubles(node, role)
            if "file" in node:
                self._look_at_file(node)
            waiting += self._inside(node, role)

    def _is_known(self, loader: str, name: str) -> bool:
        """Tell whether a loader is allowed to create objects of a type."""
        if loader != "ObjectNode":
            return name in _OF_LOADER.get(loader, ())
        if name not in self._classes:
            self._classes[name] = name in self._registered or _is_part(name, self._registered)
        return self._classes[name]

    def _look_for_doubles(self, node: Any, role: str) -> None:
        """Check that nodes of one number are equal: skops uses the first for all of them."""
        loader = node["__loader__"]
        says = node["content"] if loader == "JsonNode" else node.get("file")
        alike = (loader, node["__module__"], node["__class__"], role, node.get("type"), says)
        number = node["__id__"]
        if type(number) is not int or self._first.setdefault(number, alike) != alike:
            raise RefusedError(f"its object {number!r} occurs twice")
        if "file" in node and self._first.setdefault(node["file"], number) != number:
            raise RefusedError(f"its file {node['file']!r} occurs twice")

    def _look_at_file(self, node: Any) -> None:
        if node["__loader__"] == "NdArrayNode":
            check_array(self.archive, node["file"])
        elif node["file"] not in self.sizes:
            raise RefusedError(f"its file {node['file']!r} is missing")

    def _inside(self, node: Any, role: str) -> Iterator[tuple[Any, str]]:
        """Yield the child nodes of a node, each with its purpose if that restricts it."""
        loader, content = node["__loader__"], node.get("content")
        if role == "keys" and (
            loader != "ListNode" or any(inner["__loader__"] != "TypeNode" for inner in content)
        ):
            raise RefusedError("keys of a table are no plain types")
        if loader == "DictNode":
            yield node["key_types"], "keys"
            yield from ((value, "") for value in content.values())
        elif loader in {"ListNode", "SetNode", "TupleNode"}:
            yield from ((value, "") for value in content)
        elif loader == "NdArrayNode":
            if node["type"] == "json":
                yield node["shape"], ""
                yield from ((value, "") for value in content)
        elif loader == "RandomGeneratorNode":
            _check_generator(content)
            yield content["bit_generator"], "generator"
            yield content["seed_seq"], "seed"
        elif loader in {"TreeNode", "LossNode"}:
            if loader == "TreeNode":
                self._check_tree(node["__reduce__"]["args"])
            yield node["__reduce__"]["args"], "tree" if loader == "TreeNode" else ""
            yield content, ""
        elif loader in {"ObjectNode", "DTypeNode", "RandomStateNode"} and content is not None:
            yield content, ""

    def _check_tree(self, args: Any) -> None:
        """Check that a tree has a number of classes for each of its outputs.

        Its constructor reads as many numbers as there are outputs, without a check.
        """
        features, classes, outputs = args["content"]
        loaders = [args["__loader__"], *(part["__loader__"] for part in args["content"])]
        usual = loaders == ["TupleNode", "JsonNode", "NdArrayNode", "JsonNode"]
        if not usual or classes["type"] != "numpy" or json.loads(features["content"]) < 1:
            raise RefusedError("a tree is made of other things than numbers")
        if check_array(self.archive, classes["file"]) != (json.loads(outputs["content"]),):
            raise RefusedError("a tree has another number of outputs than it says")


def check_array(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    """Return the shape of an array in an archive; raise unless its file has exactly its size."""
    with archive.open(name) as file:
        version = np.lib.format.read_magic(file)
        readers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        shape, _, dtype = readers[version](file)
        size = archive.getinfo(name).file_size - file.tell()
    if dtype.hasobject:
        raise RefusedError(f"array {name} holds objects")
    if math.prod(shape) * dtype.itemsize != size or max(shape, default=0) > LARGEST + size:
        raise RefusedError(f"array {name} of shape {shape} has {size} bytes")
    return shape


def _check_generator(content: Any) -> None:
    """Check that a random number generator is one of numpy's common ones."""
    name = content["bit_generator"]["content"]["bit_generator"]
    pool = content["seed_seq"]["content"]["pool_size"]
    says = [name["__loader__"], name["content"], pool["__loader__"], pool["content"]]
    if says not in [["JsonNode", usual, "JsonNode", "4"] for usual in _GENERATORS]:
        raise RefusedError(f"it holds a generator of random numbers made of {says}")


def _is_part(name: str, registered: set[str]) -> bool:
    """Tell whether a class is scikit-learn's, or a dataclass of a package with components."""
    if name.startswith("sklearn."):
        return name in _PARTS or name in _estimators()
    module, _, attribute = name.rpartition(".")
    packages = {known.partition(".")[0] for known in registered}
    return module.partition(".")[0] in packages and _is_record(module, attribute)


def _is_record(module: str, name: str) -> bool:
    """Tell whether a module defines (not: imports) a dataclass of this name."""
    if not all(part.isidentifier() for part in module.split(".")) or "__main__" in module:
        return False
    try:
        record = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        return False
    local = isinstance(record, type) and (record.__module__, record.__qualname__) == (module, name)
    return local and is_dataclass(record)


def _registered() -> set[str]:
    values = (
        found.value
        for kind in kinds()
        for found in registry(kind).find()
        if found.distribution != SESSION
    )
    return {value.replace(":", ".") for value in values}


@cache
def _estimators() -> frozenset[str]:
    from sklearn.utils import all_estimators

    return frozenset(
        f"{found.__module__}.{found.__qualname__}"
        for _, found in all_estimators()
        if ".".join(found.__module__.split(".")[:2]) in _HOMES and found.__name__ not in _UNCHECKED
    )


@cache
def _protocol() -> int:
    """The protocol that skops writes; for an older one it would use other loaders."""
    import skops.io as skops

    with zipfile.ZipFile(io.BytesIO(skops.dumps(0))) as archive:
        return int(json.loads(archive.read("schema.json"))["protocol"])
