"""What a spider hands over, as a page: a response, or an item with ``url`` and ``html``."""

from __future__ import annotations

import json
from typing import Any

from itemadapter import ItemAdapter, is_item
from scrapy.http import Response

from crawler.core.page import Page
from crawler.items import nested_to_json

__all__ = ["page_from"]


def page_from(output: Any, now: str) -> Page | None:  # noqa: ANN401 - spiders yield what they like
    """Return the page that a spider's output is, None where it is something else.

    Args:
        output: a response; or an item of any type with ``url`` and ``html`` (text, or bytes of
            uncertain encoding), optionally ``site`` and ``fetched_at``. Its further fields go with
            the page, as JSON values.
        now: the time, ISO 8601 in UTC, for pages that do not say when they were fetched.
    """
    if isinstance(output, Response):
        header = output.headers.get("Content-Type") or b""
        return Page(
            url=output.url,
            body=output.body,
            content_type=header.decode("latin-1"),
            fetched_at=now,
        )
    if not is_item(output):
        return None
    fields = ItemAdapter(output).asdict()
    url, html = fields.pop("url", None), fields.pop("html", None)
    if not url or not isinstance(url, str) or not isinstance(html, str | bytes):
        return None
    site = str(fields.pop("site", None) or "")
    fetched_at = str(fields.pop("fetched_at", None) or now)
    further: dict[str, Any] = json.loads(nested_to_json(fields))
    if isinstance(html, bytes):
        return Page(url=url, body=html, fetched_at=fetched_at, site=site, fields=further)
    return Page.from_text(url, html, fetched_at=fetched_at, site=site, fields=further)
