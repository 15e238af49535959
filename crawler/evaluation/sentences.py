"""The task ``sentences``: how many of a text's sentence boundaries are found, and how many besides.

A boundary is the number of characters before a sentence's end, white space not counted, so that
gold may differ from its text in white space. The end of the whole text is no boundary: every method
finds it. A gold line is ``{text, sentences}`` and ``lang``, the name of its language, where known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate, islice

from crawler.core.errors import UnreadableInputError
from crawler.core.sentences import splitter_for
from crawler.core.sentences.languages import guess_language, primary_language
from crawler.evaluation.gold import read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Job, Report

_NEEDS = "text and sentences"


def measure_sentences(job: Job) -> Report:
    """Split all texts and report.

    A text that its gold sentences do not add up to is skipped and counted.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no text.
        UnknownMethodError: there is no method of that name, or its model is missing.
    """
    splitter_for("", job.method)  # Refuse a wrong name before a file is opened.
    # By language, what was found in each text, and by which splitters.
    texts: defaultdict[str, list[Overlap]] = defaultdict(list)
    splitters: defaultdict[str, set[str]] = defaultdict(set)
    report = Report(unit="text")
    for row in islice(read_rows(job.gold, _NEEDS), job.limit):
        text, sentences = row.text("text"), row.texts("sentences")
        language = row.optional("lang") or ""
        if _without_space("".join(sentences)) != _without_space(text):
            flaw = row.flaw("the sentences do not add up to the text")
            report.leave_out("gold-differs", flaw)
            continue
        splitter = splitter_for(primary_language(language) or guess_language(text), job.method)
        found = boundaries(sentence.text for sentence in splitter.split(text))
        right = boundaries(sentences)
        language = language or "unknown"
        overlap = Overlap(len(found & right), len(found), len(right))
        texts[language].append(overlap)
        report.rows.append({**row.identity, "lang": language, **overlap.score.as_json()})
        splitters[language].add(splitter.name)
    report.pages = len(report.rows)
    if not texts and not report.skipped:
        raise job.no_gold("gold texts", _NEEDS)
    if not texts:
        raise UnreadableInputError(
            "no text of the gold is made up of its own sentences: 'sentences' must hold all of "
            "'text', in order"
        )
    sums = {name: sum(found, Overlap()) for name, found in sorted(texts.items())}
    per_language = {
        name: {
            "texts": len(texts[name]),
            "splitter": ", ".join(sorted(splitters[name])),
            **found.score.as_json(),
        }
        for name, found in sums.items()
    }
    everything = sum(sums.values(), Overlap()).score.as_json()
    return report.finished({**everything, "per_language": per_language})


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Return the boundaries between sentences, in characters that are no white space.

    >>> sorted(boundaries(["One. ", "Two three.", "Four."]))
    [4, 13]
    """
    lengths = (len(_without_space(sentence)) for sentence in sentences)
    return set([*accumulate(filter(None, lengths))][:-1])


def _without_space(text: str) -> str:
    return "".join(text.split())
