"""Crawls of servers whose headers and pages hold what acts on terminals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.crawling import Project, Site, article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_nothing_of_a_server_acts_on_the_terminal(project: Project, make_site: MakeSite) -> None:
    title = "<title>\x1b]0;owned\x07 \u202etxt.exe \x9b2J</title>"
    links = '<a href="/a\x1b[2J">a</a><a href="/typed">b</a><a href="/moved">c</a>'
    site = make_site({
        "/": html(f"{title}{links}{article(1)}"),
        "/typed": (200, {"Content-Type": "x/\x1b[31m\x9b1m\u00851"}, b"\x1b[2J\x00\x01"),
        "/moved": (302, {"Location": "/b\x1b]0;x\x07", "Refresh": "0; url=\x1b["}, b""),
        "/a%1B[2J": html("gone\x1b[2J", status=404),
    })  # fmt: skip
    out, err = project.run(
        "crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-L", "DEBUG"
    )
    assert "x/\\x1b[31m" in err
    assert not ACTING.search(out + err)
    assert site.url in {item["url"] for item in project.items()}
