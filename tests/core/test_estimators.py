"""Components are scikit-learn's estimators, and import it only when somebody needs it."""

import subprocess
import sys

SCRIPT = """
import sys
import ilk

class Doubled(ilk.OneToOneFeatureMixin, ilk.Transformer, auto_wrap_output_keys=None):
    def fit(self, X, y=None):
        self.n_features_in_ = len(X[0])
        return self
    def transform(self, X):
        return [[2 * x for x in row] for row in X]

knn, scale = ilk.classifier("knn", k=3), ilk.transformer("standardize")
assert knn.set_params(k=1).get_params()["k"] == 1 and not hasattr(knn, "classes_")
assert "sklearn" not in sys.modules
scale.set_output(transform="pandas")  # scikit-learn's method imports it
assert "sklearn" in sys.modules

from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone, is_classifier
from sklearn.pipeline import make_pipeline

assert isinstance(knn, BaseEstimator) and isinstance(knn, ClassifierMixin) and is_classifier(knn)
assert isinstance(scale, TransformerMixin) and not hasattr(knn, "no_such_name")
assert clone(knn).k == 1 and "KNN(k=1)" in knn._repr_html_()
assert list(scale.fit([[1.0], [2.0]]).transform([[3.0]]).columns) == ["x0"]
assert not hasattr(Doubled(), "set_output")  # as the option of its class says
assert Doubled().fit([[1]]).get_feature_names_out().tolist() == ["x0"]
assert hasattr(type(ilk.classifier("naive_bayes")), "set_fit_request")
model = make_pipeline(scale, knn).fit([[0.0], [1.0], [9.0]], ["a", "a", "b"])
assert model.predict([[8.0]]) == ["b"] and model.score([[8.0]], ["b"]) == 1
"""


def test_scikit_learn_becomes_the_base_when_it_is_imported():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    assert done.returncode == 0
