"""Data sets bundled with scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable


class Bundled(ilk.Dataset):
    """A data set bundled with scikit-learn."""

    loader: ClassVar[Callable[[], Any]]

    def load(self) -> ilk.Data:
        """Return the data; labels are class names if there are any."""
        bunch = type(self).loader()
        return ilk.Data(
            X=np.asarray(bunch.data, dtype=float),
            y=bunch.target_names[bunch.target],
            name=ilk.display_name(self),
            feature_names=tuple(str(name) for name in bunch.feature_names),
            description=bunch.DESCR.strip(),
        )


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

    loader = staticmethod(load_iris)


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

    loader = staticmethod(load_wine)


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

    loader = staticmethod(load_breast_cancer)


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

    loader = staticmethod(load_digits)


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
