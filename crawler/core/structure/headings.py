"""Step 1 for pages of today: which lines are headings, and of which level.

A heading is known by its tag or role, by letters larger or heavier than the text's, by the name of
its element, or by saying no more than what the model calls a part of the document. Lines that look
alike are of one level, and all that name a part of the document are of the first, whatever their
tags: that mends what the paper found wrong with tags alone (section 5.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crawler.core.methods.article.layout import CUES, cues_in
from crawler.core.structure.lines import Line
from crawler.core.structure.tokens import Tokens

_MOST_WORDS: Final = 12
_MOST_CHARS: Final = 90
_FEW_WORDS: Final = 4
_LARGER: Final = 1.1
_LINKED: Final = 0.5
_PART: Final = 1
_MOST_LEVELS: Final = 20
_STOPS: Final = (".", "!", ",", ";", "。", "…")
_CELLS: Final = frozenset(("td", "th"))
_NAMING_TAGS: Final = frozenset(("dt", "summary", "legend"))
_CALLED: Final = 1 << CUES.index("title")
_HALF: Final = 0.5
# Levels of headings without one in the markup: those by their look, and terms of lists.
_STYLED_LEVEL, _TERM_LEVEL = 7.0, 8.0


class Heading(NamedTuple):
    """A line that is a heading.

    ``level`` is 1 for the outermost, 0 for a title of the whole. ``part`` is the element directly
    under the root that it names; None for none.
    """

    level: int
    part: str | None


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A line that may be a heading."""

    line: Line
    # Equal for headings that look alike.
    looks: Hashable
    # Orders headings, the outermost first.
    weight: tuple[float, float]
    part: str | None


def find_headings(
    lines: Sequence[Line], tokens: Tokens, root: str, parts: frozenset[str]
) -> dict[Line, Heading]:
    """Return the headings among the lines of a page.

    Args:
        lines: the lines.
        tokens: finds the elements that lines name.
        root: the root of the model.
        parts: the elements directly under the root that hold others: parts of the document.
    """
    normal = _normal_size(lines)
    candidates = (_candidate(line, normal, tokens, root, parts) for line in lines)
    found = _without_contents([each for each in candidates if each is not None])
    looks = Counter(candidate.looks for candidate in found)
    naming = Counter(candidate.looks for candidate in found if candidate.part)
    # If most lines of one look name parts, those that do not are parts the model does not know;
    # if only some do, those are that name nothing at all.
    of_parts = {look for look, count in naming.items() if count > _HALF * looks[look]}
    # Headings before the first part are titles of the whole. One that looks as parts do is one too
    # if the page begins with it.
    above: set[_Candidate] = set()
    for each in found if naming else ():
        if each.part is not None or (each.looks in of_parts and each.line is not lines[0]):
            break
        above.add(each)
    below_parts = [
        each
        for each in found
        if each.part is None
        and each.looks not in of_parts
        and (each.looks not in naming or tokens.element(each.line.text, root) is not None)
    ]
    # By the look of these headings, the weight of the first.
    weights: dict[Hashable, tuple[float, float]] = {}
    for each in below_parts:
        weights.setdefault(each.looks, each.weight)
    # Levels beyond the last are one: no document means that many, and each holds the next.
    order = {
        weight: min(place, _MOST_LEVELS) for place, weight in enumerate(sorted({*weights.values()}))
    }
    levels = {each: _PART + order[weights[each.looks]] + bool(naming) for each in below_parts}
    return {
        each.line: Heading(0 if each in above else levels.get(each, _PART), each.part)
        for each in found
    }


def _normal_size(lines: Sequence[Line]) -> float:
    """Return the size that most letters have."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.style.size, 2)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=1.0)


def _candidate(
    line: Line, normal: float, tokens: Tokens, root: str, parts: frozenset[str]
) -> _Candidate | None:
    text = line.text.rstrip(" :：")  # noqa: RUF001 - as people type it
    words = len(text.split())
    if not text or words > 2 * _MOST_WORDS or len(text) > 2 * _MOST_CHARS:
        return None
    style = line.style
    larger = style.size > normal * _LARGER
    short = words <= _MOST_WORDS and len(text) <= _MOST_CHARS and not text.endswith(_STOPS)
    names = line.block.holder.names if line.block.holder is not None else ""
    # Inline elements need not hold all of a line: a short one is likely held whole.
    inner = line.block.inner if words <= _FEW_WORDS else ""
    called = bool(cues_in(f"{names} {inner}") & _CALLED)
    named = line.level > 0 or line.tag in _NAMING_TAGS
    shown = style.bold or style.underlined or larger or called
    linked = line.block.link_share > _LINKED
    part = None
    if short and not (linked and not named) and (line.item is None or shown or named):
        part = tokens.part(text, root, parts, strictly=not (named or shown))
    if line.tag in _CELLS and part is None and not line.level and not larger:
        return None
    # What is alone in an item of a list is an item, heavy or not.
    if part is None and not (named or (shown and short and not linked and line.item is None)):
        return None
    if line.level:
        return _Candidate(line, ("level", line.level), (line.level, 0.0), part)
    looks = (line.tag, style, names if called else "")
    level = _TERM_LEVEL if line.tag == "dt" else _STYLED_LEVEL
    return _Candidate(line, looks, (level, -style.size), part)


def _without_contents(found: list[_Candidate]) -> list[_Candidate]:
    """Leave out a table of contents: lines that name a part which a heading names again below."""
    # What is in a list or has links may be an entry of one.
    linked = [bool(each.line.item or each.line.block.links) for each in found]
    last = {
        each.line.text.casefold(): place
        for place, each in enumerate(found)
        if each.part and not linked[place]
    }
    return [
        each
        for place, each in enumerate(found)
        if not (each.part and linked[place] and last.get(each.line.text.casefold(), -1) > place)
    ]
