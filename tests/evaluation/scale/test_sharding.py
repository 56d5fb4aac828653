"""Shards: each machine runs its part of a plan, by key."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import plan_experiment, run_experiment
from ilk_evaluation.plan.design import Cell, Design, Named
from ilk_evaluation.plan.keys import digest
from ilk_evaluation.plan.shards import cells_of, checked_shard, read_shard


def design(n_datasets, n_pipelines, n_splits, salt=""):
    """A design with keys of the usual kind."""
    datasets = tuple(Named(f"d{i}", digest("data", i, salt)) for i in range(n_datasets))
    pipelines = tuple(Named(f"p{i}", digest("pipeline", i, salt)) for i in range(n_pipelines))
    cells = [
        Cell(d, s, p, 0, s, digest(datasets[d].key, pipelines[p].key, s), digest(d, s))
        for d in range(n_datasets)
        for s in range(n_splits)
        for p in range(n_pipelines)
    ]
    return Design("made", 0, None, datasets, pipelines, cells, {})


sizes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 23))


@given(sizes=sizes, n=st.integers(1, 9), salt=st.text("abc", max_size=3))
def test_shards_divide_the_plan_and_share_every_row_evenly(sizes, n, salt):
    made = design(*sizes, salt)
    shards = [cells_of(made, (i, n)) for i in range(1, n + 1)]
    together = [cell for shard in shards for cell in shard]
    assert len(together) == len(made.cells)
    assert {cell.key for cell in together} == {cell.key for cell in made.cells}
    for pair in {(cell.dataset, cell.pipeline) for cell in made.cells}:
        shares = [sum((cell.dataset, cell.pipeline) == pair for cell in shard) for shard in shards]
        assert max(shares) - min(shares) <= 1
    for shard in shards:
        order = [made.cells.index(cell) for cell in shard]
        assert order == sorted(order)


@given(sizes=sizes, n=st.integers(2, 5), where=st.randoms(use_true_random=False))
def test_the_order_of_a_file_changes_no_shard(sizes, n, where):
    made = design(*sizes)
    shuffled = list(made.cells)
    where.shuffle(shuffled)
    other = Design("other", 0, None, made.datasets, made.pipelines, shuffled, {})
    for i in range(1, n + 1):
        assert {cell.key for cell in cells_of(made, (i, n))} == {
            cell.key for cell in cells_of(other, (i, n))
        }


def test_another_pipeline_moves_no_cell():
    small, large = design(2, 2, 7), design(2, 3, 7)
    for i in (1, 2, 3):
        before = {cell.key for cell in cells_of(small, (i, 3))}
        assert before <= {cell.key for cell in cells_of(large, (i, 3))}


def test_remainders_are_spread():
    """Rows of 10 cells over 3 shards leave one over each; no shard gets them all."""
    made = design(30, 2, 10)
    counts = [len(cells_of(made, (i, 3))) for i in (1, 2, 3)]
    assert sum(counts) == 600
    assert max(counts) - min(counts) < 30


def test_equal_pipelines_share_their_cells(make_spec):
    spec = make_spec()
    spec["pipelines"].append({**spec["pipelines"][0], "id": "again"})
    plan = plan_experiment(spec)
    keys = [cell.key for i in (1, 2) for cell in cells_of(plan.design, (i, 2))]
    assert Counter(keys) == Counter({cell.key for cell in plan.cells})


@in_one_test
@pytest.mark.parametrize(
    ("shard", "message"),
    [
        ("0/3", "shard 0/3 does not exist; of 3 there are 1/3 to 3/3"),
        ("4/3", "shard 4/3 does not exist"),
        ("-1/3", "shard -1/3 does not exist"),
        ("1/0", "shard 1/0 does not exist; of 0 there are none"),
        ("1", "must be i/n"),
        ("1/3/4", "must be i/n"),
        ("a/b", "must be i/n"),
        ("", "must be i/n"),
        ((1, 2, 3), "must be a pair"),
        (7, "must be a pair"),
        ((1.0, 2), "pair of integers"),
        ((True, 2), "pair of integers"),
    ],
    ids=str,
)
def test_shards_that_there_are_not(shard, message):
    with pytest.raises(ilk.InputError, match=message):
        read_shard(shard) if isinstance(shard, str) else checked_shard(shard)


def test_a_shard_is_read():
    assert read_shard(" 2 / 5 ") == (2, 5)
    assert read_shard("1/1") == (1, 1)


def test_a_shard_runs_its_cells_only_and_says_what_is_missing(parts):
    stores, _ = parts
    kept = []
    for store in stores:
        with ilk.results(store).reading() as opened:
            kept.append(set(opened.statuses()))
        results = ilk.results(store)
        assert results.n_missing == 24 - len(kept[-1])
        assert len(kept[-1]) == 8
        assert results.table()["n_missing"].sum() == results.n_missing
        assert results.table()["error"].isna().all()  # no estimate of a part
    assert len(set.union(*kept)) == 24


def test_shards_in_one_store_add_up(tmp_path, make_spec, parts):
    _, whole = parts
    store = tmp_path / "one.sqlite"
    for i in (2, 1):
        results = run_experiment(make_spec(), store=store, shard=(i, 2))
    same = ilk.results(whole).table().drop(columns="fit_seconds")
    assert results.table().drop(columns="fit_seconds").equals(same)


FILE = """
[[datasets]]
use = "iris"
[[pipelines]]
id = "means"
steps = [{ classifier = "nearest_mean" }]
[evaluation]
resampling = { use = "kfold", folds = 5 }
"""


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(FILE)

    def call(*arguments):
        code = ilk_command(["run", "x.toml", "--quiet", *arguments])
        return code, *capsys.readouterr()

    return call


def test_the_command_says_which_share_was_run(command):
    code, out, err = command("--shard", "1/2", "--dry-run")
    assert (code, err) == (0, "")
    n = 2 if "\n2 cells of 5, shard 1/2, 0 of them done" in out else 3
    assert f"\n{n} cells of 5, shard 1/2, 0 of them done; store: results/x.sqlite\n" in out
    code, out, err = command("--shard", "1/2")
    assert (code, err) == (0, "")
    assert f"{5 - n} of 5 cells are not done yet\n" in out
    assert f"shard 1/2 has {n} of 5 cells; join the stores of all by: ilk results merge" in out
    assert f"\n{n} cells of 5, shard 1/2, {n} of them" in command("--shard", "1/2", "--dry-run")[1]
    code, out, _ = command()
    assert code == 0
    assert "not done yet" not in out
    assert "shard" not in out


def test_a_fresh_run_of_a_shard_forgets_no_other_cell(command, tmp_path):
    assert command()[0] == 0
    assert command("--shard", "2/3", "--fresh")[0] == 0
    assert ilk.results(tmp_path / "results" / "x.sqlite").n_missing == 0


def test_the_shard_of_a_run_is_in_its_provenance(command, capsys):
    command("--shard", "2/3")
    assert ilk_command(["results", "info", "results/x.sqlite"]) == 0
    assert "x.toml, shard 2/3\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shard", "3/2"), "shard 3/2 does not exist; of 2 there are 1/2 to 2/2"),
        (("--shard", "half"), "shard must be i/n"),
        (("--shard", "1/2", "--only", "ab"), "leave --shard out"),
    ],
    ids=["none", "word", "only"],
)
def test_mistakes_of_the_command(command, arguments, message):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert message in err
