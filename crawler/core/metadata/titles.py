"""The title of what a page is about, without the site's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.metadata.names import fold_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["choose_title", "strip_site"]

# What stands between a title and the name of its site.
_SEPARATOR = re.compile(r"\s+[|\-\u2013\u2014\u2022\u00b7\u00bb\u00ab:/<>\u2039\u203a]{1,3}\s+|\s?[|\uff5c\u2503]\s?|::")
_SHORT_NAME = 3
_LONGEST_SITE_SHARE = 0.5


def strip_site(title: str, sites: Iterable[str], *, headings: Sequence[str] = ()) -> str:
    """Return a title without the name of its site at its end or beginning.

    Args:
        title: as the page gives it.
        sites: names of the site, its host among them.
        headings: headings of the page. Where one of them is the title up to a separator, what
            follows is no part of the title, whatever it is.
    """
    title = title.strip()
    cuts = [(match.start(), match.end()) for match in _SEPARATOR.finditer(title)]
    if not cuts:
        return title
    folded = {name for site in sites if len(name := fold_name(site)) >= _SHORT_NAME}
    wanted = {name for heading in headings if (name := fold_name(heading))}
    if fold_name(title) in wanted:
        return title
    for start, end in cuts:
        for part in (title[:start], title[end:]):
            if fold_name(part) in wanted:
                return part.strip()
    return _without_names(title, folded)


def _without_names(title: str, sites: set[str]) -> str:
    """Drop segments that name the site, from the end and from the beginning."""
    for _ in range(4):
        cuts = [(match.start(), match.end()) for match in _SEPARATOR.finditer(title)]
        if not cuts:
            break
        last, first = cuts[-1], cuts[0]
        if title[: last[0]].strip() and _names_site(title[last[1] :], sites):
            title = title[: last[0]].strip()
        elif title[first[1] :].strip() and _names_site(title[: first[0]], sites):
            title = title[first[1] :].strip()
        else:
            break
    return title


def _names_site(part: str, sites: set[str]) -> bool:
    folded = fold_name(part)
    if len(folded) < _SHORT_NAME:
        return folded in sites
    return any(
        folded == site or (len(site) > _SHORT_NAME and (site in folded or folded in site))
        for site in sites
    )


def choose_title(
    linked: Sequence[str],
    metas: Sequence[tuple[str, str]],
    headings: Sequence[str],
    document: str | None,
    sites: Sequence[str],
) -> tuple[str, str] | None:
    """Return the source and text of the title; None where the page has none.

    Args:
        linked: headlines of JSON-LD.
        metas: source and value of meta elements, the most believed first.
        headings: texts of its ``h1``.
        document: its ``title``.
        sites: names of the site.
    """
    shown = {fold_name(heading): heading for heading in headings if fold_name(heading)}
    said: list[tuple[str, str]] = [("json-ld", title) for title in linked]
    said += metas
    if document:
        said.append(("title", document))
    stripped = [
        (source, strip_site(title, sites, headings=headings))
        for source, title in said
    ]
    stripped = [(source, title) for source, title in stripped if fold_name(title)]
    names = {fold_name(site) for site in sites}
    # A headline that readers see is the title, where any other part of the page agrees.
    for source, title in stripped:
        if fold_name(title) in shown and fold_name(title) not in names:
            return ("h1" if source == "title" else source), shown[fold_name(title)]
    for source, title in stripped:
        if fold_name(title) not in names:
            return source, title
    if len(shown) == 1:
        return "h1", next(iter(shown.values()))
    return stripped[0] if stripped else None
