"""The commands ``ilk report`` and ``ilk plot``: what they write, and their exit codes."""

import errno
import io
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from cell_calls import counts_of
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import run_experiment

matplotlib = pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib")


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = ilk_command([*map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def store(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tiny.design.store.relative_to(tmp_path)


def test_report_writes_beside_the_store_or_where_it_is_told(call, store, tmp_path):
    code, out, err = call("report", store)
    assert (code, err) == (0, "")
    assert out.startswith("tiny.html: ")
    assert call("report", store, "-o", "other.html")[0] == 0
    for name in ("tiny.html", "other.html"):
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(p.name for p in tmp_path.iterdir() if ".part" in p.name) == []


@pytest.mark.usefixtures("plain")
def test_report_takes_measures_and_parts(call, store, tmp_path):
    arguments = ("report", store, "--measure", "accuracy", "--dataset", "two")
    codes = []
    counts = counts_of(lambda: codes.append(call(*arguments)[0]))
    assert codes == [0]
    assert counts["store"] == 1
    page = (tmp_path / "tiny.html").read_text(encoding="utf-8")
    assert "accuracy" in page
    assert "1 data set" in page


@pytest.mark.usefixtures("plain")
@pytest.mark.skipif(os.name == "nt", reason="modes and links are another matter there")
def test_report_keeps_links_and_gives_the_usual_rights(call, store, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.html").symlink_to("there/page.html")
    assert call("report", store, "-o", "link.html")[0] == 0
    assert (tmp_path / "link.html").is_symlink()
    rights = stat.S_IMODE((tmp_path / "there" / "page.html").stat().st_mode)
    (tmp_path / "usual").write_text("")
    assert rights == stat.S_IMODE((tmp_path / "usual").stat().st_mode)
    assert call("report", store, "-o", "/dev/null")[0] == 0
    (tmp_path / "loop.html").symlink_to("loop.html")
    assert call("report", store, "-o", "loop.html")[0] == 0  # a link to itself leads nowhere


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "none.sqlite"], "there is no such store"),
        (["report", "tiny.sqlite", "-o", "tiny.sqlite"], "is the store itself"),
        (["report", "tiny.sqlite", "-o", "no/folder/page.html"], "No such file or directory"),
        (["report", "tiny.sqlite", "--dataset", "tow"], "did you mean 'two'"),
        (["report", "tiny.sqlite", "--measure", "acuracy"], "did you mean 'accuracy'"),
        (["results", "export", "tiny.sqlite", "--output", "tiny.sqlite"], "is the store itself"),
        (["plot", "tiny.sqlite", "estimate"], "did you mean 'estimates'"),
        (["plot", "tiny.sqlite", "time", "--measure", "fit_seconds"], "is a time itself"),
        (["plot", "tiny.sqlite", "--format", "gif"], "'gif' is not one of"),
    ],
)
def test_mistakes_are_told_in_a_line(call, store, arguments, message):
    before = store.read_bytes()
    code, _, err = call(*arguments)
    assert message in err
    assert "Traceback" not in err
    assert code in {1, 2}
    assert store.read_bytes() == before


def test_plot_lists_its_figures(call, store):
    code, out, _ = call("plot", store, "--list")
    assert code == 0
    lines = dict(line.split(None, 1) for line in out.splitlines())
    assert lines["estimates"].endswith("(2 files)")
    assert lines["critical_difference"].startswith("Critical difference diagram")
    assert lines["confusion"].endswith("(4 files)")


def test_plot_writes_the_figures_that_are_named(call, store, tmp_path):
    code, out, _ = call("plot", store, "estimates", "time", "-o", "figures", "--format", "svg")
    assert code == 0
    names = ["estimates-one.svg", "estimates-two.svg", "time.svg"]
    assert out.split() == [os.path.join("figures", name) for name in names]  # noqa: PTH118
    for name in names:
        assert "<svg" in (tmp_path / "figures" / name).read_text()


def test_plot_writes_all_but_a_figure_per_pipeline(call, store, tmp_path):
    code, out, _ = call("plot", store, "-o", "all", "--dataset", "one", "--measure", "accuracy")
    assert code == 0
    names = {path.name for path in (tmp_path / "all").iterdir()}
    assert {"estimates-one.png", "roc-one.png", "calibration-one.png", "time.png"} <= names
    assert not any(name.startswith("confusion") for name in names)
    assert (tmp_path / "all" / "time.png").read_bytes().startswith(b"\x89PNG")
    assert len(out.split()) == len(names)


@pytest.mark.usefixtures("plain")
def test_without_matplotlib_plot_names_the_extra_and_report_goes_on(call, store, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = call("plot", store, "time")
    assert code == 2
    assert "the extra 'report'" in err
    assert call("report", store)[0] == 0


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "tiny.sqlite", "-o", "there.png"],
        ["plot", "tiny.sqlite", "time", "-o", "."],
        ["results", "export", "tiny.sqlite", "--output", "there.png"],
    ],
)
def test_a_full_disk_leaves_no_part_of_a_file(call, store, tmp_path, monkeypatch, arguments):
    for name in ("there.png", "time.png"):
        (tmp_path / name).write_text("before")
    before = sorted(tmp_path.iterdir())

    class FullDisk(io.FileIO):
        def write(self, content):
            super().write(content[: len(content) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    opened = Path.open

    def on_full_disk(path, *how, **named):
        return FullDisk(path, "w") if path.suffix == ".part" else opened(path, *how, **named)

    monkeypatch.setattr(Path, "open", on_full_disk)
    code, _, err = call(*arguments, "--force")
    assert (code, "cannot be written: No space left" in err) == (2, True)
    assert sorted(tmp_path.iterdir()) == before
    assert {(tmp_path / name).read_text() for name in ("there.png", "time.png")} == {"before"}


READING = {
    "report": [],
    "plot": [],
    "watch": ["--once", "--wait", "0"],
    "results show": [],
    "results failures": [],
}


def test_where_all_failed_there_is_nothing_to_draw(call, make_experiment, tmp_path):
    path = tmp_path / "x.sqlite"
    datasets = [{"name": "two", "p": 2}]
    run_experiment(
        make_experiment(path, datasets, [make_experiment.pipeline("A", fails_at=2)]),
        keep_going=True,
    )
    code, out, err = call("plot", path, "-o", tmp_path / "figures")
    assert (code, out) == (2, "")
    assert err == f"Error: {path}: there is nothing to draw; --list shows the reasons\n"
    assert list((tmp_path / "figures").iterdir()) == []
    assert (
        "calibration          none: there are no predictions yet\n"
        in call("plot", path, "--list")[1]
    )
    assert call("report", path)[0] == 0


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM runs",
        "UPDATE runs SET seed = 'high'",
        *(f"UPDATE runs SET spec = '{text}'" for text in ("{", "{}", "[1]", "5", "null")),
        *(
            f"UPDATE runs SET spec = json_set(spec, '$.{name}', json('{value}'))"
            for name, value in {
                "datasets": "[]",
                "pipelines": "3",
                "pipelines[0]": "5",
                "evaluation": "{}",
                "evaluation.measures": '["error"]',
                "evaluation.resampling": "null",
            }.items()
        ),
    ],
)
def test_a_damaged_record_is_said_to_be_one(call, store, command, change):
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(change)
    code, _, err = call(*command.split(), store, *READING[command])
    assert code == 2
    assert "is damaged" in err or "holds no run yet" in err


@pytest.mark.parametrize("text", ["{", "{}", "[1]", "5", "null"])
def test_a_damaged_record_has_no_provenance(call, store, text):
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE runs SET spec = ?", (text,))
    code, _, err = call("results", "info", store)
    assert code == 2
    assert "tiny.sqlite: is damaged" in err


def test_texts_of_failures_do_not_command_the_terminal(call, make_experiment, tmp_path):
    hostile = "\x1b[31mred\x07 \u202eturned \x00"
    datasets = [{"name": f"set {hostile}", "p": 2}]
    spec = make_experiment(
        tmp_path / "x.sqlite", datasets, [make_experiment.pipeline("A", fails_at=2)]
    )
    run_experiment(spec, keep_going=True)
    path = tmp_path / "x.sqlite"
    shown = ["results", "show"], ["results", "failures"], ["results", "info"], ["watch", "--once"]
    for command in shown:
        _, out, err = call(*command, path)
        assert "set \ufffd[31mred" in out
        assert not set(out + err) & set("\x1b\x07\u202e\x00")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["report", "tiny.sqlite"], "tiny.html"), (["plot", "tiny.sqlite", "time"], "time.png")],
)
def test_nothing_is_written_through_a_link_that_nobody_named(
    call, store, tmp_path, arguments, name
):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (tmp_path / name).symlink_to(precious)
    code, _, err = call(*arguments)
    assert (code, f"{name}: is a link to {precious}" in err) == (2, True)
    assert precious.read_text() == "kept"


def test_what_a_killed_writer_left_is_swept(call, store, tmp_path):
    old, young = tmp_path / ".out.csv.1.part", tmp_path / ".out.csv.2.part"
    for part in (old, young):
        part.write_text("half")
    os.utime(old, (0, 0))
    assert call("results", "export", store, "--output", "out.csv")[0] == 0
    assert [path for path in (old, young) if path.exists()] == [young]


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("arguments", "name", "what"),
    [
        ("report tiny.sqlite -o {}", "thesis.html", "no report of ilk"),
        ("report tiny.sqlite", "tiny.html", "no report of ilk"),
        ("results export tiny.sqlite --output {}", "loans.csv", "no table of results"),
        *(
            (f"results export tiny.sqlite --format {form} --output {{}}", "x", "no table of resul")
            for form in ("latex", "markdown")
        ),
        ("plot tiny.sqlite time", "time.png", "no figure of ilk"),
    ],
)
def test_only_earlier_outputs_are_replaced_unasked(call, store, tmp_path, arguments, name, what):
    path, arguments = tmp_path / name, arguments.format(name).split()
    path.write_text("pipe,length\n1,2\n")
    code, _, err = call(*arguments)
    assert (code, f"{name}: exists and is {what}" in err, "--force" in err) == (2, True, True)
    assert path.read_text() == "pipe,length\n1,2\n"
    assert call(*arguments, "--force")[0] == 0
    written = path.read_bytes()
    assert not written.startswith(b"pipe,")
    path.write_bytes(written + b"\n")  # an earlier output, told by its content
    assert call(*arguments)[0] == 0


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_figures_of_each_format_are_known_again(call, store, form):
    for _ in range(2):
        assert call("plot", store, "time", "--format", form)[0] == 0
