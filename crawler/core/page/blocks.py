"""Text blocks of a page: what a reader sees as one paragraph, heading, list item or cell."""

from __future__ import annotations

from dataclasses import dataclass, field


# Nothing changes a holder or a block once it is made. They are not frozen: pages have hundreds of
# them, and frozen dataclasses take four times as long to make.
@dataclass(slots=True, eq=False)
class Holder:
    """A block-level element that holds blocks.

    Attributes:
        tag: its name.
        names: what its author calls it: the values of ``class``, ``id``, ``role`` and ``itemprop``
            with spaces between, at most 200 characters of each.
        parent: the block-level element around it; None for a root.
        depth: how many block-level elements there are from the root to this one; 1 for a root.
        path: their tags with ``/`` between, ``tbody`` left out; ends where it has become longer
            than 1,000 characters.
        number: of a table's cell its column, from 0, or -1 where cells that reach over several rows
            leave it unknown; of an ordered list the number of its first item; 0 of any other.
    """

    tag: str
    names: str
    parent: Holder | None
    depth: int
    path: str
    number: int = 0


@dataclass(slots=True, unsafe_hash=True)
class Block:
    """One visible block of a page.

    Attributes:
        index: position among the page's blocks, from 0.
        text: what is read: white space folded, a ``<br>`` within the block as a line break. Code
            keeps its spaces and line breaks.
        tag: name of the block-level element that holds the text.
        path: names of its ancestors and itself from the root, ``/`` between, ``tbody`` left out;
            ends where it has become longer than 1,000 characters.
        key: 64-bit identity of the normalised text (:func:`crawler.core.page.text.block_key`):
            blocks with one key are the same block on different pages.
        chars, link_chars: characters that are not white space, and how many of them stand inside
            hyperlinks.
        holder: the block-level element that holds the text; None for what was not cut along
            elements.
        inner: of the inline elements within the block, or between it and the one before: the tags
            of those that tell something of a line (``time``, ``button``, ``strong``, …), and what
            authors call them, with spaces between.
        links: how many hyperlinks begin within the block.
    """

    index: int
    text: str
    tag: str
    path: str
    key: int
    chars: int
    link_chars: int
    holder: Holder | None = field(default=None, repr=False, compare=False)
    inner: str = field(default="", repr=False, compare=False)
    links: int = field(default=0, repr=False, compare=False)

    @property
    def link_share(self) -> float:
        """Share of the block's characters that are hyperlink text, 0 to 1."""
        return self.link_chars / self.chars if self.chars else 0.0
