from __future__ import annotations

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.structure.lines import Line, declared, lines_of


def lines(html: str) -> list[Line]:
    return lines_of(parse(Page.from_text("https://made.example/", html)))


def one(html: str) -> Line:
    (line,) = lines(html)
    return line


def test_a_line_is_heavy_where_all_of_its_letters_are() -> None:
    assert one("<p><b>Education</b>:</p>").style.bold
    assert one("<p><b>Edu</b><strong>cation</strong></p>").style.bold
    assert not one("<p><b>Ph.D.</b> in physics</p>").style.bold
    assert one("<p><u>Education</u></p>").style.underlined


def test_a_line_knows_how_much_of_it_leads() -> None:
    line = one("<p><b>Education:</b> B.Sc., 2001</p>")
    assert line.text[: line.lead] == "Education:"
    head, rest = line.cut(0, line.lead), line.cut(line.lead, len(line.text))
    assert (head.text, head.style.bold) == ("Education:", True)
    assert (rest.text, rest.style.bold) == ("B.Sc., 2001", False)


def test_line_breaks_begin_lines_of_their_own_look() -> None:
    first, second, third = lines("<p><b>Skills</b><br>C, Fortran<br><u>More</u></p>")
    assert [line.text for line in (first, second, third)] == ["Skills", "C, Fortran", "More"]
    assert [line.first for line in (first, second, third)] == [True, False, False]
    assert first.style.bold
    assert not second.style.bold
    assert third.style.underlined


def test_sizes_come_from_tags_fonts_and_styles() -> None:
    assert one("<h2>x</h2>").style.size == 1.5
    assert one("<p><font size=6>x</font></p>").style.font == 6
    assert one("<p><font size='+2'>x</font></p>").style.font == 5
    assert one("<p style='font-size:24px'>x</p>").style.size == 1.5
    assert one("<p style='font-size:18pt'>x</p>").style.size == 1.5
    assert one("<div style='font-size:200%'><p style='font-size:.5em'>x</p></div>").style.size == 1
    assert one("<p style='font-size:huge'>x</p>").style.size == 1


def test_rules_of_the_page_are_read_by_the_end_of_their_selectors() -> None:
    css = (
        "/* p{font-weight:bold} */ @media print{.a{font-weight:700}}"
        "div .b > .c, p.d{font-size:2em} #e{text-transform:uppercase} .f{font-weight:"
    )
    html = "<style>{}</style><p class={}>x</p>"
    assert not one(html.format(css, "none")).style.bold
    assert one(html.format(css, "a")).style.bold
    assert one(html.format(css, "c")).style.size == 2
    assert one(html.format(css, "d")).style.size == 2
    assert one(f"<style>{css}</style><p id=e>x</p>").style.upper


def test_weights_are_read_as_browsers_do() -> None:
    assert one("<p style='font-weight:600'>x</p>").style.bold
    assert not one("<h1 style='font-weight:400'>x</h1>").style.bold
    assert one("<p style='font: bold 12px serif'>x</p>").style.bold
    assert declared("COLOR:red; Font-Weight : 700 !important;bad") == {"font-weight": "700"}


def test_levels_come_from_tags_and_roles() -> None:
    assert one("<h4>x</h4>").level == 4
    assert one("<div role=heading aria-level=3>x</div>").level == 3
    assert one("<div role=heading>x</div>").level == 2
    assert one("<div role=heading aria-level=99>x</div>").level == 9
    assert one("<p>x</p>").level == 0


def test_lines_know_their_item_and_row() -> None:
    first, second = lines("<ul><li>a<br>b</ul>")
    assert first.item is second.item is not None
    left, right, below = lines("<table><tr><td>a<td>b<tr><td>c</table>")
    assert left.row is right.row is not None
    assert below.row is not left.row


def test_a_style_sheet_that_only_opens_ends() -> None:
    assert one("<style>" + "a{" * 50_000 + "</style><p>x</p>").text == "x"
