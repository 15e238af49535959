"""JSON feeds as Scrapy writes them, which half of a character pair costs no item.

Texts of archives and of spiders may have such halves, which no encoding can hold. They are written
as JSON escapes, and read back as they were.
"""

from __future__ import annotations

from typing import Any

from scrapy.exporters import JsonItemExporter, JsonLinesItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder


def whole(json_text: str) -> str:
    """Write the halves of character pairs in a JSON text as its escapes."""
    return json_text.encode("utf-8", "backslashreplace").decode()


class _Encoder(ScrapyJSONEncoder):
    def encode(self, o: Any) -> str:  # noqa: ANN401 - as the parent's
        return whole(super().encode(o))


class CorpusJsonLinesItemExporter(JsonLinesItemExporter):
    """Writes JSON Lines."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(*args, **kwargs)
        self.encoder = _Encoder(**self._kwargs)


class CorpusJsonItemExporter(JsonItemExporter):
    """Writes a JSON list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(*args, **kwargs)
        self.encoder = _Encoder(**self._kwargs)
