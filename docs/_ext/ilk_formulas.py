"""Set the formulas of docstrings as mathematics.

Docstrings hold formulas as plain text, for readers of a shell: ``d(x, y) = sum_f |x_f - y_f|``. The
site translates them to TeX, and TeX to MathML, which browsers draw without a script or a network.
What the translator cannot read stays as it is.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from docutils import nodes

GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|eta|theta|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|omega|"
    "Phi|Lambda|Gamma|Delta|Sigma|Omega"
)
FUNCTIONS = {"exp", "ln", "log", "tanh", "max", "min", "sup", "inf", "det"}
NAKED = {"ln ", "og "}  # logarithms without brackets
BIG = {"sum": r"\sum", "prod": r"\prod", "max": r"\max", "min": r"\min"}
SIGNS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "!=": r"\ne ",
    "~": r"\propto ",
    "-+": r"\mp ",
    "->": r"\to ",
    ":": r"\colon ",
    "...": r"\ldots ",
}
OPENING = {"(": (r"\left(", r"\right)", ")"), "[": ("[", "]", "]"), "{": (r"\{", r"\}", "}")}
PROSE = {"of", "over", "the", "with", "whose", "is", "in", "to", "class", "answered", "and", "or"}
TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*)|([A-Za-z]+\d*)|(<=|>=|!=|->|-\+|\.\.\.|[-+=<>~,:/^_'|()\[\]{}]))"
)
FORMULA = re.compile(r"[\^|+]| [-/=~] |<=|sum_|\w/")
CODE = re.compile(r"[\"*#;\\?]|==|\w=\w|[A-Za-z][-+~]'?([ ,)(]|$)|\w{3}_\w{4}")
LITERAL = re.compile(r"``([^`]+)``")


class UnreadableError(ValueError):
    """The text is no formula of the notation of docstrings."""


class Reader:
    """A recursive-descent reader; each method returns TeX and moves on."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        self.spaced: list[bool] = []  # is there a space before the token?
        end = 0
        while end < len(text):
            found = TOKEN.match(text, end)
            if found is None:
                raise UnreadableError(text)
            self.tokens.append(found[0].strip())
            self.spaced.append(found[0][:1].isspace())
            end = found.end()
        if PROSE & set(self.tokens):
            raise UnreadableError(text)
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        if not self.next:
            raise UnreadableError
        self.at += 1
        return self.tokens[self.at - 1]

    def space_before(self, ahead: int = 0) -> bool:
        return self.at + ahead >= len(self.tokens) or self.spaced[self.at + ahead]

    def all(self) -> str:
        tex = self.terms("")
        if self.next:
            raise UnreadableError(self.next)
        return tex

    def terms(self, closing: str) -> str:
        """Terms between signs, up to the closing bracket."""
        parts = []
        while self.next and self.next != closing:
            if self.next == "|" and self.is_condition():
                parts.append(r"\mid ")
                self.take()
            elif self.next in SIGNS or self.next in {"+", "-", "=", "<", ">", ","}:
                sign = self.take()
                parts.append(SIGNS.get(sign, sign + " "))
            else:
                parts.append(self.term(closing))
        return "".join(parts)

    def is_condition(self) -> bool:
        """Tell ``P(a | b)`` and ``C(x|y)`` from a sign of size."""
        before, after = self.space_before(), self.space_before(1)
        previous = self.tokens[self.at - 1] if self.at else "("
        return before == after and (before or previous not in "([{/-+=,|")

    def term(self, closing: str) -> str:
        """Factors side by side, divided by others: ``a b / c d`` is (a b) / (c d)."""
        factors = self.factors(closing)
        while self.next == "/":
            self.take()
            over, under = "".join(factors), "".join(self.factors(closing))
            whole = re.match(r"((?:.*[^{])?\\(?:sum|prod)_\{(\w)\})\\,(.+)", over)
            bound = whole and f"_{{{whole[2]}}}" in under and not under.startswith(r"\sum")
            if whole and bound:  # the sum of quotients, not the quotient of sums
                factors = [rf"{whole[1]}\frac{{{bare(whole[3])}}}{{{bare(under)}}}"]
            else:
                factors = [rf"\frac{{{bare(over)}}}{{{bare(under)}}}"]
        return factors[0] if len(factors) == 1 else "".join(factors)

    def factors(self, closing: str) -> list[str]:
        found: list[str] = []
        while self.next and self.next != closing and not self.ends_factors():
            space = r"\," if found and self.space_before() and found[-1][-3:] not in NAKED else ""
            factor = self.factor()
            while self.next == "/" and not self.space_before():
                self.take()
                under = self.factor()
                while not self.space_before() and re.match(r"\w", self.next):
                    under += self.factor()
                factor = rf"\tfrac{{{bare(factor)}}}{{{bare(under)}}}"
            found.append(space + factor)
        if not found:
            raise UnreadableError(self.next)
        return found

    def ends_factors(self) -> bool:
        signs = self.next in SIGNS or self.next in {"+", "-", "=", "<", ">", ",", "/"}
        return signs or (self.next == "|" and (self.is_condition() or self.closes_size()))

    def closes_size(self) -> bool:
        return self.depth > 0 and not self.space_before()

    depth = 0  # of signs of size that are open

    def factor(self) -> str:
        """One symbol, call or bracket, with its index and power."""
        token = self.take()
        if token in OPENING:
            left, right, closing = OPENING[token]
            outside, self.depth = self.depth, 0
            tex = f"{left}{self.terms(closing)}{right}"
            self.depth = outside
            if self.take() != closing:
                raise UnreadableError(token)
        elif token == "|":
            self.depth += 1
            tex = rf"\left|{self.terms('|')}\right|"
            self.depth -= 1
            if self.take() != "|":
                raise UnreadableError(token)
        elif token[0].isdigit():
            tex = token
        elif token[0].isalpha():
            tex = self.name(token)
        else:
            raise UnreadableError(token)
        return self.raised(tex)

    def name(self, token: str) -> str:
        if token == "sqrt" and self.next == "(":
            return rf"\sqrt{{{bare(self.factor_of_call())}}}"
        if token in BIG and (self.next == "_" or token in {"sum", "prod"}):
            return BIG[token] + self.index()
        letters, digits = re.fullmatch(r"([A-Za-z]+)(\d*)", token).groups()
        called = letters in FUNCTIONS and self.next in {"(", "_", "|"}
        if called or token in {"ln", "log", "exp", "det"}:
            tex = "\\" + token + " "
        elif token == "inf":
            tex = r"\infty "
        elif token == "chi2":
            tex = r"\chi^2 "
        elif GREEK.fullmatch(letters):
            tex = f"\\{letters}" + (f"_{{{digits}}}" if digits else " ")
        elif len(token) == 1 or re.fullmatch(r"[a-z]{2}|d[A-Z]", token):
            tex = token
        else:
            tex = rf"\mathrm{{{token}}}"
        while self.next == "'":
            tex = tex.rstrip() + self.take()
        return tex + self.index()

    def factor_of_call(self) -> str:
        self.take()
        outside, self.depth = self.depth, 0
        inside = self.terms(")")
        self.depth = outside
        self.take()
        return inside

    def index(self) -> str:
        if self.next != "_":
            return ""
        self.take()
        if self.next == "+":
            return "_" + self.take()
        if self.next == "(":
            return f"_{{{bare(self.factor_of_call())}}}"
        if not re.match(r"\w", self.next) or self.space_before():
            raise UnreadableError
        token = self.take()
        plain = len(token) < 3 or token.isdigit()
        return f"_{{{token}}}" if plain else rf"_{{\mathrm{{{token}}}}}"

    def raised(self, tex: str) -> str:
        tex += self.index() if self.next == "_" else ""
        if self.next == "^":
            self.take()
            sign = self.take() if self.next == "-" else ""
            if self.next == "(":
                power = self.factor_of_call()
            else:
                token = self.take()
                if not token[0].isalnum():
                    raise UnreadableError(token)
                power = self.name(token) if token[0].isalpha() else token
            power = re.sub(r"\\tfrac\{(.+?)\}\{(.+?)\}", r"\1/\2", power)
            tex += f"^{{{sign}{power}}}"
        while self.next == "'":
            tex += self.take()
        return tex


def bare(tex: str) -> str:
    """Drop brackets around the whole, which a fraction line makes needless."""
    inner = re.fullmatch(r"\\left\((.*)\\right\)", tex)
    if not inner:
        return tex
    depth = 0
    for part in re.findall(r"\\left\b|\\right\b", inner[1]):
        depth += 1 if part == r"\left" else -1
        if depth < 0:
            return tex
    return inner[1]


def tex_of(text: str) -> str | None:
    """Translate a formula of a docstring to TeX; None if the text is none, or code."""
    if not FORMULA.search(text) or CODE.search(text):
        return None
    try:
        tex = Reader(text).all().strip()
        tex = re.sub(r"\\left\((\\tfrac\{\w+\}\{\w+\})\\right\)(?!\^)", r"\1", tex)
        tex2mathml(tex)
    except (UnreadableError, MathError):
        return None
    return tex


def set_formulas(lines: list[str]) -> list[str]:
    """Set the formulas of the lines above the first section: displayed, or in the line."""
    end = next((i for i, line in enumerate(lines) if re.fullmatch("-{3,}", line)), len(lines) + 1)
    head = "\n".join(lines[: end - 1])
    head = re.sub(r"::\n\n((?:    .*(?:\n|\Z))+)", block, head)
    paragraphs = [displayed(paragraph) for paragraph in head.split("\n\n")]
    return [*"\n\n".join(paragraphs).split("\n"), *lines[end - 1 :]]


def block(found: re.Match[str]) -> str:
    """Set a literal block that is one formula."""
    tex = tex_of(" ".join(found[1].split()))
    return f":\n\n.. math:: {tex}\n" if tex else found[0]


def displayed(paragraph: str) -> str:
    """Set the formula that a paragraph begins with on a line of its own."""
    first = re.match(r"``([^`]+)``([.;,:]?)(?: |\n|$)", paragraph)
    tex = tex_of(" ".join(first[1].split())) if first else None
    if first and tex:
        rest = paragraph[first.end() :]
        block = f".. math:: {tex}{first[2].replace(':', '')}"
        return block + (f"\n\n{in_line(rest)}" if rest else "")
    return in_line(paragraph)


def in_line(text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        tex = tex_of(" ".join(found[1].split()))
        return f":math:`{tex}`" if tex else found[0]

    return LITERAL.sub(replaced, text)


def visit_math(self: Any, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), block=False))
    raise SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    raise SkipNode


def mathml(tex: str, *, block: bool) -> str:
    return str(tex2mathml(html.unescape(tex), as_block=block))


def setup(app: Any) -> dict[str, Any]:
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_math, None), block_renderers=(visit_math_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
