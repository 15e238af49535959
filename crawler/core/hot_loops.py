"""The loops that take most of the time: compiled where that was possible, else in Python."""

from __future__ import annotations

__all__ = [
    "CueWords",
    "EndMarks",
    "Stems",
    "Trees",
    "class_counts",
    "columns",
    "cues_of_word",
    "cut",
    "described",
    "distances",
    "gram_hits",
    "hint_spots",
    "made",
    "means_within",
    "normal_forms",
    "numbered",
    "ramps",
    "short_texts",
    "without_control",
]

try:
    from crawler.core.compiled import (
        CueWords,
        EndMarks,
        Stems,
        Trees,
        class_counts,
        columns,
        cues_of_word,
        cut,
        described,
        distances,
        gram_hits,
        hint_spots,
        made,
        means_within,
        normal_forms,
        numbered,
        ramps,
        short_texts,
        without_control,
    )
# There was no compiler where the package was built, or it was built for another release of lxml.
except (ImportError, TypeError, ValueError):
    from crawler.core.pure import (
        CueWords,
        EndMarks,
        Stems,
        Trees,
        class_counts,
        columns,
        cues_of_word,
        cut,
        described,
        distances,
        gram_hits,
        hint_spots,
        made,
        means_within,
        normal_forms,
        numbered,
        ramps,
        short_texts,
        without_control,
    )
