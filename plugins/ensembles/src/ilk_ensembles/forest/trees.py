"""Trees of a forest as a few flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ilk import Cases

_CELLS = 2**16  # entries of X predicted per parallel block


@dataclass(frozen=True)
class Tree:
    """One grown tree: a row for each node, the root first.

    Attributes
    ----------
    features : ndarray of int32, shape (n_nodes, L)
        Features that each inner node uses.
    coefficients : ndarray of shape (n_nodes, L)
    thresholds : ndarray of shape (n_nodes,)
        Rows with values at or below it go left.
    left, right : ndarrays of int32, shape (n_nodes,)
        Children. At a leaf ``left`` is -1, and ``right`` the number of the leaf.
    shares : ndarray of shape (n_leaves, C)
        Weight shares of the classes in each leaf.
    """

    features: np.ndarray
    coefficients: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True)
class Trees:
    """All trees of a forest, one after another in flat arrays.

    Attributes
    ----------
    roots : ndarray of int64, shape (T + 1,)
        Tree t has the nodes from ``roots[t]`` to before ``roots[t + 1]``.
    first_leaves : ndarray of int64, shape (T + 1,)
        Likewise for the rows of `answers`.
    features, coefficients, thresholds, left, right : ndarrays
        As in `Tree`; nodes are numbered over all trees, leaves within each tree.
    answers : ndarray of shape (n_leaves, C)
        Output of each leaf: shares of the classes, or one-hot votes.
    location, scale : ndarrays of shape (p,), or None
        Subtracted from rows, and divisors, before nodes use them.
    """

    roots: np.ndarray
    first_leaves: np.ndarray
    features: np.ndarray
    coefficients: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    answers: np.ndarray
    location: np.ndarray | None = None
    scale: np.ndarray | None = None

    def check_loaded(self) -> None:
        """Check that children are nodes or leaves of their own tree."""
        n, width = np.shape(self.features)
        ilk.check_stored(self, "features", (n, max(width, 1)), least=0)
        ilk.check_stored(self, "coefficients", (n, width), kinds="f")
        ilk.check_stored(self, "thresholds", (n,), kinds="f")
        roots = ilk.check_stored(self, "roots", (None,), spans=n)
        leaves = ilk.check_stored(self, "first_leaves", roots.shape, spans=len(self.answers))
        left = ilk.check_stored(self, "left", (n,), least=-1)
        right = ilk.check_stored(self, "right", (n,), least=0)
        nodes, inner, sizes = np.arange(n), left >= 0, np.diff(roots)
        end = np.repeat(roots[1:], sizes)
        down = (nodes < left) & (left < end) & (nodes < right) & (right < end)
        ok = np.where(inner, down, right < np.repeat(np.diff(leaves), sizes))
        if len(roots) < 2 or not sizes.all() or not ok.all():
            raise ilk.stored_fault(self, "a node leads out of its tree")

    @classmethod
    def joined(
        cls, trees: Sequence[Tree], *, majority: bool, location: Any = None, scale: Any = None
    ) -> Trees:
        """Concatenate trees; with `majority`, each leaf votes for one class."""
        roots = _starts([len(tree.left) for tree in trees])
        inner = [
            np.where(tree.left >= 0, root, 0) for tree, root in zip(trees, roots, strict=False)
        ]
        answers = np.concatenate([tree.shares for tree in trees])
        if majority:
            answers = np.eye(answers.shape[1])[answers.argmax(axis=1)]
        return cls(
            roots,
            _starts([len(tree.shares) for tree in trees]),
            np.concatenate([tree.features for tree in trees]),
            np.concatenate([tree.coefficients for tree in trees]),
            np.concatenate([tree.thresholds for tree in trees]),
            np.concatenate([t.left + s for t, s in zip(trees, inner, strict=True)], dtype=np.int32),
            np.concatenate(
                [t.right + s for t, s in zip(trees, inner, strict=True)], dtype=np.int32
            ),
            answers,
            location,
            scale,
        )

    def __len__(self) -> int:
        return len(self.roots) - 1

    def __getitem__(self, some: slice) -> Trees:
        """A range of the trees, without copies."""
        at = range(len(self))[some]
        ends = slice(at.start, at.stop + 1)
        return replace(self, roots=self.roots[ends], first_leaves=self.first_leaves[ends])

    @property
    def nodes(self) -> tuple[np.ndarray, ...]:
        """Arrays of the nodes in the order that kernels take."""
        return self.features, self.coefficients, self.thresholds, self.left, self.right

    def _finder(self) -> Callable[[np.ndarray, np.ndarray], None]:
        """Return a function that writes the leaves of rows: ``find(rows, leaves)``."""
        from ilk_ensembles.forest.tree_kernels import find_leaves

        # side by side in memory: a step down reads one place
        links = np.column_stack([self.features[:, 0], self.left, self.right]).view(np.uint32)
        nodes = links, self.features, self.coefficients, self.thresholds
        single = self.features.shape[1] == 1 and bool((self.coefficients == 1).all())
        return lambda rows, leaves: find_leaves(rows, self.roots, *nodes, leaves, single)

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Rows in the form that nodes use; a C-contiguous float64 array."""
        if self.location is None or self.scale is None:
            return np.ascontiguousarray(X, dtype=float)
        return standardized(X, self.location, self.scale)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Leaf number of each row in each tree; unsigned array of shape (n, T).

        The type is the smallest that also holds the largest leaf plus 1.
        """
        most = int(np.diff(self.first_leaves).max())
        leaves = np.empty((len(X), len(self)), dtype=np.min_scalar_type(most))

        find = self._finder()

        def work(start: int, stop: int) -> None:
            find(self.rows(X[start:stop]), leaves[start:stop])

        ilk.in_blocks(work, len(X), _block(X))
        return leaves

    def mean(self, X: np.ndarray) -> np.ndarray:
        """Mean output of the leaves of each row, summed tree after tree; array (n, C)."""
        from ilk_ensembles.forest.tree_kernels import add_answers

        total = np.zeros((len(X), self.answers.shape[1]))
        find = self._finder()

        def work(start: int, stop: int) -> None:
            rows = self.rows(X[start:stop])
            leaves = np.empty((len(rows), len(self)), dtype=np.uint32)
            find(rows, leaves)
            add_answers(leaves, self.first_leaves, self.answers, total[start:stop])

        ilk.in_blocks(work, len(X), _block(X))
        total /= len(self)
        return total

    def staged(self, leaves: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the mean output of the first 1, 2, ... trees, from the leaves of rows."""
        total = np.zeros((len(leaves), self.answers.shape[1]))
        for t, first in enumerate(self.first_leaves[:-1]):
            total += self.answers[first + leaves[:, t].astype(np.int64)]
            yield total / (t + 1)


def standardized(X: np.ndarray, location: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(X - location) / scale; both are halved first, so that the difference cannot overflow."""
    halved: np.ndarray = np.multiply(X, 0.5, dtype=float, order="C")
    halved -= location / 2
    halved /= np.where(scale / 2 > 0, scale / 2, 1.0)
    return halved


def _starts(counts: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _block(X: np.ndarray) -> int:
    rows: int = _CELLS // max(X.shape[1], 1)
    return max(min(rows, 1024), 16)


@dataclass(frozen=True)
class TreeMember:
    """One tree of a forest as a fitted classifier.

    Attributes
    ----------
    tree : Trees
        This tree only.
    classes_ : ndarray of shape (C,)
        Classes of the forest.
    n_features_in_ : int
        Features of the forest.
    """

    tree: Trees
    classes_: np.ndarray
    n_features_in_: int

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Output of the leaf of each row; array of shape (n, C)."""
        X = ilk.check_vectors(self, X)
        if X.shape[1] != self.n_features_in_:  # kernels would read out of bounds
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X has {X.shape[1]} features, the forest "
                f"{self.n_features_in_}"
            )
        return self.tree.mean(X)
