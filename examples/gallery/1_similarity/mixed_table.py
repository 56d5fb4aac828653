"""
A table with numbers, names and gaps
====================================

`heterogeneous` compares each column by its kind: numbers by their range, names by equality, and a
missing value counts as most different.
"""

import pandas as pd

import ilk
from ilk_distances.plotting import heat_map

people = pd.DataFrame(
    {
        "age": [23, 25, 31, 58, 61, 64],
        "town": pd.Categorical(["Bonn", "Bonn", "Mainz", "Trier", "Trier", None]),
        "income": [1800.0, 2100.0, None, 3900.0, 3600.0, 4100.0],
    }
)
group = ["young"] * 3 + ["old"] * 3
distance = ilk.distance("heterogeneous").fit(people)
print(distance.pairwise(people).round(2))
heat_map(distance, people, group)

# %%
# With the groups known, names are compared by them: Bonn and Mainz, where all are young, coincide.
by_group = ilk.distance("heterogeneous", nominal="value_difference").fit(people, group)
print(by_group.pairwise(people).round(2))
heat_map(by_group, people, group)
