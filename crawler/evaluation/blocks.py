"""Which blocks of a page are main text by its gold text: Kim and Kim (2021), table 1.

The paper labelled blocks by hand. Gold text holds words alone, so blocks are looked up in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias, TypeVar

from crawler.core.page.blocks import Block
from crawler.evaluation.scores import words

T = TypeVar("T")
_Chain: TypeAlias = "tuple[int, _Chain] | None"


def main_by_gold(blocks: Iterable[tuple[Block, T]], gold_text: str) -> Iterator[tuple[bool, T]]:
    """Yield for each block that has a word whether gold has it, and what was given with it."""
    pairs = [(words(block.text), given) for block, given in blocks]
    main = main_blocks([block for block, _ in pairs], words(gold_text))
    for number, (block, given) in enumerate(pairs):
        if block:
            yield number in main, given


def main_blocks(blocks: Sequence[Sequence[str]], gold: Sequence[str]) -> set[int]:
    """Return the numbers of the blocks that are main text.

    Each stands in the gold text as a run of neighbouring words, and they stand there in the order
    of the page without overlap. Of all such sets of blocks it is the one of most words: a word of
    the menu that the article uses too is not main text by that.

    Args:
        blocks: the words of each block of the page, in order.
        gold: the words of the gold text.

    >>> blocks = [["news"], ["the", "news"], ["is", "good"], ["good"]]
    >>> main_blocks(blocks, ["the", "news", "is", "good"])
    {1, 2}
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(gold):
        places[word].append(place)
    # Chains of blocks, by where they end in the gold text; of those that end later none is lighter.
    best: list[tuple[int, int, _Chain]] = [(0, 0, None)]
    for number, block in enumerate(blocks):
        longer: list[tuple[int, int, _Chain]] = []
        for start in places.get(block[0], ()) if block else ():
            end = start + len(block)
            if gold[start:end] == block:
                _, weight, chain = best[bisect_right(best, start, key=itemgetter(0)) - 1]
                longer.append((end, weight + len(block), (number, chain)))
        for end, weight, chain in longer:
            if best[bisect_right(best, end, key=itemgetter(0)) - 1][1] <= weight:
                low = high = bisect_left(best, end, key=itemgetter(0))
                while high < len(best) and best[high][1] <= weight:
                    high += 1
                best[low:high] = [(end, weight, chain)]
    found, chain = set(), best[-1][2]
    while chain:
        found.add(chain[0])
        chain = chain[1]
    return found
