"""The sections of where it comes from: the specification, runs, versions, data, pipelines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ilk_evaluation.report.markup import Html, element
from ilk_evaluation.report.parts import Section, folded
from ilk_evaluation.report.tables import Column, table


def specification(known: Mapping[str, Any]) -> Section:
    """Return the specification of the last run, as it was written."""
    text = str(known["runs"][-1]["text"]) if known["runs"] else ""
    name, language = "as it was written, in TOML", "toml"
    try:
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        name, language = "described in Python, canonical, as JSON", "json"
    except ValueError:  # TOML
        pass
    lines = len(text.splitlines())
    code = element("pre", element("code", text, class_=f"language-{language}"), tabindex="0")
    return Section("specification", "Specification", folded(f"{lines} lines, {name}", code))


def origins(known: Mapping[str, Any]) -> Section:
    """Return runs, versions, data sets and pipelines."""
    content = [_versions(known), _runs(known), _datasets(known), _pipelines(known)]
    return Section("origins", "Where it comes from", Html("".join(content)))


def _versions(known: Mapping[str, Any]) -> Html:
    """The environment of the last run."""
    if not known["runs"]:
        return Html()
    run = known["runs"][-1]
    facts = {
        "store": known["store"],
        "described in": run["file"] or "Python",
        "platform": run["platform"],
        "processors": run["processors"],
        "Python": run["python"],
        **run["versions"],
    }
    terms = [
        element("div", element("dt", name), element("dd", str(value)[:64]))
        for name, value in facts.items()
    ]
    return Html(element("h3", "Versions of the last run") + element("dl", terms, class_="facts"))


def _runs(known: Mapping[str, Any]) -> Html:
    columns = [
        Column("run", "run"),
        Column("started", "started"),
        Column("seed", "seed", numeric=True),
        Column("machine", "machine"),
        Column("cells kept", "cells", numeric=True),
    ]
    return table("Runs that wrote into the store", columns, known["runs"], id_="runs-table")


def _datasets(known: Mapping[str, Any]) -> Html:
    columns = [
        Column("data set", "label"),
        Column("rows", "n_rows", numeric=True),
        Column("features", "n_features", numeric=True),
        Column("classes", "n_classes", numeric=True),
        Column("fingerprint", "fingerprint", lambda text: element("code", text[:16], class_="key")),
    ]
    return table("Data sets of the last run", columns, known["datasets"], id_="data-table")


def _pipelines(known: Mapping[str, Any]) -> Html:
    columns = [
        Column("pipeline", "id"),
        Column("steps", "spec", _steps, class_="text"),
        Column("code", "versions", _code, class_="text"),
        Column("key", "key", lambda text: element("code", text[:16], class_="key")),
    ]
    rows = known["pipelines"]
    return table("Pipelines of the last run", columns, rows, id_="pipelines-table")


def _steps(spec: Any) -> Html | str:
    from ilk_evaluation.experiments.report import short

    steps = spec.get("steps") if isinstance(spec, Mapping) else spec
    if not isinstance(steps, list):
        return short(spec)
    return element("code", " > ".join(short(next(iter(step.values()))) for step in steps))


def _code(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version[:32]}" for name, version in versions.items())
