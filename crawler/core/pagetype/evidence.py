"""The evidence of a page's kind, as one row of numbers.

It is of the page alone: what it is does not depend on the method that judges its text, nor on how
many pages of its site have been seen.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.pagetype.address import Address
from crawler.core.pagetype.words import fold, page_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree

    from crawler.core.blocks import Block, Holder
    from crawler.core.document import Document

__all__ = ["PageEvidence"]

_PROSE = 80
"""A block of so many characters, few of them hyperlinks, is running text."""
# Letters of scripts that write with one or two what others write with four: they count double.
_DENSE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LINKED = 0.3
_LINKS = 0.8
_FEW_LINKS = 12
_MOST_LINKED = 0.5
_GAP = 4
_HEADINGS = ("h1", "h2", "h3", "h4")
_COUNTED = ("article", "section", "time", "img", "form", "button", "pre", "code", "table", "iframe",
            "select", "video", "dl", "input")  # fmt: skip
# Ideographic and fullwidth marks end a sentence wherever they stand.
_ENDS = re.compile(r"[.!?\u2026\u0964\u061f](?=[\s\"')\u201d\u2019\u00bb]|$)|[\u3002\uff01\uff1f]")
_PRICE = re.compile(r"[$€£¥₩₹]\s?\d|\d\s?(?:€|zł|\u0440\u0443\u0431|kr\b|원|円)")
_ASKED = ("?", "\uff1f", "\u061f")
_TYPE = re.compile(r'"@type"\s*+:\s*+(?:\[\s*+)?"([A-Za-z:/.]{2,60})"')
_TYPES: Mapping[str, tuple[str, ...]] = {
    "article": ("article", "newsarticle", "blogposting", "reportagenewsarticle", "recipe",
                "analysisnewsarticle", "opinionnewsarticle", "liveblogposting", "review"),
    "product": ("product", "productgroup", "offer", "aggregateoffer", "book", "individualproduct"),
    "list": ("collectionpage", "itemlist", "blog", "searchresultspage"),
    "talk": ("qapage", "discussionforumposting", "question", "answer", "comment"),
    "manual": ("techarticle", "howto", "apireference"),
    "business": ("service", "localbusiness", "softwareapplication", "webapplication",
                 "professionalservice", "faqpage", "contactpage", "aboutpage"),
}  # fmt: skip
_KINDS_OF_GRAPH = ("article", "website", "product", "profile", "blog", "video.other")
_BETWEEN_PARTS = re.compile(r"\s[|·•»«:\u2013\u2014-]+\s|\s?\|\s?")
_SCRIPT_CHARS = 200_000
_NAME_CHARS = 2_000
_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What is known of a page's kind.

    ``address``
        Its address.
    ``titles``
        The document's title and its first headings, folded, the site's name taken off.
    ``prose``
        Letters of running text; those of scripts that write with few count double.
    ``blocks``
        Visible blocks.
    ``linked_headings``, ``articles``
        Headings that are hyperlinks, and ``article`` elements: those of teasers.
    ``is_plain``
        Whether it has too little around its text to be told by: few hyperlinks, and short ones.
    ``passwords``
        Fields for passwords.
    ``declared``
        Whether the page calls itself an article, by OpenGraph or by JSON-LD that names one alone.
    ``classes``
        What its author calls the whole of it, in lower case.
    ``features``
        The row, by names.
    """

    address: Address
    titles: tuple[str, ...]
    prose: int
    blocks: int
    linked_headings: int
    articles: int
    is_plain: bool
    passwords: int
    declared: bool
    classes: str
    features: dict[str, float]

    @classmethod
    def of(cls, document: Document) -> PageEvidence:
        """Gather the evidence of a page."""
        roots = document.parsed.roots
        metas = _metas(roots)
        url = document.page.url
        address = Address.of((url, document.canonical_url, metas.get("og:url")))
        counts = Counter(str(element.tag) for root in roots for element in root.iter(*_COUNTED))
        passwords = sum(
            element.get("type", "").lower() == "password"
            for root in roots
            for element in root.iter("input")
        )
        types = _types(roots)
        classes = _classes(roots, metas)
        kind = metas.get("og:type", "").lower()
        blocks = document.blocks
        prose = _prose(blocks)
        features = {
            **address.features(),
            **_declared(kind, metas, types, classes),
            **_counted(counts, blocks),
            **_text(blocks, prose),
            **_named(blocks, prose),
            **_shop(roots, blocks),
        }
        return cls(
            address=address,
            titles=_titles(document),
            prose=sum(size for _, size in prose),
            blocks=len(blocks),
            linked_headings=sum(
                block.tag in _HEADINGS and block.link_share >= _LINKS for block in blocks
            ),
            articles=counts["article"],
            is_plain=sum(block.links for block in blocks) < _FEW_LINKS
            and features["text: link share"] < _MOST_LINKED,
            passwords=passwords,
            declared=kind == "article" or types["article"] == 1,
            classes=classes,
            features=features,
        )


def _prose(blocks: Sequence[Block]) -> list[tuple[Block, int]]:
    """Return the blocks of running text, each with its size in letters."""
    return [
        (block, size)
        for block in blocks
        if block.link_share < _LINKED and (size := _size(block)) >= _PROSE
    ]


def _size(block: Block) -> int:
    dense = 0 if block.text.isascii() else len(_DENSE.findall(block.text))
    return block.chars + dense


def _metas(roots: Sequence[etree._Element]) -> dict[str, str]:
    found: dict[str, str] = {}
    for root in roots:
        for element in root.iter("meta"):
            name = (element.get("property") or element.get("name") or "").lower()
            if name and name not in found:
                found[name] = (element.get("content") or "")[:_NAME_CHARS]
    return found


def _types(roots: Sequence[etree._Element]) -> Counter[str]:
    """Count the kinds of things that JSON-LD and microdata speak of."""
    by_name = {name: kind for kind, names in _TYPES.items() for name in names}
    found: Counter[str] = Counter()
    for root in roots:
        for script in root.iter("script"):
            if "ld+json" in (script.get("type") or "").lower():
                for match in _TYPE.finditer((script.text or "")[:_SCRIPT_CHARS]):
                    name = match[1].rpartition("/")[2].lower()
                    found[by_name.get(name, "other")] += 1
    return found


def _classes(roots: Sequence[etree._Element], metas: Mapping[str, str]) -> str:
    """Return what names the whole page: its software, and names of its outermost elements."""
    names = [metas.get("generator", "")]
    for root in roots:
        for element in root.iter("html", "body", "main"):
            names += [element.get("class") or "", element.get("id") or ""]
    return " ".join(names).lower()[:_NAME_CHARS]


def _declared(
    kind: str, metas: Mapping[str, str], types: Counter[str], classes: str
) -> dict[str, float]:
    found = {f"graph: {name}": float(kind == name) for name in _KINDS_OF_GRAPH}
    found["graph: none"] = float(not kind)
    dated = ("article:published_time", "article:modified_time", "date", "datepublished")
    found["meta: dated"] = float(any(name in metas for name in dated))
    found["meta: author"] = float(any(name in metas for name in ("author", "article:author")))
    for name in (*_TYPES, "other"):
        found[f"types: {name}"] = float(min(types[name], 20))
    for name, parts in page_words().software.items():
        found[f"software: {name}"] = float(any(part in classes for part in parts))
    return found


def _counted(counts: Counter[str], blocks: Sequence[Block]) -> dict[str, float]:
    found = {f"count: <{tag}>": math.log1p(counts[tag]) for tag in _COUNTED}
    for tag in _HEADINGS:
        own = [block for block in blocks if block.tag == tag]
        found[f"count: <{tag}>"] = math.log1p(len(own))
        found[f"linked: <{tag}>"] = math.log1p(sum(block.link_share >= _LINKS for block in own))
    return found


def _text(blocks: Sequence[Block], prose: Sequence[tuple[Block, int]]) -> dict[str, float]:
    sizes = sorted(size for _, size in prose)
    inside = sum(sizes)
    total = (sum(block.chars for block in blocks) or 1) + inside - sum(b.chars for b, _ in prose)
    linked = sum(block.link_chars for block in blocks)
    run, first, last = _longest_run(prose)
    within = blocks[first : last + 1]
    ends = sum(len(_ENDS.findall(block.text)) for block, _ in prose)
    asked = sum(block.text.rstrip().endswith(_ASKED) for block in blocks)
    return {
        "text: blocks": math.log1p(len(blocks)),
        "text: chars": math.log1p(total),
        "text: link share": linked / total,
        "text: links": math.log1p(sum(block.links for block in blocks)),
        "text: prose": math.log1p(inside),
        "text: prose blocks": math.log1p(len(prose)),
        "text: prose share": inside / max(total - linked, 1),
        "text: prose of all": inside / total,
        "text: median": math.log1p(sizes[len(sizes) // 2] if sizes else 0),
        "text: longest": math.log1p(sizes[-1] if sizes else 0),
        "text: ends": 100 * ends / max(inside, 1),
        "text: sentences": math.log1p(ends),
        "text: asked": math.log1p(asked),
        "text: items": sum(block.tag == "li" for block in blocks) / max(len(blocks), 1),
        "run: chars": math.log1p(run),
        "run: of prose": run / max(inside, 1),
        "run: of page": run / total,
        "run: begins": first / max(len(blocks), 1),
        "run: ends": (len(blocks) - last) / max(len(blocks), 1),
        "run: between": len(within)
        / max(sum(first <= block.index <= last for block, _ in prose), 1),
        "run: links": math.log1p(sum(block.link_share >= _LINKS for block in within)),
        "run: headings": math.log1p(sum(block.tag in _HEADINGS for block in within)),
        "run: items": math.log1p(sum(block.tag == "li" for block in within)),
        "run: linked": sum(block.link_chars for block in within)
        / max(sum(block.chars for block in within), 1),
    }


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


def _named(blocks: Sequence[Block], prose: Sequence[tuple[Block, int]]) -> dict[str, float]:
    """Tell how many elements with text have names that speak of something."""
    cues = page_words().names
    holders = set(_holders(blocks))
    names = Counter(holder.names.lower() for holder in holders if holder.names)
    found = {
        f"names: {cue}": math.log1p(
            sum(count for name, count in names.items() if any(part in name for part in parts))
        )
        for cue, parts in cues.items()
    }
    inner = Counter(part for block in blocks for part in block.inner.lower().split())
    found["inner: time"] = math.log1p(inner["time"])
    found["inner: button"] = math.log1p(inner["button"])
    # A list says the same of all it lists.
    ours = Counter((holder.tag, holder.names) for holder in holders if holder.names)
    found["names: most"] = math.log1p(max(ours.values(), default=0))
    paragraphs = {block.holder for block, _ in prose if block.holder is not None}
    parents = Counter(holder.parent for holder in paragraphs)
    found["names: siblings"] = max(parents.values(), default=0) / max(len(paragraphs), 1)
    return found


def _holders(blocks: Sequence[Block]) -> Iterator[Holder]:
    seen: set[Holder] = set()
    for block in blocks:
        holder = block.holder
        while holder is not None and holder not in seen:
            seen.add(holder)
            yield holder
            holder = holder.parent


def _shop(roots: Sequence[etree._Element], blocks: Sequence[Block]) -> dict[str, float]:
    buy = page_words().buy
    labels = {fold(block.text[:_TITLE_CHARS]) for block in blocks if block.chars <= _PROSE}
    return {
        "shop: prices": math.log1p(sum(bool(_PRICE.search(block.text)) for block in blocks)),
        "shop: buttons": float(len(labels & buy)),
        "link: next": float(
            any((link.get("rel") or "") in ("next", "prev") for root in roots
                for link in root.iter("link"))
        ),
    }  # fmt: skip


def _titles(document: Document) -> tuple[str, ...]:
    """Return the title, its parts, and the first headings of the page, folded."""
    headings = [block.text for block in document.blocks if block.tag in ("h1", "h2")][:3]
    title = (document.title or "")[:_TITLE_CHARS]
    parts = _BETWEEN_PARTS.split(title)
    texts = (title, *parts, *(text[:_TITLE_CHARS] for text in headings))
    return tuple(dict.fromkeys(folded for text in texts if (folded := fold(text))))
