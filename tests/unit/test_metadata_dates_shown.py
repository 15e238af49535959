"""Dates that readers see: labelled, with a time of a day in the address, or in running prose."""

from __future__ import annotations

import json

import pytest

from crawler.core.metadata.read import Metadata, read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse

TITLE = "Night trains are back"
DATED = "https://post.example/2026/11/20/night-trains"
PLAIN = "https://post.example/night-trains"


def read(html: str, url: str = PLAIN) -> Metadata:
    text = f"<html lang=en><title>{TITLE}</title><h1>{TITLE}</h1>{html}</html>"
    return read_metadata(parse(Page.from_text(url, text)), url)


@pytest.mark.parametrize(
    ("html", "source"),
    [
        ('<time datetime="2026-11-20T14:05:00+01:00">20 Nov</time>', "time"),
        ("<p>Published 20 November 2026, 14:05:00 +01:00</p>", "text"),
    ],
)
def test_a_time_of_the_day_in_the_address_is_told(html: str, source: str) -> None:
    found = read(html, DATED)
    assert found.published == "2026-11-20T14:05:00+01:00"
    assert found.sources["published"] == source


def test_another_day_does_not_overrule_the_address() -> None:
    found = read('<time datetime="2026-11-22T14:05:00+01:00">22 Nov</time>', DATED)
    assert found.published == "2026-11-20"


@pytest.mark.parametrize(
    "html",
    [
        "<p>Last updated 21 November 2026. First published 20 November 2026.</p>",
        "<p>Published 20 November 2026 | Updated 21 November 2026</p>",
        '<p class="published">Published 20 November 2026, updated 21 November 2026</p>',
        "<p>Published 20 November 2026</p><p>Updated 21 November 2026</p>",
    ],
)
@pytest.mark.parametrize("url", [DATED, PLAIN])
def test_both_dates_of_a_page_are_told_apart(html: str, url: str) -> None:
    found = read(html, url)
    assert (found.published, found.modified) == ("2026-11-20", "2026-11-21")


@pytest.mark.parametrize(
    "prose",
    [
        "The bridge was opened on 6 June 1994 by the mayor of the town, and has stood since.",
        "The fair opens on 5 March 2027 in the old harbour of Leeds.",
        "On 6 June 1994 the ship with all of its crew sank off the coast",
    ],
)
def test_a_day_in_running_prose_is_no_date_of_the_page(prose: str) -> None:
    found = read(f"<p>{prose}</p>")
    assert found.published is None
    assert read(f"<p>{prose}</p><p>3 March 2026</p>").published == "2026-03-03"


def test_a_long_line_with_a_date_is_believed() -> None:
    line = "<p>By The Editors, Maritime Desk, The Harbour Post in the Old Town | 3 March 2026</p>"
    assert read(line).published == "2026-03-03"


@pytest.mark.parametrize("kind", ["VideoObject", "ImageObject", "Person", "Product", "AudioObject"])
def test_what_stands_in_a_page_does_not_date_it(kind: str) -> None:
    inside = {
        "@type": kind, "name": "A clip of fog", "uploadDate": "2020-01-01",
        "datePublished": "2020-01-01", "author": "The Fog Desk",
    }  # fmt: skip
    script = f'<script type="application/ld+json">{json.dumps(inside)}</script>'
    found = read(f"{script}<p class=byline>By Harbour Editors</p><p>3 March 2026</p>")
    assert found.published == "2026-03-03"
    assert found.authors == ("Harbour Editors",)


def test_a_video_that_is_the_matter_of_its_page_dates_it() -> None:
    video = {"@type": "VideoObject", "name": TITLE, "uploadDate": "2020-01-01"}
    script = f'<script type="application/ld+json">{json.dumps(video)}</script>'
    assert read(script).published == "2020-01-01"
