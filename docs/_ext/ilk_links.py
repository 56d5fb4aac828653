"""Link the names of components in the tables of pages to their pages of the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes

import ilk
from ilk.kinds import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

# Names such as lda or knn are of several kinds: these pages are about the kinds given here first.
ABOUT = {
    "similarity": ("distance", "kernel", "index"),
    "metric-learning": ("metric_learner", "relevance"),
    "ensembles": ("combiner", "classifier"),
}


def link_tables(app: Any, doctree: nodes.document, page: str) -> None:
    """Make a link of each name in a table, in pages that were written by hand."""
    if page.startswith(("reference/", "gallery/")):
        return
    for table in doctree.findall(nodes.table):
        for literal in list(table.findall(nodes.literal)):
            kind = kind_of(literal, page)
            if kind is not None and not isinstance(literal.parent, nodes.reference):
                target = f"reference/generated/{kind}.{literal.astext()}"
                link = nodes.reference(
                    "", "", internal=True, refuri=app.builder.get_relative_uri(page, target)
                )
                literal.replace_self(link)
                link += literal


def kind_of(literal: nodes.literal, page: str) -> str | None:
    """Return the kind of the component that a literal names, if it names one."""
    found = [kind for kind in kinds() if literal.astext() in ilk.registry(kind).names()]
    named = list(kinds_named(literal))  # the page on porting has names of other libraries, too
    order = named if page == "porting" else [*named, *ABOUT.get(page, ()), *found]
    return next((kind for kind in order if kind in found), None)


def kinds_named(literal: nodes.literal) -> Iterator[str]:
    """Yield kinds that the same cell names before the component: ``classifier`` ``knn``."""
    siblings = literal.parent.children
    for before in reversed(siblings[: siblings.index(literal)]):
        if isinstance(before, nodes.literal | nodes.reference) and before.astext() in kinds():
            yield before.astext()


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-resolved", link_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
