"""What one page gives for its metadata, worked out once, and what readers see only if asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.metadata.headings import read_headings
from crawler.core.metadata.jsonld import read_linked
from crawler.core.metadata.meta import MetaTags
from crawler.core.metadata.names import fold_name
from crawler.core.metadata.scan import element_text, scan_body, scan_head
from crawler.core.metadata.visible import VisiblePage
from crawler.core.metadata.words import byline_words
from crawler.core.page.page import LOCAL_SITE, site_of

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.metadata.headings import Headings
    from crawler.core.metadata.jsonld import LinkedArticle
    from crawler.core.metadata.scan import Head
    from crawler.core.page.parse import ParsedPage

# Of titles and addresses that JSON-LD is compared with.
_MAX_TITLES = 20
_TITLE_CHARS = 500

__all__ = ["PageFacts", "gather"]


@dataclass(slots=True)
class PageFacts:
    """What a page gives.

    ``headings`` are those that may be its title; ``house`` the host of its address and the parts
    of that, which name the site; ``title`` is set once it is chosen.
    """

    parsed: ParsedPage
    url: str
    head: Head
    metas: MetaTags
    linked: LinkedArticle
    headings: Headings
    house: list[str]
    title: str | None = None
    _visible: VisiblePage | None = field(default=None, repr=False)

    @property
    def visible(self) -> VisiblePage:
        """What readers see. The first to ask has the whole tree walked over."""
        if self._visible is None:
            body = scan_body(self.parsed, byline_words())
            heading = self._headline()
            # What holds the headline too is no part of the page that speaks of others.
            aside: dict[etree._Element, bool] = (
                dict.fromkeys(heading.iterancestors(), False) if heading is not None else {}
            )
            order = body.headings.get(heading) if heading is not None else None
            self._visible = VisiblePage(body, aside, order)
        return self._visible

    def _headline(self) -> etree._Element | None:
        """Return the heading that is the title, or else the first ``h1``."""
        folded = fold_name(self.title or "")
        for heading in self.head.headings:
            text = fold_name(element_text(heading)) if folded else ""
            if text and (
                text == folded or (heading.tag != "h3" and (text in folded or folded in text))
            ):
                return heading
        firsts = (each for each in self.head.headings if each.tag == "h1" and element_text(each))
        return next(firsts, None)


def gather(parsed: ParsedPage, url: str) -> PageFacts:
    """Read what a page says for machines."""
    head = scan_head(parsed)
    metas = MetaTags.of(head.metas)
    texts = [text for each in head.headings if each.tag == "h1" and (text := element_text(each))]
    urls = [url, parsed.canonical_url or "", *(value for _, value in metas.values("url"))]
    titles = [*(value for _, value in metas.values("title")), *texts][:_MAX_TITLES]
    site = site_of(url)
    host = "" if site == LOCAL_SITE else site.partition(":")[0]
    linked = read_linked(
        head.linked, urls[:_MAX_TITLES], [title[:_TITLE_CHARS] for title in titles]
    )
    headlines = [*metas.by_name.get("og:title", ())[:1], *linked.titles[:1]]
    return PageFacts(
        parsed=parsed,
        url=url,
        head=head,
        metas=metas,
        linked=linked,
        headings=read_headings(parsed, url, head.headings, headlines),
        house=[host, *host.split(".")[:-1]],
    )
