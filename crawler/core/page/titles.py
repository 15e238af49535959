"""How much a text is like a title: character 3-grams in a vector space, Lee (2009), section 4.1.

A text is a vector of its 3-grams, weighted by log TF times IDF and normalised to length 1; two
texts are as similar as the cosine of their vectors. IDF is over the pages of the site.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["grams", "similarities", "similarity"]

_LENGTH = 3
_CODE_BITS = 21


def grams(text: str) -> Counter[int]:
    """Count the 3-grams of a text, each as the number that its three code points make.

    Case and white space are folded first; a text of fewer than three characters has none.
    """
    codes = [ord(char) for char in " ".join(text.lower().split())]
    return Counter(
        (first << 2 * _CODE_BITS) | (second << _CODE_BITS) | third
        for first, second, third in zip(codes, codes[1:], codes[2:], strict=False)
    )


def similarity(
    title: Mapping[int, int],
    text: Mapping[int, int],
    idf: Callable[[Sequence[int]], Sequence[float]],
) -> float:
    """Return the cosine of a title and a text, 0 to 1; 0 where either has no 3-gram that tells.

    Args:
        title: counts of the title's 3-grams.
        text: counts of the text's.
        idf: the inverse document frequency of each of some 3-grams.
    """
    return similarities(title, (text,), idf)[0]


def similarities(
    title: Mapping[int, int],
    texts: Iterable[Mapping[int, int]],
    idf: Callable[[Sequence[int]], Sequence[float]],
) -> list[float]:
    """Return the :func:`similarity` of a title and each of some texts; weighs the title once."""
    ours = _weights(title, idf)
    length = math.hypot(*ours.values())
    return [_cosine(ours, length, text, idf) for text in texts]


def _cosine(
    ours: Mapping[int, float],
    length: float,
    text: Mapping[int, int],
    idf: Callable[[Sequence[int]], Sequence[float]],
) -> float:
    shared = ours.keys() & text.keys()
    if not shared:
        return 0.0
    theirs = _weights(text, idf)
    lengths = length * math.hypot(*theirs.values())
    if not lengths:
        return 0.0
    return min(1.0, math.fsum(ours[gram] * theirs[gram] for gram in shared) / lengths)


def _weights(
    counts: Mapping[int, int], idf: Callable[[Sequence[int]], Sequence[float]]
) -> dict[int, float]:
    keys = list(counts)
    rarities = zip(keys, idf(keys), strict=True)
    return {key: (1 + math.log(counts[key])) * rarity for key, rarity in rarities}
