"""Whether a page is like those of its site that were counted: of a template that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from crawler.core.counting.observation import Observation
    from crawler.core.counting.site_counts import SiteView

__all__ = ["is_like_the_site"]

_FEWEST_PAGES: Final = 20
_SHARE_OF_MEAN: Final = 0.5


def is_like_the_site(observation: Observation, view: SiteView) -> bool:
    """Say whether the blocks that recur on a site stand on a page as they do on its other pages.

    Of the blocks of a page some recur on the site: its menu, its footer. Where their share is less
    than half of what it is on the pages counted, the page has another frame than those, as after a
    redesign, or none.

    Args:
        observation: the page.
        view: the counts of the site without it; a site of which few pages were counted has no pages
            to be like, nor has one whose counts lack what the text method adds up.
    """
    if view.pages < _FEWEST_PAGES or observation.sums.keys() - view.sums.keys():
        return False
    recurring = int(view.frequencies.sum(dtype=np.int64))
    mean = recurring / max(1, recurring + view.single_blocks)
    known = np.count_nonzero(np.isin(observation.keys, view.keys, assume_unique=True))
    return bool(known >= _SHARE_OF_MEAN * mean * len(observation.keys))
