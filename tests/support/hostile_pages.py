"""Pages that no author writes: for tests of what they cost, and of what is read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MEGABYTE = 1_000_000

# What is served, how many blocks a reader finds, and how many characters in them.
HOSTILE: dict[str, tuple[Callable[[], bytes | str], int, int]] = {
    "one text node of 10 MB": (lambda: b"<p>" + b"a word or " * MEGABYTE, 1, 7 * MEGABYTE),
    "200,000 paragraphs": (lambda: b"<p>ab</p>" * 200_000, 200_000, 400_000),
    "30,000 nested blocks": (lambda: b"<div>x" * 30_000, 30_000, 30_000),
    "100,000 nested inlines": (lambda: b"<span>x" * 100_000, 1, 100_000),
    "50 levels": (lambda: b"<div>" * 50 + b"x" + b"</div>" * 50 + b"y", 2, 2),
    "20,000 blocks at 1,900 levels": (
        lambda: b"<div>" * 1900 + b"<p>x</p>" * 20_000,
        20_000,
        20_000,
    ),
    "100,000 attributes": (
        lambda: b"<p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">x",
        1,
        1,
    ),
    "an attribute of 4 MB": (lambda: b"<p title='" + b"> x " * MEGABYTE + b"'>x</p>y", 2, 2),
    "an address of 5 MB": (lambda: b"<a href='" + b"x" * (5 * MEGABYTE) + b"'>x</a>y", 1, 2),
    "a name of 1 MB": (lambda: b"<" + b"x" * MEGABYTE + b">y", 1, 1),
    "100,000 unclosed paragraphs": (lambda: b"<p>x" * 100_000, 100_000, 100_000),
    "30,000 unclosed list items": (lambda: b"<ul>" + b"<li>x" * 30_000, 30_000, 30_000),
    "100,000 unclosed emphases": (lambda: b"<p><b><i>x" * 50_000, 50_000, 50_000),
    "10,000 nested boxes of code": (lambda: b"<div class=code>x" * 10_000, 10_000, 10_000),
    "10,000 nested codes": (lambda: b"<code><b>" * 10_000 + b"a<br>b", 1, 2),
    "10,000 buttons in a paragraph": (lambda: b"<p>" + b"<button>x</button>" * 10_000, 1, 10_000),
    "10,000 nested links": (lambda: b"<a href=/>x" * 10_000, 1, 10_000),
    "100,000 line breaks": (lambda: b"x<br> " * 100_000, 1, 100_000),
    "30,000 empty lines": (lambda: b"x<br><br>" * 30_000, 30_000, 30_000),
    "100,000 empty inlines before a break": (lambda: b"x" + b"<i> </i>" * 100_000 + b"<br>y", 1, 2),
    "100,000 comments": (lambda: b"<!-- -->" * 100_000 + b"<p>x", 1, 1),
    "100,000 comments within text": (lambda: b"x<!-- -->" * 100_000, 1, 100_000),
    "20,000 ends of the page": (lambda: b"<p>x</html>" * 20_000, 20_000, 20_000),
    "nested drawings with titles": (
        lambda: b"<svg><title>t</title>" * 9000 + b"</svg>" * 9000 + b"<p>x",
        1,
        1,
    ),
    "a title of 1 MB": (
        lambda: b"<title>" + b"a " * (MEGABYTE // 2) + b"</title>" + b"<p>a a b" * 9000,
        9000,
        27_000,
    ),
    "many styles": (lambda: b"<p style='" + b"display " * MEGABYTE + b"'>x", 1, 1),
    "no white space": (lambda: b"<p>" + b"x" * MEGABYTE, 1, MEGABYTE),
    "a million signs of a tag": (lambda: b"<" * MEGABYTE, 1, MEGABYTE),
    "entities of entities": (
        lambda: b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><p>' + b"&b;" * 1000,
        2,
        2 + 3 * 1000,
    ),
    "a million entities": (lambda: b"<p>" + b"&amp;" * MEGABYTE, 1, MEGABYTE),
    "control characters as entities": (lambda: b"<p>" + b"&#1;&shy;&#8203;" * 100_000 + b"x", 1, 1),
    "control characters": (lambda: b"<p>a\x01\x7f word of twelve letters" * 1000, 1000, 20_000),
    "lone surrogates": (lambda: "<p>a\ud800b" * 1000, 1000, 3000),
    "a text that is all surrogates": (lambda: "\udfff" * 1000, 1, 1000),
}  # fmt: skip
