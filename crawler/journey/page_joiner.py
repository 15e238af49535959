"""Articles cut into several pages: their items wait for each other and become one.

Which pages are parts of which article is known when all pages have been seen
(:class:`crawler.core.pagination.PartLinks`), before the first item is made. So it does not matter
in which order the items come, and only those of articles that are not complete yet wait.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from crawler.core.markdown import markdown
from crawler.core.page.addresses import canonical_address
from crawler.core.pagetype import ARTICLE
from crawler.core.pagination import repeated_blocks, same_headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crawler.core.flow import Annotation
    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Page
    from crawler.core.pagetype import PageType
    from crawler.core.pagination import PartLinks
    from crawler.items import PageItem

__all__ = ["Part", "WaitingParts", "join", "joinable"]

_SURE = 0.75
"""How likely an article the first part has to be, since lists and threads have next pages as well.
Of 2,000 pages of the web 45 name one: lists among them are articles with .68 at most, articles with
.84 at least."""

_REPEATED = "repeated"
"""Why a block of a part is left out that another part has said already."""

_DIGITS = 3
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Part:
    """A page that may be a part of an article; its tree is let go.

    ``item``
        The item of the page by itself.
    ``type``
        What kind of page it is.
    ``kept``
        Its blocks of main text, in order.
    ``length``
        How many blocks it has: the numbers of its blocks are smaller.
    ``headlines``
        What may be its headline.
    """

    item: PageItem
    type: PageType
    kept: tuple[Block, ...]
    length: int
    headlines: tuple[str | None, ...]

    @classmethod
    def of(cls, item: PageItem, kind: PageType, annotation: Annotation) -> Self:
        """Make a part of a judged page and its item."""
        return cls(
            item=item,
            type=kind,
            kept=tuple(block for block, label in annotation.pairs() if label.kept),
            length=1 + max((block.index for block in annotation.blocks), default=-1),
            headlines=(item.title, annotation.document.title),
        )

    @property
    def stands_for(self) -> str:
        """The address that stands for the page among its near-duplicates."""
        return self.item.near_duplicate_of or self.item.url


class _Chain:
    """The parts of one article, as far as they have come."""

    def __init__(self, length: int) -> None:
        self.parts: dict[int, Part | None] = {}
        self.length = length

    def take(self) -> list[Part | None]:
        """Return all parts in order, None for those that gave nothing, and let go of them."""
        parts = [self.parts.get(number) for number in range(self.length)]
        self.parts = {}
        return parts


class WaitingParts:
    """The parts of articles that are not complete yet.

    Args:
        links: by site, which of its pages go on in which.
    """

    def __init__(self, links: Mapping[str, PartLinks]) -> None:
        self._places: dict[tuple[str, str], tuple[_Chain, int]] = {}
        for site, of_site in links.items():
            for addresses in of_site.chains():
                waiting = _Chain(len(addresses))
                for number, address in enumerate(addresses):
                    self._places[site, address] = waiting, number

    def awaits(self, page: Page) -> bool:
        """Tell whether a page is a part of an article that has not come yet."""
        return (page.site_name, canonical_address(page.url)) in self._places

    def add(self, page: Page, part: Part | None) -> list[Part | None]:
        """Take a page that is awaited, None where nothing could be made of it.

        Returns:
            All parts of the article in order if this was the last that was missing, else nothing.
        """
        waiting, number = self._places.pop((page.site_name, canonical_address(page.url)))
        waiting.parts[number] = part
        return waiting.take() if len(waiting.parts) == waiting.length else []

    def rest(self) -> Iterator[list[Part | None]]:
        """Return the articles of which parts have not come, None for these."""
        for waiting, _ in self._places.values():
            if waiting.parts:
                yield waiting.take()
        self._places.clear()


def joinable(parts: Sequence[Part | None]) -> int:
    """Return how many of some parts, from the first on, are parts of one article.

    The first has to be an article without doubt. The others have to be there, may be articles, have
    the first part's language and headline, as far as they tell them, and repeat no other part.
    """
    first = parts[0]
    if first is None or first.type.kind != ARTICLE or first.type.article < _SURE:
        return 0
    seen: set[str] = set()
    for number, part in enumerate(parts):
        if part is None or part.stands_for in seen or not _goes_on(first, part):
            return number
        seen.add(part.stands_for)
    return len(parts)


def _goes_on(first: Part, part: Part) -> bool:
    ours, theirs = _language(first.item), _language(part.item)
    return (
        part.type.is_among({ARTICLE})
        and (not ours or not theirs or ours == theirs)
        and same_headline(first.headlines, part.headlines)
    )


def _language(item: PageItem) -> str:
    return (item.language or "").partition("-")[0].lower()


def join(parts: Sequence[Part]) -> PageItem:
    """Return one item of the parts of an article.

    What the page says of itself is the first part's, ``modified`` the latest. Texts, sentences,
    tables and blocks are those of all parts in order, numbered through, without what the parts
    repeat (:func:`crawler.core.pagination.repeated_blocks`).
    """
    first = parts[0].item
    left_out = repeated_blocks([[b.text for b in part.kept] for part in parts], first.title)
    remaining = [
        block
        for part, out in zip(parts, left_out, strict=True)
        for place, block in enumerate(part.kept)
        if place not in out
    ]
    repeated = [
        {part.kept[place].index for place in out} for part, out in zip(parts, left_out, strict=True)
    ]
    items = [part.item for part in parts]
    lengths = [part.length for part in parts]
    latest = max(items, key=lambda item: _moment(item.modified))
    dropped = sum(map(len, repeated))
    return replace(
        first,
        parts=[item.url for item in items],
        modified=latest.modified,
        robots=sorted({wish for item in items for wish in item.robots}),
        text="\n".join(block.text for block in remaining),
        confidence=_confidence(items),
        markdown=None if first.markdown is None else markdown(remaining),
        comments=_comments(items),
        blocks_kept=sum(item.blocks_kept for item in items) - dropped,
        blocks_dropped=sum(item.blocks_dropped for item in items) + dropped,
        sentences=_sentences(items, lengths, repeated),
        tables=_tables(items),
        blocks=_blocks(items, lengths, repeated),
        metadata_sources=_sources(first, latest),
    )


def _moment(text: str | None) -> datetime:
    """Return the time of a date as items have it, the first of what it leaves open."""
    if text is None:
        return _NEVER
    for whole in (text, f"{text}-01", f"{text}-01-01"):
        try:
            moment = datetime.fromisoformat(whole)
            zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return zoned.astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return _NEVER


def _confidence(items: Sequence[PageItem]) -> float | None:
    """Return the mean over the parts that have any, by the length of their texts."""
    told = [(item.confidence, len(item.text)) for item in items if item.confidence is not None]
    total = sum(length for _, length in told)
    if not told or not total:
        return items[0].confidence
    return round(sum(share * length for share, length in told) / total, _DIGITS)


def _comments(items: Sequence[PageItem]) -> str | None:
    """Return the comments of all parts; sites show the same ones below each."""
    if items[0].comments is None:
        return None
    lines: list[str] = []
    for item in items:
        known = frozenset(lines)
        lines += [line for line in (item.comments or "").split("\n") if line and line not in known]
    return "\n".join(lines)


def _sentences(
    items: Sequence[PageItem], lengths: Sequence[int], repeated: Sequence[set[int]]
) -> list[dict[str, Any]] | None:
    if items[0].sentences is None:
        return None
    return [
        {**sentence, "block": sentence["block"] + before}
        for item, before, out in _placed(items, lengths, repeated)
        for sentence in item.sentences or ()
        if sentence["block"] not in out
    ]


def _blocks(
    items: Sequence[PageItem], lengths: Sequence[int], repeated: Sequence[set[int]]
) -> list[dict[str, Any]] | None:
    if items[0].blocks is None:
        return None
    return [
        {
            **block,
            "index": block["index"] + before,
            **({"kept": False, "reason": _REPEATED} if block["index"] in out else {}),
        }
        for item, before, out in _placed(items, lengths, repeated)
        for block in item.blocks or ()
    ]


def _placed(
    items: Sequence[PageItem], lengths: Sequence[int], repeated: Sequence[set[int]]
) -> Iterable[tuple[PageItem, int, set[int]]]:
    """Give each part's item, how many blocks stand before it, and which of its own it repeats."""
    before = 0
    for item, length, out in zip(items, lengths, repeated, strict=True):
        yield item, before, out
        before += length


def _tables(items: Sequence[PageItem]) -> list[dict[str, Any]] | None:
    if items[0].tables is None:
        return None
    tables: list[dict[str, Any]] = []
    before = 0
    for item in items:
        own = [{**table, "number": table["number"] + before} for table in item.tables or ()]
        tables += own
        before = own[-1]["number"] + 1 if own else before
    return tables


def _sources(first: PageItem, latest: PageItem) -> dict[str, str] | None:
    if first.metadata_sources is None:
        return None
    told = {
        name: source for name, source in (latest.metadata_sources or {}).items()
        if name == "modified"
    }  # fmt: skip
    return {**first.metadata_sources, **told}
