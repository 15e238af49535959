"""The names of crawls and of the parts of their output, and what a killed crawl leaves of parts.

Names sort in the order in which parts were written: who reads parts in the order of their names has
the last version of each page last. A name begins with the time at which its crawl began, or, where
a clock was ahead in an earlier crawl of the site, with the next time after the one in that name.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from crawler.store.files import system_errors
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Part

_STAMP: Final = "%Y%m%d-%H%M%S-%f"


def now() -> str:
    """Return the time, ISO 8601 in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def crawl_name(started: datetime) -> str:
    """Name a crawl so that names sort by time and two crawls of one microsecond differ."""
    return f"{started:{_STAMP}}-{os.getpid()}"


def name_after(name: str, last: str) -> str:
    """Return a name for the output of a crawl that sorts after an earlier one, by any clock.

    It is the crawl's own name. Where a clock was ahead, it is the next after that of the earlier
    crawl.
    """
    was, given = _stamp_of(last), _stamp_of(name)
    if was is None or given is None or given > was:
        return name
    return f"{was + timedelta(microseconds=1):{_STAMP}}-{name.rpartition('-')[2]}"


def _stamp_of(name: str) -> datetime | None:
    try:
        return datetime.strptime(name.rpartition("-")[0], _STAMP).replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def aside_of(folder: Path, part: Part) -> Path:
    """Return the file in which a part is written until it is whole."""
    return folder / f"{part.name}.aside"


def mend_parts(ledger: Ledger, folder: Path, run: str) -> str:
    """Finish the parts in a folder that a killed run left whole, and discard those it did not.

    Returns:
        What the names of the parts of a run that begins now are to begin with.

    Raises:
        StoreError: a part cannot be removed.
    """
    for part in ledger.parts(unfinished=True):
        aside = aside_of(folder, part)
        with system_errors(f"{aside} cannot be removed", "Check the permissions of its folder."):
            aside.unlink(missing_ok=True)
        if (folder / part.name).is_file():
            ledger.finish_part(part.run, part.number, now())
        else:
            ledger.discard_part(part.run, part.number)
    # The folder may hold parts of an earlier ledger, which was moved aside.
    known = (*(part.name for part in ledger.parts()), *(path.name for path in folder.glob("*-*")))
    names = (name.rpartition("-")[0] for name in known)
    return name_after(run, max(filter(_stamp_of, names), default=""))
