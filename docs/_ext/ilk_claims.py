"""The verdicts on the claims of the texts, from docs/claims.json, as a table for each text."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util.docutils import SphinxDirective

from ilk_evaluation.claims.claim import TEXTS, load_claims
from ilk_evaluation.claims.claim_runs import read_verdicts
from ilk_evaluation.commands.claims import last_verdict, ran, statistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from docutils import nodes

    from ilk_evaluation.claims.claim import Claim

FILE = Path(__file__).parents[1] / "claims.json"


def page(claims: Mapping[str, Claim], records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of the page in Markdown: counts, then the claims of each text."""
    verdicts = [last_verdict(one, records.get(name)) for name, one in claims.items()]
    counts = sorted({(-verdicts.count(verdict), verdict) for verdict in verdicts})
    yield f"{len(claims)} claims: {', '.join(f'{-n} {verdict}' for n, verdict in counts)}."
    by_text = sorted(claims.values(), key=lambda one: (list(TEXTS).index(one.text), one.id))
    for text, group in groupby(by_text, key=lambda one: one.text):
        yield from ("", f"```{{rubric}} {TEXTS[text]}", "```", "")
        for claim in group:
            yield from _entry(claim, records.get(claim.id))


def _entry(claim: Claim, record: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield a claim as a term of a definition list."""
    yield f"**{claim.statement}** (`{claim.id}`, {claim.place})"
    yield f": *{last_verdict(claim, record)}*."
    reported = f" The text reports: {claim.number}." if claim.number else ""
    yield from ("", f"  {claim.protocol}{reported}", "")
    if record is not None:
        for finding in record["rules"]:
            yield f"  - {finding['rule']}: *{finding['verdict']}*{statistic(finding)}"
        yield from ("", f"  {ran(record)}", "")
    yield ""


class ClaimsTable(SphinxDirective):
    """``{claims-table}``: the verdicts as of the file."""

    def run(self) -> list[nodes.Node]:
        """Parse the lines where the directive stands."""
        self.env.note_dependency(str(FILE))
        lines = page(load_claims(), read_verdicts(FILE))
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("claims-table", ClaimsTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
