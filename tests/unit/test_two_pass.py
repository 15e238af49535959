"""The request of the second pass, which no server answers, stands in no statistic."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from scrapy import Spider
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from crawler.middlewares.two_pass import TwoPass

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = ("downloader/response_count", "downloader/response_status_count/200")


@pytest.mark.parametrize(("before", "after"), [(None, None), (3, 2)])
def test_a_response_of_no_server_is_not_counted(
    tmp_path: Path, before: int | None, after: int | None
) -> None:
    crawler = get_crawler(settings_dict={"CORPUS_DIR": str(tmp_path)})
    crawler.spider = Spider("own")
    two_pass = TwoPass.from_crawler(crawler)
    assert crawler.stats is not None
    if before is not None:
        for name in COUNTS:
            crawler.stats.set_value(name, before)

    async def drained() -> list[object]:
        return [item async for item in two_pass.drain(Response("data:,pages"))]

    assert asyncio.run(drained()) == []
    assert [crawler.stats.get_value(name) for name in COUNTS] == [after, after]
