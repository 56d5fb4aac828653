"""Which tests a run takes, and which parts of the project a change touches."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

import changes
import tiers

TESTS = Path(__file__).parent


@pytest.mark.parametrize(
    ("paths", "parts"),
    [
        (["plugins/learners/src/ilk_learners/linear.py"], {"learners"}),
        (["tests/ensembles/test_voting.py", "README.md"], {"ensembles"}),
        (["docs/guide.md", "benchmarks/distances/vectors.py", "CHANGELOG.md"], set()),
        (["core/src/ilk/spec.py"], changes.PARTS),
        (["tests/helpers/tiers.py"], changes.PARTS),
        (["tests/test_conformance.py", "tests/learners/test_knn.py"], changes.PARTS),
        (["tests/exhaustive/test_row_order.py"], changes.PARTS),
        (["pyproject.toml"], changes.PARTS),
        (["plugins/elsewhere/setup.py"], set()),
    ],
)
def test_parts_of_a_change(paths, parts):
    assert changes.parts_of(paths) == parts


def test_without_git_everything_counts_as_changed(monkeypatch):
    monkeypatch.setattr(changes, "_git", lambda *_: "")
    assert changes.changed_parts() == changes.PARTS


def test_on_main_the_last_commit_is_the_change(monkeypatch):
    def git(command, *arguments):
        if command == "diff":
            return "plugins/distances/pyproject.toml\0" if arguments[-1] == "before" else ""
        if command == "ls-files":
            return ""
        return {"HEAD~1": "before"}.get(arguments[-1], "now")

    monkeypatch.setattr(changes, "_git", git)
    assert changes.changed_parts() == {"distances"}


def test_git_tells_of_moved_new_and_oddly_named_files(monkeypatch, tmp_path):
    root = tmp_path / "inside another"
    for part in ("distances", "learners"):
        (root / "plugins" / part).mkdir(parents=True)
    monkeypatch.setattr(changes, "ROOT", root)

    def git(*arguments):
        names = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *names, *arguments], check=True)

    moved = root / "plugins/distances/moved.py"
    moved.write_text("the same text\n" * 9)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "change")
    moved.rename(root / "plugins/learners/moved.py")
    git("add", ".")
    git("commit", "-qm", "moved")
    assert changes.changed_parts() == {"distances", "learners"}
    (root / "plugins/ensembles").mkdir()
    (root / "plugins/ensembles/é.py").touch()
    assert changes.changed_parts() == {"distances", "learners", "ensembles"}


@pytest.mark.parametrize(
    ("path", "tier"),
    [
        ("learners/test_knn.py", None),
        ("system/test_imported.py", "system"),
        ("evaluation/report/system/test_report_browser.py", "system"),
        ("exhaustive/test_checks_due.py", "exhaustive"),
        ("evaluation/test_resamplings_exhaustive.py", None),
    ],
)
def test_a_folder_names_the_tier(path, tier):
    assert tiers.tier_of(TESTS / path) == tier


def test_of_many_cases_the_default_tier_takes_few():
    functions = {"a.py::test_many": 20, "a.py::test_more": 30, "a.py::test_one": 1}
    items = [
        SimpleNamespace(nodeid=f"{function}[{number}]")
        for function, cases in functions.items()
        for number in range(cases)
    ]
    left_out = list(tiers.beyond_samples(items))
    kept = [item.nodeid for item in items if item not in left_out]
    assert [nodeid.partition("[")[0] for nodeid in kept] == [
        function for function, cases in functions.items() for _ in range(min(cases, tiers.CASES))
    ]
    for function, cases in functions.items():
        metafunc = SimpleNamespace(
            _calls=[SimpleNamespace(id=str(number)) for number in range(cases)],
            config=SimpleNamespace(option=SimpleNamespace(markexpr=tiers.DEFAULT)),
            definition=SimpleNamespace(nodeid=function),
        )
        hook = tiers.pytest_generate_tests(metafunc)
        next(hook)
        next(hook, None)
        made = [f"{function}[{call.id}]" for call in metafunc._calls]
        assert made == [nodeid for nodeid in kept if nodeid.startswith(function)]
