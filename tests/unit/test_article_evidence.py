"""What the evidence about a page's blocks is made of."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.core.flow import Document, Page, read
from crawler.core.methods.article.features import Evidence, head_texts
from crawler.core.methods.article.layout import CUES, FAR, SIGNS, Layout, cues_in
from crawler.core.methods.article.letters import LETTER_COUNTS, Letters
from crawler.core.page.nesting import nesting_of

PROSE = (
    "A sentence that is long enough to be taken for prose, since it has no fewer than the eighty "
    "letters that are asked for."
)


def document(body: str, head: str = "") -> Document:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return read(Page.from_text("https://a.example/", html))


def named(names: str) -> set[str]:
    mask = cues_in(names)
    return {cue for place, cue in enumerate(CUES) if mask >> place & 1}


@pytest.mark.parametrize(
    ("names", "cues"),
    [
        ("", set()),
        ("xyz-123", set()),
        ("post-content", {"post", "content"}),
        ("postContent", {"post", "content"}),
        ("articlebody", {"article", "body"}),
        ("commentlist", {"comment"}),
        ("commentary", set()),  # an opinion column is no comment
        ("ad", {"promo"}),
        ("shadow", set()),
        ("contentinfo", {"foot"}),  # the role of a footer, not of content
    ],
)
def test_names_of_elements_tell_what_they_hold(names: str, cues: set[str]) -> None:
    assert named(names) == cues


def counts(text: str) -> dict[str, float]:
    row = Letters([text]).counts[0]
    return dict(zip(LETTER_COUNTS, row.tolist(), strict=True))


def test_letters_are_counted_in_any_script() -> None:
    english = counts("Two trains, 3 boats. Nothing more!")
    assert (english["letters"], english["uppers"], english["digits"]) == (25, 2, 1)
    assert (english["words"], english["commas"], english["stops"], english["ends"]) == (6, 1, 2, 2)
    korean = counts("\uae30\ucc28\uac00 \ub3cc\uc544\uc654\ub2e4.")
    assert (korean["letters"], korean["dense"], korean["words"]) == (7, 7, 3.5)
    assert counts("3.14")["ends"] == 0, "a point within a number ends nothing"
    assert counts("\U00020000\U0001f600")["letters"] == 0, "beyond the basic plane nothing is told"


def test_each_text_is_counted_by_itself() -> None:
    texts = ["One, two.", "3", "", "Vier!"]
    told = [text for text in texts if text]
    alone = np.stack([Letters([text]).counts[0] for text in told])
    assert (Letters(told).counts == alone).all()


def test_what_two_texts_share_is_found_whatever_the_case() -> None:
    letters = Letters(["NIGHT TRAIN", "Quite another thing"])
    (share, covered), (nothing, none) = letters.shared(["Night train", "ab"])
    assert covered[0] == 1.0
    assert share[0] > 0.7
    assert share[1] < 0.2
    assert not nothing.any(), "too short to compare"
    assert not none.any()


def test_hints_are_read_from_the_head() -> None:
    script = '{"@type": "Article", "articleBody": "First &lt;b&gt; <p>second\\nthird."'
    title, description, body = head_texts(
        document(
            "<p>x",
            '<meta property="og:title" content="Train"><meta name=description content="Short">'
            f'<script type="application/ld+json">{script}</script>',
        ).parsed
    )
    assert (title, description) == ("Train", "Short")
    assert body.split() == ["First", "&lt;b&gt;", "second", "third."]


def test_a_page_without_hints_has_none() -> None:
    page = document("<p>x", "<script>articleBody</script>")
    assert head_texts(page.parsed) == ("", "", "")


def layout(body: str) -> tuple[Document, Layout]:
    page = document(body)
    return page, Layout(nesting_of(page))


def test_distances_lead_outwards_to_the_nearest_sign() -> None:
    _, found = layout('<div class="sidebar"><div><p>one</div></div><p>two')
    side = SIGNS.index("side")
    assert found.distance[found.at, side].tolist() == [2, FAR]
    assert found.distance[found.at, SIGNS.index("<p>")].tolist() == [0, 0]


def test_each_element_knows_the_blocks_within_it() -> None:
    page, found = layout("<div><p>a<p>b</div><section><div><p>c</div></section>")
    ones = np.ones((1, len(page.blocks)))
    held = found.sums(ones)[0]
    assert held[found.at].tolist() == [1, 1, 1]
    around = found.outer[found.at]
    assert held[around].tolist() == [2, 2, 3], "wrappers that hold the same block are passed over"


def test_comments_come_after_prose_and_without_the_headline() -> None:
    comments = f'<div id="comments"><p>{PROSE}<p>Nice.</div>'
    page = document(
        f"<h1>Night train</h1><p>{PROSE}{comments}<p>After.", "<title>Night train</title>"
    )
    assert Evidence(page).comments.tolist() == [False, False, True, True, False]
    wrapped = document(f'<div class="has-comments"><h1>Night train</h1><p>{PROSE}</div>')
    assert not Evidence(wrapped).comments.any(), "what holds the headline is the article"
    first = document(f"{comments}<p>{PROSE}")
    assert not Evidence(first).comments.any(), "no article came before"


def test_evidence_has_a_row_a_block_and_is_always_a_number() -> None:
    page = document("<nav><a href=/>Home</a></nav><h1>1</h1><p>" + PROSE + "<pre>x\n\ty</pre>")
    found = Evidence(page)
    assert found.rows.shape == (len(page.blocks), len(found.names))
    assert len(set(found.names)) == len(found.names)
    assert np.isfinite(found.rows).all()
    assert found.rows.dtype == np.float32


def test_deep_and_wide_pages_are_read_in_reasonable_time() -> None:
    deep = document("<div>" * 900 + "text" + "</div><p>more" * 900)
    assert len(Evidence(deep).rows) == len(deep.blocks)
    wide = document("".join(f'<div class="c{number}"><p>{number}</div>' for number in range(5_000)))
    assert len(Evidence(wide).rows) == 5_000
