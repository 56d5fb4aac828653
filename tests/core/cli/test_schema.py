"""``ilk schema``."""

import json

import jsonschema
import pytest


def test_of_experiment_files(cli):
    result = cli("schema")
    assert result.code == 0
    schema = json.loads(result.out, parse_constant=pytest.fail)  # Infinity is no JSON
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["datasets", "pipelines"]


def test_of_a_component(cli):
    schema = json.loads(cli("schema", "distances", "minkowski").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"use": "minkowski", "p": 1.5, "weights": [1, 2]})
    assert not validator.is_valid({"use": "minkowski", "p": 0})
    assert not validator.is_valid({"use": "minkowski", "q": 1})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("distance",), "Say its NAME"),
        (("distnace", "x"), "did you mean 'distance'"),
        (("distance", "minkovski"), "did you mean 'minkowski'"),
    ],
)
def test_what_is_not_there(cli, arguments, said):
    result = cli("schema", *arguments)
    assert result.code == 2
    assert said in result.err


def test_a_broken_component_is_left_out(cli, install):
    install("fake-broken", "[ilk.distances]\nspoiled = fake_broken:X\n", "import no_such_module")
    schema = json.loads(cli("schema").out)
    assert "spoiled" not in json.dumps(schema)
    assert cli("schema", "distance", "spoiled").code == 2


def test_a_name_of_two_distributions_is_qualified(cli, install):
    module = "import ilk\nclass X(ilk.Distance):\n    def pairwise(self, X, Y=None): return 0\n"
    install("fake-euclid", "[ilk.distances]\neuclidean = fake_euclid:X\n", module)
    validator = jsonschema.Draft202012Validator(json.loads(cli("schema", "classifier", "knn").out))
    for name in ("ilk-core/euclidean", "fake-euclid/euclidean"):
        assert validator.is_valid({"use": "knn", "distance": name})
        assert validator.is_valid({"use": "knn", "distance": {"use": name}})
    assert not validator.is_valid({"use": "knn", "distance": "euclidean"})
