"""Writes the stub that gives `ilk.classifier("knn", k=3)` and its sisters their types.

Run it after a change of a shipped component's name or parameters, in an environment with all
distributions of the workspace: ``python tests/helpers/typed_names.py``.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import ilk.aliases
import ilk.arrays
from ilk import Array, FilePath, Function, Param, Seed, Views
from ilk.kinds import Kind, kinds
from ilk.registries import registry

STUB = Path(__file__).parents[2] / "core/src/ilk/shortcuts.pyi"

_HEAD = '''# Written by tests/helpers/typed_names.py: do not change by hand.
"""One function per kind, with an overload for each component that ships with ilk."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

'''
_TYPES: dict[Any, str] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
    list: "Sequence[Any]",
    dict: "Mapping[str, Any]",
    Array: "ArrayLike",
    Seed: "RandomState",
    FilePath: "FileLike",
    Views: "ViewsLike",
    Function: "Callable[..., Any]",
}


def stub() -> str:
    """Return the text of the stub, not yet formatted."""
    built_in = [kind for kind in kinds().values() if kind.interfaces[0].startswith("ilk.")]
    make = "def make(kind: str, _name: str, /, **parameters: Any) -> Any: ...\n"
    body = "\n\n".join([make, *map(_functions, built_in)])
    paths = [path.partition(":") for kind in built_in for path in kind.interfaces]
    imports = sorted(f"from {module} import {name}" for module, _, name in paths)
    used = [
        f"from {module.__name__} import {name}"
        for module in (ilk.aliases, ilk.arrays)
        for name in vars(module)
        if re.search(rf"\b{name}\b", body) and name[0].isupper() and _is_own(name)
    ]
    return _HEAD + "\n".join([*imports, *used, "", body])


def _is_own(name: str) -> bool:
    return name.endswith("Like") or name == "RandomState"


def _functions(kind: Kind) -> str:
    result = " | ".join(path.partition(":")[2] for path in kind.interfaces)
    offers = [
        found for found in registry(kind.name).find() if found.distribution.startswith("ilk-")
    ]
    known = [_overload(kind, found.name, found.distribution, result) for found in offers]
    other = f"@overload\ndef {kind.name}(_name: str, /) -> {result}: ...\n"
    return "\n".join([*known, other, f"def {kind.plural}() -> list[str]: ..."])


def _overload(kind: Kind, name: str, distribution: str, result: str) -> str:
    cls: Any = registry(kind.name).get(f"{distribution}/{name}")
    names = f'_name: Literal["{name}", "{distribution}/{name}"]'
    keywords = [f"{key}: {_type(param)} = ..." for key, param in cls.parameters.items()]
    arguments = ", ".join([names, "/", *(["*", *keywords] if keywords else [])])
    summary = textwrap.indent(f'"""{(cls.__doc__ or "").partition(chr(10))[0]}"""', "    ")
    return f"@overload\ndef {kind.name}({arguments}) -> {result}:\n{summary}\n"


def _type(param: Param) -> str:
    """Return the annotation of a parameter."""
    parts = [_TYPES.get(kind, "Any") for kind in param.types]
    texts = [choice for choice in param.choices if isinstance(choice, str | bool | int)]
    if texts:
        parts.append(f"Literal[{', '.join(map(repr, texts))}]")
    parts += [type(choice).__name__ for choice in param.choices if isinstance(choice, float)]
    if param.slot:
        one = _like(param.slot)
        many = {list: f"Sequence[{one}]", dict: f"Mapping[str, {one}]"}
        parts.append(many.get(param.many, one))
    if "float" in parts:  # which a whole number is to a type checker
        parts = [part for part in parts if part != "int"]
    if param.none:
        parts.append("None")
    return " | ".join(dict.fromkeys(parts)) or "Any"


def _like(kind: str) -> str:
    return "".join(word.capitalize() for word in kind.split("_")) + "Like"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
