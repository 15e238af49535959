"""The evidence of a page's kind, as one row of numbers.

It depends on the page alone, neither on the text method nor on other pages of the site.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import Stems
from crawler.core.page.blocks import Block
from crawler.core.page.nesting import Nesting, nesting_of
from crawler.core.page.page import Document
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import DENSE
from crawler.core.pagetype.address import Address, page_words
from crawler.core.patterns import compiled_later
from crawler.core.words import APART, fold, foreign, texts_with

# Elements that are counted.
_COUNTED = ("article", "section", "time", "img", "form", "button", "pre", "code", "table", "iframe",
            "select", "video", "dl", "input")  # fmt: skip
# Their names are those of the whole page.
_OUTERMOST = ("html", "body", "main")
# Only types are read of JSON-LD; a pattern finds them in broken JSON too. The counts are features
# of the learned weights: those of parsed objects, which may have several types, would be others.
_TYPE = compiled_later(r'"@type"\s*+:\s*+(?:\[\s*+)?"([A-Za-z:/.]{2,60})"')
_THREADS = frozenset(("discussionforumposting", "qapage"))
_SCRIPT_CHARS = 200_000
_NAME_CHARS = 2_000
# A block of so many characters, few of them hyperlinks, is running text.
_PROSE = 80
# A letter of a dense script counts double.
_DENSE_WORTH = 2
_LINKED = 0.3
_LINKS = 0.8
_FEW_LINKS = 12
_MOST_LINKED = 0.5
_GAP = 4
_RANKS = ("h1", "h2", "h3", "h4")
_HEADINGS = frozenset(_RANKS)
# Marks that end a sentence before a space, a quotation mark or a bracket; ideographic and fullwidth
# marks, which end one anywhere; and what closes a sentence besides a space.
_ENDS, _FULL_ENDS, _AFTER_ENDS = (
    ".!?\u2026\u0964\u061f",
    "\u3002\uff01\uff1f",
    "\"')\u201d\u2019\u00bb",
)
# A sum of money: its sign before the figure, or its unit behind. Each is looked for by itself: most
# pages hold none, and a pattern that begins with one character is found fast.
_PRICES = (
    *((sign, compiled_later(rf"{re.escape(sign)}\s?\d")) for sign in "$€£¥₩₹"),
    *(
        (unit, compiled_later(rf"{unit}(?:(?<=\d{unit})|(?<=\d\s{unit}))(?!(?<=kr)\w)"))
        for unit in ("€", "zł", "\u0440\u0443\u0431", "kr", "원", "円")
    ),
)
_ASKED = ("?", "\uff1f", "\u061f")
_BESIDE = frozenset(("next", "prev"))
_KINDS_OF_GRAPH = ("article", "website", "product", "profile", "blog", "video.other")
_BETWEEN_PARTS = compiled_later(r"\s[|·•»«:\u2013\u2014-]+\s|\s?\|\s?")
_TITLE_CHARS = 300
# Whole words; a pattern that begins with its letters is the fastest.
_TIME = compiled_later(r"time(?!\S)(?<!\Stime)")
_BUTTON = compiled_later(r"button(?!\S)(?<!\Sbutton)")


class Markup:
    """Facts about the elements of a page besides its text.

    Attributes:
        metas: content of each ``meta`` by its name, in lower case, the first of a name alone; at
            most 2,000 characters.
        counts: how many elements of some names there are.
        types: how often JSON-LD speaks of things of each group of types.
        is_thread: whether it speaks of a thread of a forum, or of a question with its answers.
        passwords: fields for passwords.
        has_next: whether a ``link`` leads to the next page of a list or to the one before.
        classes: what names the whole page, in lower case: its software, and names of its outermost
            elements; at most 2,000 characters.
    """

    def __init__(self, parsed: ParsedPage) -> None:
        self.metas: dict[str, str] = {}
        for meta in parsed.named["meta"]:
            name = (meta.get("property") or meta.get("name") or "").lower()
            if name and name not in self.metas:
                self.metas[name] = (meta.get("content") or "")[:_NAME_CHARS]
        groups = page_words().types
        types = [
            found.rpartition("/")[2].lower()
            for script in parsed.linked_data()
            for found in _TYPE.findall(script[:_SCRIPT_CHARS])
        ]
        self.types = Counter(groups.get(found, "other") for found in types)
        self.is_thread = not _THREADS.isdisjoint(types)
        page = parsed.elements
        self.counts = {tag: len(page.numbers.get(tag, ())) for tag in _COUNTED}
        fields = page.called(("input",))
        self.passwords = sum(each.get("type", "").lower() == "password" for each in fields)
        names = [self.metas.get("generator", "")]
        for number in page.numbers_of(_OUTERMOST):
            names += [page.values[name].get(number, "") for name in ("class", "id")]
        rels = page.values["rel"]
        self.has_next = not _BESIDE.isdisjoint(rels.values()) and any(
            rel in _BESIDE and page.tags[number] == "link" for number, rel in rels.items()
        )
        self.classes = " ".join(names).lower()[:_NAME_CHARS]


class PageEvidence:
    """The evidence of a page's kind.

    Attributes:
        address, markup: what its address and its elements tell.
        titles: the document's title, its parts, and its first headings, folded.
        prose: letters of running text; those of dense scripts count double.
        blocks: visible blocks.
        linked_headings: headings that are hyperlinks, as those of teasers.
        is_plain: whether there is little around its text: few hyperlinks, and short ones.
        declared: whether the page calls itself an article, by OpenGraph or by JSON-LD that names
            one alone.
        features: the row, by names.
    """

    def __init__(self, document: Document) -> None:
        self.markup = markup = Markup(document.parsed)
        graph = markup.metas.get("og:url")
        self.address = Address((document.page.url, document.canonical_url, graph))
        kind = markup.metas.get("og:type", "").lower()
        self.declared = kind == "article" or markup.types["article"] == 1
        blocks = document.blocks
        self.blocks = len(blocks)
        its = _Columns(blocks)
        prose = _prose(blocks, its)
        self.prose = sum(size for _, size in prose)
        headings = [
            (blocks[number], its.shares[number])
            for number, tag in enumerate(its.tags)
            if tag in _HEADINGS
        ]
        self.linked_headings = sum(share >= _LINKS for _, share in headings)
        firsts = [block.text for block, _ in headings if block.tag in ("h1", "h2")][:3]
        title = (document.title or "")[:_TITLE_CHARS]
        said = (title, *_BETWEEN_PARTS.split(title), *(each[:_TITLE_CHARS] for each in firsts))
        self.titles = tuple(dict.fromkeys(folded for text in said if (folded := fold(text))))
        links = sum([block.links for block in blocks])
        self.features = {
            **self.address.features(),
            **_declared(kind, markup),
            **_counted(markup.counts, headings),
            **_text(its, links, prose),
            **_named(nesting_of(document), blocks, prose),
            **_shop(its),
            "link: next": float(markup.has_next),
        }
        self.is_plain = links < _FEW_LINKS and self.features["text: link share"] < _MOST_LINKED


class _Columns:
    """What blocks have, one entry a block.

    Attributes:
        texts, tags, chars, links: as :class:`~crawler.core.page.blocks.Block` has them; the links
            are characters.
        shares: how much of each is hyperlinks.
        joined: the texts, with ``APART`` behind each.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.texts = [block.text for block in blocks]
        self.tags = [block.tag for block in blocks]
        self.chars = [block.chars for block in blocks]
        self.links = [block.link_chars for block in blocks]
        pairs = zip(self.links, self.chars, strict=True)
        self.shares = [linked / chars if chars else 0.0 for linked, chars in pairs]
        self.joined = APART.join([*self.texts, ""])


def _prose(blocks: Sequence[Block], its: _Columns) -> list[tuple[Block, int]]:
    """Return the blocks of running text, each with its size in letters."""
    return [
        (blocks[number], size)
        for number, chars in enumerate(its.chars)
        # A letter counts double at most, so shorter blocks need no measuring.
        if chars * _DENSE_WORTH >= _PROSE
        and its.shares[number] < _LINKED
        and (size := _letters(blocks[number])) >= _PROSE
    ]


def _letters(block: Block) -> int:
    dense = 0 if block.text.isascii() else len(DENSE.findall(foreign(block.text)))
    return block.chars + dense * (_DENSE_WORTH - 1)


def _declared(kind: str, markup: Markup) -> dict[str, float]:
    dated = ("article:published_time", "article:modified_time", "date", "datepublished")
    words = page_words()
    software = _stems("software").masks([markup.classes])[0]
    return {
        **{f"graph: {name}": float(kind == name) for name in _KINDS_OF_GRAPH},
        "graph: none": float(not kind),
        "meta: dated": float(any(name in markup.metas for name in dated)),
        "meta: author": float("author" in markup.metas or "article:author" in markup.metas),
        **{
            f"types: {group}": float(min(markup.types[group], 20))
            for group in dict.fromkeys((*words.types.values(), "other"))
        },
        **{
            f"software: {group}": float(software >> place & 1)
            for place, group in enumerate(words.groups["software"])
        },
    }


def _counted(
    counts: Mapping[str, int], headings: Sequence[tuple[Block, float]]
) -> dict[str, float]:
    found = {f"count: <{tag}>": math.log1p(counts[tag]) for tag in _COUNTED}
    for tag in _RANKS:
        own = [share for block, share in headings if block.tag == tag]
        found[f"count: <{tag}>"] = math.log1p(len(own))
        found[f"linked: <{tag}>"] = math.log1p(sum(share >= _LINKS for share in own))
    return found


def _text(its: _Columns, links: int, prose: Sequence[tuple[Block, int]]) -> dict[str, float]:
    """Return the features of the text.

    Args:
        its: what the page's blocks have.
        links: how many hyperlinks begin in them.
        prose: those of running text.
    """
    sizes = sorted([size for _, size in prose])
    inside = sum(sizes)
    blocks, tags = len(its.texts), its.tags
    total = (sum(its.chars) or 1) + inside - sum([block.chars for block, _ in prose])
    linked = sum(its.links)
    run, first, last = _longest_run(prose)
    here = slice(first, last + 1)
    within = tags[here]
    ends = _count_ends("\n".join([*[block.text for block, _ in prose], ""]))
    asked = sum(map("".join([text[-1] for text in its.texts]).count, _ASKED))
    return {
        "text: blocks": math.log1p(blocks),
        "text: chars": math.log1p(total),
        "text: link share": linked / total,
        "text: links": math.log1p(links),
        "text: prose": math.log1p(inside),
        "text: prose blocks": math.log1p(len(prose)),
        "text: prose share": inside / max(total - linked, 1),
        "text: prose of all": inside / total,
        "text: median": math.log1p(sizes[len(sizes) // 2] if sizes else 0),
        "text: longest": math.log1p(sizes[-1] if sizes else 0),
        "text: ends": 100 * ends / max(inside, 1),
        "text: sentences": math.log1p(ends),
        "text: asked": math.log1p(asked),
        "text: items": tags.count("li") / max(blocks, 1),
        "run: chars": math.log1p(run),
        "run: of prose": run / max(inside, 1),
        "run: of page": run / total,
        "run: begins": first / max(blocks, 1),
        "run: ends": (blocks - last) / max(blocks, 1),
        "run: between": len(within)
        / max(sum([first <= block.index <= last for block, _ in prose]), 1),
        "run: links": math.log1p(sum([share >= _LINKS for share in its.shares[here]])),
        "run: headings": math.log1p(sum([within.count(tag) for tag in _RANKS])),
        "run: items": math.log1p(within.count("li")),
        "run: linked": sum(its.links[here]) / max(sum(its.chars[here]), 1),
    }


def _count_ends(text: str) -> int:
    """Count the ends of sentences in texts, a line break behind each."""
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    its = _signs().take(codes)
    return int(np.count_nonzero(its & 2)) + int(np.count_nonzero(its[:-1] & (its[1:] >> 2) & 1))


@cache
def _signs() -> NDArray[np.uint8]:
    """Return for each code unit, as bits, whether it is of the marks above, in their order."""
    signs = np.zeros(1 << 16, np.uint8)
    spaces = "".join(filter(str.isspace, map(chr, range(0x3001))))
    for bit, marks in enumerate((_ENDS, _FULL_ENDS, _AFTER_ENDS + spaces)):
        signs[list(map(ord, marks))] |= 1 << bit
    return signs


def _longest_run(prose: Sequence[tuple[Block, int]]) -> tuple[int, int, int]:
    """Return characters, first and last block of the most text with small gaps in it."""
    best = (0, 0, 0)
    run, first, last = 0, 0, 0
    for block, size in prose:
        if not run or block.index - last > _GAP:
            run, first = 0, block.index
        run, last = run + size, block.index
        best = max(best, (run, -first, last))
    return best[0], -best[1], best[2]


def _named(
    nesting: Nesting, blocks: Sequence[Block], prose: Sequence[tuple[Block, int]]
) -> dict[str, float]:
    """Return how many elements have names with each cue, and how many share one name."""
    masks = _stems("names").masks([names.lower() for names in nesting.names])
    cues = page_words().groups["names"]
    cued = np.array(masks, np.uint64)[:, None] >> np.arange(len(cues), dtype=np.uint64)
    times = np.bincount(nesting.name) @ (cued & np.uint64(1)).astype(np.intp)
    # The items of a list share their names and tag.
    has_name = np.array(list(map(bool, nesting.names)), np.bool_)[nesting.name]
    kinds = (nesting.name * len(nesting.tags) + nesting.tag)[has_name]
    most = max(Counter(kinds.tolist()).values(), default=0)
    found = {
        f"names: {cue}": math.log1p(count) for cue, count in zip(cues, times.tolist(), strict=True)
    }
    inner = " ".join([block.inner for block in blocks if block.inner]).lower()
    found["inner: time"] = math.log1p(len(_TIME.findall(inner)))
    found["inner: button"] = math.log1p(len(_BUTTON.findall(inner)))
    found["names: most"] = math.log1p(most)
    paragraphs = {block.holder for block, _ in prose if block.holder is not None}
    parents = Counter([holder.parent for holder in paragraphs])
    found["names: siblings"] = max(parents.values(), default=0) / max(len(paragraphs), 1)
    return found


@cache
def _stems(group: str) -> Stems:
    """Return the parts of names in a group of lists, each with the bits of its lists."""
    bits: dict[str, int] = {}
    for place, parts in enumerate(page_words().groups[group].values()):
        for part in parts:
            bits[part] = bits.get(part, 0) | 1 << place
    return Stems(bits)


def _shop(its: _Columns) -> dict[str, float]:
    joined = its.joined
    priced = {
        number
        for mark, pattern in _PRICES
        if mark[-1] in joined and mark in joined
        for number in texts_with(pattern, joined)
    }
    short = [
        text[:_TITLE_CHARS]
        for text, chars in zip(its.texts, its.chars, strict=True)
        if chars <= _PROSE
    ]
    # Of most texts small letters are all that is to be folded.
    others = [text for text in short if not text.isascii()]
    plain = APART.join(["", *filter(str.isascii, short), ""]).lower()
    labels = plain + unicodedata.normalize("NFKC", APART.join([*others, ""])).casefold()
    return {
        "shop: prices": math.log1p(len(priced)),
        "shop: buttons": float(len({fold(label) for label in _buttons().findall(labels)})),
    }


@cache
def _buttons() -> re.Pattern[str]:
    """Return the pattern of a page's texts that are labels of a shop's buttons, signs around."""
    sign = rf"(?:[^\w{APART}]|_)"
    words = sorted(page_words().texts["buy"])
    labels = "|".join(rf"{sign}++".join(map(re.escape, label.split())) for label in words)
    first = re.escape("".join({label[0] for label in words}))
    # One look at a letter dismisses most texts.
    labels = f"(?=[{first}])(?:{labels})"
    return re.compile(rf"{APART}{sign}*+({labels}){sign}*+(?={APART})")
