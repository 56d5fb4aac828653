"""The Markdown of plugins is rendered safely."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import in_one_test
from ilk_evaluation.report.page import html_of_markdown

TAGS = {"p", "em", "strong", "code", "a", "pre", "ul", "ol", "li", "blockquote", "div", "table"}
TAGS |= {"thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6", "br", "hr"}


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.opened, self.text, self.attributes, self.stack = [], "", [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)
        if tag not in {"br", "hr"}:
            self.stack.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text += data


@in_one_test
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "<p>plain</p>"),
        ("one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"),
        ("# Title #", "<h3>Title</h3>"),
        ("###### Deep", "<h6>Deep</h6>"),
        (
            "a *b* **c** _d_ `e<`",
            "<p>a <em>b</em> <strong>c</strong> <em>d</em> <code>e&lt;</code></p>",
        ),
        ("snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>"),
        (r"\*no\*", "<p>*no*</p>"),
        ("`` a`b ``", "<p><code>a`b</code></p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("> said", "<blockquote>\n<p>said</p>\n</blockquote>"),
        (
            "```py\n<a> *b*\n```\nc",
            '<pre tabindex="0"><code class="language-py">&lt;a&gt; *b*\n</code></pre>\n<p>c</p>',
        ),
        (
            "[x](https://a.b/?c=1&d)",
            '<p><a href="https://a.b/?c=1&amp;d" rel="noreferrer">x</a></p>',
        ),
        ("[x](javascript:alert)", "<p>[x](javascript:alert)</p>"),
        ("[x](data:text/html,y)", "<p>[x](data:text/html,y)</p>"),
        ("[x](other.html)", "<p>[x](other.html)</p>"),
        ("![x](https://a.b/c.png)", '<p>!<a href="https://a.b/c.png" rel="noreferrer">x</a></p>'),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
        ("", ""),
    ],
)
def test_markdown(text, expected):
    assert html_of_markdown(text) == expected


def test_a_table_of_markdown_has_headings_and_figures():
    table = html_of_markdown("| a | b |\n|---|---:|\n| 1 | `x\\|y` |\n| 2 |\n\nafter")
    assert table.startswith('<div class="scroll" tabindex="0" role="region" aria-label="Table">')
    assert '<th scope="col">a</th>\n<th scope="col" class="num">b</th>' in table
    assert '<td>2</td>\n<td class="num"></td>' in table
    assert table.endswith("<p>after</p>")


MARKS = st.sampled_from([*"*_`#->|\\[]()1. \n~:a<&", "```", "**", "- ", "1. ", "> ", "|-|", "    "])


@given(st.lists(MARKS, max_size=40).map("".join))
def test_any_markdown_gives_whole_elements_of_the_known_kinds(text):
    read = Reader(html_of_markdown(text))
    assert read.stack == []
    assert set(read.opened) <= TAGS
    names = {name for name, _ in read.attributes}
    assert names <= {"class", "tabindex", "role", "aria-label", "scope", "start"}


def test_deep_nesting_ends():
    Reader(html_of_markdown("> " * 5000 + "x"))
    Reader(html_of_markdown("\n".join("  " * i + "- x" for i in range(400))))
