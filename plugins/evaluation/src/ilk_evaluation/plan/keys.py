"""Keys of cells: content hashes, and the seeds derived from them."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import cloudpickle
import numpy as np

import ilk
from ilk import plain_name, replaced_components
from ilk_evaluation.source_version import code_of

FORMAT = 1
"""Part of every key: raise it when the meaning of a stored prediction changes."""


def canonical(value: object) -> str:
    """Write a value as JSON in the single form that is hashed."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Normalize equal values to one form: 2.0 to 2, tuples to lists, arrays to nested lists."""
    if hasattr(value, "tolist"):  # numpy arrays and numbers
        value = value.tolist()
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "get_params") or callable(value):
        return described(value)
    raise TypeError(f"{type(value).__name__} {value!r} cannot be part of a key")


OBJECT = "object"
"""Key of the digest in the table of an object that no spec can name."""


def described(value: Any) -> dict[str, Any]:
    """Describe an object that no spec can name: a frozen component, an estimator, a function.

    The table has its name, the plain parameters that differ from their defaults, and a digest of
    its content: of parameters, code and, if it is frozen, of what it learned.
    """
    content = _plain(_content(value, ()))
    text = json.dumps(content, sort_keys=True)
    name = ilk.display_name(value) if hasattr(value, "get_params") else _name_of(value)
    return {"use": name, **_changed(value), OBJECT: hashlib.sha256(text.encode()).hexdigest()}


def objects_in(spec: Any) -> list[str]:
    """Return the names of objects in a spec that were described by `described`."""
    if isinstance(spec, Mapping):
        here = [str(spec.get("use"))] if OBJECT in spec else []
        return here + [name for value in spec.values() for name in objects_in(value)]
    return [name for item in spec for name in objects_in(item)] if isinstance(spec, list) else []


def _name_of(value: Any) -> str:
    return str(getattr(value, "__name__", type(value).__name__))


def _changed(value: Any) -> dict[str, Any]:
    """Parameters of an estimator with plain values that are not the defaults."""
    if not hasattr(value, "get_params"):
        return {}
    usual = inspect.signature(type(value)).parameters
    return {
        name: item
        for name, item in value.get_params(deep=False).items()
        if isinstance(item, str | bool | int | float)
        and not (name in usual and usual[name].default == item)
    }


def _content(value: Any, within: tuple[int, ...]) -> Any:
    """Write the content of any object as plain values, the same in every process."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if id(value) in within:
        return "(itself)"
    within = (*within, id(value))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return [value.dtype.str, list(value.shape), content]
    if isinstance(value, Mapping):
        return [[_content(key, within), _content(value[key], within)] for key in value]
    if isinstance(value, list | tuple):
        return [_content(item, within) for item in value]
    if isinstance(value, ilk.Data):
        return value.fingerprint
    if isinstance(value, type):
        return _code_of_class(value)
    code = getattr(getattr(value, "py_func", value), "__code__", None)  # py_func: numba's
    if code is not None:
        return _function_content(getattr(value, "py_func", value), within)
    if hasattr(value, "get_params") and not ilk.is_frozen(value):
        return [_code_of_class(type(value)), _content(value.get_params(deep=False), within)]
    return [_code_of_class(type(value)), _state(value)]


def _state(value: object) -> str:
    """Hash of the state of an object."""
    import joblib

    try:
        return str(joblib.hash(value))
    except Exception:  # noqa: BLE001  # functions within, say
        return hashlib.sha256(cloudpickle.dumps(value)).hexdigest()


def _function_content(function: Any, within: tuple[int, ...]) -> Any:
    """Code, defaults and closure of a function, and the functions and numbers that it names."""
    code = function.__code__
    constants = [c for c in code.co_consts if not inspect.iscode(c)]
    inner = [c.co_code.hex() for c in code.co_consts if inspect.iscode(c)]
    named = [
        [name, _content(found, within)]
        for name in code.co_names
        if (found := function.__globals__.get(name)) is not None
        and (hasattr(found, "__code__") or isinstance(found, str | bool | int | float))
    ]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    texts = [repr(constant) for constant in constants]
    return [
        [code.co_code.hex(), texts, inner, list(code.co_names), named],
        _content([function.__defaults__, function.__kwdefaults__, cells], within),
    ]


def _code_of_class(cls: type) -> list[str]:
    """Name of a class, and its version: of the distribution of ilk, the package, or the source."""
    found = ilk.registry(cls.kind).found_for(cls) if issubclass(cls, ilk.Component) else None
    package = sys.modules.get(cls.__module__.partition(".")[0])
    if found is not None and found.version:
        version = code_of(found.distribution, found.version)
    else:
        version = str(getattr(package, "__version__", "")) or _class_source(cls)
    return [f"{cls.__module__}:{cls.__qualname__}", version]


def plain_names(spec: object) -> Any:
    """Write components that ship with ilk by their plain name, even if it is claimed twice."""
    if isinstance(spec, Mapping):
        return {
            key: plain_name(item) if key == "use" and isinstance(item, str) else plain_names(item)
            for key, item in spec.items()
        }
    return [plain_names(item) for item in spec] if isinstance(spec, list | tuple) else spec


def digest(*parts: Any) -> str:
    """SHA-256 of the canonical JSON of the parts."""
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def seed_from(*parts: Any) -> int:
    """Return a random state (31 bits) derived from the parts."""
    return int(digest(*parts)[:8], 16) >> 1


def split_key(fingerprint: str, split: ilk.Split) -> str:
    """SHA-256 of a data set and its training, test and validation rows; their order counts."""
    content = hashlib.sha256(fingerprint.encode())
    for rows in (split.train, split.test, split.validation):
        part = np.ascontiguousarray(() if rows is None else rows, dtype="<i8")
        content.update(f"[{len(part)}]".encode())
        content.update(part.data)
    return content.hexdigest()


def cell_key(pipeline: str, split: str, seed: int) -> str:
    """SHA-256 of all that decides the outcome of a cell.

    Parameters
    ----------
    pipeline, split : str
        Their keys.
    seed : int
        Of the experiment.
    """
    content = f'[{FORMAT},"{pipeline}","{split}",{seed}]'  # as `digest` writes it, but quick
    return hashlib.sha256(content.encode()).hexdigest()


def code_versions(pipeline: ilk.Pipeline, versions: dict[str, str]) -> dict[str, str]:
    """Return the code that a pipeline runs: versions, or hashes of unversioned source.

    Parameters
    ----------
    pipeline : ilk.Pipeline
        With a component in every slot.
    versions : dict
        Version of each distribution that its components come from.
    """
    code = {name: code_of(name, number) for name, number in versions.items()}
    inside = [v for v in pipeline.get_params().values() if isinstance(v, ilk.Component)]
    for cls in {type(component) for component in inside}:
        code.update((name, _version(name)) for name in cls.relies_on)
        found = ilk.registry(cls.kind).found_for(cls)
        if found is not None and found.distribution not in versions:
            code[found.qualified] = _class_source(cls)
    for found in replaced_components():  # a replaced name may be used outside a slot
        code[f"{found.kind}/{found.qualified}"] = _class_source(
            ilk.registry(found.kind).get(found.qualified)
        )
    for other in (other for component in inside for other in component.alternatives()):
        resolved = ilk.resolve(ilk.to_spec(other), kind=type(other).kind)
        built = ilk.build(resolved.data, kind=type(other).kind)
        code |= code_versions(built, resolved.versions)
    return code


def _version(distribution: str) -> str:
    """Version of a library; a missing library is no error until a component needs it."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _class_source(cls: type) -> str:
    """Hash of the source of a class registered by hand; its name if there is no source."""
    try:
        return hashlib.sha256(inspect.getsource(cls).encode()).hexdigest()
    except (OSError, TypeError):
        return f"{cls.__module__}:{cls.__qualname__}"
