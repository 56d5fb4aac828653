"""enn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.under_sampling import EditedNearestNeighbours

import ilk
from cases import in_one_test


def edited(X, y, **parameters):
    editor = ilk.editor("enn", **parameters)
    editor.fit_resample(X, y)
    return editor.sample_indices_.tolist()


def oracle(X, y, k, rule, ties):
    """Case by case, in plain Python."""
    kept = []
    for i, x in enumerate(X):
        others = [(float(np.sqrt(((x - z) ** 2).sum())), j) for j, z in enumerate(X) if j != i]
        labels = [y[j] for _, j in sorted(others)[:k]]
        counts = {c: labels.count(c) for c in labels}
        best = [c for c in counts if counts[c] == max(counts.values())]
        if rule == "all":
            stays = set(labels) == {y[i]}
        elif ties == "nearest":
            stays = next(c for c in labels if c in best) == y[i]
        else:
            stays = y[i] in best and (ties == "keep" or len(best) == 1)
        if stays:
            kept.append(i)
    return kept


def test_worked():
    X = np.array([[0.0], [1], [2], [3], [10], [11], [12], [13]])
    y = np.array(list("aabaabbb"))
    # 2 is "b" among a, a, a; 10 is "a" among b, b, b.
    editor = ilk.editor("enn")
    X_kept, y_kept = editor.fit_resample(X, y)
    assert editor.sample_indices_.tolist() == [0, 1, 3, 5, 6, 7]
    assert X_kept.ravel().tolist() == [0, 1, 3, 11, 12, 13]
    assert "".join(y_kept) == "aaabbb"
    assert editor.reduction_ == 0.25


def test_rule_all():
    X, y = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], list("aababb")
    # With two neighbours each: 0 has a, b; 1 a, b; 2 a, a; 10 b, b; 11 a, b; 12 b, a.
    assert edited(X, y, k=2, rule="all") == []
    assert edited(X, y, k=2) == [0, 1, 4, 5]


def test_ties():
    X, y = [[0.0], [1.0], [3.0]], ["a", "b", "a"]
    # 0 has b, a; 1 has a, a; 3 has b, a, the nearest first.
    assert edited(X, y, k=2, ties="keep") == [0, 2]
    assert edited(X, y, k=2, ties="remove") == []
    assert edited(X, y, k=2, ties="nearest") == []
    assert edited([[0.0], [1.0], [-3.0]], list("aab"), k=2, ties="nearest") == [0, 1]


@given(
    st.integers(0, 2**31),
    st.integers(1, 6),
    st.sampled_from(["plurality", "all"]),
    st.sampled_from(["keep", "remove", "nearest"]),
)
def test_agrees_with_oracle(seed, k, rule, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(20, 2)).astype(float)  # many ties of distance and twins
    y = rng.integers(0, 3, size=20)
    assert edited(X, y, k=k, rule=rule, ties=ties) == oracle(X, y.tolist(), k, rule, ties)


@in_one_test
@pytest.mark.parametrize(("rule", "kind_sel"), [("plurality", "mode"), ("all", "all")])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_agrees_with_imbalanced_learn(rule, kind_sel, k):
    # Two classes and odd k: no ties of votes; continuous values: no ties of distance.
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    theirs = EditedNearestNeighbours(sampling_strategy="all", n_neighbors=k, kind_sel=kind_sel)
    theirs.fit_resample(X, y)
    assert edited(X, y, k=k, rule=rule) == sorted(theirs.sample_indices_)


def test_twins_each_leave_out_themselves():
    # Five equal rows: the neighbours of each are twins, never itself.
    X, y = np.zeros((5, 1)), np.array(list("baaaa"))
    assert edited(X, y, k=1) == []  # 0 sees 1, all others see 0
    assert edited(X, y, k=2, ties="nearest") == []  # 0 sees 1 and 2, 1 sees 0 and 2, ...
    assert edited(X, y, k=3) == [1, 2, 3, 4]
    assert edited(X, y, k=4) == [1, 2, 3, 4]


def test_input_is_given_back_in_its_own_type():
    frame = pd.DataFrame({"n": [0.0, 1, 2, 3, 4], "c": list("uuvuu")}, index=list("pqrst"))
    y = pd.Series(list("aabaa"), index=frame.index)
    X_kept, y_kept = ilk.editor("enn", distance="heterogeneous").fit_resample(frame, y)
    assert X_kept.index.tolist() == y_kept.index.tolist() == ["p", "q", "s", "t"]
    texts = ["a", "aa", "aaa", "aaaa", "aaaaa"]
    distance = ilk.distance("callable", function=lambda a, b: abs(len(a) - len(b)))
    kept, _ = ilk.editor("enn", distance=distance).fit_resample(texts, list("xxyxx"))
    assert kept == ["a", "aa", "aaaa", "aaaaa"]


def test_precomputed_distances_give_usable_indices():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, size=60)
    D = ilk.distance("euclidean").pairwise(X)
    editor = ilk.editor("enn", distance=ilk.distance("precomputed", matrix=D))
    rows, labels = editor.fit_resample(np.arange(60)[:, None], y)
    assert editor.sample_indices_.tolist() == edited(X, y)
    assert np.array_equal(rows[:, 0], editor.sample_indices_)
    knn = ilk.classifier("knn", k=1, distance=ilk.distance("precomputed", matrix=D))
    plain = ilk.classifier("knn", k=1).fit(X[editor.sample_indices_], labels)
    assert np.array_equal(knn.fit(rows, labels).predict(np.arange(60)[:, None]), plain.predict(X))


def test_in_a_pipeline(blobs):
    X, y, Q = blobs
    steps = [{"editor": "enn"}, {"classifier": {"use": "knn", "k": 1}}]
    pipeline = ilk.Pipeline(steps).fit(X, y)
    kept = edited(X, y)
    expected = ilk.classifier("knn", k=1).fit(X[kept], y[kept])
    assert 0 < len(kept) < 120
    assert np.array_equal(pipeline.predict(Q), expected.predict(Q))


def test_errors():
    with pytest.raises(ilk.InputError, match=r"enn: k must be at most 2, .*\(n_samples = 3\)"):
        edited([[0.0], [1.0], [2.0]], list("aab"))
    with pytest.raises(ilk.InputError, match="enn: X has NaN at row 1"):
        edited([[0.0], [np.nan]], list("ab"), k=1)
    with pytest.raises(ilk.ParameterError, match="rule must be.*did you mean 'plurality'"):
        ilk.editor("enn", rule="pluralty")
