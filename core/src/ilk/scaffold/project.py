"""A plugin project, from templates, written completely or not at all."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ilk import __version__
from ilk.discovery import installed
from ilk.errors import IlkError
from ilk.registries import name_problem, registry

if TYPE_CHECKING:
    from ilk.kinds import Kind


@dataclass(frozen=True)
class Project:
    """A plugin with one component.

    Attributes
    ----------
    kind : Kind
    name : str
        Name of the component.
    dist : str
        Of the distribution.

    Raises
    ------
    IlkError
        If a name is invalid or taken, or there is no template for the kind.
    """

    kind: Kind
    name: str
    dist: str

    def __post_init__(self) -> None:
        if not _template(self.kind.name).is_file():
            raise IlkError(f"there is no template for a {self.kind.name}")
        require_name(self.kind, self.name)
        require_distribution(self.dist)

    @property
    def package(self) -> str:
        """The name of the package."""
        return package_of(self.dist)

    @property
    def class_name(self) -> str:
        """The name of the component's class, different from all words of the template."""
        plain = class_of(self.name)
        words = set(re.findall(r"\w+", _template(self.kind.name).read_text(encoding="utf-8")))
        return plain + class_of(self.kind.name) if plain in words else plain

    def files(self) -> dict[str, str]:
        """Return the text of each file by its path."""
        sources = {
            "pyproject.toml": "project/pyproject.toml",
            "README.md": "project/README.md",
            ".gitignore": "project/.gitignore",
            f"src/{self.package}/__init__.py": "project/init.py",
            f"src/{self.package}/{self.name}.py": self.kind.name,
            "tests/test_conformance.py": "project/test_conformance.py",
            f"tests/test_{self.name}.py": f"test_{self.kind.name}",
        }
        return {path: self._filled(source) for path, source in sources.items()}

    def _filled(self, source: str) -> str:
        template = Template(_template(source).read_text(encoding="utf-8"))
        return template.substitute(
            kind=self.kind.name,
            words=self.kind.name.replace("_", " "),
            group=self.kind.group,
            name=self.name,
            class_name=self.class_name,
            dist=self.dist,
            package=self.package,
            core=_core_range(),
        )

    def write(self, folder: Path) -> None:
        """Write the project; a failure leaves no files behind.

        Raises
        ------
        IlkError
            If the folder exists or cannot be written.
        """
        if folder.exists():
            raise IlkError(f"{folder} exists already; nothing was written")
        try:
            with TemporaryDirectory(dir=folder.parent, prefix=".ilk-new-") as scratch:
                draft = Path(scratch) / "project"
                for path, text in self.files().items():
                    file = draft / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8")
                draft.rename(folder)
        except OSError as error:
            raise IlkError(f"{folder} cannot be written: {error.strerror or error}") from error


def _template(name: str) -> Path:
    suffix = ".template" if "." in name.rpartition("/")[2] else ".py.template"
    return Path(str(files("ilk.scaffold"))) / "templates" / f"{name}{suffix}"


def _core_range() -> str:
    """The range of core versions with the same interfaces."""
    major, minor = map(int, __version__.split(".")[:2])
    return f">={major}.{minor},<{major}.{minor + 1}"


def require_name(kind: Kind, name: str) -> None:
    """Raise unless a name is valid for a new component of a kind.

    Raises
    ------
    IlkError
        If it is not a lower-case identifier, or an installed distribution has the name.
    """
    problem = name_problem(name)
    if problem:
        raise IlkError(problem)
    owners = [found.distribution for found in registry(kind.name).find() if found.name == name]
    if owners:
        raise IlkError(
            f"{owners[0]} has a {kind.name} {name!r} already, and a name that two distributions "
            f"offer is ambiguous; choose another"
        )


def require_distribution(dist: str) -> None:
    """Raise unless a name is valid for a new distribution.

    Raises
    ------
    IlkError
        If it gives no valid package name, or is installed already.
    """
    package = package_of(dist)
    if not re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", package) or keyword.iskeyword(package):
        raise IlkError(
            f"a distribution's name is made of letters, digits, '-', '_' and '.', and starts with "
            f"a letter, got {dist!r}"
        )
    taken = {package_of(name) for name in installed()} | {"ilk"}
    if package in taken:
        raise IlkError(f"there is a distribution {dist!r} already; choose another name by --dist")


def package_of(dist: str) -> str:
    """The package of a distribution: ``"ilk-mine"`` has ``ilk_mine``."""
    return re.sub(r"[-_.]+", "_", dist).lower()


def class_of(name: str) -> str:
    """The class of a component: ``"my_own"`` is ``MyOwn``."""
    return "".join(part.capitalize() for part in name.split("_"))
