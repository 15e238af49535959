"""Pages of a template that was counted, and pages that say they are another."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, SiteCounts, get_method, observe, read
from crawler.journey.evidence import alias_of, declared_original

METHOD = get_method("frequency-adaptive")
OLD = "<p>Home of the old paper</p><p>Weather and tides</p>{}<p>All rights with the old paper</p>"
NEW = "<p>The new paper at last</p><p>Five stories a day</p>{}<p>Contact the new desk</p>"
FEW = 19


def page(number: int, frame: str, head: str = "") -> Page:
    story = (
        f"<p>Story {number} of house {number * 7} by the canal, {number} steps from the mill.</p>"
    )
    return Page.from_text(f"https://run.example/{number}", head + frame.format(story))


def counts(pages: int) -> SiteCounts:
    site = SiteCounts()
    for number in range(pages):
        site.add(observe(read(page(number, OLD)), METHOD))
    return site


@pytest.mark.parametrize(
    ("counted", "frame", "like"), [(30, OLD, True), (30, NEW, False), (FEW, OLD, False)]
)
def test_a_page_is_like_those_whose_frame_it_has(counted: int, frame: str, *, like: bool) -> None:
    view = counts(counted).view()
    assert view.has_template_of(observe(read(page(99, frame)), METHOD)) == like


def test_a_page_of_a_site_never_counted_is_like_none() -> None:
    assert not SiteCounts().view().has_template_of(observe(read(page(1, OLD)), METHOD))


@pytest.mark.parametrize(
    ("canonical", "original"),
    [
        ("https://run.example/1", None),
        ("/1", None),
        ("http://www.run.example/1?utm_source=x", None),
        ("https://other.example/2", None),
        ("/1/", "https://run.example/1/"),
        ("/story?id=1", "https://run.example/story?id=1"),
    ],
)
def test_a_page_names_its_original(canonical: str, original: str | None) -> None:
    document = read(page(1, OLD, f'<link rel="canonical" href="{canonical}">'))
    assert declared_original(document) == original


def test_an_alias_says_so_and_repeats_its_original() -> None:
    text = "<p>" + "A long story of the ferry that nobody else tells, told in full. " * 5 + "</p>"
    link = '<link rel="canonical" href="https://run.example/{}">'
    pages = {
        "story": link.format("story") + OLD.format(text),
        "sport/story": link.format("story") + OLD.format(text),
        "other": link.format("story") + OLD.format("<p>Quite another text, of the bakery.</p>"),
        "twin": OLD.format(text),
    }
    site, declared = SiteCounts(), dict[str, str]()
    for name, html in pages.items():
        document = read(Page.from_text(f"https://run.example/{name}", html))
        site.add(observe(document, METHOD))
        if (original := declared_original(document)) is not None:
            declared[document.page.url] = original
    view = site.view()
    found = {name: alias_of(f"https://run.example/{name}", declared, view) for name in pages}
    assert found == {
        "story": None,
        "sport/story": "https://run.example/story",
        "other": None,
        "twin": None,
    }


def test_of_pages_that_name_one_nobody_linked_the_first_stands_for_it() -> None:
    text = "<p>" + "A long story of the ferry that nobody else tells, told in full. " * 30 + "</p>"
    for named, alias in (("/story", "https://run.example/a"), ("/", None)):
        site, declared = SiteCounts(), dict[str, str]()
        for name in "abc":
            html = f'<link rel="canonical" href="{named}">' + OLD.format(text)
            document = read(Page.from_text(f"https://run.example/{name}", html))
            site.add(observe(document, METHOD))
            declared[document.page.url] = declared_original(document) or ""
        view = site.view()
        found = [alias_of(f"https://run.example/{name}", declared, view) for name in "abc"]
        assert found == [None, alias, alias]


def test_two_pages_that_name_each_other_are_both_kept() -> None:
    text = "<p>" + "A long story of the ferry that nobody else tells, told in full. " * 5 + "</p>"
    site, declared = SiteCounts(), dict[str, str]()
    for name, other in (("a", "b"), ("b", "a")):
        html = f'<link rel="canonical" href="/{other}">' + OLD.format(text)
        document = read(Page.from_text(f"https://run.example/{name}", html))
        site.add(observe(document, METHOD))
        if (original := declared_original(document)) is not None:
            declared[document.page.url] = original
    view = site.view()
    assert [alias_of(f"https://run.example/{name}", declared, view) for name in "ab"] == [
        None,
        None,
    ]
