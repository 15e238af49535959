from __future__ import annotations

import pytest
from lxml.html import fromstring

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.markup import find_tables
from crawler.evaluation.rouge import tokens
from crawler.evaluation.scores import Overlap, rouge
from crawler.evaluation.teds import edits, teds, tree_of_grid, tree_of_markup

TABLE = "<table><thead><tr><th colspan=2>Both<tbody><tr><td>a <b>b</b><td>cd</table>"


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (TABLE, 1.0),
        (TABLE.replace("<th ", "<td ").replace("a <b>b</b>", "ab"), 1.0),
        (TABLE.replace("cd", "ce"), 1 - 0.5 / 6),
        (TABLE.replace(" colspan=2", ""), 1 - 1 / 6),
        (TABLE.replace("<td>cd", ""), 1 - 1 / 6),
        (TABLE.replace("<td>cd", "<td>cd<td><script>x</script>"), 1 - 1 / 7),
        ("<table></table>", 1 / 6),
    ],
)
def test_likeness_of_tables(other: str, expected: float) -> None:
    one, two = (tree_of_markup(fromstring(html)) for html in (TABLE, other))
    assert teds(one, two) == pytest.approx(expected)
    assert teds(two, one) == pytest.approx(expected)


def test_a_table_as_read_is_its_markup() -> None:
    [found] = find_tables(parse(Page.from_text("https://a.example/", TABLE)))
    assert teds(tree_of_grid(found.grid), tree_of_markup(found.element)) == 1.0


def test_tables_too_large_are_not_compared() -> None:
    rows = "".join(f"<tr><td>{number}<td>{number}<td>{number}" for number in range(400))
    one, two = (fromstring(f"<table>{text}</table>") for text in (rows, rows + "<tr><td>x"))
    assert teds(tree_of_markup(one), tree_of_markup(two)) is None


def test_edits() -> None:
    assert [edits("", "abc"), edits("abc", "abc"), edits("flaw", "lawn")] == [3, 0, 2]


def test_spaces_and_marks_are_tokens() -> None:
    assert tokens("A-1,\r\n 3.5% ж…") == ["A", "-", "1", ",", "\r\n", " ", "3.5%", " ", "ж", "…"]


def test_rouge_counts_runs_of_five_tokens() -> None:
    # Of "a b c d" and "a b c e" five tokens in a row are shared of the three runs of each.
    assert rouge("a b c d", "a b c e") == Overlap(2, 3, 3)
    assert rouge("a b", "a b") == Overlap(0, 1, 1)
    assert rouge("", "\n") == Overlap()
    assert rouge("", "a b c d") == Overlap(0, 0, 3)
