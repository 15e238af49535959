"""Text methods: found by name, and each block's label with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import UnknownMethodError
from crawler.core.flow import (
    DEFAULT_METHOD,
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
from crawler.core.methods import BlockMethod, Label, PieceMethod, TextMethod
from crawler.core.methods.adaptive import AdaptiveFrequency

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.core.flow import Annotation

PAGE = """<html lang="en"><title>{n}</title><body><ul><li><a href="/">Home page</a></li></ul>
<h1>What was seen on day {word}</h1><p>Nobody on the pier had counted {word} ships before, since fog
lay over the bay for most of that week and even the harbour master had stayed at home.</p>
<p>See <a href="/archive">the whole archive of all the days so far</a></p>
<p>Subscribe to our letter.</p></body></html>"""
WORDS = ("one", "two", "three", "four", "five", "six")


def documents(count: int) -> list[Document]:
    return [
        read(Page.from_text(f"https://s.example/{n}", PAGE.format(n=n, word=WORDS[n])))
        for n in range(count)
    ]


def annotated(count: int, method: TextMethod) -> Annotation:
    """Judge the first of so many pages of a site."""
    pages, counts = documents(count), SiteCounts()
    for page in pages:
        counts.add(observe(page, method))
    return annotate(pages[0], counts.view(), method)


def verdicts(annotation: Annotation) -> dict[str, tuple[str, int]]:
    return {block.text[:9]: (label.reason, label.frequency) for block, label in annotation.pairs()}


def test_methods_are_found_by_name() -> None:
    assert DEFAULT_METHOD in method_names()
    for name in method_names():
        method = get_method(name)
        assert method.name == name
        assert isinstance(method, BlockMethod | PieceMethod)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("frequent", "frequency-adaptive"),
        ("", "all-text"),
        ("no.such.module:Method", "cannot be imported"),
        ("crawler.core.methods:NoSuch", "cannot be imported"),
        (":x", "cannot be imported"),
        ("..relative:x", "cannot be imported"),
        ("fractions:Fraction.x", "cannot be imported"),
        ("enum:EnumType", "cannot be imported"),
        ("math:pi", "needs a 'name' and a 'label' (or 'judge') method"),
    ],
)
def test_an_unknown_method_is_named_with_what_there_is(name: str, words: str) -> None:
    with pytest.raises(UnknownMethodError) as caught:
        get_method(name)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_method_of_ones_own_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_text_method.py").write_text(
        "from crawler.core.methods import Label\n"
        "class Short:\n"
        "    name = 'short'\n"
        "    def label(self, document, view):\n"
        "        return [Label(len(b.text) < 30, 'text' if len(b.text) < 30 else 'long')\n"
        "                for b in document.blocks]\n"
        "ready = Short()\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("own_text_method:Short", "own_text_method:ready"):
        method = get_method(name)
        annotation = annotated(1, method)
        assert method.name == "short"
        assert "Nobody" not in annotation.text
        assert "Subscribe" in annotation.text


def test_what_recurs_and_what_is_a_link_is_dropped() -> None:
    annotation = annotated(5, get_method("frequency-adaptive"))
    assert verdicts(annotation) == {
        "Home page": ("links", 5),
        "What was ": ("text", 1),
        "Nobody on": ("text", 1),
        "See the w": ("links", 5),
        "Subscribe": ("frequent", 5),
    }
    assert [line[:6] for line in annotation.text.splitlines()] == ["What w", "Nobody"]
    assert [label.kept for label in annotation.labels] == [False, True, True, False, False]


def test_on_two_pages_a_block_of_both_recurs() -> None:
    annotation = annotated(2, get_method("frequency-adaptive"))
    assert verdicts(annotation)["Subscribe"] == ("frequent", 2)


def test_on_one_page_and_on_an_unknown_site_the_page_alone_decides() -> None:
    for annotation in (
        annotated(1, get_method("frequency-adaptive")),
        annotate(documents(1)[0], SiteView(), get_method("frequency-adaptive")),
    ):
        reasons = {text: reason for text, (reason, _) in verdicts(annotation).items()}
        assert reasons == {
            "Home page": "links",
            "What was ": "text",
            "Nobody on": "text",
            "See the w": "links",
            "Subscribe": "outside",
        }


def test_a_page_of_short_lines_keeps_what_is_its_own() -> None:
    page = read(Page.from_text("https://s.example/", "<p>Only this.</p><p>And that.</p>"))
    annotation = annotate(page, SiteView(), get_method("frequency-adaptive"))
    assert annotation.text == "Only this.\nAnd that."


def test_the_share_allows_a_block_on_some_of_many_pages() -> None:
    annotation = annotated(
        6, AdaptiveFrequency(share=1.0, toll=0.0, links_against=0.0, against=0.0)
    )
    assert verdicts(annotation)["Subscribe"] == ("text", 6)
    annotation = annotated(6, AdaptiveFrequency(link_share=1.0))
    assert verdicts(annotation)["See the w"] == ("frequent", 6)


def test_a_document_without_blocks_has_no_labels() -> None:
    empty = read(Page("u", b"<html></html>"))
    for name in method_names():
        annotation = annotate(empty, SiteView(), get_method(name))
        assert annotation.labels == ()
        assert annotation.text == ""


def test_a_method_with_too_few_labels_is_found_out() -> None:
    class Careless:
        name = "careless"

        def label(self, document: Document, view: SiteView) -> list[Label]:
            assert view.pages
            return [Label(kept=True, reason="text")] * (len(document.blocks) - 1)

    with pytest.raises(ValueError, match="'careless' gave 4 labels for 5 blocks"):
        annotated(2, Careless())
