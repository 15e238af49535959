"""What kind of page a page is: an article, or a front page, a list, a product, a login.

:func:`page_type` is the way in.
"""

from __future__ import annotations

from crawler.core.pagetype.judge import PageType, page_type
from crawler.core.pagetype.kinds import KINDS

__all__ = ["KINDS", "PageType", "page_type"]
