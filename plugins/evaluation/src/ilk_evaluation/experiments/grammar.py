"""The tables and keys of an experiment file."""

from __future__ import annotations

from ilk import FilePath, Many, Param, Table

_EXPERIMENT = Table(
    {
        "name": Param(str, doc="Title of the report; the file's name if left out."),
        "seed": Param(int, ge=0, le=2**63 - 1, doc="Decides the splits and every random state."),
    },
    defaults={"seed": 0},
)
_PIPELINE = Table(
    {
        "id": Param(
            str, doc="Name in the tables, unique in the file.", schema={"pattern": r"^\S(.*\S)?$"}
        ),
        "steps": Param(
            slot="step",
            many=list,
            doc="The last one is a classifier.",
            schema={"contains": {"required": ["classifier"]}, "maxContains": 1},
        ),
        "datasets": Param(
            list,
            items=Param(str),
            doc="Titles of the data sets it is tried on; all of them if left out.",
            schema={"minItems": 1, "uniqueItems": True},
        ),
    },
    required=("id", "steps"),
)
_EVALUATION = Table(
    {
        "resampling": Param(slot="resampling", doc="Which cases train and which test."),
        "measures": Param(
            slot="measure",
            many=list,
            doc="The first ranks the pipelines and feeds comparisons.",
            schema={"minItems": 1, "uniqueItems": True},
        ),
        "comparisons": Param(
            slot="comparison",
            many=list,
            doc="Statistical tests at the end.",
            schema={"uniqueItems": True},
        ),
    },
    defaults={"resampling": "repeated_kfold", "measures": ["error"], "comparisons": []},
)
_RUN = Table(
    {
        "executor": Param(slot="executor", doc="What runs the cells."),
        "on_error": Param(
            choices=("record", "raise", "fallback"),
            doc="Note a failed cell and go on, stop at it, or let the fallback answer.",
        ),
        "fallback": Param(slot="classifier", doc="Answers where a pipeline fails."),
    },
    defaults={"executor": "serial", "on_error": "record"},
)
_OUTPUT = Table({"store": Param(FilePath, doc="SQLite file, relative to the experiment's file.")})

GRAMMAR = Table(
    {
        "experiment": _EXPERIMENT,
        "datasets": Param(
            slot="dataset",
            many=list,
            doc="What the pipelines are tried on.",
            schema={"minItems": 1, "uniqueItems": True},
        ),
        "pipelines": Many(_PIPELINE),
        "evaluation": _EVALUATION,
        "run": _RUN,
        "output": _OUTPUT,
    },
    required=("datasets", "pipelines"),
    defaults={"experiment": {}, "evaluation": {}, "run": {}, "output": {}},
)
