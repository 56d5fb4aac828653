"""What ilk promises of every component, checked for those of this distribution."""

from ilk.testing import conformance_tests

test_conformance = conformance_tests("ilk-example")
