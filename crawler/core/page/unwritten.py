"""Pages that scripts write in the browser: what comes from the server has next to no text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crawler.core.page.segment import segment
from crawler.core.page.supplement import supplement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.page.parse import ParsedPage
    from crawler.core.page.walk import Elements

# Characters without white space, of a page that has scripts. A page with less text outside links
# than the first, and less in all than the second, is waiting for its scripts.
_PROSE: Final = 150
_TEXT: Final = 600
# So many more characters are worth a browser.
_GAIN: Final = 150
# What browsers that run scripts do not show.
_NOT_SHOWN: Final = frozenset(
    {"head", "iframe", "noscript", "script", "style", "svg", "template", "textarea", "title"}
)
# Scripts that are data for others.
_DATA: Final = ("json", "template", "text/x-")


def is_unwritten(page: ParsedPage) -> bool:
    """Say whether a page has scripts and next to no text, so that they may write it.

    A page that holds its text in a script, where it is read without a browser, is none.
    """
    if not any(map(_runs, _types(page))):
        return False
    if any(text >= _TEXT or prose >= _PROSE for text, prose in _counted(page.elements)):
        return False
    _, source, _ = supplement(page, segment(page))
    return source is None


def has_gained(before: ParsedPage, after: ParsedPage) -> bool:
    """Say whether a page has more text after its scripts have run."""
    return shown_text(after.elements)[0] >= shown_text(before.elements)[0] + _GAIN


def shown_text(elements: Elements) -> tuple[int, int]:
    """Count the characters of a page's text, without white space: all, and those outside links."""
    return max(_counted(elements), default=(0, 0))


def _counted(elements: Elements) -> Iterator[tuple[int, int]]:
    """Give both counts after each element: most pages have shown enough after a few."""
    text = prose = number = link = behind_link = 0
    while number < len(elements.tags):
        tag = elements.tags[number]
        here, behind = _size(elements.texts[number]), _size(elements.tails[number])
        following = number + 1
        if tag in _NOT_SHOWN:
            here, following = 0, elements.behind(number)
        elif tag == "a" and number >= behind_link:
            link, behind_link = number, elements.behind(number)
        text += here + behind
        if number >= behind_link:
            prose += here + behind
        elif number == link:
            prose += behind
        number = following
        yield text, prose


def _size(text: str | None) -> int:
    return sum(map(len, text.split())) if text else 0


def _types(page: ParsedPage) -> list[str]:
    return [(script.get("type") or "").lower() for script in page.named["script"]]


def _runs(kind: str) -> bool:
    return not any(word in kind for word in _DATA)
