"""What a notebook shows of a component: a short text, and scikit-learn's diagram."""

import re

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import ilk
from cases import in_one_test


def labels(component):
    """What the boxes of the diagram say, from the outside in."""
    html = estimator_html_repr(component)
    html = html.partition('class="sk-container"')[2].partition("<script")[0]
    return [
        re.sub(r"<span.*|<[^>]*>", "", label)
        for label in re.findall(r"<label.*?</label>", html, re.DOTALL)
    ]


def test_the_text_says_what_was_changed_and_is_short():
    model = ilk.classifier("nearest", distance=ilk.distance("power", p=3))
    assert repr(model) == "Nearest(distance=Power(p=3))"
    assert repr(ilk.classifier("nearest", distance="power")) == "Nearest()"
    many = ilk.classifier("panel", members=[model] * 500)
    assert len(repr(many)) < 1000
    assert len(repr(ilk.distance("precomputed", matrix=np.eye(500)))) < 1000


def test_slots_are_opened_and_names_shown_as_what_they_name():
    nearest = {"use": "nearest", "parts": {"a": "power"}}
    model = ilk.classifier(
        "panel", members=[nearest, "panel", ilk.classifier("knn", index="brute")]
    )
    shown = labels(model)
    assert [label for label in shown if ":" in label] == [
        "members__0: Nearest",
        "distance: Power",
        "parts__a: Power",
        "members__1: Panel",
        "members__0: Nearest",
        "distance: Power",
        "members__2: KNN",
        "distance: Euclidean",
        "index: Brute",
    ]
    assert labels(ilk.transformer("centre")) == ["Centre"]


def test_the_steps_of_a_pipeline_are_shown_in_turn():
    steps = [{"transformer": "centre"}, StandardScaler(), {"classifier": "nearest"}]
    html = estimator_html_repr(ilk.Pipeline(steps))
    assert "sk-serial" in html
    assert labels(ilk.Pipeline(steps)) == [
        "Pipeline",
        "Centre",
        "StandardScaler?",  # with a link
        "classifier: Nearest",
        "distance: Power",
        "Power",
    ]


def test_what_was_fitted_is_shown(blobs):
    model = ilk.Pipeline([{"transformer": "centre"}, {"classifier": "panel"}])
    before, boxes = estimator_html_repr(model), labels(model)
    model.fit(*blobs)
    assert "Not fitted" in before
    assert "Not fitted" not in estimator_html_repr(model)
    assert labels(model) == boxes
    assert model._sk_visual_block_().estimators == [model[0], model[1]]
    assert model[1]._sk_visual_block_().estimators == model[1].members_


@in_one_test
@pytest.mark.parametrize(
    "wrong",
    [
        lambda toys: toys["nearest"](distance="nothing", parts={"a": {"use": "power", "q": 1}}),
        lambda toys: toys["panel"](members=3),
        lambda toys: toys["panel"](members=[toys["nearest"]]),
        lambda toys: ilk.Pipeline([]),
        lambda toys: ilk.Pipeline().set_params(steps=["x"]),
        lambda toys: ilk.Pipeline().set_params(steps=5),
        lambda toys: ilk.Pipeline().set_params(steps=[{"classifier": "nothing"}]),
    ],
)
def test_what_cannot_be_built_is_shown_as_it_was_given(wrong, toys):
    shown = labels(wrong(toys))
    assert shown[0] in {"Nearest", "Panel", "Pipeline"}
    if shown[0] == "Nearest":
        assert shown[1:] == ["distance: nothing", "nothing", "parts__a: power", "power"]


def test_a_class_in_a_slot_has_no_parameters(toys):
    assert list(toys["panel"](members=[toys["nearest"]]).get_params()) == ["members"]


def test_a_pipeline_of_wrong_steps_says_so():
    pipeline = ilk.Pipeline().set_params(steps=["x"])
    with pytest.raises(ilk.ParameterError, match=r"pipeline: steps \[0\] must be a table"):
        pipeline.set_params(classifier__k=3)
    assert list(pipeline.get_params()) == ["steps"]
