"""The probability that two objects are of different class as their distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import ClassifierLike, RandomState, Seed, param, slot
from ilk_distances.composed.composite import OfParts, labelled_pairs, naming

if TYPE_CHECKING:
    from ilk import Cases, Labels


class PairClassifier(OfParts):
    """Probability, by a classifier of pairs, that two objects are of different class.

    ``d(x, y) = P("different" | v(x, y))``, where the vector v of a pair is one of

    - the differences ``|x_f - y_f|`` of its features,
    - both rows, ``(x, y)``; the probabilities of (x, y) and of (y, x) are averaged,
    - the distances ``d_i(x_i, y_i)`` of its views, if `parts` or `views` are given.

    The classifier learns from pairs of training rows, drawn at random, half of them of equal
    class (all pairs if there are at most `n_pairs`). Their vectors are standardized: each
    element of v has mean 0 and standard deviation 1 over these pairs.

    It is symmetric and between 0 and 1, but no metric: the distance of an object to itself is
    not 0 and differs between objects, and the triangle inequality does not hold.

    Attributes
    ----------
    classifier_ : classifier
        Fitted on pairs; class 1 is "different", 0 is "equal".
    means_, deviations_ : ndarray of shape (n_elements,)
        Means and standard deviations of the vectors of training pairs.
    parts_ : dict of str to distance
        Fitted; empty where rows are compared as they are.
    columns_ : dict of str to ndarray, or None
        Positions of the columns of each part; None without views.
    n_features_in_ : int
        Number of columns; unset for objects without columns.

    Raises
    ------
    ParameterError
        If the classifier gives no probabilities, a view names no column, or a part no view.
    InputError
        If a part does not take its view (names the part), or no class has two rows.

    References
    ----------
    .. [1] Ntoutsi 2015: Classifier of pairs.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> d = ilk.distance("pair_classifier", random_state=0).fit(X, y)
    >>> D = d.pairwise(X[[0, 1, 70]])
    >>> bool(D[0, 1] < 0.5 < D[0, 2]), bool(D[0, 0] > 0)
    (True, True)
    """

    classifier: ClassifierLike = slot(
        "classifier",
        default="logistic",
        doc="A classifier with ``predict_proba``. Default: scikit-learn's logistic regression.",
    )
    pairs: str = param(
        default="difference",
        choices=("difference", "concatenation"),
        doc="Vectors of pairs, if neither parts nor views are given.",
    )
    n_pairs: int = param(
        default=4000,
        ge=2,
        doc="Approximate maximum number of pairs that the classifier learns from.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="Draws the pairs.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "tables", "views"), symmetric=True, needs_fit=True
    )
    symmetric = True

    @classmethod
    def examples(cls) -> list[PairClassifier]:
        """Return one for each kind of vectors of pairs."""
        mixed = {"form": ["height", "size"], "look": ["color", "width"]}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        parts = {"color": "euclidean", "shape": "manhattan"}
        tree = {"use": "sklearn", "estimator": "DecisionTreeClassifier", "params": {"max_depth": 3}}
        return [
            cls(random_state=0),
            cls(classifier=tree, pairs="concatenation", random_state=0),
            cls(views=mixed, random_state=0),
            cls(parts=parts, views=columns, random_state=0),
        ]

    @property
    def aligns_columns(self) -> bool:
        """Whether views, or the parts, look after the columns."""
        return self.compares_parts

    @property
    def compares_parts(self) -> bool:
        """Whether the vector of a pair is that of distances of parts."""
        return self.parts is not None or self.views is not None

    def _distances(self) -> dict[str, Any]:
        return super()._distances() if self.compares_parts else {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan &= self.compares_parts
        return tags

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the parts on their views, then the classifier on pairs of rows."""
        self.check_parameters()
        rng = ilk.check_seed(self, self.random_state)
        X = self._fitted_rows(X, y)
        _, codes = ilk.check_labels(self, y, X, min_classes=2)
        classifier = self.seeded_slot("classifier")
        if not hasattr(classifier, "predict_proba"):
            name = ilk.display_name(classifier)
            raise self.parameter_error("classifier", f"must give probabilities, which {name} lacks")
        first, second, differ = labelled_pairs(self, codes, self.n_pairs, rng)
        # the classifier sees both orders of each pair, as `pairwise` averages over both
        if not self._one_way():
            first, second = np.append(first, second), np.append(second, first)
            differ = np.tile(differ, 2)
        vectors = self._vectors_of_pairs(X, first, second)
        self.means_, self.deviations_ = _moments(vectors)
        self.classifier_ = ilk.fit_component(
            classifier, (vectors - self.means_) / self.deviations_, differ.astype(int)
        )
        return self

    def _fitted_rows(self, X: Cases, y: Labels | None) -> Any:
        """Fit the parts, if any; return X in the form that is compared."""
        self.parts_: dict[str, Any] = {}
        self.columns_: dict[str, np.ndarray] | None = None
        if self.compares_parts:
            return self._fit_parts(X, y)
        X = ilk.check_vectors(self, X)
        self.n_features_in_ = X.shape[1]
        return X

    def _one_way(self) -> bool:
        """Whether the vectors of (x, y) and (y, x) are the same."""
        if self.compares_parts:
            return all(part.symmetric for part in self.parts_.values())
        return self.pairs == "difference"

    def _vectors_of_pairs(self, X: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        if self.compares_parts:
            return self.distances_of_pairs(X, first, second)
        return self._vectors(X[first], X[second])

    def _vectors(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Vectors of pairs of rows, of shapes that broadcast."""
        if self.pairs == "difference":
            return np.asarray(np.abs(x - y))
        return np.asarray(np.concatenate(np.broadcast_arrays(x, y), axis=-1))

    def _vectors_of_all(self, X: Any, Y: Any) -> np.ndarray:
        """Vectors of all pairs, of shape (n, m, n_elements)."""
        if not self.compares_parts:
            return self._vectors(X[:, None], Y[None])
        D = []
        for (name, part), x, y in zip(self.parts_.items(), X.parts, Y.parts, strict=True):
            with naming(self, name):
                D.append(part.pairwise(x, y))
        return np.stack(D, axis=-1)

    def check_input(self, X: Cases, argument: str = "X") -> Any:
        """Return X as a float array, or each of its views as its distance takes it."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "parts_")
        if self.compares_parts:
            return super().check_input(X, argument)
        X = ilk.check_vectors(self, X, argument=argument)
        if X.shape[1] != self.n_features_in_:
            name = ilk.display_name(self)
            raise ilk.InputError(
                f"{name}: {argument} has {X.shape[1]} features, but {name} was fitted with "
                f"{self.n_features_in_} features"
            )
        return X

    def check_pair(self, X: Cases, Y: Cases | None = None) -> tuple[Any, Any]:
        """Return X and Y (X again if None) in the form that is compared."""
        if self.compares_parts:
            return super().check_pair(X, Y)
        X = self.check_input(X)
        return X, X if Y is None else self.check_input(Y, "Y")

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "classifier_")
        X, Y = self.check_pair(X, Y)
        D = np.empty((len(X), len(Y)))
        # a pair's vector has several elements: rows are limited so that all of them fit
        columns = min(len(Y), _PAIRS)
        rows = _PAIRS // columns
        single = True
        for i in range(0, len(X), rows):
            for j in range(0, len(Y), columns):
                x, y = X[i : i + rows], Y[j : j + columns]
                vectors = self._vectors_of_all(x, y)
                P = self._different(vectors)
                if not self._one_way():
                    P += self._different(self._vectors_of_all(y, x)).T
                    P /= 2
                D[i : i + rows, j : j + columns] = P
                single &= vectors.dtype == np.float32
        return D.astype(np.float32) if single else D

    def _different(self, vectors: np.ndarray) -> np.ndarray:
        """Probabilities that pairs are of different class."""
        flat = (vectors.reshape(-1, vectors.shape[-1]) - self.means_) / self.deviations_
        return np.asarray(self.classifier_.predict_proba(flat)[:, 1]).reshape(vectors.shape[:-1])


_PAIRS = 2**14  # pairs classified at a time: bounds the memory


def _moments(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation (1 in place of 0) of each element; squares never overflow."""
    largest = np.abs(vectors).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    shares = vectors / unit
    deviations = unit * shares.std(axis=0)
    return unit * shares.mean(axis=0), np.where(deviations > 0, deviations, 1.0)
