"""Build objects from specs, including nested components, and the encoder of a mixed table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ilk.errors import InputError, InputTypeError
from ilk.inputs import as_table, check_vectors, is_table, nominal_columns
from ilk.random_state import check_weights, rows_of_weight
from ilk.registries import display_name, registry
from ilk.resolution import Resolved, kind_from, resolve
from ilk.slot_values import At, map_slot
from ilk.spec import Spec

if TYPE_CHECKING:
    import numpy as np

    from ilk.arrays import ArrayLike, Cases


def build(spec: Any, *, kind: str | None = None) -> Any:
    """Turn a spec into an object, and build nested components, too.

    Parameters
    ----------
    spec : str, table or Resolved
        ``"euclidean"``, ``{"use": "knn", "k": 3}``, or a pipeline ``{"steps": [...]}``; what
        `resolve` returned is not resolved again. In Python a table may hold components,
        estimators and functions in place of names.
    kind : str, optional
        May be left out if only one kind has the name.

    Raises
    ------
    SpecError
        With all problems at once.

    Examples
    --------
    >>> build({"use": "knn", "k": 3}, kind="classifier").k
    3
    """
    data = spec.data if isinstance(spec, Spec | Resolved) else spec
    if kind is None:
        kind = kind_from(data)
    if isinstance(spec, Resolved):
        return construct(data, kind)
    resolved = resolve(spec, kind=kind, objects=True)
    # Only a file has relative paths, and resolution has completed them.
    return construct(resolved.data if isinstance(spec, Spec) else data, kind)


def construct(spec: object, kind: str, _: At = ()) -> Any:
    """Build a checked name or table; return an instance unchanged."""
    if isinstance(spec, str):
        return registry(kind).get(spec)()
    if not isinstance(spec, Mapping):
        return spec
    table = dict(spec)
    if "steps" in table:
        table.setdefault("use", "pipeline")
    cls: Any = registry(kind).get(table.pop("use"))
    return cls(
        **{key: map_slot(cls.parameters[key], value, construct) for key, value in table.items()}
    )


_INDICATORS = {
    "use": "ilk-learners/one_hot",
    "unseen": "zeros",
    "missing": "category",
    "ordered": "ranks",
}


def encoded_vectors(
    owner: Any,
    X: Cases,
    encoder: object = _INDICATORS,
    *,
    reset: bool,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    """Return X as a 2-D float array; a table with nominal columns is encoded by a transformer.

    Parameters
    ----------
    owner : Component
        Its features and ``encoder_``, the fitted transformer or None, are set with `reset`, else
        used. Named in errors.
    X : array of shape (n, p), or data frame
    encoder : str or table
        Spec of the transformer. By default nominal columns become a column of 0 and 1 for each
        category, a missing value being one, an unseen value none; ordered ones become ranks.
    reset : bool
    sample_weight : array of shape (n,), optional
        Of training rows: the transformer learns nothing from those of weight 0.

    Raises
    ------
    InputError, InputTypeError
        As of `check_vectors`, `check_weights`, or of the transformer in the name of the owner.
    """
    if reset:
        X = as_table(X)
        mixed = is_table(X) and len(nominal_columns(X)) > 0
        owner.encoder_ = build(encoder, kind="transformer") if mixed else None
    if owner.encoder_ is None:
        return check_vectors(owner, X, reset=reset, sparse=owner.capabilities.sparse)  # type: ignore[no-any-return]
    with _in_the_name_of(owner, owner.encoder_):
        if not reset:
            return owner.encoder_.transform(X)  # type: ignore[no-any-return]  # of any transformer
        weights = None if sample_weight is None else check_weights(owner, sample_weight, X)
        rows: np.ndarray = owner.encoder_.fit(rows_of_weight(weights, X)[1]).transform(X)
    for name in ("n_features_in_", "feature_names_in_"):
        vars(owner).pop(name, None)
        if hasattr(owner.encoder_, name):
            setattr(owner, name, getattr(owner.encoder_, name))
    return rows


@contextmanager
def _in_the_name_of(owner: object, part: object) -> Iterator[None]:
    """Errors of a part name the component that it belongs to."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        what = str(error).removeprefix(f"{display_name(part)}: ")
        raise type(error)(f"{display_name(owner)}: {what}") from error
