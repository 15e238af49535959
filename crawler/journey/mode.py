"""The modes of a crawl: by which counts its pages are judged, and when its items leave."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """By which counts pages are judged. The value is what items and statistics say.

    ==============  ============================================  =============================
    mode            counts                                        items leave
    ==============  ============================================  =============================
    two-pass        of this crawl                                 when no page is left to fetch
    streaming       of earlier crawls, as they were at the start  at once
    incremental     of earlier crawls; of both for new templates  at once; these at the end
    archive         of all pages of the archive                   in its second reading
    single          of earlier crawls, or of pages given          at once
    ==============  ============================================  =============================
    """

    TWO_PASS = "two-pass"  # noqa: S105 - no password
    STREAMING = "streaming"
    INCREMENTAL = "incremental"
    ARCHIVE = "archive"
    SINGLE = "single"

    @property
    def exports_while_fetching(self) -> bool:
        """Whether items leave while the crawl still fetches pages."""
        return self in {Mode.STREAMING, Mode.INCREMENTAL}
