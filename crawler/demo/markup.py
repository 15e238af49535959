"""From articles to HTML: the templates, and how each of them writes an article's parts."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING
from zlib import crc32

from crawler.demo.content import LINK, STRESS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.demo.content import Part

__all__ = ["built_at", "counter", "inline", "link", "modern_body", "old_body", "render"]


def render(template: str, **values: str) -> str:
    """Fill ``templates/<template>.html``; each value is HTML already.

    Raises:
        KeyError: The template names a value that was not given.

    """
    return _template(template).substitute(values)


@cache
def _template(name: str) -> Template:
    source = files("crawler.demo") / "templates" / f"{name}.html"
    return Template(source.read_text(encoding="utf-8"))


def inline(line: str) -> str:
    """Write a line of an article as HTML, with its marks of stress and links."""
    return LINK.sub(r'<a href="\2">\1</a>', STRESS.sub(r"<em>\1</em>", escape(line, quote=False)))


def link(href: str, text: str) -> str:
    """Write a hyperlink."""
    return f'<a href="{escape(href)}">{escape(text, quote=False)}</a>'


def modern_body(parts: Iterable[Part]) -> str:
    """Write parts as today's pages do: ``p``, ``h2``, ``ul``."""
    written: list[str] = []
    for part in parts:
        lines = [inline(line) for line in part.lines]
        if part.kind == "heading":
            written.append(f"<h2>{lines[0]}</h2>")
        elif part.kind == "list":
            items = "\n".join(f"<li>{line}</li>" for line in lines)
            written.append(f"<ul>\n{items}\n</ul>")
        elif part.kind == "table":
            written.append(part.lines[0])
        else:
            written.append(f"<p>{lines[0]}</p>")
    return "\n".join(written)


def old_body(parts: Iterable[Part]) -> str:
    """Write parts as pages did before style sheets: lines with two ``BR`` between them."""
    return "<BR><BR>\n".join(inline(line) for part in parts for line in part.lines)


def counter(path: str) -> int:
    """Give the page a visitor number, 100 to 9,999: another one a page, the same one every run."""
    return 100 + crc32(path.encode()) % 9_900


def built_at(path: str) -> str:
    """Give the page a time of day at which it claims to have been built: ``HH:MM:SS``."""
    seconds = crc32(path.encode()) % 86_400
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
