"""Small pages for tests."""

from __future__ import annotations

from crawler.core.page.page import Page

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord")


def article_page(number: int, site: str = "s.example", **fields: object) -> Page:
    """Make an article with text of its own and a line that all of its site have."""
    word = WORDS[number]
    return Page.from_text(
        f"https://{site}/{number}",
        f"""<html lang="en"><title>Of {word}</title><h1>All that is known of {word}</h1>
        <p>The {word} grew behind the second house, and nobody who passed it on the way to the
        station ever asked why {word} should grow there of all places.</p>
        <p>Kept by the people of this town.</p></html>""",
        fetched_at="2024-05-01T10:00:00+00:00",
        fields=fields,
    )
