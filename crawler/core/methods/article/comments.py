"""Readers' comments: which of the elements that are called so hold them.

A name alone is weak evidence. Site generators make the ``id`` of a heading or a section of its
words ("The discussion", "Feedback"), and themes note in a class of the text that the page
``has-comments`` or has none. So what stands in the element decides, and what follows it.

Forums call their posts comments, which are all the text that they have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.core.methods.article.layout import CUES, SIGNS, Layout
from crawler.core.page.blocks import Block
from crawler.core.page.elements import HEADINGS
from crawler.core.page.page import Document
from crawler.core.page.parse import ParsedPage
from crawler.core.pagetype.judge import page_type

_CUE = CUES.index("comment")
_COMMENT = 1 << _CUE
MARKS = sum(1 << CUES.index(cue) for cue in ("comment", "author", "date"))
"""What comes with each comment, as cues: a name, a date."""
INNER_MARKS = frozenset(("time", "button", "input"))
"""Likewise, as inline elements: a date, a button to reply."""
_FORM = 1 << SIGNS.index("<form>")
# A comment may have several paragraphs, and rarely are there more comments than thrice the text. No
# page of the gold changes from 2 to 10, nor from 1 to 10.
_PROSE_A_MARK = 3
_MOST_TO_TEXT = 3
# Names that are said of nothing but comments, unless with many words: those are of a text.
_SURE = re.compile(
    r"comments|commentaires|comentarios|kommentare|disqus|coment[aá]rios|koment[aá][rř]"
    r"|comment[-_]*(?:$|list|section|area|thread|box|wrap|block|container|content|body|text)",
    re.IGNORECASE,
)
_SURE_WORDS = 3
# Names that say whether there are comments, not where.
_STATE = re.compile(
    r"(?:^|[-_])(?:no|non|not|has|have|with|without|allow\w*|enable\w*|disable\w*|show|hide)[-_]*"
    r"(?=comment|discuss|repl|respon|feedback)"
    r"|[-_](?:open(?:ed)?|closed?|enabled?|disabled?|allowed|off|on|status\w*|sidebar)(?:$|[-_])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DIGITS = re.compile(r"\d+")
_FORUM = "forum"
# Properties of schema.org for the answers to a question. What such a page calls a comment is one.
_ANSWERS = ("acceptedAnswer", "suggestedAnswer")


def comments(
    layout: Layout,
    document: Document,
    headline: int,
    prose: NDArray[np.bool_],
    inner_marks: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return for each block whether it is among readers' comments.

    That is in an element which is called so, does not hold the headline, comes after prose that is
    no comment, and where it holds prose itself, is made as comments are: of several elements of one
    name in a row, or with names, dates or buttons that keep up with the prose. An element without
    these has to be called comments and nothing else, to hold no more than three times the prose
    before it, and to stand at the end of the element around it. A heading is one of comments where
    they follow. A thread of a forum has none, unless it marks the answers to a question.

    The layout forgets the names of elements that turn out to be of the text.

    Args:
        layout: where the blocks stand; its ``comment`` sign changes.
        document: the page.
        headline: number of the block most like the page's title.
        prose: whether each block is a text of some length.
        inner_marks: whether inline elements of each are what comes with comments: by their names
            :data:`MARKS`, by their tags :data:`INNER_MARKS`.
    """
    called = np.flatnonzero((layout.signs & np.uint64(_COMMENT)) > 0)
    called = called[(headline < layout.begin[called]) | (headline >= layout.end[called])]
    blocks = document.blocks
    if not len(called):
        return np.zeros(len(blocks), np.bool_)
    if page_type(document).kind == _FORUM and not _has_answers(document.parsed):
        layout.forget(_CUE, called.tolist())
        return np.zeros(len(blocks), np.bool_)
    named = _Named(layout, blocks, prose, inner_marks)
    of_text = [element for element in called.tolist() if not named.is_comments(element)]
    # Short ones go with those of their name: the answers of an interview.
    names = {layout.holders[element].names for element in of_text}
    of_text += [
        element
        for element in called.tolist()
        if layout.holders[element].names in names and not named.holds_prose(element)
    ]
    heads = [element for element in called.tolist() if named.is_heading(element)]
    others = {*of_text, *heads}
    zones = np.array([element for element in called.tolist() if element not in others], np.intp)
    inside = _within(layout, zones, len(blocks))
    first = int(np.argmax(prose & ~inside)) if (prose & ~inside).any() else len(blocks)
    found = _within(layout, zones[layout.begin[zones] > first], len(blocks))
    for element in heads:
        if layout.begin[element] > first and not found[layout.begin[element]]:
            if named.is_before_text(element, found):
                of_text.append(element)
            else:
                found[layout.begin[element] : layout.end[element]] = True
    layout.forget(_CUE, [element for element in of_text if not found[layout.begin[element]]])
    return found


def _has_answers(parsed: ParsedPage) -> bool:
    """Tell whether a page marks answers to a question."""
    marked = parsed.elements.values["itemprop"].values()
    return any(name in text for text in (*marked, *parsed.linked_data()) for name in _ANSWERS)


def _within(layout: Layout, elements: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    opened = np.zeros(count + 1, np.int64)
    np.add.at(opened, layout.begin[elements], 1)
    np.add.at(opened, layout.end[elements], -1)
    found: NDArray[np.bool_] = np.cumsum(opened[:-1]) > 0
    return found


class _Named:
    """The elements of a page that are called comments."""

    def __init__(
        self,
        layout: Layout,
        blocks: Sequence[Block],
        prose: NDArray[np.bool_],
        inner_marks: NDArray[np.bool_],
    ) -> None:
        self._layout, self._prose = layout, prose
        self._before = np.concatenate(([0], np.cumsum(prose)))
        self._blocks = blocks
        self._marked = inner_marks
        marked = np.flatnonzero((layout.signs & np.uint64(MARKS)) > 0).tolist()
        marks = [element for element in marked if layout.holders[element].tag not in HEADINGS]
        forms = np.flatnonzero((layout.signs & np.uint64(_FORM)) > 0).tolist()
        self._marks = np.array(sorted({*marks, *forms}), np.intp)
        self._in_rows = self._rows(marks)

    def _rows(self, elements: list[int]) -> set[int]:
        """Return those of some elements that stand beside or within another of the same name."""
        layout, rows = self._layout, set[int]()
        last: dict[tuple[str, str], int] = {}
        for element in elements:
            holder = layout.holders[element]
            kind = holder.path, _DIGITS.sub("0", holder.names)
            before = last.get(kind)
            if before is not None and layout.begin[element] <= layout.end[before]:
                rows |= {before, element}
            last[kind] = element
        return rows

    def _prose_in(self, begin: int, end: int) -> int:
        return int(self._before[max(begin, end)] - self._before[begin])

    def holds_prose(self, element: int) -> bool:
        """Tell whether any prose stands in an element."""
        return self._prose_in(int(self._layout.begin[element]), int(self._layout.end[element])) > 0

    def is_heading(self, element: int) -> bool:
        """Tell whether an element holds nothing but headings."""
        held = self._blocks[self._layout.begin[element] : self._layout.end[element]]
        return all(block.tag in HEADINGS for block in held)

    def is_comments(self, element: int) -> bool:
        """Tell whether an element that is called so is not of the page's own text."""
        layout = self._layout
        begin, end = int(layout.begin[element]), int(layout.end[element])
        held = self._prose_in(begin, end)
        if not held or element in self._in_rows:
            return True
        inside = self._marks[(self._marks > element) & (layout.end[self._marks] <= end)]
        inside = inside[layout.begin[inside] >= begin]
        # An element around all of the prose is a wrapper.
        whole = self._before[layout.end[inside]] - self._before[layout.begin[inside]] == held
        marks = int(np.count_nonzero(~whole)) + int(np.count_nonzero(self._marked[begin:end]))
        if _PROSE_A_MARK * marks >= held:
            return True
        around = int(layout.outer[element])
        followed = self._prose_in(end, int(layout.end[around]))
        preceded = self._prose_in(int(layout.begin[around]), begin)
        at_the_end = not (followed and preceded)
        is_text = held > _MOST_TO_TEXT * self._before[begin]
        return at_the_end and not is_text and _is_sure(layout.holders[element].names)

    def is_before_text(self, element: int, comments: NDArray[np.bool_]) -> bool:
        """Tell whether what a heading stands above is of the text: prose that is no comment."""
        layout = self._layout
        end, around = int(layout.end[element]), int(layout.outer[element])
        last = int(layout.end[around])
        if end >= last or comments[end]:
            return False
        return bool((self._prose & ~comments)[end:last].any())


def _is_sure(names: str) -> bool:
    """Tell whether a name is that of comments, and says no more."""
    return any(
        _SURE.search(name) is not None
        and _STATE.search(name) is None
        and len(_WORD.findall(name)) <= _SURE_WORDS
        for name in names.split()
    )
