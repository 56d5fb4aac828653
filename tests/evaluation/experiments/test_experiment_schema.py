"""The JSON Schema of experiment files, held against good files and bad ones."""

import importlib.util
import tomllib
from pathlib import Path

import jsonschema
import pytest

from cases import in_one_test
from ilk.schema import installed_file_schema

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def _bad_specs():
    """The bad files of the tests beside this one."""
    spec = importlib.util.spec_from_file_location("bad", HERE / "test_bad_experiment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {**module.GRAMMAR, **module.BEYOND}


BAD = _bad_specs()
NOT_SAID = {
    "an id twice": "JSON Schema cannot compare one key of the members of a list",
    "a data set twice": "the same only once defaults are filled in",
    "not TOML": "no document",
}


@pytest.fixture
def validator(components):
    return jsonschema.Draft202012Validator(installed_file_schema("experiment"))


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.name)
def test_examples_are_valid(path):
    schema = installed_file_schema("experiment")
    jsonschema.Draft202012Validator.check_schema(schema)
    document = tomllib.loads(path.read_text())
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    assert not errors, errors[0].message


@in_one_test
@pytest.mark.parametrize("case", sorted(BAD.keys() - NOT_SAID))
def test_bad_files_are_not(validator, case):
    text, _ = BAD[case]
    assert not validator.is_valid(tomllib.loads(text))
