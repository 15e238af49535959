"""A model to start from, proposed from sample pages of one kind.

Of pages whose headings recur, such as résumés or data sheets, each recurring heading becomes a part
of the document, and each label that recurs below it, "Tel.: …", an element of that part. Pages
whose headings are their own are articles: their model tells by roles what stands in them. The
proposal is plain MEDL: its author adds tokens and says what may stand where.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final

from crawler.core.flow import SiteView, annotate, get_method
from crawler.core.structure.headings import find_headings
from crawler.core.structure.keywords import Keywords
from crawler.core.structure.lines import lines_of
from crawler.core.structure.medl import write_model
from crawler.core.structure.model import GROUP, TEXT, Element, Model, Particle, Rule
from crawler.core.structure.patterns import Pattern
from crawler.core.structure.roles import article_roles
from crawler.core.structure.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.page.page import Document
    from crawler.core.structure.model import Occurs

__all__ = ["suggest_model"]

_ROOT: Final = "document"
_RECURS: Final = 0.2
_FEWEST: Final = 2
_MOST_PARTS: Final = 40
_MOST_LABELS: Final = 20
_LABEL: Final = re.compile(r"\s*([^\W\d_][^:：]{0,40}?)\s?[:：](?=\s|$)")  # noqa: RUF001 - that of Chinese and Korean
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
# Of an article's roles: the element's name, and where it stands.
_ARTICLE: Final = (
    ("title", "title"), ("author", "author"), ("date", "date"), ("summary", "summary"),
    ("caption", "caption"),
)  # fmt: skip
_SECTION: Final = (
    ("heading", "heading"), ("paragraph", "paragraph"), ("item", "item"), ("quote", "quote"),
    ("code", "code"),
)  # fmt: skip


@dataclass(slots=True)
class _Part:
    """A heading that recurs: its most usual form, its pages, the labels and patterns below it."""

    forms: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    places: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)


def suggest_model(documents: Sequence[Document]) -> str:
    """Return a model of some pages as MEDL, with a comment that says what to do with it.

    Args:
        documents: pages of one kind, one at least; more tell what recurs.

    Raises:
        ValueError: there is no page.
    """
    if not documents:
        raise ValueError("a model is proposed from one page at least")
    parts = _recurring_parts(documents)
    model = _of_parts(parts, len(documents)) if parts else _of_articles(documents)
    what = "headings that recur" if parts else "what blocks of running text are"
    return (
        f"<!-- Proposed from {len(documents)} page(s), by {what}. Rename elements, add"
        "\n     tokens, and say what may stand where: (a, b?) in order, (a | b)* any,"
        "\n     (a & b) in any order. -->"
        f"\n{write_model(model)}"
    )


def _recurring_parts(documents: Sequence[Document]) -> list[_Part]:
    nothing = Model({_ROOT: Element(_ROOT)}, ())
    tokens = Tokens(nothing, Keywords(nothing))
    patterns = {name: Pattern(source) for name, source in _PATTERNS.items()}
    parts: defaultdict[str, _Part] = defaultdict(_Part)
    for document in documents:
        lines = lines_of(document.parsed)
        headings = find_headings(lines, tokens, _ROOT, frozenset())
        seen: dict[str, tuple[set[str], set[str]]] = {}
        here: tuple[set[str], set[str]] | None = None
        for place, line in enumerate(lines):
            if line in headings:
                key = _key(line.text)
                part = parts[key]
                part.forms[line.text.rstrip(" :：")] += 1  # noqa: RUF001 - as people type it
                part.places += place if key not in seen else 0
                here = seen.setdefault(key, (set(), set()))
            elif here is not None:
                if (label := _label(line.text)) is not None:
                    here[0].add(label)
                here[1].update(
                    name for name in patterns if next(patterns[name].find(line.text[:200]), None)
                )
        for key, (labels, found) in seen.items():
            parts[key].pages += 1
            parts[key].labels.update(labels)
            parts[key].patterns.update(found)
    return _chosen(parts, len(documents))


def _chosen(parts: dict[str, _Part], pages: int) -> list[_Part]:
    """Return the parts that recur, in the order in which they usually stand."""
    least = max(_FEWEST, ceil(pages * _RECURS))
    recurring = [part for key, part in parts.items() if key and part.pages >= least]
    recurring.sort(key=lambda part: part.pages, reverse=True)
    return sorted(recurring[:_MOST_PARTS], key=lambda part: part.places / part.pages)


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _label(text: str) -> str | None:
    match = _LABEL.match(text)
    if match is None or len(match[1].split()) > _LABEL_WORDS:
        return None
    return " ".join(match[1].split())


def _of_parts(parts: Sequence[_Part], pages: int) -> Model:
    names = _Names()
    elements: dict[str, Element] = {}
    rules: list[Rule] = []
    title = names.new("title")
    below: list[str] = [title]
    leaves: dict[str, str] = {}
    least = max(_FEWEST, ceil(pages * _RECURS))
    inner: list[tuple[str, list[str]]] = []
    for part in parts:
        form = part.forms.most_common(1)[0][0]
        name = names.new(form)
        below.append(name)
        rules.append(Rule(name, (_as_token(form),)))
        held: list[str] = []
        for label, count in part.labels.most_common(_MOST_LABELS):
            if count >= least:
                held.append(_leaf(label, leaves, names, rules))
        for pattern, count in part.patterns.items():
            if count >= least:
                held.append(_patterned(pattern, leaves, names, rules))
        inner.append((name, list(dict.fromkeys(held))))
    elements[_ROOT] = Element(_ROOT, _any_of(below))
    elements[title] = Element(title, holds_text=True)
    for name, held in inner:
        # A part without elements of its own keeps its text, and may be given some.
        elements[name] = Element(name, _any_of(held) if held else _any_of([names.shared("line")]))
    for name in (*leaves.values(), *names.made_shared()):
        elements[name] = Element(name, holds_text=True)
    rules.insert(0, Rule(title, roles=("title",)))
    return Model(elements, tuple(rules))


def _leaf(label: str, leaves: dict[str, str], names: _Names, rules: list[Rule]) -> str:
    key = _key(label)
    if key not in leaves:
        leaves[key] = names.new(label)
        rules.append(Rule(leaves[key], (f"{_as_token(label)}:",)))
    return leaves[key]


def _patterned(pattern: str, leaves: dict[str, str], names: _Names, rules: list[Rule]) -> str:
    if pattern not in leaves:
        leaves[pattern] = names.new(pattern)
    name = leaves[pattern]
    if not any(rule.element == name and rule.pattern for rule in rules):
        rules.append(Rule(name, pattern=Pattern(_PATTERNS[pattern])))
    return name


class _Names:
    """Names of elements: letters and digits of what they are made from, none of them twice."""

    def __init__(self) -> None:
        self._used = {_ROOT, TEXT, GROUP}
        self._shared: dict[str, None] = {}

    def new(self, text: str) -> str:
        words = "_".join(_WORD.findall(text)).lower()[:_NAME_CHARS].strip("_")
        base = words if words[:1].isalpha() and not words.startswith("xml") else f"part_{words}"
        base = base.strip("_")
        name, number = base, 2
        while name in self._used:
            name, number = f"{base}_{number}", number + 1
        self._used.add(name)
        return name

    def shared(self, name: str) -> str:
        self._used.add(name)
        self._shared[name] = None
        return name

    def made_shared(self) -> tuple[str, ...]:
        return tuple(self._shared)


def _as_token(text: str) -> str:
    """Write a text as one token: words joined by underscores."""
    return "_".join(_TOKEN.findall(text)).rstrip(":") or "_"


def _any_of(names: Iterable[str], occurs: Occurs = "*") -> Particle:
    parts = tuple(Particle("name", name=name) for name in dict.fromkeys(names))
    return (
        Particle("name", occurs, parts[0].name)
        if len(parts) == 1
        else Particle("choice", occurs, parts=parts)
    )


def _of_articles(documents: Sequence[Document]) -> Model:
    method = get_method("article")
    found: set[str] = {"title", "heading", "paragraph"}
    for document in documents:
        labels = annotate(document, SiteView.unknown(), method)
        main = frozenset(block.index for block, label in labels.pairs() if label.kept)
        found |= set(article_roles(document, main, lines_of(document.parsed)).values())
    top = [name for name, role in _ARTICLE if role in found]
    inner = [name for name, role in _SECTION if role in found]
    body = tuple(Particle("name", name=name) for name in inner if name != "heading")
    section = Particle(
        "sequence",
        parts=(
            Particle("name", "?", "heading"),
            Particle("choice", "*", parts=body)
            if len(body) > 1
            else Particle("name", "*", "paragraph"),
            Particle("name", "*", "section"),
        ),
    )
    elements = {
        _ROOT: Element(_ROOT, _any_of([*top, "section"])),
        "section": Element("section", section),
    }
    elements.update({name: Element(name, holds_text=True) for name in (*top, *inner)})
    rules = [Rule("section", roles=("section",))]
    rules += [Rule(name, roles=(role,)) for name, role in (*_ARTICLE, *_SECTION) if role in found]
    return Model(elements, tuple(rules))
