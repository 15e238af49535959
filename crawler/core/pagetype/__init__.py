"""The kind of a page: an article, or a front page, a list, a product, a login.

:func:`page_type` tells it.
"""

from __future__ import annotations

from crawler.core.pagetype.judge import ARTICLE, KINDS, PageType, page_type

__all__ = ["ARTICLE", "KINDS", "PageType", "page_type"]
