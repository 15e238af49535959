"""The demo site's own words: one small text file an article, read into frozen records.

A file begins with ``name: value`` lines; after the first empty line come the parts of the article,
an empty line between two of them. ``## `` opens a subheading, ``- `` an item of a list, ``<table``
a table in HTML; anything else is a paragraph, in which ``*stress*`` and ``[text](/path)`` may
stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal

PartKind = Literal["paragraph", "heading", "list", "table"]

STRESS: Final = re.compile(r"\*([^*]+)\*")
"""A stressed word; its group is the word."""
LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
"""A link; its groups are the text and the address."""


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, a subheading, a list (a line an item), or a table (its HTML as one line)."""

    kind: PartKind
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """One article as written, before any template is laid around it."""

    name: str
    title: str
    date: str
    section: str
    tags: tuple[str, ...]
    summary: str
    parts: tuple[Part, ...]

    @property
    def gold_text(self) -> str:
        """Headline, paragraphs, subheadings and list items, a line each; tables are left out."""
        lines = [self.title]
        for part in self.parts:
            if part.kind != "table":
                lines.extend(plain(line) for line in part.lines)
        return "\n".join(lines)


def load_articles(folder: str) -> tuple[Article, ...]:
    """Read the articles of ``crawler/demo/content/<folder>``, oldest first."""
    texts = (
        (entry.name.removesuffix(".txt"), entry.read_text(encoding="utf-8"))
        for entry in (files("crawler.demo") / "content" / folder).iterdir()
        if entry.name.endswith(".txt")
    )
    articles = (_article(name, text) for name, text in texts)
    return tuple(sorted(articles, key=lambda article: (article.date, article.name)))


def plain(line: str) -> str:
    """Give the words of a line without its marks of stress and links."""
    return LINK.sub(r"\1", STRESS.sub(r"\1", line))


def _article(name: str, text: str) -> Article:
    head, _, body = text.partition("\n\n")
    values = dict(line.split(": ", 1) for line in head.splitlines())
    tags = values.get("tags", "")
    return Article(
        name=name,
        title=values["title"],
        date=values["date"],
        section=values["section"],
        tags=tuple(tags.split(", ")) if tags else (),
        summary=values["summary"],
        parts=tuple(_part(chunk.strip()) for chunk in body.split("\n\n")),
    )


def _part(chunk: str) -> Part:
    if chunk.startswith("## "):
        return Part("heading", (chunk.removeprefix("## "),))
    if chunk.startswith("<table"):
        return Part("table", (chunk,))
    if chunk.startswith("- "):
        return Part("list", tuple(line.removeprefix("- ") for line in chunk.splitlines()))
    return Part("paragraph", (" ".join(chunk.splitlines()),))
