"""The evidence of a page, as one row of numbers for each block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.methods.article.cues import CUES, cues_in
from crawler.core.methods.article.hints import Hints
from crawler.core.methods.article.layout import SIGNS, Layout
from crawler.core.methods.article.letters import CLASSES, LETTER_COUNTS, Letters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Document

__all__ = ["Evidence", "evidence"]

_TAGS: Mapping[str, int] = MappingProxyType(
    {
        tag: place
        for place, tags in enumerate(
            (("p",), ("h1",), ("h2",), ("h3",), ("h4", "h5", "h6"), ("li",), ("td", "th"),
             ("div",), ("blockquote",), ("figcaption",), ("pre",), ("dt", "dd"),
             ("section", "article", "main", "body"), ("button", "label", "option", "form"))
        )
        for tag in tags
    }
)  # fmt: skip
_OTHER_TAG = 14
_HEADINGS = (1, 2, 3, 4)
# What inline elements show: their own tags, and some of the cues of their names.
_INNER_TAGS = ("img", "time", "strong", "b", "em", "i", "button", "input", "label")
_INNER_CUES = ("author", "date", "caption", "comment", "button", "meta", "hidden")  # fmt: skip
_INNER_BITS = tuple(CUES.index(cue) for cue in _INNER_CUES)
_LETTERS = ("uppers", "digits", "dense", "commas", "stops", "others", "words", "ends")
_AROUND = ("size", "link_share", "ends", "tag", "kind_mean", "text_share")
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_LEVELS = (0, 1, 2, 3)
_LONG = 80.0
_NEAR = tuple(f"near {sign}" for sign in SIGNS)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known of the blocks of a page.

    ``names``
        The names of the features.
    ``rows``
        One row a block, one column a feature, float32.
    ``layout``
        Where they stand.
    ``sizes``
        Words of each block; a letter of a script that writes a word with few counts as half of one.
    ``comments``
        Whether each stands among readers' comments.
    """

    names: tuple[str, ...]
    rows: NDArray[np.float32]
    layout: Layout
    sizes: NDArray[np.float64]
    comments: NDArray[np.bool_]


def evidence(document: Document) -> Evidence:
    """Gather the evidence of a page that has a block at least."""
    blocks = document.blocks
    layout = Layout.of(blocks)
    letters = Letters.of([block.text for block in blocks])
    gathered = _Gathered(blocks, layout, letters)
    columns: dict[str, NDArray[np.float64]] = {}
    gathered.text(columns)
    gathered.hints(columns, document)
    gathered.inner(columns)
    gathered.position(columns)
    gathered.containers(columns)
    gathered.kinds(columns)
    _neighbours(columns)
    rows = np.empty((len(blocks), len(columns) + len(SIGNS)), np.float32)
    rows[:, : len(columns)] = np.array(list(columns.values()), np.float32).T
    rows[:, len(columns) :] = layout.distance[layout.at]
    return Evidence(
        names=(*columns, *_NEAR),
        rows=rows,
        layout=layout,
        sizes=gathered.words,
        comments=gathered.comments,
    )


class _Gathered:
    """What the groups of features share."""

    def __init__(self, blocks: Sequence[Block], layout: Layout, letters: Letters) -> None:
        self.blocks = blocks
        self.layout = layout
        self.letters = letters
        self.number = np.arange(len(blocks), dtype=np.float64)
        self.chars = np.array([block.chars for block in blocks], np.float64)
        self.linked = np.array([block.link_chars for block in blocks], np.float64)
        self.own = self.chars - self.linked
        self.tags = np.array([_TAGS.get(block.tag, _OTHER_TAG) for block in blocks], np.float64)
        counts = letters.counts.astype(np.float64)
        self.counts = {name: counts[:, place] for place, name in enumerate(LETTER_COUNTS)}
        self.words = self.counts["words"]
        # Text of one's own, long enough to say something.
        self.prose = np.where(self.own >= _LONG, self.own, 0.0)
        self.comments = np.zeros(len(blocks), np.bool_)

    def text(self, columns: dict[str, NDArray[np.float64]]) -> None:
        """What a block itself says."""
        columns["size"] = np.log1p(self.chars)
        columns["link_share"] = self.linked / self.chars
        columns["links"] = np.array([block.links for block in self.blocks], np.float64)
        columns["tag"] = self.tags
        columns["lines"] = np.array([block.text.count("\n") for block in self.blocks], np.float64)
        for name in _LETTERS:
            columns[name] = self.counts[name] / self.chars
        columns["all_words"] = np.log1p(self.words)
        columns["all_ends"] = np.minimum(self.counts["ends"], 20.0)
        for end, classes, names in (
            ("first", self.letters.first, ("letter", "upper", "digit")),
            ("last", self.letters.last, ("letter", "digit", "stop", "other")),
        ):
            for name in names:
                columns[f"{end}_{name}"] = ((classes & CLASSES[name]) > 0).astype(np.float64)
        columns["last_colon"] = np.array([b.text.endswith((":", "：")) for b in self.blocks], float)  # noqa: RUF001 - the colon of Chinese
        keys = np.array([block.key for block in self.blocks], np.uint64)
        _, where, times = np.unique(keys, return_inverse=True, return_counts=True)
        columns["times"] = np.minimum(times[where], 20).astype(np.float64)

    def hints(self, columns: dict[str, NDArray[np.float64]], document: Document) -> None:
        """How much a block is like what the page's head says."""
        hints = Hints.of(document.parsed)
        texts = (document.title or "", hints.title, hints.description, hints.body)
        names = ("title", "shared_title", "description", "body")
        for name, (share, covered) in zip(names, self.letters.shared(texts), strict=True):
            columns[f"{name}_share"] = share
            if name != "body":
                columns[f"{name}_covered"] = covered
        columns["has_body"] = np.full(len(self.blocks), float(len(hints.body) > _LONG))
        like = columns["title_covered"] * columns["title_share"]
        headline = int(np.argmax(like + 0.2 * (self.tags == 1)))
        columns["from_headline"] = self.number - headline
        firsts = np.flatnonzero(self.tags == 1)
        columns["from_h1"] = self.number - (firsts[0] if len(firsts) else -1)
        prose = self.prose > 0
        self.comments = self.layout.comments(headline, prose)
        columns["comment"] = self.comments.astype(np.float64)
        columns["has_h1"] = np.full(len(self.blocks), float(min(len(firsts), 3)))

    def inner(self, columns: dict[str, NDArray[np.float64]]) -> None:
        """What stands in a block's line."""
        known = {names: _told(names) for names in {block.inner for block in self.blocks}}
        told = np.array([known[block.inner] for block in self.blocks], np.uint32)
        for place, name in enumerate((*_INNER_TAGS, *_INNER_CUES)):
            columns[f"inner_{name}"] = ((told >> place) & 1).astype(np.float64)

    def position(self, columns: dict[str, NDArray[np.float64]]) -> None:
        """Where on the page a block stands."""
        count = len(self.blocks)
        total = max(self.own.sum(), 1.0)
        columns["place"] = self.number / count
        columns["before"] = (np.cumsum(self.own) - self.own) / total
        columns["text_share"] = self.own / total
        columns["blocks"] = np.full(count, np.log1p(count))
        columns["all_text"] = np.full(count, np.log1p(total))
        columns["all_prose"] = np.full(count, self.prose.sum() / total)
        columns["all_links"] = np.full(count, self.linked.sum() / max(self.chars.sum(), 1.0))
        columns["longest"] = self.own / max(self.own.max(), 1.0)
        columns["depth"] = self.layout.depth[self.layout.at].astype(np.float64)
        heading = np.isin(self.tags, _HEADINGS)
        last = np.maximum.accumulate(np.where(heading, self.number, -1.0))
        columns["from_heading"] = self.number - last
        columns["heading"] = np.where(last >= 0, self.tags[last.astype(np.int64)], 0.0)
        prose = self.prose > 0
        behind = np.maximum.accumulate(np.where(prose, self.number, -100.0))
        columns["from_prose"] = np.minimum(self.number - behind, 100.0)
        ahead = np.minimum.accumulate(np.where(prose, self.number, count + 100.0)[::-1])[::-1]
        columns["to_prose"] = np.minimum(ahead - self.number, 100.0)

    def containers(self, columns: dict[str, NDArray[np.float64]]) -> None:
        """How much stands in the elements around a block, and how near the best of them is."""
        layout = self.layout
        ends, ones = self.counts["ends"], np.ones(len(self.blocks))
        sums = layout.sums(
            np.stack((self.own, self.linked, ends, ones, self.prose, self.words), axis=1)
        )
        own, linked, ends_in, blocks, prose, words = sums.T
        here = layout.at
        for level in _LEVELS:
            columns[f"c{level}_share"] = own[here] / max(self.own.sum(), 1.0)
            columns[f"c{level}_prose"] = prose[here] / max(self.prose.sum(), 1.0)
            columns[f"c{level}_dense"] = prose[here] / np.maximum(own[here], 1.0)
            columns[f"c{level}_links"] = linked[here] / np.maximum(own[here] + linked[here], 1.0)
            columns[f"c{level}_blocks"] = np.log1p(blocks[here])
            columns[f"c{level}_mean"] = np.log1p(own[here] / blocks[here])
            columns[f"c{level}_ends"] = ends_in[here] / np.maximum(words[here], 1.0)
            columns[f"c{level}_place"] = (self.number - layout.begin[here]) / blocks[here]
            here = layout.outer[here]
        # The element around most prose, near prose counting more: half of it a step further out.
        worth = np.zeros(len(layout.parent))
        inner = layout.at
        for factor in (0.6, 1.0, 0.6, 0.3):
            worth += np.bincount(inner, self.prose * factor, len(worth))
            inner = layout.parent[inner]
        worth *= own / np.maximum(own + linked, 1.0)
        best = int(np.argmax(worth))
        columns["best_steps"] = np.minimum(layout.steps_to(best), 30).astype(np.float64)
        columns["best_share"] = np.full(len(self.blocks), own[best] / max(self.own.sum(), 1.0))
        size = max(float(layout.end[best] - layout.begin[best]), 1.0)
        columns["best_before"] = self.number - layout.begin[best]
        columns["best_after"] = layout.end[best] - 1 - self.number
        columns["best_place"] = (self.number - layout.begin[best]) / size

    def kinds(self, columns: dict[str, NDArray[np.float64]]) -> None:
        """What blocks are like that stand in elements of the same path and names."""
        kind = self.layout.kinds[self.layout.at]
        count = np.bincount(kind)[kind]
        own = np.bincount(kind, self.own)[kind]
        columns["kind_blocks"] = np.log1p(count)
        columns["kind_mean"] = np.log1p(own / count)
        columns["kind_share"] = own / max(self.own.sum(), 1.0)
        columns["kind_links"] = np.bincount(kind, self.linked)[kind] / np.maximum(
            np.bincount(kind, self.chars)[kind], 1.0
        )
        columns["kind_ends"] = np.bincount(kind, self.counts["ends"])[kind] / count


def _told(names: str) -> int:
    """Return what inline elements of these names show, as bits."""
    told = 0
    for name in names.split():
        told |= _told_by(name)
    return told


@lru_cache(maxsize=1 << 15)
def _told_by(name: str) -> int:
    """Return what one name shows, as bits."""
    told = 1 << _INNER_TAGS.index(name) if name in _INNER_TAGS else 0
    mask = cues_in(name)
    for place, cue in enumerate(_INNER_BITS, len(_INNER_TAGS)):
        told |= (mask >> cue & 1) << place
    return told


def _neighbours(columns: dict[str, NDArray[np.float64]]) -> None:
    """Add what stands before and after; -1 where nothing does."""
    reach = max(_OFFSETS)
    count = len(columns[_AROUND[0]])
    padded = np.full((len(_AROUND), count + 2 * reach), -1.0)
    padded[:, reach:-reach] = [columns[name] for name in _AROUND]
    for name, values in zip(_AROUND, padded, strict=True):
        for offset in _OFFSETS:
            columns[f"{name}{offset:+}"] = values[reach + offset : reach + offset + count]
