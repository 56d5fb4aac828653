"""2,000 sets of data full of ties for each component of `tests/test_row_order.py`."""

import runpy
from pathlib import Path

import pytest

HERE = runpy.run_path(str(Path(__file__).parents[1] / "test_row_order.py"))
MODELS, DRAWN, REGRESSORS = HERE["MODELS"], HERE["DRAWN"], HERE["REGRESSORS"]
SEEDS = range(2000)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [*MODELS, *REGRESSORS])
def test_order_of_rows_does_not_matter(name):
    assert broken(HERE["check_order"], {**MODELS, **REGRESSORS}[name]) == []


@pytest.mark.parametrize("name", [*MODELS, *DRAWN])
def test_names_of_classes_do_not_matter(name):
    assert broken(HERE["check_names"], {**MODELS, **DRAWN}[name]) == []


def broken(check, make):
    """Seeds on which a check fails."""
    bad = []
    for seed in SEEDS:
        try:
            check(make, seed)
        except AssertionError:
            bad.append(seed)
    return bad
