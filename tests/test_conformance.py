"""Every component of our distributions does what its kind and its capabilities promise."""

from ilk.testing import conformance_tests

test_conformance = conformance_tests(
    "ilk-core", "ilk-distances", "ilk-learners", "ilk-ensembles", "ilk-evaluation"
)
