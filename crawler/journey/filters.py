"""Which pages of a crawl give no item though they can be read, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crawler.core.page.robots_meta import DIRECTIVES, excluding, read_directives
from crawler.core.pagetype import ARTICLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.flow import Annotation, Document
    from crawler.core.pagetype import PageType
    from crawler.settings import Options

__all__ = ["LeftOut"]

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class LeftOut:
    """The pages left out so far, by the settings that say so.

    Args:
        options: the crawl's settings.
        tell: called with a reason and a detail for each page left out, to count and log it.
        settle: called with the address of such a page, and its kind where that is why.
    """

    def __init__(
        self,
        options: Options,
        tell: Callable[[str, str], None],
        settle: Callable[[str, str], None],
    ) -> None:
        self.kinds = options.wanted_types
        """The kinds of pages that are exported."""
        self._respected = options.respected_directives
        self._drops_repeats = options.drop_near_duplicates
        self._tell = tell
        self._settle = settle
        # Those left out by their kind, by site and address, and the near-duplicate that is
        # exported in place of each.
        self._by_kind: dict[tuple[str, str], str | None] = {}

    def is_reserved(self, document: Document) -> bool:
        """Tell whether a page asks to be left out, and that is respected.

        Spiders of this project ask before; pages of archives and of other spiders come unasked.
        """
        if not self._respected:
            return False
        page = document.page
        directives = read_directives(page.robots_tags, page.tdm_reservation, document.parsed)
        reason = excluding(directives, self._respected)
        if reason is not None:
            self._tell(reason, f"{page.url}: {DIRECTIVES[reason]}")
        return reason is not None

    def is_unwanted(self, site: str, url: str, found: PageType) -> bool:
        """Tell whether a page is left out by its kind."""
        if found.is_among(self.kinds):
            return False
        self._by_kind[site, url] = None
        self._settle(url, found.kind)
        reason = "not-article" if self.kinds == {ARTICLE} else "page-type"
        self._tell(reason, f"{url}: {found.kind}")
        return True

    def has_no_text(self, annotation: Annotation) -> bool:
        """Tell whether an article, where nothing else is wanted, is a headline and no more."""
        kept = [block.tag for block, label in annotation.pairs() if label.kept]
        if self.kinds != {ARTICLE} or not kept or not _HEADINGS.issuperset(kept):
            return False
        url = annotation.document.page.url
        self._settle(url, "")
        self._tell("no-text", f"{url}: there is a headline and no text")
        return True

    def is_repeated(self, site: str, url: str, original: str | None) -> bool:
        """Tell whether a page is left out as a near-duplicate of ``original``."""
        same = self.repeats(site, url, original)
        if same is None:
            return False
        self._settle(url, "")
        self._tell("near-duplicate", f"{url}: of {same}")
        return True

    def repeats(self, site: str, url: str, original: str | None) -> str | None:
        """Return the exported page that a page repeats, where such pages are left out.

        None where the page it repeats was left out: a front page may repeat a whole article. Then
        this one stands in for it.
        """
        if not self._drops_repeats:
            return None
        if original is None or (site, original) not in self._by_kind:
            return original
        stand_in = self._by_kind[site, original]
        if stand_in is None:
            self._by_kind[site, original] = url
        return stand_in
