"""Finding, loading and naming components."""

import pkgutil

import pytest

import ilk
import shipped
from ilk._lazy import PACKAGES
from ilk.discovery import Found
from ilk.kinds import kinds
from ilk.registries import SESSION, refresh, replaced_components
from ilk.shipped import known

DISTANCE = """
    import ilk

    class Mine(ilk.Distance):
        def pairwise(self, X, Y=None):
            return 0
"""


def test_kinds_are_found_by_both_names():
    assert ilk.registry("distances") is ilk.registry("distance")
    with pytest.raises(ilk.UnknownComponentError, match="did you mean 'distance'"):
        ilk.registry("distnace")


def test_a_name_is_suggested():
    with pytest.raises(ilk.UnknownComponentError, match="did you mean 'power'"):
        ilk.distance("powr")


def test_another_kind_is_named():
    with pytest.raises(ilk.UnknownComponentError, match="'power' is a distance"):
        ilk.classifier("power")


def test_the_distribution_to_install_is_named(monkeypatch):
    monkeypatch.setitem(known(), ("distance", "hue"), "ilk-colours")
    with pytest.raises(ilk.UnknownComponentError, match="ilk-colours, which is not installed"):
        ilk.distance("hue")


def test_the_distribution_left_out_is_named(monkeypatch):
    monkeypatch.setenv("ILK_PLUGINS", "ilk-learners")
    refresh()
    try:
        with pytest.raises(ilk.UnknownComponentError, match="ilk-distances, which ILK_PLUGINS"):
            ilk.distance("manhattan")
    finally:
        monkeypatch.undo()
        refresh()


def test_what_is_known_is_what_the_distributions_offer():
    """Else: ``python tests/helpers/shipped.py`` writes it."""
    assert shipped.KNOWN.read_text(encoding="utf-8") == shipped.known_as_it_should_be()
    offered = [(kind, name) for _, kind, names in shipped.offers() for name in names]
    assert len(offered) == len(set(offered)) == len(known())


def test_finding_imports_nothing(installed_fakes):
    installed_fakes("fake-a", "[ilk.distances]\nmine = fake_a:Mine\n", "raise RuntimeError('no')")
    assert "mine" in ilk.distances()
    found = ilk.registry("distance").lookup("mine")
    assert found == Found("distance", "mine", "fake-a", "1.0", "fake_a:Mine")


def test_a_broken_component_says_whose_it_is_and_why(installed_fakes):
    installed_fakes("fake-b", "[ilk.distances]\nmine = fake_b:Mine\n", "import no_such_module")
    for _ in range(2):  # the answer stays the same
        with pytest.raises(ilk.BrokenComponentError) as caught:
            ilk.distance("mine")
        for part in ("'mine'", "fake-b 1.0", "fake_b:Mine", "no_such_module"):
            assert part in str(caught.value)
        assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    assert ilk.distance("power").p == 2.0


def test_a_module_that_ends_the_program_is_broken_too(installed_fakes):
    installed_fakes("fake-k", "[ilk.distances]\nmine = fake_k:Mine\n", "raise SystemExit(7)")
    with pytest.raises(ilk.BrokenComponentError, match="cannot be imported: SystemExit: 7"):
        ilk.distance("mine")


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("def Mine(): pass", "not a class"),
        ("class Mine: pass", "must subclass ilk.Distance"),
        ("import ilk\nclass Mine(ilk.Distance): pass", "does not define pairwise"),
        (
            (
                "import ilk\nclass Mine(ilk.Distance):\n"
                "    def __init__(self, p=1): self.p = p\n"
                "    def pairwise(self, X, Y=None): return 0"
            ),
            r"In place of __init__ write\n +p: int = ilk\.param\(default=1\)",
        ),
        (
            (
                "import ilk\nclass Mine(ilk.Distance):\n"
                "    p = ilk.Param(int)\n"
                "    def pairwise(self, X, Y=None): return 0"
            ),
            "the parameter p needs a default",
        ),
        (
            (
                "import ilk\nclass Mine(ilk.Distance):\n"
                "    def __init__(self, **rest): pass\n"
                "    def pairwise(self, X, Y=None): return 0"
            ),
            r"Drop __init__\.",
        ),
    ],
)
def test_an_object_of_the_wrong_kind_is_refused(installed_fakes, module, said, request):
    name = f"fake-c{abs(hash(request.node.name)) % 10**8}"
    point = f"[ilk.distances]\nmine = {name.replace('-', '_')}:Mine\n"
    installed_fakes(name, point, module)
    with pytest.raises(ilk.BrokenComponentError, match=said):
        ilk.distance("mine")


def test_a_name_of_two_distributions_must_be_qualified(installed_fakes):
    installed_fakes("fake-d", "[ilk.distances]\nmine = fake_d:Mine\n", DISTANCE)
    installed_fakes("fake-e", "[ilk.distances]\nmine = fake_e:Mine\n", DISTANCE)
    with pytest.raises(ilk.AmbiguousComponentError, match="fake-d and fake-e.*'fake-d/mine'"):
        ilk.distance("mine")
    assert type(ilk.distance("fake-e/mine")).__module__ == "fake_e"
    assert ilk.to_spec(ilk.distance("fake-e/mine")) == {"use": "fake-e/mine"}
    with pytest.raises(ilk.UnknownComponentError, match="offered as fake-d/mine, fake-e/mine"):
        ilk.distance("fake-f/mine")


def test_a_second_copy_on_the_path_is_not_a_second_distribution(installed_fakes, tmp_path):
    installed_fakes("fake-g", "[ilk.distances]\nmine = fake_g:Mine\n", DISTANCE)
    copy = tmp_path / "Fake_G-0.9.dist-info"
    copy.mkdir()
    (copy / "METADATA").write_text("Metadata-Version: 2.1\nName: Fake_G\nVersion: 0.9\n")
    (copy / "entry_points.txt").write_text("[ilk.distances]\nmine = fake_g:Mine\n")
    refresh()
    assert type(ilk.distance("mine")).__module__ == "fake_g"


def test_a_plugin_may_add_a_kind(installed_fakes):
    installed_fakes(
        "fake-h",
        "[ilk.kinds]\ncolour = fake_h:KIND\n[ilk.colours]\nred = fake_h:Red\n",
        """
        import ilk

        class Colour(ilk.Component):
            "A colour."
            kind = "colour"

        class Red(Colour):
            "Red."

        KIND = ilk.Kind("colour", "colours", ("fake_h:Colour",), "a colour")
        """,
    )
    assert ilk.registry("colour").names() == ["red"]
    assert ilk.make("colour", "red").kind == "colour"
    assert ilk.registry("colour").lookup("red").kind == "colour"


def test_a_broken_kind_spoils_nothing_else(installed_fakes):
    installed_fakes("fake-i", "[ilk.kinds]\nx = fake_i:KIND\n", "KIND = 3")
    with pytest.warns(UserWarning, match="fake-i 1.0.*is not an ilk.Kind"):
        assert "power" in ilk.distances()


def test_plugins_can_be_limited(installed_fakes, monkeypatch):
    installed_fakes("fake-j", "[ilk.distances]\nmine = fake_j:Mine\n", DISTANCE)
    monkeypatch.setenv("ILK_PLUGINS", "Fake_J")  # the core is always seen
    refresh()
    assert set(ilk.installed()) == {"ilk-core", "fake-j"}


def test_registering_by_hand(toys):
    registry = ilk.registry("distance")
    assert registry.get("power") is toys["power"]
    with pytest.raises(ilk.BrokenComponentError, match="is no distance"):
        registry.register("other", toys["centre"])
    with pytest.raises(ilk.AmbiguousComponentError, match="replace=True"):
        registry.register("power", type("Power2", (toys["power"],), {}))
    assert registry.lookup("power").distribution == SESSION


@pytest.mark.parametrize("name", ["ilk-core/pipeline", "", "a\nb", 3, "My distance", "class", "2d"])
def test_names_registered_by_hand_are_those_of_plugins(name):
    with pytest.raises(ilk.BrokenComponentError, match="a name is made of lower-case letters"):
        ilk.registry("classifier").register(name, ilk.Pipeline)


def test_a_name_that_a_distribution_offers_is_replaced_on_request_only(toys):
    registry, mine = ilk.registry("classifier"), type("Mine", (ilk.Pipeline,), {})
    with pytest.raises(ilk.AmbiguousComponentError, match=r"pipeline.* by ilk-core.*replace=True"):
        registry.register("pipeline", mine)
    assert not replaced_components()
    try:
        registry.register("pipeline", mine, replace=True)
        assert [found.name for found in replaced_components()] == ["pipeline"]
    finally:
        registry.unregister("pipeline")


def test_sugar_checks_at_once():
    with pytest.raises(ilk.ParameterError, match="power: p must be a number > 0, got -1"):
        ilk.distance("power", p=-1)
    with pytest.raises(ilk.ParameterError, match="power has no parameter 'q'"):
        ilk.distance("power", q=1)


def test_every_kind_has_its_two_functions():
    for kind in kinds().values():
        assert callable(getattr(ilk, kind.name))
        assert getattr(ilk, kind.plural)() == ilk.registry(kind.name).names()


def test_public_names_exist():
    for name in ilk.__all__:
        assert getattr(ilk, name) is not None
    with pytest.raises(AttributeError, match="did you mean 'distance'"):
        _ = ilk.distanc


def test_no_public_name_is_hidden_by_a_module():
    modules = {module.name for module in pkgutil.iter_modules(ilk.__path__)}
    assert modules & set(ilk.__all__) == set(PACKAGES)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("class Odd(BaseException): pass\nraise Odd('end')", "cannot be imported: Odd: end"),
        ("raise GeneratorExit", "cannot be imported: GeneratorExit"),
        *(
            (
                (
                    f"import ilk\nclass Mine(ilk.Distance):\n    parameters = {table}\n"
                    "    def pairwise(self, X, Y=None): return 0"
                ),
                r"since ilk 0\.2 parameters are fields of the class.*Drop parameters\.",
            )
            for table in ("['q']", "None", "{}")
        ),
        (
            (
                "import ilk\nclass Mine(ilk.Distance):\n    capabilities = 'all'\n"
                "    def pairwise(self, X, Y=None): return 0"
            ),
            "capabilities must be ilk.Capabilities, got 'all'",
        ),
    ],
)
def test_whatever_a_plugin_does_it_is_named(installed_fakes, module, said, request):
    name = f"fake-m{abs(hash(request.node.name)) % 10**8}"
    installed_fakes(name, f"[ilk.distances]\nmine = {name.replace('-', '_')}:Mine\n", module)
    with pytest.raises(ilk.BrokenComponentError, match=f"{name} 1.0.*{said}"):
        ilk.distance("mine")


def test_a_malformed_entry_point_says_so(installed_fakes):
    installed_fakes("fake-n", "[ilk.distances]\nmine = %%%\n", DISTANCE)
    with pytest.raises(ilk.BrokenComponentError, match="'%%%' is not of the form module:Class"):
        ilk.distance("mine")


@pytest.mark.parametrize("name", ["a b", "a/b", "[a]"])
def test_names_that_nobody_can_write_are_left_out(installed_fakes, name):
    installed_fakes("fake-o", f"[ilk.distances]\n{name} = fake_o:Mine\n", DISTANCE)
    with pytest.warns(UserWarning, match="left out.*is no name"):
        names = ilk.distances()
    assert "power" in names
    assert name not in names


def test_a_name_twice_in_one_distribution(installed_fakes):
    points = "[ilk.distances]\nmine = fake_p:Mine\n[ilk.distances]\nmine = fake_p:Mine\n"
    installed_fakes("fake-p", points, DISTANCE)
    with pytest.raises(ilk.AmbiguousComponentError, match="registered twice by fake-p"):
        ilk.distance("mine")
