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
    import crawler.core.hot_loops.compiled_elements as _elements
except (ImportError, TypeError, ValueError):
    import crawler.core.hot_loops.elements as _elements  # type: ignore[no-redef] # the twin
try:
    import crawler.core.hot_loops.compiled_judges as _judges
except (ImportError, TypeError, ValueError):
    import crawler.core.hot_loops.judges as _judges  # type: ignore[no-redef] # the twin
try:
    import crawler.core.hot_loops.compiled_sentences as _sentences
except (ImportError, TypeError, ValueError):
    import crawler.core.hot_loops.sentences as _sentences  # type: ignore[no-redef] # the twin
try:
    import crawler.core.hot_loops.compiled_text as _text
except (ImportError, TypeError, ValueError):
    import crawler.core.hot_loops.text as _text  # type: ignore[no-redef] # the twin

# A build of older sources, which lacks a name, fails here.
columns = _elements.columns
described = _elements.described
distances = _elements.distances
made = _elements.made
numbered = _elements.numbered
short_texts = _elements.short_texts
Trees = _judges.Trees
means_within = _judges.means_within
ramps = _judges.ramps
EndMarks = _sentences.EndMarks
cut = _sentences.cut
hint_spots = _sentences.hint_spots
CueWords = _text.CueWords
Stems = _text.Stems
class_counts = _text.class_counts
cues_of_word = _text.cues_of_word
gram_hits = _text.gram_hits
may_have_many_attributes = _text.may_have_many_attributes
normal_forms = _text.normal_forms
without_control = _text.without_control
