"""How many elements each element of a model is, when it holds no more than it has to.

Sizes are told from the smallest on (Knuth, A generalization of Dijkstra's algorithm, Information
Processing Letters 1977), so that each part of each content model is looked at once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.structure.model import Model, Particle

__all__ = ["ENDLESS", "least_sizes"]

ENDLESS: Final = 1 << 16_384
"""Stands for the size of what has no end: above any that a model of a million characters gives."""


@dataclass(slots=True)
class _Part:
    """A part of a content model, or a whole element: those have a name, and nothing above them.

    ``left``
        How many of its parts have to be told before it is: of a choice the smallest, which is told
        first.
    ``total``
        The size of those that are.
    """

    above: _Part | None
    left: int
    total: int = 0
    name: str = ""


def least_sizes(model: Model) -> dict[str, int]:
    """Return of each element how many it is at the least, itself and all below it.

    Elements that no finite document can hold are left out.
    """
    sizes: dict[str, int] = {}
    users: defaultdict[str, list[_Part]] = defaultdict(list)
    # The number in the middle is that no parts are compared.
    ready: list[tuple[int, int, _Part]] = []
    numbers = count()

    def told(part: _Part, size: int) -> None:
        part.left -= 1
        part.total += size
        if part.left == 0:
            heappush(ready, (part.total, next(numbers), part))

    for name in model.names:
        whole = _Part(None, 1, 1, name)
        element = model.elements.get(name)
        if element is None or element.content is None:
            told(whole, 0)
            continue
        for asked, above in _laid_out(element.content, whole):
            if asked:
                users[asked].append(above)
            else:
                told(above, 0)
    while ready:
        size, _, part = heappop(ready)
        if part.above is not None:
            told(part.above, size)
            continue
        sizes[part.name] = size
        for user in users[part.name]:
            told(user, size)
    return sizes


def _laid_out(content: Particle, whole: _Part) -> Iterator[tuple[str, _Part]]:
    """Yield the elements that a content model asks for, each with the part it is of.

    What need not be there has no name.
    """
    waiting = [(content, whole)]
    while waiting:
        particle, above = waiting.pop()
        if particle.occurs in ("?", "*"):
            yield "", above
        elif particle.kind == "name":
            yield particle.name, above
        else:
            inner = _Part(above, 1 if particle.kind == "choice" else len(particle.parts))
            waiting += [(each, inner) for each in particle.parts]
