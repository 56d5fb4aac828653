"""Input validation: input of distances, columns, numbers, and components in slots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import (
    Capabilities,
    IlkError,
    InputError,
    LocalMetric,
    as_table,
    build,
    check_same_length,
    check_vectors,
    display_name,
    is_frozen,
    is_sparse,
    is_table,
    n_rows,
    refuse_blocks,
    refuse_sparse,
    registry,
    shipped_name,
    to_spec,
)

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from ilk import Cases, Component, Estimator, Labels, MetricLearnerLike


def check_objects(owner: object, taker: Any, X: Cases, *, reset: bool) -> Any:
    """Validate X for `taker` and return it in its form; check its features, if any.

    Parameters
    ----------
    owner : Component
        Named in errors; its ``n_features_in_`` and ``feature_names_in_`` are set or compared.
    taker : distance, kernel, transformer or local metric
        Its capabilities define the valid types of X. If it accepts only vectors, or X is an array
        of numbers and it accepts vectors among others, X becomes a float array.
    X : data of n rows
    reset : bool
        Whether to set the features (else compare).

    Raises
    ------
    InputError, InputTypeError
        If X has no row, or `taker` does not accept it.
    """
    able = getattr(_compared_by(taker), "capabilities", None) or Capabilities()
    vectors = set(able.inputs) & _VECTORS
    refuse_blocks(owner, X)
    X = as_table(X)
    if is_sparse(X):
        for each in (owner, taker):
            if not getattr(each, "capabilities", Capabilities()).sparse:
                refuse_sparse(each, X)
    if vectors and (vectors == set(able.inputs) or _is_numbers(X)):
        sparse = able.sparse and getattr(owner, "capabilities", able).sparse
        return check_vectors(owner, X, reset=reset, nan=able.nan, sparse=sparse)
    if isinstance(X, str | bytes):
        raise InputError(
            f"{display_name(owner)}: X must be a list of texts, got the single text {X[:40]!r}"
        )
    if n_rows(X) == 0:
        raise InputError(f"{display_name(owner)}: X has 0 rows, at least one is needed")
    if is_table(X):
        check_columns(owner, X, reset=reset)
    return X


def read_rows(owner: object, taker: Any, X: Cases, *, reset: bool) -> Any:
    """As `check_objects`, but vectors in double precision, which factors of kernel values need."""
    rows: Any = check_objects(owner, taker, X, reset=reset)
    return rows.astype(float) if getattr(rows, "dtype", None) == np.float32 else rows


_VECTORS = {"vectors", "histograms"}


def takes_vectors(taker: Estimator) -> bool:
    """Whether a distance, or another component that reads rows, accepts vectors."""
    able = getattr(_compared_by(taker), "capabilities", None) or Capabilities()
    return bool(_VECTORS & set(able.inputs))


def _compared_by(taker: Any) -> Any:
    """The component that reads rows: for a kernel of distances, its distance."""
    while getattr(taker, "kind", None) == "kernel" and "distance" in taker.parameters:
        taker = getattr(taker, "distance_", None) or taker.resolve_slot("distance")
    return taker


def with_input_tags(owner: Component, slot: str, tags: Tags) -> Any:
    """Copy the input tags of the component in a slot to the owner's scikit-learn tags."""
    try:
        component: Any = owner.resolve_slot(slot)
    except IlkError:  # `fit` reports it
        return tags
    if hasattr(component, "__sklearn_tags__"):
        tags.input_tags = component.__sklearn_tags__().input_tags
        tags.input_tags.sparse &= owner.capabilities.sparse
    return tags


def check_columns(owner: object, X: Any, *, reset: bool) -> None:
    """Set number and names of a data frame's columns on `owner`, or compare them.

    Raises
    ------
    InputError
        If they differ from the set ones.
    """
    from sklearn.utils.validation import validate_data

    try:
        validate_data(owner, X, reset=reset, skip_check_array=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: X: {error}") from None


def _is_numbers(X: Cases) -> bool:
    if is_sparse(X):
        return True
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"


def learns(component: object) -> bool:
    """Whether fitting changes a distance or a component in its slots.

    Frozen components learn nothing. A distance or kernel learns if it declares `needs_fit`; any
    other component that is not frozen is assumed to learn.
    """
    if component is None or is_frozen(component):
        return False
    if getattr(component, "kind", None) not in ("distance", "kernel"):
        return True
    needs = getattr(component, "needs_fit", None)
    declared = getattr(component, "capabilities", Capabilities()).needs_fit
    if needs if isinstance(needs, bool) else declared:
        return True
    return any(map(learns, _in_slots(component)))


def _in_slots(component: Any) -> list[Any]:
    components: list[Any] = []
    for name, declared in component.parameters.items():
        if declared.slot:
            value = component.resolve_slot(name)
            if declared.many is None:
                components.append(value)
            else:
                components += value.values() if isinstance(value, dict) else value or ()
    return [each for each in components if not isinstance(each, str)]


def read_numbers(owner: object, y: Labels | None, X: Cases) -> np.ndarray:
    """Return y as finite floats, one for each row of X.

    Raises
    ------
    InputError
        Names the component and the fault of y.
    """
    from sklearn.utils.validation import column_or_1d

    if y is None:
        raise InputError(
            f"{display_name(owner)}: requires y to be passed, but the target y is None"
        )
    try:
        values = np.asarray(as_table(y))
        if values.dtype.kind != "c":
            values = column_or_1d(values.astype(float, copy=False), warn=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: y: {error}") from None
    if values.dtype.kind == "c":
        raise InputError(f"{display_name(owner)}: y must be real numbers, got complex ones")
    check_same_length(owner, X, values)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(
            f"{display_name(owner)}: y has {values[bad[0]]} at row {bad[0]}, it must be finite"
        )
    return np.asarray(values)


def is_local(learner: MetricLearnerLike | None) -> bool:
    """Whether the metric learner in a slot is local."""
    name = learner.get("use") if isinstance(learner, Mapping) else learner
    if not isinstance(name, str):
        return isinstance(name, LocalMetric)
    try:
        return issubclass(registry("metric_learner").get(name), LocalMetric)
    except IlkError:  # reported when it is built
        return False


def check_one_search(owner: Any, **slots: str) -> None:
    """Check that slots hold these defaults if the metric learner is local and searches itself.

    Raises
    ------
    ParameterError
    """
    if not is_local(owner.metric_learner):
        return
    for name, default in slots.items():
        if not is_default(getattr(owner, name), name, default):
            raise owner.parameter_error(
                name,
                f"must be left at {default!r} with the local metric learner "
                f"{name_of(owner.metric_learner)!r}, which finds the neighbours itself",
            )


def is_default(component: object, kind: str, default: str) -> bool:
    """Whether a component is the default one, given as a name, a table or an instance."""
    try:
        if isinstance(component, str | Mapping):
            component = build(component, kind=kind)
        plain = to_spec(component, kind=kind).keys() == {"use"}
    except IlkError:  # not expressible as a spec, so not the default
        return False
    return plain and shipped_name(component) == default


def name_of(learner: MetricLearnerLike | None) -> str:
    """Name of the component in a slot."""
    if isinstance(learner, Mapping):
        return str(learner["use"])
    return learner if isinstance(learner, str) else display_name(learner)
