"""`ilk check` at the prompt; what it finds is tested with the kit."""

import re


def test_one_component_is_no_plural(cli):
    result = cli("check", "ilk-core", "--kind", "classifier", "--fast")
    assert result.code == 0, result.out
    assert re.search(r"^ok: 1 component, \d+ checks passed, 0 failed", result.out, re.MULTILINE)


def test_only_distributions_are_offered(cli):
    result = cli("check", "nosuch")
    assert result.code == 2
    assert "(there are: ilk-core" in result.err
    assert "(session)" not in result.err


def test_a_file_of_an_experiment_is_checked_elsewhere(cli, tmp_path):
    for name in ("made.toml", "nosuch.toml"):
        path = tmp_path / name
        if name.startswith("made"):
            path.write_text("")
        result = cli("check", str(path))
        assert result.code == 2
        assert result.err == (
            f"Error: {path}: is the file of an experiment, not an installed distribution; "
            f"`ilk run {path} --dry-run` checks it\n"
        )


def test_a_path_is_no_distribution(cli, tmp_path):
    result = cli("check", str(tmp_path))
    assert result.code == 2
    assert f"{tmp_path}: is a path; give the name of an installed distribution" in result.err
    assert "(there are: ilk-core" in result.err
