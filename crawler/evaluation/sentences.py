"""The task ``sentences``: how many of a text's sentence boundaries are found, and how many besides.

A boundary is the number of characters before a sentence's end, white space not counted, so that
gold may differ from its text in white space. The end of the whole text is no boundary: every method
finds it. A gold line is ``{text, sentences}`` and ``lang``, the name of its language, where known.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError
from crawler.core.sentences import guess_language, primary_language, splitter_for
from crawler.evaluation.gold import read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Report, sorted_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.evaluation.gold import Row
    from crawler.evaluation.scores import Score
    from crawler.evaluation.task import Job

_NEEDS = "text and sentences"
_DIFFERS = "gold-differs"


@dataclass(slots=True)
class _Tally:
    """What was found in the texts of one language, and by which splitters."""

    texts: int = 0
    overlap: Overlap = field(default_factory=Overlap)
    splitters: set[str] = field(default_factory=set)


def measure_sentences(job: Job) -> Report:
    """Split all texts and report.

    A text that its gold sentences do not add up to is skipped and counted.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no text.
        UnknownMethodError: there is no method of that name, or its model is missing.
    """
    splitter_for("", job.method)  # Refuse a wrong name before a file is opened.
    tallies: dict[str, _Tally] = {}
    skipped: Counter[str] = Counter()
    for row in islice(read_rows(job.gold, _NEEDS), job.limit):
        _measure(row, job.method, tallies, skipped)
    if not tallies and not skipped:
        raise job.no_gold("gold texts", _NEEDS)
    if not tallies:
        raise UnreadableInputError(
            "no text of the gold is made up of its own sentences: 'sentences' must hold all of "
            "'text', in order"
        )
    return Report(
        pages=sum(tally.texts for tally in tallies.values()),
        figures=_figures(tallies, skipped),
        unit="text",
    )


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Return the boundaries between sentences, in characters that are no white space.

    >>> sorted(boundaries(["One. ", "Two three.", "Four."]))
    [4, 13]
    """
    ends: list[int] = []
    length = 0
    for sentence in sentences:
        characters = len(_without_space(sentence))
        if characters:
            length += characters
            ends.append(length)
    return set(ends[:-1])


def _without_space(text: str) -> str:
    return "".join(text.split())


def _measure(row: Row, method: str, tallies: dict[str, _Tally], skipped: Counter[str]) -> None:
    text, sentences, language = row.text("text"), row.texts("sentences"), row.optional("lang") or ""
    if _without_space("".join(sentences)) != _without_space(text):
        skipped[_DIFFERS] += 1
        return
    splitter = splitter_for(primary_language(language) or guess_language(text), method)
    found = boundaries(sentence.text for sentence in splitter.split(text))
    right = boundaries(sentences)
    tally = tallies.setdefault(language or "unknown", _Tally())
    tally.texts += 1
    tally.overlap += Overlap(len(found & right), len(found), len(right))
    tally.splitters.add(splitter.name)


def _figures(tallies: dict[str, _Tally], skipped: Counter[str]) -> dict[str, object]:
    per_language = {
        name: {
            "texts": tally.texts,
            "splitter": ", ".join(sorted(tally.splitters)),
            **tally.overlap.score.as_json(),
        }
        for name, tally in sorted(tallies.items())
    }
    return {
        **_all(tallies).as_json(),
        "per_language": per_language,
        "skipped": sorted_counts(skipped),
    }


def _all(tallies: dict[str, _Tally]) -> Score:
    return sum((tally.overlap for tally in tallies.values()), Overlap()).score
