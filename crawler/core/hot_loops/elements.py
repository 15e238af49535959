"""Loops over the elements and blocks of a page, in Python: the reference of the compiled ones."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from lxml.etree import _Element as Element

    from crawler.core.page.blocks import Block, Holder

    Columns: TypeAlias = tuple[
        list[Element],
        list[str],
        list[str | None],
        list[str | None],
        list[tuple[str, ...]],
        dict[str, dict[int, str]],
        list[int],
    ]

_Kind = TypeVar("_Kind")

VALUED = ("class", "id", "itemprop", "rel", "href", "style", "hidden", "role")
"""The attributes whose values the columns hold: names of an element, where it leads, its look."""

_TAG, _TEXT, _TAIL = map(attrgetter, ("tag", "text", "tail"))
_NAMES = methodcaller("keys")
_COLONS = (":", "\uff1a")


def columns(root: Element) -> Columns:
    """Return the elements of a tree as columns.

    They are those of :class:`crawler.core.page.walk.Elements`, in its order.
    """
    nodes = list(root.iter())
    tags, texts, tails, children = (list(map(read, nodes)) for read in (_TAG, _TEXT, _TAIL, len))
    # Most elements share their names: fewer objects are left for the collector of garbage.
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    names = [known.setdefault(own, own) for own in map(tuple, map(_NAMES, nodes))]
    values: dict[str, dict[int, str]] = {name: {} for name in VALUED}
    # Of each set of names: at which places those are whose values are kept, and where.
    kept = {
        own: [(place, values[name]) for place, name in enumerate(own) if name in values]
        for own in known
    }
    for number, (node, own) in enumerate(zip(nodes, names, strict=True)):
        if places := kept[own]:
            its = node.values()
            for place, column in places:
                column[number] = str(its[place])
    return nodes, tags, texts, tails, names, values, children


def short_texts(
    tags: Sequence[str],
    texts: Sequence[str | None],
    tails: Sequence[str | None],
    unread: AbstractSet[str],
    most: int,
) -> tuple[list[int], list[str]]:
    """Return where the short texts of a page are, and those texts, in its order.

    A place is twice the number of an element for its text, and 1 more for the text behind it.

    Args:
        tags: the column of :class:`crawler.core.page.walk.Elements`.
        texts: likewise.
        tails: likewise.
        unread: the elements whose own text does not count.
        most: a text has fewer characters than this, at least two, and is no white space alone.
    """
    places = [
        2 * number
        for number, (text, tag) in enumerate(zip(texts, tags, strict=True))
        if text and 1 < len(text) < most and not text.isspace() and tag not in unread
    ]
    places += [
        2 * number + 1
        for number, text in enumerate(tails)
        if text and 1 < len(text) < most and not text.isspace()
    ]
    places.sort()
    columns = texts, tails
    return places, [columns[place & 1][place >> 1] or "" for place in places]


def described(blocks: Sequence[Block], tags: Mapping[str, int], other: int) -> NDArray[np.float64]:
    """Return figures of blocks, one column a block.

    Args:
        blocks: the blocks.
        tags: the number of each tag.
        other: the number of all other tags.

    Returns:
        Lines for the characters; those of them in hyperlinks; the hyperlinks; the number of the
        tag; the line breaks; whether a colon ends the text; and on how many of the blocks the text
        stands, by its key.
    """
    times = Counter(block.key for block in blocks)
    rows = [
        (
            block.chars,
            block.link_chars,
            block.links,
            tags.get(block.tag, other),
            block.text.count("\n"),
            block.text[-1] in _COLONS,
            times[block.key],
        )
        for block in blocks
    ]
    return np.array(rows, np.float64).reshape(-1, 7).T.copy()


def made(kind: type[_Kind], *columns: Iterable[object]) -> list[_Kind]:
    """Make objects of a dataclass with slots from the values of its fields, one column a field.

    The class has no ``__post_init__``, and its fields hold numbers, texts and None alone.

    Raises:
        TypeError: there are more or fewer columns than fields.
        ValueError: one column is longer than another.
    """
    slots = vars(kind)["__slots__"]
    if len(columns) != len(slots):
        raise TypeError(f"{kind.__name__} has {len(slots)} fields, not {len(columns)}")
    return [kind(*values) for values in zip(*columns, strict=True)]


def numbered(
    blocks: Sequence[Block],
) -> tuple[list[Holder], list[str], list[str], list[NDArray[np.intp]]]:
    """Number the elements around blocks from outside in, in the order of their first blocks.

    Returns:
        The elements; their different tags, and their different names; and the arrays of
        :class:`crawler.core.page.nesting.Nesting`, in its order.

    Raises:
        ValueError: a block stands in no element.
    """
    numbers: dict[Holder, int] = {}
    parents: list[int] = []
    begins: list[int] = []
    at: list[int] = []
    for index, block in enumerate(blocks):
        new: list[Holder] = []
        here = block.holder
        while here is not None and here not in numbers:
            new.append(here)
            here = here.parent
        for holder in reversed(new):
            number = numbers[holder] = len(numbers)
            parents.append(number if holder.parent is None else numbers[holder.parent])
            begins.append(index)
        if block.holder is None:
            raise ValueError("the blocks of a layout have to stand in elements")
        at.append(numbers[block.holder])
    ends = [0] * len(parents)
    for index, element in enumerate(at):
        ends[element] = index + 1
    for element in range(len(parents) - 1, -1, -1):
        around = parents[element]
        ends[around] = max(ends[around], ends[element])
    outers = list(parents)
    for element, around in enumerate(parents):
        if begins[around] == begins[element] and ends[around] == ends[element]:
            outers[element] = outers[around]
    paths: dict[str, int] = {}
    tags: dict[str, int] = {}
    names: dict[str, int] = {}
    depths = [holder.depth for holder in numbers]
    kinds = [paths.setdefault(holder.path, len(paths)) for holder in numbers]
    tagged = [tags.setdefault(holder.tag, len(tags)) for holder in numbers]
    named = [names.setdefault(holder.names, len(names)) for holder in numbers]
    columns = (at, parents, outers, begins, ends, depths, kinds, tagged, named)
    arrays = [np.array(column, np.intp) for column in columns]
    return list(numbers), list(tags), list(names), arrays


def distances(
    signs: NDArray[np.uint64], parent: NDArray[np.intp], count: int, far: int
) -> NDArray[np.uint8]:
    """Return for each element how many steps outwards the nearest one stands that shows a sign.

    Args:
        signs: what each element itself shows, as bits.
        parent: the number of the one around it, which is lower; a root is around itself.
        count: how many signs there are.
        far: the distance of what none shows, and of what is farther away.
    """
    octets = signs.astype("<u8").view(np.uint8).reshape(-1, 8)
    own = np.unpackbits(octets, axis=1, bitorder="little")[:, :count]
    found = np.where(own > 0, np.uint8(0), np.uint8(far))
    step, outwards = 1, parent
    # The reach doubles in each step.
    while step < far:
        # A root is its own parent: steps beyond it make a distance only longer.
        found = np.minimum(found, found[outwards] + np.uint8(step))
        step, outwards = 2 * step, outwards[outwards]
    return found
