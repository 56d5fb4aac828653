"""The checks of a release that need no build; CI's workflow and `make release` run the others."""

import re
import shutil

import pytest

from pages import ROOT


@pytest.fixture
def release_check(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import release_check

    return release_check


def test_our_versions_are_equal(release_check):
    found = release_check.versions(ROOT)
    assert len(found) == 7  # ilk, five members, the citation
    release_check.check_versions(found)


def test_a_file_with_another_version_is_named(release_check, tmp_path):
    for name in release_check.versions(ROOT):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    citation = tmp_path / "CITATION.cff"
    text = re.sub("^version: .*", "version: 9.8.7", citation.read_text("utf-8"), flags=re.MULTILINE)
    citation.write_text(text, encoding="utf-8")
    with pytest.raises(release_check.CheckError, match=r"but CITATION\.cff has 9\.8\.7$"):
        release_check.check_versions(release_check.versions(tmp_path))


@pytest.mark.parametrize(
    ("title", "dated", "message"),
    [
        ("[1.2.0] - 2026-01-31", True, None),
        ("[1.2.0] - unreleased", False, None),
        ("[1.2.0] - unreleased", True, r"write the date of the release: ## \[1\.2\.0\]"),
        ("[1.2.0]", True, "write the date"),
        ("[1.1.0] - 2026-01-31", True, r"newest section is not \[1\.2\.0\]"),
    ],
)
def test_the_changelog_needs_the_version_and_a_date(release_check, title, dated, message):
    text = f"# Changelog\n\n## {title}\n\n## [1.2.0] - 2020-01-01\n"
    if message is None:
        release_check.check_changelog(text, "1.2.0", dated=dated)
    else:
        with pytest.raises(release_check.CheckError, match=message):
            release_check.check_changelog(text, "1.2.0", dated=dated)


def test_the_readme_has_commands_to_run(release_check):
    commands = release_check.commands(release_check.README.read_text(encoding="utf-8"))
    assert commands[:2] == ["ilk run examples/quickstart.toml", "ilk list"]
    assert "ilk show classifier knn" in commands


def test_a_failed_check_is_printed_and_does_not_end_the_others(release_check, capsys):
    def wrong():
        raise release_check.CheckError("it is not")

    assert not release_check.passes("this is right", wrong)
    assert release_check.passes("that is right", lambda: None)
    assert capsys.readouterr().out == "FAILED  this is right: it is not\nok      that is right\n"
