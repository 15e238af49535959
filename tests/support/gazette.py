"""Pages of a small newspaper, whose paragraphs are all different."""

from __future__ import annotations

import re

from crawler.core.flow import Page
from crawler.core.methods.article.method import Article

METHOD = Article()
WHO = ("Ada Mott", "Tove Lund", "Otto Penn", "Ines Harrow", "Basil Crane", "Marla Quist")
WHERE = ("Sandhook", "Old Weir", "Gull Point", "Ebb Street", "Lower Mole", "Pier Hamlet")
SAID = [
    "{who} of {where} had warned us for {n} years, and kept a book of each stone that fell.",
    "Engineers from {where} measured the gap with a laser, and found {n} inches more than {who}.",
    "Until then all of {where} walks {n} minutes by the dyke, which {who} has lit with lamps.",
    "Nobody has shown {who} a better plan than that of {where}, which will take {n} more years.",
]


def prose(number: int) -> str:
    """Return a paragraph of two sentences, another one for each number."""
    one, two = (
        SAID[it % 4].format(who=WHO[it % 6], where=WHERE[(it // 6) % 6], n=it + 3)
        for it in (2 * number, 2 * number + 1)
    )
    return f"{one} {two}"


ALL = [prose(number) for number in range(60)]
P = [f"<p>{text}</p>" for text in ALL]


def heading_of(markup: str) -> str:
    found = re.search(r"<h\d[^>]*>([^<]+)", markup)
    assert found is not None
    return found[1]


def page(number: int, body: str, title: str = "") -> Page:
    title = title or f"A note from {WHERE[number % 6]} {number}"
    return Page.from_text(
        f"https://mole.example/2026/{number}",
        f"<html><head><title>{title} | The Mole Gazette</title></head><body><header><a href=/>The "
        "Mole Gazette</a><nav><ul><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul></nav>"
        f"</header><main>{body}</main><aside class=sidebar><h3>More stories</h3><ul><li><a "
        "href=/a/1>Library opens at night</a><li><a href=/a/2>Bakers argue about rye</a></ul>"
        "</aside><footer><p>© The Mole Gazette. All rights reserved.</p></footer></body></html>",
    )


def article(inner: str, number: int = 0) -> str:
    return (
        f"<article><h1>A note from {WHERE[number % 6]} {number}</h1>"
        f"<div class=article-body>{inner}</div></article>"
    )
