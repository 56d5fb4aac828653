# Written by tests/helpers/typed_names.py: do not change by hand.
"""One function per kind, with an overload for each component that ships with ilk."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

from ilk.aliases import (
    ClassifierLike,
    ClustererLike,
    CombinerLike,
    DistanceLike,
    IndexLike,
    KernelLike,
    MeasureLike,
    MetricLearnerLike,
    RegressorLike,
    RelevanceLike,
    ResamplingLike,
    StepLike,
    TransformerLike,
)
from ilk.arrays import ArrayLike, FileLike, RandomState, ViewsLike
from ilk.interfaces.classifier import Classifier
from ilk.interfaces.clusterer import Clusterer
from ilk.interfaces.combiner import Combiner
from ilk.interfaces.comparison import Comparison
from ilk.interfaces.dataset import Dataset
from ilk.interfaces.detector import Detector
from ilk.interfaces.distance import Distance
from ilk.interfaces.editor import Editor
from ilk.interfaces.executor import Executor
from ilk.interfaces.index import Index
from ilk.interfaces.kernel import Kernel
from ilk.interfaces.measure import Measure
from ilk.interfaces.metric_learner import LocalMetric, MetricLearner
from ilk.interfaces.regressor import Regressor
from ilk.interfaces.relevance import Relevance
from ilk.interfaces.resampling import Resampling
from ilk.interfaces.transformer import Transformer

def make(kind: str, _name: str, /, **parameters: Any) -> Any: ...
@overload
def distance(_name: Literal["bray_curtis", "ilk-distances/bray_curtis"], /) -> Distance:
    """Bray-Curtis distance: the share of two samples that they do not have in common."""

@overload
def distance(
    _name: Literal["callable", "ilk-distances/callable"],
    /,
    *,
    function: Callable[..., Any] | None = ...,
    metric: bool = ...,
    symmetric: bool = ...,
    inputs: Literal["auto", "vectors", "objects"] = ...,
) -> Distance:
    """A function of two objects: ``d(x, y) = function(x, y)``."""

@overload
def distance(_name: Literal["canberra", "ilk-distances/canberra"], /) -> Distance:
    """Canberra distance: the sum of relative differences, each between 0 and 1."""

@overload
def distance(
    _name: Literal["chebyshev", "ilk-distances/chebyshev"], /, *, weights: ArrayLike | None = ...
) -> Distance:
    """Chebyshev distance: the largest absolute difference."""

@overload
def distance(_name: Literal["chi2", "ilk-distances/chi2"], /, *, normalize: bool = ...) -> Distance:
    """Chi-squared distance of histograms: squared differences from the mean, over the mean."""

@overload
def distance(
    _name: Literal["combined", "ilk-distances/combined"],
    /,
    *,
    parts: Mapping[str, DistanceLike] | None = ...,
    views: ViewsLike | None = ...,
    weights: ArrayLike | Mapping[str, Any] | Literal["uniform", "learned"] = ...,
    scale: Literal["mean", "max"] | None = ...,
    regularization: float = ...,
    n_pairs: int = ...,
    random_state: RandomState = ...,
) -> Distance:
    """Weighted sum of distances of several views: ``d(x, y) = sum_i w_i d_i(x_i, y_i) / s_i``."""

@overload
def distance(
    _name: Literal["compression", "ilk-distances/compression"],
    /,
    *,
    compressor: Callable[..., Any] | Literal["zlib", "bz2", "lzma", "zstd", "lz4", "isal"] = ...,
    level: int | None = ...,
    symmetric: bool = ...,
    encoding: str = ...,
) -> Distance:
    """Compression distance: the conditional sizes of two texts, relative to their joint size."""

@overload
def distance(_name: Literal["correlation", "ilk-distances/correlation"], /) -> Distance:
    """Correlation distance: one minus Pearson's correlation of two vectors."""

@overload
def distance(_name: Literal["cosine", "ilk-distances/cosine"], /) -> Distance:
    """Cosine distance: one minus the cosine of the angle between two vectors."""

@overload
def distance(
    _name: Literal["emd", "ilk-distances/emd"],
    /,
    *,
    ground: DistanceLike = ...,
    matrix: ArrayLike | None = ...,
    positions: ArrayLike | Sequence[Any] | None = ...,
    period: float | None = ...,
    extra_mass_penalty: float = ...,
    normalize: bool = ...,
) -> Distance:
    """Earth mover's distance: the least work that turns one heap of mass into another."""

@overload
def distance(
    _name: Literal["euclidean", "ilk-core/euclidean"], /, *, weights: ArrayLike | None = ...
) -> Distance:
    """Euclidean distance: the root of the weighted sum of squared differences."""

@overload
def distance(
    _name: Literal["forest", "ilk-ensembles/forest"], /, *, forest: ClassifierLike = ...
) -> Distance:
    """Share of the trees of a forest in which two cases end in different leaves."""

@overload
def distance(
    _name: Literal["hamming", "ilk-distances/hamming"], /, *, normalize: bool = ...
) -> Distance:
    """Hamming distance: the share, or the number, of positions in which two rows differ."""

@overload
def distance(
    _name: Literal["hausdorff", "ilk-distances/hausdorff"], /, *, ground: DistanceLike = ...
) -> Distance:
    """Hausdorff distance: the largest distance of a point of either set to the other set."""

@overload
def distance(
    _name: Literal["hellinger", "ilk-distances/hellinger"], /, *, normalize: bool = ...
) -> Distance:
    """Hellinger distance: the Euclidean distance of the roots of bins, over the root of 2."""

@overload
def distance(
    _name: Literal["heterogeneous", "ilk-distances/heterogeneous"],
    /,
    *,
    weights: ArrayLike | None = ...,
    nominal: Literal["overlap", "value_difference"] = ...,
    numeric: Literal["range", "std", "4std"] | None = ...,
    p: Literal[1, 2] = ...,
    q: float = ...,
    smoothing: float = ...,
    nominal_columns: Sequence[Any] | Literal["auto"] = ...,
    missing: Literal["max", "one", "ignore", "error"] = ...,
) -> Distance:
    """Distance on numeric and nominal columns, each compared in its own way."""

@overload
def distance(
    _name: Literal["histogram_intersection", "ilk-distances/histogram_intersection"],
    /,
    *,
    normalize: bool = ...,
) -> Distance:
    """Histogram intersection: the share of the smaller histogram that is not in the larger one."""

@overload
def distance(
    _name: Literal["jaccard", "ilk-distances/jaccard"], /, *, shingle: int = ...
) -> Distance:
    """Jaccard distance: the share of the union of two sets that only one of them has."""

@overload
def distance(
    _name: Literal["jeffrey", "ilk-distances/jeffrey"],
    /,
    *,
    base: float = ...,
    smoothing: float = ...,
    normalize: bool = ...,
) -> Distance:
    """Jeffrey divergence: the information lost if their mean stands for two histograms."""

@overload
def distance(
    _name: Literal["jensen_shannon", "ilk-distances/jensen_shannon"], /, *, base: float = ...
) -> Distance:
    """Jensen-Shannon distance: the root of the Jensen-Shannon divergence, a metric."""

@overload
def distance(
    _name: Literal["kernel", "ilk-distances/kernel"], /, *, kernel: KernelLike = ...
) -> Distance:
    """Distance in a kernel's feature space: ``d(x, y) = sqrt(k(x, x) - 2 k(x, y) + k(y, y))``."""

@overload
def distance(
    _name: Literal["kullback_leibler", "ilk-distances/kullback_leibler"],
    /,
    *,
    base: float = ...,
    smoothing: float = ...,
    normalize: bool = ...,
) -> Distance:
    """Kullback-Leibler divergence: the information lost if histogram k stands for histogram h."""

@overload
def distance(
    _name: Literal["learned", "ilk-distances/learned"],
    /,
    *,
    learner: MetricLearnerLike = ...,
    base: DistanceLike = ...,
) -> Distance:
    """Distance after a metric learner's transform: ``d(x, y) = base(L x, L y)``."""

@overload
def distance(
    _name: Literal["levenshtein", "ilk-distances/levenshtein"],
    /,
    *,
    weights: Sequence[Any] | None = ...,
    normalize: Literal["max", "metric"] | None = ...,
) -> Distance:
    """Levenshtein distance: the least cost of the edits that turn one text into the other."""

@overload
def distance(
    _name: Literal["mahalanobis", "ilk-distances/mahalanobis"],
    /,
    *,
    covariance: ArrayLike | Literal["empirical", "ledoit_wolf"] = ...,
    components: ArrayLike | None = ...,
    shrinkage: float = ...,
    pinv: bool = ...,
) -> Distance:
    """Mahalanobis distance: Euclidean after a linear map that makes the covariance the identity."""

@overload
def distance(
    _name: Literal["manhattan", "ilk-distances/manhattan"], /, *, weights: ArrayLike | None = ...
) -> Distance:
    """Manhattan (city-block) distance: the weighted sum of absolute differences."""

@overload
def distance(
    _name: Literal["minkowski", "ilk-distances/minkowski"],
    /,
    *,
    weights: ArrayLike | None = ...,
    p: float = ...,
) -> Distance:
    """Minkowski distance: the p-th root of the weighted sum of p-th powers of differences."""

@overload
def distance(
    _name: Literal["ncd", "ilk-distances/ncd"],
    /,
    *,
    compressor: Callable[..., Any] | Literal["zlib", "bz2", "lzma", "zstd", "lz4", "isal"] = ...,
    level: int | None = ...,
    symmetric: bool = ...,
    encoding: str = ...,
) -> Distance:
    """Normalised compression distance: the compressed size that one text adds to the other."""

@overload
def distance(
    _name: Literal["pair_classifier", "ilk-distances/pair_classifier"],
    /,
    *,
    parts: Mapping[str, DistanceLike] | None = ...,
    views: ViewsLike | None = ...,
    classifier: ClassifierLike = ...,
    pairs: Literal["difference", "concatenation"] = ...,
    n_pairs: int = ...,
    random_state: RandomState = ...,
) -> Distance:
    """Probability, by a classifier of pairs, that two objects are of different class."""

@overload
def distance(
    _name: Literal["precomputed", "ilk-distances/precomputed"],
    /,
    *,
    matrix: ArrayLike | None = ...,
    metric: bool = ...,
    symmetric: bool = ...,
) -> Distance:
    """Distances looked up in a matrix: ``d(x, y) = matrix[x, y]``; data are row numbers."""

@overload
def distance(
    _name: Literal["sum_of_minima", "ilk-distances/sum_of_minima"], /, *, ground: DistanceLike = ...
) -> Distance:
    """Sum of minimum distances: the sum of distances to the nearest point of the other set."""

@overload
def distance(
    _name: Literal["symmetric_kl", "ilk-distances/symmetric_kl"],
    /,
    *,
    base: float = ...,
    smoothing: float = ...,
    normalize: bool = ...,
) -> Distance:
    """Symmetric Kullback-Leibler divergence: the sum of the divergences both ways."""

@overload
def distance(
    _name: Literal["value_difference", "ilk-distances/value_difference"],
    /,
    *,
    q: float = ...,
    weighted: bool = ...,
    smoothing: float = ...,
    weights: ArrayLike | None = ...,
) -> Distance:
    """Value difference metric (VDM): differences of class shares, summed over nominal columns."""

@overload
def distance(_name: str, /) -> Distance: ...
def distances() -> list[str]: ...
@overload
def kernel(
    _name: Literal["conformal", "ilk-distances/conformal"],
    /,
    *,
    kernel: KernelLike = ...,
    tau: float | Literal["mean_distance", "neighbors"] = ...,
    centers: ArrayLike | Sequence[Any] | None = ...,
    coefficients: ArrayLike | None = ...,
    distance: DistanceLike = ...,
    n_neighbors: int = ...,
    svm: Mapping[str, Any] | None = ...,
) -> Kernel:
    """Conformal transformation of a kernel: ``k'(x, y) = c(x) c(y) k(x, y)``."""

@overload
def kernel(
    _name: Literal["exponential_chi2", "ilk-distances/exponential_chi2"],
    /,
    *,
    n_neighbors: int = ...,
    sigma: float | Literal["mean_distance", "neighbors"] = ...,
    distance: DistanceLike = ...,
) -> Kernel:
    """Exponential chi-squared kernel: ``k(h, k) = exp(-chi2(h, k) / (2 sigma^2))``."""

@overload
def kernel(_name: Literal["linear", "ilk-distances/linear"], /) -> Kernel:
    """Linear kernel: ``k(x, y) = x'y``, the dot product."""

@overload
def kernel(
    _name: Literal["mahalanobis_rbf", "ilk-distances/mahalanobis_rbf"],
    /,
    *,
    n_neighbors: int = ...,
    learner: MetricLearnerLike = ...,
    sigma: float | Literal["local", "mean_distance", "neighbors"] = ...,
) -> Kernel:
    """Radial basis function kernel after L: ``k(x, y) = exp(-|L(x - y)|^2 / (2 sigma^2))``."""

@overload
def kernel(
    _name: Literal["polynomial", "ilk-distances/polynomial"],
    /,
    *,
    degree: int = ...,
    coef0: float = ...,
    gamma: float = ...,
) -> Kernel:
    """Polynomial kernel: ``k(x, y) = (gamma x'y + coef0)^degree``."""

@overload
def kernel(
    _name: Literal["precomputed", "ilk-distances/precomputed"], /, *, matrix: ArrayLike | None = ...
) -> Kernel:
    """Kernel values looked up in a matrix: ``k(x, y) = matrix[x, y]``; data are row numbers."""

@overload
def kernel(
    _name: Literal["rational", "ilk-distances/rational"],
    /,
    *,
    n_neighbors: int = ...,
    b: float | Literal["mean_distance", "neighbors"] = ...,
    distance: DistanceLike = ...,
) -> Kernel:
    """Rational kernel: ``k(x, y) = 1 - d(x, y)^2 / (d(x, y)^2 + b) = b / (d(x, y)^2 + b)``."""

@overload
def kernel(
    _name: Literal["rbf", "ilk-distances/rbf"],
    /,
    *,
    n_neighbors: int = ...,
    sigma: float | ArrayLike | Literal["mean_distance", "neighbors"] = ...,
    distance: DistanceLike = ...,
) -> Kernel:
    """Radial basis function kernel: ``k(x, y) = exp(-d(x, y)^2 / (2 sigma^2))``."""

@overload
def kernel(
    _name: Literal["sigmoid", "ilk-distances/sigmoid"], /, *, eta1: float = ..., eta2: float = ...
) -> Kernel:
    """Sigmoid kernel: ``k(x, y) = tanh(eta1 x'y + eta2)``."""

@overload
def kernel(
    _name: Literal["substitution", "ilk-distances/substitution"],
    /,
    *,
    n_neighbors: int = ...,
    distance: DistanceLike = ...,
    sigma: float | Literal["mean_distance", "neighbors"] = ...,
    repair: Literal["clip", "shift", "error"] = ...,
) -> Kernel:
    """Distance substitution kernel: any distance in ``k(x, y) = exp(-d(x, y)^2 / (2 sigma^2))``."""

@overload
def kernel(
    _name: Literal["weighted_sum", "ilk-distances/weighted_sum"],
    /,
    *,
    kernels: Sequence[KernelLike] = ...,
    weights: ArrayLike | Literal["uniform", "alignment", "pyramid"] = ...,
    views: ViewsLike | None = ...,
    centered: bool = ...,
) -> Kernel:
    """Weighted sum of kernels: ``k(x, y) = sum_t w_t k_t(x_t, y_t)``."""

@overload
def kernel(_name: str, /) -> Kernel: ...
def kernels() -> list[str]: ...
@overload
def index(_name: Literal["auto", "ilk-distances/auto"], /) -> Index:
    """Chooses between `brute` and `kd_tree` by size, width and distance; exact, for any distance."""

@overload
def index(
    _name: Literal["ball_tree", "ilk-distances/ball_tree"], /, *, leaf_size: int = ...
) -> Index:
    """Ball tree: halves vectors along their widest feature, a ball around each half; exact."""

@overload
def index(_name: Literal["brute", "ilk-core/brute"], /) -> Index:
    """Brute force: compares every query with every training row; exact, for any distance."""

@overload
def index(_name: Literal["case_retrieval_net", "ilk-distances/case_retrieval_net"], /) -> Index:
    """Case retrieval net: spreads activation from a query's values to the cases; exact."""

@overload
def index(
    _name: Literal["cover_tree", "ilk-distances/cover_tree"], /, *, base: float = ...
) -> Index:
    """Cover tree: balls of shrinking radius around training rows; exact, for every metric."""

@overload
def index(
    _name: Literal["faiss", "ilk-distances/faiss"],
    /,
    *,
    n_cells: int | None = ...,
    n_probes: int | None = ...,
    recall: float = ...,
    code_size: int | None = ...,
    random_state: RandomState = ...,
) -> Index:
    """Inverted file: compares a query with the rows in the nearest cells; approximate."""

@overload
def index(
    _name: Literal["fish_and_shrink", "ilk-distances/fish_and_shrink"],
    /,
    *,
    n_pivots: int = ...,
    budget: int | None = ...,
) -> Index:
    """Fish and Shrink: compares a query with few cases and bounds its distance to all others."""

@overload
def index(
    _name: Literal["footprint", "ilk-distances/footprint"],
    /,
    *,
    n_neighbors: int = ...,
    n_references: int = ...,
) -> Index:
    """Footprint-based retrieval: searches landmark cases, then around the nearest; approximate."""

@overload
def index(
    _name: Literal["hnsw", "ilk-distances/hnsw"],
    /,
    *,
    n_links: int = ...,
    ef_construction: int = ...,
    ef_search: int = ...,
    random_state: RandomState = ...,
) -> Index:
    """Hierarchical navigable small worlds: walks a graph of near rows; approximate."""

@overload
def index(_name: Literal["kd_tree", "ilk-distances/kd_tree"], /, *, leaf_size: int = ...) -> Index:
    """kd-tree: halves the rows repeatedly along a wide feature; exact, for Minkowski."""

@overload
def index(
    _name: Literal["lsh", "ilk-distances/lsh"],
    /,
    *,
    n_tables: int = ...,
    n_bits: int | None = ...,
    width: float | None = ...,
    recall: float = ...,
    n_probes: int = ...,
    random_state: RandomState = ...,
) -> Index:
    """Locality-sensitive hashing: compares a query with the rows in its buckets; approximate."""

@overload
def index(_name: str, /) -> Index: ...
def indexes() -> list[str]: ...
@overload
def transformer(
    _name: Literal["bag_of_words", "ilk-learners/bag_of_words"],
    /,
    *,
    unit: Literal["word", "character"] = ...,
    shortest: int = ...,
    longest: int = ...,
    frequency: Literal["count", "log", "binary"] = ...,
    idf: bool = ...,
    norm: Literal["l2", "l1"] | None = ...,
    min_df: int = ...,
    lowercase: bool = ...,
) -> Transformer:
    """Turn each text into a sparse row with a weight for every word of a vocabulary."""

@overload
def transformer(
    _name: Literal["codebook", "ilk-learners/codebook"],
    /,
    *,
    n_words: int = ...,
    places: int = ...,
    normalize: bool = ...,
    max_descriptors: int = ...,
    max_iter: int = ...,
    random_state: RandomState = ...,
) -> Transformer:
    """Histogram of a set of descriptors over the words of a codebook (bag of words)."""

@overload
def transformer(
    _name: Literal["dense_sift", "ilk-learners/dense_sift"],
    /,
    *,
    scales: Sequence[Any] = ...,
    grid: int = ...,
    spacing: float | None = ...,
) -> Transformer:
    """SIFT descriptors of an image at the points of a regular grid, at several scales."""

@overload
def transformer(
    _name: Literal["gist", "ilk-learners/gist"],
    /,
    *,
    scales: int = ...,
    orientations: int = ...,
    grid: int = ...,
) -> Transformer:
    """Gist of a scene: energies of Gabor filters in the cells of a grid, over the whole image."""

@overload
def transformer(
    _name: Literal["histogram", "ilk-learners/histogram"],
    /,
    *,
    bins: int = ...,
    joint: bool = ...,
    normalize: bool = ...,
) -> Transformer:
    """Histogram of the values of the pixels of an image: grey levels or colours."""

@overload
def transformer(
    _name: Literal["impute", "ilk-learners/impute"],
    /,
    *,
    numeric: Literal["mean", "median", "most_frequent", "constant", "knn"] = ...,
    nominal: Literal["most_frequent", "constant", "knn"] = ...,
    k: int = ...,
    distance: DistanceLike | None = ...,
    fill_number: float = ...,
    fill_category: str = ...,
) -> Transformer:
    """Replace missing values (NaN, None, NaT, NA) by a statistic of their column or by neighbours."""

@overload
def transformer(_name: Literal["maxabs", "ilk-learners/maxabs"], /) -> Transformer:
    """Divide every feature by its largest absolute value, so that it lies between -1 and 1."""

@overload
def transformer(
    _name: Literal["minmax", "ilk-learners/minmax"],
    /,
    *,
    low: float = ...,
    high: float = ...,
    clip: bool = ...,
) -> Transformer:
    """Shift and scale every feature to the interval from `low` to `high`."""

@overload
def transformer(_name: Literal["mr8", "ilk-learners/mr8"], /, *, spacing: int = ...) -> Transformer:
    """Maximum responses of the 8 filters of Varma and Zisserman: local features of texture."""

@overload
def transformer(
    _name: Literal["one_hot", "ilk-learners/one_hot"],
    /,
    *,
    columns: Sequence[Any] | Literal["nominal"] = ...,
    unseen: Literal["error", "zeros"] = ...,
    missing: Literal["error", "zeros", "category"] = ...,
    drop: Literal["first", "if_binary"] | None = ...,
    ordered: Literal["categories", "ranks"] = ...,
) -> Transformer:
    """Encode each nominal column as one column of 0 and 1 for each of its categories."""

@overload
def transformer(
    _name: Literal["ordinal", "ilk-learners/ordinal"],
    /,
    *,
    columns: Sequence[Any] | Literal["nominal"] = ...,
    unseen: float | Literal["error"] = ...,
    missing: float | Literal["error", "keep"] = ...,
) -> Transformer:
    """Encode each nominal column by the positions of its categories: 0, 1, 2, ..."""

@overload
def transformer(
    _name: Literal["pca", "ilk-learners/pca"],
    /,
    *,
    report: bool = ...,
    n_components: float | None = ...,
    whiten: bool = ...,
    center: bool = ...,
) -> Transformer:
    """Project on the orthogonal directions of largest variance (principal components)."""

@overload
def transformer(
    _name: Literal["pixels", "ilk-learners/pixels"], /, *, spacing: int = ..., places: bool = ...
) -> Transformer:
    """Pixels of an image as a set of points: grey levels, or three values of colour."""

@overload
def transformer(
    _name: Literal["pyramid", "ilk-learners/pyramid"],
    /,
    *,
    codebook: TransformerLike = ...,
    levels: int = ...,
    normalize: bool = ...,
) -> Transformer:
    """Histograms over words per cell of a grid, on levels from coarse to fine (spatial pyramid)."""

@overload
def transformer(
    _name: Literal["select", "ilk-learners/select"], /, *, columns: Sequence[Any] = ...
) -> Transformer:
    """Keep selected columns of a table or an array, in the given order."""

@overload
def transformer(
    _name: Literal["signature", "ilk-learners/signature"],
    /,
    *,
    n_clusters: int = ...,
    cell: float | None = ...,
    max_iter: int = ...,
    random_state: RandomState = ...,
) -> Transformer:
    """Signature of a set of points: the modes of its clusters, and their weights, for `emd`."""

@overload
def transformer(
    _name: Literal["sparse_sift", "ilk-learners/sparse_sift"],
    /,
    *,
    detector: Literal["dog", "harris"] = ...,
    max_points: int = ...,
    scales: Sequence[Any] = ...,
) -> Transformer:
    """SIFT descriptors of an image at its interest points."""

@overload
def transformer(
    _name: Literal["standardize", "ilk-learners/standardize"],
    /,
    *,
    with_mean: bool = ...,
    with_std: bool = ...,
) -> Transformer:
    """Shift and scale every feature to mean 0 and standard deviation 1."""

@overload
def transformer(
    _name: Literal["truncated_svd", "ilk-learners/truncated_svd"],
    /,
    *,
    report: bool = ...,
    n_components: int | None = ...,
    n_iter: int = ...,
    random_state: RandomState = ...,
) -> Transformer:
    """Project on the directions of largest sums of squares, without centring."""

@overload
def transformer(_name: str, /) -> Transformer: ...
def transformers() -> list[str]: ...
@overload
def metric_learner(
    _name: Literal["adamenn", "ilk-learners/adamenn"],
    /,
    *,
    report: bool = ...,
    K0: int = ...,
    K1: int = ...,
    K2: int = ...,
    L: int = ...,
    M: int = ...,
    c: float = ...,
) -> MetricLearner | LocalMetric:
    """Weight features by how well each alone predicts the classes around the query (ADAMENN)."""

@overload
def metric_learner(
    _name: Literal["block_diagonal", "ilk-learners/block_diagonal"],
    /,
    *,
    report: bool = ...,
    views: ViewsLike | None = ...,
    learner: MetricLearnerLike = ...,
    parts: Mapping[str, MetricLearnerLike] | None = ...,
    weights: ArrayLike
    | Mapping[str, Any]
    | Literal["uniform", "pyramid", "alignment", "search"] = ...,
    random_state: RandomState = ...,
) -> MetricLearner | LocalMetric:
    """A metric learner for each view, combined in one block-diagonal metric (HML2-DF)."""

@overload
def metric_learner(
    _name: Literal["boostml1", "ilk-learners/boostml1"],
    /,
    *,
    report: bool = ...,
    n_neighbors: int = ...,
    L: int = ...,
    zeta: float = ...,
    kappa: float = ...,
) -> MetricLearner | LocalMetric:
    """Shrink a region around the query along its most relevant feature, step by step."""

@overload
def metric_learner(
    _name: Literal["boostml2", "ilk-learners/boostml2"],
    /,
    *,
    report: bool = ...,
    n_neighbors: int = ...,
    L: int = ...,
    zeta: float = ...,
    kappa: float = ...,
) -> MetricLearner | LocalMetric:
    """Shrink a region around the query under weights by class-share differences (BoostML2)."""

@overload
def metric_learner(
    _name: Literal["dann", "ilk-learners/dann"],
    /,
    *,
    report: bool = ...,
    n_metric_neighbors: int | None = ...,
    epsilon: float = ...,
    n_iterations: int = ...,
    diagonal: bool = ...,
    floor: float = ...,
) -> MetricLearner | LocalMetric:
    """Stretch the neighbourhood along directions in which the classes around do not differ."""

@overload
def metric_learner(
    _name: Literal["identity", "ilk-learners/identity"],
    /,
    *,
    report: bool = ...,
    n_components: int | None = ...,
) -> MetricLearner | LocalMetric:
    """Keep the features as they are: L = I, the Euclidean distance."""

@overload
def metric_learner(
    _name: Literal["itml", "ilk-learners/itml"],
    /,
    *,
    report: bool = ...,
    constraints: ArrayLike | Literal["labels"] = ...,
    n_constraints: int | None = ...,
    max_iter: int = ...,
    tol: float = ...,
    random_state: RandomState = ...,
    prior: ArrayLike | Literal["identity", "covariance"] = ...,
    gamma: float = ...,
    bounds: ArrayLike | None = ...,
) -> MetricLearner | LocalMetric:
    """Change a prior metric as little as bounds on pairs ask for (information-theoretic)."""

@overload
def metric_learner(
    _name: Literal["lda", "ilk-learners/lda"],
    /,
    *,
    report: bool = ...,
    n_components: int | None = ...,
    shrinkage: float = ...,
    singular: Literal["reduce", "shrink", "error"] = ...,
) -> MetricLearner | LocalMetric:
    """Project on the directions that separate classes best (Fisher's linear discriminants)."""

@overload
def metric_learner(
    _name: Literal["lfda", "ilk-learners/lfda"],
    /,
    *,
    report: bool = ...,
    n_components: int | None = ...,
    n_neighbors: int = ...,
    embedding: Literal["weighted", "plain", "orthonormal"] = ...,
    shrinkage: float = ...,
    singular: Literal["reduce", "error"] = ...,
) -> MetricLearner | LocalMetric:
    """Local Fisher discriminants: like `lda`, but only near rows of a class attract each other."""

@overload
def metric_learner(
    _name: Literal["lmnn", "ilk-learners/lmnn"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_neighbors: int | Literal["auto"] = ...,
    push: float = ...,
    n_rounds: int = ...,
    triplets: ArrayLike | Literal["labels"] = ...,
    n_components: int | None = ...,
    init: ArrayLike | Literal["identity", "pca", "lda"] = ...,
) -> MetricLearner | LocalMetric:
    """Large margin nearest neighbour: pull target neighbours, push impostors out of the margin."""

@overload
def metric_learner(
    _name: Literal["localized", "ilk-learners/localized"],
    /,
    *,
    report: bool = ...,
    learner: MetricLearnerLike = ...,
    n_neighbors: int = ...,
    random_state: RandomState = ...,
) -> MetricLearner | LocalMetric:
    """Fit a metric learner to the rows around each query and rank them under its metric."""

@overload
def metric_learner(
    _name: Literal["machete", "ilk-learners/machete"],
    /,
    *,
    report: bool = ...,
    n_neighbors: int = ...,
    L: int = ...,
    shrink: float = ...,
) -> MetricLearner | LocalMetric:
    """Cut off, step by step, rows far from the query along the most relevant feature."""

@overload
def metric_learner(
    _name: Literal["megm", "ilk-learners/megm"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_neighbors: int | Literal["log2"] = ...,
    regularization: float | None = ...,
    n_restarts: int = ...,
    random_state: RandomState = ...,
    init: ArrayLike | Literal["identity", "pca", "lda"] = ...,
    solver: Literal["lbfgs", "cg"] = ...,
    bandwidth: Literal["local", "global"] = ...,
    neighborhood: int | Literal["all", "log2"] = ...,
    refresh: int | None = ...,
    targets: Literal["auto", "classes", "numbers"] = ...,
    n_components: int | None = ...,
) -> MetricLearner | LocalMetric:
    """MEGM: the linear map whose kernel-weighted votes of all other rows are least wrong."""

@overload
def metric_learner(
    _name: Literal["megm_diagonal", "ilk-learners/megm_diagonal"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_neighbors: int | Literal["log2"] = ...,
    regularization: float | None = ...,
    n_restarts: int = ...,
    random_state: RandomState = ...,
    init: ArrayLike | Literal["identity"] = ...,
    solver: Literal["lbfgs", "cg"] = ...,
    bandwidth: Literal["local", "global"] = ...,
    neighborhood: int | Literal["all", "log2"] = ...,
    refresh: int | None = ...,
    targets: Literal["auto", "classes", "numbers"] = ...,
) -> MetricLearner | LocalMetric:
    """MEGM with a diagonal map: weights of features whose kernel-weighted votes are least wrong."""

@overload
def metric_learner(
    _name: Literal["megm_nca", "ilk-learners/megm_nca"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_neighbors: int | Literal["log2"] = ...,
    regularization: float | None = ...,
    n_restarts: int = ...,
    random_state: RandomState = ...,
    init: ArrayLike | Literal["identity", "pca", "lda"] = ...,
    solver: Literal["lbfgs", "cg"] = ...,
    n_components: int | None = ...,
    gamma1: float = ...,
    gamma2: float = ...,
) -> MetricLearner | LocalMetric:
    """MEGM with NCA: the squared error of votes minus the expected accuracy of one neighbour."""

@overload
def metric_learner(
    _name: Literal["mlkr", "ilk-learners/mlkr"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_components: int | None = ...,
    init: ArrayLike | Literal["identity", "pca", "lda"] = ...,
    solver: Literal["lbfgs", "cg"] = ...,
    targets: Literal["auto", "classes", "numbers"] = ...,
) -> MetricLearner | LocalMetric:
    """Metric learning for kernel regression: minimise the leave-one-out error of a kernel mean."""

@overload
def metric_learner(
    _name: Literal["mmc", "ilk-learners/mmc"],
    /,
    *,
    report: bool = ...,
    constraints: ArrayLike | Literal["labels"] = ...,
    n_constraints: int | None = ...,
    max_iter: int = ...,
    tol: float = ...,
    random_state: RandomState = ...,
    diagonal: bool = ...,
    shrinkage: float = ...,
    singular: Literal["reduce", "error"] = ...,
) -> MetricLearner | LocalMetric:
    """Bring similar pairs near while dissimilar pairs stay far (Xing et al.)."""

@overload
def metric_learner(
    _name: Literal["nca", "ilk-learners/nca"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_components: int | None = ...,
    objective: Literal["expected_accuracy", "log"] = ...,
    init: ArrayLike | Literal["identity", "pca", "lda"] = ...,
    solver: Literal["lbfgs", "cg"] = ...,
) -> MetricLearner | LocalMetric:
    """Neighbourhood components analysis: maximise the accuracy of a random neighbour."""

@overload
def metric_learner(
    _name: Literal["pca", "ilk-learners/pca"],
    /,
    *,
    report: bool = ...,
    n_components: float | None = ...,
    whiten: bool = ...,
    center: bool = ...,
) -> MetricLearner | LocalMetric:
    """Project on the orthogonal directions of largest variance (principal components)."""

@overload
def metric_learner(
    _name: Literal["rca", "ilk-learners/rca"],
    /,
    *,
    report: bool = ...,
    chunklets: ArrayLike | Literal["labels"] = ...,
    shrinkage: float = ...,
    n_components: int | None = ...,
    singular: Literal["reduce", "shrink", "error"] = ...,
) -> MetricLearner | LocalMetric:
    """Whiten by the within-chunklet covariance; chunklets are small groups of one class."""

@overload
def metric_learner(
    _name: Literal["relevance", "ilk-learners/relevance"],
    /,
    *,
    report: bool = ...,
    relevance: RelevanceLike = ...,
    n_components: int | None = ...,
) -> MetricLearner | LocalMetric:
    """Multiply each feature by its relevance: a diagonal metric from any relevance measure."""

@overload
def metric_learner(
    _name: Literal["scythe", "ilk-learners/scythe"],
    /,
    *,
    report: bool = ...,
    n_neighbors: int = ...,
    L: int = ...,
    shrink: float = ...,
) -> MetricLearner | LocalMetric:
    """Cut off rows far from the query, with features weighted by relevance."""

@overload
def metric_learner(
    _name: Literal["svm_local", "ilk-learners/svm_local"],
    /,
    *,
    report: bool = ...,
    C: float = ...,
    gamma: float | Literal["scale"] = ...,
    c: float = ...,
) -> MetricLearner | LocalMetric:
    """Weight features by the normal of an SVM's decision boundary near the query (LFM-SVM)."""

@overload
def metric_learner(
    _name: Literal["truncated_svd", "ilk-learners/truncated_svd"],
    /,
    *,
    report: bool = ...,
    n_components: int | None = ...,
    n_iter: int = ...,
    random_state: RandomState = ...,
) -> MetricLearner | LocalMetric:
    """Project on the directions of largest sums of squares, without centring."""

@overload
def metric_learner(
    _name: Literal["vsm", "ilk-learners/vsm"],
    /,
    *,
    report: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    warm_start: bool = ...,
    n_neighbors: int = ...,
    width: float = ...,
    penalty: float = ...,
    refresh: int = ...,
    solver: Literal["lbfgs", "cg"] = ...,
) -> MetricLearner | LocalMetric:
    """Variable-kernel similarity metric: feature weights that minimise the error of kernel votes."""

@overload
def metric_learner(
    _name: Literal["whitening", "ilk-learners/whitening"],
    /,
    *,
    report: bool = ...,
    n_components: int | None = ...,
    shrinkage: float = ...,
) -> MetricLearner | LocalMetric:
    """Make features uncorrelated, of variance 1: the Mahalanobis distance of all points."""

@overload
def metric_learner(_name: str, /) -> MetricLearner | LocalMetric: ...
def metric_learners() -> list[str]: ...
@overload
def relevance(
    _name: Literal["correlation", "ilk-learners/correlation"],
    /,
    *,
    targets: Literal["auto", "classes", "numbers"] = ...,
) -> Relevance:
    """Absolute correlation of each feature with the target; with classes, correlation ratio."""

@overload
def relevance(_name: Literal["fisher", "ilk-learners/fisher"], /) -> Relevance:
    """Fisher's score of each feature: between-class over within-class variance."""

@overload
def relevance(
    _name: Literal["iterative_relief", "ilk-learners/iterative_relief"],
    /,
    *,
    sigma: float = ...,
    max_iter: int = ...,
    tol: float = ...,
) -> Relevance:
    """I-RELIEF: Relief with probabilistic neighbours under the current weights."""

@overload
def relevance(
    _name: Literal["mutual_information", "ilk-learners/mutual_information"],
    /,
    *,
    estimator: Literal["bins", "neighbors"] = ...,
    n_neighbors: int = ...,
    n_bins: int = ...,
    targets: Literal["auto", "classes", "numbers"] = ...,
) -> Relevance:
    """Mutual information of each feature and the target, in nats."""

@overload
def relevance(
    _name: Literal["relief", "ilk-learners/relief"],
    /,
    *,
    n_draws: int | None = ...,
    random_state: RandomState = ...,
) -> Relevance:
    """Relief: difference of a feature at the nearest miss minus that at the nearest hit."""

@overload
def relevance(
    _name: Literal["relieff", "ilk-learners/relieff"],
    /,
    *,
    n_neighbors: int = ...,
    n_draws: int | None = ...,
    targets: Literal["auto", "classes", "numbers"] = ...,
    random_state: RandomState = ...,
) -> Relevance:
    """ReliefF: Relief over the k nearest rows of each class; RReliefF for numbers y."""

@overload
def relevance(
    _name: Literal["simba", "ilk-learners/simba"],
    /,
    *,
    n_passes: int = ...,
    random_state: RandomState = ...,
) -> Relevance:
    """Simba: stochastic gradient ascent of the hypothesis margin of the nearest neighbour."""

@overload
def relevance(_name: str, /) -> Relevance: ...
def relevances() -> list[str]: ...
@overload
def classifier(
    _name: Literal["adaboost", "ilk-ensembles/adaboost"],
    /,
    *,
    member: ClassifierLike = ...,
    n_members: int = ...,
    method: Literal["weighting", "resampling"] = ...,
    multiclass: Literal["samme", "m1"] = ...,
    learning_rate: float = ...,
    restarts: int = ...,
    on_failure: Literal["raise", "drop"] = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Fits members in turn, each with larger weights on the errors of those before (AdaBoost)."""

@overload
def classifier(
    _name: Literal["bagging", "ilk-ensembles/bagging"],
    /,
    *,
    random_state: RandomState = ...,
    max_samples: float = ...,
    replace: bool = ...,
    oob_score: bool = ...,
    n_members: int = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    member: ClassifierLike = ...,
    stratified: bool = ...,
    combiner: CombinerLike = ...,
    reject_label: str | int | bool | None = ...,
    patience: int | None = ...,
    resampling: ResamplingLike | None = ...,
) -> Classifier:
    """Bootstrap aggregating: copies of a classifier, each fitted on randomly drawn rows."""

@overload
def classifier(
    _name: Literal["calibrated", "ilk-learners/calibrated"],
    /,
    *,
    classifier: ClassifierLike = ...,
    folds: int = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Probabilities for any classifier, by Platt's sigmoid of its decision values."""

@overload
def classifier(
    _name: Literal["cascade", "ilk-ensembles/cascade"],
    /,
    *,
    random_state: RandomState = ...,
    members: Sequence[ClassifierLike] = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    threshold: float | ArrayLike = ...,
    costs: ArrayLike | None = ...,
    min_cases: int | None = ...,
) -> Classifier:
    """Queries members in turn, until one is confident enough."""

@overload
def classifier(
    _name: Literal["co_training", "ilk-ensembles/co_training"],
    /,
    *,
    random_state: RandomState = ...,
    views: ViewsLike | None = ...,
    member: ClassifierLike = ...,
    members: Mapping[str, ClassifierLike] | None = ...,
    n_jobs: int | None = ...,
    combiner: CombinerLike = ...,
    unlabeled: str | int | bool | None = ...,
    n_rounds: int = ...,
    growth: int | Mapping[str, Any] | None = ...,
    pool_size: int | None = ...,
    labeled_fraction: float | None = ...,
    reject_label: str | int | bool | None = ...,
    on_failure: Literal["raise", "drop"] = ...,
    resampling: ResamplingLike | None = ...,
    verbose: int = ...,
) -> Classifier:
    """Classifiers of two or more views that label unlabelled rows for each other (co-training)."""

@overload
def classifier(
    _name: Literal["concatenated", "ilk-ensembles/concatenated"],
    /,
    *,
    views: ViewsLike | None = ...,
    member: ClassifierLike = ...,
    only: Sequence[Any] | None = ...,
    scale: bool = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """One classifier on the concatenated columns of all views, or of some (HML1)."""

@overload
def classifier(
    _name: Literal["conformal_svm", "ilk-learners/conformal_svm"],
    /,
    *,
    kernel: KernelLike = ...,
    C: float = ...,
    tau: float | Literal["neighbors"] = ...,
    n_neighbors: int = ...,
    distance: DistanceLike = ...,
    normalize: bool = ...,
    tol: float = ...,
    max_iter: int | None = ...,
    memory: float = ...,
) -> Classifier:
    """Support vector machine in two passes, the second with more resolution near the border."""

@overload
def classifier(
    _name: Literal["cost_sensitive", "ilk-learners/cost_sensitive"],
    /,
    *,
    classifier: ClassifierLike = ...,
    random_state: RandomState = ...,
    costs: ArrayLike | Mapping[str, Any] | None = ...,
    reject_cost: float | None = ...,
    reject_label: str | float | bool | None = ...,
) -> Classifier:
    """Predict the class of least expected cost, by the probabilities of any classifier."""

@overload
def classifier(
    _name: Literal["crab", "ilk-ensembles/crab"],
    /,
    *,
    n_bins: int = ...,
    n_rounds: int = ...,
    normalization: Literal["joint", "class"] = ...,
    epsilon: float = ...,
    verbose: int = ...,
) -> Classifier:
    """Sums, over rounds, the confidence of the bin of one feature (confidence-rated boosting)."""

@overload
def classifier(
    _name: Literal["decision_stump", "ilk-learners/decision_stump"],
    /,
    *,
    criterion: Literal["error", "gini"] = ...,
) -> Classifier:
    """Split at the threshold on one feature with the least error (a tree of depth one)."""

@overload
def classifier(
    _name: Literal["decision_tree", "ilk-learners/decision_tree"],
    /,
    *,
    criterion: Literal["gini", "entropy"] = ...,
    max_depth: int | None = ...,
    min_split: int = ...,
    min_leaf: int = ...,
    max_leaves: int | None = ...,
    max_features: float | Literal["sqrt", "log2"] | None = ...,
    pruning: float = ...,
    class_weight: Mapping[str, Any] | Literal["balanced"] | None = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Split rows recursively at the threshold that separates the classes best."""

@overload
def classifier(
    _name: Literal["ecoc", "ilk-ensembles/ecoc"],
    /,
    *,
    member: ClassifierLike = ...,
    code: ArrayLike
    | Literal["ova", "ovo", "exhaustive", "dense_random", "sparse_random", "bch"] = ...,
    decoding: Literal["hamming", "loss", "probability"] = ...,
    loss: Literal["exponential", "hinge", "logistic", "squared"] = ...,
    zeros: Literal["ignore", "count"] = ...,
    n_bits: int | None = ...,
    n_draws: int = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    random_state: RandomState = ...,
    verbose: int = ...,
) -> Classifier:
    """Predicts the class whose code word is nearest to the members' outputs (ECOC)."""

@overload
def classifier(
    _name: Literal["gasvm", "ilk-learners/gasvm"],
    /,
    *,
    learner: MetricLearnerLike = ...,
    per_class: bool = ...,
    C: float = ...,
    tol: float = ...,
) -> Classifier:
    """Support vector machines with the kernel of a learned metric (GASVM1, GASVM2)."""

@overload
def classifier(
    _name: Literal["gentleboost", "ilk-ensembles/gentleboost"],
    /,
    *,
    member: RegressorLike | None = ...,
    n_rounds: int = ...,
    learning_rate: float = ...,
    on_failure: Literal["raise", "drop"] = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Sums regressions on the weighted labels, round by round (Gentle AdaBoost)."""

@overload
def classifier(
    _name: Literal["gp", "ilk-learners/gp"],
    /,
    *,
    kernel: KernelLike = ...,
    signal_variance: float = ...,
    multi_class: Literal["ova", "softmax"] = ...,
    optimize: Literal["none", "isotropic", "ard", "cv"] = ...,
    factors: ArrayLike = ...,
    folds: int = ...,
    n_restarts: int = ...,
    tol: float = ...,
    max_iter: int = ...,
    max_steps: int = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Gaussian process classification by Laplace's approximation."""

@overload
def classifier(
    _name: Literal["gpml", "ilk-learners/gpml"],
    /,
    *,
    learner: MetricLearnerLike = ...,
    per_class: bool = ...,
    signal_variance: float = ...,
    tol: float = ...,
    max_iter: int = ...,
) -> Classifier:
    """Gaussian process classification with the kernel of a learned metric (GPML1, GPML2)."""

@overload
def classifier(
    _name: Literal["knn", "ilk-learners/knn"],
    /,
    *,
    k: int = ...,
    distance: DistanceLike = ...,
    index: IndexLike = ...,
    metric_learner: MetricLearnerLike | None = ...,
    vote: Literal["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"] = ...,
    power: float = ...,
    width: float | Literal["next_neighbor", "last_neighbor"] = ...,
    zero_distance: Literal["decides", "votes"] = ...,
    ties: Literal["nearest", "random", "prior", "reject"] = ...,
    reject_label: str | float | bool | None = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Classify by the votes of the k nearest training rows, under any distance."""

@overload
def classifier(
    _name: Literal["lda", "ilk-learners/lda"],
    /,
    *,
    priors: ArrayLike | Literal["empirical", "equal"] = ...,
    shrinkage: float | Literal["auto"] = ...,
    singular: Literal["error", "minimum_norm"] = ...,
) -> Classifier:
    """Classify by Gaussian classes with a common covariance (linear discriminant analysis)."""

@overload
def classifier(
    _name: Literal["local_svm", "ilk-learners/local_svm"],
    /,
    *,
    k: float = ...,
    C: float = ...,
    kernel: KernelLike | None = ...,
    distance: DistanceLike = ...,
    index: IndexLike = ...,
    metric_learner: MetricLearnerLike | None = ...,
    tol: float = ...,
    cache_size: int = ...,
) -> Classifier:
    """Train a support vector machine in the neighbourhood of each query (LSVM, LASVM)."""

@overload
def classifier(
    _name: Literal["logistic", "ilk-learners/logistic"],
    /,
    *,
    C: float = ...,
    penalty: Literal["l2", "l1", "elastic_net"] | None = ...,
    l1_share: float = ...,
    class_weight: Mapping[str, Any] | Literal["balanced"] | None = ...,
    max_iter: int = ...,
    tol: float = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Linear decision functions whose softmax is the probability of each class."""

@overload
def classifier(
    _name: Literal["mixture_of_experts", "ilk-ensembles/mixture_of_experts"],
    /,
    *,
    member: ClassifierLike = ...,
    n_members: int = ...,
    members: Sequence[ClassifierLike] | None = ...,
    branches: int = ...,
    penalty: float = ...,
    n_starts: int = ...,
    max_iter: int = ...,
    tol: float = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Fits classifiers and a gate jointly, so that each specialises on a part of the cases (EM)."""

@overload
def classifier(
    _name: Literal["mlp", "ilk-learners/mlp"],
    /,
    *,
    hidden: int | Sequence[Any] = ...,
    activation: Literal["relu", "tanh", "logistic", "identity"] = ...,
    alpha: float = ...,
    solver: Literal["adam", "lbfgs", "sgd"] = ...,
    learning_rate: float = ...,
    batch_size: int | None = ...,
    max_iter: int = ...,
    tol: float = ...,
    early_stopping: bool = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Multi-layer perceptron: layers of units over weighted sums of the previous layer."""

@overload
def classifier(
    _name: Literal["multiview", "ilk-ensembles/multiview"],
    /,
    *,
    random_state: RandomState = ...,
    views: ViewsLike | None = ...,
    member: ClassifierLike = ...,
    members: Mapping[str, ClassifierLike] | None = ...,
    n_jobs: int | None = ...,
    combiner: CombinerLike = ...,
    reject_label: str | int | bool | None = ...,
    on_failure: Literal["raise", "drop"] = ...,
    resampling: ResamplingLike | None = ...,
) -> Classifier:
    """One classifier for each view, whose outputs are combined by a rule (HML2-CF)."""

@overload
def classifier(
    _name: Literal["naive_bayes", "ilk-learners/naive_bayes"],
    /,
    *,
    density: Literal["gaussian", "kernel"] = ...,
    width: float | Literal["silverman", "scott"] = ...,
    priors: ArrayLike | Literal["empirical", "equal"] = ...,
    floor: float = ...,
    smoothing: float = ...,
) -> Classifier:
    """Classify by densities of single features, assumed independent within each class."""

@overload
def classifier(
    _name: Literal["nearest_mean", "ilk-learners/nearest_mean"],
    /,
    *,
    metric: Literal["euclidean", "mahalanobis"] = ...,
    shrinkage: float = ...,
    kernel: KernelLike | None = ...,
) -> Classifier:
    """Assign each row to the class with the nearest mean, under equal priors."""

@overload
def classifier(
    _name: Literal["pipeline", "ilk-core/pipeline"], /, *, steps: Sequence[StepLike] = ...
) -> Classifier:
    """Steps fitted one after the other: transformers, metric learners, editors, a predictor."""

@overload
def classifier(
    _name: Literal["profile_svm", "ilk-learners/profile_svm"],
    /,
    *,
    clusterer: ClustererLike = ...,
    C: float = ...,
    kernel: KernelLike = ...,
    tol: float = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Train a support vector machine in each cluster of the training rows (Profile SVM)."""

@overload
def classifier(
    _name: Literal["qda", "ilk-learners/qda"],
    /,
    *,
    priors: ArrayLike | Literal["empirical", "equal"] = ...,
    shrinkage: float | Literal["auto"] = ...,
    singular: Literal["error", "pooled"] = ...,
) -> Classifier:
    """Classify by Gaussian classes with one covariance each (quadratic discriminant analysis)."""

@overload
def classifier(
    _name: Literal["radius_margin_svm", "ilk-learners/radius_margin_svm"],
    /,
    *,
    C: float = ...,
    tune_C: bool = ...,
    max_iter: int = ...,
    tol: float = ...,
    solver_tol: float = ...,
) -> Classifier:
    """Support vector machine whose feature scales and C minimise the radius-margin bound."""

@overload
def classifier(
    _name: Literal["random_forest", "ilk-ensembles/random_forest"],
    /,
    *,
    n_members: int = ...,
    criterion: Literal["gini", "entropy"] = ...,
    max_features: float | Literal["sqrt", "log2"] | None = ...,
    n_combined: int | None = ...,
    max_depth: int | None = ...,
    min_split: int = ...,
    min_leaf: int = ...,
    max_samples: float = ...,
    vote: Literal["shares", "majority"] = ...,
    class_weight: Mapping[str, Any] | Literal["balanced"] | None = ...,
    patience: int | None = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Combines many trees, each grown from a bootstrap sample with random choices at each split."""

@overload
def classifier(
    _name: Literal["random_subspace", "ilk-ensembles/random_subspace"],
    /,
    *,
    random_state: RandomState = ...,
    max_samples: float = ...,
    replace: bool = ...,
    oob_score: bool = ...,
    n_members: int = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    member: ClassifierLike = ...,
    stratified: bool = ...,
    combiner: CombinerLike = ...,
    max_features: float = ...,
    reject_label: str | int | bool | None = ...,
    resampling: ResamplingLike | None = ...,
) -> Classifier:
    """Random subspaces: copies of a classifier, each fitted on randomly drawn columns."""

@overload
def classifier(
    _name: Literal["rbf_network", "ilk-learners/rbf_network"],
    /,
    *,
    n_centers: int = ...,
    centers: ArrayLike | Literal["kmeans", "random", "trained"] = ...,
    sigma: float | Literal["neighbors", "mean_distance"] = ...,
    output: Literal["least_squares", "logistic"] = ...,
    alpha: float = ...,
    max_iter: int = ...,
    tol: float = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Radial basis function network: a linear classifier of Gaussian units."""

@overload
def classifier(
    _name: Literal["sklearn", "ilk-learners/sklearn"],
    /,
    *,
    estimator: str = ...,
    params: Mapping[str, Any] | None = ...,
    random_state: RandomState = ...,
) -> Classifier:
    """Any classifier of scikit-learn, by its public class name."""

@overload
def classifier(
    _name: Literal["stacking", "ilk-ensembles/stacking"],
    /,
    *,
    random_state: RandomState = ...,
    members: Sequence[ClassifierLike] = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    learner: ClassifierLike = ...,
    passthrough: bool = ...,
    resampling: ResamplingLike | None = ...,
) -> Classifier:
    """Fits a classifier on held-out predictions of members (stacked generalization)."""

@overload
def classifier(
    _name: Literal["svm", "ilk-learners/svm"],
    /,
    *,
    kernel: KernelLike = ...,
    C: float = ...,
    strategy: Literal["ova", "ovo"] = ...,
    solver: Literal["libsvm", "qp"] = ...,
    class_weight: Mapping[str, Any] | Literal["balanced"] | None = ...,
    probability: bool = ...,
    calibration: Literal["sigmoid", "slope"] = ...,
    tol: float = ...,
    max_iter: int | None = ...,
    memory: float = ...,
    kernel_tuning: Literal["none", "alignment", "polarization"] = ...,
) -> Classifier:
    """Support vector machine over any kernel, with hard or soft margin."""

@overload
def classifier(
    _name: Literal["threshold", "ilk-learners/threshold"],
    /,
    *,
    classifier: ClassifierLike = ...,
    random_state: RandomState = ...,
    threshold: float | Literal["tuned"] = ...,
    positive: str | float | bool | None = ...,
    measure: MeasureLike = ...,
    resampling: ResamplingLike | None = ...,
) -> Classifier:
    """Predict one class where its probability reaches a threshold, fixed or tuned."""

@overload
def classifier(
    _name: Literal["tuned", "ilk-learners/tuned"],
    /,
    *,
    classifier: ClassifierLike = ...,
    grid: Mapping[str, Any] | Sequence[Any] | None = ...,
    resampling: ResamplingLike | None = ...,
    measure: MeasureLike = ...,
    on_error: Literal["raise", "skip"] = ...,
    random_state: RandomState = ...,
    criterion: Literal["aic", "bic", "srm"] | None = ...,
) -> Classifier:
    """Grid search: choose a classifier's hyper-parameters by inner resampling, then refit."""

@overload
def classifier(
    _name: Literal["voting", "ilk-ensembles/voting"],
    /,
    *,
    random_state: RandomState = ...,
    members: Sequence[ClassifierLike] = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    combiner: CombinerLike = ...,
    reject_label: str | int | bool | None = ...,
    resampling: ResamplingLike | None = ...,
) -> Classifier:
    """Fits every member on the same data and combines their outputs by a rule."""

@overload
def classifier(_name: str, /) -> Classifier: ...
def classifiers() -> list[str]: ...
@overload
def regressor(
    _name: Literal["adaboost_r2", "ilk-ensembles/adaboost_r2"],
    /,
    *,
    member: RegressorLike | None = ...,
    n_members: int = ...,
    loss: Literal["linear", "square", "exponential"] = ...,
    method: Literal["weighting", "resampling"] = ...,
    learning_rate: float = ...,
    on_failure: Literal["raise", "drop"] = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
) -> Regressor:
    """Fits regressors in turn, each with larger weights on large errors (AdaBoost.R2)."""

@overload
def regressor(
    _name: Literal["bagging", "ilk-ensembles/bagging"],
    /,
    *,
    max_samples: float = ...,
    replace: bool = ...,
    oob_score: bool = ...,
    n_members: int = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
    member: RegressorLike | None = ...,
    rule: Literal["mean", "median"] = ...,
) -> Regressor:
    """Bootstrap aggregating: the mean of regressors fitted on randomly drawn rows."""

@overload
def regressor(_name: Literal["bayesian_linear", "ilk-learners/bayesian_linear"], /) -> Regressor:
    """Bayesian linear regression, with the variances that maximise the evidence."""

@overload
def regressor(
    _name: Literal["boosted_experts", "ilk-ensembles/boosted_experts"],
    /,
    *,
    member: RegressorLike | None = ...,
    threshold: float | None = ...,
    rule: Literal["gate", "median"] = ...,
    n_rounds: int = ...,
    tol: float = ...,
    penalty: float = ...,
    method: Literal["weighting", "resampling"] = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
) -> Regressor:
    """Combines three boosted regressors by a gate that depends on the row (boosted mixture)."""

@overload
def regressor(
    _name: Literal["gp", "ilk-learners/gp"],
    /,
    *,
    kernel: KernelLike = ...,
    signal_variance: float = ...,
    noise_variance: float = ...,
    optimize: Literal["none", "isotropic", "ard"] = ...,
    n_restarts: int = ...,
    max_steps: int = ...,
    random_state: RandomState = ...,
) -> Regressor:
    """Gaussian process regression: the posterior mean of functions, given noisy targets."""

@overload
def regressor(
    _name: Literal["knn", "ilk-learners/knn"],
    /,
    *,
    k: int = ...,
    distance: DistanceLike = ...,
    index: IndexLike = ...,
    metric_learner: MetricLearnerLike | None = ...,
    vote: Literal["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"] = ...,
    power: float = ...,
    width: float | Literal["next_neighbor", "last_neighbor"] = ...,
    zero_distance: Literal["decides", "votes"] = ...,
) -> Regressor:
    """Predict the mean of the k nearest training rows' targets, under any distance."""

@overload
def regressor(_name: Literal["linear", "ilk-learners/linear"], /) -> Regressor:
    """Least squares: the plane with the smallest sum of squared errors."""

@overload
def regressor(
    _name: Literal["sklearn", "ilk-learners/sklearn"],
    /,
    *,
    estimator: str = ...,
    params: Mapping[str, Any] | None = ...,
    random_state: RandomState = ...,
) -> Regressor:
    """Any regressor of scikit-learn, by its public class name."""

@overload
def regressor(
    _name: Literal["stacking", "ilk-ensembles/stacking"],
    /,
    *,
    members: Sequence[RegressorLike] = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
    learner: RegressorLike | None = ...,
    passthrough: bool = ...,
    resampling: ResamplingLike | None = ...,
) -> Regressor:
    """Fits a regressor on held-out predictions of members (stacked regressions)."""

@overload
def regressor(
    _name: Literal["voting", "ilk-ensembles/voting"],
    /,
    *,
    members: Sequence[RegressorLike] = ...,
    on_failure: Literal["raise", "drop"] = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    random_state: RandomState = ...,
    rule: Literal["mean", "median"] = ...,
    weights: ArrayLike | None = ...,
) -> Regressor:
    """Fits every member on the same data; predicts the mean, or the median, of their outputs."""

@overload
def regressor(_name: str, /) -> Regressor: ...
def regressors() -> list[str]: ...
@overload
def detector(
    _name: Literal["one_class_svm", "ilk-learners/one_class_svm"],
    /,
    *,
    kernel: KernelLike = ...,
    nu: float = ...,
    solver: Literal["libsvm", "qp"] = ...,
    tol: float = ...,
    max_iter: int | None = ...,
    memory: float = ...,
) -> Detector:
    """Estimate the support of the training rows by a hyperplane away from the origin."""

@overload
def detector(
    _name: Literal["sklearn", "ilk-learners/sklearn"],
    /,
    *,
    estimator: str = ...,
    params: Mapping[str, Any] | None = ...,
    random_state: RandomState = ...,
) -> Detector:
    """Any outlier detector of scikit-learn, by its public class name."""

@overload
def detector(_name: str, /) -> Detector: ...
def detectors() -> list[str]: ...
@overload
def clusterer(
    _name: Literal["dbscan", "ilk-ensembles/dbscan"],
    /,
    *,
    eps: float = ...,
    min_samples: int = ...,
    distance: DistanceLike = ...,
    index: IndexLike = ...,
) -> Clusterer:
    """Density-based clustering (DBSCAN), for any distance and any input that it accepts."""

@overload
def clusterer(
    _name: Literal["mag_kmeans", "ilk-learners/mag_kmeans"],
    /,
    *,
    n_clusters: int = ...,
    balance: float = ...,
    n_init: int = ...,
    max_iter: int = ...,
    random_state: RandomState = ...,
) -> Clusterer:
    """Find compact clusters that hold the classes in equal numbers (MagKmeans)."""

@overload
def clusterer(
    _name: Literal["multiview_dbscan", "ilk-ensembles/multiview_dbscan"],
    /,
    *,
    views: ViewsLike | None = ...,
    eps: float | Mapping[str, Any] = ...,
    min_samples: int = ...,
    distance: DistanceLike = ...,
    distances: Mapping[str, DistanceLike] | None = ...,
    method: Literal["union", "intersection"] = ...,
    index: IndexLike = ...,
) -> Clusterer:
    """Density-based clustering over several views, by union or intersection of neighbourhoods."""

@overload
def clusterer(
    _name: Literal["sklearn", "ilk-learners/sklearn"],
    /,
    *,
    estimator: str = ...,
    params: Mapping[str, Any] | None = ...,
    random_state: RandomState = ...,
) -> Clusterer:
    """Any clusterer of scikit-learn, by its public class name."""

@overload
def clusterer(_name: str, /) -> Clusterer: ...
def clusterers() -> list[str]: ...
@overload
def editor(
    _name: Literal["all_knn", "ilk-learners/all_knn"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
    rule: Literal["plurality", "all"] = ...,
    ties: Literal["keep", "remove", "nearest"] = ...,
    sequential: bool = ...,
) -> Editor:
    """Remove the cases that disagree with their 1, 2, ... or k nearest neighbours (all k-NN)."""

@overload
def editor(
    _name: Literal["class_outliers", "ilk-learners/class_outliers"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    r: int | None = ...,
    index: IndexLike = ...,
) -> Editor:
    """Remove the cases with more than r cases of other classes among their k nearest neighbours."""

@overload
def editor(
    _name: Literal["cnn", "ilk-learners/cnn"],
    /,
    *,
    distance: DistanceLike = ...,
    order: Literal["given", "random", "nun"] = ...,
    random_state: RandomState = ...,
) -> Editor:
    """Keep each case that the cases kept before it misclassify (condensed nearest neighbour)."""

@overload
def editor(
    _name: Literal["competence", "ilk-learners/competence"],
    /,
    *,
    distance: DistanceLike = ...,
    order: Literal["relative_coverage", "reach_for_cover", "coverage", "nun", "random"] = ...,
    add: Literal["misclassified", "unsolved"] = ...,
    delete: Literal["covered", "none"] = ...,
    update: Literal["dynamic", "static"] = ...,
    k: int = ...,
    noise: Literal["enn", "renn", "none"] = ...,
    index: IndexLike = ...,
    random_state: RandomState = ...,
) -> Editor:
    """Select cases by a competence model: which case solves which (competence-guided editing)."""

@overload
def editor(
    _name: Literal["enn", "ilk-learners/enn"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
    rule: Literal["plurality", "all"] = ...,
    ties: Literal["keep", "remove", "nearest"] = ...,
) -> Editor:
    """Remove the cases that disagree with their neighbours (edited nearest neighbours)."""

@overload
def editor(
    _name: Literal["ib2", "ilk-learners/ib2"],
    /,
    *,
    distance: DistanceLike = ...,
    order: Literal["given", "random", "nun"] = ...,
    random_state: RandomState = ...,
) -> Editor:
    """Store, in one pass, the cases that the nearest stored case misclassifies."""

@overload
def editor(
    _name: Literal["ib3", "ilk-learners/ib3"],
    /,
    *,
    distance: DistanceLike = ...,
    accept: float = ...,
    drop: float = ...,
    fallback: Literal["nearest", "random"] = ...,
    order: Literal["given", "random", "nun"] = ...,
    random_state: RandomState = ...,
) -> Editor:
    """Store misclassified cases, and keep those with a significantly good record."""

@overload
def editor(
    _name: Literal["icf", "ilk-learners/icf"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
    noise: Literal["enn", "renn", "none"] = ...,
) -> Editor:
    """Remove noise, then cases with more solvers than solved cases (iterative case filtering)."""

@overload
def editor(
    _name: Literal["reduced_nn", "ilk-learners/reduced_nn"],
    /,
    *,
    distance: DistanceLike = ...,
    start: Literal["cnn", "all"] = ...,
    order: Literal["given", "random", "nun"] = ...,
    check_self: bool = ...,
    random_state: RandomState = ...,
) -> Editor:
    """Remove cases while the nearest remaining one classifies every case as well (Gates)."""

@overload
def editor(
    _name: Literal["renn", "ilk-learners/renn"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
    rule: Literal["plurality", "all"] = ...,
    ties: Literal["keep", "remove", "nearest"] = ...,
    max_passes: int | None = ...,
) -> Editor:
    """Remove the cases that disagree with their neighbours, until none does."""

@overload
def editor(
    _name: Literal["rt1", "ilk-learners/rt1"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
    order: Literal["given", "random", "nun"] = ...,
    random_state: RandomState = ...,
) -> Editor:
    """Remove cases whose associates are classified as well without them (RT1, DROP1)."""

@overload
def editor(
    _name: Literal["rt2", "ilk-learners/rt2"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
) -> Editor:
    """Remove cases that no associate needs, removed ones included, far from the border first."""

@overload
def editor(
    _name: Literal["rt3", "ilk-learners/rt3"],
    /,
    *,
    distance: DistanceLike = ...,
    k: int = ...,
    index: IndexLike = ...,
) -> Editor:
    """Remove noise, then cases that no associate needs, far from the border first."""

@overload
def editor(_name: Literal["snn", "ilk-learners/snn"], /, *, distance: DistanceLike = ...) -> Editor:
    """Keep a set that covers every case nearer than all cases of other classes (selective)."""

@overload
def editor(_name: str, /) -> Editor: ...
def editors() -> list[str]: ...
@overload
def combiner(
    _name: Literal["bayesian_average", "ilk-ensembles/bayesian_average"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
    posteriors: ArrayLike | None = ...,
    prior: ArrayLike | None = ...,
    floor: float = ...,
) -> Combiner:
    """Bayesian model averaging: the members' mean support, weighted by their posteriors."""

@overload
def combiner(
    _name: Literal["borda", "ilk-ensembles/borda"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
) -> Combiner:
    """Borda count: members rank the classes; a class gets a point for each one it beats."""

@overload
def combiner(
    _name: Literal["cascade", "ilk-ensembles/cascade"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
    threshold: float | ArrayLike = ...,
    costs: ArrayLike | None = ...,
) -> Combiner:
    """Cascade: of members in a fixed order, the first that is confident enough decides."""

@overload
def combiner(
    _name: Literal["gating", "ilk-ensembles/gating"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
    gate: ClassifierLike = ...,
    max_iter: int = ...,
    tol: float = ...,
) -> Combiner:
    """Gating: the members' mean support, with weights predicted for each case by a classifier."""

@overload
def combiner(
    _name: Literal["majority", "ilk-ensembles/majority"],
    /,
    *,
    threshold: float | Literal["half", "consensus"] = ...,
    ties: Literal["first", "reject"] = ...,
) -> Combiner:
    """Majority voting rule: decides if enough members agree on a label, else rejects."""

@overload
def combiner(
    _name: Literal["max", "ilk-ensembles/max"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
) -> Combiner:
    """Maximum rule: for each class the largest support of the members, ``max_j P_j(k)``."""

@overload
def combiner(
    _name: Literal["median", "ilk-ensembles/median"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
) -> Combiner:
    """Median rule: for each class the median support of the members, ``median_j P_j(k)``."""

@overload
def combiner(
    _name: Literal["min", "ilk-ensembles/min"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
) -> Combiner:
    """Minimum rule: for each class the smallest support of the members, ``min_j P_j(k)``."""

@overload
def combiner(
    _name: Literal["product", "ilk-ensembles/product"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
) -> Combiner:
    """Product rule: for each class the product of the members' support."""

@overload
def combiner(
    _name: Literal["stacking", "ilk-ensembles/stacking"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
    learner: ClassifierLike = ...,
    passthrough: bool = ...,
    of: Literal["probabilities", "labels"] = ...,
) -> Combiner:
    """Stacked generalization: predictions of a classifier whose features are members' outputs."""

@overload
def combiner(
    _name: Literal["sum", "ilk-ensembles/sum"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
) -> Combiner:
    """Sum rule: for each class the mean support of the members."""

@overload
def combiner(
    _name: Literal["weighted_majority", "ilk-ensembles/weighted_majority"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
    weights: ArrayLike | Literal["learned"] = ...,
    threshold: float | Literal["half", "consensus"] = ...,
) -> Combiner:
    """Weighted majority voting rule: each member votes for its label with its own weight."""

@overload
def combiner(
    _name: Literal["weighted_sum", "ilk-ensembles/weighted_sum"],
    /,
    *,
    ties: Literal["first", "reject"] = ...,
    cost: ArrayLike | None = ...,
    weights: ArrayLike | Literal["uniform", "pyramid", "learned"] = ...,
) -> Combiner:
    """Weighted sum rule: the mean of the members' support, each with its own weight."""

@overload
def combiner(_name: str, /) -> Combiner: ...
def combiners() -> list[str]: ...
@overload
def dataset(
    _name: Literal["arff", "ilk-evaluation/arff"],
    /,
    *,
    path: FileLike = ...,
    target: str | int | None = ...,
    missing: Literal["keep", "labelled", "complete"] = ...,
    ignore: Sequence[Any] = ...,
    groups: str | None = ...,
    labels: Literal["known", "unknown"] = ...,
    encoding: str = ...,
    inflated_mb: int = ...,
) -> Dataset:
    """A table in an ARFF file as Weka, MOA and KEEL write it, dense or sparse."""

@overload
def dataset(_name: Literal["balance_scale", "ilk-evaluation/balance_scale"], /) -> Dataset:
    """Balance scale: 625 cases, 4 numeric features; tips left, balanced or tips right."""

@overload
def dataset(_name: Literal["breast_cancer", "ilk-evaluation/breast_cancer"], /) -> Dataset:
    """Breast cancer (Wisconsin, diagnostic): 569 cases, 30 measurements, 2 classes."""

@overload
def dataset(
    _name: Literal["csv", "ilk-evaluation/csv"],
    /,
    *,
    path: FileLike = ...,
    target: str | int = ...,
    missing: Literal["keep", "labelled", "complete"] = ...,
    ignore: Sequence[Any] = ...,
    groups: str | None = ...,
    labels: Literal["known", "unknown"] = ...,
    nominal: Sequence[Any] | Literal["auto"] = ...,
    missing_values: Sequence[Any] = ...,
    delimiter: str = ...,
    header: bool | Literal["auto"] = ...,
    columns: Sequence[Any] = ...,
    decimal: Literal["auto", ".", ","] = ...,
    thousands: Literal["", ".", ",", " ", "'"] | None = ...,
    date_format: str = ...,
    comment: str = ...,
    encoding: str = ...,
    inflated_mb: int = ...,
) -> Dataset:
    """A table in a delimited text file, as programs write them."""

@overload
def dataset(_name: Literal["diabetes", "ilk-evaluation/diabetes"], /) -> Dataset:
    """Diabetes: 442 patients, 10 measurements, a numeric target (progression after a year)."""

@overload
def dataset(_name: Literal["digits", "ilk-evaluation/digits"], /) -> Dataset:
    """Handwritten digits: 1797 images of 8 x 8 pixels, 10 classes (integers)."""

@overload
def dataset(
    _name: Literal["folder", "ilk-evaluation/folder"],
    /,
    *,
    name: str = ...,
    path: FileLike | None = ...,
    missing: Literal["keep", "labelled", "complete"] = ...,
    split: str | None = ...,
    inflated_mb: int = ...,
) -> Dataset:
    """A data set of a folder with a description ``datasets.toml``."""

@overload
def dataset(
    _name: Literal["friedman", "ilk-evaluation/friedman"],
    /,
    *,
    n: int = ...,
    irrelevant: int = ...,
    noise: float = ...,
    random_state: int = ...,
) -> Dataset:
    """Friedman's function: 5 relevant features of 10, and a numeric target with normal noise."""

@overload
def dataset(
    _name: Literal["images", "ilk-evaluation/images"],
    /,
    *,
    path: FileLike = ...,
    color: Literal["grey", "rgb", "hsv"] = ...,
    limit: int | None = ...,
    size: int | None = ...,
) -> Dataset:
    """Images from a folder with one subfolder per class."""

@overload
def dataset(_name: Literal["iris", "ilk-evaluation/iris"], /) -> Dataset:
    """Iris flowers: 150 cases, 4 measurements in cm, 3 species."""

@overload
def dataset(
    _name: Literal["monks1", "ilk-evaluation/monks1"],
    /,
    *,
    encode: Literal["ordinal"] | None = ...,
    noise: float = ...,
    random_state: int = ...,
) -> Dataset:
    """MONK's problem 1: 432 cases, 6 nominal features; head shape equals body shape, or red jacket."""

@overload
def dataset(
    _name: Literal["monks2", "ilk-evaluation/monks2"],
    /,
    *,
    encode: Literal["ordinal"] | None = ...,
    noise: float = ...,
    random_state: int = ...,
) -> Dataset:
    """MONK's problem 2: 432 cases, 6 nominal features; exactly two have their first value."""

@overload
def dataset(
    _name: Literal["monks3", "ilk-evaluation/monks3"],
    /,
    *,
    encode: Literal["ordinal"] | None = ...,
    noise: float = ...,
    random_state: int = ...,
) -> Dataset:
    """MONK's problem 3: 432 cases, 6 nominal features; jacket with held object or body shape."""

@overload
def dataset(
    _name: Literal["parquet", "ilk-evaluation/parquet"],
    /,
    *,
    path: FileLike = ...,
    target: str | int = ...,
    missing: Literal["keep", "labelled", "complete"] = ...,
    ignore: Sequence[Any] = ...,
    groups: str | None = ...,
    labels: Literal["known", "unknown"] = ...,
    nominal: Sequence[Any] | Literal["auto"] = ...,
) -> Dataset:
    """A table in a Parquet file, whose columns have types."""

@overload
def dataset(
    _name: Literal["svmlight", "ilk-evaluation/svmlight"],
    /,
    *,
    path: FileLike = ...,
    n_features: int | None = ...,
    zero_based: bool | Literal["auto"] = ...,
    sparse: bool | Literal["auto"] = ...,
    labels: Literal["known", "unknown"] = ...,
    inflated_mb: int = ...,
) -> Dataset:
    """A file of LIBSVM or SVMlight: ``label position:value position:value ...`` in each line."""

@overload
def dataset(
    _name: Literal["tic_tac_toe", "ilk-evaluation/tic_tac_toe"],
    /,
    *,
    encode: Literal["ordinal"] | None = ...,
    noise: float = ...,
    random_state: int = ...,
) -> Dataset:
    """Tic-tac-toe: 958 final boards of 9 nominal squares; whether x, who began, won."""

@overload
def dataset(
    _name: Literal["waveform", "ilk-evaluation/waveform"],
    /,
    *,
    n: int = ...,
    noise_features: int = ...,
    random_state: int = ...,
) -> Dataset:
    """Waveforms: generated, 21 numeric features (plus noise), 3 classes; Bayes error 0.14."""

@overload
def dataset(_name: Literal["wine", "ilk-evaluation/wine"], /) -> Dataset:
    """Italian wines: 178 cases, 13 chemical measurements, 3 cultivars."""

@overload
def dataset(
    _name: Literal["xor", "ilk-evaluation/xor"],
    /,
    *,
    encode: Literal["ordinal"] | None = ...,
    n: int | None = ...,
    bits: int = ...,
    irrelevant: int = ...,
    noise: float = ...,
    random_state: int = ...,
) -> Dataset:
    """Exclusive or: 4 cases, 2 nominal features, 2 classes; optionally more bits, noise and cases."""

@overload
def dataset(_name: str, /) -> Dataset: ...
def datasets() -> list[str]: ...
@overload
def resampling(
    _name: Literal["bootstrap", "ilk-evaluation/bootstrap"],
    /,
    *,
    repeats: int = ...,
    stratify: bool = ...,
) -> Resampling:
    """Bootstrap: train on n cases drawn with replacement, test on the cases never drawn."""

@overload
def resampling(
    _name: Literal["bootstrap_632", "ilk-evaluation/bootstrap_632"],
    /,
    *,
    repeats: int = ...,
    stratify: bool = ...,
    plus: bool = ...,
) -> Resampling:
    """The .632 bootstrap: a weighted mean of optimistic resubstitution and pessimistic bootstrap."""

@overload
def resampling(
    _name: Literal["five_by_two", "ilk-evaluation/five_by_two"],
    /,
    *,
    stratify: bool = ...,
    small_classes: Literal["refuse", "spread"] = ...,
) -> Resampling:
    """5x2 cross-validation: five random divisions into halves, each half trained and tested once."""

@overload
def resampling(
    _name: Literal["holdout", "ilk-evaluation/holdout"],
    /,
    *,
    stratify: bool = ...,
    repeats: int = ...,
    test_size: float = ...,
) -> Resampling:
    """A random part of the cases is held out for testing, the rest trains; may be repeated."""

@overload
def resampling(
    _name: Literal["kfold", "ilk-evaluation/kfold"], /, *, folds: int = ...
) -> Resampling:
    """k-fold cross-validation: shuffled cases are divided into folds, each tested once."""

@overload
def resampling(
    _name: Literal["learning_curve", "ilk-evaluation/learning_curve"],
    /,
    *,
    sizes: Sequence[Any] = ...,
    resampling: ResamplingLike = ...,
) -> Resampling:
    """The splits of another resampling, each also with smaller training parts."""

@overload
def resampling(_name: Literal["leave_one_out", "ilk-evaluation/leave_one_out"], /) -> Resampling:
    """Leave-one-out cross-validation: each case is tested once, the others train."""

@overload
def resampling(
    _name: Literal["leave_p_out", "ilk-evaluation/leave_p_out"],
    /,
    *,
    p: int = ...,
    max_splits: int = ...,
) -> Resampling:
    """Leave-p-out cross-validation: every p cases are tested, the others train: C(n, p) splits."""

@overload
def resampling(
    _name: Literal["per_class", "ilk-evaluation/per_class"],
    /,
    *,
    n_train: int = ...,
    n_test: int | None = ...,
    repeats: int = ...,
) -> Resampling:
    """Random training and test sets with the same number of cases of every class."""

@overload
def resampling(
    _name: Literal["random_subsampling", "ilk-evaluation/random_subsampling"],
    /,
    *,
    stratify: bool = ...,
    repeats: int = ...,
    test_size: float = ...,
) -> Resampling:
    """Random subsampling (Monte Carlo cross-validation): repeated random test sets."""

@overload
def resampling(
    _name: Literal["repeated_kfold", "ilk-evaluation/repeated_kfold"],
    /,
    *,
    folds: int = ...,
    repeats: int = ...,
    stratify: bool = ...,
    small_classes: Literal["refuse", "spread"] = ...,
) -> Resampling:
    """Repeated k-fold cross-validation, reshuffled for each repeat."""

@overload
def resampling(_name: Literal["resubstitution", "ilk-evaluation/resubstitution"], /) -> Resampling:
    """Resubstitution: train and test on all cases; the error estimate is optimistic."""

@overload
def resampling(
    _name: Literal["sklearn", "ilk-evaluation/sklearn"],
    /,
    *,
    splitter: str = ...,
    params: Mapping[str, Any] | None = ...,
) -> Resampling:
    """Any splitter of scikit-learn, by its public class name."""

@overload
def resampling(
    _name: Literal["stratified_kfold", "ilk-evaluation/stratified_kfold"],
    /,
    *,
    folds: int = ...,
    small_classes: Literal["refuse", "spread"] = ...,
) -> Resampling:
    """Stratified k-fold cross-validation: folds keep the class proportions of the data."""

@overload
def resampling(
    _name: Literal["train_validation_test", "ilk-evaluation/train_validation_test"],
    /,
    *,
    stratify: bool = ...,
    repeats: int = ...,
    sizes: Sequence[Any] = ...,
) -> Resampling:
    """Cases are divided by lot into those to train with, to choose by, and to test."""

@overload
def resampling(_name: str, /) -> Resampling: ...
def resamplings() -> list[str]: ...
@overload
def measure(_name: Literal["absolute_error", "ilk-evaluation/absolute_error"], /) -> Measure:
    """Mean absolute error (MAE) of predicted numbers, in the unit of the target."""

@overload
def measure(_name: Literal["accuracy", "ilk-evaluation/accuracy"], /) -> Measure:
    """Accuracy: share of the answered cases whose label is correct."""

@overload
def measure(
    _name: Literal["adjusted_mutual_information", "ilk-evaluation/adjusted_mutual_information"], /
) -> Measure:
    """Adjusted mutual information of the clusters and the classes of the test cases."""

@overload
def measure(_name: Literal["adjusted_rand", "ilk-evaluation/adjusted_rand"], /) -> Measure:
    """Adjusted Rand index of the clusters and the classes of the test cases."""

@overload
def measure(_name: Literal["brier", "ilk-evaluation/brier"], /, *, halved: bool = ...) -> Measure:
    """Brier score: mean squared distance of the probabilities from the one-hot true class."""

@overload
def measure(
    _name: Literal["cost", "ilk-evaluation/cost"],
    /,
    *,
    costs: ArrayLike | Mapping[str, Any] | None = ...,
    reject_cost: float | None = ...,
) -> Measure:
    """Mean misclassification cost by a cost matrix: the risk with unequal losses."""

@overload
def measure(_name: Literal["error", "ilk-evaluation/error"], /) -> Measure:
    """Error rate: share of the answered cases whose label is wrong."""

@overload
def measure(
    _name: Literal["f1", "ilk-evaluation/f1"],
    /,
    *,
    positive: str | float | bool | None = ...,
    average: Literal["macro", "micro", "weighted"] | None = ...,
    undefined: float | None = ...,
) -> Measure:
    """Harmonic mean of precision and recall."""

@overload
def measure(
    _name: Literal["false_positive_rate", "ilk-evaluation/false_positive_rate"],
    /,
    *,
    positive: str | float | bool | None = ...,
    average: Literal["macro", "micro", "weighted"] | None = ...,
    undefined: float | None = ...,
) -> Measure:
    """False positive rate (false alarms, fall-out): share of the negatives predicted as positive."""

@overload
def measure(_name: Literal["fit_seconds", "ilk-evaluation/fit_seconds"], /) -> Measure:
    """Wall-clock seconds for fitting the pipeline."""

@overload
def measure(
    _name: Literal["log_loss", "ilk-evaluation/log_loss"], /, *, clip: float | None = ...
) -> Measure:
    """Log loss: mean negative log probability of the true class, in nats."""

@overload
def measure(
    _name: Literal["mean_class_accuracy", "ilk-evaluation/mean_class_accuracy"], /
) -> Measure:
    """Balanced accuracy: mean over the classes of the share of their cases labelled correctly."""

@overload
def measure(
    _name: Literal["per_class_error", "ilk-evaluation/per_class_error"],
    /,
    *,
    priors: Sequence[Any] | Mapping[str, Any] | Literal["estimated", "equal"] = ...,
) -> Measure:
    """Total probability of error: the error rates of the classes, weighted by their priors."""

@overload
def measure(
    _name: Literal["pr_auc", "ilk-evaluation/pr_auc"],
    /,
    *,
    positive: str | float | bool | None = ...,
    average: Literal["macro", "weighted"] | None = ...,
    pooled: bool = ...,
) -> Measure:
    """Average precision: area under the precision-recall curve by steps."""

@overload
def measure(
    _name: Literal["precision", "ilk-evaluation/precision"],
    /,
    *,
    positive: str | float | bool | None = ...,
    average: Literal["macro", "micro", "weighted"] | None = ...,
    undefined: float | None = ...,
) -> Measure:
    """Precision (positive predictive value): share of the predicted positives that are positive."""

@overload
def measure(
    _name: Literal["precision_at_n", "ilk-evaluation/precision_at_n"],
    /,
    *,
    n: int | None = ...,
    positive: str | float | bool | None = ...,
    pooled: bool = ...,
) -> Measure:
    """Precision at n: share of positive cases among the n with the highest scores."""

@overload
def measure(
    _name: Literal["precision_at_recall", "ilk-evaluation/precision_at_recall"],
    /,
    *,
    recall: float = ...,
    positive: str | float | bool | None = ...,
    pooled: bool = ...,
) -> Measure:
    """Highest precision at thresholds with at least the given recall."""

@overload
def measure(_name: Literal["predict_seconds", "ilk-evaluation/predict_seconds"], /) -> Measure:
    """Wall-clock seconds for predicting all test cases of the split."""

@overload
def measure(_name: Literal["r2", "ilk-evaluation/r2"], /, *, pooled: bool = ...) -> Measure:
    """Coefficient of determination: 1 is perfect, 0 is no better than the mean of the test cases."""

@overload
def measure(
    _name: Literal["rank_correlation", "ilk-evaluation/rank_correlation"], /, *, pooled: bool = ...
) -> Measure:
    """Spearman's rank correlation of predicted numbers and the truth: 1 for the same order."""

@overload
def measure(
    _name: Literal["recall", "ilk-evaluation/recall"],
    /,
    *,
    positive: str | float | bool | None = ...,
    average: Literal["macro", "micro", "weighted"] | None = ...,
    undefined: float | None = ...,
) -> Measure:
    """Recall (sensitivity, true positive rate): share of the positives that are predicted so."""

@overload
def measure(_name: Literal["reduction", "ilk-evaluation/reduction"], /) -> Measure:
    """Share of the training cases that the editors of a pipeline removed."""

@overload
def measure(_name: Literal["reject_rate", "ilk-evaluation/reject_rate"], /) -> Measure:
    """Reject rate: share of the cases that the pipeline rejected."""

@overload
def measure(
    _name: Literal["risk", "ilk-evaluation/risk"],
    /,
    *,
    loss: Callable[..., Any] | Literal["zero_one", "squared", "absolute", "hinge", "log"] = ...,
) -> Measure:
    """Empirical risk: the mean loss of the answered cases."""

@overload
def measure(_name: Literal["rmse", "ilk-evaluation/rmse"], /) -> Measure:
    """Root mean squared error (RMSE) of predicted numbers, in the unit of the target."""

@overload
def measure(
    _name: Literal["roc_auc", "ilk-evaluation/roc_auc"],
    /,
    *,
    positive: str | float | bool | None = ...,
    multiclass: Literal["ovo", "ovr"] = ...,
    average: Literal["macro", "weighted"] = ...,
    pooled: bool = ...,
) -> Measure:
    """Area under the ROC curve: probability that a case of a class outranks one of another."""

@overload
def measure(_name: Literal["saved_seconds", "ilk-evaluation/saved_seconds"], /) -> Measure:
    """Wall-clock seconds saved by work that pipelines share, which ran once for the split."""

@overload
def measure(_name: Literal["silhouette", "ilk-evaluation/silhouette"], /) -> Measure:
    """Silhouette: how much nearer the test cases are to their own cluster than to the next one."""

@overload
def measure(
    _name: Literal["specificity", "ilk-evaluation/specificity"],
    /,
    *,
    positive: str | float | bool | None = ...,
    average: Literal["macro", "micro", "weighted"] | None = ...,
    undefined: float | None = ...,
) -> Measure:
    """Specificity (true negative rate): share of the negatives that are predicted so."""

@overload
def measure(
    _name: Literal["squared_error", "ilk-evaluation/squared_error"], /, *, root: bool = ...
) -> Measure:
    """Mean squared error of numeric predictions."""

@overload
def measure(_name: str, /) -> Measure: ...
def measures() -> list[str]: ...
@overload
def comparison(
    _name: Literal["bayesian_signed_rank", "ilk-evaluation/bayesian_signed_rank"],
    /,
    *,
    rope: float = ...,
    alpha: float = ...,
    prior: float = ...,
    samples: int = ...,
    baseline: str | None = ...,
    random_state: RandomState | None = ...,
) -> Comparison:
    """Benavoli's Bayesian signed-rank test of each pair of pipelines, over data sets."""

@overload
def comparison(
    _name: Literal["corrected_resampled_t", "ilk-evaluation/corrected_resampled_t"],
    /,
    *,
    alpha: float = ...,
    adjust: Literal["holm", "none"] = ...,
    baseline: str | None = ...,
    ratio: float | None = ...,
) -> Comparison:
    """Nadeau and Bengio's corrected resampled t test of each pair of pipelines."""

@overload
def comparison(
    _name: Literal["error_below", "ilk-evaluation/error_below"],
    /,
    *,
    alpha: float = ...,
    adjust: Literal["holm", "none"] = ...,
    repeat: int | None = ...,
    p0: float = ...,
    method: Literal["exact", "normal"] = ...,
) -> Comparison:
    """Test of each pipeline: is its error probability below p0."""

@overload
def comparison(
    _name: Literal["f_5x2", "ilk-evaluation/f_5x2"],
    /,
    *,
    alpha: float = ...,
    adjust: Literal["holm", "none"] = ...,
    baseline: str | None = ...,
) -> Comparison:
    """Alpaydin's combined F test of each pair of pipelines, by 5x2 cross-validation."""

@overload
def comparison(
    _name: Literal["friedman_nemenyi", "ilk-evaluation/friedman_nemenyi"],
    /,
    *,
    alpha: float = ...,
    correct_ties: bool = ...,
) -> Comparison:
    """Friedman's test (Iman-Davenport's F) over data sets, then Nemenyi's for each pair."""

@overload
def comparison(
    _name: Literal["mcnemar", "ilk-evaluation/mcnemar"],
    /,
    *,
    alpha: float = ...,
    adjust: Literal["holm", "none"] = ...,
    baseline: str | None = ...,
    repeat: int | None = ...,
    exact_below: int = ...,
) -> Comparison:
    """McNemar's test of each pair of pipelines: equal error rates on the same cases."""

@overload
def comparison(
    _name: Literal["paired_t_5x2", "ilk-evaluation/paired_t_5x2"],
    /,
    *,
    alpha: float = ...,
    adjust: Literal["holm", "none"] = ...,
    baseline: str | None = ...,
) -> Comparison:
    """Dietterich's paired t test of each pair of pipelines, by 5x2 cross-validation."""

@overload
def comparison(
    _name: Literal["robustness", "ilk-evaluation/robustness"], /, *, floor: float = ...
) -> Comparison:
    """Friedman's robustness: the distribution of error ratios to the best pipeline."""

@overload
def comparison(
    _name: Literal["wilcoxon", "ilk-evaluation/wilcoxon"],
    /,
    *,
    alpha: float = ...,
    adjust: Literal["holm", "none"] = ...,
    baseline: str | None = ...,
    zeros: Literal["pratt", "zsplit", "wilcox"] = ...,
) -> Comparison:
    """Wilcoxon's signed-rank test of each pair of pipelines, over data sets."""

@overload
def comparison(_name: str, /) -> Comparison: ...
def comparisons() -> list[str]: ...
@overload
def executor(
    _name: Literal["dask", "ilk-evaluation/dask"],
    /,
    *,
    workers: int | None = ...,
    address: str | None = ...,
    inner_threads: int | None = ...,
    timeout: float | None = ...,
    patience: float = ...,
) -> Executor:
    """Runs cells on a cluster of Dask, on this machine or on many."""

@overload
def executor(
    _name: Literal["loky", "ilk-evaluation/loky"],
    /,
    *,
    workers: int | None = ...,
    inner_threads: int | None = ...,
    timeout: float | None = ...,
) -> Executor:
    """Runs several cells at once in processes, and survives the death of any of them."""

@overload
def executor(
    _name: Literal["mpi", "ilk-evaluation/mpi"],
    /,
    *,
    workers: int | None = ...,
    inner_threads: int | None = ...,
) -> Executor:
    """Runs cells on the ranks of an MPI job, by the pool of mpi4py.futures."""

@overload
def executor(
    _name: Literal["serial", "ilk-evaluation/serial"], /, *, inner_threads: int | None = ...
) -> Executor:
    """Runs one cell after the other in this process, for debugging and small plans."""

@overload
def executor(_name: str, /) -> Executor: ...
def executors() -> list[str]: ...
