"""Word and link density: the formulas of Kim and Kim (2021), the tree of Kohlschütter et al."""

from __future__ import annotations

from fractions import Fraction

import pytest

from crawler.core.flow import Page, SiteView, annotate, read
from crawler.core.methods.published import Density, Piece, density, is_content, text_nodes


def pieces(html: str) -> list[Piece]:
    parsed = read(Page.from_text("https://s.example/", html)).parsed
    return text_nodes(parsed)


def verdicts(html: str) -> list[tuple[str, str]]:
    found = annotate(read(Page.from_text("https://s.example/", html)), SiteView(), Density())
    return [(block.text, label.reason) for block, label in found.pairs()]


@pytest.mark.parametrize(
    ("text", "mean", "words"),
    [
        # (7): 8 characters over a mean of 16 are half a sentence; (4): 3 words over it are 6.
        ("ab cd ef", 16, Fraction(6)),
        # As long as the mean: one sentence, so as many words as there are.
        ("ab cd ef", 8, Fraction(3)),
        ("바다 바람", 10, Fraction(4)),
        ("internationalisation", 5, Fraction(1, 4)),
    ],
)
def test_word_density(text: str, mean: int, words: Fraction) -> None:
    (piece,) = pieces(f"<p>{text}</p>")
    assert density(piece, mean)[0] == pytest.approx(float(words))


def test_link_density_of_a_text_node_is_all_or_nothing() -> None:
    # (5): linked words over words; a text node stands in a link or does not.
    found = [density(piece, 5)[1] for piece in pieces("<p>a b <a href=/>c <i>d</i></a> e</p>")]
    assert found == [0, 1, 1, 0]


# The published tree, leaf by leaf, with the values on both sides of each threshold:
# before's links, before's words; the block's links, words; after's words.
@pytest.mark.parametrize(
    ("before", "here", "after", "content"),
    [
        # current link density > 0.333333: boilerplate, whatever stands around.
        ((0, 50), (0.34, 50), 50, False),
        # previous link density > 0.555556: next text density <= 11 boilerplate, > 11 content.
        ((0.56, 50), (0, 50), 11, False),
        ((0.56, 0), (0, 0), 11.1, True),
        # current text density > 9: next = 0 boilerplate, > 0 content.
        ((0.55, 50), (0.33, 9.1), 0, False),
        ((0.55, 0), (0.33, 9.1), 0.1, True),
        # current text density <= 9: next > 10 content.
        ((0, 0), (0, 9), 10.1, True),
        # next <= 10: previous > 4 content, <= 4 boilerplate.
        ((0, 4.1), (0, 9), 10, True),
        ((0, 4), (0, 9), 10, False),
    ],
)
def test_each_leaf_of_the_tree(
    before: tuple[float, float],
    here: tuple[float, float],
    after: float,
    content: bool,  # noqa: FBT001 - a value of the table
) -> None:
    assert is_content(before[::-1], here[::-1], (after, 0)) is content


LONG = "a" * 31
TEN, TEN_AND_ONE = " ".join(["ab"] * 10), " ".join(["ab"] * 9 + ["abc"])


def test_a_page_worked_out() -> None:
    # 29, 31 and 30 characters: (6) the mean is 30. Densities: 10 * 30 / 29 = 10.3; 30 / 31 = 0.97;
    # 10 * 30 / 30 = 10. The first is above 9 with something after it; the second is below 9, after
    # it 10 is not above 10, before it 10.3 is above 4; the third has nothing after it.
    assert verdicts(f"<p>{TEN}</p><p>{LONG}</p><p>{TEN_AND_ONE}</p>") == [
        (TEN, "text"),
        (LONG, "text"),
        (TEN_AND_ONE, "sparse"),
    ]


def test_a_page_with_a_link_worked_out() -> None:
    # The same with the first as a link: it goes; behind a link the second needs 11 after it and
    # has 10; the third has nothing after it.
    assert verdicts(f"<p><a href=/>{TEN}</a></p><p>{LONG}</p><p>{TEN_AND_ONE}</p>") == [
        (TEN, "sparse"),
        (LONG, "sparse"),
        (TEN_AND_ONE, "sparse"),
    ]


def test_the_head_counts_neither_as_text_nor_for_the_mean() -> None:
    html = f"<body><p>{TEN}</p><p>{LONG}</p><p>{TEN_AND_ONE}</p>"
    titled = f"<head><title>{'title ' * 90}</title></head>{html}"
    assert verdicts(titled) == verdicts(html)
    assert verdicts("<title>Only a title</title>") == []


def test_characters_are_those_that_are_read() -> None:
    wide = TEN.replace(" ", "\n" + " " * 40)
    assert verdicts(f"<p>{wide}</p><p>{LONG}</p><p>{TEN_AND_ONE}</p>") == verdicts(
        f"<p>{TEN}</p><p>{LONG}</p><p>{TEN_AND_ONE}</p>"
    )
