"""What flows through sentence splitting: offsets go in, sentences come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Sentence", "Splitter", "sentences_between"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands: ``text == source[start:end]``, in code points.

    It neither begins nor ends with white space.
    """

    text: str
    start: int
    end: int


class Splitter(Protocol):
    """A way to tell where the sentences of a text end.

    A splitter is pure: the same text always gives the same sentences, and texts may be split in
    any order and in several threads.
    """

    @property
    def name(self) -> str:
        """The name under which reports mention the splitter."""

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences in order: no overlap, and no character left out but white space."""


def sentences_between(text: str, cuts: Iterable[int]) -> tuple[Sentence, ...]:
    """Cut ``text`` at ascending offsets; drop white space around the pieces, and empty pieces."""
    found: list[Sentence] = []
    start = 0
    for cut in (*cuts, len(text)):
        piece = text[start:cut]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            found.append(Sentence(body, first, first + len(body)))
        start = cut
    return tuple(found)
