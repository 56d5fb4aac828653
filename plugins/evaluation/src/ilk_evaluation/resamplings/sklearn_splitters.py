"""Any splitter of scikit-learn as a resampling, by its public name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.resamplings.sampling_units import MOST_SPLITS, check_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk import Cases, Labels


class SklearnSplitter(ilk.Resampling):
    """Any splitter of scikit-learn, by its public class name.

    If the splitter has a parameter ``random_state`` that `params` does not set, it is seeded by
    the experiment. Repeats of a repeated splitter are distinguished.

    Raises
    ------
    ParameterError
        If the splitter, or a parameter of it, does not exist (names the closest).
    InputError
        If the data cannot be divided this way, or have groups that the splitter would divide.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("sklearn", splitter="ShuffleSplit",
    ...                         params={"n_splits": 3, "test_size": 0.25})
    >>> [len(split.test) for split in scheme.splits([[0]] * 8, None, random_state=0)]
    [2, 2, 2]
    """

    splitter: str = param(
        default="KFold",
        doc='Name of a splitter class of ``sklearn.model_selection``, such as ``"ShuffleSplit"``.',
    )
    params: Mapping[str, Any] | None = param(
        default=None,
        type=dict,
        form="dict or None",
        doc="Its parameters; default: scikit-learn's.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """A divider, a random one, and a repeated one."""
        return [
            cls(splitter="KFold", params={"n_splits": 3}),
            cls(splitter="StratifiedShuffleSplit", params={"n_splits": 2, "test_size": 0.4}),
            cls(splitter="RepeatedKFold", params={"n_splits": 2, "n_repeats": 2}),
        ]

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.splitter not in _names():
            hint = ilk.did_you_mean(self.splitter, _names())
            raise self.parameter_error(
                "splitter", f"must be a splitter of scikit-learn, got {self.splitter!r}{hint}"
            )
        known = inspect.signature(self._class()).parameters
        for name in self.params or {}:
            if name not in known:
                hint = ilk.did_you_mean(name, known)
                raise self.parameter_error(
                    "params", f"must be parameters of {self.splitter}, got {name!r}{hint}"
                )
        try:
            self._made(None)
        except (TypeError, ValueError) as error:
            raise self.parameter_error("params", f"must suit {self.splitter}: {error}") from error

    @property
    def uses_classes(self) -> bool:
        """Whether the splitter stratifies."""
        return "Stratified" in self.splitter

    def at_least(self) -> int:
        try:
            return max(int(self._made(None).get_n_splits()), 1)
        except (TypeError, ValueError):  # it depends on the data
            return 1

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        n, codes = check_data(self, X, y, groups)
        labels = ilk.check_labels(self, y, X)[1] if self.uses_classes else None
        ilk.check_seed(self, random_state)
        splitter = self._made(random_state)
        if codes is not None and not _keeps_groups(splitter):
            raise ilk.InputError(
                f"sklearn: {self.splitter} would divide the groups that the data have; take one "
                f"that keeps them together, such as GroupKFold"
            )
        return self._drawn(splitter, np.zeros(n), labels, codes)

    def _drawn(
        self, splitter: Any, rows: Cases, labels: Labels | None, groups: Labels | None
    ) -> Iterator[ilk.Split]:
        try:
            repeats = getattr(splitter, "n_repeats", 1)
            folds = _bounded(splitter.get_n_splits(rows, labels, groups), len(rows)) // repeats
            for number, (train, test) in enumerate(splitter.split(rows, labels, groups)):
                repeat, fold = divmod(number, folds)
                yield ilk.Split(train, test, repeat=repeat, fold=fold)
        except (TypeError, ValueError) as error:
            raise ilk.InputError(f"sklearn: {self.splitter} cannot divide: {error}") from error

    def _class(self) -> Any:
        from sklearn import model_selection

        return getattr(model_selection, self.splitter)

    def _made(self, random_state: int | None) -> Any:
        """Create the splitter; pass the random state to random ones."""
        given = dict(self.params or {})
        parameters = inspect.signature(self._class()).parameters
        if "random_state" in parameters and given.get("shuffle", "shuffle" not in parameters):
            given.setdefault("random_state", random_state)
        return self._class()(**given)


def _bounded(n_splits: int, n: int) -> int:
    if n_splits > MOST_SPLITS:
        raise ValueError(f"{n_splits:,} splits of {n:,} cases are more than {MOST_SPLITS:,}")
    return n_splits


def _keeps_groups(splitter: Any) -> bool:
    return splitter.get_metadata_routing().split.requests.get("groups") is True


def _names() -> list[str]:
    """Splitters of scikit-learn, by class name."""
    from sklearn import model_selection

    every = vars(model_selection).items()
    return sorted(name for name, value in every if inspect.isclass(value) and _splits(value))


def _splits(cls: type) -> bool:
    methods = hasattr(cls, "split") and hasattr(cls, "get_n_splits")
    return methods and not inspect.isabstract(cls) and not cls.__name__.startswith("Base")


def table_of(splitter: Any) -> dict[str, Any] | None:
    """Write an instance of a scikit-learn splitter as a table; None for other objects."""
    from sklearn import model_selection

    name = type(splitter).__name__
    if name not in _names() or getattr(model_selection, name) is not type(splitter):
        return None
    values = {**getattr(splitter, "cvargs", {}), **vars(splitter)}
    wanted = inspect.signature(type(splitter)).parameters
    given = {key: values[key] for key in wanted if values.get(key) is not None}
    params = {
        key: value.tolist() if hasattr(value, "tolist") else value for key, value in given.items()
    }
    return {"use": "sklearn", "splitter": name, "params": params}
