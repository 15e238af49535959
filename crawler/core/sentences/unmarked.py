"""Sentences that end without a mark, within what the marks have left whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.sentences.data import Sentence, sentences_between
from crawler.core.sentences.enclosures import Enclosure, outermost_enclosures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["split_pieces"]


def split_pieces(
    text: str,
    pieces: Iterable[Sentence],
    ends_in: Callable[[str], Iterable[int]],
) -> tuple[Sentence, ...]:
    """Cut each of the sentences of ``text`` where one within it ends without a mark.

    Args:
        text: the whole text.
        pieces: its sentences by their marks.
        ends_in: names, ascending, the offsets within a piece at which a sentence ends; those within
            quotation marks or brackets are passed over.
    """
    cuts: list[int] = []
    whole = tuple(pieces)
    for piece in whole:
        cuts += [piece.start + cut for cut in _unenclosed(piece.text, ends_in(piece.text))]
        cuts.append(piece.end)
    return sentences_between(text, cuts) if len(cuts) > len(whole) else whole


def _unenclosed(piece: str, ends: Iterable[int]) -> Iterator[int]:
    pairs: Iterator[Enclosure] | None = None
    pair: Enclosure | None = None
    for end in ends:
        if pairs is None:  # most pieces end nowhere but at their end
            pairs = iter(outermost_enclosures(piece))
            pair = next(pairs, None)
        while pair is not None and pair.closing < end:
            pair = next(pairs, None)
        if pair is None or end <= pair.opening:
            yield end
