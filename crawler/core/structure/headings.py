"""Step 1 for pages of today: which lines are headings, and of which level.

A heading is known by its tag or role, by letters larger or heavier than the text's, by the name of
its element, or by saying no more than what the model calls a part of the document. Lines that look
alike are of one level, and all that name a part of the document are of the first, whatever their
tags: that mends what the paper found wrong with tags alone (section 5.1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crawler.core.methods.article.layout import CUES, cues_in

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

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


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that is a heading.

    ``level``
        From 1, the outermost; 0 for a title of the whole.
    ``part``
        The element directly under the root that it names; None for none.
    """

    level: int
    part: str | None


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A line that may be a heading.

    ``looks``
        Equal for headings that look alike.
    ``weight``
        Orders headings, the outermost first.
    """

    line: Line
    looks: Hashable
    weight: tuple[float, float]
    part: str | None

    @property
    def is_linked(self) -> bool:
        """Whether it is in a list or has links, as entries of a table of contents."""
        return bool(self.line.item or self.line.block.links)


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
    at_part_level = {
        candidate
        for candidate in found
        if candidate.part is not None
        or (
            candidate.looks in naming
            and (candidate.looks in of_parts or tokens.element(candidate.line.text, root) is None)
        )
    }
    # By the look of the other headings, the weight of the first.
    others: dict[Hashable, tuple[float, float]] = {}
    for candidate in found:
        if candidate not in at_part_level:
            others.setdefault(candidate.looks, candidate.weight)
    # Levels beyond the last are one: no document means that many, and each holds the next.
    order = {
        weight: min(place, _MOST_LEVELS) for place, weight in enumerate(sorted({*others.values()}))
    }
    above = _above_parts(found, of_parts, lines) if naming else set()
    headings: dict[Line, Heading] = {}
    for candidate in found:
        level = 0 if candidate in above else _PART
        if candidate not in at_part_level and level:
            level += order[others[candidate.looks]] + bool(naming)
        headings[candidate.line] = Heading(level, candidate.part)
    return headings


def _above_parts(
    found: Sequence[_Candidate], of_parts: set[Hashable], lines: Sequence[Line]
) -> set[_Candidate]:
    """Return the headings before the first part, which are titles of the whole.

    One that looks as parts do is one too if the page begins with it.
    """
    above: set[_Candidate] = set()
    for candidate in found:
        begins = candidate.line is lines[0]
        if candidate.part is not None or (candidate.looks in of_parts and not begins):
            break
        above.add(candidate)
    return above


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
    last: dict[str, int] = {}
    for place, candidate in enumerate(found):
        if candidate.part and not candidate.is_linked:
            last[candidate.line.text.casefold()] = place
    return [
        candidate
        for place, candidate in enumerate(found)
        if not (
            candidate.part
            and candidate.is_linked
            and last.get(candidate.line.text.casefold(), -1) > place
        )
    ]
