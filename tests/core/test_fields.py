"""Parameters declared as fields: what is refused, what is inherited, what copies keep."""

import copy
import inspect
import pickle

import cloudpickle
import numpy as np
import pytest
from sklearn.base import clone

import ilk
from cases import in_one_test
from ilk import Param, param, slot, slots
from ilk.kinds import kinds
from ilk.shipped import DefaultName


def made(*bases, **body):
    return type("Made", bases or (ilk.Component,), body)


class Base(ilk.Component):
    k: int = param(default=5, ge=1, doc="Neighbours.")
    distance: ilk.DistanceLike = slot("distance", default="euclidean")
    parts: list[ilk.DistanceLike] = slots("distance", default=({"use": "minkowski", "p": 1},))


@in_one_test
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"fit": param(default=1)}, "parameter fit has the name of a method"),
        ({"kind": param(default=1)}, "cannot be called 'kind'"),
        ({"capabilities": param(default=1)}, "cannot be called 'capabilities'"),
        ({"class": param(default=1)}, "cannot be called 'class'"),
        ({"self": param(default=1)}, "cannot be called 'self'"),
        ({"a__b": param(default=1)}, "cannot be called 'a__b': underscores"),
        ({"mean_": param(default=1)}, "cannot be called 'mean_': underscores"),
        ({"x": Param(int)}, "the parameter x needs a default"),
        ({"k": -1}, "Made: k: the default must be an integer >= 1, got -1"),
        ({"k": None}, "Made: k: the default must be an integer >= 1, got None"),
        ({"k": lambda self: 1}, "the method k hides a parameter"),
        ({"k": property(lambda self: 1)}, "the property k hides a parameter"),
        ({"distance": 3}, "distance: the default must be a distance .* got 3"),
        ({"distance": None}, "distance: the default must be a distance .* got None"),
        ({"parts": ["minkowski"]}, "parts: the default must not be mutable"),
    ],
)
def test_a_class_that_cannot_work_is_refused(body, said):
    with pytest.raises(ilk.DeclarationError, match=said):
        made(Base, type("Fits", (), {"fit": lambda self: self}), **body)


@in_one_test
@pytest.mark.parametrize(
    ("declare", "said"),
    [
        (lambda: param(default=[]), r"must not be mutable: use None or a tuple, got \[\]"),
        (lambda: param(default={}), "must not be mutable"),
        (lambda: param(default=np.eye(2)), "must not be mutable"),
        (lambda: param(default=None), "does not tell the type"),
        (lambda: param(default=()), "does not tell the type"),
        (lambda: param(default=len), "does not tell the type"),
        (lambda: param(default=1.5, type=int), "must be an integer, got 1.5"),
        (lambda: param(default=0, ge=1), "must be an integer >= 1, got 0"),
        (lambda: param(default="al", choices=("all", "none")), "got 'al'; did you mean 'all'"),
        (lambda: param(default="a", choices="ab"), "choices must be a tuple, got 'ab'"),
        (lambda: param(default=1, type="int"), "type must be a type .* got 'int'"),
        (lambda: param(default=None, type=list[int]), r"type must be a type .* got list\[int\]"),
        (lambda: param(default=(), type=list, items=int), "items must be ilk.Param"),
        (lambda: slot("distance", default=3), "must be a distance .* got 3"),
        (lambda: slot("distance", default=ilk.distance("euclidean")), "would be shared"),
        (lambda: slots("distance", default="euclidean"), "must be a list"),
        (lambda: slots("distance", default=("euclidean", 3)), "must be a list .* got 3"),
        (lambda: slots("distance", many=tuple), "many must be list or dict"),
    ],
)
def test_a_field_that_cannot_work_is_refused(declare, said):
    with pytest.raises(ilk.DeclarationError, match=said):
        declare()


def test_the_default_tells_the_type():
    assert made(a=param(default=np.float64(2)))(a=3).check_parameters() is None
    assert made(a=param(default=(1, 2)))(a=[3]).check_parameters() is None
    assert made(a=param(default="x", choices=["x", "y"])).parameters["a"].choices == ("x", "y")


def test_of_several_bases_the_first_decides_as_in_python():
    left, right = made(Base), made(Base, k=7, extra=param(default=1))
    both = made(left, right)
    assert list(both.parameters) == ["k", "distance", "parts", "extra"]
    assert both().k == both.parameters["k"].default == 7
    assert "k : int >= 1, default=7\n" in made(both, __doc__="New.").__doc__

    class Mixin:
        shared: int = param(default=3)

    assert made(Mixin, Base, shared=4)().get_params(deep=False)["shared"] == 4
    assert made(Mixin, Base)(k=2).shared == 3


def test_a_new_default_of_a_slot_means_what_ships_with_ilk():
    assert isinstance(made(Base, distance="minkowski")().distance, DefaultName)


def test_the_section_of_parameters_is_made_once():
    copied = made(
        Base, __doc__=Base.__doc__ or "Near.\n\nParameters\n----------\nk : int\n    Old."
    )
    assert copied.__doc__.count("Parameters\n---") == 1
    assert "Old." not in copied.__doc__
    assert made(copied, __doc__=copied.__doc__).__doc__ == copied.__doc__


def test_no_instance_changes_the_default_of_another():
    first = Base()
    first.parts[0]["p"] = 9
    assert Base().parts == ({"use": "minkowski", "p": 1},)
    restored = Base.__new__(Base)
    restored.__setstate__({"k": 3})
    restored.parts[0]["p"] = 9
    assert Base().parts == ({"use": "minkowski", "p": 1},)


def test_a_state_of_another_version_is_read():
    state = {**Base(k=3).__getstate__(), "gone": 1}
    del state["distance"]
    restored = Base.__new__(Base)
    restored.__setstate__(state)
    assert restored.get_params(deep=False) == Base(k=3).get_params(deep=False)
    assert isinstance(clone(restored).distance, DefaultName)


@in_one_test
@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        clone,
        lambda one: pickle.loads(cloudpickle.dumps(one)),
        lambda one: pickle.loads(cloudpickle.dumps(type(one)))(**one.get_params(deep=False)),
    ],
)
def test_copies_of_what_a_local_class_makes(copied):
    class Local(Base):
        """Near."""

        own: float = param(default=1.0, gt=0)

    twin = copied(Local(own=2))
    assert (twin.own, twin.k, repr(twin)) == (2, 5, "Local(own=2)")
    assert isinstance(twin.distance, DefaultName)
    assert list(inspect.signature(type(twin)).parameters) == [*Base.parameters, "own"]


def test_a_pipeline_may_have_parameters_of_its_own():
    mine = made(ilk.Pipeline, level=param(default=1))
    assert clone(mine(level=4)).level == mine().set_params(level=4).level == 4


def test_deep_nesting_is_shown_quickly():
    nested = ilk.classifier("nearest")
    for _ in range(49):
        nested = type(ilk.classifier("panel"))(members=[nested])
    assert repr(nested) == "Panel(...)"
    nested.set_params(members=[nested])  # in itself
    assert repr(nested) == "Panel(...)"
    for _ in range(500):
        nested = type(nested)(members=[nested])
    with pytest.raises(ilk.SpecError, match="nested too deeply"):
        ilk.to_spec(nested)


OLD = """
    import ilk
    from ilk import Param

    class New(ilk.Classifier):
        k: int = ilk.param(default=5, ge=1)
        metric: str = ilk.param(default="a")

    class Old(New):
        parameters = {
            **New.parameters,
            "near": Param(slot="distance"),
            "members": Param(slot="classifier", many=list),
            "power": Param(float, gt=0, none=True, doc="How steep."),
            "seed": Param(ilk.Seed),
            "sizes": Param(list, items=Param(int, ge=0)),
        }

        def __init__(self, k=7, metric="a", near="euclidean", *, members=("knn",), power=None,
                     seed=None, sizes=(1,), other):
            super().__init__(k=k, metric=metric)
"""
LINES = """\
    k = 7
    near: ilk.DistanceLike = ilk.slot('distance', default='euclidean')
    members: list[ilk.ClassifierLike] = ilk.slots('classifier', default=('knn',))
    power: float | None = ilk.param(default=None, type=float, gt=0, doc='How steep.')
    seed: Any = ilk.param(default=None, type=ilk.Seed)
    sizes: Any = ilk.param(default=(1,), type=list, items=ilk.Param(type=int, ge=0))
    other: Any = ilk.param(default=...)
What __init__ computed belongs into fit."""


def test_a_plugin_in_the_old_form_is_shown_its_new_lines(installed_fakes):
    installed_fakes("oldie", "[ilk.classifiers]\nold = oldie:Old", OLD)
    with pytest.raises(ilk.BrokenComponentError) as caught:
        ilk.classifier("old")
    first, _, lines = str(caught.value).partition("\n")
    assert "class Old: since ilk 0.2 parameters are fields" in first
    assert lines == LINES


def test_a_constructor_that_changes_nothing_is_to_go():
    with pytest.raises(ilk.DeclarationError, match=r"Drop __init__\. What __init__ computed"):
        made(Base, __init__=lambda self, k=5: None)


def undeclared(cls):
    """Annotations in the body of a class that declare no field."""
    for name, annotation in inspect.get_annotations(cls).items():
        constant = "ClassVar" in str(annotation)
        if not constant and name not in getattr(cls, "_own_fields", {}):
            yield f"{cls.__module__}.{cls.__qualname__}.{name}"


def test_what_is_annotated_in_a_component_is_a_field():
    """A type checker takes any other annotation for a parameter."""
    bases = {
        base
        for kind in kinds()
        for found in ilk.registry(kind).find()
        for base in ilk.registry(kind).get(found.qualified).__mro__
        if base.__module__.startswith("ilk")
    }
    wrong = made(__annotations__={"mean_": "np.ndarray"}, __module__="x")
    assert list(undeclared(wrong)) == ["x.Made.mean_"]
    assert len(bases) > 200
    assert [name for base in bases for name in undeclared(base)] == []
