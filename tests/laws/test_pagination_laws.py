"""Laws of articles cut into several pages: no order matters, and no page is lost or told twice."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.pagination.address import part_number
from crawler.core.pagination.parts import PartLinks, next_part, repeated_blocks

SITE = "https://s.example"
NUMBERED = st.sampled_from(
    ["/a", "/b.html", "/c?id=7", *(f"/a/{n}" for n in range(1, 6)),
     *(f"/a?page={n}" for n in range(4)),
     *(f"/b-{n}.html" for n in range(2, 5)), *(f"/c?id=7&page={n}" for n in range(1, 5)), "/a/"]
)  # fmt: skip
# A page of many control characters is no page.
CHARACTERS = st.characters(exclude_categories=("Cc", "Cs"))
HELD = st.lists(st.tuples(NUMBERED, st.none() | NUMBERED), max_size=14)
TEXTS = st.lists(st.sampled_from(["Tour", "Page 2", "One.", "Two.", "By us", "2"]), max_size=6)


@given(held=HELD, data=st.data(), latest_alone=st.booleans())
def test_chains_do_not_depend_on_the_order_of_pages(
    held: list[tuple[str, str | None]], data: st.DataObject, *, latest_alone: bool
) -> None:
    found = []
    for order in (held, data.draw(st.permutations(held))):
        links = PartLinks(latest_alone=latest_alone)
        for url, following in order:
            links.add(SITE + url, SITE + following if following else None)
        found.append(links.chains())
    assert found[0] == found[1]
    parts = Counter(url for chain in found[0] for url in chain)
    assert all(times == 1 for times in parts.values()), "a page is a part of one article at most"
    assert set(parts) <= {SITE + url for url, _ in held}
    assert all(len(chain) > 1 for chain in found[0])
    assert all(part_number(one, then) for chain in found[0]
               for one, then in pairwise(chain))  # fmt: skip


@given(st.lists(TEXTS, min_size=2, max_size=5), st.sampled_from(["Tour", None]))
def test_only_what_stands_elsewhere_is_left_out(parts: list[list[str]], title: str | None) -> None:
    out = repeated_blocks(parts, title)
    assert len(out) == len(parts)
    said = {text for texts, left in zip(parts, out, strict=True)
            for n, text in enumerate(texts) if n not in left}  # fmt: skip
    assert all(left <= set(range(len(texts))) for texts, left in zip(parts, out, strict=True))
    assert {text for texts in parts for text in texts} - said <= {"Page 2", title}


@given(
    st.text(CHARACTERS, max_size=60),
    st.text(CHARACTERS, max_size=30),
    st.sampled_from(["", "next", "next nofollow"]),
)
def test_any_link_is_read(href: str, text: str, relation: str) -> None:
    markup = f'<a rel="{relation}" href="/a/2{href}">{text}</a><link rel="next" href="{href}2">'
    page = Page.from_text(f"{SITE}/a", f"<body><p>A</p>{markup}</body>")
    found = next_part(parse(page), page.url)
    assert found is None or part_number(page.url, found) == 1
