"""JSON feeds as Scrapy writes them, which lone surrogates cost no item.

Texts of archives and of spiders may have a lone surrogate (half of a UTF-16 pair), which UTF-8
cannot hold. It is written as a JSON escape, and read back as it was.
"""

from __future__ import annotations

from typing import Any

from scrapy.exporters import BaseItemExporter, JsonItemExporter, JsonLinesItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder


class _Encoder(ScrapyJSONEncoder):
    def encode(self, o: Any) -> str:  # noqa: ANN401 - as the parent's
        return super().encode(o).encode("utf-8", "backslashreplace").decode()


class _WithEscapes(BaseItemExporter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(*args, **kwargs)
        self.encoder: Any = _Encoder(**self._kwargs)


class CorpusJsonLinesItemExporter(_WithEscapes, JsonLinesItemExporter):
    """Writes JSON Lines."""


class CorpusJsonItemExporter(_WithEscapes, JsonItemExporter):
    """Writes a JSON list."""
