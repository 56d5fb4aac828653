"""Sparse rows under learners, editors, ensembles and pipelines: the answers of dense rows."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import GaussianNB

import ilk


def labelled(n=90, p=400, seed=0):
    """Counts of words; a class has words of its own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.poisson(1.5, (n, p)) * (rng.random((n, p)) < 0.03)
    own = (np.arange(p) // 20 == y[:, None]) & (rng.random((n, p)) < 0.2)
    X = (X + 2 * own).astype(float)
    X[:, -1] = 1  # no row is empty; a constant column
    return X, np.array(["cat", "dog", "emu"])[y]


@pytest.mark.parametrize(
    "classifier",
    [
        {"use": "knn", "distance": "cosine"},
        {"use": "knn", "k": 3, "vote": "inverse_distance"},
        {"use": "nearest_mean"},
        {"use": "nearest_mean", "kernel": "rbf"},
        {"use": "svm", "kernel": "linear", "tol": 1e-9},
        {"use": "svm", "kernel": "polynomial", "tol": 1e-9},
        {"use": "svm", "tol": 1e-9},
        {"use": "logistic", "tol": 1e-10},
        {"use": "naive_bayes"},
        {"use": "bagging", "member": {"use": "knn", "k": 1}, "random_state": 0},
        {"use": "voting", "members": ["nearest_mean", "knn"]},
        {"use": "ecoc", "member": "nearest_mean", "random_state": 0},
        {"use": "gp"},
        {"use": "gp", "optimize": "isotropic", "n_restarts": 0},
        {"use": "local_svm", "distance": "cosine", "tol": 1e-9},
        {"use": "conformal_svm", "tol": 1e-9},
        {
            "use": "stacking",
            "members": ["knn"],
            "learner": {"use": "logistic", "tol": 1e-10},
            "passthrough": True,
            "random_state": 0,
        },
        {
            "steps": [
                {"transformer": {"use": "standardize", "with_mean": False}},
                {"classifier": "knn"},
            ]
        },
        {"use": "sklearn", "estimator": "MultinomialNB"},
    ],
    ids=str,
)
def test_classifiers(classifier):
    X, y = labelled()
    Q = labelled(30, seed=1)[0]
    outputs = []
    for form in (np.asarray, sp.csr_array, sp.coo_matrix):
        model = ilk.build(classifier, kind="classifier").fit(form(X), y)
        method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
        outputs.append((model.predict(form(Q)), getattr(model, method)(form(Q))))
    for labels, scores in outputs[1:]:
        np.testing.assert_array_equal(labels, outputs[0][0])
        np.testing.assert_allclose(scores, outputs[0][1], rtol=1e-5, atol=1e-7)


def test_naive_bayes_is_that_of_scikit_learn():
    X, y = labelled()
    used = X.std(axis=0) > 0
    weights = np.linspace(0.5, 2, len(y))
    ours = ilk.classifier("naive_bayes", floor=1e-6).fit(sp.csr_array(X), y, weights)
    theirs = GaussianNB(var_smoothing=0).fit(X[:, used], y, weights)
    np.testing.assert_allclose(ours.means_[:, used], theirs.theta_, rtol=1e-10, atol=1e-12)
    wide = theirs.var_ > 1e-3
    np.testing.assert_allclose(ours.widths_[:, used][wide] ** 2, theirs.var_[wide], rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e150])
def test_naive_bayes_at_any_scale(scale):
    X, y = labelled()
    got, expected = (
        ilk.classifier("naive_bayes").fit(Z, y).predict_proba(Z)
        for Z in (sp.csr_array(X * scale), X * scale)
    )
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-12)


def test_other_predictors():
    X, _ = labelled()
    target = X.sum(axis=1)
    rows = sp.csr_array(X)
    per_word = {"use": "rbf", "sigma": np.linspace(1, 30, X.shape[1])}
    stacked = {"use": "stacking", "members": ["knn"], "learner": "knn", "random_state": 0}
    for kind, table in [
        ("regressor", {"use": "knn", "distance": "cosine"}),
        ("regressor", {"use": "gp", "optimize": "isotropic", "n_restarts": 0}),
        ("regressor", {"use": "gp", "optimize": "isotropic", "kernel": per_word, "n_restarts": 0}),
        ("regressor", {**stacked, "passthrough": True}),
        ("detector", {"use": "one_class_svm", "kernel": "linear"}),
    ]:
        got, expected = (ilk.build(table, kind=kind).fit(Z, target).predict(Z) for Z in (rows, X))
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_dbscan():
    X, _ = labelled()
    dbscan = ilk.clusterer("dbscan", eps=0.7, min_samples=3, distance="cosine")
    got, expected = (dbscan.fit(Z).labels_ for Z in (sp.coo_array(X), X))
    np.testing.assert_array_equal(got, expected)
    assert expected.max() > 0


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_standardize_without_mean(scale):
    X = labelled()[0] * scale
    standardize = ilk.transformer("standardize", with_mean=False)
    got = standardize.fit_transform(sp.csc_array(X))
    assert ilk.is_sparse(got)
    np.testing.assert_array_equal(standardize.scale_[-1], 1)  # of a constant column
    dense = ilk.transformer("standardize", with_mean=False).fit_transform(X)
    np.testing.assert_allclose(got.toarray(), dense, rtol=1e-12)
    back = standardize.inverse_transform(got)
    np.testing.assert_allclose(back.toarray(), X, rtol=1e-12)


@pytest.mark.parametrize("editor", ["enn", "renn", "cnn", "ib2", "rt3", "icf"])
def test_editors(editor):
    X, y = labelled(60)
    kept, dense = ilk.editor(editor), ilk.editor(editor)
    rows, labels = kept.fit_resample(sp.coo_array(X), y)
    dense.fit_resample(X, y)
    np.testing.assert_array_equal(kept.sample_indices_, dense.sample_indices_)
    np.testing.assert_array_equal(rows.toarray(), X[kept.sample_indices_])
    assert len(labels) == rows.shape[0]


def test_leave_one_out():
    X, y = labelled(60)
    got, expected = (
        ilk.classifier("knn", distance="cosine").leave_one_out(Z, y) for Z in (sp.csr_array(X), X)
    )
    np.testing.assert_array_equal(got.probabilities, expected.probabilities)


def test_a_pipeline_keeps_rows_sparse_up_to_the_svd():
    X, y = labelled()
    steps = [
        {"transformer": "maxabs"},
        {"transformer": {"use": "select", "columns": list(range(0, 400, 2))}},
        {"transformer": {"use": "truncated_svd", "n_components": 8, "random_state": 0}},
        {"transformer": "standardize"},
        {"classifier": "lda"},
    ]
    got, expected = (ilk.Pipeline(steps).fit(Z, y) for Z in (sp.csr_array(X), X))
    np.testing.assert_array_equal(got.predict(sp.csr_array(X)), expected.predict(X))
    first, second = (got.steps_[at][1] for at in (0, 1))
    scaled = first.transform(sp.csr_array(X))
    assert ilk.is_sparse(scaled)
    assert ilk.is_sparse(second.transform(scaled))


def test_truncated_svd_is_that_of_numpy_and_scikit_learn():
    X, _ = labelled()
    svd = ilk.transformer("truncated_svd", n_components=5, n_iter=100, random_state=0)
    Z = svd.fit_transform(sp.csr_array(X))
    values = np.linalg.svd(X, compute_uv=False)[:5]
    np.testing.assert_allclose(svd.singular_values_, values, rtol=1e-8)
    np.testing.assert_allclose(svd.components_ @ svd.components_.T, np.eye(5), atol=1e-10)
    theirs = TruncatedSVD(5, n_iter=100, random_state=0).fit_transform(X)
    np.testing.assert_allclose(np.abs(Z), np.abs(theirs), atol=1e-6)
    with pytest.raises(ilk.InputError, match="n_components must be at most 90"):
        ilk.transformer("truncated_svd", n_components=91).fit(sp.csr_array(X))


TEXTS = ["The cat sat on the mat", "A dog sat", "the Dog and the cat and the emu", ""]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"longest": 2, "min_df": 2}, {"ngram_range": (1, 2), "min_df": 2}),
        ({"frequency": "log"}, {"sublinear_tf": True}),
        ({"frequency": "binary", "norm": "l1"}, {"binary": True, "norm": "l1"}),
        ({"idf": False, "norm": None}, {"use_idf": False, "norm": None}),
        (
            {"unit": "character", "shortest": 2, "longest": 3, "lowercase": False},
            {"analyzer": "char", "ngram_range": (2, 3), "lowercase": False},
        ),
    ],
    ids=str,
)
def test_bag_of_words_is_that_of_scikit_learn(ours, theirs):
    bag, peer = ilk.transformer("bag_of_words", **ours), TfidfVectorizer(**theirs)
    got, expected = bag.fit_transform(TEXTS), peer.fit_transform(TEXTS)
    assert bag.vocabulary_.tolist() == peer.get_feature_names_out().tolist()
    np.testing.assert_allclose(got.toarray(), expected.toarray())
    new = ["the unheard-of emu", "nothing known"]
    np.testing.assert_allclose(bag.transform(new).toarray(), peer.transform(new).toarray())


def test_texts_are_classified():
    texts = ["good fine nice", "fine nice", "bad awful", "awful bad poor"]
    steps = [{"transformer": "bag_of_words"}, {"classifier": {"use": "knn", "k": 1}}]
    model = ilk.Pipeline(steps).fit(texts, ["+", "+", "-", "-"])
    assert model.predict(["nice", "poor"]).tolist() == ["+", "-"]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a b", 3], "got a int at row 1"),
        ("one text", "got the single text"),
        (["", "!"], "empty vocabulary"),
    ],
)
def test_what_is_no_list_of_texts(texts, said):
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=f"bag_of_words.*{said}"):
        ilk.transformer("bag_of_words").fit(texts)


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("lda", {}, "lda: X has sparse rows.*classifier knn"),
        ("naive_bayes", {"density": "kernel"}, "naive_bayes: X has sparse rows"),
        ("nearest_mean", {"metric": "mahalanobis"}, "nearest_mean: X has sparse rows"),
        ("logistic", {"penalty": "l1"}, "logistic: X has sparse rows.*penalty='l2'"),
        ("gp", {"optimize": "ard"}, "gp: optimize must not be 'ard' for sparse rows"),
        ("profile_svm", {}, "profile_svm: X has sparse rows.*classifier knn"),
        ("knn", {"index": "kd_tree"}, "kd_tree: X has sparse rows.*index brute"),
        ("knn", {"distance": "mahalanobis"}, "mahalanobis: X has sparse rows.*distance cosine"),
    ],
)
def test_who_takes_none_says_so(name, parameters, said):
    X, y = labelled(30)
    with pytest.raises((ilk.InputTypeError, ilk.ParameterError), match=said):
        ilk.classifier(name, **parameters).fit(sp.csr_array(X), y)
    assert not ilk.classifier(name, **parameters).__sklearn_tags__().input_tags.sparse


def test_kernel_densities_refuse_sparse_queries():
    X, y = labelled(30)
    model = ilk.classifier("naive_bayes", density="kernel").fit(X, y)
    with pytest.raises(ilk.InputTypeError, match="naive_bayes: X has sparse rows"):
        model.predict(sp.csr_array(X))


def test_sparse_columns_of_a_data_frame():
    pd = pytest.importorskip("pandas")
    X, y = labelled(30, 12)
    names = [f"w{i}" for i in range(12)]
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X), columns=names)
    model = ilk.classifier("knn", k=3).fit(frame, y)
    dense = ilk.classifier("knn", k=3).fit(X, y)
    np.testing.assert_array_equal(model.predict(frame), dense.predict(X))
    assert model.feature_names_in_.tolist() == names
    with pytest.raises(ilk.InputTypeError, match=r"lda: X has sparse rows.*X\.sparse\.to_dense"):
        ilk.classifier("lda").fit(frame, y)


def test_saved_and_loaded(tmp_path):
    X, y = labelled(30)
    rows = sp.csr_array(X)
    for table in ({"use": "knn", "distance": "cosine"}, {"use": "svm", "kernel": "linear"}):
        model = ilk.build(table, kind="classifier").fit(rows, y)
        again = ilk.load(ilk.save(model, tmp_path / "model.ilk"))
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


WIDE = """
import numpy as np, scipy.sparse as sp, ilk
def peak():  # ru_maxrss begins with that of the parent
    return next(int(line.split()[1]) for line in open("/proc/self/status") if "VmHWM" in line)
X = sp.random_array((3000, 200000), density=5e-4, rng=0, format="csr")
y = np.arange(3000) % 2
before = peak()
with ilk.threads(1):
    ilk.classifier("knn", distance="cosine").fit(X[:2000], y[:2000]).predict(X[2000:])
print(peak() - before)
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory():
    """2,000 x 200,000 dense would be 3.2 GB."""
    out = subprocess.run([sys.executable, "-c", WIDE], capture_output=True, text=True, check=True)
    assert 0 < int(out.stdout) < 300_000  # KiB
