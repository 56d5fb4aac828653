"""A run of claims that is killed goes on where it ended."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

CLAIM = """
[claim]
text = "arras"
place = "1"
statement = "Trees of ten members."
protocol = "Two folds."
seconds = 1.0
[[rules]]
kind = "better"
pipeline = "bagging"
[[datasets]]
use = "breast_cancer"
[[pipelines]]
id = "tree"
steps = [{ classifier = "decision_tree" }]
[[pipelines]]
id = "bagging"
steps = [{ classifier = { use = "bagging", n_members = 10, member = "decision_tree" } }]
[evaluation]
resampling = { use = "repeated_kfold", folds = 2, repeats = 8 }
"""


def n_cells(store):
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store)) as opened:
        try:
            return opened.execute("SELECT count(*) FROM cells").fetchone()[0]
        except sqlite3.OperationalError:  # not written yet
            return 0


def test_a_killed_run_is_resumed(tmp_path):
    (tmp_path / "killed.toml").write_text(CLAIM)
    found = []
    for name, kill in (("interrupted", True), ("interrupted", False), ("whole", False)):
        stores = tmp_path / name
        command = [sys.executable, "-m", "ilk", "claims", "run", "--folder", str(tmp_path)]
        command += ["--store", str(stores), "--executor", "serial"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while kill and process.poll() is None:
                if n_cells(stores / "killed.sqlite") > 6:
                    process.send_signal(signal.SIGKILL)
                    break
                time.sleep(0.02)
        assert process.wait() == (-signal.SIGKILL if kill else 0)
        before = n_cells(stores / "killed.sqlite")
        assert 6 < before < 32 if kill else before == 32
        (record,) = json.loads((stores / "claims.json").read_text())["claims"]
        found.append((record["repeats"], record["rules"]))
    killed, resumed, whole = found
    assert killed[0] < 8
    assert resumed == whole
