"""Listeners are told of a run in order, and a broken one is named and left out."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ilk
from ilk_evaluation import run_experiment

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"
SPEC = {
    "datasets": ["iris"],
    "pipelines": [{"id": "1-NN", "steps": [{"classifier": {"use": "knn", "k": 1}}]}],
    "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
}


class Notes:
    """Notes every event; looks into the store at each cell."""

    def __init__(self, store):
        self.store = store
        self.events = []

    @ilk.hookimpl
    def ilk_plan(self, plan):
        self.events.append(("plan", plan.design.n_cells))

    @ilk.hookimpl
    def ilk_cell_finished(self, cell):
        from ilk_evaluation import Store

        with Store.read(self.store) as store:
            assert cell.key in store.statuses()
        self.events.append((cell.dataset, cell.pipeline, cell.repeat, cell.fold, cell.error))
        assert cell.seconds > 0
        assert cell.fallback is False

    @ilk.hookimpl
    def ilk_run_finished(self, results):
        self.events.append(("finished", results.n_failed))


def test_they_are_told_in_order(tmp_path):
    store = tmp_path / "x.sqlite"
    first, again = Notes(store), Notes(store)
    run_experiment(SPEC, store=store, listeners=ilk.Listeners(first))
    cells = [("iris", "1-NN", 0, fold, None) for fold in (0, 1)]
    assert first.events == [("plan", 2), *cells, ("finished", 0)]
    run_experiment(SPEC, store=store, listeners=ilk.Listeners(again))
    assert again.events == [("plan", 2), ("finished", 0)]


BROKEN = {
    "failing": (
        "import ilk\n@ilk.hookimpl\ndef ilk_cell_finished(cell):\n    raise OSError('no disk')\n",
        "failed in ilk_cell_finished and is left out: OSError: no disk",
    ),
    "misspelt": (
        "import ilk\n@ilk.hookimpl\ndef ilk_cell_finnished(cell):\n    pass\n",
        "cannot be used and is left out: PluginValidationError: .*ilk_cell_finnished",
    ),
    "missing": (
        "import nowhere_to_be_found\n",
        "cannot be used and is left out: ModuleNotFoundError: .*nowhere_to_be_found",
    ),
    "ending": (
        "import ilk\n@ilk.hookimpl\ndef ilk_cell_finished(cell):\n    raise SystemExit(5)\n",
        "failed in ilk_cell_finished and is left out: SystemExit: 5",
    ),
    "ended": ("raise SystemExit(5)\n", "cannot be used and is left out: SystemExit: 5"),
    "reporting": (
        "import ilk\n@ilk.hookimpl\ndef ilk_report_sections(results):\n    return ['a text']\n",
        "",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_listener_is_named_in_a_line_and_the_run_goes_on(shell, name):
    module, said = BROKEN[name]
    shell.install(name, module, f"[ilk.plugins]\n{name}_listener = {name}\n")
    shell.write(pipelines={"slow": '"slow"'}, repeats=1)
    code, out, err = shell.here("--quiet")
    assert code == 0
    assert out.count("store: ") == 1
    (line,) = err.splitlines()
    if name == "reporting":
        assert line == "Warning: ilk_report_sections must return ilk.Section, got 'a text'"
    else:
        assert re.fullmatch(rf"Warning: listener {name}_listener of {name} {said}.*", line)
    assert len(shell.log()) == len(shell.cells()) == 4  # the other listener heard all


@pytest.fixture(scope="module")
def page():
    """Files and console blocks of the page about listeners."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    files = {}
    for _, block in blocks:
        named = re.match(r"# (\S+\.(?:py|toml))\n", block)
        if named:
            files[named[1]] = block
    return files, [block for language, block in blocks if language == "console"]


def test_the_worked_example_works(shell, page, tmp_path_factory):
    files, (console,) = page
    project, site = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("installed")
    for name, text in files.items():
        (project / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "--target", site, project], check=True)
    assert tomllib.loads(files["pyproject.toml"])["project"]["name"] == "ilk-cell-log"
    shell.add_to_path(site)
    shell.write(pipelines={"1-NN": '{ use = "knn", k = 1 }'}, repeats=1, datasets=["iris"])
    code, out, err = shell.here("--quiet")
    assert (code, err) == (0, "")
    log = shell.store.with_suffix(".jsonl")
    title, _, sentence = out.splitlines()[-3:]
    assert title == "Log"
    assert sentence == f"The outcomes of all cells are in {log}."
    assert f"{title}\n\nThe outcomes of all cells are in results/" in console
    shown = json.loads(console.splitlines()[-1].replace('"seconds": ...', '"seconds": 1.5'))
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [list(cell) for cell in told] == [list(shown)] * 2
    assert told[0]["key"] in shell.cells()
    assert [(cell["fold"], cell["error"]) for cell in told] == [(0, None), (1, None)]
