"""What each part of an article repeats: headline and byline above, notes and pagers below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.pagination.words import pager_words
from crawler.core.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Headline, byline, date, summary and the like: what is further down is text.
_LEAD = 12
# A shorter headline is in others by chance.
_TELLING_CHARS = 8
_HEADLINE_CHARS = 500
_PAGER_CHARS = 60


def same_headline(first: Iterable[str | None], other: Iterable[str | None]) -> bool:
    """Tell whether two parts may have one headline.

    Page numbers aside, a headline of one equals one of the other or is in it, as where a part's
    own heading is beside that of the whole. Parts without any headline do not disagree.

    Args:
        first: what may be the headline of the first part.
        other: what may be that of another.
    """
    ours = {folded for text in first if text and (folded := _headline(text))}
    theirs = {folded for text in other if text and (folded := _headline(text))}
    if not ours or not theirs or ours & theirs:
        return True
    return any(len(one) >= _TELLING_CHARS and one in each for one in ours for each in theirs)


def _headline(text: str) -> str:
    return fold(pager_words().mark.sub(" ", text[:_HEADLINE_CHARS])).replace(" ", "")


def repeated_blocks(parts: Sequence[Sequence[str]], headline: str | None) -> list[frozenset[int]]:
    """Return which blocks of the parts of an article repeat what is said once in the whole.

    At the beginning of every part but the first these are blocks that are at the beginning of the
    first too, and the headline. At the end they are blocks that are there in the part after it
    too: they are kept in the last part. At both ends they are pagers ("Page 2 of 3").

    Args:
        parts: the texts of each part's kept blocks, in order.
        headline: the headline of the whole; None if there is none.

    Returns:
        For each part, which of its texts to leave out, counted from 0.
    """
    folded = [[fold(text) for text in texts] for texts in parts]
    pagers = [[_is_pager(text) for text in texts] for texts in folded]
    starts = [_first(marks) for marks in pagers]
    ends = [len(marks) - _first(marks[::-1]) for marks in pagers]
    said = set(folded[0][starts[0] : starts[0] + _LEAD])
    title = _headline(headline) if headline else ""
    for number in range(1, len(parts)):
        while starts[number] < ends[number] and (
            pagers[number][starts[number]]
            or folded[number][starts[number]] in said
            or (title and _headline(parts[number][starts[number]]) == title)
        ):
            starts[number] += 1
    for number in range(len(parts) - 1):
        other = ends[number + 1]
        while (
            ends[number] > starts[number]
            and other > starts[number + 1]
            and folded[number][ends[number] - 1] == folded[number + 1][other - 1]
        ):
            ends[number] -= 1
            other -= 1
    return [
        frozenset((*range(min(start, len(texts))), *range(max(start, end), len(texts))))
        for texts, start, end in zip(folded, starts, ends, strict=True)
    ]


def _first(marks: Sequence[bool]) -> int:
    """Return how many marks are set before the first that is not."""
    return marks.index(False) if False in marks else len(marks)


def _is_pager(folded: str) -> bool:
    """Tell whether a block is a pager and nothing else: a lone number may be text."""
    words = pager_words()
    if len(folded) > _PAGER_CHARS:
        return False
    if folded in words.next_page:
        return True
    has_page = any(page in folded for page in words.pages)
    return has_page and words.numbered.fullmatch(folded) is not None
