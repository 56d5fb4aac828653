"""ilk: learning from similarity, composed by name.

The public names are imported on first use, so that ``import ilk`` is fast. Some lie in public
packages: `ilk.neighbors`, `ilk.plotting` and `ilk.testing`. All other modules are private.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ilk._lazy import PACKAGES, public_name

if TYPE_CHECKING:
    from ilk import neighbors as neighbors
    from ilk import plotting as plotting
    from ilk import testing as testing
    from ilk.aliases import ClassifierLike as ClassifierLike
    from ilk.aliases import ClustererLike as ClustererLike
    from ilk.aliases import CombinerLike as CombinerLike
    from ilk.aliases import ComparisonLike as ComparisonLike
    from ilk.aliases import DatasetLike as DatasetLike
    from ilk.aliases import DetectorLike as DetectorLike
    from ilk.aliases import DistanceLike as DistanceLike
    from ilk.aliases import EditorLike as EditorLike
    from ilk.aliases import ExecutorLike as ExecutorLike
    from ilk.aliases import IndexLike as IndexLike
    from ilk.aliases import KernelLike as KernelLike
    from ilk.aliases import MeasureLike as MeasureLike
    from ilk.aliases import MetricLearnerLike as MetricLearnerLike
    from ilk.aliases import RegressorLike as RegressorLike
    from ilk.aliases import RelevanceLike as RelevanceLike
    from ilk.aliases import ResamplingLike as ResamplingLike
    from ilk.aliases import TransformerLike as TransformerLike
    from ilk.arrays import ArrayLike as ArrayLike
    from ilk.arrays import Cases as Cases
    from ilk.arrays import Column as Column
    from ilk.arrays import Estimator as Estimator
    from ilk.arrays import FileLike as FileLike
    from ilk.arrays import FittedClassifier as FittedClassifier
    from ilk.arrays import Indexable as Indexable
    from ilk.arrays import Labels as Labels
    from ilk.arrays import Matrix as Matrix
    from ilk.arrays import Predictor as Predictor
    from ilk.arrays import RandomState as RandomState
    from ilk.arrays import Shaped as Shaped
    from ilk.arrays import ViewsLike as ViewsLike
    from ilk.blockwise import RowBlocks as RowBlocks
    from ilk.blockwise import row_blocks as row_blocks
    from ilk.building import build as build
    from ilk.building import encoded_vectors as encoded_vectors
    from ilk.capabilities import INPUT_KINDS as INPUT_KINDS
    from ilk.capabilities import Capabilities as Capabilities
    from ilk.compiling import compiled as compiled
    from ilk.component import Component as Component
    from ilk.component import seeded as seeded
    from ilk.component import single_use as single_use
    from ilk.discovery import Found as Found
    from ilk.discovery import installed as installed
    from ilk.errors import AmbiguousComponentError as AmbiguousComponentError
    from ilk.errors import BrokenComponentError as BrokenComponentError
    from ilk.errors import DataError as DataError
    from ilk.errors import DeclarationError as DeclarationError
    from ilk.errors import IlkError as IlkError
    from ilk.errors import InputError as InputError
    from ilk.errors import InputTypeError as InputTypeError
    from ilk.errors import ParameterError as ParameterError
    from ilk.errors import Problem as Problem
    from ilk.errors import RegistryError as RegistryError
    from ilk.errors import SpecError as SpecError
    from ilk.errors import UnknownComponentError as UnknownComponentError
    from ilk.errors import UnknownParameterError as UnknownParameterError
    from ilk.estimators import OneToOneFeatureMixin as OneToOneFeatureMixin
    from ilk.estimators import available_if as available_if
    from ilk.freezing import fit_component as fit_component
    from ilk.freezing import frozen as frozen
    from ilk.freezing import is_frozen as is_frozen
    from ilk.functions import compare as compare
    from ilk.functions import results as results
    from ilk.gram import check_gram as check_gram
    from ilk.gram import is_positive_semidefinite as is_positive_semidefinite
    from ilk.grammar import Many as Many
    from ilk.grammar import Table as Table
    from ilk.hooks import HookWarning as HookWarning
    from ilk.hooks import Listeners as Listeners
    from ilk.hooks import Section as Section
    from ilk.hooks import hookimpl as hookimpl
    from ilk.inputs import as_table as as_table
    from ilk.inputs import check_finite as check_finite
    from ilk.inputs import check_fitted as check_fitted
    from ilk.inputs import check_same_features as check_same_features
    from ilk.inputs import check_same_length as check_same_length
    from ilk.inputs import check_vectors as check_vectors
    from ilk.inputs import column_labels as column_labels
    from ilk.inputs import date_columns as date_columns
    from ilk.inputs import days_of as days_of
    from ilk.inputs import is_sparse as is_sparse
    from ilk.inputs import is_table as is_table
    from ilk.inputs import n_rows as n_rows
    from ilk.inputs import nominal_columns as nominal_columns
    from ilk.inputs import refuse_blocks as refuse_blocks
    from ilk.inputs import refuse_nominal as refuse_nominal
    from ilk.inputs import refuse_sparse as refuse_sparse
    from ilk.inputs import take as take
    from ilk.interfaces.classifier import Classifier as Classifier
    from ilk.interfaces.classifier import ConstantClassifier as ConstantClassifier
    from ilk.interfaces.classifier import Outputs as Outputs
    from ilk.interfaces.clusterer import Clusterer as Clusterer
    from ilk.interfaces.combiner import Combiner as Combiner
    from ilk.interfaces.combiner import check_codes as check_codes
    from ilk.interfaces.combiner import check_outputs as check_outputs
    from ilk.interfaces.combiner import label_outputs as label_outputs
    from ilk.interfaces.comparison import Comparison as Comparison
    from ilk.interfaces.comparison import Scores as Scores
    from ilk.interfaces.comparison import Verdict as Verdict
    from ilk.interfaces.comparison import rank_rows as rank_rows
    from ilk.interfaces.dataset import Data as Data
    from ilk.interfaces.dataset import Dataset as Dataset
    from ilk.interfaces.detector import Detector as Detector
    from ilk.interfaces.distance import Distance as Distance
    from ilk.interfaces.distance import Prepared as Prepared
    from ilk.interfaces.distance import one_row as one_row
    from ilk.interfaces.editor import Editor as Editor
    from ilk.interfaces.editor import resample as resample
    from ilk.interfaces.executor import Executor as Executor
    from ilk.interfaces.index import Index as Index
    from ilk.interfaces.kernel import Kernel as Kernel
    from ilk.interfaces.measure import Measure as Measure
    from ilk.interfaces.measure import Needs as Needs
    from ilk.interfaces.metric_learner import LocalMetric as LocalMetric
    from ilk.interfaces.metric_learner import MetricLearner as MetricLearner
    from ilk.interfaces.prediction import Prediction as Prediction
    from ilk.interfaces.regressor import Regressor as Regressor
    from ilk.interfaces.relevance import Relevance as Relevance
    from ilk.interfaces.resampling import Resampling as Resampling
    from ilk.interfaces.resampling import Split as Split
    from ilk.interfaces.transformer import Transformer as Transformer
    from ilk.kinds import Kind as Kind
    from ilk.kinds import kind_of as kind_of
    from ilk.labels import check_labels as check_labels
    from ilk.labels import text_array as text_array
    from ilk.loaded import check_stored as check_stored
    from ilk.loaded import stored_fault as stored_fault
    from ilk.messages import did_you_mean as did_you_mean
    from ilk.messages import printable as printable
    from ilk.messages import short_repr as short_repr
    from ilk.messages import similar_file as similar_file
    from ilk.neighbors.blocked import nearest_blocked as nearest_blocked
    from ilk.neighbors.blocked import smallest as smallest
    from ilk.neighbors.blocked import within_blocked as within_blocked
    from ilk.neighbors.checks import check_k as check_k
    from ilk.neighbors.competence import CaseSets as CaseSets
    from ilk.neighbors.competence import CompetenceModel as CompetenceModel
    from ilk.neighbors.search import nearest as nearest
    from ilk.neighbors.search import within as within
    from ilk.neighbors.search import without_itself as without_itself
    from ilk.ordering import case_order as case_order
    from ilk.ordering import row_order as row_order
    from ilk.parallel import in_blocks as in_blocks
    from ilk.parallel import library_threads as library_threads
    from ilk.parallel import n_threads as n_threads
    from ilk.parallel import threads as threads
    from ilk.params import Array as Array
    from ilk.params import FilePath as FilePath
    from ilk.params import Function as Function
    from ilk.params import Param as Param
    from ilk.params import Seed as Seed
    from ilk.params import Views as Views
    from ilk.params import param as param
    from ilk.params import slot as slot
    from ilk.params import slots as slots
    from ilk.persist import PersistError as PersistError
    from ilk.persist import load as load
    from ilk.persist import read_header as read_header
    from ilk.persist import save as save
    from ilk.pipeline import Pipeline as Pipeline
    from ilk.random_state import check_seed as check_seed
    from ilk.random_state import check_weights as check_weights
    from ilk.random_state import rows_of_weight as rows_of_weight
    from ilk.registries import Registry as Registry
    from ilk.registries import display_name as display_name
    from ilk.registries import registry as registry
    from ilk.registries import replaced_components as replaced_components
    from ilk.registries import session_classes as session_classes
    from ilk.registries import shipped_name as shipped_name
    from ilk.resolution import Resolved as Resolved
    from ilk.resolution import resolve as resolve
    from ilk.shipped import plain_name as plain_name
    from ilk.shortcuts import classifier as classifier
    from ilk.shortcuts import classifiers as classifiers
    from ilk.shortcuts import clusterer as clusterer
    from ilk.shortcuts import clusterers as clusterers
    from ilk.shortcuts import combiner as combiner
    from ilk.shortcuts import combiners as combiners
    from ilk.shortcuts import comparison as comparison
    from ilk.shortcuts import comparisons as comparisons
    from ilk.shortcuts import dataset as dataset
    from ilk.shortcuts import datasets as datasets
    from ilk.shortcuts import detector as detector
    from ilk.shortcuts import detectors as detectors
    from ilk.shortcuts import distance as distance
    from ilk.shortcuts import distances as distances
    from ilk.shortcuts import editor as editor
    from ilk.shortcuts import editors as editors
    from ilk.shortcuts import executor as executor
    from ilk.shortcuts import executors as executors
    from ilk.shortcuts import index as index
    from ilk.shortcuts import indexes as indexes
    from ilk.shortcuts import kernel as kernel
    from ilk.shortcuts import kernels as kernels
    from ilk.shortcuts import make as make
    from ilk.shortcuts import measure as measure
    from ilk.shortcuts import measures as measures
    from ilk.shortcuts import metric_learner as metric_learner
    from ilk.shortcuts import metric_learners as metric_learners
    from ilk.shortcuts import regressor as regressor
    from ilk.shortcuts import regressors as regressors
    from ilk.shortcuts import relevance as relevance
    from ilk.shortcuts import relevances as relevances
    from ilk.shortcuts import resampling as resampling
    from ilk.shortcuts import resamplings as resamplings
    from ilk.shortcuts import transformer as transformer
    from ilk.shortcuts import transformers as transformers
    from ilk.spec import Spec as Spec
    from ilk.spec import load_spec as load_spec
    from ilk.steps import Carried as Carried
    from ilk.steps import kind_and_component as kind_and_component
    from ilk.steps import step_problem as step_problem
    from ilk.steps import takes_weights as takes_weights
    from ilk.views import check_views as check_views
    from ilk.views import learn_views as learn_views
    from ilk.views import uses_views as uses_views
    from ilk.views import view_columns as view_columns
    from ilk.views import views_of as views_of
    from ilk.views import with_views as with_views
    from ilk.writing import to_spec as to_spec

__version__ = "0.2.0"

_GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "Components": {
        "ilk.capabilities": ("Capabilities", "INPUT_KINDS"),
        "ilk.estimators": ("OneToOneFeatureMixin", "available_if"),
        "ilk.component": ("Component", "seeded", "single_use"),
        "ilk.freezing": ("fit_component", "frozen", "is_frozen"),
    },
    "Parameters": {
        "ilk.params": (
            "Array",
            "FilePath",
            "Function",
            "Param",
            "Seed",
            "Views",
            "param",
            "slot",
            "slots",
        ),
    },
    "Interfaces of the kinds": {
        "ilk.interfaces.classifier": ("Classifier", "ConstantClassifier", "Outputs"),
        "ilk.interfaces.clusterer": ("Clusterer",),
        "ilk.interfaces.combiner": ("Combiner", "check_codes", "check_outputs", "label_outputs"),
        "ilk.interfaces.comparison": ("Comparison", "Scores", "Verdict", "rank_rows"),
        "ilk.interfaces.dataset": ("Data", "Dataset"),
        "ilk.interfaces.detector": ("Detector",),
        "ilk.interfaces.distance": ("Distance", "Prepared", "one_row"),
        "ilk.interfaces.editor": ("Editor", "resample"),
        "ilk.interfaces.executor": ("Executor",),
        "ilk.interfaces.index": ("Index",),
        "ilk.interfaces.kernel": ("Kernel",),
        "ilk.interfaces.measure": ("Measure", "Needs"),
        "ilk.interfaces.metric_learner": ("LocalMetric", "MetricLearner"),
        "ilk.interfaces.prediction": ("Prediction",),
        "ilk.interfaces.regressor": ("Regressor",),
        "ilk.interfaces.relevance": ("Relevance",),
        "ilk.interfaces.resampling": ("Resampling", "Split"),
        "ilk.interfaces.transformer": ("Transformer",),
    },
    "Components by name": {
        "ilk.shortcuts": (
            "classifier",
            "classifiers",
            "clusterer",
            "clusterers",
            "combiner",
            "combiners",
            "comparison",
            "comparisons",
            "dataset",
            "datasets",
            "detector",
            "detectors",
            "distance",
            "distances",
            "editor",
            "editors",
            "executor",
            "executors",
            "index",
            "indexes",
            "kernel",
            "kernels",
            "make",
            "measure",
            "measures",
            "metric_learner",
            "metric_learners",
            "regressor",
            "regressors",
            "relevance",
            "relevances",
            "resampling",
            "resamplings",
            "transformer",
            "transformers",
        ),
    },
    "Pipelines": {
        "ilk.pipeline": ("Pipeline",),
        "ilk.steps": ("Carried", "kind_and_component", "step_problem", "takes_weights"),
    },
    "Registry": {
        "ilk.discovery": ("Found", "installed"),
        "ilk.kinds": ("Kind", "kind_of"),
        "ilk.registries": (
            "Registry",
            "display_name",
            "registry",
            "replaced_components",
            "session_classes",
            "shipped_name",
        ),
        "ilk.shipped": ("plain_name",),
    },
    "Specs": {
        "ilk.building": ("build",),
        "ilk.grammar": ("Many", "Table"),
        "ilk.resolution": ("Resolved", "resolve"),
        "ilk.spec": ("Spec", "load_spec"),
        "ilk.writing": ("to_spec",),
    },
    "Saved components": {
        "ilk.loaded": ("check_stored", "stored_fault"),
        "ilk.persist": ("PersistError", "load", "read_header", "save"),
    },
    "Results and events": {
        "ilk.functions": ("compare", "results"),
        "ilk.hooks": ("HookWarning", "Listeners", "Section", "hookimpl"),
    },
    "Neighbours": {
        "ilk.neighbors.blocked": ("nearest_blocked", "smallest", "within_blocked"),
        "ilk.neighbors.checks": ("check_k",),
        "ilk.neighbors.competence": ("CaseSets", "CompetenceModel"),
        "ilk.neighbors.search": ("nearest", "within", "without_itself"),
    },
    "Checks of input": {
        "ilk.building": ("encoded_vectors",),
        "ilk.gram": ("check_gram", "is_positive_semidefinite"),
        "ilk.inputs": (
            "as_table",
            "check_finite",
            "check_fitted",
            "check_same_features",
            "check_same_length",
            "check_vectors",
            "column_labels",
            "date_columns",
            "days_of",
            "is_sparse",
            "is_table",
            "n_rows",
            "nominal_columns",
            "refuse_blocks",
            "refuse_nominal",
            "refuse_sparse",
            "take",
        ),
        "ilk.labels": ("check_labels", "text_array"),
        "ilk.random_state": ("check_seed", "check_weights", "rows_of_weight"),
        "ilk.views": (
            "check_views",
            "learn_views",
            "uses_views",
            "view_columns",
            "views_of",
            "with_views",
        ),
    },
    "Large data and compiled code": {
        "ilk.blockwise": ("RowBlocks", "row_blocks"),
        "ilk.compiling": ("compiled",),
        "ilk.ordering": ("case_order", "row_order"),
        "ilk.parallel": ("in_blocks", "library_threads", "n_threads", "threads"),
    },
    "Errors and their messages": {
        "ilk.errors": (
            "AmbiguousComponentError",
            "BrokenComponentError",
            "DataError",
            "DeclarationError",
            "IlkError",
            "InputError",
            "InputTypeError",
            "ParameterError",
            "Problem",
            "RegistryError",
            "SpecError",
            "UnknownComponentError",
            "UnknownParameterError",
        ),
        "ilk.messages": ("did_you_mean", "printable", "short_repr", "similar_file"),
    },
    "Types": {
        "ilk.aliases": (
            "ClassifierLike",
            "ClustererLike",
            "CombinerLike",
            "ComparisonLike",
            "DatasetLike",
            "DetectorLike",
            "DistanceLike",
            "EditorLike",
            "ExecutorLike",
            "IndexLike",
            "KernelLike",
            "MeasureLike",
            "MetricLearnerLike",
            "RegressorLike",
            "RelevanceLike",
            "ResamplingLike",
            "TransformerLike",
        ),
        "ilk.arrays": (
            "ArrayLike",
            "Cases",
            "Column",
            "Estimator",
            "FileLike",
            "FittedClassifier",
            "Indexable",
            "Labels",
            "Matrix",
            "Predictor",
            "RandomState",
            "Shaped",
            "ViewsLike",
        ),
    },
}
_MODULE = {
    name: module for group in _GROUPS.values() for module, names in group.items() for name in names
}

__all__ = sorted((*_MODULE, *PACKAGES, "__version__"))  # noqa: PLE0605  # the table above is the one list

if not TYPE_CHECKING:  # a type checker knows the names from above, and no others

    def __getattr__(name: str) -> object:
        return (
            import_module(f"ilk.{name}") if name in PACKAGES else public_name("ilk", _MODULE, name)
        )


def __dir__() -> list[str]:
    return __all__
