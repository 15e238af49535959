"""The project's own method: what a block is worth, which run is best, and what that is good for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Page, SiteCounts, SiteView, annotate, observe, read
from crawler.core.methods.adaptive import AdaptiveFrequency, _best_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

METHOD = AdaptiveFrequency()
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def spelled(number: int) -> str:
    """A number in words: digits of labels count as the same number."""
    return " ".join(NUMBERS[int(digit)] for digit in str(number))


def article(number: int) -> str:
    """Two paragraphs of a page's own, of 120 characters and more."""
    return "".join(
        f"<p>On page {spelled(number)}, part {part}, it is told at some length what was seen from "
        f"the pier on that day, and by whom, and what the harbour master had to say about it.</p>"
        for part in ("one", "two")
    )


def site(pages: int, body: Callable[[int], str], titles: str = "") -> tuple[list[Page], SiteView]:
    """Make and count a site; ``body`` gives the markup of each page."""
    made = [
        Page.from_text(
            f"https://s.example/{number:04}",
            f"<html><head><title>{titles.format(spelled(number))}</title></head>"
            f"<body>{body(number)}</body></html>",
        )
        for number in range(pages)
    ]
    counts = SiteCounts()
    for page in made:
        counts.add(observe(read(page)))
    view = counts.view()
    assert view.pages_seen == pages
    return made, view


def judged(page: Page, view: SiteView, method: AdaptiveFrequency = METHOD) -> list[tuple[str, str]]:
    found = annotate(read(page), view, method)
    return [(block.text, label.reason) for block, label in found.pairs()]


def worth(page: Page, view: SiteView) -> list[float]:
    document = read(page)
    # What is outside is worth what its text is worth.
    labels = [
        replace(label, reason="text" if label.reason == "outside" else label.reason)
        for label in METHOD.label(document, view)
    ]
    return METHOD._worth(document, labels, view.pages)


def body_of_kinds(number: int) -> str:
    """One block of each kind, on a site of six pages."""
    three = number < 3
    return "".join(
        (
            f"<h1>The log of day {spelled(number)}</h1>",  # in the title
            article(number),
            f"<p>{'abcd ' * 15}{spelled(number)}x</p>" if number == 0 else "",  # 60 + 5
            f"<p><a href=/>{'wxyz ' * 5}</a>{'abcd ' * 5}</p>" if number == 0 else "",
            f"<p>{'바' * 20}</p>" if number == 0 else "",
            "<p><a href=/own>A link of this page only</a></p>" if number == 0 else "",
            "<p><a href=/three>A link of three pages</a></p>" if three else "",
            "<p><a href=/>A link of all pages</a></p>",
            "<p>A notice of three pages</p>" if three else "",
            "<p>A notice of all pages</p>",
        )
    )


def test_the_worth_of_each_kind_of_block() -> None:
    pages, view = site(6, body_of_kinds, "The log of day {} - The pier")
    assert view.pages == 6
    toll = 80 / 3  # log2(6 + 2) = 3
    assert worth(pages[0], view) == pytest.approx(
        [
            len("Thelogofdayzero"),  # the headline pays no toll
            120 - toll,  # no more than 120, however long
            120 - toll,
            65 - toll,
            # 20 of 40 characters are linked: half of the block's characters are its own.
            20 - toll,
            # A syllable is worth two and a half letters.
            50 - toll,
            -20,  # links seen nowhere else
            -20 - 60 * 3 / 6,
            -20 - 60,
            -80 * 3 / 6,  # text that recurs
            -80,
        ]
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("abc def", 6),
        ("바다", 5),
        ("海の", 5),
        ("カメラ", 7.5),
        ("海 abc", 5.5),
        ("море", 4),
        ("θάλασσα", 7),
        ("12, 3!", 5),
    ],
)
def test_letters_of_dense_scripts_are_worth_more(text: str, size: float) -> None:
    page = Page.from_text("https://s.example/", f"<p>{text}</p>")
    # On no pages the toll is 80 / log2(2).
    assert worth(page, SiteView()) == pytest.approx([size - 80])


@pytest.mark.parametrize(("pages", "toll"), [(2, 40), (14, 20), (62, 80 / 6)])
def test_the_toll_falls_with_the_pages_of_the_site(pages: int, toll: float) -> None:
    made, view = site(pages, article)
    assert view.pages == pages
    assert worth(made[0], view) == pytest.approx([120 - toll, 120 - toll])


def test_a_short_text_that_stands_in_the_title_by_chance_pays() -> None:
    page = Page.from_text("https://s.example/", "<title>The storm is here</title><p>The storm</p>")
    assert worth(page, SiteView()) == [8 - 80]
    page = Page.from_text("https://s.example/", "<title>The storm is here</title><p>storm is here")
    assert worth(page, SiteView()) == [11]


@pytest.mark.parametrize(
    ("values", "run"),
    [
        ([], (0, 0)),
        ([5], (0, 1)),
        ([-1, 5, -2, 4, -9], (1, 4)),
        ([5, -6, 5], (0, 1)),
        ([5, -6, 7], (2, 3)),
        ([1, 1, 1], (0, 3)),
        # Nothing is worth anything: everything is left to stand.
        ([-1, -2], (0, 2)),
        ([0, 0], (0, 2)),
    ],
)
def test_the_best_run(values: Sequence[float], run: tuple[int, int]) -> None:
    assert _best_run(values) == run


def test_the_headings_directly_above_the_run_belong_to_it() -> None:
    def body(number: int) -> str:
        own = "".join(f"<h{n}>H{n} {spelled(number)}</h{n}>" for n in (1, 2))
        return f"<p>Stray {spelled(number)}</p>{own}{article(number)}<h3>T {spelled(number)}</h3>"

    pages, view = site(4, body)
    found = judged(pages[1], view)
    assert [why for _, why in found] == ["outside", *["text"] * 4, "outside"]


def test_a_heading_with_something_between_is_left() -> None:
    pages, view = site(
        4, lambda n: f"<h2>Day {spelled(n)}</h2><p>Share this</p>{article(n)}<p>Share this too"
    )
    assert [why for _, why in judged(pages[1], view)] == [
        "outside",
        "frequent",
        "text",
        "text",
        "frequent",
    ]


def test_where_nothing_is_worth_anything_all_that_is_rare_is_kept() -> None:
    pages, view = site(4, lambda n: f"<p>Menu<p>Is {spelled(n)}<p><a href=/>Go</a><p>Was {n}x")
    assert judged(pages[2], view) == [
        ("Menu", "frequent"),
        ("Is two", "text"),
        ("Go", "links"),
        ("Was 2x", "frequent"),
    ]
    pages, view = site(4, lambda n: f"<p>Menu<p>Is {spelled(n)}<p>Foot")
    assert annotate(read(pages[2]), view, METHOD).text == "Is two"


def test_on_an_unknown_site_the_longest_stretch_of_text_is_kept() -> None:
    page = Page.from_text(
        "https://s.example/",
        f"<ul><li><a href=/>Home</a></li><li><a href=/a>About</a></li></ul><h1>Day one</h1>"
        f"{article(1)}<p>Share this</p><ul><li><a href=/b>More</a></li></ul>",
    )
    assert [why for _, why in judged(page, SiteView())] == [
        "links",
        "links",
        "text",
        "text",
        "text",
        "outside",
        "links",
    ]


def test_boilerplate_of_one_section_is_dropped() -> None:
    # Ten of a hundred pages belong to the section. The paper's rule keeps what is that rare.
    box = (
        "The section Harbour is edited by the harbour desk, which is glad of letters and of photos."
    )
    pages, view = site(
        100, lambda n: f"<p>Menu</p>{article(n)}{f'<p>{box}</p>' if n < 10 else ''}<p>Foot</p>"
    )
    found = annotate(read(pages[3]), view, METHOD)
    assert (box, "frequent") in judged(pages[3], view)
    assert found.text.count("On page three") == len(found.text.splitlines()) == 2


SAYING = "And that, as every reader of these pages knows, is how it has always been at the pier."


@pytest.mark.parametrize(("pages", "why"), [(299, "frequent"), (300, "text")])
def test_a_sentence_of_three_articles_is_kept_from_three_hundred_pages_on(
    pages: int, why: str
) -> None:
    # 1% of the pages may have it: three of three hundred. On fewer it is taken for a notice.
    def body(number: int) -> str:
        own = article(number)
        return own.replace("</p><p>", f"</p><p>{SAYING}</p><p>") if number < 3 else own

    made, view = site(pages, body)
    assert view.pages == pages
    assert [reason for _, reason in judged(made[1], view)] == ["text", why, "text"]


def test_a_sentence_twice_in_one_article_is_on_one_page() -> None:
    def body(number: int) -> str:
        refrain = f"<p>Heave ho {spelled(number)}!</p>"
        return article(number).replace("</p><p>", f"</p>{refrain * 2}<p>")

    pages, view = site(5, body)
    labels = annotate(read(pages[1]), view, METHOD).labels
    assert [(label.reason, label.frequency) for label in labels] == [("text", 1)] * 4


def test_one_article_under_two_addresses_is_one_page() -> None:
    pages, view = site(8, lambda n: f"<p>Menu</p>{article(n // 2 if n < 2 else n)}<p>Foot</p>")
    assert view.pages == 7
    assert [why for _, why in judged(pages[0], view)] == ["frequent", "text", "text", "frequent"]


def test_a_paragraph_rich_in_links_within_the_text_is_kept() -> None:
    # 32 of 40 characters are linked, so its own are worth less than the toll.
    rich = f"<p>abcd abcd <a href=/>{'wxyz ' * 8}</a></p>"
    pages, view = site(
        5, lambda n: article(n).replace("</p><p>", f"</p>{rich if n == 2 else ''}<p>")
    )
    assert [why for _, why in judged(pages[2], view)] == ["text", "text", "text"]
    assert min(worth(pages[2], view)) < 0


def test_a_list_of_links_within_the_text_is_dropped_and_does_not_end_it() -> None:
    links = "".join(f"<li><a href=/{n}>Read also what was seen {n}</a></li>" for n in range(3))
    pages, view = site(5, lambda n: article(n).replace("</p><p>", f"</p><ul>{links}</ul><p>", 1))
    assert view.pages == 5
    # Links of all pages: three times 80, more than the second paragraph brings in.
    assert [why for _, why in judged(pages[2], view)].count("text") == 1
    pages, view = site(
        5,
        lambda n: (
            article(n).replace("</p><p>", f"</p><ul>{links}</ul><p>") if n == 2 else article(n)
        ),
    )
    assert [why for _, why in judged(pages[2], view)] == ["text", "links", "links", "links", "text"]


def test_a_headline_that_other_pages_link_to_is_text() -> None:
    pages, view = site(
        5,
        lambda n: (
            f"<h1>Day {spelled(n)} at the pier</h1>{article(n)}"
            + "".join(
                f"<p><a href=/{m}>Day {spelled(m)} at the pier</a></p>" for m in range(5) if m != n
            )
        ),
    )
    found = judged(pages[3], view)
    assert [why for _, why in found] == ["text", "text", "text", *["links"] * 4]


def test_labels_tell_the_pages_a_block_stands_on() -> None:
    pages, view = site(5, lambda n: f"<p>Menu<p><a href=/>Go</a>{article(n)}")
    labels = METHOD.label(read(pages[0]), view)
    assert [label.frequency for label in labels] == [5, 5, 1, 1]


def test_dates_and_counts_in_labels_recur() -> None:
    pages, view = site(5, lambda n: f"<p>Comments ({n})</p><p>{n + 1} May</p>{article(n)}")
    assert [why for _, why in judged(pages[0], view)] == ["frequent", "frequent", "text", "text"]


def test_a_long_title_is_compared_in_no_more_than_a_thousand_characters() -> None:
    title = "x" * 1_000 + " the very end of it"
    html = f"<title>{title}</title><p>the very end of it</p>"
    assert worth(Page.from_text("https://s.example/", html), SiteView()) == [14 - 80]


def test_the_share_is_of_distinct_pages_and_one_page_is_always_allowed() -> None:
    assert METHOD.share == 0.01
    assert all(max(1, int(METHOD.share * n)) == max(1, n // 100) for n in range(20_000))


@pytest.mark.parametrize(
    ("pages", "standing_on", "why"),
    [(6, 2, "text"), (12, 2, "text"), (5, 2, "frequent"), (12, 3, "frequent")],
)
def test_a_sentence_said_twice_within_articles_is_kept(
    pages: int, standing_on: int, why: str
) -> None:
    def body(number: int) -> str:
        own = article(number)
        said = number < standing_on
        return own.replace("</p><p>", f"</p><p>{SAYING}</p><p>") if said else own

    made, view = site(pages, body)
    assert [reason for _, reason in judged(made[1], view)] == ["text", why, "text"]


def test_a_label_that_two_pages_share_is_not_said_twice() -> None:
    def body(number: int) -> str:
        own = article(number)
        return own.replace("</p><p>", "</p><p>Photo: archive</p><p>") if number < 2 else own

    made, view = site(12, body)
    assert [reason for _, reason in judged(made[1], view)] == ["text", "frequent", "text"]


def test_a_table_of_figures_within_an_article_is_kept() -> None:
    def body(number: int) -> str:
        rows = "".join(
            f"<tr><th>{spelled(number)} {spelled(hour)}<td>{number}.{hour}<td>{hour}{number}"
            for hour in range(6)
        )
        return article(number).replace("</p><p>", f"</p><table>{rows}</table><p>")

    made, view = site(8, body)
    assert {reason for _, reason in judged(made[3], view)} == {"text"}
