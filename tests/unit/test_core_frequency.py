"""Page frequencies: what one page tells, and what the frozen view of a site says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from crawler.core.counting.site_counts import (
    Observation,
    SiteCounts,
    SiteView,
    observe_blocks,
)
from crawler.core.flow import Page, observe, read


def observation(url: str, **blocks: int) -> Observation:
    """Observe a page of named blocks and their weights."""
    named = {sum(name.encode()): weight for name, weight in blocks.items()}
    keys = sorted(named)
    return Observation(
        url,
        np.array(keys, dtype=np.uint64),
        np.array([named[key] for key in keys], dtype=np.uint16),
    )


def key(name: str) -> int:
    return sum(name.encode())


def counted(*pages: Observation) -> SiteCounts:
    counts = SiteCounts()
    for page in pages:
        counts.add(page)
    return counts


def test_of_no_page_nothing_is_known() -> None:
    view = SiteCounts().view()
    assert not view.is_known
    assert view.pages == view.pages_seen == 0
    assert view.snapshot == ""
    assert view.page_frequencies([1, 2]) == [0, 0]
    assert view.page_text_frequencies([]) == []
    assert not SiteView().is_known


def test_of_one_page_everything_stands_on_one() -> None:
    view = counted(observation("u", menu=0, text=300)).view()
    assert view.pages == 1
    assert view.page_frequencies([key("menu"), key("text")]) == [1, 1]
    assert (view.single_blocks, view.single_texts, len(view.text_levels()[0])) == (2, 1, 1)
    assert view.keys.tolist() == []


def test_a_block_that_stands_on_no_two_pages_stands_on_the_one_of_whoever_asks() -> None:
    view = counted(observation("u", menu=0), observation("v", menu=0, text=300)).view()
    asked = [key("menu"), key("text"), 7]
    assert view.page_frequencies(asked) == [2, 1, 1]
    assert view.page_text_frequencies(asked) == [0, 1, 1]
    assert SiteView().page_frequencies(asked) == [0, 0, 0]
    assert (view.single_blocks, view.single_texts, len(view.text_levels()[0])) == (1, 1, 1)


def test_a_page_without_blocks_is_a_page() -> None:
    view = counted(observation("u")).view()
    assert view.is_known
    assert view.pages == 1
    assert len(view.keys) == 0


def test_two_copies_are_one_page() -> None:
    view = counted(
        observation("https://a.example/1?print", menu=0, text=300),
        observation("https://a.example/1", menu=0, text=300),
    ).view()
    assert (view.pages_seen, view.pages) == (2, 1)
    assert view.duplicate_of == {"https://a.example/1?print": "https://a.example/1"}
    assert view.page_frequencies([key("menu"), key("text")]) == [1, 1]


def test_three_pages_two_of_them_copies() -> None:
    counts = counted(
        observation("b", menu=0, legal=50, text=300),
        observation("aa", menu=0, legal=50, text=300),
        observation("c", menu=0, legal=50, other=300),
    )
    view = counts.view()
    assert view.duplicate_of == {"aa": "b"}
    assert view.page_frequencies([key(n) for n in ("menu", "legal", "text")]) == [2, 2, 1]
    unfolded = counts.view(similarity=1.5)
    assert unfolded.duplicate_of == {}
    assert unfolded.page_frequencies([key(n) for n in ("menu", "legal", "text")]) == [3, 3, 2]
    assert view.snapshot != unfolded.snapshot


def test_a_headline_stands_as_a_link_where_others_lead_to_it() -> None:
    view = counted(
        observation("story", headline=30, body=500),
        observation("index", headline=0),
        observation("later", headline=0, other=500),
    ).view()
    assert view.page_frequencies([key("headline")]) == [3]
    assert view.page_text_frequencies([key("headline")]) == [1]


def test_a_page_seen_twice_counts_once_with_all_its_blocks() -> None:
    counts = counted(observation("u", text=300, menu=0), observation("u", text=2, more=40))
    assert len(counts) == 1
    (page,) = counts.pages()
    blocks = dict(zip(page.keys.tolist(), page.weights.tolist(), strict=True))
    assert blocks == {key("text"): 300, key("menu"): 0, key("more"): 40}


def test_weights_are_capped_and_blocks_count_once_a_page() -> None:
    long = "<p>" + "word " * 30_000 + "</p>"
    document = read(
        Page.from_text("u", f"<p>twice</p>{long}<p><a href='/'>twice</a></p><p>twice</p>")
    )
    observed = observe(document)
    assert observed.keys.dtype == np.uint64
    assert observed.weights.dtype == np.uint16
    assert sorted(observed.weights.tolist()) == [len("twice"), 65_535]
    assert observed.keys.tolist() == sorted(set(observed.keys.tolist()))
    assert counted(observed).view().pages == 1


def test_a_page_of_nothing_readable_gives_an_empty_observation() -> None:
    observed = observe_blocks("u", ())
    assert observed.keys.tolist() == []
    assert observed.keys.dtype == np.uint64


@pytest.mark.parametrize("url", ["", "a\nb", "https://한국.example/글", "half \ud83d of a pair"])
def test_any_text_is_an_address(url: str) -> None:
    view = counted(observation(url, text=300), observation(url + "2", text=300)).view()
    assert view.duplicate_of == {url + "2": url}


def test_the_snapshot_names_the_pages_and_their_blocks() -> None:
    one = counted(observation("a", text=300), observation("b", other=200)).view()
    same = counted(observation("b", other=200), observation("a", text=300)).view()
    more = counted(observation("a", text=300), observation("b", other=200, x=1)).view()
    elsewhere = counted(observation("a", text=300), observation("c", other=200)).view()
    assert one.snapshot == same.snapshot
    assert len({one.snapshot, more.snapshot, elsewhere.snapshot}) == 3


def test_a_view_is_frozen() -> None:
    view = counted(observation("a", text=300)).view()
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.pages = 3  # type: ignore[misc] # what is shown to fail
