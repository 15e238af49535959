"""Names of crawls."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def crawl_name(started: datetime) -> str:
    """Name a crawl so that names sort by time and two crawls of one second differ."""
    return f"{started:%Y%m%d-%H%M%S}-{started.microsecond:06}-{os.getpid()}"
