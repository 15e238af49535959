"""The evidence of a page, as one row of numbers for each block."""

from __future__ import annotations

import json
import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crawler.core.methods.article.comments import comments
from crawler.core.methods.article.layout import CUES, SIGNS, Layout, cues_in
from crawler.core.methods.article.letters import CLASSES, LETTER_COUNTS, Letters
from crawler.core.page.page import Document
from crawler.core.page.parse import ParsedPage

_TAGS = {
    tag: place
    for place, tags in enumerate(
        ("p", "h1", "h2", "h3", "h4 h5 h6", "li", "td th", "div", "blockquote", "figcaption", "pre",
         "dt dd", "section article main body", "button label option form")
    )
    for tag in tags.split()
}  # fmt: skip
_OTHER_TAG = 14
_H1, *_ = _HEADINGS = (1, 2, 3, 4)
# Features of inline elements: their tags, and some of the cues of their names.
_INNER_TAGS = ("img", "time", "strong", "b", "em", "i", "button", "input", "label")
_INNER_CUES = ("author", "date", "caption", "comment", "button", "meta", "hidden")
_INNER_BITS = tuple(CUES.index(cue) for cue in _INNER_CUES)
_LETTERS = ("uppers", "digits", "dense", "commas", "stops", "others", "words", "ends")
_AROUND = ("size", "link_share", "ends", "tag", "kind_mean", "text_share")
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_LEVELS = (0, 1, 2, 3)
_LONG = 80.0
_NEAR = tuple(f"near {sign}" for sign in SIGNS)
_DESCRIPTIONS = frozenset(("description", "og:description", "twitter:description"))
_TITLES = frozenset(("og:title", "twitter:title", "headline"))
_BODY = re.compile(r'"articleBody"\s*:\s*("(?:[^"\\]|\\.)*+")', re.DOTALL)
_MARKUP = re.compile(r"<[^<>]*+>")
# Only so much of a text of the head is compared with the page's text.
_HEAD_CHARS = 200_000


def head_texts(parsed: ParsedPage) -> tuple[str, str, str]:
    """Return texts in a page's head about its article, empty where there are none.

    They are the title that it gives to be shared, which has no name of the site in it; its longest
    description; and the article's text as JSON-LD gives it, without tags.
    """
    title, description = "", ""
    for meta in parsed.named["meta"]:
        name = (meta.get("property") or meta.get("name") or "").lower()
        if name in _DESCRIPTIONS:
            description = max(description, meta.get("content") or "", key=len)
        elif name in _TITLES and not title:
            title = meta.get("content") or ""
    body = max(map(_article_body, parsed.linked_data()), key=len, default="")
    return title[:_HEAD_CHARS], description[:_HEAD_CHARS], body[:_HEAD_CHARS]


def _article_body(script: str) -> str:
    """Return the longest article text in a JSON-LD script; its JSON need not be whole."""
    longest = ""
    for match in _BODY.finditer(script) if '"articleBody"' in script else ():
        try:
            # Line breaks within strings are common, and no JSON.
            text = json.loads(match[1], strict=False)
        except ValueError:
            continue
        longest = max(longest, _MARKUP.sub(" ", text), key=len)
    return longest


class Evidence:
    """The evidence of the blocks of a page that has at least one.

    Attributes:
        names: the names of the features.
        rows: one row a block, one column a feature, float32.
        layout: where the blocks stand.
        sizes: words of each block; a letter of a script that writes a word with few counts as half
            of one.
        comments: whether each stands among readers' comments.
    """

    def __init__(self, document: Document) -> None:
        self._columns: dict[str, NDArray[np.float64]] = {}
        self._blocks = blocks = document.blocks
        self._count = len(blocks)
        self.layout = Layout(blocks)
        self._letters = Letters([block.text for block in blocks])
        self._number = np.arange(self._count, dtype=np.float64)
        self._chars = np.array([block.chars for block in blocks], np.float64)
        self._linked = np.array([block.link_chars for block in blocks], np.float64)
        self._own = self._chars - self._linked
        self._all_own = max(self._own.sum(), 1.0)
        self._tags = np.array([_TAGS.get(block.tag, _OTHER_TAG) for block in blocks], np.float64)
        counts = self._letters.counts.astype(np.float64)
        self._counts = {name: counts[:, place] for place, name in enumerate(LETTER_COUNTS)}
        self.sizes = self._counts["words"]
        # Text outside hyperlinks of blocks that are long enough for prose.
        self._prose = np.where(self._own >= _LONG, self._own, 0.0)
        self.comments = np.zeros(self._count, np.bool_)
        self._text()
        self._head(document)
        self._inner()
        self._position()
        self._containers()
        self._kinds()
        self._neighbours()
        self.names = (*self._columns, *_NEAR)
        columns = np.array(list(self._columns.values()), np.float32)
        self.rows = np.empty((self._count, len(self.names)), np.float32)
        self.rows[:, : len(columns)] = columns.T
        self.rows[:, len(columns) :] = self.layout.distance[self.layout.at]
        self._columns.clear()

    def _whole(self, value: float) -> NDArray[np.float64]:
        return np.full(self._count, value, np.float64)

    def _text(self) -> None:
        columns, blocks = self._columns, self._blocks
        columns["size"] = np.log1p(self._chars)
        columns["link_share"] = self._linked / self._chars
        columns["links"] = np.array([block.links for block in blocks], np.float64)
        columns["tag"] = self._tags
        columns["lines"] = np.array([block.text.count("\n") for block in blocks], np.float64)
        for name in _LETTERS:
            columns[name] = self._counts[name] / self._chars
        columns["all_words"] = np.log1p(self.sizes)
        columns["all_ends"] = np.minimum(self._counts["ends"], 20.0)
        for end, classes, names in (
            ("first", self._letters.first, ("letter", "upper", "digit")),
            ("last", self._letters.last, ("letter", "digit", "stop", "other")),
        ):
            for name in names:
                columns[f"{end}_{name}"] = ((classes & CLASSES[name]) > 0).astype(np.float64)
        colons = [block.text.endswith((":", "\uff1a")) for block in blocks]
        columns["last_colon"] = np.array(colons, np.float64)
        keys = np.array([block.key for block in blocks], np.uint64)
        _, where, times = np.unique(keys, return_inverse=True, return_counts=True)
        columns["times"] = np.minimum(times[where], 20).astype(np.float64)

    def _head(self, document: Document) -> None:
        """Add how similar each block is to the texts of the page's head."""
        columns = self._columns
        texts = (document.title or "", *head_texts(document.parsed))
        names = ("title", "shared_title", "description", "body")
        for name, (share, covered) in zip(names, self._letters.shared(texts), strict=True):
            columns[f"{name}_share"] = share
            if name != "body":
                columns[f"{name}_covered"] = covered
        columns["has_body"] = self._whole(len(texts[-1]) > _LONG)
        like = columns["title_covered"] * columns["title_share"]
        headline = int(np.argmax(like + 0.2 * (self._tags == _H1)))
        columns["from_headline"] = self._number - headline
        firsts = np.flatnonzero(self._tags == _H1)
        columns["from_h1"] = self._number - (firsts[0] if len(firsts) else -1)
        self.comments = comments(self.layout, self._blocks, headline, self._prose > 0)
        columns["comment"] = self.comments.astype(np.float64)
        columns["has_h1"] = self._whole(min(len(firsts), 3))

    def _inner(self) -> None:
        known = dict.fromkeys((block.inner for block in self._blocks), 0)
        for names in known:
            for name in names.split():
                known[names] |= _shown_by(name)
        shown = np.array([known[block.inner] for block in self._blocks], np.uint32)
        for place, name in enumerate((*_INNER_TAGS, *_INNER_CUES)):
            self._columns[f"inner_{name}"] = ((shown >> place) & 1).astype(np.float64)

    def _position(self) -> None:
        columns, number, count = self._columns, self._number, self._count
        columns["place"] = number / count
        columns["before"] = (np.cumsum(self._own) - self._own) / self._all_own
        columns["text_share"] = self._own / self._all_own
        columns["blocks"] = self._whole(np.log1p(count))
        columns["all_text"] = self._whole(np.log1p(self._all_own))
        columns["all_prose"] = self._whole(self._prose.sum() / self._all_own)
        columns["all_links"] = self._whole(self._linked.sum() / max(self._chars.sum(), 1.0))
        columns["longest"] = self._own / max(self._own.max(), 1.0)
        columns["depth"] = self.layout.depth[self.layout.at].astype(np.float64)
        heading = np.isin(self._tags, _HEADINGS)
        last = np.maximum.accumulate(np.where(heading, number, -1.0))
        columns["from_heading"] = number - last
        columns["heading"] = np.where(last >= 0, self._tags[last.astype(np.int64)], 0.0)
        prose = self._prose > 0
        behind = np.maximum.accumulate(np.where(prose, number, -100.0))
        columns["from_prose"] = np.minimum(number - behind, 100.0)
        ahead = np.minimum.accumulate(np.where(prose, number, count + 100.0)[::-1])[::-1]
        columns["to_prose"] = np.minimum(ahead - number, 100.0)

    def _containers(self) -> None:
        """Add how much text is in the elements around each block, and how near the best one is."""
        columns, layout = self._columns, self.layout
        ends, ones = self._counts["ends"], np.ones(self._count)
        values = np.stack((self._own, self._linked, ends, ones, self._prose, self.sizes), axis=1)
        own, linked, ends_in, blocks, prose, words = layout.sums(values).T
        here = layout.at
        for level in _LEVELS:
            columns[f"c{level}_share"] = own[here] / self._all_own
            columns[f"c{level}_prose"] = prose[here] / max(self._prose.sum(), 1.0)
            columns[f"c{level}_dense"] = prose[here] / np.maximum(own[here], 1.0)
            columns[f"c{level}_links"] = linked[here] / np.maximum(own[here] + linked[here], 1.0)
            columns[f"c{level}_blocks"] = np.log1p(blocks[here])
            columns[f"c{level}_mean"] = np.log1p(own[here] / blocks[here])
            columns[f"c{level}_ends"] = ends_in[here] / np.maximum(words[here], 1.0)
            columns[f"c{level}_place"] = (self._number - layout.begin[here]) / blocks[here]
            here = layout.outer[here]
        # The element around most prose, where prose of nearer elements counts more.
        worth = np.zeros(len(layout.parent))
        inner = layout.at
        for factor in (0.6, 1.0, 0.6, 0.3):
            worth += np.bincount(inner, self._prose * factor, len(worth))
            inner = layout.parent[inner]
        worth *= own / np.maximum(own + linked, 1.0)
        best = int(np.argmax(worth))
        begin, end = layout.begin[best], layout.end[best]
        columns["best_steps"] = np.minimum(layout.steps_to(best), 30).astype(np.float64)
        columns["best_share"] = self._whole(own[best] / self._all_own)
        columns["best_before"] = self._number - begin
        columns["best_after"] = end - 1 - self._number
        columns["best_place"] = (self._number - begin) / max(float(end - begin), 1.0)

    def _kinds(self) -> None:
        columns, kind = self._columns, self.layout.kinds[self.layout.at]
        count = np.bincount(kind)[kind]
        own, linked, chars, ends = (
            np.bincount(kind, values)[kind]
            for values in (self._own, self._linked, self._chars, self._counts["ends"])
        )
        columns["kind_blocks"] = np.log1p(count)
        columns["kind_mean"] = np.log1p(own / count)
        columns["kind_share"] = own / self._all_own
        columns["kind_links"] = linked / np.maximum(chars, 1.0)
        columns["kind_ends"] = ends / count

    def _neighbours(self) -> None:
        """Add features of the blocks before and after; -1 where there is none."""
        reach = max(_OFFSETS)
        padded = np.full((len(_AROUND), self._count + 2 * reach), -1.0)
        padded[:, reach:-reach] = [self._columns[name] for name in _AROUND]
        for name, values in zip(_AROUND, padded, strict=True):
            for offset in _OFFSETS:
                moved = values[reach + offset : reach + offset + self._count]
                self._columns[f"{name}{offset:+}"] = moved


@lru_cache(maxsize=1 << 15)
def _shown_by(name: str) -> int:
    shown = 1 << _INNER_TAGS.index(name) if name in _INNER_TAGS else 0
    mask = cues_in(name)
    for place, cue in enumerate(_INNER_BITS, len(_INNER_TAGS)):
        shown |= (mask >> cue & 1) << place
    return shown
