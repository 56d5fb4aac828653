"""A plugin project, from templates, written all at once or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ilk import __version__
from ilk.errors import IlkError
from ilk.scaffold.naming import class_of, package_of, require_distribution, require_name

if TYPE_CHECKING:
    from ilk.kinds import Kind


@dataclass(frozen=True)
class Project:
    """A plugin with one component.

    Attributes
    ----------
    kind : Kind
    name : str
        Of the component.
    dist : str
        Of the distribution.

    Raises
    ------
    IlkError
        If a name cannot be taken, or there is no template for the kind.
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
        """The package that is imported."""
        return package_of(self.dist)

    @property
    def class_name(self) -> str:
        """The component's class; it keeps clear of the words of the template."""
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
        """Write the project; nothing is left behind if that fails.

        Raises
        ------
        IlkError
            If the folder exists or cannot be written.
        """
        if folder.exists():
            raise IlkError(f"{folder} exists already; nothing was written")
        try:
            with TemporaryDirectory(dir=folder.parent, prefix=".ilk-new-") as scratch:
                made = Path(scratch) / "project"
                for path, text in self.files().items():
                    file = made / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8")
                made.rename(folder)
        except OSError as error:
            raise IlkError(f"{folder} cannot be written: {error.strerror or error}") from error


def _template(name: str) -> Path:
    suffix = ".template" if "." in name.rpartition("/")[2] else ".py.template"
    return Path(str(files("ilk.scaffold"))) / "templates" / f"{name}{suffix}"


def _core_range() -> str:
    """The versions of the core that the interfaces stay the same for."""
    major, minor = map(int, __version__.split(".")[:2])
    return f">={major}.{minor},<{major}.{minor + 1}"
