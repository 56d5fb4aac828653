"""Fitted components in files: no pickle, only registered types, checked versions."""

from __future__ import annotations

import io
import json
import os
import secrets
import zipfile
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.component import Component, children
from ilk.errors import IlkError
from ilk.frames import frames_as_arrays
from ilk.loaded import check_loaded
from ilk.registries import SESSION, display_name, find_class
from ilk.spec import load_spec
from ilk.vetting import LARGEST, RATIO, RefusedError, read_bounded, vet

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
_HEADER, _STATE = "ilk.json", "state.skops"
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "skops")
_version = cache(version)  # reading metadata takes longer than writing a small model


class PersistError(IlkError, ValueError):
    """A component cannot be saved, or a file cannot be loaded as one."""


def save(model: Component, path: str | Path, *, about: Mapping[str, Any] | None = None) -> Path:
    """Write a fitted component to a file.

    The file has arrays, numbers and names in skops' format, and no code. It replaces an older
    file only when it is complete.

    Parameters
    ----------
    model : Component
        Usually a fitted `Pipeline` or classifier.
    path : str or Path
    about : mapping, optional
        Further facts as values of JSON, such as the columns that the component was fitted on;
        `read_header` returns them.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    PersistError
        If the component, or a part of it, has a type that no installed distribution registers
        (such as a function or a class of a script), or the file cannot be written.

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
    header = {
        "format": FORMAT,
        "component": display_name(model),
        "versions": _versions(model),
        "about": dict(about or {}),
    }
    state = _dump(model)
    content = _packed(header, state, zipfile.ZIP_DEFLATED)
    if len(state) > _most(len(content)):  # such as zeros: `load` would refuse it as an attack
        content = _packed(header, state, zipfile.ZIP_STORED)
    _write(path, content)
    return path


def load(path: str | Path, *, check_versions: bool = True) -> Any:
    """Read a file: a spec if its name ends in ``.toml``, else a component.

    Parameters
    ----------
    path : str or Path
    check_versions : bool, default=True
        Whether to refuse a component written with other versions, which may interpret the same
        state differently.

    Returns
    -------
    Component or Spec

    Raises
    ------
    PersistError
        If the file is damaged, holds a type that no installed distribution registers, or
        was written with other versions.
    SpecError
        If it is not TOML.
    """
    path = Path(path)
    if path.suffix == ".toml":
        return load_spec(path)
    header, state = _header_and_state(path)
    if check_versions:
        _check_versions(path, header["versions"])
    return _restore(path, state)


def read_header(path: str | Path) -> dict[str, Any]:
    """Read the description of the component from a file of `save`, without loading the component.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    dict
        ``"component"``, its name; ``"versions"`` of libraries and distributions; ``"about"``, the
        mapping given to `save`.

    Raises
    ------
    PersistError
        If the file is damaged or holds no component.

    Examples
    --------
    >>> import ilk, tempfile, pathlib
    >>> knn = ilk.classifier("knn", k=1).fit([[0.0], [1.0]], ["a", "b"])
    >>> path = ilk.save(knn, pathlib.Path(tempfile.mkdtemp()) / "knn.ilk", about={"cases": 2})
    >>> ilk.read_header(path)["about"]
    {'cases': 2}
    """
    return _header_and_state(Path(path))[0]


def _packed(header: dict[str, Any], state: bytes, method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr(_HEADER, json.dumps(header, indent=1))
        archive.writestr(_STATE, state)
    return buffer.getvalue()


def _most(size: int) -> int:
    """Maximum number of unpacked bytes of a file of a given size."""
    return max(LARGEST, RATIO * size)


def _dump(model: Component) -> bytes:
    import skops.io as skops

    what = display_name(model)
    try:
        with frames_as_arrays():
            state: bytes = skops.dumps(model)
        vet(state)
    except Exception as error:
        why = f"{'' if isinstance(error, RefusedError) else f'{type(error).__name__}: '}{error}"
        remedy = "fit it from its spec where it is needed, or take another component"
        raise PersistError(f"{what} cannot be saved: {why}; {remedy}") from error
    return state


def _restore(path: Path, state: bytes) -> Any:
    import skops.io as skops

    try:
        types = vet(state)
        model = skops.loads(state, trusted=types)
        check_loaded(model)
    except IlkError as error:
        raise PersistError(f"{path}: refused: {error}") from error
    except Exception as error:
        message = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise PersistError(f"{path}: cannot be loaded: {message}") from error
    return model


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
        except (ImportError, ValueError):  # an empty name is a ValueError
            new = "not installed"
        if new != old:
            other.append(f"{name} {old} (here: {new})")
    if other:
        raise PersistError(
            f"{path}: was written with {', '.join(other)}; install these versions, or load it "
            f"with check_versions=False at your own risk"
        )


def _header_and_state(path: Path) -> tuple[dict[str, Any], bytes]:
    """Read header and state; every problem of the file raises the same type of error."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise PersistError(f"{path}: cannot be read: it is a device or a pipe")
    try:
        most = _most(path.stat().st_size)
        with zipfile.ZipFile(path) as archive:
            header = json.loads(read_bounded(archive, _HEADER, LARGEST))
            state = read_bounded(archive, _STATE, most)
    except RefusedError as error:
        raise PersistError(f"{path}: refused: {error}") from error
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
    if not isinstance(header.setdefault("about", {}), dict):
        raise PersistError(f"{path}: is damaged: its description of the component is no table")
    return header, state


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; a link stays a link."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise PersistError(f"{path}: cannot be written: it is a device or a pipe, not a file")
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            with part.open("xb") as file:  # with the rights of any new file
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PersistError(f"{path}: cannot be written: {error.strerror}") from error
