"""Editor: selects the cases to learn from."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ilk.component import Component
from ilk.errors import InputError
from ilk.freezing import is_frozen

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels


class Editor(Component):
    """Selects the cases to learn from (imbalanced-learn's convention).

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Selected rows, ascending.
    """

    kind: ClassVar[str] = "editor"

    @abstractmethod
    def fit_resample(self, X: Cases, y: Labels) -> tuple[Any, Any]:
        """Return the selected rows of X and their labels."""

    @property
    def reduction_(self) -> float:
        """Share of removed cases, between 0 and 1."""
        self.sample_indices_: np.ndarray  # set by `fit_resample`
        self.n_cases_: int  # set by `fit_resample`: number of its rows
        return float(1 - len(self.sample_indices_) / self.n_cases_)


def resample(editor: Any, X: Cases, y: Labels | None) -> tuple[Any, np.ndarray]:
    """Run an editor of ilk or imbalanced-learn; return it and the selected indices.

    Raises
    ------
    InputError
        If it has no `sample_indices_` because it generates new rows.
    """
    if not is_frozen(editor):
        editor.fit_resample(X, y)
    selected = getattr(editor, "sample_indices_", None)
    if selected is None:
        raise InputError(
            f"{type(editor).__name__} does not tell which rows it kept (sample_indices_); "
            f"editors that make new rows cannot be steps"
        )
    return editor, np.asarray(selected)
