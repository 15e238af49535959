"""Lists of teasers with bodies behind an article: headlines that are links, each with some text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.layout import Layout
from crawler.core.methods.article.teasers import PROSE, Links
from crawler.core.page.blocks import Block
from crawler.core.page.elements import HEADINGS

# A line is a link where it has so many characters in hyperlinks, and so many times those outside.
_LINK, _LINKED = 12, 4
# So much text follows the headline of a teaser, and no more prose than that.
_TEXT, _MOST_PROSE = 20, 600
# A list has so many teasers, or so many where their headlines are no headings, and so few other
# elements among them.
_TEASERS, _UNHEADED, _SHARE = 3, 8, 0.75
# So many paragraphs of the article stand before it: on lists of articles none does, or one.
_PARAGRAPHS = 2
# Lists of an article ("ten best") are likelier for the judge than this at the mean.
_SURE = 0.8
_LEADING = 0.5
_DIGITS = re.compile(r"\d+")


def teaser_lists(
    blocks: Sequence[Block],
    found: Evidence,
    kept: NDArray[np.bool_],
    likely: NDArray[np.float64],
    links: Links,
) -> NDArray[np.bool_]:
    """Return for each block whether it is in a list of teasers behind the article.

    A list is at least three elements beside each other with the same tag and first name, nearly all
    of them teasers: a line that is a link, and behind it text of the length of a teaser. It begins
    behind two paragraphs that are in no such list, does not hold the page's headline, and the judge
    is not sure that it is main text. Its headlines are headings that do not lead to other sites, or
    at least eight lines that lead to other pages.

    Args:
        blocks: the page's blocks.
        found: their evidence.
        kept: whether each is kept so far.
        likely: how likely each is main text, 0 to 1.
        links: the hyperlinks of the page.
    """
    listed = np.zeros(len(blocks), np.bool_)
    layout, linked = found.layout, found.chars - found.own
    lines = (linked >= _LINK) & (linked >= _LINKED * found.own)
    alone = kept & (found.own >= PROSE)
    alone[: found.headline + 1] = False
    article = np.flatnonzero(alone)
    # Each teaser has a line of its own.
    if len(article) < _PARAGRAPHS or lines[article[_PARAGRAPHS - 1] :].sum() < _TEASERS:
        return listed
    teasers = _are_teasers(found, lines)
    behind = teasers & (layout.begin > article[_PARAGRAPHS - 1])
    if np.bincount(layout.parent[behind], minlength=1).max() < _TEASERS:
        return listed
    lists = list(_lists(layout, teasers))
    insides = [_within(layout, items, len(blocks)) for items in lists]
    for inside in insides:
        alone &= ~inside
    article = np.flatnonzero(alone)
    for items, inside in zip(lists, insides, strict=True):
        judged = likely[inside & kept]
        if (
            len(article) >= _PARAGRAPHS
            and article[_PARAGRAPHS - 1] < layout.begin[items[0]]
            and not inside[found.headline]
            and len(judged)
            and judged.mean() < _SURE
            and _lead_away([_title(layout, item, blocks, lines) for item in items], links)
        ):
            listed |= inside
    return listed


def _within(layout: Layout, items: Sequence[int], count: int) -> NDArray[np.bool_]:
    inside = np.zeros(count, np.bool_)
    for item in items:
        inside[layout.begin[item] : layout.end[item]] = True
    return inside


def _title(
    layout: Layout, item: int, blocks: Sequence[Block], lines: NDArray[np.bool_]
) -> Block | None:
    """Return the headline of a teaser: the first heading that is a link, or the first link."""
    places = [int(it) for it in range(layout.begin[item], layout.end[item]) if lines[it]]
    headings = [it for it in places if blocks[it].tag in HEADINGS]
    return blocks[(headings or places)[0]] if places else None


def _lead_away(titles: Sequence[Block | None], links: Links) -> bool:
    """Tell whether the headlines of a list are those of other pages of the site."""
    known = [title for title in titles if title is not None]
    headings = sum(title.tag in HEADINGS for title in known)
    if headings >= _SHARE * len(titles):
        return sum(links.leads_out(title.text) for title in known) < _LEADING * len(titles)
    leading = sum(links.leads_away(title.text) for title in known)
    return len(titles) >= _UNHEADED and leading >= _LEADING * len(titles)


def _next(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each place, and the end, the first one from there on that a mask has."""
    count = len(mask)
    places = np.where(mask, np.arange(count), count)
    return np.append(np.minimum.accumulate(places[::-1])[::-1], count)


def _are_teasers(found: Evidence, lines: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each element whether it is a line that is a link, and some text behind it."""
    begin, end = found.layout.begin, found.layout.end
    prose = np.concatenate(([0.0], np.cumsum(np.where(found.own >= PROSE, found.own, 0.0))))
    line = _next(lines)[begin]
    text = _next((found.own >= _TEXT) & ~lines)[begin]
    teasers: NDArray[np.bool_] = (
        (line < text) & (text < end) & (prose[end] - prose[begin] <= _MOST_PROSE)
    )
    return teasers


def _lists(layout: Layout, teasers: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Go through the lists: elements beside each other with one tag and first name."""
    around, count = np.unique(layout.parent[teasers], return_counts=True)
    for parent in around[count >= _TEASERS].tolist():
        kinds: dict[tuple[str, str], list[int]] = {}
        for element in np.flatnonzero(layout.parent == parent).tolist():
            holder = layout.holders[element]
            name = _DIGITS.sub("", holder.names.lstrip().partition(" ")[0])
            if element != parent:
                kinds.setdefault((holder.tag, name), []).append(element)
        for items in kinds.values():
            if np.count_nonzero(teasers[items]) >= max(_TEASERS, _SHARE * len(items)):
                yield items
