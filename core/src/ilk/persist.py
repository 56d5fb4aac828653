"""Fitted components on disk: no pickle, only types that are registered, versions checked."""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ilk.component import Component
from ilk.errors import IlkError
from ilk.frames import frames_as_arrays
from ilk.kinds import kinds
from ilk.nested import children
from ilk.registries import SESSION, display_name, find_class, registry
from ilk.spec import load as load_spec

FORMAT = 1
_HEADER, _STATE = "ilk.json", "state.skops"
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "skops")
_version = cache(version)  # reading it takes longer than writing a small model


class PersistError(IlkError, ValueError):
    """A component cannot be saved, or a file cannot be loaded as one."""


def save(model: Component, path: str | Path) -> Path:
    """Write a fitted component to a file.

    The file holds arrays, numbers and names in skops' format, nothing that runs code. It
    replaces an older file only when it is complete.

    Parameters
    ----------
    model : Component
        Usually a fitted `Pipeline` or classifier.
    path : str or Path

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    PersistError
        If it, or something in it, is of a type that no installed distribution registers (a
        function, a class made by hand), or the file cannot be written.

    Examples
    --------
    >>> import ilk, tempfile, pathlib
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> model = ilk.classifier("knn", k=3).fit(X, y)
    >>> path = ilk.save(model, pathlib.Path(tempfile.mkdtemp()) / "knn.ilk")
    >>> bool((ilk.load(path).predict(X) == model.predict(X)).all())
    True
    """
    path = Path(path)
    header = {"format": FORMAT, "component": display_name(model), "versions": _versions(model)}
    state = _dump(model)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_HEADER, json.dumps(header, indent=1))
        archive.writestr(_STATE, state)
    _write(path, buffer.getvalue())
    return path


def load(path: str | Path, *, check_versions: bool = True) -> Any:
    """Read what a file holds: a spec, where its name ends in ``.toml``, else a component.

    Parameters
    ----------
    path : str or Path
    check_versions : bool, default=True
        Whether a component written with other versions is refused: another version may
        read the same state another way.

    Returns
    -------
    Component or Spec

    Raises
    ------
    PersistError
        If the file is damaged, holds a type that no installed distribution registers, or
        was written with other versions.
    SpecError
        If it is no TOML.
    """
    path = Path(path)
    if path.suffix == ".toml":
        return load_spec(path)
    header, state = _parts(path)
    if check_versions:
        _check_versions(path, header["versions"])
    return _restore(path, state)


def _dump(model: Component) -> bytes:
    import skops.io as skops

    what = display_name(model)
    try:
        with frames_as_arrays():
            state: bytes = skops.dumps(model)
    except Exception as error:
        raise PersistError(f"{what} cannot be saved: {type(error).__name__}: {error}") from error
    _refuse_unknown(skops.get_untrusted_types(data=state), f"{what} cannot be saved")
    return state


def _restore(path: Path, state: bytes) -> Any:
    import skops.io as skops

    try:
        needed = skops.get_untrusted_types(data=state)
        _refuse_unknown(needed, f"{path}: refused")
        return skops.loads(state, trusted=needed)
    except PersistError:
        raise
    except Exception as error:
        raise PersistError(f"{path}: cannot be loaded: {type(error).__name__}: {error}") from error


def _refuse_unknown(types: Iterable[str], what: str) -> None:
    """Raise unless every type is a component, a record of a plugin's, or scikit-learn's."""
    registered = _registered_types()
    packages = {name.partition(".")[0] for name in registered}
    unknown = [name for name in sorted(set(types) - registered) if not _is_plain(name, packages)]
    if unknown:
        raise PersistError(
            f"{what}: it holds {', '.join(unknown)}, which no installed distribution registers"
        )


def _registered_types() -> set[str]:
    values = (
        found.value
        for kind in kinds()
        for found in registry(kind).find()
        if found.distribution != SESSION
    )
    return {value.replace(":", ".") for value in values}


def _is_plain(name: str, packages: set[str]) -> bool:
    """Tell whether a type is a class of scikit-learn's, or a dataclass of a plugin's package."""
    module, _, attribute = name.rpartition(".")
    package = module.partition(".")[0]
    if package != "sklearn" and package not in packages:
        return False
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    return isinstance(found, type) and (package == "sklearn" or is_dataclass(found))


def _versions(model: Component) -> dict[str, str]:
    """Versions of the libraries and of the distributions whose components are inside."""
    versions = {name: _version(name) for name in _LIBRARIES}
    inside = [model]
    while inside:
        component = inside.pop()
        found = find_class(type(component))
        if found is not None and found.distribution != SESSION:
            versions[found.distribution] = found.version
        inside.extend(child for _, child in children(component))
        inside.extend(value for value in vars(component).values() if isinstance(value, Component))
    return dict(sorted(versions.items()))


def _check_versions(path: Path, written: Mapping[str, str]) -> None:
    other = []
    for name, old in written.items():
        try:
            new = _version(name)
        except ImportError:
            new = "not installed"
        if new != old:
            other.append(f"{name} {old} (here: {new})")
    if other:
        raise PersistError(
            f"{path}: was written with {', '.join(other)}; install these versions, or load it "
            f"with check_versions=False at your own risk"
        )


def _parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """Read header and state; whatever is wrong with the file, one error says so."""
    try:
        with zipfile.ZipFile(path) as archive:
            header, state = json.loads(archive.read(_HEADER)), archive.read(_STATE)
    except OSError as error:
        hint = f": {error.strerror}" if error.strerror else ""
        raise PersistError(f"{path}: cannot be read{hint}") from error
    except Exception as error:  # a damaged archive fails in many ways
        raise PersistError(f"{path}: holds no component of ilk, or is damaged: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        written = header.get("format") if isinstance(header, dict) else header
        raise PersistError(f"{path}: has format {written!r}, this ilk reads {FORMAT}")
    if not isinstance(header.get("versions"), dict):
        raise PersistError(f"{path}: is damaged: it does not say by which versions it was written")
    return header, state


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PersistError(f"{path}: cannot be written: {error.strerror}") from error
