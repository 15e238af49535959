"""The task ``sentences``: how many of a text's sentence boundaries are found, and how many besides.

A boundary is the number of characters before a sentence's end, white space apart, so that gold may
differ from its text in white space. The end of the whole text is no boundary: every method finds
it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError
from crawler.core.sentences import (
    DEFAULT_SPLITTING,
    guess_language,
    primary_language,
    splitter_for,
)
from crawler.evaluation.gold import kind_of, read_rows, text_of
from crawler.evaluation.report import Report
from crawler.evaluation.scores import Overlap
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from crawler.evaluation.report import Job
    from crawler.evaluation.scores import Score

__all__ = ["SentencesTask", "boundaries"]

_NEEDS = "text and sentences"
_DIFFERS = "gold-differs"


@dataclass(frozen=True, slots=True)
class _GoldText:
    """A text, its sentences, and the name its line gives its language."""

    text: str
    sentences: tuple[str, ...]
    language: str


@dataclass(slots=True)
class _Tally:
    """What was found in the texts of one language, and by which splitters."""

    texts: int = 0
    overlap: Overlap = field(default_factory=Overlap)
    splitters: set[str] = field(default_factory=set)


class SentencesTask:
    """Measures sentence boundaries against gold sentences."""

    name = "sentences"
    has_curves = False
    default_method = DEFAULT_SPLITTING

    def run(self, job: Job) -> Report:
        """Split all texts and report.

        A text that its gold sentences do not add up to is skipped and counted.

        Raises:
            UnreadableInputError: The gold files cannot be used, or hold no text.
            UnknownMethodError: There is no way to split of that name, or its model is missing.
        """
        splitter_for("", job.method)  # A wrong name is told before a file is opened.
        tallies: dict[str, _Tally] = {}
        skipped: Counter[str] = Counter()
        for gold in islice(_texts(job), job.limit):
            if _joined(gold.sentences) != _joined([gold.text]):
                skipped[_DIFFERS] += 1
                continue
            _measure(gold, job.method, tallies.setdefault(gold.language or "unknown", _Tally()))
        if not tallies and not skipped:
            names = ", ".join(str(path) for path in job.gold)
            raise UnreadableInputError(f"{names}: no gold texts; each line is one JSON object")
        if not tallies:
            raise UnreadableInputError(
                "no text of the gold is made up of its own sentences: 'sentences' must hold all of "
                "'text', in order"
            )
        return Report(
            task=self.name,
            method=job.method,
            pages=sum(tally.texts for tally in tallies.values()),
            sites=None,
            figures=_figures(tallies, skipped),
            tables=_tables(tallies, skipped),
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
        characters = len(_joined([sentence]))
        if characters:
            length += characters
            ends.append(length)
    return set(ends[:-1])


def _joined(pieces: Iterable[str]) -> str:
    return "".join("".join(piece.split()) for piece in pieces)


def _measure(gold: _GoldText, method: str, tally: _Tally) -> None:
    language = primary_language(gold.language) or guess_language(gold.text)
    splitter = splitter_for(language, method)
    found = boundaries(sentence.text for sentence in splitter.split(gold.text))
    right = boundaries(gold.sentences)
    tally.texts += 1
    tally.overlap += Overlap(len(found & right), len(found), len(right))
    tally.splitters.add(splitter.name)


def _texts(job: Job) -> Iterator[_GoldText]:
    for where, row in read_rows(job.gold, _NEEDS):
        text = text_of(row, "text", where, _NEEDS)
        yield _GoldText(text, _sentences(row, where), _language(row, where))


def _sentences(row: dict[str, Any], where: str) -> tuple[str, ...]:
    if "sentences" not in row:
        raise UnreadableInputError(f"{where}: no 'sentences'; every line needs {_NEEDS}")
    value = row["sentences"]
    if not isinstance(value, list):
        raise UnreadableInputError(f"{where}: 'sentences' must be a list, not {kind_of(value)}")
    for sentence in value:
        if not isinstance(sentence, str):
            raise UnreadableInputError(
                f"{where}: 'sentences' must hold strings, not {kind_of(sentence)}"
            )
    return tuple(value)


def _language(row: dict[str, Any], where: str) -> str:
    value = row.get("lang")
    if not (value is None or isinstance(value, str)):
        raise UnreadableInputError(f"{where}: 'lang' must be a string, not {kind_of(value)}")
    return value or ""


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
        "skipped": dict(sorted(skipped.items())),
    }


def _tables(tallies: dict[str, _Tally], skipped: Counter[str]) -> tuple[Table, ...]:
    rows = [
        (
            name,
            str(tally.texts),
            ", ".join(sorted(tally.splitters)),
            *_cells(tally.overlap.score),
        )
        for name, tally in sorted(tallies.items())
    ]
    texts = sum(tally.texts for tally in tallies.values())
    rows.append(("all boundaries together", str(texts), "", *_cells(_all(tallies))))
    table = Table("language", ("texts", "splitter", "precision", "recall", "F1"), tuple(rows))
    if not skipped:
        return (table,)
    reasons = tuple((reason, str(number)) for reason, number in sorted(skipped.items()))
    return table, Table("texts left out", ("texts",), reasons)


def _all(tallies: dict[str, _Tally]) -> Score:
    return sum((tally.overlap for tally in tallies.values()), Overlap()).score


def _cells(score: Score) -> tuple[str, str, str]:
    return f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}"
