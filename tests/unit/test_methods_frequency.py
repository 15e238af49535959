"""The method of Kim and Kim (2021) on small collections of known frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Document, Page, SiteCounts, SiteView, annotate, observe, read
from crawler.core.methods.published import REMOVED, TextFrequency, frequency_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

FRAME, SOME, PAIR = "Add this page to your favourites", "Posts of this category", "Both of us"
METHOD = TextFrequency()


def document(number: int, body: str) -> Document:
    html = f"<html><head><title>t</title></head><body>{body}</body></html>"
    return read(Page.from_text(f"https://s.example/{number}", html))


def texts(text: str, times: int) -> str:
    return f"<p>{text}</p>" * times


def counted(documents: Iterable[Document], method: TextFrequency = METHOD) -> SiteView:
    counts = SiteCounts()
    for each in documents:
        counts.add(observe(each, method))
    return counts.view()


def verdicts(
    page: Document, view: SiteView, method: TextFrequency = METHOD
) -> dict[str, tuple[str, int]]:
    return {
        block.text: (label.reason, label.frequency)
        for block, label in annotate(page, view, method).pairs()
        if block.text != "t"
    }


# Ten pages with ten times the frame on each, 100; five with three times the category, 15; and on
# each a text of its own, 1: the paper's example of ranks 1, 2 and 3.
BODIES = [
    texts(FRAME, 10) + texts(f"Mine is {n}", 1) + (texts(SOME, 3) if n < 5 else "")
    for n in range(10)
]
SITE = [document(number, body) for number, body in enumerate(BODIES)]


def test_of_three_frequencies_the_rarest_is_main_text() -> None:
    view = counted(SITE)
    assert view.sums["text-nodes"].levels.tolist() == [1, 15, 100]
    # k = 3, so rank k - 2 = 1: the frequency 1.
    assert METHOD.cutoff(view).threshold == 1
    assert verdicts(SITE[0], view) == {
        FRAME: ("frequent", 100),
        "Mine is 0": ("text", 1),
        SOME: ("frequent", 15),
    }
    assert annotate(SITE[0], view, METHOD).text == "Mine is 0"


def test_of_four_frequencies_two_are_main_text() -> None:
    site = [document(n, body + (texts(PAIR, 1) if n > 7 else "")) for n, body in enumerate(BODIES)]
    view = counted(site)
    assert view.sums["text-nodes"].levels.tolist() == [1, 2, 15, 100]
    assert METHOD.cutoff(view).threshold == 2
    assert annotate(site[9], view, METHOD).text == f"Mine is 9\n{PAIR}"


@pytest.mark.parametrize("bodies", [[texts("One", 1)], [texts("One", 1) + texts("Two", 2)]])
def test_with_fewer_than_three_frequencies_everything_is_main_text(bodies: list[str]) -> None:
    site = [document(number, body) for number, body in enumerate(bodies)]
    view = counted(site)
    assert METHOD.cutoff(view).threshold is None
    assert {reason for reason, _ in verdicts(site[0], view).values()} == {"text"}


def test_occurrences_count_and_not_pages() -> None:
    # Three times on one page are more than once on each of two pages.
    site = [
        document(0, texts("thrice", 3) + texts("twice", 1) + texts("once", 1)),
        document(1, texts("twice", 1)),
    ]
    view = counted(site)
    assert {text: count for text, (_, count) in verdicts(site[0], view).items()} == {
        "thrice": 3,
        "twice": 2,
        "once": 1,
    }
    assert annotate(site[0], view, METHOD).text == "once"


def test_a_page_seen_twice_is_counted_once() -> None:
    assert counted([*SITE, *SITE]).sums["text-nodes"].levels.tolist() == [1, 15, 100]


def test_pages_that_are_alike_are_not_folded() -> None:
    # The paper counts the whole collection as it is, one article under two addresses twice.
    body = texts("The storm hit the harbour at night and two boats sank in it. " * 5, 1)
    site = [document(0, body), document(1, body)]
    site += [document(n, texts(f"Nothing of page {n} is like any other. " * 9, 1)) for n in (2, 3)]
    view = counted(site)
    assert (view.pages_seen, view.pages) == (4, 3)
    assert list(verdicts(site[0], view).values()) == [("text", 2)]


@pytest.mark.parametrize("name", ["header", "footer", "a", "em"])
def test_removed_elements_are_dropped_and_not_counted(name: str) -> None:
    assert name in REMOVED
    page = document(0, f"<p>kept <{name}>gone <b>gone too</b></{name}> kept too</p>")
    view = counted([page])
    assert verdicts(page, view) == {
        "kept": ("text", 1),
        "gone": ("removed", 0),
        "gone too": ("removed", 0),
        "kept too": ("text", 1),
    }


def test_the_head_is_removed_and_scripts_are_no_text_at_all() -> None:
    page = read(
        Page.from_text(
            "https://s.example/",
            "<html><head><title>t</title></head><body><script>s</script><style>c</style>"
            "<p>x</p><iframe src='/y'>frames</iframe></body></html>",
        )
    )
    kinds = {piece.text: piece.dropped for piece in frequency_blocks(page)}
    assert kinds.pop("frames", "removed") == "removed"
    assert kinds == {"t": "removed", "x": ""}


def test_removed_elements_are_the_papers() -> None:
    assert sorted(REMOVED) == [
        "a",
        "em",
        "footer",
        "head",
        "header",
        "iframe",
        "link",
        "script",
        "style",
    ]


def test_every_stretch_between_two_tags_is_a_block_of_its_own() -> None:
    page = document(0, "<p>It <b>really</b> sank.<br>Yes.</p>")
    assert list(verdicts(page, counted([page]))) == ["It", "really", "sank.", "Yes."]


def test_texts_are_the_same_when_they_read_the_same() -> None:
    site = [
        document(0, "<p>Comments\n (3)</p><p>Comments (12)</p><p>COMMENTS (3)</p>"),
        document(1, "<p> Comments (3)</p>"),
    ]
    found = verdicts(site[0], counted(site))
    assert {text: count for text, (_, count) in found.items()} == {
        "Comments (3)": 2,
        "Comments (12)": 1,
        "COMMENTS (3)": 1,
    }


def test_what_was_never_counted_is_rare() -> None:
    assert verdicts(document(99, "<p>New</p>" + texts(SOME, 1)), counted(SITE)) == {
        "New": ("text", 0),
        SOME: ("frequent", 15),
    }


@pytest.mark.parametrize("view", [SiteView(), counted([])])
def test_on_an_unknown_site_all_but_the_removed_is_main_text(view: SiteView) -> None:
    page = document(0, "<p>One</p><header>Two</header>")
    assert METHOD.cutoff(view).threshold is None
    assert verdicts(page, view) == {"One": ("text", 0), "Two": ("removed", 0)}


@pytest.mark.parametrize(("ranks", "threshold"), [(0, 100), (1, 15), (2, 1), (3, None), (9, None)])
def test_how_many_ranks_are_dropped(ranks: int, threshold: int | None) -> None:
    method = TextFrequency(dropped_ranks=ranks)
    assert method.cutoff(counted(SITE, method)).threshold == threshold
