"""Pipeline: steps of any kind, fitted one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from ilk.capabilities import Capabilities
from ilk.component import opened, taken_slot
from ilk.diagram import Block, block, named
from ilk.errors import IlkError, InputError, ParameterError
from ilk.estimators import available_if
from ilk.freezing import fit_component, taken
from ilk.inputs import check_same_length, is_table, n_rows, take
from ilk.interfaces.classifier import Classifier, Outputs
from ilk.interfaces.editor import resample
from ilk.interfaces.metric_learner import MetricLearner
from ilk.interfaces.transformer import fit_step, learns_nothing, leaves_out
from ilk.messages import did_you_mean
from ilk.params import slots
from ilk.random_state import check_weights, rows_of_weight
from ilk.resolution import first_problem
from ilk.slot_values import slot_problem
from ilk.steps import (
    Carried,
    kind_and_component,
    order_problem,
    role_of,
    step_names,
    takes_weights,
)
from ilk.views import uses_views, with_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ilk.aliases import StepLike
    from ilk.arrays import ArrayLike, Cases, Labels
    from ilk.component import Component


def _last_has(method: str) -> Callable[[Pipeline], bool]:
    def check(self: Pipeline) -> bool:
        try:
            last = self._last()
        except IlkError:  # `fit` reports it, also within tools of scikit-learn
            return True
        getattr(last, method)  # its AttributeError names the last step
        return True

    return check


class Pipeline(Classifier):
    """Steps fitted one after the other: transformers, metric learners, editors, a predictor.

    Transformers and metric learners transform X before the last step. Editors select the
    training cases of the later steps, only during `fit`. The last step predicts (a classifier,
    regressor, detector or clusterer) or transforms.

    Attributes
    ----------
    steps_ : list of (str, component)
        Names and fitted components. The name of a step is its kind, with a number from 1 if the
        kind occurs more than once (``transformer1``).
    classes_ : ndarray
        Classes of the last step, if it has classes.
    n_features_in_ : int
        Number of features of the first step, if known.
    reduction_ : float
        Share of the cases that editors removed; 0 without an editor.
    weighted_rows_ : ndarray of int
        Numbers of the rows that were not dropped, if some had weight 0.

    Raises
    ------
    ParameterError
        If a step is of the wrong kind or in the wrong position.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> pipeline = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "knn"}])
    >>> float(pipeline.fit(X, y).score(X, y)) > 0.9
    True
    """

    steps: Sequence[StepLike] = slots(
        "step",
        default=({"classifier": "knn"},),
        kw_only=False,
        form="list",
        doc='Each a table with one key, the kind: ``{"transformer": "standardize"}``; its value '
        "is a name, a table with ``use``, or an instance. Or only an instance.",
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_do_not_raise_errors_in_init_or_set_params": "a typing error in a step is "
        "refused where it is made"
    }
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "strings", "histograms", "sets", "signatures", "views"),
        sample_weight=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Return one that takes weights, the default, and one with a step of every role."""
        naive_bayes = {"use": "sklearn", "estimator": "GaussianNB"}
        nearest = {"classifier": "knn"}
        return [
            cls([{"classifier": naive_bayes}]),
            cls(),
            cls([{"transformer": "standardize"}, {"editor": "enn"}, nearest]),
        ]

    def _check_made(self) -> None:
        """Check the names in the steps, so that a typing error is found where it is made."""
        problem = slot_problem(self.parameters["steps"], self.steps)
        if problem:
            raise self.parameter_error("steps", problem)
        for position, step in enumerate(self.steps):
            kind, component = kind_and_component(step)
            if isinstance(component, str | Mapping):
                problem = first_problem(component, kind)
                if problem:
                    raise self.parameter_error(
                        "steps", f"[{position}] {kind} cannot be built: {problem}"
                    )

    def check_parameters(self) -> None:
        """Check each step and their order."""
        problem = self._problem()
        if problem:
            raise self.parameter_error("steps", problem)

    def _problem(self) -> str | None:
        declared = self.parameters["steps"]
        return slot_problem(declared, self.steps) or order_problem(self.steps)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, those of the steps under the steps' names: ``classifier__k``."""
        params = super().get_params(deep=False)
        if deep and not self._problem():
            for name, (_, component) in zip(
                step_names(self.steps), map(kind_and_component, self.steps), strict=True
            ):
                params[name] = component
                if hasattr(component, "get_params"):
                    inner = component.get_params(deep=True)
                    params.update((f"{name}__{key}", value) for key, value in inner.items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Set ``steps``, a step by its name, or a step's parameter (``classifier__k``)."""
        for name in self.parameters.keys() & params:
            setattr(self, name, params.pop(name))
        if not params:
            return self  # whatever steps are: they are checked by fit
        problem = slot_problem(self.parameters["steps"], self.steps)
        if problem:
            raise self.parameter_error("steps", problem)
        position = {name: i for i, name in enumerate(step_names(self.steps))}
        by_position = {}
        for key, value in params.items():
            head, separator, tail = key.partition("__")
            if head not in position:
                hint = did_you_mean(head, position)
                names = ", ".join(position)
                raise self.parameter_error(head, f"is no step{hint} (steps are: {names})")
            kind, _ = kind_and_component(self.steps[position[head]])
            inner = f"steps__{position[head]}{separator}{tail}"
            by_position[inner] = value if separator else {kind: value}
        return super().set_params(**by_position)

    def fit(
        self, X: Cases, y: Labels | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit every step on the output of the steps before it.

        Parameters
        ----------
        X : array, data frame or list of length n
        y : array of shape (n,), optional
        sample_weight : array of shape (n,), optional
            Passed to the steps that declare it; editors select from it as from y. It is an
            error if there is no such step. Rows of weight 0 are dropped before the first step.

        Returns
        -------
        Pipeline
            Itself.
        """
        self.check_parameters()
        built = cast("list[Any]", taken_slot(self, "steps"))
        for name in ("weighted_rows_", "_carried_queries"):
            vars(self).pop(name, None)
        if sample_weight is not None:
            sample_weight, X, y = self._weighted(built, X, y, sample_weight)
        return self._finish(built, Carried(X, y), sample_weight)

    def advance(self, carried: Carried, n_steps: int) -> Carried:
        """Fit further steps, none of them the last one, as `fit` would.

        Parameters
        ----------
        carried : Carried
            What the steps before gave: ``Carried(X, y, queries)`` before the first step.
        n_steps : int
            Number of steps that are fitted then.

        Returns
        -------
        Carried
            What the next step gets. Cases to predict that a step refuses are None.

        Examples
        --------
        >>> import ilk
        >>> X, y = ilk.dataset("iris").load().Xy
        >>> scaled = {"transformer": "standardize"}
        >>> one, other = (ilk.Pipeline([scaled, {"classifier": c}]) for c in ("knn", "lda"))
        >>> carried = one.advance(ilk.Carried(X, y, X[:5]), 1)
        >>> bool((other.finish(carried, X[:5]).predict(X[:5]) == y[:5]).all())
        True
        """
        self.check_parameters()
        part = taken_steps(self, carried.n_steps, n_steps)
        start = perf_counter()
        carried = self._advance(part, carried)
        fitted = perf_counter()
        try:
            queries = self._transformed(carried.queries, carried.steps[-len(part) :])
        except Exception:  # noqa: BLE001  # `predict` meets it again, after the fit
            queries = None
        return replace(
            carried,
            queries=queries,
            fit_seconds=carried.fit_seconds + fitted - start,
            predict_seconds=carried.predict_seconds + perf_counter() - fitted,
        )

    def finish(self, carried: Carried, queries: Cases) -> Self:
        """Fit the remaining steps, as `fit` would.

        Parameters
        ----------
        carried : Carried
            Of `advance`, perhaps by another pipeline that begins with the same steps.
        queries : array, data frame or list
            The cases to predict that were given to its first step. Predictions for this very
            object start from what the steps made of it.

        Returns
        -------
        Pipeline
            Itself; steps that another pipeline fitted are not fitted in it.
        """
        self.check_parameters()
        built = taken_steps(self, carried.n_steps, len(self.steps))
        vars(self).pop("_carried_queries", None)
        if carried.queries is not None:
            self._carried_queries = queries, carried.n_steps, carried.queries
        return self._finish(built, carried)

    def _finish(
        self, built: list[Any], carried: Carried, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the last of the steps, and before it the unfitted ones."""
        carried = self._advance(built, carried, sample_weight)
        names = step_names(self.steps)
        others = self.steps[: len(names) - len(carried.steps)]
        unfitted = [kind_and_component(step)[1] for step in others]
        self.steps_ = list(zip(names, [*unfitted, *carried.steps], strict=True))
        self.reduction_ = 1 - carried.share
        return self

    def _advance(
        self, built: list[Any], carried: Carried, sample_weight: ArrayLike | None = None
    ) -> Carried:
        """Fit the steps that follow those of `carried`."""
        X, y, share, tables = carried.X, carried.y, carried.share, carried.tables
        names, total = step_names(self.steps), len(self.steps)
        fitted: list[Any] = []
        for position, step in enumerate(built, start=carried.n_steps):
            kind, component = kind_and_component(step)
            last, tables = position == total - 1, tables or is_table(X)
            if role_of(kind) == "resample":
                component, selected = resample(component, X, y)
                share *= len(selected) / n_rows(X)
                if not len(selected):
                    raise InputError(
                        f"pipeline: the step {names[position]} left none of {n_rows(X)} cases"
                    )
                X, y = take(X, selected), take(y, selected)
                sample_weight = None if sample_weight is None else take(sample_weight, selected)
            else:
                if not last and not hasattr(component, "transform"):
                    raise self.parameter_error(
                        "steps", f"[{position}] {_NO_TRANSFORM}: {component!r}"
                    )
                component, given = fit_step(component, X, y, sample_weight, last=last)
                X = given if last else self._named(given, X, component)
            fitted.append(component)
        return replace(
            carried,
            X=X,
            y=y,
            share=share,
            tables=tables,
            n_steps=carried.n_steps + len(built),
            steps=(*carried.steps, *fitted),
        )

    def _weighted(
        self, steps: list[Any], X: Cases, y: Labels | None, sample_weight: ArrayLike
    ) -> tuple[Any, ...]:
        """Weights, X and y without rows of weight 0; an error if all steps would ignore weights."""
        weights = check_weights(self, sample_weight, X)
        if not any(takes_weights(kind_and_component(step)[1]) for step in steps):
            names = ", ".join(step_names(steps))
            raise InputError(f"pipeline: sample_weight is taken by none of the steps ({names})")
        if y is not None:
            check_same_length(self, X, y)
        if not weights.all():
            self.weighted_rows_ = np.flatnonzero(weights)
        return rows_of_weight(weights, X, y)

    def with_late(self, other: Component) -> Self:
        """Return this fitted pipeline with the `late` parameters of another one's last step."""
        twin = super().with_late(self)
        if not isinstance(other, Pipeline):
            raise self.parameter_error("other", f"must be a pipeline, got {other!r}")
        name, last = self.steps_[-1]
        kind, wanted = kind_and_component(opened(other, "steps", [other.steps[-1]])[0])
        last = last.with_late(wanted)
        twin.steps = [*self.steps[:-1], {kind: last}]
        twin.steps_ = [*self.steps_[:-1], (name, last)]
        return twin

    def expect(self, X: Cases) -> None:
        """Transform X, to be predicted several times, once."""
        self._carried_queries = X, len(self.steps_) - 1, self._carried(X)
        self.steps_[-1][1].expect(self._carried_queries[2])

    def _carried(self, X: Cases) -> Any:
        """Transform X by every step except the last."""
        from sklearn.utils.validation import check_is_fitted

        if not hasattr(self, "steps_"):  # check_is_fitted would read the tags of every step
            check_is_fitted(self)
        start = 0
        given, n_steps, known = vars(self).get("_carried_queries", (None, 0, None))
        if given is not None and X is given:
            X, start = known, n_steps
        return self._transformed(X, [step for _, step in self.steps_[start:-1]])

    def _transformed(self, X: Any, steps: Sequence[Any]) -> Any:
        """Transform X by fitted steps; None stays None."""
        for step in steps:
            if X is not None and hasattr(step, "transform") and not hasattr(step, "fit_resample"):
                X = self._named(step.transform(X), X, step)
        return X

    def _named(self, columns: Any, X: Cases, step: Any) -> Any:
        """Output of a step for X: with names of columns, if a later step needs them."""
        return with_names(columns, X, step) if is_table(X) and uses_views(self) else columns

    def _last(self) -> Any:
        """Return the last step, fitted or as `fit` would build it."""
        if hasattr(self, "steps_"):
            return self.steps_[-1][1]
        self.check_parameters()
        return kind_and_component(opened(self, "steps", [self.steps[-1]])[0])[1]

    @available_if(_last_has("predict"))
    def predict(self, X: Cases) -> Any:
        """Predict with the last step; array of shape (n,)."""
        return self._call("predict", X)

    @available_if(_last_has("predict_proba"))
    def predict_proba(self, X: Cases) -> Any:
        """Probabilities of the last step; array of shape (n, n_classes)."""
        return self._call("predict_proba", X)

    @available_if(_last_has("decision_function"))
    def decision_function(self, X: Cases) -> Any:
        """Scores of the last step; array of shape (n,) or (n, n_classes)."""
        return self._call("decision_function", X)

    @available_if(_last_has("predict"))
    def outputs(self, X: Cases) -> Outputs:
        """Outputs of the last step, which must be a classifier; the steps before are run once."""
        carried = self._carried(X)
        return Outputs.of(self.steps_[-1][1], carried)

    @available_if(_last_has("transform"))
    def transform(self, X: Cases) -> Any:
        """Transform by every step; only if the last step is a transformer."""
        return self._call("transform", X)

    @available_if(_last_has("nearest_cases"))
    def nearest_cases(self, X: Cases) -> Any:
        """Nearest training cases of the last step: distances, row numbers and labels.

        Returns
        -------
        distances, indices, labels : ndarray of shape (m, k)
            Nearest first. The numbers are those of the rows that `fit` was given, whatever
            editors removed.
        """
        distances, indices, labels = self._call("nearest_cases", X)
        for _, step in reversed(self.steps_):
            if hasattr(step, "fit_resample"):
                indices = np.asarray(step.sample_indices_)[indices]
        if "weighted_rows_" in vars(self):
            indices = self.weighted_rows_[indices]
        return distances, indices, labels

    @property
    def fast_leave_one_out(self) -> bool:
        """Whether `leave_one_out` is available: in the last step, after stateless steps."""
        try:
            return not order_problem(self.steps) and self._in_the_way() is None
        except IlkError:  # reported by fit
            return False

    def _in_the_way(self) -> tuple[int, str] | None:
        """Position of a step that must be refitted without each case, and the requirement."""
        *before, last = self._built()
        for position, step in enumerate(before):
            if not learns_nothing(step):
                return position, "must be a transformer that learns nothing from cases, or frozen"
        if not leaves_out(last):
            return len(before), "must have a fast leave_one_out with its present parameters"
        return None

    def _built(self) -> list[Any]:
        """Return the components of the steps, as `fit` would use them."""
        built = cast("list[Any]", self.resolve_slot("steps"))
        return [kind_and_component(step)[1] for step in built]

    @available_if(_last_has("leave_one_out"))
    def leave_one_out(self, X: Cases, y: Labels) -> Any:
        """Leave-one-out predictions of the last step for each case, without refitting.

        Available if no step before the last depends on its training cases
        (`fast_leave_one_out` is true): transformers that are stateless or frozen, no editors,
        and a last step with its own `leave_one_out`.

        Parameters
        ----------
        X : array, data frame or list of length n
        y : array of shape (n,)

        Returns
        -------
        Prediction or ndarray
            The result of the last step: numbers for a regressor.

        Raises
        ------
        ParameterError
            If a step would have to be refitted without each case; names the step.
        """
        self.check_parameters()
        problem = self._in_the_way()
        if problem is not None:
            position, what = problem
            raise self.parameter_error("steps", f"[{position}] {what}, for leave_one_out")
        *before, last = self._built()
        for step in before:
            X = self._named(fit_component(step, X, y).transform(X), X, step)
        return last.leave_one_out(X, y)

    @available_if(_last_has("score"))
    def score(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """Score of the last step: accuracy of a classifier, R^2 of a regressor."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        carried = self._carried(X)
        return float(self.steps_[-1][1].score(carried, y, **weights))

    def _call(self, method: str, X: Cases) -> Any:
        carried = self._carried(X)
        return getattr(self.steps_[-1][1], method)(carried)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Names of the output features of the last transforming step."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        for _, step in self.steps_:
            if hasattr(step, "transform"):
                input_features = step.get_feature_names_out(input_features)
        return input_features

    @property
    def classes_(self) -> Any:  # type: ignore[override]  # that of another
        """Classes of the last step, sorted."""
        return self.steps_[-1][1].classes_

    @property
    def n_features_in_(self) -> int:  # type: ignore[override]  # that of another
        """Number of features of the first step that has it."""
        for _, step in self.steps_:
            if hasattr(step, "n_features_in_"):
                return int(step.n_features_in_)
        raise AttributeError("no step of the pipeline has n_features_in_")

    @property
    def feature_names_in_(self) -> Any:
        """Names of the columns that the first step was fitted on, if it was a table of texts."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self.steps_[0][1].feature_names_in_

    @property
    def named_steps(self) -> dict[str, Any]:
        """Fitted steps by name."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return dict(self.steps_)

    def __getitem__(self, key: int | str | slice) -> Any:
        """Return a fitted step by position or name, or the pipeline of a slice of the steps."""
        from sklearn.utils.validation import check_is_fitted

        if isinstance(key, slice):
            params = self.get_params(deep=False)
            part = type(self)(**{**params, "steps": list(self.steps)[key]})
            if hasattr(self, "steps_"):
                part.steps_ = self.steps_[key]
            return part
        check_is_fitted(self)
        return self.named_steps[key] if isinstance(key, str) else self.steps_[key][1]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.steps)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "steps_")

    def _sk_visual_block_(self) -> Block:
        given = map(kind_and_component, self.steps)
        unfitted = zip(
            step_names(self.steps), (named(step, kind) for kind, step in given), strict=True
        )
        return block(self, "serial", list(getattr(self, "steps_", unfitted)))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        try:
            last = get_tags(self._last())
        except ParameterError:  # which fit raises
            return tags
        tags.estimator_type = last.estimator_type
        tags.classifier_tags = last.classifier_tags
        tags.regressor_tags = last.regressor_tags
        tags.target_tags = last.target_tags
        tags.input_tags.sparse = self._takes_sparse()
        return tags

    def _takes_sparse(self) -> bool:
        """Whether all steps take sparse rows, up to a metric learner, which makes them dense."""
        from sklearn.utils import get_tags

        for kind, step in map(kind_and_component, getattr(self, "steps_", None) or self.steps):
            component = named(step, kind)
            if not get_tags(component).input_tags.sparse:
                return False
            if isinstance(component, MetricLearner):
                return True
        return True


_NO_TRANSFORM = (
    "has no transform, so it cannot stand before another step (a local metric learner "
    "goes into the metric_learner of knn)"
)


def taken_steps(pipeline: Pipeline, start: int, stop: int) -> list[Any]:
    """Return some steps for a fit: copies, or those of a `single_use` clone themselves."""
    part = opened(pipeline, "steps", list(pipeline.steps[start:stop]))
    return [{kind: taken(component)} for kind, component in map(kind_and_component, part)]
