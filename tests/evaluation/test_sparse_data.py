"""Sparse data sets: read from svmlight files, described, and run."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import ilk
from ilk.cli.shell import run


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.round(4 * rng.random((60, 300)) * (rng.random((60, 300)) < 0.05))
    X[np.arange(60), y] = 3
    path = tmp_path / "words.svm"
    dump_svmlight_file(sp.csr_matrix(X), y, str(path), zero_based=False)
    return path


def test_rows_of_a_file(file):
    data = ilk.dataset("svmlight", path=file, sparse=True).load()
    theirs, labels = load_svmlight_file(str(file))
    assert ilk.is_sparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), theirs.toarray())
    np.testing.assert_array_equal(data.y, labels)
    dense = ilk.dataset("svmlight", path=file).load()
    np.testing.assert_array_equal(data.X.toarray(), dense.X)
    assert data.feature_names == dense.feature_names
    assert dense.density is None
    assert data.density == theirs.nnz / (60 * theirs.shape[1])
    assert f"{data.density:.3g} of them stored" in repr(data)


def test_large_files_with_few_values_stay_sparse(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("".join(f"{i % 2} {1 + i}:1 900000:2\n" for i in range(20)))
    data = ilk.dataset("svmlight", path=path).load()
    assert ilk.is_sparse(data.X)
    assert data.X.shape == (20, 900000)
    assert data.X[3, 899999] == 2


def test_positions_out_of_range_name_the_line(tmp_path):
    path = tmp_path / "short.svm"
    path.write_text("1 1:1\n0 7:1\n")
    with pytest.raises(ilk.DataError, match=r"short\.svm:2: position 7 is not within 1 to 5"):
        ilk.dataset("svmlight", path=path, n_features=5, sparse=True).load()


def test_the_command_prints_the_density(file, capsys):
    density = ilk.dataset("svmlight", path=file, sparse=True).load().density
    assert run(["data", str(file), "--set", "sparse=true"]) == 0
    assert f"sparse: {100 * density:.3g} % of the values" in capsys.readouterr().out


def test_an_experiment(file, tmp_path):
    pipelines = {
        "knn": ilk.classifier("knn", distance="cosine", k=3),
        "svd": ilk.Pipeline(
            [
                {"transformer": {"use": "truncated_svd", "n_components": 5, "n_iter": 20}},
                {"classifier": "nearest_mean"},
            ]
        ),
        "enn": ilk.Pipeline([{"editor": "enn"}, {"classifier": {"use": "knn", "k": 1}}]),
    }
    data = ilk.dataset("svmlight", path=file, sparse=True).load()
    counted = []
    for _ in range(2):  # the second time all cells are known: the fingerprint is the same
        results = ilk.compare(
            pipelines,
            data,
            resampling={"use": "kfold", "folds": 3},
            store=tmp_path / "sparse.sqlite",
        )
        errors = results.scores.query("measure == 'error'")["value"].to_numpy()
        counted.append(errors)
    assert len(errors) == 9
    assert errors.mean() < 0.2
    np.testing.assert_array_equal(*counted)
