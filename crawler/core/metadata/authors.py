"""Who wrote a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.metadata.names import clean_names, fold_name, is_weak
from crawler.core.metadata.visible import seen_authors
from crawler.core.metadata.words import byline_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.metadata.facts import PageFacts

__all__ = ["choose_authors"]

_SHORT_NAME = 3
_PEOPLE, _ACCOUNTS, _HOUSE = 0, 1, 2


def choose_authors(facts: PageFacts, site_name: str | None) -> tuple[str, tuple[str, ...]] | None:
    """Return source and names of the authors; None where the page names none.

    The first source that names people is believed: JSON-LD, meta elements, what readers see. Names
    of accounts count where no source names people, the site's own name where no source names
    anybody else.
    """
    site = site_name or ""
    house = {fold_name(name) for name in (site, facts.linked.site_name or "", *facts.house)}
    house.discard("")
    left: list[tuple[int, str, tuple[str, ...]]] = []
    for source, names in _groups(facts, site):
        weakness = _weakness(names, house)
        if weakness == _PEOPLE:
            return source, names
        left.append((weakness, source, names))
    if not left:
        return None
    _, source, names = min(left, key=lambda group: group[0])
    return source, names


def _groups(facts: PageFacts, site: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for source, values in _values(facts):
        if names := clean_names(values, site=site):
            yield source, names
    if (seen := seen_authors(facts.visible, site)) is not None:
        yield seen


def _values(facts: PageFacts) -> Iterator[tuple[str, list[str]]]:
    yield "json-ld", list(facts.linked.authors)
    yield from facts.metas.groups("author")
    # Pairs of label and value, as some systems give them for Twitter's cards.
    by_name = facts.metas.by_name
    for number in ("1", "2"):
        label = " ".join(by_name.get(f"twitter:label{number}", ()))
        if byline_words().by.match(label):
            yield "meta", by_name.get(f"twitter:data{number}", [])


def _weakness(names: tuple[str, ...], house: set[str]) -> int:
    """Tell whether names are of people, of accounts, or of the site itself."""
    if all(_is_house(fold_name(name), house) for name in names):
        return _HOUSE
    return _ACCOUNTS if all(map(is_weak, names)) else _PEOPLE


def _is_house(name: str, house: set[str]) -> bool:
    """Tell whether a folded name is the site's, or begins with it: "BBC News"."""
    return any(name == own or (len(own) >= _SHORT_NAME and name.startswith(own)) for own in house)
