"""What single models do: the map of an RBF network, Gaussian processes, pyramids, editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import COLORS, class_regions, grid_places, new_axes, plot_label
from ilk_learners.plotting.regions import corners, draw_cases, plane_cases, side_by_side
from ilk_learners.plotting.space import selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from ilk import ArrayLike, ClassifierLike, EditorLike, Labels, Matrix

_NEAREST: ClassifierLike = {"use": "knn", "k": 1}
_TREE: ClassifierLike = {"use": "decision_tree", "max_depth": 2}


def xor_map(
    X: Matrix | None = None,
    y: Labels | None = None,
    centers: ArrayLike = ((1.0, 1.0), (0.0, 0.0)),
    sigma: float = 0.5**0.5,
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw how two Gaussian units of an RBF network map a problem so that a line solves it.

    On the left are the cases, the centres of the units (crosses) and the regions of the network; on
    the right the cases by the activations ``exp(-|x - c_j|^2 / (2 sigma^2))`` of the two units,
    and the line of the network. The dashed line ``y_1 + y_2 = 1`` is the one of the text.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: the four points of exclusive or.
    y : array of shape (n,), optional
        Two classes.
    centers : array of shape (2, 2), default=((1, 1), (0, 0))
    sigma : float, default=sqrt(1/2)
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, or y not two classes.

    References
    ----------
    Evaluation slides: XOR by an RBF Network.

    Examples
    --------
    >>> import ilk_learners
    >>> plane, image = ilk_learners.plotting.xor_map()
    >>> image.collections[0].get_offsets().round(3).tolist()  # class A: (0, 1) and (1, 0)
    [[0.368, 0.368], [0.368, 0.368]]
    """
    default = X is None
    if X is None:
        X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
        y = ["A", "A", "B", "B"]
    rows, classes, codes = plane_cases("xor_map", X, y, 2)
    places = np.asarray(centers, dtype=float)
    if places.shape != (2, 2):
        raise ilk.InputError(f"xor_map: centers must be two points, got shape {places.shape}")
    network: Any = ilk.classifier("rbf_network", centers=places, sigma=sigma).fit(rows, codes)
    plane, image = side_by_side("xor_map", axes, 2)
    low, high = corners(np.concatenate([rows, places]))
    labels = network.predict(grid_places(low, high))
    class_regions(plane, labels, network.classes_, low, high)
    draw_cases(plane, rows, classes, codes, size=60)
    plane.plot(*places.T, "x", color="black", markersize=9, label="centre")
    plane.set(xlabel="first feature", ylabel="second feature", title="plane")
    activations = np.exp(-((rows[:, None] - places) ** 2).sum(axis=2) / (2 * sigma**2))
    draw_cases(image, activations, classes, codes, size=60)
    # the two outputs are equal on the line slope . y + offset = 0
    slope, offset = network.weights_ @ [-1, 1], float(network.bias_ @ [-1, 1])
    first = np.array([-0.1, 1.1])
    image.plot(first, -(offset + slope[0] * first) / slope[1], "-", color="black", label="network")
    if default:
        image.plot(first, 1 - first, "--", color="0.5", label="$y_1 + y_2 = 1$")
    image.set(xlim=(-0.1, 1.1), ylim=(-0.1, 1.1), title="activations of the units")
    image.set(xlabel="first unit", ylabel="second unit")
    image.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return [plane, image]


def gp_posteriors(
    x: ArrayLike | None = None,
    y: Labels | None = None,
    sizes: Sequence[int] = (0, 2, 5, 10),
    sigma: float = 1.0,
    noise: float = 0.01,
    *,
    n_samples: int = 4,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the posterior of a Gaussian process after more and more cases.

    The line is the mean, the band two standard deviations of the function to either side. Thin
    lines are functions drawn from the posterior. Without cases it is the prior.

    Parameters
    ----------
    x : array of shape (n,), optional
        None: ten cases of a sine with noise.
    y : array of shape (n,), optional
        Numbers.
    sizes : sequence of int, default=(0, 2, 5, 10)
        Numbers of first cases of the panels.
    sigma : float, default=1
        Width of the Gaussian kernel, ``k(x, z) = exp(-(x - z)^2 / sigma^2)``.
    noise : float, default=0.01
        Variance of the noise, in units of the variance of the prior, which is 1.
    n_samples : int, default=4
        Number of functions drawn.
    axes : sequence of Axes, optional
        One for each size; None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If x and y differ in length, or a size exceeds it.

    References
    ----------
    Zaidi 2011: appendix E; equation E.39.

    Examples
    --------
    >>> import ilk_learners
    >>> panels = ilk_learners.plotting.gp_posteriors(sizes=(0, 5))
    >>> [panel.get_title() for panel in panels]
    ['prior', '5 cases']
    """
    if x is None:
        x = np.array([1.0, 4.2, 2.5, 5.5, 3.4, 0.2, 6.0, 1.7, 4.8, 3.0])
        y = np.sin(x) + np.random.default_rng(0).normal(0, 0.1, 10)
    places, targets = np.ravel(np.asarray(x, dtype=float)), np.ravel(np.asarray(y, dtype=float))
    if len(places) != len(targets) or max(sizes, default=0) > len(places):
        raise ilk.InputError(
            f"gp_posteriors: x, y and sizes must agree, got {len(places)} and {len(targets)} "
            f"values and sizes up to {max(sizes, default=0)}"
        )
    low, high = places.min() - 0.15 * np.ptp(places), places.max() + 0.15 * np.ptp(places)
    line = np.linspace(low, high, 161)
    rng = np.random.default_rng(0)
    panels = side_by_side("gp_posteriors", axes, len(sizes))
    for ax, n in zip(panels, sizes, strict=True):
        mean, covariance = gp_posterior(places[:n], targets[:n], line, sigma, noise)
        spread = 2 * np.sqrt(np.maximum(np.diag(covariance), 0))
        ax.fill_between(line, mean - spread, mean + spread, color=COLORS[0], alpha=0.15, lw=0)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        drawn = mean[:, None] + root @ rng.normal(size=(len(line), n_samples))
        ax.plot(line, drawn, color=COLORS[1], linewidth=0.8)
        ax.plot(line, mean, color=COLORS[0], linewidth=2)
        ax.plot(places[:n], targets[:n], "o", color="black", markersize=5, zorder=3)
        ax.set(xlabel="x", ylim=(-3, 3), title=f"{n} cases" if n else "prior")
    panels[0].set_ylabel("y")
    return panels


def gp_posterior(
    x: np.ndarray, y: np.ndarray, places: np.ndarray, sigma: float, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance at places of a zero-mean Gaussian process of variance 1.

    ``k(x)' C^-1 y`` and ``k(x, z) - k(x)' C^-1 k(z)`` with ``C = K + s I``.
    """
    every = np.concatenate([places, x])[:, None]
    K = np.asarray(ilk.kernel("rbf", sigma=sigma).fit(every).gram(every))
    m = len(places)
    across = K[:m, m:]
    C = K[m:, m:] + noise * np.eye(len(x))
    solved = np.linalg.solve(C, np.column_stack([y, across.T]))
    return across @ solved[:, 0], K[:m, :m] - across @ solved[:, 1:]


def pyramid_levels(
    picture: ArrayLike | None = None,
    levels: int = 3,
    n_words: int = 200,
    *,
    random_state: int = 0,
) -> list[Axes]:
    """Draw the cells of a picture on each level of a pyramid, and the histogram of words of each.

    The words are the centres of k-means over the picture's own SIFT features, on a grid of 20 x 20
    points and five scales.

    Parameters
    ----------
    picture : array of shape (height, width), optional
        Grey levels from 0 to 255. None: a landscape of shapes.
    levels : int, default=3
        The last level.
    n_words : int, default=200
    random_state : int, default=0
        Seed of k-means.

    Returns
    -------
    list of Axes
        Those of the pictures, then those of the histograms.

    Raises
    ------
    IlkError
        If matplotlib or OpenCV is not installed.
    InputError
        As by the transformers dense_sift and pyramid.

    References
    ----------
    Zaidi 2011: figure 10.5.

    Examples
    --------
    >>> import ilk_learners
    >>> drawn = ilk_learners.plotting.pyramid_levels(levels=1, n_words=10)
    >>> [ax.get_title() for ax in drawn]
    ['level 0: 1 cell', 'level 1: 4 cells', '10 bins', '40 bins']
    """
    image = _landscape() if picture is None else np.asarray(picture)
    words = {"use": "codebook", "n_words": n_words, "random_state": random_state}
    pyramid = ilk.transformer("pyramid", codebook=words, levels=levels)
    features = ilk.transformer("dense_sift").fit_transform([image])
    shares = np.asarray(pyramid.fit(features).transform(features))[0]
    axes = new_axes(2.7 * (levels + 1), 4.6, levels + 1, rows=2).reshape(2, -1)
    start = 0
    for level, (ax, bars) in enumerate(axes.T):
        side, bins = 2**level, 4**level * n_words
        ax.imshow(image, cmap="gray", vmin=0, vmax=255)
        for cut in range(1, side):
            ax.axhline(cut * image.shape[0] / side - 0.5, color=COLORS[1], linewidth=1.2)
            ax.axvline(cut * image.shape[1] / side - 0.5, color=COLORS[1], linewidth=1.2)
        cells = f"{side**2} cell{'s' * (level > 0)}"
        ax.set(xticks=[], yticks=[], title=f"level {level}: {cells}")
        line: dict[str, Any] = {"color": COLORS[0], "linewidth": 0.7, "rasterized": True}
        bars.vlines(np.arange(bins), 0, shares[start : start + bins], **line)
        bars.set(xlabel="cell and word", xlim=(-1, bins), ylim=(0, None), title=f"{bins} bins")
        start += bins
    axes[1, 0].set_ylabel("share of the features")
    return list(axes.ravel())


def _landscape(size: int = 200) -> np.ndarray:
    """A picture of a hill, a house and a sun before a sky, with texture."""
    down, across = np.indices((size, size)) / size
    picture = 210 - 70 * down
    picture[(across - 0.78) ** 2 + (down - 0.2) ** 2 < 0.008] = 250
    hill = down > 0.55 + 0.12 * np.sin(5 * across)
    picture[hill] = (95 + 30 * np.sin(60 * across) * np.sin(45 * down))[hill]
    house = (abs(across - 0.3) < 0.14) & (abs(down - 0.66) < 0.13)
    picture[house] = (170 + 40 * (np.sin(90 * down) > 0.6))[house]
    roof = (down < 0.53) & (down > 0.36 + abs(across - 0.3))
    picture[roof] = 60
    noise = np.random.default_rng(0).normal(0, 4, picture.shape)
    return np.asarray(np.clip(picture + noise, 0, 255), dtype=np.uint8)


def editing(
    X: Matrix | None = None,
    y: Labels | None = None,
    editors: Sequence[EditorLike] = ("cnn", "renn"),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the cases that editors keep: by default redundant cases go, then noisy ones.

    Condensing (cnn) preserves competence: it removes cases within a class and keeps noise. Editing
    (renn) enhances it: it removes cases that their neighbours contradict.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: two classes; six cases have the wrong label.
    y : array of shape (n,), optional
    editors : sequence of editors, default=("cnn", "renn")
    axes : sequence of Axes, optional
        One for each editor; None: those of a new figure.

    Returns
    -------
    list of Axes
        See `selection`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features.

    References
    ----------
    Cunningham 2008: figure 2.3.

    Examples
    --------
    >>> import ilk_learners
    >>> panels = ilk_learners.plotting.editing()
    >>> [panel.get_title() for panel in panels]
    ['cnn kept 36 of 120 cases', 'renn kept 111 of 120 cases']
    """
    if X is None:
        X, y = _moons(120, 0.05)
    rows, classes, codes = plane_cases("editing", X, y)
    labels = classes[codes]
    panels = side_by_side("editing", axes, len(editors))
    for ax, which in zip(panels, editors, strict=True):
        editor = ilk.build(which, kind="editor")
        editor.fit_resample(rows, labels)
        selection(editor, rows, labels, axes=ax)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
        if ax is not panels[-1]:
            ax.get_legend().remove()
    return panels


def _moons(n: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two crescents; a share of the labels is wrong."""
    rng = np.random.default_rng(seed)
    codes, turn = np.arange(n) % 2, rng.uniform(0, np.pi, n)
    signs = np.where(codes, -1.0, 1.0)[:, None]
    X = np.column_stack([np.cos(turn), np.sin(turn)]) * signs
    X += codes[:, None] * [1.0, 0.4] + rng.normal(0, 0.12, (n, 2))
    wrong = rng.permutation(n)[: round(noise * n)]
    codes[wrong] = 1 - codes[wrong]
    return X, np.array(["A", "B"])[codes]


def pruning_curves(
    editors: Sequence[EditorLike] = ("cnn", "enn", "renn", "icf", "rt3"),
    X: Matrix | None = None,
    y: Labels | None = None,
    noise: Sequence[float] = (0.0, 0.05, 0.1, 0.2, 0.3),
    *,
    repeats: int = 3,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw what editors keep, and the error of the nearest neighbour among it, by label noise.

    A share of the training labels is changed to another class. Editing then leaves out noise, and
    condensing keeps it. Errors are of 1-NN on the other half of the cases, with their labels as
    given; the dotted line is 1-NN on all training cases.

    Parameters
    ----------
    editors : sequence of editors
    X : array of shape (n, p), optional
        None: two crescents.
    y : array of shape (n,), optional
    noise : sequence of float, default=(0, 0.05, 0.1, 0.2, 0.3)
        Shares of changed labels.
    repeats : int, default=3
        Number of random halves and changes; the figure shows their means.
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes
        The share of kept cases, and the error.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is no editor, or a share is outside 0..1.

    References
    ----------
    Cunningham 2008: section 2.4.4.1.

    Examples
    --------
    >>> import ilk_learners
    >>> kept, error = ilk_learners.plotting.pruning_curves(["cnn", "renn"], noise=(0, 0.2))
    >>> cnn, renn = (line.get_ydata() for line in kept.lines[:2])
    >>> bool(cnn[1] > 2 * cnn[0]), bool(renn[1] < renn[0])
    (True, True)
    """
    if X is None:
        X, y = _moons(400, 0.0)
    rows = np.asarray(X, dtype=float)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if not editors or not all(0 <= share <= 1 for share in noise):
        raise ilk.InputError(
            f"pruning_curves: there must be editors, and noise from 0 to 1, got {list(noise)!r}"
        )
    built = [ilk.build(which, kind="editor") for which in editors]
    results = np.zeros((len(built) + 1, len(noise), repeats, 2))
    for place, share in enumerate(noise):
        for repeat in range(repeats):
            rng = np.random.default_rng(repeat)
            train, test = np.array_split(rng.permutation(len(rows)), 2)
            given = codes[train]
            wrong = np.flatnonzero(rng.random(len(train)) < share)
            given[wrong] += rng.integers(1, len(classes), len(wrong))
            given %= len(classes)
            for number, editor in enumerate([*built, None]):
                kept = (rows[train], given)
                if editor is not None:
                    kept = editor.fit_resample(*kept)
                error = _error_of_nearest(kept, rows[test], codes[test])
                results[number, place, repeat] = len(kept[0]) / len(train), error
    means = results.mean(axis=2)
    panels = side_by_side("pruning_curves", axes, 2)
    for ax, values, title in zip(panels, means.T, ("kept cases", "error of 1-NN"), strict=True):
        for number, editor in enumerate(built):
            color, label = COLORS[number % len(COLORS)], plot_label(ilk.display_name(editor))
            ax.plot(noise, values[:, number], "o-", color=color, markersize=4, label=label)
        ax.plot(noise, values[:, -1], ":", color="black", label="all cases")
        ax.set(xlabel="share of wrong labels", title=title, ylim=(0, None))
    panels[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return panels


def _error_of_nearest(kept: tuple[Any, Any], X: np.ndarray, y: np.ndarray) -> float:
    if not len(kept[0]):
        return 1.0
    _, nearest = ilk.nearest(kept[0], 1, X)
    return float(np.mean(kept[1][nearest[:, 0]] != y))


def mean_borders(
    models: Sequence[ClassifierLike] = (_TREE, _NEAREST),
    border: Callable[[np.ndarray], np.ndarray] | None = None,
    *,
    noise: float = 0.2,
    n_sets: int = 100,
    n: int = 100,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the mean border of classifiers fitted on many small training sets, and the true one.

    The colours show the share of the training sets after which a place is of each class; white is
    undecided. The solid line is where half of them agree, the dashed one the true border. Their
    difference is bias; a broad pale band is variance. The titles give both, as means over the
    plane: the share of places where the majority is wrong, and the mean share that disagrees with
    the majority. The text finds less bias of 1-NN, as here, and more variance. With the default
    border, which trees follow in steps only, they vary more.

    Parameters
    ----------
    models : sequence of classifiers
        By default a decision tree of two levels and 1-NN.
    border : function, optional
        Takes first features, from -1 to 1, and returns the second features of the border. None: a
        sloping line.
    noise : float, default=0.2
        Standard deviation of the border from case to case: near it classes overlap.
    n_sets : int, default=100
    n : int, default=100
        Cases of each set, uniform in a square.
    axes : sequence of Axes, optional
        One for each model; None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is no model, or a set would have one class.

    References
    ----------
    Ntoutsi 2015: figure 5.34.

    Examples
    --------
    >>> import ilk_learners
    >>> tree, nearest = ilk_learners.plotting.mean_borders(n_sets=10)
    >>> tree.get_title().splitlines()[0], nearest.get_title().splitlines()[0]
    ('decision_tree', 'knn')
    """
    from matplotlib.colors import LinearSegmentedColormap

    height = border or (lambda x: 0.8 * x)
    panels = side_by_side("mean_borders", axes, len(models))
    line = np.linspace(-1, 1, 61)
    x, z = np.meshgrid(line, line)
    places = np.column_stack([x.ravel(), z.ravel()])
    truth = places[:, 1] > height(places[:, 0])
    mixed = LinearSegmentedColormap.from_list("classes", [COLORS[0], "white", COLORS[1]])
    for ax, which in zip(panels, models, strict=True):
        votes = np.zeros(len(places))
        model: Any = ilk.build(which, kind="classifier")
        for number in range(n_sets):
            rng = np.random.default_rng(number)
            X = rng.uniform(-1, 1, (n, 2))
            above = X[:, 1] > height(X[:, 0]) + rng.normal(0, noise, n)
            votes += model.fit(X, above.astype(int)).predict(places)
        share = votes / n_sets
        style: Any = {"origin": "lower", "extent": (-1, 1, -1, 1), "aspect": "auto"}
        ax.imshow(share.reshape(x.shape), cmap=mixed, vmin=0, vmax=1, alpha=0.6, **style)
        ax.contour(x, z, share.reshape(x.shape), [0.5], colors="black", linewidths=1.4)
        ax.plot(line, height(line), "--", color="black", linewidth=1)
        bias = np.mean((share > 0.5) != truth)
        variance = np.mean(np.minimum(share, 1 - share))
        name = plot_label(ilk.display_name(model))
        ax.set_title(f"{name}\nbias {bias:.3f}, variance {variance:.3f}")
        ax.set(xticks=[], yticks=[], xlim=(-1, 1), ylim=(-1, 1))
    return panels
