"""A component reads in one place: few modules, none long, no circles, arguments with types."""

import pytest

import structure

USES = structure.graph()


@pytest.mark.parametrize(
    ("module", "most"),
    [
        ("ilk_learners.metric_learners.nca", 5),
        ("ilk_learners.metric_learners.lmnn", 5),
        ("ilk_learners.metric_learners.itml", 4),
        ("ilk_learners.classifiers.knn", 4),
        ("ilk_distances.histograms.chi2", 4),
        ("ilk_distances.histograms.hellinger", 4),
    ],
)
def test_few_modules_make_a_component(module, most):
    assert len(structure.parts(USES, module)) <= most


def test_modules_are_no_fragments_and_no_tomes():
    size = structure.lines()
    assert len(size) < 560
    assert max(size.values()) <= 600
    assert len(structure.single_importers(USES)) < 40


def test_arguments_have_types():
    assert structure.any_share() < 0.06


def test_no_circles():
    assert structure.circles(USES) == []


def test_a_circle_is_found():
    uses = {"p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": {"p.a"}, "p.d": {"p.a"}, "p": {"p.d"}}
    assert structure.circles(uses) == [["p.a", "p.b", "p.c"]]
