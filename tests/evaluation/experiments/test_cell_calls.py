"""How often a cell and its plan check rows, look up names, resolve, clone and search."""

import numpy as np
import pytest

import ilk
from cell_calls import cell, counts_of, planning


def test_a_cell_checks_rows_once_for_each_component():
    counts = counts_of(cell())
    # one for each public call that gets rows; the report of nca compares two tables twice
    assert counts["check_vectors"] <= 12
    assert counts["check_finite"] <= 17
    assert counts["clone"] == 6  # the pipeline, three steps, the distance and index of knn
    assert counts["search of knn"] == counts["search"] == 1
    assert counts["name look-up"] == counts["resolution"] == 0


NEAREST = {"use": "knn", "k": 3}


@pytest.mark.parametrize(
    ("classifier", "searches"),
    [
        ({"use": "voting", "members": [NEAREST, {**NEAREST, "k": 5}]}, 2),
        ({"use": "bagging", "member": NEAREST, "n_members": 4}, 4),
        ({"use": "ecoc", "member": NEAREST, "code": "ova"}, 3),
    ],
    ids=lambda value: value["use"] if isinstance(value, dict) else None,
)
def test_a_cell_asks_each_member_of_an_ensemble_once(classifier, searches):
    assert counts_of(cell([{"classifier": classifier}]))["search of knn"] == searches


def test_a_plan_resolves_each_pipeline_once():
    assert counts_of(planning())["resolution"] == 1  # the whole file


def test_a_bad_query_is_still_refused_by_name():
    X, y = ilk.dataset("iris").load().Xy
    model = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "knn"}]).fit(X, y)
    spoiled = np.array(X[:3], dtype=float)
    spoiled[1, 2] = np.nan
    with pytest.raises(ilk.InputError, match="standardize: X has NaN at row 1, column 2"):
        model.outputs(spoiled)
    with pytest.raises(ilk.InputError, match="knn: X: .* 3 features.* expecting 4"):
        model[1].predict(spoiled[:, :3])
    with pytest.raises(ilk.InputError, match="brute: Q has infinity|euclidean: Q has infinity"):
        model[1].index_.kneighbors(np.full((1, 4), np.inf), 1)
