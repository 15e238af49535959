"""Old blogs whose first heading is their own name: the title is the post's."""

from __future__ import annotations

import pytest

from crawler.core.flow import SiteCounts, observe, read
from crawler.core.metadata.read import read_metadata
from crawler.core.metadata.template import Template
from crawler.core.page.page import Page
from crawler.core.page.parse import parse

TITLE = "Rain falls on the town"
PROSE = "<p>The night train to the coast is full long before it leaves each day.</p>" * 3
NAMED = f"<title>{TITLE} | Hill Notes</title>"
HOME = '<h1><a href="/">Hill Notes</a></h1>'


def title_of(html: str, url: str = "https://notes.example/2026/rain") -> str | None:
    return read_metadata(parse(Page.from_text(url, html + PROSE)), url).title


@pytest.mark.parametrize(
    "html",
    [
        f"{NAMED}{HOME}<h2>{TITLE}</h2>",
        f"<title>{TITLE} - Hill Notes</title><div>{HOME}</div><h3>{TITLE}</h3>",
        f"{NAMED}<h1>Hill Notes</h1><h2>{TITLE}</h2>",
        f'<title>Hill Notes: {TITLE}</title><h1>Hill Notes</h1><h3 class="post-title">{TITLE}</h3>',
        f'{NAMED}<meta property="og:title" content="{TITLE}"><h1>Hill Notes</h1>',
        NAMED + '<script type="application/ld+json">{"@type": "Article", "headline": '
        f'"{TITLE}"}}</script><h1>Hill Notes</h1>',
        f"{NAMED}{HOME}",
    ],
)  # fmt: skip
def test_a_heading_that_names_the_site_is_no_title(html: str) -> None:
    assert title_of(html) == TITLE


def test_a_site_named_in_korean_is_told_too() -> None:
    html = "<title>비가 내린다 : 언덕노트</title><h1>언덕노트</h1><h2>비가 내린다</h2>"
    assert title_of(html) == "비가 내린다"


def test_a_heading_with_its_subtitle_is_not_the_name_of_a_site() -> None:
    html = "<title>Night trains: they are back</title><h1>Night trains</h1><h2>They are back</h2>"
    assert title_of(html) == "Night trains"
    assert title_of(f'<title>{TITLE}</title><h1><a href="/2026/rain">{TITLE}</a></h1>') == TITLE


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("<span>Coast</span><span>: Rain falls</span>", "Coast: Rain falls"),
        ("<span>Coast</span><span>Rain falls</span>", "Coast Rain falls"),
        ("<span>C\u00f4te</span> <span>: il pleut</span>", "C\u00f4te : il pleut"),
    ],
)
def test_what_closes_goes_with_what_stands_before_it(heading: str, title: str) -> None:
    assert title_of(f"<title>{title} - Hill Notes</title><h1>{heading}</h1>") == title


def test_the_first_page_of_a_site_has_its_name_as_title() -> None:
    assert title_of(f"<title>Hill Notes</title>{HOME}", "https://notes.example/") == "Hill Notes"


WALKS = ("coast", "marsh", "ridge", "canal", "quarry")


def layout(walk: str, title: str) -> str:
    """Make a page of the nineties: without a heading, in a frame of tables."""
    return f"""<title>{title}</title><table><tr><td>Hill Notes<br>walks and words</td></tr>
    <tr><td><b>A walk to the {walk}</b></td></tr><tr><td>{PROSE.replace("coast", walk)}
    </td></tr><tr><td>Sea</td></tr></table>"""


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A walk to the {} - Hill Notes", "A walk to the ridge"),
        ("Hill Notes | A walk to the {}", "A walk to the ridge"),
        # No text of the page, or the rest is not in the frame.
        ("Strolls to the {} - Hill Notes", "Strolls to the ridge - Hill Notes"),
        ("A walk to the {} - in the rain", "A walk to the ridge - in the rain"),
    ],
)
def test_a_layout_without_headings_shows_its_title_as_text(title: str, expected: str) -> None:
    pages = [
        read(Page.from_text(f"https://a1.test/{walk}", layout(walk, title.format(walk))))
        for walk in WALKS
    ]
    counts = SiteCounts()
    for each in pages:
        counts.add(observe(each))
    third, template = pages[2], Template(pages[2].blocks, counts.view())
    assert read_metadata(third.parsed, third.page.url, template=template).title == expected
    assert read_metadata(third.parsed, third.page.url).title == title.format("ridge")
