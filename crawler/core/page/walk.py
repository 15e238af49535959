"""The one walk over the tree of a page: its elements as columns, which all readers of it share.

The columns are made by the compiled part where there is one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Self

from crawler.core.hot_loops import columns
from crawler.core.hot_loops.elements import VALUED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml import etree


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """The elements of a page in its order; each column has one entry an element.

    Attributes:
        nodes: the elements.
        tags: what they are called.
        texts: the text of each up to its first child.
        tails: the text behind each up to the next element.
        names: the names of its attributes.
        values: by the names of some attributes, :data:`crawler.core.hot_loops.elements.VALUED`, the
            values by the numbers of the elements that have them.
        children: how many children it has.
    """

    nodes: Sequence[etree._Element]
    tags: Sequence[str]
    texts: Sequence[str | None]
    tails: Sequence[str | None]
    names: Sequence[Sequence[str]]
    values: Mapping[str, Mapping[int, str]]
    children: Sequence[int]
    _numbers: dict[str, list[int]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the elements of several trees as one."""
        if len(parts) == 1:
            return parts[0]
        lists = ("nodes", "tags", "texts", "tails", "names", "children")
        columns = {
            name: list(chain.from_iterable(getattr(part, name) for part in parts)) for name in lists
        }
        starts = accumulate((len(part.nodes) for part in parts), initial=0)
        values: dict[str, dict[int, str]] = {name: {} for name in VALUED}
        for start, part in zip(starts, parts, strict=False):
            for name, found in part.values.items():
                values[name] |= {start + number: value for number, value in found.items()}
        return cls(values=values, **columns)

    def behind(self, number: int) -> int:
        """Return the number of the first element that is not within one."""
        children, left = self.children, 1
        while left:
            left += children[number] - 1
            number += 1
        return number

    def children_of(self, number: int) -> Iterator[int]:
        """Yield the numbers of the children of an element."""
        child = number + 1
        for _ in range(self.children[number]):
            yield child
            child = self.behind(child) if self.children[child] else child + 1

    @property
    def numbers(self) -> Mapping[str, Sequence[int]]:
        """By each name the numbers of the elements that are called so."""
        if not self._numbers:
            # It takes as long as to look for one name.
            found = defaultdict[str, list[int]](list)
            for number, tag in enumerate(self.tags):
                found[tag].append(number)
            self._numbers.update(found)
        return self._numbers

    def called(self, tags: Iterable[str]) -> list[etree._Element]:
        """Return the elements of some names."""
        return [self.nodes[number] for number in self.numbers_of(tags)]

    def numbers_of(self, tags: Iterable[str]) -> list[int]:
        """Return the numbers of the elements of some names, ascending."""
        return sorted(chain.from_iterable(self.numbers.get(tag, ()) for tag in frozenset(tags)))


def walk(root: etree._Element) -> Elements:
    """Return the elements of a tree; comments and instructions were left out by the parser."""
    return Elements(*columns(root))
