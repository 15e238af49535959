"""Sites whose pages are written by JavaScript in the browser, made of plain ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.crawling import html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.demo.server import Answer

SHELL = """<!doctype html><html lang="en"><head><title>Loading</title>
<script src="/app.js" defer></script></head><body><div id="root"></div>
<noscript>This site needs JavaScript.</noscript></body></html>"""
# As applications do: the page's content is asked of an interface of the site.
APP = """
fetch("/api" + location.pathname).then((answer) => answer.text()).then((markup) => {
  const page = new DOMParser().parseFromString(markup, "text/html");
  document.documentElement.lang = page.documentElement.lang;
  document.title = page.title;
  document.getElementById("root").replaceWith(...page.body.childNodes);
});
"""


def scripted(pages: Mapping[str, Answer]) -> dict[str, Answer]:
    """Return a site that shows the same pages in a browser, and nothing to others."""
    kind = {"Content-Type": "text/javascript", "Cache-Control": "max-age=3600"}
    script: dict[str, Answer] = {"/app.js": (200, kind, APP.encode())}
    interface = {
        f"/api{path}": html(answer[2], kind="text/plain") for path, answer in pages.items()
    }
    return script | interface | {path: html(SHELL) for path in pages}
