"""A small made corpus with gold text, the same for the same seed.

Six sites in five languages and four templates, twelve addresses each. Every site has navigation,
a footer and a notice on all pages, a box on the pages of one section only, a bar of share links,
links to other posts (different on every page), readers' comments (no part of the gold), and one
article that stands under a second address as well.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Corpus", "write_corpus"]

PAGES_PER_SITE = 12
LANGUAGES = Path(__file__).with_name("made_languages.json")


@dataclass(frozen=True, slots=True)
class Language:
    """What sentences and pages of one language are put together from: made_languages.json."""

    code: str
    who: list[str]
    did: list[str]
    what: list[str]
    where: list[str]
    when: list[str]
    pattern: str
    menu: list[str]
    sections: list[str]
    notice: str
    footer: str
    box: str
    share: str
    comments: str
    more: str
    joiner: str


class Article(NamedTuple):
    """A post and what readers wrote below it, which is no part of the gold."""

    title: str
    section: int
    blocks: tuple[tuple[str, tuple[str, ...]], ...]
    comments: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join([self.title, *(line for _, lines in self.blocks for line in lines)])


SITES = (
    ("town-paper.example", "en", "semantic"),
    ("walks.example", "en", "tables"),
    ("blog-ko.example", "ko", "divs"),
    ("dorfblatt.example", "de", "lines"),
    ("blog-ja.example", "ja", "semantic"),
    ("gazeta.example", "ru", "divs"),
)


class Corpus(NamedTuple):
    """How many pages of how many sites were written."""

    pages: int
    sites: int


def write_corpus(path: Path, seed: int = 2024) -> Corpus:
    """Write the corpus as gold JSON Lines."""
    rows = [row for number in range(len(SITES)) for row in _site(number, seed)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Corpus(pages=len(rows), sites=len(SITES))


def _site(number: int, seed: int) -> Iterator[dict[str, str]]:
    site, code, template = SITES[number]
    language = _language(code)
    chance = random.Random(seed + number)
    articles = [_article(language, index % 3, chance) for index in range(PAGES_PER_SITE - 1)]
    addresses = [(article, f"/{index + 1}") for index, article in enumerate(articles)]
    addresses.append((articles[3], "/4?from=newsletter"))
    for article, address in addresses:
        others = chance.sample([other.title for other in articles if other is not article], 4)
        html = _page(language, template, article, others)
        yield {
            "site": site,
            "url": f"https://{site}{address}",
            "html": html,
            "gold_text": article.text,
        }


def _language(code: str) -> Language:
    languages = json.loads(LANGUAGES.read_text(encoding="utf-8"))
    return Language(code=code, **languages[code])


def _article(language: Language, section: int, chance: random.Random) -> Article:
    blocks: list[tuple[str, tuple[str, ...]]] = [
        ("p", (_paragraph(language, chance),)) for _ in range(chance.randint(3, 7))
    ]
    extras = (
        ("h2", (_sentence(language, chance),)),
        ("ul", tuple(_sentence(language, chance) for _ in range(3))),
        ("blockquote", (_paragraph(language, chance),)),
    )
    for extra in extras:
        if chance.random() < 0.5:
            blocks.insert(chance.randint(1, len(blocks) - 1), extra)
    return Article(
        title=_sentence(language, chance).rstrip(".。"),
        section=section,
        blocks=tuple(blocks),
        comments=tuple(_sentence(language, chance) for _ in range(chance.choice((0, 0, 1, 2)))),
    )


def _paragraph(language: Language, chance: random.Random) -> str:
    return language.joiner.join(_sentence(language, chance) for _ in range(chance.randint(2, 5)))


def _sentence(language: Language, chance: random.Random) -> str:
    return language.pattern.format(
        who=chance.choice(language.who),
        did=chance.choice(language.did),
        what=chance.choice(language.what),
        where=chance.choice(language.where),
        when=chance.choice(language.when),
    )


def _page(language: Language, template: str, article: Article, others: list[str]) -> str:
    section = language.sections[article.section]
    parts = {
        "menu": "".join(f'<li><a href="/m{i}">{m}</a></li>' for i, m in enumerate(language.menu)),
        "share": f"<span>{language.share}</span> "
        + " ".join(f'<a href="/share/{name}">{name}</a>' for name in ("Post", "Mail", "Feed")),
        "title": escape(article.title),
        "body": "\n".join(_block(tag, lines) for tag, lines in article.blocks),
        "lines": "<br><br>\n".join(escape(x) for _, lines in article.blocks for x in lines),
        "box": language.box.format(section=section),
        "more": language.more,
        "others": "".join(f'<li><a href="/o{i}">{t}</a></li>' for i, t in enumerate(others)),
        "comments": language.comments,
        "said": "".join(f"<p>{comment}</p>" for comment in article.comments),
        "notice": language.notice,
        "footer": language.footer,
        "section": section,
        "lang": language.code,
    }
    return TEMPLATES[template].format(**parts)


def _block(tag: str, lines: tuple[str, ...]) -> str:
    if tag == "ul":
        return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
    inner = f"<p>{escape(lines[0])}</p>" if tag == "blockquote" else escape(lines[0])
    return f"<{tag}>{inner}</{tag}>"


_HEAD = (
    '<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head>'
)

TEMPLATES = {
    "semantic": _HEAD
    + """<body><header><nav><ul>{menu}</ul></nav></header>
<main><article><p>{section}</p><h1>{title}</h1>
{body}
<div class="share">{share}</div></article>
<aside><p>{box}</p><h3>{more}</h3><ul>{others}</ul></aside>
<section><h3>{comments}</h3>{said}</section></main>
<footer><p>{footer}</p><p>{notice}</p></footer></body></html>""",
    "divs": _HEAD
    + """<body><div id="c">{notice}</div><div id="w"><ul>{menu}</ul>
<div class="post"><div class="t">{title}</div><div class="share">{share}</div>
<div class="b">{body}</div></div>
<div class="side"><div>{box}</div><div>{more}</div><ul>{others}</ul></div>
<div class="talk"><div>{comments}</div>{said}</div>
<div class="f">{footer}</div></div></body></html>""",
    "tables": _HEAD
    + """<body><table><tr><td colspan=2><ul>{menu}</ul></td></tr>
<tr><td>{section}<p>{box}</p><b>{more}</b><ul>{others}</ul></td>
<td><h1>{title}</h1>{body}<p>{share}</p><b>{comments}</b>{said}</td></tr>
<tr><td colspan=2>{footer}<br>{notice}</td></tr></table></body></html>""",
    "lines": _HEAD
    + """<body><ul>{menu}</ul><h2>{title}</h2><div>{lines}</div>
<div>{share}</div><div>{box}</div><h3>{more}</h3><ul>{others}</ul>
<h3>{comments}</h3>{said}<hr><small>{footer} {notice}</small></body></html>""",
}
