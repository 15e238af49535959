"""The loops that take most of the time: compiled where that was possible, else in Python."""

from __future__ import annotations

__all__ = [
    "Stems",
    "Trees",
    "class_counts",
    "columns",
    "cue_masks",
    "cues_of_word",
    "described",
    "distances",
    "gram_hits",
    "normal_forms",
    "numbered",
    "short_texts",
]

try:
    from crawler.core.compiled import (
        Stems,
        Trees,
        class_counts,
        columns,
        cue_masks,
        cues_of_word,
        described,
        distances,
        gram_hits,
        normal_forms,
        numbered,
        short_texts,
    )
# There was no compiler where the package was built, or it was built for another release of lxml.
except (ImportError, TypeError, ValueError):
    from crawler.core.pure import (
        Stems,
        Trees,
        class_counts,
        columns,
        cue_masks,
        cues_of_word,
        described,
        distances,
        gram_hits,
        normal_forms,
        numbered,
        short_texts,
    )
