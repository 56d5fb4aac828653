"""`ilk check` at the prompt; what it finds is tested with the kit."""

import re


def test_one_component_is_no_plural(cli):
    result = cli("check", "ilk-core", "--kind", "classifier", "--fast")
    assert result.code == 0, result.out
    assert re.search(r"^ok: 1 component, \d+ checks passed, 0 failed", result.out, re.MULTILINE)


def test_only_distributions_are_offered(cli):
    result = cli("check", "nosuch")
    assert result.code == 2
    assert "(there are: ilk-core" in result.err
    assert "(session)" not in result.err
