"""The sentence of Lee (2009): text ended by a full stop, a question or an exclamation mark."""

from __future__ import annotations

import re

from crawler.core.sentences.data import Sentence

__all__ = ["PaperSplitter", "ended_sentences"]

# A run of marks ends one sentence: the mark counts where white space or the text's end follows.
_END = re.compile(r"[.?!](?=\s|\Z)")


def ended_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text node by the paper's rule, and nothing else.

    A sentence is text ended by ``.``, ``?`` or ``!`` where the mark is followed by a space, a line
    break or a tag; the end of ``text`` counts as a tag, so hand in what stands between two tags.
    What follows the last such mark is no sentence in the paper's sense, and is left out.
    """
    found: list[Sentence] = []
    start = 0
    for mark in _END.finditer(text):
        piece = text[start : mark.end()]
        body = piece.lstrip()
        found.append(Sentence(body, mark.end() - len(body), mark.end()))
        start = mark.end()
    return tuple(found)


class PaperSplitter:
    """The paper's rule as a splitter: what no mark ends is the last sentence."""

    name = "paper"

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the ended sentences and the rest, where there is one."""
        ended = ended_sentences(text)
        start = ended[-1].end if ended else 0
        rest = text[start:].strip()
        if not rest:
            return ended
        first = start + len(text[start:]) - len(text[start:].lstrip())
        return (*ended, Sentence(rest, first, first + len(rest)))
