"""The two designs of the newspaper: the one it began with, and the one after the redesign.

Nothing but the articles' titles and texts, and what links lead to, is the same in both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.newspaper.stories import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from support.newspaper.stories import Story

__all__ = ["NAME", "NEW", "OLD", "Design", "article_head"]

NAME = "The Harbour Paper"


@dataclass(frozen=True, slots=True)
class Design:
    """A frame around pages, and forms for what stands in it.

    ``frame``
        With places for ``main``, the ``menu`` of sections, and ``months``, the list of archives.
    ``entry``
        A link in menus, with places for ``address`` and ``name``.
    ``article``
        With places for ``title``, ``desk``, ``date``, ``day``, ``text``, ``path`` and ``related``.
    ``teaser``
        Of an article, with places for ``address``, ``title`` and ``text``.
    ``paragraph``
        With a place for ``text``.
    ``letter``
        The invitation that stands in the middle of some articles.
    """

    frame: str
    entry: str
    article: str
    teaser: str
    paragraph: str
    letter: str

    def page(self, title: str, main: str, months: Sequence[str], head: str = "") -> str:
        """Make a whole page."""
        menu = "".join(
            self.entry.format(address=f"/section/{name}", name=name.title()) for name in SECTIONS
        )
        archives = "".join(
            self.entry.format(address=f"/archive/{month}", name=f"Archive {month}")
            for month in months
        )
        body = self.frame.format(menu=menu, months=archives, main=main)
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f'{head}<link rel="alternate" type="application/rss+xml" href="/feeds/all.rss">'
            '<link rel="alternate" type="application/atom+xml" href="/feeds/sport.atom"></head>'
            f"{body}</html>"
        )

    def story(self, story: Story, text: Sequence[str], related: Sequence[Story]) -> str:
        """Make the main part of an article's page."""
        paragraphs = [self.paragraph.format(text=paragraph) for paragraph in text]
        if story.number % 4 == 1:
            paragraphs.insert(len(paragraphs) // 2, self.letter)
        boxes = "".join(
            self.teaser.format(address=each.path, title=each.title, text=each.teaser)
            for each in related
        )
        return self.article.format(
            title=story.title,
            desk=story.section,
            date=story.time.isoformat(),
            day=f"{story.time:%d %B %Y}",
            text="".join(paragraphs),
            path=story.path,
            related=boxes,
        )


def article_head(story: Story, changed: datetime, base: str) -> str:
    """Make what programs read of an article: JSON-LD, properties, or its address alone."""
    head = f'<link rel="canonical" href="{base}{story.path}">'
    if story.number % 3 == 0:
        about = {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": story.title,
            "datePublished": story.time.isoformat(),
            "dateModified": changed.isoformat(),
            "author": {"@type": "Organization", "name": f"The {story.section} desk"},
        }
        return f'{head}<script type="application/ld+json">{json.dumps(about)}</script>'
    if story.number % 3 == 1:
        properties = {
            "og:type": "article",
            "og:title": story.title,
            "og:site_name": NAME,
            "article:published_time": story.time.isoformat(),
            "article:modified_time": changed.isoformat(),
            "article:section": story.section,
        }
        head += "".join(
            f'<meta property="{name}" content="{value}">' for name, value in properties.items()
        )
    return head


OLD = Design(
    frame="""<body><div id="top"><a href="/">The Harbour Paper</a><ul class="menu">{menu}</ul></div>
<div id="main">{main}</div><div id="side"><h3>Weather</h3><p>Rain is on its way from the west.</p>
<p>Write to our letters page, which appears every Friday of the week.</p>
<ul>{months}<li><a href="/calendar/2026/11">Calendar</a></li>
<li><a href="/shop">Shop</a></li></ul></div>
<div id="foot"><p>The Harbour Paper is printed on paper from managed woods.</p>
<p>All rights reserved by the publishers, who answer for nothing.</p></div></body>""",
    entry='<li><a href="{address}">{name}</a></li>',
    article="""<h1>{title}</h1>
<p class="stamp">By the {desk} desk, <time datetime="{date}">{day}</time></p>
<div class="story">{text}</div>
<p class="tools"><a href="{path}/print">Print</a> <a href="{path}/amp">AMP</a></p>
<div class="related"><h3>Read on</h3>{related}</div>""",
    teaser='<p class="box"><a href="{address}"><b>{title}</b><br>{text}</a></p>',
    paragraph="<p>{text}</p>",
    letter='<p class="letter">Have the best of the week sent to you by our newsletter.</p>',
)

NEW = Design(
    frame="""<body class="v2"><section class="promo"><p>Take the paper with you: our new reader for
telephones is here.</p></section><header class="mast"><p class="claim">News from the quay since long
ago</p><nav><a class="brand" href="/">The Harbour Paper</a>{menu}</nav></header>
<main class="grid">{main}</main><aside><p>Five stories a day by mail, chosen by the night desk.</p>
</aside><footer><nav><a href="/shop">Shop</a><a href="/calendar/2026/11">Calendar</a>{months}</nav>
<p>Contact, imprint and the small print are at the counter of the old office.</p>
<p>Copyright of all stories lies with the publishers.</p></footer></body>""",
    entry='<a class="nav-item" href="{address}">{name}</a>',
    article="""<article class="piece"><header><h1 class="piece-title">{title}</h1>
<p class="byline"><time datetime="{date}">{day}</time>, from the {desk} desk</p></header>
<section class="piece-body">{text}</section>
<ul class="share"><li><a href="{path}/amp">Mobile page</a></li>
<li><a href="{path}/print">Printable page</a></li></ul></article>
<section class="cards"><h2>More from the quay</h2>{related}</section>""",
    teaser='<a class="card" href="{address}"><h3>{title}</h3><p>{text}</p></a>',
    paragraph='<p class="body-text">{text}</p>',
    letter="""<div class="callout"><p>Every Sunday our editors choose what was worth your time: have
it in your letter box.</p></div>""",
)
