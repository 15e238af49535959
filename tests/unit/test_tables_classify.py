from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import UnknownMethodError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.areas import Areas, readings
from crawler.core.tables.classify import TABLE_METHODS, get_table_method, judge_grids
from crawler.core.tables.markup import find_tables
from crawler.core.tables.paper_method import Constants, syntactic
from crawler.core.tables.words import classes_of, default_words, load_words

if TYPE_CHECKING:
    from crawler.core.tables.grid import Grid

NUMBERS = "<table><tr><td>Land<td>Area<tr><td>North<td>120<tr><td>South<td>340</table>"
STRINGS = "<table><tr><td>Red<td>Blue<td>Grey<tr><td>Rose<td>Rain<td>Snow</table>"


def grid(html: str) -> Grid:
    (found,) = find_tables(parse(Page.from_text("https://site.example/", html)))
    return found.grid


def test_methods_by_name() -> None:
    assert TABLE_METHODS == ("learned", "rules", "rules-literal")
    assert get_table_method("rules").name == "rules"
    with pytest.raises(UnknownMethodError, match="rules-literal"):
        get_table_method("guess")


def test_a_verdict_tells_which_rule() -> None:
    verdict = get_table_method("rules").judge(grid("<table><caption>x</caption><td>1<td>2</table>"))
    assert (verdict.is_genuine, verdict.rule, verdict.reason) == (True, 1, "caption")
    assert verdict.coherency is None


def test_coherency_by_hand() -> None:
    # Below the first row: strings of 5 and 5 characters, integers of 3 and 3.
    down, across = readings(grid(NUMBERS))
    assert syntactic(down, Constants(), default_words()) == pytest.approx(1.0)
    # Two values a row would be needed to compare them along rows.
    assert syntactic(across, Constants(), default_words()) is None
    mixed = grid("<table><tr><td>A<td>B<tr><td>x<td>12<tr><td>yyyyyyyyy<td>word</table>")
    down, _ = readings(mixed)
    # Column 1: one type, lengths 1 and 9 both off their mean 5: 0.6. Column 2: two types, lengths
    # 2 and 4 both within 1.5 and 4.5 of their mean 3: 0.3 + 0.4.
    assert syntactic(down, Constants(), default_words()) == pytest.approx((0.6 + 0.7) / 2)


def test_strings_alone_prove_nothing_but_literally_they_do() -> None:
    strict = get_table_method("rules").judge(grid(STRINGS))
    literal = get_table_method("rules-literal").judge(grid(STRINGS))
    assert (strict.is_genuine, strict.reason, strict.main_type) == (False, "strings", "string")
    assert (literal.is_genuine, literal.reason) == (True, "syntactic")
    assert strict.coherency == literal.coherency == pytest.approx(1.0)


def test_constants_are_used() -> None:
    never = get_table_method("rules", Constants(threshold=1.0))
    assert never.judge(grid(NUMBERS)).reason == "incoherent"
    assert get_table_method("rules").judge(grid(NUMBERS)).areas == Areas(1, 0)
    images = "<table><tr><td><img><td>a<tr><td>b<td>c</table>"
    few = get_table_method("rules", Constants(most=0.2))
    assert few.judge(grid(images)).rule == 5


def test_semantic_coherency_names_its_class() -> None:
    verdict = get_table_method("rules").judge(grid("<table><tr><td>Wind<td>12 mph</table>"))
    assert (verdict.reason, verdict.attribute_class) == ("semantic", "speed")


def test_a_page_keeps_the_verdicts_of_its_first_method_alone() -> None:
    rows = "".join(f"<tr><td>{year}<td>{2 * year}" for year in range(1990, 1999))
    page = parse(Page.from_text("https://a.example/", f"<table><tr><th>Year<th>Sum{rows}</table>"))
    grids = [found.grid for found in find_tables(page)]
    method, rules = get_table_method("learned"), get_table_method("rules")
    first = judge_grids(page, grids, method)
    assert judge_grids(page, grids, get_table_method("learned"))[0] is first[0]
    assert judge_grids(page, grids, rules) == rules.judge_all(grids)
    assert first == method.judge_all(grids)


@pytest.mark.parametrize(
    "text", ["price", "unit price (net)", "가격표", "x가격", "priced", "", "9"]
)
def test_first_words_of_keywords_change_no_class(text: str) -> None:
    words = default_words()
    all_classes = [name for name, keywords in words.keywords.items() if keywords.search(text)]
    assert words.heads is not None
    assert list(classes_of(text, words)) == all_classes


def test_keywords_may_begin_with_a_sign() -> None:
    words = load_words([{"classes": {"rank": {"keywords": ["# of"], "values": ["integer"]}}}])
    assert words.heads is None
    assert classes_of("# of wins", words) == ("rank",)
