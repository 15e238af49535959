"""What holds of every text method, on any page and whatever is known of its site."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import (
    Document,
    Page,
    SiteCounts,
    SiteView,
    annotate,
    get_method,
    method_names,
    observe,
    read,
)
from crawler.core.methods.adaptive import AdaptiveFrequency, _best_run
from crawler.core.methods.article import notices, teasers
from crawler.core.methods.news import grams, similarities
from crawler.core.methods.published import TextFrequency, text_nodes
from crawler.core.page.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crawler.core.flow import TextMethod

METHODS: list[TextMethod] = [
    *map(get_method, method_names()),
    AdaptiveFrequency(share=0.5, toll=0.0),
    TextFrequency(dropped_ranks=1),
]
REASONS = {
    *("text", "links", "frequent", "outside", "removed", "sparse"),
    *("no-sentence", "other-block", "not-like-title"),
    *("comment", "cookie", "caption", "byline", "share", "newsletter", "promotion", "related"),
    *("topics", "navigation", "footer", "sidebar"),
}
# Texts are few, so that pages of a site share them; some end as sentences do, some cannot be seen.
TEXTS = st.sampled_from(
    [
        *(
            "Menu",
            "It sank.",
            "Did it?",
            "Harbour storm",
            "The storm hit the harbour. It sank",
            "7",
        ),
        *(
            "바다가 거칠다. 배가 없다",
            "海は荒れた。",
            "ab",
            "  \n ",
            "&shy;",
            "\u200e",
            "&#x1F30A;",
            "x.y z",
        ),
        "The storm hit the harbour at night, and nobody on the pier had seen the like of it. ",
    ]
)
TAGS = st.sampled_from(
    [
        *("p", "div", "a href=/", "b", "em", "h1", "h2", "header", "footer", "ul", "li", "span"),
        *("script", "style", "table", "td", "tbody", "pre", "a", "title", "iframe", "svg", "x-y"),
    ]
)


def element(tag: str, inner: list[str]) -> str:
    return f"<{tag}>{''.join(inner)}</{tag.removesuffix(' href=/')}>"


MARKUP = st.recursive(
    TEXTS, lambda inner: st.builds(element, TAGS, st.lists(inner, max_size=4)), max_leaves=15
)
TITLES = st.sampled_from(["", "Harbour storm", "Did it?", "ab", "바다가 거칠다"])
HOSTILE = st.lists(
    st.sampled_from(
        [
            *("<p>", "</p>", "<a href=/>", "</a>", "<title>", "</title>", "<em>", "</div>", "<td>"),
            *("<head>", "</head>", "<body>", "</body></html>", "<script>", "</script>", "<x-y>"),
            *("<svg>", "<!--", "-->", "<?", "<", ">", '"', "&#xD800;", "&nbsp;", "\x00", "\ud800"),
            *(
                "\u200e",
                "word. ",
                "12",
                "? ",
                "\u1e9e\u0301",
                "\U0010ffff" * 3,
                "<br>",
                "<frameset>",
            ),
        ]
    )
    | st.text(max_size=5),
    max_size=40,
).map("".join)


def page_of(number: int, html: str) -> Document | None:
    try:
        return read(Page.from_text(f"https://s.example/{number}", html))
    except UnreadablePageError:
        return None


def documents_of(pages: list[str]) -> list[Document]:
    found = (page_of(number, html) for number, html in enumerate(pages))
    return [document for document in found if document]


MADE = st.builds("<html><title>{}</title><body>{}</body></html>".format, TITLES, MARKUP)
SITES = st.lists(MADE | HOSTILE, min_size=1, max_size=5).map(documents_of)
ANY_METHOD = st.sampled_from(METHODS)


def counted(documents: Iterable[Document], method: TextMethod) -> SiteCounts:
    counts = SiteCounts()
    for document in documents:
        counts.add(observe(document, method))
    return counts


def shown(view: SiteView) -> dict[str, Any]:
    """What a view says of methods' sums, in a form that compares."""
    return {
        name: (sums.keys.tolist(), sums.counts.tolist(), sums.levels.tolist())
        for name, sums in view.sums.items()
    }


def letters(text: str) -> str:
    return "".join(drop_unseen(text).split())


def whole_text(document: Document) -> str:
    roots = document.parsed.roots
    return letters("".join(str(piece) for root in roots for piece in root.itertext()))


def stands_in_order(pieces: Iterable[str], text: str) -> bool:
    """Whether the letters of all pieces are found in the text one after the other."""
    rest = iter(text)
    return all(letter in rest for piece in pieces for letter in letters(piece))


@given(site=SITES, others=SITES, method=ANY_METHOD)
def test_what_is_kept_is_the_pages_own_text_in_order(
    site: list[Document], others: list[Document], method: TextMethod
) -> None:
    views = [counted(known, method).view() for known in (site, others)]
    for document in site:
        for view in (*views, SiteView()):
            found = annotate(document, view, method)
            assert len(found.blocks) == len(found.labels)
            assert stands_in_order((block.text for block in found.blocks), whole_text(document))
            assert found.text == "\n".join(b.text for b, label in found.pairs() if label.kept)
            for index, (block, label) in enumerate(found.pairs()):
                assert block.index == index
                assert letters(block.text)
                assert block.chars == len(letters(block.text))
                assert 0 <= block.link_chars <= block.chars
                assert label.reason in REASONS
                assert label.kept == (label.reason == "text")
                assert label.frequency >= 0


@given(site=SITES, method=ANY_METHOD, data=st.data())
def test_judging_does_not_depend_on_the_order_of_counting(
    site: list[Document], method: TextMethod, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(site))
    cut = data.draw(st.integers(0, len(site)))
    first, rest = counted(shuffled[:cut], method), counted(shuffled[cut:], method)
    rest.merge(first)
    first.merge(counted(shuffled[cut:], method))
    views = [counts.view() for counts in (counted(site, method), first, rest)]
    assert shown(views[0]) == shown(views[1]) == shown(views[2])
    assert len({view.snapshot for view in views}) == 1
    for document in site:
        found = [annotate(document, view, method) for view in views]
        assert found[0].labels == found[1].labels == found[2].labels
        assert found[0].blocks == found[1].blocks == found[2].blocks


@given(site=SITES, method=ANY_METHOD)
def test_counting_pages_again_changes_nothing(site: list[Document], method: TextMethod) -> None:
    once, again = counted(site, method), counted([*site, *site], method)
    assert shown(once.view()) == shown(again.view())


@given(site=SITES, method=ANY_METHOD)
def test_the_same_page_is_judged_alike_each_time(site: list[Document], method: TextMethod) -> None:
    view = counted(site, method).view()
    for document in site:
        assert annotate(document, view, method) == annotate(document, view, method)


@given(body=st.binary(max_size=200), method=ANY_METHOD)
def test_no_method_raises_on_any_bytes(body: bytes, method: TextMethod) -> None:
    try:
        document = read(Page("https://s.example/", body))
    except UnreadablePageError:
        return
    annotate(document, SiteView(), method)
    annotate(document, counted([document], method).view(), method)


@given(site=SITES)
def test_mixes_keep_no_more_than_their_parts(site: list[Document]) -> None:
    def kept(name: str, document: Document) -> set[str]:
        found = annotate(document, view, get_method(name))
        return set(found.text.splitlines())

    view = counted(site, get_method("m324")).view()
    for document in site:
        assert kept("no-links", document) <= kept("all-text", document)
        assert kept("title-block", document) <= kept("all-text", document)
        assert kept("m42", document) <= kept("no-links", document)
        assert kept("mm", document) <= kept("sentences", document)
        assert kept("m34", document) <= kept("sentences", document)
        assert kept("m32", document) <= kept("sentences", document)
        assert kept("m324", document) <= kept("m32", document)
        assert kept("m423", document) <= kept("m32", document)


@given(site=SITES)
def test_all_text_is_every_text_node(site: list[Document]) -> None:
    for document in site:
        found = annotate(document, SiteView(), get_method("all-text"))
        assert [b.text for b in found.blocks] == [n.text for n in text_nodes(document.parsed)]
        assert all(label.kept for label in found.labels)


def elements_around_text(document: Document) -> Iterator[list[str]]:
    """Yield the names of the elements around each text that can be read, outermost first."""
    for root in document.parsed.roots:
        found: Any = root.xpath("descendant-or-self::*/text()")
        for text in found:
            parent = text.getparent()
            element = parent.getparent() if text.is_tail else parent
            tags = [each.tag for each in (element, *element.iterancestors())]
            if any(map(str.isprintable, letters(text))) and not {"script", "style"} & {*tags}:
                yield tags[::-1]


@given(site=SITES, names=st.sets(st.sampled_from(["a", "p", "em", "head", "li", "html"])))
def test_where_nodes_stand_agrees_with_their_tags(site: list[Document], names: set[str]) -> None:
    for document in site:
        places = [node.place for node in text_nodes(document.parsed, names)]
        around = list(elements_around_text(document))
        assert [place.depth for place in places] == list(map(len, around))
        assert [place.in_link for place in places] == ["a" in tags for tags in around]
        assert [place.is_inside for place in places] == [bool(names & {*tags}) for tags in around]
        paths = ["/".join(tag for tag in tags if tag != "tbody") for tags in around]
        assert [place.path for place in places] == paths


WORTHS = st.lists(st.integers(-9, 9) | st.floats(-99, 99).map(lambda x: round(x * 4) / 4))


@given(worths=WORTHS)
def test_the_best_run_is_the_best_of_all_runs(worths: Sequence[float]) -> None:
    # Quarters add up exactly, in whatever order.
    sums = [0.0, *accumulate(worths)]
    best = max(end - start for i, start in enumerate(sums) for end in sums[i:])
    start, end = _best_run(worths)
    if best > 0:
        assert sums[end] - sums[start] == best
        assert worths[start] > 0
        assert worths[end - 1] > 0
    else:
        assert (start, end) == (0, len(worths))


@given(worths=WORTHS, data=st.data())
def test_more_that_counts_against_does_not_lengthen_what_stands_before_it(
    worths: list[float], data: st.DataObject
) -> None:
    # A page's foot of any length that is worth nothing is never part of the run.
    foot = data.draw(st.lists(st.floats(-99, 0), max_size=9))
    if max(worths, default=0) > 0:
        assert _best_run([*worths, *foot]) == _best_run(worths)


@given(one=st.text(max_size=30), other=st.text(max_size=30))
def test_similarity_is_even_handed_and_between_none_and_whole(one: str, other: str) -> None:
    def alike(keys: Sequence[int]) -> list[float]:
        return [1.0] * len(keys)

    found, own = similarities(grams(one), [grams(other), grams(one)], alike)
    assert 0 <= found <= 1
    assert abs(found - similarities(grams(other), [grams(one)], alike)[0]) < 1e-12
    assert (found > 0) == bool(grams(one).keys() & grams(other).keys())
    assert not grams(one) or own > 1 - 1e-12
    assert grams(re.sub(r"\s", "\t ", one)) == grams(one)


PHRASES = [*teasers._PHRASES, *notices._WORDS["credit"], *notices._WORDS["about"]]
SIGNS = st.text("(-_ .\u00bb\n", max_size=3)
BEGINNINGS = ((teasers._LEAD_IN, teasers._BEGINNINGS), (notices._CREDIT, notices._CREDITS),
              (notices._ABOUT, notices._ABOUTS))  # fmt: skip


@given(
    signs=SIGNS,
    phrase=st.sampled_from((*PHRASES, "(c)", "\u00a9", "", "x")),
    turned=st.sampled_from((str, str.upper, str.title, str.swapcase)),
    rest=st.text(": aby(\u0131\u0307", max_size=6),
    end=st.sampled_from(("", *notices._ABOUT_ENDS)),
)
def test_what_begins_with_a_phrase_may_begin_with_it(
    signs: str, phrase: str, turned: Callable[[str], str], rest: str, end: str
) -> None:
    text = signs + turned(phrase) + rest + end
    for pattern, beginnings in BEGINNINGS:
        found = pattern.match(text)
        if found is not None and found.groupdict().get("words", "none") is not None:
            may_end = pattern is notices._ABOUT and text.endswith(notices._ABOUT_ENDS)
            assert may_end or beginnings.may_be_of(text)
