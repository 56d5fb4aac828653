"""Citations of the source texts, their index, and the rows that map each place to code."""

import re
import sys
from importlib import import_module

import pytest

import citations
from ilk.cli.docstrings import TEXTS, key_of, read_docstring, single_places
from ilk.plotting import text_figures
from ilk_evaluation.claims.claim import load_claims
from pages import ROOT

sys.path.append(str(ROOT / "docs" / "_ext"))
sources = import_module("ilk_sources")

KEYS = [key_of(text) for text in TEXTS]
ROWS = [(key, row) for key in KEYS for row in sources.rows(key)]
OTHER_FORMS = re.compile(
    r"(Zaidi\W+(?:PhD|\(?2011)|Cunningham, (?:M|Cord)|Cunningham \(?2008|Ntoutsi|Arras"
    r"|System Evaluation|Evaluation slides)(.*)"
)


def test_the_index_is_current():
    assert citations.text() == citations.INDEX.read_text(encoding="utf-8"), (
        "run python tests/helpers/citations.py"
    )


def test_texts_are_cited_in_one_form():
    """A reference that names a text starts with it and goes on with places, and only so."""
    wrong = []
    for kind, name, value in citations.documented():
        for line in read_docstring(value).section("References").splitlines():
            found = OTHER_FORMS.search(line)
            begins = re.match(rf"(?:\.\. \[\d+\] )?(?:{'|'.join(TEXTS)}): ", line)
            if found and not begins:
                wrong.append((kind, name, line))
    assert not wrong


@pytest.mark.parametrize("key", KEYS)
def test_every_place_has_one_row(key):
    """All that the text numbers, and all that docstrings cite of it."""
    places = [place for row in sources.rows(key) for place in single_places(row.place)]
    assert len(places) == len(set(places))
    assert set(sources.items(key)) <= set(places)
    assert set(sources.cited(key)) <= set(places)


def test_every_row_names_code_or_a_reason():
    assert len(ROWS) > 400
    assert not [(key, row.place) for key, row in ROWS if bool(row.uses) == bool(row.missing)]
    assert not [(key, row.place) for key, row in ROWS if row.missing and row.run]


def holds(row) -> bool:
    """Whether the snippet of a row runs and has the value that the row gives."""
    value = sources.value_of(row)
    return not row.gives or " ".join(repr(value).split()) == row.gives


@pytest.mark.filterwarnings("ignore")  # a few steps of a solver do for a snippet
@pytest.mark.parametrize("start", range(29))
def test_snippets_run(start):
    pytest.importorskip("matplotlib", reason="some snippets draw").use("Agg")
    some = [(key, row) for key, row in ROWS[start::29] if not row.missing]
    assert len(some) > 10
    assert not [(key, row.place) for key, row in some if not holds(row)]


def test_a_wrong_row_is_found():
    row = sources.Row("equation 1", "sum", ("classifier knn",), "1 + 1", "3")
    assert not holds(row)
    with pytest.raises(NameError, match="there is no ilk_evaluation.theory.vb_bound"):
        sources.value_of(sources.Row("equation 1", "bound", ("ilk_evaluation.theory.vb_bound",)))


def test_pages_link_to_code_or_say_why_not():
    pages = {text: "\n".join(sources.page(text)) for text in TEXTS}
    assert all(page.count("\n| ") > 30 for page in pages.values())
    assert (
        "| equation 2.17 | Minkowski distance | `distance` `euclidean` `minkowski` "
        "| `ilk.distance('minkowski', p=3)` |" in pages["Cunningham 2008"]
    )
    assert (
        "{py:obj}`theory.cover_count <ilk_evaluation.theory.cover_count>`"
        in (pages["Evaluation slides"])
    )
    drawn = sources.Row("figure 1", "margin", ("classifier svm",), figure="margin", claims=["one"])
    page = "{doc}`figure margin </reference/generated/text_figures>`"
    assert sources.in_ilk(drawn) == (f"`classifier` `svm`, {page}, [rerun](../claims.md) `one`")
    assert "*no code: Kolmogorov complexity" in pages["Cunningham 2008"]


def test_each_figure_of_the_catalogue_is_in_a_row():
    assert {row.figure for _, row in ROWS if row.figure} == set(text_figures())


def test_errata_name_tests_that_exist():
    page = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 50
    for path, test in named:
        assert f"def {test}" in (ROOT / "tests" / path).read_text(encoding="utf-8"), (path, test)


def test_every_claim_stands_at_its_place():
    named = {(key, one) for key in KEYS for row in sources.rows(key) for one in row.claims}
    assert named == {(claim.text, name) for name, claim in load_claims().items()}
