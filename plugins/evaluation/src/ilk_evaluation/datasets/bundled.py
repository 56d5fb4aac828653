"""Data sets bundled with scikit-learn."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np

import ilk


class Bundled(ilk.Dataset):
    """A data set bundled with scikit-learn."""

    loader: ClassVar[str]
    files: ClassVar[tuple[str, str]]
    features: ClassVar[tuple[str, ...]]

    def load(self) -> ilk.Data:
        """Return the data; labels are class names if there are any."""
        X, y, description = self._stored() or self._loaded()
        return ilk.Data(
            X=np.ascontiguousarray(X, dtype=float),
            y=y,
            name=ilk.display_name(self),
            feature_names=self.features,
            description=description.strip(),
        )

    def _stored(self) -> tuple[np.ndarray, np.ndarray, str] | None:
        """Read scikit-learn's files, which is ten times as fast as its import, if they are there.

        The first line of the data has the numbers of rows and columns, and the names of classes.
        """
        spec = find_spec("sklearn")
        folder = Path(spec.origin).parent / "datasets" if spec and spec.origin else Path()
        data, text = (folder / name for name in self.files)
        if not (data.is_file() and text.is_file()):
            return None
        with (gzip.open if data.suffix == ".gz" else open)(data, "rt", encoding="utf-8") as lines:
            names = np.array(next(lines).strip().split(",")[2:]) if data.suffix == ".csv" else None
            rows = np.loadtxt(lines, delimiter=",")
        codes = rows[:, -1].astype(int)
        y = codes if names is None else names[codes]
        return rows[:, :-1], y, text.read_text(encoding="utf-8")

    def _loaded(self) -> tuple[np.ndarray, np.ndarray, str]:
        from sklearn import datasets

        bunch = getattr(datasets, self.loader)()
        return bunch.data, bunch.target_names[bunch.target], bunch.DESCR


class Iris(Bundled):
    """Iris flowers: 150 cases, 4 measurements in cm, 3 species.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of
    Eugenics 7, 179-188. scikit-learn's copy equals Fisher's table (UCI's differs in two rows).

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("iris").load()
    >>> data.X.shape, data.classes.tolist()
    ((150, 4), ['setosa', 'versicolor', 'virginica'])
    """

    loader = "load_iris"
    files = ("data/iris.csv", "descr/iris.rst")
    features = (
        "sepal length (cm)",
        "sepal width (cm)",
        "petal length (cm)",
        "petal width (cm)",
    )


class Wine(Bundled):
    """Italian wines: 178 cases, 13 chemical measurements, 3 cultivars.

    References
    ----------
    Forina, M. et al. (1988). PARVUS: an extendible package for data exploration,
    classification and correlation. Elsevier.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("wine").load()
    >>> data.X.shape, data.classes.tolist()
    ((178, 13), ['class_0', 'class_1', 'class_2'])
    """

    loader = "load_wine"
    files = ("data/wine_data.csv", "descr/wine_data.rst")
    features = (
        "alcohol",
        "malic_acid",
        "ash",
        "alcalinity_of_ash",
        "magnesium",
        "total_phenols",
        "flavanoids",
        "nonflavanoid_phenols",
        "proanthocyanins",
        "color_intensity",
        "hue",
        "od280/od315_of_diluted_wines",
        "proline",
    )


class BreastCancer(Bundled):
    """Breast cancer (Wisconsin, diagnostic): 569 cases, 30 measurements, 2 classes.

    References
    ----------
    Street, W. N., Wolberg, W. H. and Mangasarian, O. L. (1993). Nuclear feature extraction
    for breast tumor diagnosis. SPIE 1905, 861-870.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("breast_cancer").load()
    >>> data.X.shape, data.classes.tolist()
    ((569, 30), ['benign', 'malignant'])
    """

    loader = "load_breast_cancer"
    files = ("data/breast_cancer.csv", "descr/breast_cancer.rst")
    features = tuple(
        " ".join((name, part) if part == "error" else (part, name))
        for part in ("mean", "error", "worst")
        for name in (
            "radius",
            "texture",
            "perimeter",
            "area",
            "smoothness",
            "compactness",
            "concavity",
            "concave points",
            "symmetry",
            "fractal dimension",
        )
    )


class Digits(Bundled):
    """Handwritten digits: 1797 images of 8 x 8 pixels, 10 classes (integers).

    References
    ----------
    Alpaydin, E. and Kaynak, C. (1998). Cascading classifiers. Kybernetika 34, 369-374
    (the test part of UCI's optical recognition of handwritten digits).

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("digits").load()
    >>> data.X.shape, data.classes.tolist()
    ((1797, 64), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    loader = "load_digits"
    files = ("data/digits.csv.gz", "descr/digits.rst")
    features = tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8))


class Diabetes(ilk.Dataset):
    """Diabetes: 442 patients, 10 measurements, a numeric target (progression after a year).

    Measurements are in their own units, not scaled.

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004). Least angle regression. Annals
    of Statistics 32, 407-499.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("diabetes").load()
    >>> data.X.shape, float(data.y.min()), float(data.y.max())
    ((442, 10), 25.0, 346.0)
    """

    def load(self) -> ilk.Data:
        """Return the data, for regression."""
        from sklearn.datasets import load_diabetes

        bunch = load_diabetes(scaled=False)
        return ilk.Data(
            X=np.asarray(bunch.data, dtype=float),
            y=np.asarray(bunch.target, dtype=float),
            name=ilk.display_name(self),
            feature_names=tuple(map(str, bunch.feature_names)),
            description=bunch.DESCR.strip(),
            task="regression",
        )
