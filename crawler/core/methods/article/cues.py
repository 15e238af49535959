"""What the names that authors give to elements tell: ``class="post-content"``, ``id="sidebar"``.

A *cue* is a group of word stems that mean the same to a reader of markup. Names are compared in
lower case, word by word, and stems may stand anywhere in a word, since authors write words
together; ``^`` marks where a stem has to begin or end a word.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CUES", "cues_in"]

_STEMS: Mapping[str, str] = MappingProxyType(
    {
        "article": "articl artikel artykul articul articol noticia beitrag storia statya",
        "story": "story stori",
        "entry": "entry entries",
        "post": "post",
        "blog": "blog",
        "body": "body corps cuerpo corpo",
        "content": "content contenu contenid inhalt tresc tekst",
        "text": "text prose wysiwyg markdown ^rte^ paragraph copy",
        "main": "main primary",
        "lead": "lead intro standfirst chapo ^deck^ ^dek^ summary excerpt abstract subtit subhead "
        "teaser kicker sapo",
        "title": "title headline heading titre titulo",
        "nav": "nav menu breadcrumb crumb topbar sitemap",
        "foot": "foot contentinfo colophon",
        "head": "header masthead banner ^head^",
        "side": "sidebar aside rail complementary secondary ^side^ ^right^ ^left^",
        "comment": "comment(?!ar) disqus respond "
        "reply replies discuss kommentar coment koment feedback opinia opinie",
        "share": "share sharing social follow facebook twitter whatsapp addtoany sns",
        "related": "relat recommend ^more^ readmore seealso ^also^ similar suggest recirc "
        "upnext readnext explore",
        "popular": "popular trend ^most^ mostread latest recent ^hot^ ranking ^top^",
        "promo": "promo sponsor advert ^ad^ ^ads^ adslot outbrain taboola werbung publici "
        "affiliate",
        "letter": "newsletter subscri signup optin mailchimp paywall regwall",
        "login": "login signin account register regist",
        "cookie": "cookie consent gdpr privacy onetrust",
        "author": "author byline ^bio^ contributor writer autor auteur reporter",
        "date": "date time publish ^posted^ datum fecha",
        "meta": "meta info detail",
        "caption": "caption credit legend figcap",
        "topics": "^tag^ ^tags^ taglist tagcloud categor topic keyword ^cat^",
        "image": "image img photo picture thumb figure foto",
        "media": "gallery media slide carousel swiper video player audio podcast embed",
        "widget": "widget module gadget plugin component",
        "card": "card tile grid feed ^list^ ^items?^ archive loop",
        "search": "search ^form^ input field filter",
        "modal": "modal popup overlay dialog tooltip drawer offcanvas toast",
        "menuish": "dropdown toggle accordion collaps ^tabs?^ hamburger submenu",
        "hidden": "hidden ^hide^ ^sr^ visually ^reader^ screenreader noprint invisible",
        "quote": "quote ^pull^",
        "pager": "pagin pager ^next^ ^prev^ previous adjacent",
        "toc": "^toc^ tableofcontent",
        "notes": "footnote reference citation source biblio",
        "button": "button ^btn^ ^cta^ donat",
        "shop": "price product cart shop review rating ^buy^",
        "legal": "legal disclaimer terms copyright ^copy^",
        "tools": "print tool action utilit",
    }
)

CUES = tuple(_STEMS)
"""Names of the cues; a cue's number is its place here, and the bit it has in a mask."""


def _stem(stem: str) -> str:
    begin = "(?<![a-z])" if stem.startswith("^") else ""
    end = "(?![a-z])" if stem.endswith("^") else ""
    return f"{begin}{stem.strip('^')}{end}"


_PATTERN = re.compile(
    "|".join(
        f"(?P<{name}>{'|'.join(_stem(stem) for stem in stems.split())})"
        for name, stems in sorted(
            _STEMS.items(),
            # A longer stem that begins like a shorter one has to be tried first.
            key=lambda item: -max(len(stem) for stem in item[1].split()),
        )
    )
)


def _any_stem() -> re.Pattern[str]:
    """Find letters that every cue has; those with one first letter are tried together."""
    rests: dict[str, list[str]] = {}
    for stems in _STEMS.values():
        for stem in stems.split():
            bare = stem.strip("^")
            rests.setdefault(bare[0], []).append(bare[1:])
    return re.compile("|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in rests.items()))


_ANY = _any_stem()
_BITS: Mapping[str, int] = MappingProxyType({name: 1 << place for place, name in enumerate(CUES)})
# Pages of a site share their names, and sites their words: what was read is kept, within limits.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_WORD_CHARS = 40


@lru_cache(maxsize=1 << 15)
def _cues_of(word: str) -> int:
    """Return the cues in one word."""
    word = word[:_WORD_CHARS].lower()
    found = 0
    if _ANY.search(word) is None:  # as most words
        return found
    for match in _PATTERN.finditer(word):
        found |= _BITS[match.lastgroup or ""]
    return found


@lru_cache(maxsize=1 << 15)
def cues_in(names: str) -> int:
    """Return the cues in some names, as ``related-topics`` and ``shareBar``, as bits."""
    found = 0
    for word in _WORD.findall(names):
        found |= _cues_of(word)
    return found
