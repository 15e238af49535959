"""A model to start from, proposed from sample pages of one kind.

Of pages whose headings recur, such as résumés or data sheets, each recurring heading becomes a part
of the document, and each label that recurs below it, "Tel.: …", an element of that part. Pages
whose headings differ are articles: their model tells by roles what is in them. The proposal is
plain MEDL: its author adds tokens and says what may be where.
"""

# ruff: noqa: RUF001 - colons as people type them

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final

from crawler.core.flow import SiteView, annotate, get_method
from crawler.core.structure.content import Particle
from crawler.core.structure.headings import find_headings
from crawler.core.structure.lines import lines_of
from crawler.core.structure.medl import write_model
from crawler.core.structure.model import GROUP, TEXT, Element, Model, Rule
from crawler.core.structure.patterns import Pattern
from crawler.core.structure.roles import article_roles
from crawler.core.structure.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.page.page import Document

_ROOT: Final = "document"
_LINE: Final = "line"
_RECURS: Final = 0.2
_FEWEST: Final = 2
_MOST_PARTS: Final = 40
_MOST_LABELS: Final = 20
_PATTERN_CHARS: Final = 200
_LABEL: Final = re.compile(r"\s*([^\W\d_][^:：]{0,40}?)\s?[:：](?=\s|$)")
_LABEL_WORDS: Final = 4
_NAME_CHARS: Final = 40
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_TOKEN: Final = re.compile(r"[^\s\"'<>]+")
_PATTERNS: Final = {
    "email": r"[\w.+-]+@[\w-]+(\.[\w-]+)+",
    "phone": r"(\+\d{1,3}|\(\d{2,5}\)|\b0\d{1,4})[ \-./]?\(?\d{1,4}\)?([ \-./]\d{2,4}){1,4}",
    "date": r"\b(\d{1,2}[./-]\d{1,2}[./-]|\d{1,2} [a-z]{3,9} |[a-z]{3,9} \d{1,2}, )?(19|20)\d{2}"
    r"([./-]\d{1,2}([./-]\d{1,2})?)?\b",
}
# Roles, which name their elements too, that are directly in an article, and those in a section.
_ARTICLE: Final = ("title", "author", "date", "summary", "caption")
_SECTION: Final = ("heading", "paragraph", "item", "quote", "code")


@dataclass(slots=True)
class _Part:
    """A heading that recurs.

    ``forms``
        How often it is written in each way.
    ``pages``, ``places``
        On how many pages it is, and the sum of its line numbers there.
    ``labels``, ``patterns``
        What is below it, and on how many pages.
    """

    forms: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    places: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)


def suggest_model(documents: Sequence[Document]) -> str:
    """Return a model of some pages as MEDL, with a comment that says what to do with it.

    Args:
        documents: pages of one kind, one at least; more show what recurs.

    Raises:
        ValueError: there is no page.
    """
    if not documents:
        raise ValueError("a model is proposed from one page at least")
    least = max(_FEWEST, ceil(len(documents) * _RECURS))
    parts = _recurring_parts(documents, least)
    model = _PartsModel(parts, least).model() if parts else _article_model(documents)
    what = "headings that recur" if parts else "what blocks of running text are"
    return (
        f"<!-- Proposed from {len(documents)} page(s), by {what}. Rename elements, add"
        "\n     tokens, and say what may stand where: (a, b?) in order, (a | b)* any,"
        "\n     (a & b) in any order. -->"
        f"\n{write_model(model)}"
    )


def _recurring_parts(documents: Sequence[Document], least: int) -> list[_Part]:
    """Return the headings that are on ``least`` pages, in the order in which they usually are."""
    tokens = Tokens(Model({_ROOT: Element(_ROOT)}, ()))
    patterns = {name: Pattern(source) for name, source in _PATTERNS.items()}
    parts: defaultdict[str, _Part] = defaultdict(_Part)
    for document in documents:
        lines = lines_of(document.parsed)
        headings = find_headings(lines, tokens, _ROOT, frozenset())
        # By heading, the labels and the patterns below it.
        seen: dict[str, tuple[set[str], set[str]]] = {}
        here: tuple[set[str], set[str]] | None = None
        for place, line in enumerate(lines):
            if line in headings:
                key = _key(line.text)
                part = parts[key]
                part.forms[line.text.rstrip(" :：")] += 1
                part.places += place if key not in seen else 0
                here = seen.setdefault(key, (set(), set()))
            elif here is not None:
                match = _LABEL.match(line.text)
                if match is not None and len(match[1].split()) <= _LABEL_WORDS:
                    here[0].add(" ".join(match[1].split()))
                text = line.text[:_PATTERN_CHARS]
                here[1].update(name for name in patterns if any(patterns[name].find(text)))
        for key, (labels, found) in seen.items():
            parts[key].pages += 1
            parts[key].labels.update(labels)
            parts[key].patterns.update(found)
    recurring = [part for key, part in parts.items() if key and part.pages >= least]
    recurring.sort(key=lambda part: part.pages, reverse=True)
    return sorted(recurring[:_MOST_PARTS], key=lambda part: part.places / part.pages)


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


class _PartsModel:
    """The model of pages whose headings recur.

    Args:
        parts: the headings, in order.
        least: on how many pages a label or pattern has to be.
    """

    def __init__(self, parts: Sequence[_Part], least: int) -> None:
        self._parts = parts
        self._least = least
        self._used = {_ROOT, TEXT, GROUP}
        self._rules: list[Rule] = []
        # Elements for labels and patterns, by the label's words or the pattern's name.
        self._leaves: dict[str, str] = {}
        self._patterned: set[str] = set()

    def model(self) -> Model:
        title = self._name("title")
        self._rules.append(Rule(title, roles=("title",)))
        held: dict[str, list[str]] = {}
        for part in self._parts:
            form = part.forms.most_common(1)[0][0]
            name = self._name(form)
            self._rules.append(Rule(name, (_as_token(form),)))
            held[name] = [
                self._label_leaf(label)
                for label, count in part.labels.most_common(_MOST_LABELS)
                if count >= self._least
            ] + [
                self._pattern_leaf(pattern)
                for pattern, count in part.patterns.items()
                if count >= self._least
            ]
        elements = {
            _ROOT: Element(_ROOT, _any_of([title, *held])),
            title: Element(title, holds_text=True),
        }
        for name, leaves in held.items():
            # A part without elements of its own keeps its text, and may be given some.
            elements[name] = Element(name, _any_of(leaves or [_LINE]))
        lines = [_LINE] if not all(held.values()) else []
        for name in (*self._leaves.values(), *lines):
            elements[name] = Element(name, holds_text=True)
        return Model(elements, tuple(self._rules))

    def _name(self, text: str) -> str:
        """Return a new name of an element: letters and digits of what it is made from."""
        words = "_".join(_WORD.findall(text)).lower()[:_NAME_CHARS].strip("_")
        base = words if words[:1].isalpha() and not words.startswith("xml") else f"part_{words}"
        base = base.strip("_")
        name, number = base, 2
        while name in self._used:
            name, number = f"{base}_{number}", number + 1
        self._used.add(name)
        return name

    def _label_leaf(self, label: str) -> str:
        key = _key(label)
        if key not in self._leaves:
            self._leaves[key] = self._name(label)
            self._rules.append(Rule(self._leaves[key], (f"{_as_token(label)}:",)))
        return self._leaves[key]

    def _pattern_leaf(self, pattern: str) -> str:
        if pattern not in self._leaves:
            self._leaves[pattern] = self._name(pattern)
        if pattern not in self._patterned:
            self._patterned.add(pattern)
            self._rules.append(Rule(self._leaves[pattern], pattern=Pattern(_PATTERNS[pattern])))
        return self._leaves[pattern]


def _as_token(text: str) -> str:
    """Write a text as one token: words joined by underscores."""
    return "_".join(_TOKEN.findall(text)).rstrip(":") or "_"


def _any_of(names: Iterable[str]) -> Particle:
    parts = tuple(Particle("name", name=name) for name in dict.fromkeys(names))
    if len(parts) == 1:
        return Particle("name", "*", parts[0].name)
    return Particle("choice", "*", parts=parts)


def _article_model(documents: Sequence[Document]) -> Model:
    """Return the model of articles: what the roles of their blocks are."""
    method = get_method("article")
    found: set[str] = {"title", "heading", "paragraph"}
    for document in documents:
        labels = annotate(document, SiteView.unknown(), method)
        main = frozenset(block.index for block, label in labels.pairs() if label.kept)
        found |= set(article_roles(document, main, lines_of(document.parsed)).values())
    top = [role for role in _ARTICLE if role in found]
    inner = [role for role in _SECTION if role in found]
    section = Particle(
        "sequence",
        parts=(
            Particle("name", "?", "heading"),
            _any_of(role for role in inner if role != "heading"),
            Particle("name", "*", "section"),
        ),
    )
    elements = {
        _ROOT: Element(_ROOT, _any_of([*top, "section"])),
        "section": Element("section", section),
    }
    elements |= {role: Element(role, holds_text=True) for role in (*top, *inner)}
    rules = [Rule(role, roles=(role,)) for role in ("section", *top, *inner)]
    return Model(elements, tuple(rules))
