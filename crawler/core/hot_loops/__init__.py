"""The loops that take most of the time: compiled where that was possible, else in Python.

Each module here has a compiled twin, which gives the same. Each twin is taken by itself, and whole:
no two of them share data, so that some may be compiled where others are not.
"""

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
    "may_have_many_attributes",
    "means_within",
    "normal_forms",
    "numbered",
    "ramps",
    "short_texts",
    "without_control",
]

# There was no compiler where the package was built, or it was built for another release of lxml.
try:
    from crawler.core.hot_loops.compiled_elements import (
        columns,
        described,
        distances,
        made,
        numbered,
        short_texts,
    )
except (ImportError, TypeError, ValueError):
    from crawler.core.hot_loops.elements import (
        columns,
        described,
        distances,
        made,
        numbered,
        short_texts,
    )
try:
    from crawler.core.hot_loops.compiled_judges import Trees, means_within, ramps
except (ImportError, TypeError, ValueError):
    from crawler.core.hot_loops.judges import Trees, means_within, ramps
try:
    from crawler.core.hot_loops.compiled_sentences import EndMarks, cut, hint_spots
except (ImportError, TypeError, ValueError):
    from crawler.core.hot_loops.sentences import EndMarks, cut, hint_spots
try:
    from crawler.core.hot_loops.compiled_text import (
        CueWords,
        Stems,
        class_counts,
        cues_of_word,
        gram_hits,
        may_have_many_attributes,
        normal_forms,
        without_control,
    )
except (ImportError, TypeError, ValueError):
    from crawler.core.hot_loops.text import (
        CueWords,
        Stems,
        class_counts,
        cues_of_word,
        gram_hits,
        may_have_many_attributes,
        normal_forms,
        without_control,
    )
