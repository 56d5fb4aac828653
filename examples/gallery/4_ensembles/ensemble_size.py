"""
How many members are enough
===========================

The error of the first 1, 2, ... trees of a random forest, on training cases and on cases held out.
Where the curve is flat, further members only cost time.
"""

from sklearn.model_selection import train_test_split

import ilk
from ilk_ensembles.plotting import error_by_size

X, y = ilk.dataset("breast_cancer").load().Xy
train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
forest = ilk.classifier("random_forest", n_members=40, random_state=0).fit(train, y_train)
error_by_size(forest, {"training": (train, y_train), "held out": (test, y_test)})
