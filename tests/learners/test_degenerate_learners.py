"""Every global metric learner on data that other libraries fail on.

None may end in NaN, in complex numbers, in the identity without a word, or in an error that
names neither the learner nor what is wrong.
"""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.linear import MetricWarning

BROKEN = {}


def global_learners():
    registry = ilk.registry("metric_learner")
    for name in registry:
        try:
            cls = registry.get(name)
        except ilk.BrokenComponentError as error:
            BROKEN[name] = error
        else:
            if not cls.capabilities.local:
                yield name


NAMES = list(global_learners())
OWNERS = {*NAMES, *ilk.registry("relevance")}


def noisy(n=24, p=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p)) * [1.0, 3.0, 0.3, 1.0, 2.0, 0.7][:p]
    return X + 1.5 * rng.normal(size=(classes, p))[y], y


def few_rows():
    rng = np.random.default_rng(1)
    return rng.normal(size=(8, 20)) * rng.uniform(0.5, 3, 20), np.arange(8) % 2


def singular_within():
    X, y = noisy()
    return np.column_stack([X, y * 3.0, X[:, 0] - X[:, 1]]), y  # constant inside; dependent


def unbalanced():
    X, _ = noisy(101, 3)
    return X, (np.arange(101) == 50).astype(int)


def lonely():
    X, y = noisy()
    return X, np.where(np.arange(24) == 5, 2, y)


def duplicates():
    X, y = noisy(12)
    return np.repeat(X, 2, axis=0), np.repeat(y, 2)


def twins_that_disagree():
    X, _ = noisy(12)
    return np.repeat(X, 2, axis=0), np.arange(24) % 2


def with_columns(make):
    X, y = noisy()
    return np.column_stack([X, make(X)]), y


def times(factor):
    X, y = noisy()
    return X * factor, y


CASES = {
    "constant columns": lambda: with_columns(lambda X: np.full((24, 2), [0.0, 7.3])),
    "duplicated column": lambda: with_columns(lambda X: X[:, 1]),
    "a far constant column": lambda: with_columns(lambda X: np.full(24, 1e9)),
    "duplicated rows": duplicates,
    "fewer rows than columns": few_rows,
    "a class of one": lonely,
    "two classes of one and many": unbalanced,
    "one feature": lambda: noisy(24, 1),
    "singular inside classes": singular_within,
    "times 1e-12": lambda: times(1e-12),
    "times 1e12": lambda: times(1e12),
    "times 1000": lambda: times(1e3),
    "far from the origin": lambda: (noisy()[0] + 1e6, noisy()[1]),
    "columns of many sizes": lambda: (noisy()[0] * [1e-8, 1.0, 1e6, 1e12], noisy()[1]),
    "classes of two": lambda: (noisy(8, 3)[0], np.arange(8) // 2),
}
MAY_REFUSE = {
    "equal rows of two classes": twins_that_disagree,
    "two points of two classes": lambda: (np.array([[0.0, 1.0], [2.0, 5.0]]), np.array([0, 1])),
    "two points of a class": lambda: (np.array([[0.0, 1.0], [2.0, 5.0]]), np.array([0, 0])),
    "two points and one": lambda: (
        np.array([[0.0, 1.0], [2.0, 5.0], [4.0, 4.0]]),
        np.array([0, 0, 1]),
    ),
    "all rows equal": lambda: (np.ones((10, 3)), np.arange(10) % 2),
    "every row its own class": lambda: (noisy(8)[0], np.arange(8)),
    "one class": lambda: (noisy()[0], np.zeros(24, dtype=int)),
}


def examples(name, n_features, **settings):
    """The learner in the variants that it shows of itself, with a seed where it takes one."""
    cls = ilk.registry("metric_learner").get(name)
    for model in cls.examples():
        known = model.get_params(deep=False)
        wanted = {"random_state": 0, "max_iter": 20, **settings}
        if isinstance(known.get("views"), dict):  # of columns that are not those of the data here
            if n_features == 1 or isinstance(known["weights"], dict):
                continue
            wanted |= {"views": {"left": [0], "right": list(range(1, n_features))}}
        yield model.set_params(**{key: wanted[key] for key in wanted if key in known})


def default(name, **settings):
    return next(examples(name, 4, **settings))


def fitted(model, X, y):
    """Fit; any warning but those of learners is an error. Tells whether there was one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    strange = [w for w in caught if not issubclass(w.category, ConvergenceWarning | MetricWarning)]
    assert not strange, [str(w.message) for w in strange]
    return model, bool(caught)


def check_sound(model, X, warned):
    L, A, Z = model.components_, model.metric_matrix_, model.transform(X)
    assert L.dtype == A.dtype == Z.dtype == X.dtype
    assert L.shape[1] == X.shape[1]
    for values in (L, Z):
        assert np.isfinite(values).all()
    assert np.array_equal(A, L.T @ L)
    if not warned and may_not_be_identity(model):
        assert not is_identity(L), "the identity, without a word"


def may_not_be_identity(model):
    """Not of the identity, of a basis that may be that of the features, nor of equal scores."""
    scores = getattr(model, "scores_", np.zeros(1))
    if scores[0] > 0 and (scores == scores[0]).all():
        return False
    learner = getattr(model, "learner", model)
    kind = learner if isinstance(learner, str) else type(learner).__name__.lower()
    return kind not in {"identity", "pca"}


def is_identity(L):
    d, p = L.shape
    return d == p > 1 and L[0, 0] != 0 and np.array_equal(L, L[0, 0] * np.eye(p))


def check_refusal(error, model, asked=None):
    """The message names the learner (or its relevance measure) and, if asked, a parameter."""
    message = str(error)
    assert message.partition(": ")[0] in OWNERS, message
    if asked is not None:
        assert any(name.removesuffix("s") in message for name in asked), message


def changed(model):
    """Names of the parameters that an example sets."""
    plain = type(model)().get_params(deep=False)
    return [key for key, value in model.get_params(deep=False).items() if value is not plain[key]]


def test_every_entry_loads():
    assert not BROKEN
    assert len(NAMES) >= 17


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_learns(name, case):
    X, y = CASES[case]()
    for number, model in enumerate(examples(name, X.shape[1])):
        try:
            _, warned = fitted(model, X, y)
        except ilk.InputError as error:
            assert number > 0, "the defaults do for all of these"
            check_refusal(error, model, changed(model))
        else:
            check_sound(model, X, warned)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", MAY_REFUSE)
def test_learns_or_says_why_not(name, case):
    X, y = MAY_REFUSE[case]()
    for model in examples(name, X.shape[1]):
        try:
            _, warned = fitted(model, X, y)
        except ilk.InputError as error:
            check_refusal(error, model)
        else:
            check_sound(model, X, warned)


@in_one_test
@pytest.mark.parametrize(
    "name", sorted(set(NAMES) - {"identity", "pca", "truncated_svd", "whitening"})
)
def test_one_class_is_an_error_or_a_warning(name):
    X, y = MAY_REFUSE["one class"]()
    model = default(name)
    if not may_not_be_identity(model):
        return
    try:
        _, warned = fitted(model, X, y)
    except ilk.InputError as error:
        check_refusal(error, model)
    else:
        assert warned or name == "rca"  # to which one chunklet is as good as any


@in_one_test
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_not_finite(name, value):
    X, y = noisy()
    X[3, 1] = value
    with pytest.raises(ilk.InputError, match=rf"^{name}: .*X.*(NaN|inf)"):
        default(name).fit(X, y)


LABELS = {
    "texts": np.array(["no", "yes"]),
    "minus and plus one": np.array([-1, 1]),
    "far apart": np.array([7, 1000]),
    "true and false": np.array([False, True]),
    "text objects": np.array(["no", "yes"], dtype=object),
}


@in_one_test
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", NAMES)
def test_names_of_classes_do_not_matter(name, labels):
    X, y = noisy()
    plain, _ = fitted(default(name), X, y)
    named, _ = fitted(default(name), X, LABELS[labels][y])
    assert np.array_equal(plain.components_, named.components_)


@pytest.mark.parametrize("name", NAMES)
def test_two_fits_are_equal(name):
    X, y = noisy(40, 4, 3)
    for one, other in zip(examples(name, 4), examples(name, 4), strict=True):
        first, second = fitted(one, X, y)[0], fitted(other, X, y)[0]
        assert np.array_equal(first.components_, second.components_)
        assert np.array_equal(first.components_, fitted(one, X, y)[0].components_)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_map_and_metric_agree(name):
    X, y = noisy(40, 4, 3)
    for model in examples(name, 4):
        fitted(model, X, y)
        steps = model.transform(X) - model.transform(X[:1])
        assert np.allclose(steps, (X - X[0]) @ model.components_.T, rtol=1e-10, atol=1e-12)
        D = model.distance().pairwise(X[:5], X)
        between = X[:5, None] - X
        squares = np.einsum("ijp,pq,ijq->ij", between, model.metric_matrix_, between)
        assert np.allclose(D**2, squares, rtol=1e-8, atol=1e-10 * squares.max())


@in_one_test
@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_iterations_stay_below_the_limit_and_loss_does_not_rise(name, limit):
    X, y = noisy(40, 4, 3)
    for model in examples(name, 4, max_iter=limit):
        fitted(model, X, y)
        if "max_iter" in model.get_params(deep=False):
            assert model.n_iter_ <= limit
            curve = getattr(model, "loss_curve_", [0])
            assert curve[-1] <= curve[0]


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_single_precision_is_kept(name):
    X, y = noisy(40, 4, 3)
    X = X.astype(np.float32)
    for model in examples(name, 4):
        _, warned = fitted(model, X, y)
        check_sound(model, X, warned)


@in_one_test
@pytest.mark.parametrize("factor", [1e-12, 1e3, 1e12])
@pytest.mark.parametrize("name", NAMES)
def test_units_do_not_change_neighbours(name, factor):
    X, y = noisy(40, 4, 3)
    plain, scaled = fitted(default(name), X, y)[0], fitted(default(name), X * factor, y)[0]
    A, B = plain.metric_matrix_, scaled.metric_matrix_
    assert np.allclose(A / np.trace(A), B / np.trace(B), atol=1e-3)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_strange_layouts_of_memory(name):
    X, y = noisy(40, 4, 3)
    wide = np.full((80, 8), np.nan)
    wide[::2, ::2] = X
    strided, flipped = wide[::2, ::2], np.asfortranarray(X)
    flipped.flags.writeable = False
    plain = fitted(default(name), X, y)[0].components_
    for other in (strided, flipped):
        assert np.allclose(
            fitted(default(name), other, y)[0].components_, plain, rtol=1e-3, atol=1e-6
        )


@in_one_test
@pytest.mark.parametrize("name", [name for name in NAMES if name != "relevance"])
def test_begins_with_as_many_directions_as_tell_classes_apart(name):
    model = default(name)
    if "lda" not in str(type(model).parameters.get("init")):
        pytest.skip("begins with no directions of classes")
    for p in (1, 2):
        X, y = noisy(24, p, classes=p + 1)
        check_sound(*fitted_as(default(name, init="lda"), X, y))


def fitted_as(model, X, y):
    model, warned = fitted(model, X, y)
    return model, X, warned


@pytest.mark.parametrize("size", [1e-300, 1e300])
@pytest.mark.parametrize("name", ["identity", "pca", "whitening", "mlkr", "megm"])
def test_reports_numbers_of_any_size(name, size):
    X, _ = noisy()
    model, _ = fitted(default(name, report=True), X, X[:, 0] * size)
    assert not np.isnan([model.report_.before, model.report_.after]).any()


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_one_row_far_from_the_others(name):
    X, y = noisy()
    X[3, 2] = 1e300
    try:
        model, _ = fitted(default(name), X, y)
    except ilk.InputError as error:
        check_refusal(error, default(name))
    else:
        check_sound(model, X, warned=True)  # the others are one point beside it


UNBOUNDED = {
    "lmnn": "push",
    "itml": "gamma",
    "megm": "regularization",
    "megm_nca": "gamma1",
    "vsm": "penalty",
}


@in_one_test
@pytest.mark.parametrize("name", UNBOUNDED)
def test_no_weight_is_infinite(name):
    key = UNBOUNDED[name]
    with pytest.raises(ilk.ParameterError, match=f"{name}: {key} must be .* got inf"):
        default(name, **{key: np.inf}).fit(*noisy())


@in_one_test
@pytest.mark.parametrize("name", ["itml", "mmc", "nca", "vsm"])
def test_a_tolerance_of_any_size(name):
    model, warned = fitted(default(name, tol=1e300), *noisy())
    assert model.n_iter_ <= 2
    check_sound(model, noisy()[0], warned)


def test_what_numpy_calls_a_share_is_one():
    X, _ = noisy()
    models = [default("pca", n_components=kind(0.5)).fit(X) for kind in (float, np.float32)]
    assert np.array_equal(models[0].components_, models[1].components_)


def test_chunklets_are_no_scalar():
    with pytest.raises(ilk.ParameterError, match="rca: chunklets must be integers, one a row"):
        default("rca", chunklets=np.int64(2)).fit(*noisy())
