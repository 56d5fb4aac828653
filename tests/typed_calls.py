"""Calls that type checkers take, and, where a line says so, refuse; see test_typed_calls."""

import pandas as pd
from ilk_example.nearest_medoid import NearestMedoid

import ilk
import ilk.neighbors
import ilk.plotting

knn = ilk.classifier("knn", k=3, vote="majority", distance="manhattan")
knn.fit([[0.0], [1.0]], ["a", "b"]).predict([[0.5]])
frame = pd.DataFrame({"x": [0.0, 1.0], "y": ["a", "b"]})
knn.fit(frame[["x"]], frame["y"])
width: int = ilk.neighbors.padded_width(3)
axes = ilk.plotting.new_axes(1, 1)
table = ilk.classifier("ilk-learners/knn", distance={"use": "minkowski", "p": 1})
panel = ilk.classifier("voting", members=["knn", table], combiner=ilk.combiner("product"))
seeded = ilk.classifier("random_forest", n_members=10, random_state=0)
other = ilk.classifier("my_own")
medoid = NearestMedoid(distance=ilk.distance("euclidean"))
steps = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "knn"}])
names: list[str] = ilk.classifiers()


class Mine(ilk.Distance):
    """A distance with a field."""

    cap: float = ilk.param(default=1.0, gt=0, doc="The most there is.")


class Narrower(Mine):
    """The same with another default and one more field."""

    cap: float = 0.5
    scale: int = ilk.param(default=1, doc="What it is multiplied by.")


ilk.classifier("knn", k="x")  # error: text for an integer
ilk.classifier("knn", kk=3)  # error: no such parameter
ilk.classifier("knn", vote="majorty")  # error: not one of the choices
ilk.classifier("knn", distance=3)  # error: no component
ilk.classifier("my_own", k=3)  # error: parameters of a name that does not ship with ilk
ilk.distance(3)  # error: no name
ilk.distanse("euclidean")  # error: no such function
print(ilk.interfaces.Distance)  # error: it is ilk.Distance
ilk.neighbors.nearest([[0.0]], 1)  # error: it is ilk.nearest
NearestMedoid("euclidean")  # error: by position
NearestMedoid(distnce="euclidean")  # error: no such parameter
ilk.Pipeline(step=[])  # error: no such parameter
Narrower(cap=1, scale="x")  # error: text for an integer
Mine(cap=2, scale=1)  # error: a parameter of the subclass
