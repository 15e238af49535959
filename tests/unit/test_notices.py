"""Lines that are none of the text: what the plain search before the expressions must not lose."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, read
from crawler.core.methods.article.notices import _is_about
from crawler.core.words import read_data

WORDS = read_data("crawler.core.methods.article", "notices")


def folded(text: str) -> str:
    return text.casefold().replace("\u0131", "i").replace("i\u0307", "i")


@pytest.mark.parametrize(
    ("names", "stems"), [(("embed", "embed_lines"), "embed_stems"), (("comment",), "comment_stems")]
)
def test_each_phrase_has_one_of_the_stems(names: tuple[str, ...], stems: str) -> None:
    phrases = [folded(phrase) for name in names for phrase in WORDS[name]]
    assert [each for each in phrases if not any(stem in each for stem in WORDS[stems])] == []


@pytest.mark.parametrize("title", ["BBC について", "Samsung 소개", "About Samsung", "회사 소개"])
def test_titles_that_say_what_a_company_is(title: str) -> None:
    document = read(Page.from_text("https://s.example/", f"<h2>{title}</h2><p>text"))
    assert [_is_about(block) for block in document.blocks] == [True, False]
