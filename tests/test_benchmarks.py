"""The command that runs the benchmarks, on parts made for these tests, and the page it writes."""

import importlib
import json
import sys
import time

import pytest

from pages import ROOT

PARTS = {
    "good.py": """
from measure import Row, within

def rows():
    yield Row("sorting", "numpy", 2, 3.0, 0.5, "a|b")
    yield Row("searching", "numpy", None, 0.5, 0.25)
    yield within("waiting", None, lambda: None)
""",
    "crashing.py": """
from measure import Row

def rows():
    yield Row("one", "numpy", None, 2.0, 0.5)
    raise ValueError("no more")
""",
    "lacking.py": "import no_such_peer\n",
    "slow.py": """
import time
from measure import Row

def rows():
    yield Row("one", "numpy", None, 2.0, 0.5)
    time.sleep(60)
""",
}


@pytest.fixture
def command(monkeypatch, tmp_path):
    """The module of the command, which finds the parts above and none of ours."""
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import __main__ as command

    folder = tmp_path / "benchmarks" / "numbers"
    folder.mkdir(parents=True)
    for name, text in PARTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("measure.py", "one_part.py"):
        code = (ROOT / "benchmarks" / name).read_text(encoding="utf-8")
        (folder.parent / name).write_text(code, encoding="utf-8")
    monkeypatch.setattr(command, "HERE", folder.parent)
    return command


@pytest.fixture
def record(command):
    return sys.modules["benchmarks.record"]


ROW = {"work": "w", "peer": "p", "target": None, "ratio": 2.0, "seconds": 0.1, "note": ""}


def part(**changes):
    known = {"date": "2026-02-03", "load": 1.0, "outcome": "complete", "repeats": None}
    return {**known, "seconds": 1.0, "rows": [ROW], **changes}


def test_parts_are_chosen_by_name_and_folder(command):
    everything = [f"numbers/{name.removesuffix('.py')}" for name in sorted(PARTS)]
    assert command.chosen([]) == command.chosen(["numbers"]) == everything
    assert command.chosen(["numbers/slow"]) == ["numbers/slow"]
    with pytest.raises(SystemExit, match="no part 'number'; there are numbers/crashing"):
        command.chosen(["number"])


@pytest.mark.system
def test_numbers_are_recorded_and_the_page_tells_them(command, record, tmp_path, capsys):
    page = tmp_path / "page.md"
    command.main(["numbers/good", "--table", str(page), "--repeats", "1"])
    printed = capsys.readouterr().out.splitlines()
    assert printed[2:4] == [
        "| sorting | numpy | 3.00 | 2.00 | 0.500 | a\\|b |",
        "| searching | numpy | **0.500** |  | 0.250 |  |",
    ]
    found = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert [row["ratio"] for row in found["parts"]["numbers/good"]["rows"]] == [3.0, 0.5, None]
    text = page.read_text(encoding="utf-8")
    assert text == record.text(found)
    assert all(line in text for line in printed)
    assert "2 rows have a ratio; 1 of them are below 1." in text
    command.main(["--behind", "--read", str(page.with_suffix(".json"))])
    assert capsys.readouterr().out.splitlines() == printed[3:4]


@pytest.mark.system
@pytest.mark.parametrize(
    ("part", "seconds", "outcome", "rows"),
    [
        ("crashing", 60, "failed: ValueError: no more", 1),
        ("lacking", 60, "left out, as no_such_peer is not installed", 0),
        ("slow", 3, "stopped after 3 s", None),
    ],
)
def test_rows_of_a_part_that_fails_are_kept(command, part, seconds, outcome, rows):
    found = command.run(f"numbers/{part}", seconds)
    assert found["outcome"] == outcome
    assert rows is None or len(found["rows"]) == rows


def test_other_parts_stay_if_machine_and_versions_do(record, tmp_path):
    file = tmp_path / "page.json"
    mine = {**record.new(), "parts": {"numbers/good": part()}}
    for known, kept in ((mine, mine), ({**mine, "versions": {"Python": "2.7"}}, record.new())):
        file.write_text(json.dumps(known), encoding="utf-8")
        assert record.continued(file) == kept


def test_what_there_is_no_time_for_is_told_and_keeps_earlier_rows(command, record, tmp_path):
    page = tmp_path / "page.md"
    earlier = {**record.new(), "parts": {"numbers/good": part()}}
    page.with_suffix(".json").write_text(json.dumps(earlier), encoding="utf-8")
    command.main(["numbers/good", "numbers/slow", "--table", str(page), "--minutes", "0"])
    found = record.load(page.with_suffix(".json"))["parts"]
    assert found["numbers/good"] == part()
    assert found["numbers/slow"]["outcome"] == "not run, as 0 minutes were over"
    assert "\nNot run, as 0 minutes were over.\n" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (2163.4, "2,163"), (42.06, "42.1"), (0.00517, "0.00517")]
)
def test_numbers_have_three_digits_at_least(record, value, shown):
    row = {**ROW, "seconds": value}
    assert record.line(row).split(" | ")[4] == shown


def test_a_page_tells_dates_noise_and_what_is_lacking(record):
    parts = {
        "numbers/good": part(),
        "words/late": part(date="2026-02-05", load=9.0, outcome="stopped after 3 s", repeats=1),
        "words/later": part(load=8.0, rows=[]),
    }
    text = record.text({**record.new(), "parts": parts})
    assert "- Date: 2026-02-03 to 2026-02-05\n" in text
    assert "load 8.0, of which 1 is the benchmark" in text
    assert text.index("## Numbers\n") < text.index("## Words\n")
    assert text.endswith("### Later (words)\n")
    assert "\nStopped after 3 s.\n" in text


def test_the_page_of_the_docs_tells_the_record_beside_it(record):
    page = ROOT / "docs" / "benchmarks.md"
    assert page.read_text("utf-8") == record.text(record.load(page.with_suffix(".json")))


def test_growth_is_fitted_and_foretold(command):
    growth = importlib.import_module("benchmarks.growth")
    assert growth.exponent((10, 100, 1000), [1.0, 100.0, 1e4]) == pytest.approx(2)
    assert growth.exponent((10, 100), [1.0]) is None
    ours = growth.Series("fit", "n", "peer", (10, 100, 1000), lambda n: None)
    found = {**vars(ours), "ours": [1.0, 100.0, 1e4], "theirs": [1.0, 10.0]}
    expected = (
        "| fit | n = 10 / 100 / 1,000 | 1 / 100 / 1e+04 | **2.00** | peer | 1 / 10 / - | 1.00 |"
    )
    assert growth.line(found) == expected


def test_sizes_that_would_take_too_long_are_left_out(command, monkeypatch):
    growth = importlib.import_module("benchmarks.growth")
    clock = {"ours": 0.0}
    monkeypatch.setattr(growth, "process_time", lambda: clock["ours"])

    def pair(n):
        def work():
            clock["ours"] += n**2

        return work, work

    series = growth.Series("fit", "n", "peer", (1, 2, 4, 8), pair, most_of_peer=2)
    found = growth.measured(series, time.monotonic() + 1000)
    assert (found["ours"], found["theirs"]) == ([1.0, 4.0, 16.0], [1.0, 4.0])
