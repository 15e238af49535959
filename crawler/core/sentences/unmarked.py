"""Sentences that end without a mark, within what the marks have left whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.sentences.data import Sentence, sentences_between
from crawler.core.sentences.enclosures import outermost_enclosures

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
    for piece in pieces:
        cuts += [piece.start + cut for cut in _unenclosed(piece.text, ends_in(piece.text))]
        cuts.append(piece.end)
    return sentences_between(text, cuts)


def _unenclosed(piece: str, ends: Iterable[int]) -> Iterator[int]:
    pairs = iter(outermost_enclosures(piece))
    pair = next(pairs, None)
    for end in ends:
        while pair is not None and pair.closing < end:
            pair = next(pairs, None)
        if pair is None or end <= pair.opening:
            yield end
