"""Type aliases for parameters and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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

Table = Mapping[str, Any]  # a component as a spec writes it: ``{"use": "knn", "k": 3}``

DistanceLike = Distance | Callable[[Any, Any], float] | str | Table
KernelLike = Kernel | str | Table
IndexLike = Index | str | Table
TransformerLike = Transformer | Callable[[Any], Any] | str | Table
MetricLearnerLike = MetricLearner | LocalMetric | str | Table
RelevanceLike = Relevance | str | Table
ClassifierLike = Classifier | str | Table
RegressorLike = Regressor | str | Table
DetectorLike = Detector | str | Table
ClustererLike = Clusterer | str | Table
EditorLike = Editor | str | Table
CombinerLike = Combiner | str | Table
DatasetLike = Dataset | str | Table
ResamplingLike = Resampling | str | Table
MeasureLike = Measure | str | Table
ComparisonLike = Comparison | str | Table
ExecutorLike = Executor | str | Table
StepLike = Any  # a table with one key, a component, an estimator, (name, estimator), a function
