"""The data card: what the exported pages of a crawl say, added up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from scrapy import Spider
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from crawler.addon import CorpusAddon
from crawler.core.errors import OptionError
from crawler.core.flow import Page, SiteView, read
from crawler.core.pagetype.judge import page_type
from crawler.items import PageItem
from crawler.journey.item_page import ItemPage
from crawler.pipelines.data_card import CardFigures, DataCardPipeline, data_card
from crawler.settings import Options

if TYPE_CHECKING:
    from pathlib import Path

LICENSED = """<p>Text.</p><a rel="nofollow license" href="/terms">Terms</a>
<link rel=license href="https://licences.example/by">"""


def item(number: int, **fields: object) -> PageItem:
    return PageItem(
        f"https://s.example/{number}", site="s.example", text="four", **fields,  # type: ignore[arg-type] # any
    )  # fmt: skip


def licensed_item() -> PageItem:
    made = item(3, language="en", robots=["noai", "tdm"], fetched_at="2024-06-01T00:00:00Z")
    document = read(Page.from_text(made.url, LICENSED))
    made.page = ItemPage((document,), SiteView(), page_type(document))
    return made


def crawl_settings(**given: object) -> Settings:
    """Return the settings of a crawl with the add-on."""
    settings = Settings(given)
    CorpusAddon().update_settings(settings)
    return settings


def rows(card: str, heading: str) -> dict[str, str]:
    """Read the first table of a section."""
    section = card.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return dict(line.strip("| ").split(" | ") for line in lines)


def test_a_card_adds_up_what_pages_say() -> None:
    figures = CardFigures()
    figures.add(item(1, language="ko", published="2023-02-03", fetched_at="2024-05-01T00:00:00Z"))
    figures.add(item(2, language="ko-KR", published="2024"))
    figures.add(licensed_item())
    options = Options.from_settings({"CORPUS_RESPECT": "noindex", "CORPUS_DIR": "elsewhere"})
    stats = {"corpus/pages/fetched": 9, "corpus/skipped/noindex": 6, "corpus/failed/http-404": 1}
    card = data_card(figures, stats, options, crawl_settings(DOWNLOAD_DELAY="0"))
    assert card.startswith("---\nlanguage:\n- en\n- ko\n---\n")
    assert "3 pages with 12 characters" in card
    assert "from 2024-05-01T00:00:00Z to 2024-06-01T00:00:00Z" in card
    assert "9 pages," in card
    assert "| noindex | 6 |" in card
    assert "| http-404 | 1 |" in card
    assert rows(card, "Sites") == {"s.example": "3"}
    assert rows(card, "Languages") == {"en": "1", "ko": "1", "ko-KR": "1"}
    assert rows(card, "Dates") == {"(not told)": "1", "2023": "1", "2024": "1"}
    assert rows(card, "Licences") == {
        "https://licences.example/by": "1",
        "https://s.example/terms": "1",
    }
    assert rows(card, "Opt-outs") == {"noai": "1", "tdm": "1"}
    assert rows(card, "Settings") == {"CORPUS_RESPECT": "noindex", "DOWNLOAD_DELAY": "0.0"}


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("\x1b[31mred\x07", r"\\x1b\[31mred\\x07"),
        ("[a](javascript:b) | `c` *d* _e_", r"\[a\](javascript:b) \| \`c\` \*d\* \_e\_"),
        ("https://l.example/by_4.0?a=1&b=2", "https://l.example/by_4.0?a=1&amp;b=2"),
    ],
)
def test_what_pages_say_is_no_markup_of_the_card(found: str, shown: str) -> None:
    figures = CardFigures()
    figures.licences[found] = 3
    card = data_card(figures, {}, Options(), crawl_settings())
    assert f"\n| {shown} | 3 |\n" in card


def test_a_card_of_many_sites_lists_the_largest() -> None:
    figures = CardFigures()
    for number in range(60):
        figures.sites[f"site-{number}.example"] = 100 - number
    listed = rows(data_card(figures, {}, Options(), crawl_settings()), "Sites")
    assert len(listed) == 51
    assert listed["(10 more)"] == str(sum(range(41, 51)))


def test_a_crawl_writes_its_card(tmp_path: Path) -> None:
    path = tmp_path / "card.md"
    crawler = get_crawler(Spider, {"CORPUS_DATA_CARD": str(path)})
    crawler.engine = type("Engine", (), {"spider": None})()
    pipeline = DataCardPipeline.from_crawler(crawler)
    page = licensed_item()
    assert pipeline.process_item(page) is page
    assert pipeline.process_item({"remark": "no page"}) == {"remark": "no page"}
    asyncio.run(pipeline.engine_stopped())
    assert rows(path.read_text("utf-8"), "Sites") == {"s.example": "1"}


def test_a_card_that_cannot_be_written_is_refused_before_the_crawl(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="CORPUS_DATA_CARD"):
        CorpusAddon().update_settings(Settings({"CORPUS_DATA_CARD": str(tmp_path)}))
    with pytest.raises(NotConfigured):
        DataCardPipeline.from_crawler(get_crawler(Spider))
