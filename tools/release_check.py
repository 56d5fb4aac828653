"""Checks that a release can be made: `python tools/release_check.py` (or `make release`).

It compares the versions and the changelog, builds the wheel and the sdist of every member, installs
each kind into an environment of its own, and runs there what the README shows. Every check runs,
also after a failed one; the exit code is 1 if one fails. The run of all tests is `.ci/run --all`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
MEMBERS = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
README = ROOT / "README.md"


class CheckError(Exception):
    """What is wrong, and what to do."""


def main() -> None:
    """Run every check and exit with 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--unreleased", action="store_true", help="accept a version without a date in the changelog"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="copy the members' there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        checks = {
            "the versions are equal": lambda: check_versions(versions(ROOT)),
            "the changelog has the version": lambda: check_changelog(
                (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
                versions(ROOT)["pyproject.toml"],
                dated=not options.unreleased,
            ),
            "wheels and sdists build": lambda: build(scratch, options.keep),
            "the wheels install, and the README works": lambda: check_wheels(scratch),
            "the sdists install": lambda: check_sdists(scratch),
        }
        failed = [what for what, check in checks.items() if not passes(what, check)]
    sys.exit(1 if failed else 0)


def passes(what: str, check: Callable[[], None]) -> bool:
    """Run a check and print how it went."""
    try:
        check()
    except CheckError as error:
        print(f"FAILED  {what}: {error}", flush=True)
        return False
    print(f"ok      {what}", flush=True)
    return True


def versions(root: Path) -> dict[str, str]:
    """The versions in the files of the distributions, and in the citation."""
    files = [root / "pyproject.toml", *sorted(root.glob("*/pyproject.toml"))]
    files += sorted(root.glob("plugins/*/pyproject.toml"))
    found = {
        file.relative_to(root).as_posix(): tomllib.loads(file.read_text(encoding="utf-8"))[
            "project"
        ]["version"]
        for file in files
    }
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.search(r'^version: "?([^"\s]+)"?$', citation, re.MULTILINE)
    return {**found, "CITATION.cff": cited[1] if cited else "none"}


def check_versions(found: dict[str, str]) -> None:
    """Refuse files that differ from the first."""
    first, *_ = found.values()
    others = [f"{file} has {version}" for file, version in found.items() if version != first]
    if others:
        raise CheckError(f"pyproject.toml has {first}, but {', '.join(others)}")


def check_changelog(text: str, version: str, *, dated: bool) -> None:
    """Refuse a changelog without a section of the version, or with one that is not the newest."""
    newest = re.search(r"^## \[(.+?)\](?: - (\S+))?$", text, re.MULTILINE)
    if not newest or newest[1] != version:
        raise CheckError(f"its newest section is not [{version}]")
    if dated and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", newest[2] or ""):
        raise CheckError(f"write the date of the release: ## [{version}] - YYYY-MM-DD")


def build(scratch: Path, keep: Path | None) -> None:
    """Build every member, and the sdist of `ilk` itself, which is for installing from a file."""
    python = environment(scratch / "build")
    run(python, "-m", "pip", "install", "hatchling")
    for folder in MEMBERS:
        run(python, "-m", "hatchling", "build", "-d", scratch / "dist", cwd=folder)
    run(python, "-m", "hatchling", "build", "-t", "sdist", "-d", scratch / "dist", cwd=ROOT)
    built = sorted(path.name for path in (scratch / "dist").iterdir())
    if len(built) != 2 * len(MEMBERS) + 1:
        raise CheckError(f"{len(MEMBERS)} members gave {', '.join(built)}")
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for path in (scratch / "dist").glob("ilk_*"):  # the members': ilk's own names local paths
            shutil.copy(path, keep)


def check_wheels(scratch: Path) -> None:
    """Install the wheels, away from the sources, and run the README's commands and example."""
    wheels = sorted((scratch / "dist").glob("*.whl"))
    python = environment(scratch / "wheels")
    run(python, "-m", "pip", "install", *wheels)
    check_installed(python, scratch / "wheels")
    here = scratch / "readme"
    shutil.copytree(ROOT / "examples", here / "examples", ignore=shutil.ignore_patterns("results"))
    text = README.read_text(encoding="utf-8")
    for command in commands(text):
        run(python, "-m", *command.split(), cwd=here)
    for example in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        run(python, "-c", example, cwd=here)


def commands(readme: str) -> list[str]:
    """The calls of ilk that a text shows, in its console blocks and between its lines."""
    shown = re.findall(r"^\$ (?:.* && )?(ilk .*)$", readme, re.MULTILINE)
    return [*shown, *re.findall(r"`(ilk [a-z][^`]*)`", readme)]


def check_sdists(scratch: Path) -> None:
    """Install `ilk` from its sdist, which brings the members, then the members' own sdists."""
    python = environment(scratch / "sdists")
    (whole,) = (scratch / "dist").glob("ilk-[0-9]*.tar.gz")
    members = [path for path in (scratch / "dist").glob("*.tar.gz") if path != whole]
    run(python, "-m", "pip", "install", whole)
    check_installed(python, scratch)
    run(python, "-m", "pip", "install", "--force-reinstall", "--no-deps", *members)
    check_installed(python, scratch)


def check_installed(python: Path, cwd: Path) -> None:
    """Check that requirements are met and that every component is found."""
    run(python, "-m", "pip", "check")
    run(python, "-m", "ilk", "doctor", cwd=cwd)


def environment(folder: Path) -> Path:
    """Make a virtual environment; return its Python."""
    if not folder.exists():
        venv.create(folder, with_pip=True)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command that sees nothing of the environment it is started from."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "ILK_PLUGINS")
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    clean["PIP_QUIET"] = clean["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise CheckError(f"{' '.join(map(str, command))}\n{done.stdout.strip()[-2000:]}")


if __name__ == "__main__":
    main()
