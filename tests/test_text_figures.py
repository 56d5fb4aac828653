"""Figures of the source texts: the catalogue, the command, numbers that the texts print."""

import io
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import ilk
import ilk_distances.plotting
import ilk_ensembles.plotting
import ilk_learners.plotting
from cases import in_one_test
from ilk.cli.shell import run as ilk_command
from ilk.discovery import Found
from ilk.plotting import TextFigure, text_figure, text_figures
from ilk_ensembles.boosting.plotting import arras_cases, staged_margins
from ilk_evaluation.curves import plotting as curves
from ilk_evaluation.theory import plotting as theory
from ilk_learners.plotting.models import gp_posterior

pytest.importorskip("matplotlib", reason="matplotlib is in the extra report")
TEXTS = ("Arras", "Cunningham 2008", "Evaluation slides", "Ntoutsi 2015", "Zaidi 2011")


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = ilk_command([*map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def offered(name, value):
    point = EntryPoint(name, value, "ilk.figures")
    return Found("ilk.figures", name, "ilk-other", "1.0", value, point)


def test_every_figure_says_whence_it_is_and_what_it_shows():
    figures = text_figures()
    assert len(figures) >= 20
    for figure in figures.values():
        assert figure.source.startswith(tuple(f"{text}: " for text in TEXTS))
        assert figure.summary.endswith(".")
        assert "``" not in figure.summary


def test_list_has_all_figures(call):
    code, out, err = call("figures")
    assert (code, err) == (0, "")
    assert "emd_flow  (Cunningham 2008: figure 2.2)" in out.splitlines()
    assert [line.split()[0] for line in out.splitlines()[::3]] == [*text_figures()]


def test_one_figure_is_written(call, tmp_path):
    assert call("figures", "losses") == (0, "losses.png\n", "")
    assert (tmp_path / "losses.png").read_bytes().startswith(b"\x89PNG")
    assert call("figures", "losses")[0] == 0  # an earlier figure is replaced
    assert call("figures", "losses", "-o", "l.SVG")[0] == 0
    assert "<svg" in (tmp_path / "l.SVG").read_text(encoding="utf-8")


def test_all_figures_are_written_into_a_folder(call, tmp_path, monkeypatch):
    two = {name: text_figure(name) for name in ("losses", "voting_weights")}
    monkeypatch.setattr("ilk.plotting.text_figures", lambda: two)
    code, out, _ = call("figures", "--all", "new/folder")
    assert (code, len(out.splitlines())) == (0, 2)
    folder = tmp_path / "new" / "folder"
    assert sorted(path.name for path in folder.iterdir()) == ["losses.png", "voting_weights.png"]


def test_a_figure_that_fails_does_not_stop_the_others(call, tmp_path, monkeypatch):
    both = {"a": TextFigure("a", offered("a", "no_such:a")), "losses": text_figure("losses")}
    monkeypatch.setattr("ilk.plotting.text_figures", lambda: both)
    code, out, err = call("figures", "--all", "folder")
    assert (code, Path(out.strip())) == (2, Path("folder", "losses.png"))
    assert "figure a of ilk-other 1.0" in err


@in_one_test
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["emd_flw"], "there is no figure 'emd_flw'; did you mean 'emd_flow'?"),
        (["losses", "-o", "losses.gif"], "losses.gif: must end in .png, .svg or .pdf"),
        (["losses", "-o", "no/losses.png"], "no/losses.png: cannot be written: No such file"),
        (["losses", "-o", "mine.png"], "mine.png: exists and is no figure of ilk"),
        (["losses", "--all", "folder"], "--all draws all figures: say no NAME"),
        (["-o", "losses.png"], "--output needs the NAME of a figure"),
        (["--all", "mine.png"], "'mine.png' is a file"),
    ],
)
def test_wrong_calls_have_a_message(call, tmp_path, arguments, message):
    (tmp_path / "mine.png").write_bytes(b"a photograph")
    code, out, err = call("figures", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert (tmp_path / "mine.png").read_bytes() == b"a photograph"


def test_without_matplotlib_the_list_stands_and_drawing_names_the_extra(call, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call("figures")[0] == 0
    code, _, err = call("figures", "losses")
    assert code == 2
    assert "extra 'report'" in err


def test_a_broken_figure_does_not_hide_the_others(call, monkeypatch):
    both = [offered("a", "no_such_module:a"), offered("losses", "ilk_ensembles.plotting:losses")]
    monkeypatch.setattr("ilk.plotting.found_in", lambda group: both)
    code, out, _ = call("figures")
    assert code == 0
    assert "a  (cannot be drawn)\n    figure a of ilk-other 1.0 (no_such_module:a)" in out
    assert "losses  (Arras: Why Does It Work)" in out
    code, _, err = call("figures", "a")
    assert code == 2
    assert "cannot be imported: ModuleNotFoundError" in err


def test_a_name_of_two_distributions_is_qualified(monkeypatch):
    ours = next(found for found in [text_figure("losses").found])
    monkeypatch.setattr("ilk.plotting.found_in", lambda group: [ours, offered("losses", "m:f")])
    assert [*text_figures()] == ["ilk-ensembles/losses", "ilk-other/losses"]


def test_source_is_the_first_citation():
    def one():
        """Draw.

        References
        ----------
        Zaidi 2011: figures
        2.4-2.5. Someone else.

        Another text.
        """

    figure = TextFigure("one", offered("one", "m:one"))
    figure.__dict__["function"] = one
    assert (figure.source, figure.summary) == ("Zaidi 2011: figures 2.4-2.5", "Draw.")


# numbers that the texts print

PRINTED = {0.2: 1.39, 0.25: 1.10, 0.4: 0.41}  # ln((1 - e) / e), twice the voting weight


def test_voting_weights_are_those_of_the_formula():
    weight, factor = ilk_ensembles.plotting.voting_weights()
    e, alpha = weight.lines[0].get_data()
    Z = factor.lines[0].get_ydata()
    for error, printed in PRINTED.items():
        at = np.abs(e - error).argmin()
        assert 2 * alpha[at] == pytest.approx(printed, abs=0.006)
        # Z = (1 - e) exp(-alpha) + e exp(alpha)
        assert Z[at] == pytest.approx((1 - e[at]) * np.exp(-alpha[at]) + e[at] * np.exp(alpha[at]))
    assert Z.max() == pytest.approx(1)


def test_losses_bound_the_error():
    lines = {line.get_label(): line for line in ilk_ensembles.plotting.losses().lines}
    m, error = lines.pop("0/1").get_data()
    assert error.tolist() == (m <= 0).astype(float).tolist()
    for line in lines.values():
        assert (line.get_ydata() >= error - 1e-12).all()
        assert np.interp(0, m, line.get_ydata()) == pytest.approx(1)
    with pytest.raises(ilk.InputError, match="did you mean 'hinge'"):
        ilk_ensembles.plotting.losses(["hing"])


def test_rounds_of_the_worked_example():
    """Stumps, and errors of the strong classifier, are those printed for eight rounds."""
    X, y = arras_cases()
    model = ilk.classifier("adaboost", n_members=8).fit(X, y)
    thresholds = [(stump.feature_ + 1, round(stump.threshold_, 2)) for stump in model.estimators_]
    assert thresholds == [
        *[(1, 0.37), (2, 0.47), (2, 0.14), (1, 0.37), (1, 0.81), (2, 0.47), (2, 0.14), (1, 0.93)]
    ]
    printed = [0.20, 0.16, 0.25, 0.20, 0.28, 0.29, 0.29, 0.25]
    np.testing.assert_allclose(model.errors_, printed, atol=0.021)
    wrong = [int((labels != y).sum()) for labels in model.staged_predict(X)]
    assert wrong == [4, 5, 1, 1, 1, 1, 1, 0]


def test_rounds_have_areas_by_weight_and_the_member_as_a_line():
    X, y = arras_cases()
    first, second = ilk_ensembles.plotting.adaboost_rounds(rounds=(1, 2))
    assert first.lines[-1].get_xdata() == pytest.approx([0.37, 0.37])
    assert second.lines[-1].get_ydata() == pytest.approx([0.47, 0.47])
    areas = np.empty(20)
    for code, label in enumerate((-1, 1)):
        areas[y == label] = second.collections[code].get_sizes()
    shares = areas / areas.sum()
    wrong = (np.where(X[:, 0] > 0.37, 1, -1) != y).nonzero()[0]
    # each misclassified case has half of the weight together
    np.testing.assert_allclose(shares[wrong], 0.5 / 4)
    np.testing.assert_allclose(np.delete(shares, wrong), 0.5 / 16)


def test_staged_weights_follow_the_updates():
    """An independent loop: multiply by exp(alpha) or exp(-alpha), and normalize."""
    rng = np.random.default_rng(0)
    X, y, given = rng.normal(size=(60, 2)), rng.integers(0, 3, 60), rng.uniform(0.5, 2, 60)
    model = ilk.classifier("adaboost", n_members=5).fit(X, y, sample_weight=given)
    weights = given / given.sum()
    for number, ours in enumerate(model.staged_weights(X, y, given)):
        np.testing.assert_allclose(ours, weights)
        if number < len(model.estimators_):
            wrong = model.estimators_[number].predict(X) != y
            assert weights[wrong].sum() == pytest.approx(model.errors_[number])
            weights = weights * np.exp(np.where(wrong, 1, -1) * model.alphas_[number])
            weights /= weights.sum()


def test_staged_weights_need_known_labels_and_no_restarts():
    X, y = [[0.0], [1], [2], [3]], [0, 1, 1, 0]
    model = ilk.classifier("adaboost", n_members=2).fit(X, y)
    with pytest.raises(ilk.InputError, match="y has 2, which is none of the classes"):
        model.staged_weights(X, [0, 1, 2, 0])
    with pytest.raises(ilk.ParameterError, match="restarts must be 0 for staged_weights"):
        model.set_params(method="resampling", restarts=1).staged_weights(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_margins_are_below_0_for_errors_only(n_classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = np.digitize(X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=80), [0, 1][: n_classes - 1])
    model = ilk.classifier("adaboost", n_members=6).fit(X, y)
    for margins, labels in zip(staged_margins(model, X, y), model.staged_predict(X), strict=True):
        assert (abs(margins) <= 1 + 1e-12).all()
        assert ((margins < -1e-9) <= (labels != y)).all()
        assert ((margins > 1e-9) <= (labels == y)).all()


def test_xor_is_mapped_as_printed():
    _, image = ilk_learners.plotting.xor_map()
    A, B = (points.get_offsets().round(3).tolist() for points in image.collections)
    assert A == [[0.368, 0.368]] * 2
    assert B == [[0.135, 1.0], [1.0, 0.135]]
    first, second = image.lines[1].get_data()
    np.testing.assert_allclose(first + second, 1)  # the line of the text
    first, second = image.lines[0].get_data()
    assert 2 * 0.368 < (first + second).mean() < 1.135  # ours separates, too


def test_cover_counts():
    """14 of 16 labellings of four points in the plane; one half at N = 2 (l + 1)."""
    ax = theory.cover_curves()
    for line, width in zip(ax.lines, (2, 10, 50, 200), strict=False):
        x, share = line.get_data()
        points = (x * (width + 1)).round().astype(int)
        assert share[points == 2 * (width + 1)] == pytest.approx(0.5)
        if width == 2:
            assert share[points == 4] * 2**4 == pytest.approx(14)


def test_majority_of_25_members():
    by_error, by_number = theory.condorcet_curves()
    labels = [line.get_label() for line in by_error.lines]
    e, error = by_error.lines[labels.index("25 members")].get_data()
    assert error[np.abs(e - 0.35).argmin()] == pytest.approx(0.06, abs=0.005)
    assert by_number.lines[1].get_ydata()[12] == pytest.approx(0.06, abs=0.005)
    with pytest.raises(ilk.InputError, match="n_members must have a number"):
        theory.condorcet_curves([])


def test_guaranteed_risk_has_its_minimum_within():
    ax = theory.vc_bounds([10_000])
    sums = next(line for line in ax.lines if line.get_label() == "n = 10,000").get_ydata()
    marked = next(line for line in ax.lines if len(line.get_xdata()) == 1)
    assert 0 < sums.argmin() < len(sums) - 1
    assert marked.get_xydata().tolist() == [[sums.argmin() + 1, sums.min()]]


def test_bagged_stumps_answer_as_printed():
    """Figures 5.35 and 5.36 of the text: ten samples, the answers of their stumps, the sums."""
    ax = ilk_ensembles.plotting.bagging_rounds()
    left, right, every = [1, 1, 1, *[0] * 7], [*[0] * 7, 1, 1, 1], [1] * 10
    y = [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]
    table = [left, every, left, left, left, right, right, right, right, every, y, y]
    assert ax.images[0].get_array().astype(int).tolist() == table
    assert [int(text.get_text()) for text in ax.texts] == [2, 2, 2, -6, -6, -6, -6, 2, 2, 2]


def test_samples_of_a_bagged_model_are_drawn():
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    model = ilk.classifier("bagging", n_members=3, random_state=0).fit(X, y)
    ax = ilk_ensembles.plotting.bagging_rounds(model, X, y)
    for dots, rows in zip(ax.collections, model.rows_, strict=False):
        drawn, times = np.unique(rows, return_counts=True)
        assert dots.get_offsets()[:, 0].tolist() == drawn.tolist()
        assert dots.get_sizes().tolist() == (14.0 * times).tolist()


def test_a_map_may_widen_the_margin():
    before, after = (
        float(ax.get_title().split()[-1]) for ax in ilk_learners.plotting.learned_margin()
    )
    assert after > 2 * before


def test_flow_is_as_printed():
    ax = ilk_distances.plotting.emd_flow()
    moved = [text.get_text() for text in ax.texts if text.get_gid() == "moved"]
    assert sorted(moved) == ["0.1", "0.2", "0.2", "0.5"]


def test_roc_goes_through_the_rates_at_each_threshold():
    scores, positive = np.array([0.9, 0.7, 0.7, 0.4, 0.2]), np.array([1, 0, 1, 1, 0], bool)
    _, curve = curves.roc_steps(scores, positive, [0.7, 0.3])
    points = curve.lines[0].get_xydata().tolist()
    assert points == [[0, 0], [0, 1 / 3], [0.5, 2 / 3], [0.5, 1], [1, 1]]
    assert curve.lines[1].get_xydata().tolist() == [[0.5, 2 / 3]]
    pairs = [(s > t) + (s == t) / 2 for s in scores[positive] for t in scores[~positive]]
    assert curve.get_title() == f"area {np.mean(pairs):.3g}"


def test_posterior_is_that_of_the_regressor():
    rng = np.random.default_rng(0)
    x, places = rng.uniform(0, 5, 12), np.linspace(0, 5, 7)
    y = np.sin(x)
    y = (y - y.mean()) / y.std()  # the regressor standardizes
    kernel = {"use": "rbf", "sigma": 1.3}
    gp = ilk.regressor("gp", kernel=kernel, noise_variance=0.05).fit(x[:, None], y)
    mean, std = gp.predict(places[:, None], return_std=True)
    ours, covariance = gp_posterior(x, y, places, 1.3, 0.05)
    np.testing.assert_allclose(ours, mean, atol=1e-8)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), std, atol=1e-8)


def test_neighbours_agree_in_many_dimensions():
    _, contrast = ilk_distances.plotting.concentration((2, 50, 1000), n=60)
    for line in contrast.lines:
        assert (np.diff(line.get_ydata()) < 0).all()


X3, Y3 = np.zeros((4, 3)), list("aabb")
WRONG = [
    (ilk_learners.plotting.knn_regions, {"X": X3, "y": Y3}, "X must have two features"),
    (ilk_learners.plotting.knn_regions, {"X": X3[:, :2]}, "y must be given with X"),
    (ilk_learners.plotting.knn_regions, {"X": X3[:, :2], "y": [0]}, "y must have 4 labels, got 1"),
    (ilk_learners.plotting.knn_regions, {"k": ()}, "there is nothing to draw"),
    (ilk_learners.plotting.knn_votes, {"X": X3[:, :2], "y": Y3}, "queries must be points"),
    (ilk_learners.plotting.learned_margin, {"learner": "dann"}, "dann: it has no map"),
    (ilk_ensembles.plotting.bagging_rounds, {"X": X3, "y": range(4)}, "must have two classes"),
    (ilk_learners.plotting.svm_cost, {"X": X3[:, :2], "y": range(4)}, "y must have 2 classes"),
    (ilk_learners.plotting.svm_cost, {"axes": [None]}, "axes must be 3, got 1"),
    (ilk_learners.plotting.xor_map, {"centers": [[0, 0]]}, "centers must be two points"),
    (ilk_learners.plotting.gp_posteriors, {"sizes": (11,)}, "sizes up to 11"),
    (ilk_learners.plotting.pruning_curves, {"noise": (2,)}, "noise from 0 to 1"),
    (ilk_ensembles.plotting.adaboost_rounds, {"rounds": (9,)}, "rounds must be from 1 to 8"),
    (ilk_ensembles.plotting.adaboost_rounds, {"X": X3, "y": Y3}, "X must have two features"),
    (ilk_ensembles.plotting.margin_distribution, {"rounds": (0,)}, "rounds must be from 1 to 1"),
    (ilk_distances.plotting.concentration, {"dimensions": (0,)}, "dimensions from 1"),
    (curves.roc_steps, {"scores": [1, 2], "positive": [1]}, "as many as positive"),
    (curves.roc_steps, {"scores": [1, 2], "positive": [1, 1]}, "roc_steps"),
]


@in_one_test
@pytest.mark.parametrize(("function", "options", "message"), WRONG)
def test_wrong_arguments_are_named(function, options, message):
    with pytest.raises(ilk.InputError, match=message):
        function(**options)


def test_margins_of_another_model_are_refused():
    knn = ilk.classifier("knn", k=1).fit([[0.0, 0], [1, 1]], ["a", "b"])
    with pytest.raises(ilk.InputError, match="knn: it has no support vectors to draw"):
        ilk_learners.plotting.svm_margins(knn, [[0.0, 0], [1, 1]], ["a", "b"])


def test_dashed_lines_are_where_the_decision_value_is_1():
    X = np.array([[0.0, 0], [-1, 1], [2, 0], [3, 1]])
    y = np.array(list("aabb"))
    machine = ilk.classifier("svm", kernel="linear", C=np.inf).fit(X, y)
    ax = ilk_learners.plotting.svm_margins(machine, X, y)
    lines = {
        float(lines.levels[0]): np.concatenate([path.vertices for path in lines.get_paths()])
        for lines in ax.collections
        if hasattr(lines, "levels")
    }
    for level, points in lines.items():
        np.testing.assert_allclose(machine.decision_function(points), level, atol=1e-3)
    rings = ax.collections[-1].get_offsets()
    assert sorted(rings.tolist()) == [[0.0, 0.0], [2.0, 0.0]]


def test_white_is_where_neighbours_tie():
    X, y = [[0.0, 0.0], [1.0, 0.0]], ["a", "b"]
    (panel,) = ilk_learners.plotting.knn_ties(X, y, k=(2,))
    assert panel.images[0].get_array().mask.all()
    assert panel.get_legend().get_texts()[-1].get_text() == "rejected"


def written(figure) -> bytes:
    """Write a figure, by which whatever cannot be drawn fails."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=40)
    return buffer.getvalue()


@pytest.mark.parametrize("name", sorted(text_figures()))
@pytest.mark.filterwarnings("error")
def test_figure_draws(name):
    if name == "pyramid_levels":
        pytest.importorskip("cv2", reason="OpenCV is in the extra images")
    figure = text_figure(name).draw()
    assert any(ax.has_data() for ax in figure.axes)
    assert len(written(figure)) > 2000
    for ax in figure.axes:
        assert ax.get_title() or ax.get_xlabel() or not ax.axison


@pytest.mark.exhaustive
def test_condensing_keeps_noise_and_editing_removes_it():
    kept, error = ilk_learners.plotting.pruning_curves(["cnn", "renn"], noise=(0, 0.2), repeats=5)
    cnn, renn, _ = (line.get_ydata() for line in kept.lines)
    assert cnn[1] > 3 * cnn[0]
    assert renn[1] < 0.9
    cnn, renn, every = (line.get_ydata()[1] for line in error.lines)
    assert renn < every < cnn


@pytest.mark.exhaustive
def test_nearest_neighbour_has_less_bias_than_a_tree_of_two_levels():
    """As figure 5.34 of the text shows; its larger variance of 1-NN does not follow here."""
    titles = [ax.get_title() for ax in ilk_learners.plotting.mean_borders()]
    bias, variance = np.array([re.findall(r"0\.\d+", title) for title in titles], float).T
    assert bias[1] < bias[0] / 2
    assert variance[1] < variance[0]


@pytest.mark.exhaustive
def test_pyramid_has_the_lengths_of_the_text():
    pytest.importorskip("cv2", reason="OpenCV is in the extra images")
    drawn = ilk_learners.plotting.pyramid_levels()
    assert [ax.get_title() for ax in drawn[4:]] == [
        *("200 bins", "800 bins", "3200 bins", "12800 bins")
    ]
