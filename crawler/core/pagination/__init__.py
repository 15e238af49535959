"""Articles that a site cuts into several pages: which page goes on where, and what each repeats.

:func:`next_part` reads it from a page, :class:`PartLinks` makes chains of what all pages say, and
:func:`repeated_blocks` tells what the parts of a chain say again.
"""

from __future__ import annotations

from crawler.core.pagination.address import MOST_PARTS, is_part_of, may_be_part, part_number
from crawler.core.pagination.chains import PartLinks
from crawler.core.pagination.links import next_part
from crawler.core.pagination.repeats import repeated_blocks, same_headline

__all__ = [
    "MOST_PARTS",
    "PartLinks",
    "is_part_of",
    "may_be_part",
    "next_part",
    "part_number",
    "repeated_blocks",
    "same_headline",
]
