"""Checks of classifiers, regressors, detectors and clusterers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from ilk.component import children, seeded
from ilk.errors import InputError
from ilk.inputs import n_rows, take
from ilk.pipeline import Pipeline
from ilk.steps import takes_weights
from ilk.testing.checks.learning import trained
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check
from ilk.testing.subject import learned, named

if TYPE_CHECKING:
    from ilk.arrays import Estimator
    from ilk.testing.subject import Subject


@check("classifier")
def check_learns(subject: Subject) -> None:
    """It learns separated classes: at least 8 of 10 training cases are predicted correctly."""
    X, y = subject.data(40)
    share = float(np.mean(trained(subject, X, y).predict(X) == y))
    expect(share >= 0.8, f"expected at least 0.8 of the training cases right, got {share}")


@check("classifier")
def check_classes(subject: Subject) -> None:
    """`classes_` is sorted, and predictions are among them, with their type."""
    for classes in (2, 3):
        for what, labels, known, got, _ in named(subject, classes):
            expect_same(known, np.unique(labels), f"classes_ for {what}")
            shape = labels.shape
            expect(got.shape == shape, f"expected shape {shape} for {what}, got {got.shape}")
            types = [{type(label) for label in each.tolist()} for each in (labels, known, got)]
            expect(types[0] == types[1] == types[2], f"expected {what} of one type, got {types}")
            strange = set(got.tolist()) - set(known.tolist())
            expect(not strange, f"expected predictions among classes_ for {what}, got {strange}")


@check("classifier")
def check_label_names(subject: Subject) -> None:
    """Renaming the classes, in the same order, does not change the predictions."""
    for classes in (2, 3):
        plain, *renamed = named(subject, classes)
        for what, labels, _, _, got in renamed:
            expect_same(got, np.unique(labels)[plain.queries], f"predictions for {what}")


@check("classifier")
def check_label_order(subject: Subject) -> None:
    """The order of class names has no influence, except on ties."""
    X, y = subject.data(40, classes=3)
    place = np.array([np.sum(y[:i] == y[i]) for i in range(len(y))])
    rows = np.flatnonzero(place < 13 - 2 * y)  # classes of one size are tied where two meet
    X, y = take(X, rows), take(y, rows)
    names = np.array(["c", "a", "b"])
    expected = names[trained(subject, X, y).predict(X)]
    agreeing = float(np.mean(trained(subject, X, names[y]).predict(X) == expected))
    expect(agreeing >= 0.9, f"expected nearly the same answers, got {agreeing} of them")


@check("classifier")
def check_one_class(subject: Subject) -> None:
    """With one class, it predicts that class or raises an error that asks for two."""
    X, y = subject.data()
    labels = np.full(len(y), "only")
    try:
        got = trained(subject, X, labels).predict(X)
    except ValueError as error:
        named = any(name in str(error) for name in subject.names())
        expect(named and "class" in str(error), f"expected an error about one class, got {error}")
        return
    expect_same(got, labels, "predictions after training on one class")


@check("classifier")
def check_labels_missing(subject: Subject) -> None:
    """Without labels, with too few, or with a missing label, errors name the component."""
    X, y = subject.data()
    spoiled = y.astype(float)
    spoiled[3] = np.nan
    names = subject.names()
    expect_error(lambda: trained(subject, X, None), "y=None", mentions=[names, "y"])
    expect_error(lambda: trained(subject, X, y[:-1]), "one label too few", mentions=[names])
    expect_error(lambda: trained(subject, X, spoiled), "NaN in y", mentions=[names, "NaN"])


@check("classifier")
def check_continuous_labels_refused(subject: Subject) -> None:
    """Continuous labels are an error that names the component."""
    X, y = subject.data()
    expect_error(
        lambda: trained(subject, X, y + 0.25), "y of real numbers", mentions=[subject.names()]
    )


@check("classifier")
def check_in_pipeline(subject: Subject) -> None:
    """As the last step of a pipeline it predicts as it does alone."""
    X, y = subject.data()
    got = Pipeline([{"classifier": subject.seeded()}]).fit(X, y).predict(X)
    expect_same(got, learned(subject).predict(X), "predictions of a pipeline of one step")


@check("classifier")
def check_outputs_agree(subject: Subject) -> None:
    """`outputs` gives the labels, probabilities and decision values of the methods for these."""
    X, _ = subject.data()
    model = learned(subject)
    outputs = model.outputs(X)
    expect_same(outputs.labels(), model.predict(X), "the labels of outputs(X)")
    for name, got in (
        ("predict_proba", outputs.probabilities),
        ("decision_function", outputs.scores),
    ):
        expected = getattr(model, name, None)
        given = got is not None
        expect(given == (expected is not None), f"expected outputs(X) to follow {name}, {given=}")
        if got is not None and expected is not None:
            expect_same(got(), expected(X), f"outputs(X) in place of {name}(X)")


@check("classifier", "regressor", "detector", on="first", when=lambda model: bool(model.late))
def check_late_parameters(subject: Subject) -> None:
    """`with_late` equals a fit with these parameters; a later fit forgets expected queries."""
    (X, y), Q = subject.data(30), subject.data(20, seed=1).X
    order = np.roll(np.arange(30), 7)
    Z, other_way = take(X, order), (1 - y)[order]
    wanted = subject.seeded().fit(X, y)
    for example in wanted.examples():
        values = {name: getattr(example, name) for name in wanted.late}
        other = subject.seeded().set_params(**values).fit(X, y)
        for what in ("with_late", "with_late after expect(Q)"):
            for method in ("predict", "predict_proba", "decision_function"):
                if hasattr(wanted, method):
                    got = getattr(other.with_late(wanted), method)(Q)
                    expect_same(got, getattr(wanted, method)(Q), f"{method} of {what}, {values}")
            other.expect(Q)
        other.predict(Q)
        expected = subject.seeded().set_params(**values).fit(Z, other_way).predict(Q)
        got = other.fit(Z, other_way).predict(Q)
        expect_same(got, expected, "predictions after expect(Q) and another fit")


def _has_proba(model: Estimator) -> bool:
    return hasattr(model, "predict_proba")


@check("classifier", capability="probabilistic")
def check_probabilistic(subject: Subject) -> None:
    """If probabilistic is declared, it has `predict_proba` once fitted."""
    expect(
        _has_proba(learned(subject)),
        "expected predict_proba where probabilistic is declared, got none",
    )


@check("classifier", when=_has_proba)
def check_probabilities(subject: Subject) -> None:
    """`predict_proba` is within 0..1, each row sums to one, and the largest is predicted."""
    for classes in (2, 3):
        X, y = subject.data(30, classes=classes)
        names = np.array(["x", "y", "z"])[:classes]
        model = trained(subject, X, names[y])
        P = np.asarray(model.predict_proba(X))
        expect(P.shape == (30, classes), f"expected shape (30, {classes}), got {P.shape}")
        within = (P >= 0) & (P <= 1)
        expect(within.all(), f"expected probabilities within 0..1, got {P[~within][:1]}")
        expect_same(P.sum(axis=1), np.ones(30), "the sums of predict_proba", rtol=1e-5)
        _check_largest(P, model, np.asarray(model.predict(X)))


def _check_largest(P: np.ndarray, model: Any, labels: np.ndarray) -> None:
    """Check that the predicted label has the largest probability; ties may go to any."""
    answered = np.isin(labels, model.classes_)  # the others were rejected
    codes = np.searchsorted(model.classes_, labels[answered])
    P = P[answered]
    chosen = P[np.arange(len(P)), codes]
    below = np.flatnonzero(chosen < P.max(axis=1) - 1e-9)
    if below.size:
        row = int(below[0])
        best = model.classes_[P[row].argmax()]
        expect(
            False, f"expected {best!r} for probabilities {P[row]}, got {labels[answered][row]!r}"
        )


def _has_decision(model: Estimator) -> bool:
    return hasattr(model, "decision_function")


@check("classifier", when=_has_decision)
def check_decision_function(subject: Subject) -> None:
    """`decision_function` is positive for the second of two classes, largest for one of more."""
    for classes in (2, 3):
        X, y = subject.data(30, classes=classes)
        model = learned(subject) if classes == 2 else trained(subject, X, y)
        if not _has_decision(model):  # it can depend on the data, as for a tuned model
            continue
        values = np.asarray(model.decision_function(X))
        shape = (30,) if classes == 2 else (30, classes)
        expect(values.shape == shape, f"expected shape {shape}, got {values.shape}")
        winners = values > 0 if classes == 2 else values.argmax(axis=1)
        share = float(np.mean(model.classes_[np.asarray(winners, dtype=int)] == y))
        expect(share >= 0.8, f"expected 0.8 of the training cases on the right side, got {share}")


def _weighs(model: Estimator) -> bool:
    """Tell whether it, and every classifier in its slots, accepts sample weights."""
    opened = seeded(clone(model), 0)
    members = [child for _, child in children(opened) if hasattr(child, "predict")]
    return takes_weights(model) and all(_weighs(member) for member in members)


def _counts_cases(model: Estimator) -> bool:
    """Tell whether it and its members accept weights, and none waives that 2 counts as two."""
    opened = seeded(clone(model), 0)
    members = [child for _, child in children(opened) if hasattr(child, "predict")]
    waived = "check_weights_repeat" in getattr(model, "waivers", {})
    return takes_weights(model) and not waived and all(map(_counts_cases, members))


@check("classifier", on="first", capability="sample_weight")
def check_weights_example(subject: Subject) -> None:
    """If sample_weight is declared, all members of some example accept weights."""
    examples = subject.cls.examples()
    expect(any(map(_weighs, examples)), f"expected an example that takes weights, got {examples}")


@check("classifier", capability="sample_weight", when=_counts_cases)
def check_weights_repeat(subject: Subject) -> None:
    """A case of weight 2 counts as two cases, and a case of weight 0 as none."""
    X, y = subject.data(30)
    weights = np.array([0.0, 1.0, 2.0])[np.arange(30) * 7 % 3]
    y = np.where(weights == 0, 1 - y, y)  # wrong labels reveal whether these cases are used
    rows = np.repeat(np.arange(30), weights.astype(int))
    Q = subject.data(40, seed=1).X
    before = weights.copy()
    weighted = subject.seeded().fit(X, y, sample_weight=weights)
    expect_same(weights, before, "the weights after fit", rtol=0, atol=0)
    repeated = trained(subject, take(X, rows), y[rows])
    expect_same(weighted.predict(Q), repeated.predict(Q), "predictions with weights 0, 1 and 2")
    if _has_proba(weighted):
        got, expected = weighted.predict_proba(Q), repeated.predict_proba(Q)
        expect_same(got, expected, "predict_proba with weights 0, 1 and 2", rtol=1e-3, atol=1e-3)


@check("classifier", "regressor", "detector", capability="sample_weight")
def check_weights_absent(subject: Subject) -> None:
    """Fitting with wrong cases of weight 0 equals fitting without them."""
    X, y = subject.data(30)
    rows = np.flatnonzero(np.arange(30) % 5)
    weights = np.where(np.arange(30) % 5, 1.0 + np.arange(30) % 3, 0.0)
    wrong = np.where(weights == 0, 1 - y, y)
    Z, Q = X, subject.data(20, seed=1).X
    if type(X) is np.ndarray and X.dtype.kind == "f":  # far away, and as valid
        Z = np.where(weights[:, None] == 0, X[::-1] * 3, X)
    weighted, without = subject.seeded(), subject.seeded()
    try:
        without.fit(take(X, rows), y[rows], sample_weight=weights[rows])
    except InputError as error:
        if "sample_weight" in str(error):  # no member takes weights
            return
        raise
    weighted.fit(Z, wrong, sample_weight=weights)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(without, method):
            got, expected = getattr(weighted, method)(Q), getattr(without, method)(Q)
            expect_same(got, expected, f"{method} with cases of weight 0", rtol=1e-6)


@check("classifier", "regressor", "detector", "clusterer", on="first", capability="sample_weight")
def check_weights_checked(subject: Subject) -> None:
    """Weights of another length, negative, NaN, all 0 or texts are errors that name them."""
    X, y = subject.data()
    ones = np.ones(len(y))
    for what, weights in (
        ("one weight too few", ones[1:]),
        ("a negative weight", np.r_[-1.0, ones[1:]]),
        ("a weight of NaN", np.r_[np.nan, ones[1:]]),
        ("weights that are all 0", 0 * ones),
        ("weights that are texts", np.full(len(y), "heavy")),
    ):
        expect_error(
            lambda: subject.seeded().fit(X, y, sample_weight=weights),  # noqa: B023  # called now
            what,
            mentions=[subject.names(), "sample_weight"],
        )


@check("classifier", on="first", capability="fast_leave_one_out", slow=True)
def check_leave_one_out(subject: Subject) -> None:
    """`leave_one_out` returns the labels that refitting without each case gives."""
    X, y = subject.data(20)
    got = subject.seeded().leave_one_out(X, y)
    expected = []
    for i in range(n_rows(X)):
        rest = np.delete(np.arange(n_rows(X)), i)
        expected.append(trained(subject, take(X, rest), y[rest]).predict(take(X, [i]))[0])
    expect_same(got.labels, np.array(expected), "the labels of leave_one_out")
    expect_same(got.truth, y, "the truth of leave_one_out")


@check("classifier", capability="presort")
def check_presort(subject: Subject) -> None:
    """Fitting with the handle of `presort(X)` gives the same model; the handle replaces X."""
    X, y = subject.data()
    model = subject.seeded()
    handle = model.presort(X)
    got = model.fit(X, y, presorted=handle).predict(X)
    expected = learned(subject).predict(X)
    expect_same(got, expected, "predictions with presorted=")
    expect_same(model.predict(handle), expected, "predictions for the handle of presort(X)")


@check("classifier", capability="one_threshold")
def check_one_threshold(subject: Subject) -> None:
    """Labels follow from `feature_`, `threshold_` and `leaf_weights_`."""
    model = learned(subject)
    X = subject.data(40, seed=1).X
    above = X[:, model.feature_] > model.threshold_ if model.feature_ >= 0 else np.zeros(len(X))
    expected = model.classes_[model.leaf_weights_.argmax(axis=1)[above.astype(int)]]
    expect_same(model.predict(X), expected, "labels of the two sides of threshold_")


def _is_exact(model: Any) -> bool:
    return bool(getattr(model, "exact_weights", model.capabilities.exact_weights))


@check("classifier", capability="exact_weights", when=_is_exact)
def check_exact_weights(subject: Subject) -> None:
    """Whole weights give the probabilities of a fit to copies, to the last bit."""
    X, y = subject.data(40)
    weights = np.array([3.0, 1.0, 2.0])[np.arange(40) * 7 % 3]
    rows = np.repeat(np.arange(40), weights.astype(int))
    Q = subject.data(40, seed=1).X
    weighted = subject.seeded().fit(X, y, sample_weight=weights).predict_proba(Q)
    copied = trained(subject, take(X, rows), y[rows]).predict_proba(Q)
    expect_same(weighted, copied, "predict_proba with weights 1, 2 and 3", rtol=0, atol=0)


@check("regressor")
def check_numbers_predicted(subject: Subject) -> None:
    """`predict` returns a finite number for each row."""
    X, y = subject.data()
    got = np.asarray(trained(subject, X, y + 0.5).predict(X))
    expect(got.shape == y.shape, f"expected shape {y.shape}, got {got.shape}")
    expect(got.dtype.kind == "f", f"expected floats, got {got.dtype}")
    expect(np.isfinite(got).all(), "expected finite numbers, got others")


@check("regressor")
def check_constant_target(subject: Subject) -> None:
    """A constant target is predicted."""
    X, y = subject.data()
    got = trained(subject, X, np.full(len(y), 2.5)).predict(X)
    expect_same(got, np.full(len(y), 2.5), "predictions of a constant target", atol=0.05)


@check("regressor")
def check_targets_refused(subject: Subject) -> None:
    """Words, NaN, too few targets and no targets are errors that name the component."""
    X, y = subject.data()
    spoiled = y.astype(float)
    spoiled[3] = np.nan
    for what, bad in (
        ("targets that are words", np.full(len(y), "word")),
        ("NaN in y", spoiled),
        ("one target too few", y[:-1]),
        ("y=None", None),
    ):
        expect_error(
            lambda: trained(subject, X, bad),  # noqa: B023  # called before the next turn
            what,
            mentions=[subject.names()],
        )


@check("regressor", on="first", capability="fast_leave_one_out", slow=True)
def check_leave_one_out_numbers(subject: Subject) -> None:
    """`leave_one_out` returns the numbers that refitting without each case gives."""
    X, y = subject.data(20)
    targets = y + np.linspace(0, 1, 20)
    got = subject.seeded().leave_one_out(X, targets)
    expected = []
    for i in range(n_rows(X)):
        rest = np.delete(np.arange(n_rows(X)), i)
        model = trained(subject, take(X, rest), targets[rest])
        expected.append(model.predict(take(X, [i]))[0])
    expect_same(got, np.array(expected), "the numbers of leave_one_out", rtol=1e-6)


@check("detector")
def check_inliers(subject: Subject) -> None:
    """`predict` returns +1 or -1, the sign of `decision_function`."""
    X, y = subject.data(40)
    detector = trained(subject, X, y)
    Q = np.vstack([X, 50 * X]) if isinstance(X, np.ndarray) else X
    got, scores = np.asarray(detector.predict(Q)), np.asarray(detector.decision_function(Q))
    expect(got.dtype.kind == "i", f"expected integers, got {got.dtype}")
    expect(set(got.tolist()) <= {-1, 1}, f"expected +1 and -1, got {sorted(set(got.tolist()))}")
    n = n_rows(Q)
    expect(scores.shape == (n,), f"expected scores of shape ({n},), got {scores.shape}")
    expect_same(got, np.where(scores < 0, -1, 1), "predictions, by the sign of the scores")


@check("detector")
def check_labels_ignored(subject: Subject) -> None:
    """`fit` ignores y."""
    X, y = subject.data(40)
    expected = trained(subject, X, y).decision_function(X)
    expect_same(trained(subject, X, None).decision_function(X), expected, "scores without y")


@check("clusterer")
def check_cluster_labels(subject: Subject) -> None:
    """`labels_` has an integer for each row, -1 for noise, and `fit_predict` returns it."""
    X, y = subject.data(40)
    labels = np.asarray(trained(subject, X, y).labels_)
    expect(labels.shape == (40,), f"expected labels_ of shape (40,), got {labels.shape}")
    expect(labels.dtype.kind == "i", f"expected integers, got {labels.dtype}")
    expect((labels >= -1).all(), f"expected clusters from 0 and -1 for noise, got {labels.min()}")
    expect_same(subject.seeded().fit_predict(X, y), labels, "fit_predict(X, y)")
    without = np.asarray(trained(subject, X, None).labels_)
    expect(without.shape == (40,), f"expected labels_ without y too, got shape {without.shape}")
