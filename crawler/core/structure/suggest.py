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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from math import ceil
from typing import Final

from crawler.core.flow import SiteView, annotate, get_method
from crawler.core.page.page import Document
from crawler.core.structure.headings import find_headings
from crawler.core.structure.lines import lines_of
from crawler.core.structure.model import GROUP, TEXT, Element, Model
from crawler.core.structure.roles import article_roles
from crawler.core.structure.tokens import Tokens

_ROOT: Final = "document"
_LINE: Final = "line"
# A heading recurs if it is on this share of the pages, and on two at least.
_RECURS: Final = 0.2
_FEWEST: Final = 2
_MOST_PARTS: Final = 40
_MOST_LABELS: Final = 20
_PATTERN_CHARS: Final = 200
_LABEL: Final = re.compile(r"\s*([^\W\d_][^:：]{0,40}?)\s?[:：](?=\s|$)")
_LABEL_WORDS: Final = 4
_NAME_CHARS: Final = 40
_TOKEN: Final = re.compile(r"[^\s\"'<>]+")
_PATTERNS: Final = {
    "email": r"[\w.+-]+@[\w-]+(\.[\w-]+)+",
    "phone": r"(\+\d{1,3}|\(\d{2,5}\)|\b0\d{1,4})[ \-./]?\(?\d{1,4}\)?([ \-./]\d{2,4}){1,4}",
    "date": r"\b(\d{1,2}[./-]\d{1,2}[./-]|\d{1,2} [a-z]{3,9} |[a-z]{3,9} \d{1,2}, )?(19|20)\d{2}"
    r"([./-]\d{1,2}([./-]\d{1,2})?)?\b",
}
# Roles, which name their elements too, that are directly in an article, and those in a section.
_ARTICLE: Final = ("title", "author", "date", "summary", "caption")
_SECTION: Final = ("paragraph", "item", "quote", "code")


@dataclass(slots=True)
class _Part:
    """A heading that recurs, the ways in which it is written, and what is below it."""

    forms: Counter[str] = field(default_factory=Counter)
    # On how many pages it is, and the sum of its line numbers there.
    pages: int = 0
    places: int = 0
    # On how many pages these are below it.
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
    lines = _parts_model(parts, least) if parts else _article_model(documents)
    what = "headings that recur" if parts else "what blocks of running text are"
    comment = (
        f"<!-- Proposed from {len(documents)} page(s), by {what}. Rename elements, add",
        "     tokens, and say what may stand where: (a, b?) in order, (a | b)* any,",
        "     (a & b) in any order. -->",
    )
    return "\n".join((*comment, *lines, ""))


def _recurring_parts(documents: Sequence[Document], least: int) -> list[_Part]:
    """Return the headings that are on ``least`` pages, in the order in which they usually are."""
    tokens = Tokens(Model({_ROOT: Element(_ROOT)}, ()))
    patterns = {name: re.compile(each, re.IGNORECASE) for name, each in _PATTERNS.items()}
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
                here[1].update(name for name in patterns if patterns[name].search(text))
        for key, (labels, found) in seen.items():
            parts[key].pages += 1
            parts[key].labels.update(labels)
            parts[key].patterns.update(found)
    recurring = [part for key, part in parts.items() if key and part.pages >= least]
    recurring.sort(key=lambda part: part.pages, reverse=True)
    return sorted(recurring[:_MOST_PARTS], key=lambda part: part.places / part.pages)


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _parts_model(parts: Sequence[_Part], least: int) -> list[str]:
    """Return the model of pages with recurring headings; all in it is on ``least`` pages."""
    used = {_ROOT, TEXT, GROUP}
    title = _name("title", used)
    rules = {f'{title} KEYROLE "title"': None}
    held: dict[str, list[str]] = {}
    # Elements for labels and patterns, by the label's words or the pattern's name.
    leaves: dict[str, str] = {}
    for part in parts:
        form = part.forms.most_common(1)[0][0]
        name = _name(form, used)
        rules[f'{name} KEYTOKENS "{_as_token(form)}"'] = None
        labels = [each for each, count in part.labels.most_common(_MOST_LABELS) if count >= least]
        patterns = [each for each, count in part.patterns.items() if count >= least]
        for label in labels:
            if _key(label) not in leaves:
                leaves[_key(label)] = _name(label, used)
                rules[f'{leaves[_key(label)]} KEYTOKENS "{_as_token(label)}:"'] = None
        for pattern in patterns:
            if pattern not in leaves:
                leaves[pattern] = _name(pattern, used)
            rules[f'{leaves[pattern]} KEYPATTERN "{_PATTERNS[pattern]}"'] = None
        held[name] = [leaves[key] for key in (*map(_key, labels), *patterns)]
    elements = {_ROOT: _any_of([title, *held]), title: "(#PCDATA)"}
    # A part without elements of its own keeps its text, and may be given some.
    elements |= {name: _any_of(inner or [_LINE]) for name, inner in held.items()}
    lines = [_LINE] if not all(held.values()) else []
    return _written(elements | dict.fromkeys([*leaves.values(), *lines], "(#PCDATA)"), rules)


def _name(text: str, used: set[str]) -> str:
    """Return a new name of an element: letters and digits of what it is made from."""
    words = "_".join(re.findall(r"[A-Za-z0-9]+", text)).lower()[:_NAME_CHARS].strip("_")
    base = words if words[:1].isalpha() and not words.startswith("xml") else f"part_{words}"
    base = base.strip("_")
    names = chain((base,), (f"{base}_{number}" for number in count(2)))
    name = next(name for name in names if name not in used)
    used.add(name)
    return name


def _as_token(text: str) -> str:
    """Write a text as one token: words joined by underscores."""
    return "_".join(_TOKEN.findall(text)).rstrip(":") or "_"


def _any_of(names: Iterable[str]) -> str:
    first, *others = dict.fromkeys(names)
    return f"({' | '.join((first, *others))})*" if others else f"({first}*)"


def _written(elements: dict[str, str], rules: Iterable[str]) -> list[str]:
    declared = [f"<!ELEMENT {name} {content}>" for name, content in elements.items()]
    return declared + [f"<!KEYWORD {rule}>" for rule in rules]


def _article_model(documents: Sequence[Document]) -> list[str]:
    """Return the lines of the model of articles: what the roles of their blocks are."""
    method = get_method("article")
    found: set[str] = {"title", "heading", "paragraph"}
    for document in documents:
        labels = annotate(document, SiteView(), method)
        main = frozenset(block.index for block, label in labels.pairs() if label.kept)
        found |= set(article_roles(document, main, lines_of(document.parsed)).values())
    top = [role for role in _ARTICLE if role in found]
    inner = [role for role in _SECTION if role in found]
    texts = _any_of(inner) if len(inner) > 1 else f"{inner[0]}*"
    named = [*top, "heading", *inner]
    elements = {_ROOT: _any_of([*top, "section"]), "section": f"(heading?, {texts}, section*)"}
    rules = [f'{role} KEYROLE "{role}"' for role in ("section", *named)]
    return _written(elements | dict.fromkeys(named, "(#PCDATA)"), rules)
