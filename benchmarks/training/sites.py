"""Sites of gold pages, and folds of sites: what is judged was learned from other sites."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable


def site_of(row: dict[str, Any]) -> str:
    """Return the registered domain of a page, as nearly as its host tells."""
    host = urlsplit(row.get("url") or "").hostname or row.get("site") or str(row.get("id"))
    labels = host.split(".")
    short_second = len(labels) > 2 and len(labels[-2]) <= 3  # noqa: PLR2004 - "co.uk", "com.br"
    return ".".join(labels[-3 if short_second else -2 :])


def folds_of(sites: Iterable[str], folds: int, seed: int) -> dict[str, int]:
    """Give each site a fold by chance, the same one for the same sites and seed.

    Args:
        sites: their names; one may come several times.
        folds: how many there are.
        seed: of the chance.
    """
    names = sorted(set(sites))
    random.Random(seed).shuffle(names)
    return {site: number % folds for number, site in enumerate(names)}
