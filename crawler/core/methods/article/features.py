"""The evidence of a page, as one row of numbers for each block."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import described
from crawler.core.methods.article.comments import INNER_MARKS, MARKS, comments
from crawler.core.methods.article.layout import CUES, SIGNS, Layout, cues_of_all
from crawler.core.methods.article.letters import CLASSES, LETTER_COUNTS, Letters
from crawler.core.page.nesting import nesting_of
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
TAG, TAGS = "tag", _OTHER_TAG + 1
"""The feature that is the number of a block's tag, and how many numbers there are."""
_H1, *_ = _HEADINGS = (1, 2, 3, 4)
INNER_TAGS = ("img", "time", "strong", "b", "em", "i", "button", "input", "label")
"""Inline elements that are features; so are some of the cues of the names of any."""
_INNER_CUES = ("author", "date", "caption", "comment", "button", "meta", "hidden")
# In a mask the tags stand above the cues.
_TAG_BITS = {tag: 1 << (len(CUES) + place) for place, tag in enumerate(INNER_TAGS)}
# "button" is both: the cue counts, in the place of the tag.
_INNER = {f"inner_{tag}": len(CUES) + place for place, tag in enumerate(INNER_TAGS)} | {
    f"inner_{cue}": CUES.index(cue) for cue in _INNER_CUES
}
_INNER_BITS = np.array(list(_INNER.values()), np.uint64)[:, None]
_IMAGE = np.uint64(_TAG_BITS["img"])
_MARKS = np.uint64(MARKS | sum(_TAG_BITS[tag] for tag in INNER_MARKS))
# Features of the first and the last character: their classes.
_FIRST, _LAST = (
    {f"{end}_{name}": CLASSES[name] for name in names}
    for end, names in (
        ("first", ("letter", "upper", "digit")),
        ("last", ("letter", "digit", "stop", "other")),
    )
)
_FIRST_BITS, _LAST_BITS = (np.array(list(bits.values()))[:, None] for bits in (_FIRST, _LAST))
_LETTERS = ("uppers", "digits", "dense", "commas", "stops", "others", "words", "ends")
_AROUND = ("size", "link_share", "ends", "tag", "kind_mean", "text_share")
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_NEIGHBOURS = tuple(f"{name}{offset:+}" for name in _AROUND for offset in _OFFSETS)
# Features of the elements around a block, from the nearest outwards.
_CONTAINERS = tuple(
    tuple(
        f"c{level}_{name}"
        for name in ("share", "prose", "dense", "links", "blocks", "mean", "ends", "place")
    )
    for level in range(4)
)
_LONG = 80.0
_NEAR = tuple(f"near {sign}" for sign in SIGNS)
# The least share of a headline that is in the page's title, and of the title, which may name the
# site, that is in the headline. Of an "h1" both shares may be smaller: the title words some in
# another way.
_IN_TITLE, _IN_H1 = (0.7, 0.2), 0.3
# There are fewer features.
_MOST = 256
# Names of what stands beside an article. They count on a block's own element and the one around it:
# farther out they are names of columns and whole pages.
_APART = np.uint64(sum(
    1 << CUES.index(cue)
    for cue in ("caption", "author", "date", "share", "letter", "promo", "related", "popular",
                "topics", "cookie")
))  # fmt: skip
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
        chars, own: characters of each block, and those of them outside hyperlinks.
        link_share: the share of the others.
        captions, images: whether each is the caption of a figure, and whether it follows an image.
        times: on how many of the blocks the text of each stands.
        sizes: words of each block; a letter of a script that writes a word with few counts as half
            of one.
        comments: whether each stands among readers' comments.
        apart: whether each is a caption, or names call it something that accompanies an article;
            not the headline.
        titled: whether each is the headline. At most one block is: the one most like the page's
            title, if most of its text is in the title.
        headline: the number of the block most like the page's title.
    """

    def __init__(self, document: Document) -> None:
        self._names: list[str] = []
        blocks = document.blocks
        self._count = len(blocks)
        # Its columns are neighbours in memory, as the trees read them.
        self._table = np.empty((_MOST, self._count), np.float32)
        self.layout = Layout(nesting_of(document))
        self._letters = Letters([block.text for block in blocks])
        self._number = np.arange(self._count, dtype=np.float64)
        self.chars, self._linked, self._links, self._tags, *self._of_text, self.times = described(
            blocks, _TAGS, _OTHER_TAG
        )
        self.own = self.chars - self._linked
        self.captions = self._tags == _TAGS["figcaption"]
        self._all_own = max(self.own.sum(), 1.0)
        self._counts = dict(zip(LETTER_COUNTS, self._letters.counts.T, strict=True))
        self.sizes = self._counts["words"]
        # Text outside hyperlinks of blocks that are long enough for prose.
        self._prose = np.where(self.own >= _LONG, self.own, 0.0)
        inner = [block.inner for block in blocks]
        # Most are empty, and others alike.
        known = list(dict.fromkeys(inner))
        masks = cues_of_all(known) | np.fromiter(map(_inner_tags, known), np.uint64)
        mask_of = dict(zip(known, masks.tolist(), strict=True))
        self._inner = np.fromiter(map(mask_of.__getitem__, inner), np.uint64, self._count)
        self.images = (self._inner & _IMAGE) > 0
        self.comments = np.zeros(self._count, np.bool_)
        self._text()
        self._head(document)
        self._add(_INNER, (self._inner >> _INNER_BITS) & np.uint64(1))
        self._position()
        self._containers()
        self._kinds()
        self._neighbours()
        self._add(_NEAR, self.layout.distance[self.layout.at].T)
        own = self.layout.signs & _APART
        self.apart = ((own | own[self.layout.parent])[self.layout.at] > 0) | self.captions
        # Around a headline stand its topics, its date and its author.
        self.apart &= ~self.titled
        self.names = tuple(self._names)
        self.rows = self._table[: len(self.names)].T
        del self._table, self._names

    @property
    def beside(self) -> NDArray[np.bool_]:
        """Whether each is beside the text: a comment, what accompanies it, or without a letter."""
        found: NDArray[np.bool_] = self.comments | self.apart | (self._counts["letters"] == 0)
        return found

    def _add(self, names: Iterable[str], *columns: NDArray[np.generic] | float) -> None:
        """Add features: each a line of a table, a column of its own, or one value for all."""
        at = len(self._names)
        self._names += names
        for column in columns:
            if isinstance(column, np.ndarray) and column.ndim > 1:
                self._table[at : at + len(column)] = column
                at += len(column)
            else:
                self._table[at] = column
                at += 1
        if at != len(self._names) or at > _MOST:
            raise ValueError(f"{len(self._names)} names of features, and columns up to {at}")

    def _text(self) -> None:
        self._size, self.link_share = np.log1p(self.chars), self._linked / self.chars
        lines, colons = self._of_text
        self._add(
            ("size", "link_share", "links", TAG, "lines"),
            self._size, self.link_share, self._links, self._tags, lines,
        )  # fmt: skip
        shares = np.array([self._counts[name] for name in _LETTERS]) / self.chars
        self._ends = shares[_LETTERS.index("ends")]
        self._add(_LETTERS, shares)
        self._add(
            ("all_words", "all_ends"), np.log1p(self.sizes), np.minimum(self._counts["ends"], 20.0)
        )
        self._add(_FIRST, (self._letters.first & _FIRST_BITS) > 0)
        self._add(_LAST, (self._letters.last & _LAST_BITS) > 0)
        self._add(("last_colon", "times"), colons, np.minimum(self.times, 20.0))

    def _head(self, document: Document) -> None:
        """Add how similar each block is to the texts of the page's head."""
        texts = (document.title or "", *head_texts(document.parsed))
        (share, covered), shared, described, (body, _) = self._letters.shared(texts)
        self._add(
            ("title_share", "title_covered", "shared_title_share", "shared_title_covered",
             "description_share", "description_covered", "body_share", "has_body"),
            share, covered, *shared, *described, body, len(texts[-1]) > _LONG,
        )  # fmt: skip
        headline = self.headline = int(np.argmax(covered * share + 0.2 * (self._tags == _H1)))
        self.titled = np.zeros(self._count, np.bool_)
        in_title, of_title = (_IN_H1, _IN_H1) if self._tags[headline] == _H1 else _IN_TITLE
        self.titled[headline] = any(
            part[headline] >= in_title and whole[headline] >= of_title
            for part, whole in ((share, covered), shared)
        )
        firsts = np.flatnonzero(self._tags == _H1)
        from_h1 = self._number - (firsts[0] if len(firsts) else -1)
        self.comments = comments(
            self.layout, document, headline, self._prose > 0, (self._inner & _MARKS) > 0
        )
        self._add(
            ("from_headline", "from_h1", "comment", "has_h1"),
            self._number - headline, from_h1, self.comments, min(len(firsts), 3),
        )  # fmt: skip

    def _position(self) -> None:
        number, count, own = self._number, self._count, self.own
        self._text_share = own / self._all_own
        self._add(
            ("place", "before", "text_share", "blocks", "all_text", "all_prose", "all_links",
             "longest", "depth"),
            number / count,
            (np.cumsum(own) - own) / self._all_own,
            self._text_share,
            np.log1p(count),
            np.log1p(self._all_own),
            self._prose.sum() / self._all_own,
            self._linked.sum() / max(self.chars.sum(), 1.0),
            own / max(own.max(), 1.0),
            self.layout.depth[self.layout.at],
        )  # fmt: skip
        heading = (self._tags >= _HEADINGS[0]) & (self._tags <= _HEADINGS[-1])
        last = np.maximum.accumulate(np.where(heading, number, -1.0))
        prose = self._prose > 0
        behind = np.maximum.accumulate(np.where(prose, number, -100.0))
        ahead = np.minimum.accumulate(np.where(prose, number, count + 100.0)[::-1])[::-1]
        self._add(
            ("from_heading", "heading", "from_prose", "to_prose"),
            number - last,
            np.where(last >= 0, self._tags[last.astype(np.int64)], 0.0),
            np.minimum(number - behind, 100.0),
            np.minimum(ahead - number, 100.0),
        )

    def _containers(self) -> None:
        """Add how much text is in the elements around each block, and how near the best one is."""
        layout = self.layout
        values = self.own, self._linked, self._counts["ends"], self._prose, self.sizes
        own, linked, ends_in, prose, words = layout.sums(np.array(values))
        blocks = layout.end - layout.begin
        chars = np.maximum(own + linked, 1.0)
        free = own / chars
        of_elements = np.array((
            own / self._all_own, prose / max(self._prose.sum(), 1.0), prose / np.maximum(own, 1.0),
            linked / chars, np.log1p(blocks), np.log1p(own / blocks),
            ends_in / np.maximum(words, 1.0),
        ))  # fmt: skip
        here = layout.at
        for names in _CONTAINERS:
            place = (self._number - layout.begin[here]) / blocks[here]
            self._add(names, of_elements.take(here, axis=1), place)
            here = layout.outer[here]
        # The element around most prose, where prose of nearer elements counts more.
        worth = np.zeros(len(layout.parent))
        inner = layout.at
        for factor in (0.6, 1.0, 0.6, 0.3):
            worth += np.bincount(inner, self._prose * factor, len(worth))
            inner = layout.parent[inner]
        best = int(np.argmax(worth * free))
        begin, end = layout.begin[best], layout.end[best]
        self._add(
            ("best_steps", "best_share", "best_before", "best_after", "best_place"),
            np.minimum(layout.steps_to(best), 30),
            own[best] / self._all_own,
            self._number - begin,
            end - 1 - self._number,
            (self._number - begin) / max(float(end - begin), 1.0),
        )

    def _kinds(self) -> None:
        kind = self.layout.kinds
        count = np.bincount(kind)[kind]
        own, linked, chars, ends = (
            np.bincount(kind, values)[kind]
            for values in (self.own, self._linked, self.chars, self._counts["ends"])
        )
        self._kind_mean = np.log1p(own / count)
        self._add(
            ("kind_blocks", "kind_mean", "kind_share", "kind_links", "kind_ends"),
            np.log1p(count), self._kind_mean, own / self._all_own,
            linked / np.maximum(chars, 1.0), ends / count,
        )  # fmt: skip

    def _neighbours(self) -> None:
        """Add features of the blocks before and after; -1 where there is none."""
        reach = max(_OFFSETS)
        padded = np.full((len(_AROUND), self._count + 2 * reach), -1.0)
        padded[:, reach:-reach] = (
            self._size, self.link_share, self._ends, self._tags, self._kind_mean, self._text_share
        )  # fmt: skip
        moved = np.empty((len(_AROUND), len(_OFFSETS), self._count))
        for place, offset in enumerate(_OFFSETS):
            moved[:, place] = padded[:, reach + offset : reach + offset + self._count]
        self._add(_NEIGHBOURS, moved.reshape(len(_NEIGHBOURS), self._count))


@lru_cache(maxsize=1 << 14)
def _inner_tags(inner: str) -> int:
    shown = 0
    for name in inner.split():
        shown |= _TAG_BITS.get(name, 0)
    return shown
