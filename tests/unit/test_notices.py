"""Lines that are none of the text: what the plain search before the expressions must not lose."""

from __future__ import annotations

import pytest

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
