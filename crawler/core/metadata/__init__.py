"""The metadata of a page: title, authors, dates, language, site, address, summary, tags.

:func:`read_metadata` reads every source a page has and decides between them by a stated order.
"""

from __future__ import annotations

from crawler.core.metadata.read import Metadata, read_metadata

__all__ = ["Metadata", "read_metadata"]
