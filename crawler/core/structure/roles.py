"""What the blocks of an article are: title, summary, heading, paragraph, caption and the rest.

The text method says which blocks are main text; metadata say the title, the authors and the
description; markup and the look of the letters say what is left. Roles are those of
:data:`crawler.core.structure.model.ROLES`; a block that has none is no part of the article, or has
text that only a table orders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crawler.core.metadata import read_metadata
from crawler.core.metadata.bylines import begins_as_byline
from crawler.core.methods.article.cues import CUES, cues_in
from crawler.core.page.text import drop_unseen
from crawler.core.words import fold_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawler.core.metadata import Metadata
    from crawler.core.page.blocks import Block, Holder
    from crawler.core.page.page import Document
    from crawler.core.structure.lines import Line

__all__ = ["article_roles"]

_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CODE: Final = frozenset(("pre", "listing", "xmp", "plaintext"))
_CELLS: Final = frozenset(("td", "th", "caption"))
_ITEMS: Final = frozenset(("li", "dd", "dt"))
_ASIDE_TAGS: Final = frozenset(("aside", "nav", "footer", "form"))
_TEXTS: Final = frozenset(("paragraph", "item", "quote", "code"))
# A heading that no tag gives a level stands below those that have one.
_NO_LEVEL: Final = 10
_TEASER_LINKED: Final = 0.95
_QUOTE: Final = "blockquote"
_CAPTION: Final = "figcaption"
_HEADING_WORDS: Final = 18
_STYLED_WORDS: Final = 14
_BYLINE_WORDS: Final = 10
_CREDIT_WORDS: Final = 6
_CREDIT_CHARS: Final = 80
_SUMMARY_WORDS: Final = 5
_SUMMARY_MOST_WORDS: Final = 120
_MATCHING: Final = 0.75
# Descriptions are cut where they grow long.
_CUT: Final = 0.4
_SCRIPT_CHARS: Final = 2.0
_NEAR: Final = 2
_BELOW_TITLE: Final = 6
_LINKED: Final = 0.5
_SENTENCE_WORDS: Final = 9
_ENDS: Final = (".", "!", ",", ";", ":", "…", "。", "、", "।", "。”", ".”", ".“", '."', ".»")
# What standfirsts are called beside the words of the cue "lead", and what stands beside them.
_LEAD_WORDS: Final = re.compile(
    r"strap|einleit|vorspann|anreisser|ingress|sous-?titre|chapeau|entradilla|bajada|sub-?title"
    r"|sub-?head|secondary-?title|sommario|catenaccio|리드|부제",
    re.IGNORECASE,
)
_NO_LEAD_WORDS: Final = re.compile(r"kicker|overline|eyebrow|dachzeile|spitzmarke", re.IGNORECASE)
_CREDIT: Final = re.compile(
    r"(?:©|\(c\)|foto(?:s|graf)?\b|photo(?:s|graph)?\b|bild(?:er|rechte)?\b|image\b|picture\b"
    r"|quelle\b|source\b|credit\b|crédit\b|fuente\b|사진|写真|図)\s*[:：=/©(|]|©",  # noqa: RUF001 - as written
    re.IGNORECASE,
)
_JOINED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def _mask(*names: str) -> int:
    mask = 0
    for name in names:
        mask |= 1 << CUES.index(name)
    return mask


_CAPTIONS, _LEADS, _TITLES = _mask("caption"), _mask("lead"), _mask("title")
_AUTHORS, _DATES = _mask("author"), _mask("date")
_ASIDE: Final = _mask("related", "popular", "promo", "letter", "share", "cookie", "side", "nav",
                      "comment", "foot", "login", "card", "modal")  # fmt: skip


@dataclass(slots=True)
class _Article:
    """What is known of the page while its blocks are told."""

    blocks: Sequence[Block]
    main: frozenset[int]
    looks: Mapping[int, Line]
    metadata: Metadata
    title: int | None = None


def article_roles(
    document: Document, main: frozenset[int], lines: Sequence[Line]
) -> dict[int, str]:
    """Return the roles of a page's blocks, by their numbers.

    Args:
        document: the page.
        main: the numbers of the blocks that are main text.
        lines: the lines of the page: of each block the first tells how it looks.
    """
    metadata = read_metadata(document.parsed, document.page.url, document.page.fetched_at)
    looks: dict[int, Line] = {}
    whole: dict[int, int] = {}
    for line in lines:
        looks.setdefault(line.block.index, line)
        whole[line.block.index] = whole.get(line.block.index, 0) + 1
    article = _Article(document.blocks, main, looks, metadata)
    article.title = _title(article)
    roles = {number: _role(article, number) for number in sorted(main)}
    if article.title is not None:
        roles[article.title] = "title"
    roles.update(_beside(article, roles))
    _headings(article, roles)
    _before_text(article, roles)
    _summary(article, roles)
    return {number: role for number, role in roles.items() if role}


def _title(article: _Article) -> int | None:
    """Return the block that is the title: the first that says what the metadata say."""
    wanted = fold_name(article.metadata.title or "")
    last = max(article.main, default=-1)
    first_heading = None
    for block in article.blocks[: last + 1]:
        folded = fold_name(block.text) if len(block.text) < 500 else ""  # noqa: PLR2004 - no title
        if wanted and folded == wanted:
            return block.index
        if block.tag == "h1" and folded and first_heading is None and block.link_share < _LINKED:
            first_heading = block.index
    return first_heading


def _role(article: _Article, number: int) -> str:
    block = article.blocks[number]
    accompanying = _accompanying(article, block)
    if block.tag in _HEADINGS:
        return "author" if accompanying == "author" else "heading"
    if accompanying or block.tag in _CELLS:
        return accompanying
    if block.tag in _CODE:
        return "code"
    if block.tag in _ITEMS:
        return "item"
    return "quote" if block.tag == _QUOTE or _around(block.holder, _QUOTE) else "paragraph"


def _accompanying(article: _Article, block: Block) -> str:
    """Return the role of what accompanies a text, a caption or a byline; empty for the text."""
    names = cues_in(block.holder.names) if block.holder is not None else 0
    inner = cues_in(block.inner)
    credit = len(block.text) < _CREDIT_CHARS and _CREDIT.match(block.text)
    if credit or (names | inner) & _CAPTIONS or _around(block.holder, _CAPTION):
        return "caption"
    words = _words(block.text)
    if words <= _BYLINE_WORDS and not block.text.endswith(_ENDS):
        if (names | inner) & _AUTHORS or _names_author(article, block):
            return "author"
        if words <= _CREDIT_WORDS and begins_as_byline(block.text):
            return "author"
        if names & _DATES or block.inner == "time":
            return "date"
    return ""


def _beside(article: _Article, roles: Mapping[int, str]) -> dict[int, str]:
    """Return the roles of what stands within the article and is no main text: captions, bylines."""
    texts = [number for number, role in roles.items() if role in ("paragraph", "item", "quote")]
    if not texts:
        return {}
    first, last = min(texts), max(texts)
    start = article.title if article.title is not None and article.title < first else first
    around = {_outside(article.blocks[number]) for number in texts}
    found: dict[int, str] = {}
    for block in article.blocks[start:]:
        if block.index in roles or block.index in article.main or _is_aside(block):
            continue
        if block.tag in _CODE and _outside(block) in around:
            found[block.index] = "code"
        if block.index > last:
            continue
        role = _accompanying(article, block)
        if role == "caption" or (role in ("author", "date") and block.index < first):
            found[block.index] = role
    return found


def _outside(block: Block) -> Holder | None:
    """Return the element around the one that holds a block."""
    return block.holder.parent if block.holder is not None else None


def _is_aside(block: Block) -> bool:
    holder = block.holder
    for _ in range(_NEAR + 1):
        if holder is not None:
            if cues_in(holder.names) & _ASIDE or holder.tag in _ASIDE_TAGS:
                return True
            holder = holder.parent
    return False


def _around(holder: Holder | None, tag: str) -> bool:
    for _ in range(_NEAR + 1):
        if holder is None:
            return False
        if holder.tag == tag:
            return True
        holder = holder.parent
    return False


def _names_author(article: _Article, block: Block) -> bool:
    folded = fold_name(block.text)
    return any(
        (name := fold_name(author)) and name in folded for author in article.metadata.authors
    )


def _words(text: str) -> float:
    """Count words; two characters of a script without spaces are one."""
    return len(text.split()) + len(_JOINED.findall(text)) / _SCRIPT_CHARS


def _headings(article: _Article, roles: dict[int, str]) -> None:
    """Tell headings that no tag names, and take the role of those that head nothing."""
    numbers = [number for number, role in roles.items() if role in ("heading", "paragraph")]
    for number in numbers:
        block, look = article.blocks[number], article.looks.get(number)
        if roles[number] != "paragraph" or look is None:
            continue
        called = cues_in(block.holder.names) & _TITLES if block.holder is not None else 0
        styled = look.style.bold or look.style.size > 1.2 or look.level > 0  # noqa: PLR2004 - larger
        if (
            (called or styled)
            and _words(block.text) <= _STYLED_WORDS
            and not block.text.endswith(_ENDS)
            and block.link_share < _MATCHING
        ):
            roles[number] = "heading"
    ordered = sorted(roles)
    texts = [number for number in ordered if roles[number] in _TEXTS]
    last = texts[-1] if texts else -1
    level = 0
    for number in reversed(ordered):
        if roles[number] != "heading":
            level = 0 if roles[number] in _TEXTS else level
            continue
        own = _level(article, number)
        if number > last or _is_teaser(article.blocks[number]) or 0 < level <= own:
            roles[number] = ""
        else:
            level = own
    for number in texts:
        if roles[number] == "paragraph" and article.blocks[number].link_share > _TEASER_LINKED:
            roles[number] = ""


def _level(article: _Article, number: int) -> int:
    look = article.looks.get(number)
    return look.level if look is not None and look.level else _NO_LEVEL


def _is_teaser(block: Block) -> bool:
    """Tell whether a heading leads to another page, or stands on its picture."""
    return block.link_share > _LINKED or "img" in block.inner.split()


def _before_text(article: _Article, roles: dict[int, str]) -> None:
    """Take the role of what says the title again."""
    wanted = fold_name(article.metadata.title or "")
    for number, role in roles.items():
        if role == "heading" and (
            fold_name(article.blocks[number].text) == wanted or article.blocks[number].tag == "h1"
        ):
            roles[number] = ""


def _summary(article: _Article, roles: dict[int, str]) -> None:
    """Tell the summary: it stands before the text, and is called so, or is the description."""
    paragraphs = [number for number, role in sorted(roles.items()) if role == "paragraph"]
    if not paragraphs:
        return
    first = paragraphs[0]
    start = article.title if article.title is not None and article.title < first else 0
    described = set(_folded(article.metadata.description or ""))
    differs = _stands_out(article, paragraphs)
    for block in article.blocks[max(start - _NEAR, 0) : first + differs]:
        if block.index == article.title or not _may_be_summary(article, block, roles):
            continue
        if _is_called_lead(block) or _is_described(block.text, described):
            roles[block.index] = "summary"
            return
    look = article.looks.get(first)
    if look is not None and look.style.bold and differs:
        roles[first] = "summary"
        return
    for number, role in sorted(roles.items()):
        # A heading right above the text, long and before any other, sums it up.
        if number >= first:
            return
        if role == "heading" and _words(article.blocks[number].text) > _SENTENCE_WORDS:
            roles[number] = "summary"
            return


def _stands_out(article: _Article, paragraphs: Sequence[int]) -> bool:
    """Tell whether the first paragraph is shown otherwise than the second."""
    if len(paragraphs) < 2:  # noqa: PLR2004 - nothing to compare with
        return False
    one, two = (article.blocks[number].holder for number in paragraphs[:2])
    if one is None or two is None:
        return False
    looks = [article.looks.get(number) for number in paragraphs[:2]]
    styles = [look.style if look is not None else None for look in looks]
    return (one.path, one.names) != (two.path, two.names) or styles[0] != styles[1]


def _is_called_lead(block: Block) -> bool:
    names = block.inner
    holder = block.holder
    for _ in range(2):
        if holder is not None:
            names = f"{names} {holder.names}"
            holder = holder.parent
    if _NO_LEAD_WORDS.search(names):
        return False
    cues = cues_in(names)
    return not cues & _ASIDE and bool(cues & _LEADS or _LEAD_WORDS.search(names))


def _may_be_summary(article: _Article, block: Block, roles: Mapping[int, str]) -> bool:
    words = _words(block.text)
    if not _SUMMARY_WORDS <= words <= _SUMMARY_MOST_WORDS or block.link_share > _LINKED:
        return False
    if roles.get(block.index, "") in ("caption", "author", "date", "item"):
        return False
    # Right below the title stands what belongs to it, whatever that is called.
    below = article.title is not None and 0 < block.index - article.title <= _BELOW_TITLE
    if block.index not in article.main and not below and _is_aside(block):
        return False
    return block.tag not in _CELLS and block.tag not in _ITEMS and block.tag != "h1"


def _folded(text: str) -> list[str]:
    return re.findall(r"\w+", drop_unseen(text).casefold())


def _is_described(text: str, described: set[str]) -> bool:
    words = set(_folded(text))
    if len(described) < _SUMMARY_WORDS or not words:
        return False
    shared = len(words & described)
    return shared / len(described) >= _MATCHING and shared / len(words) >= _CUT
