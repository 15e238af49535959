"""The data card of a corpus: what is in it, where it is from, and what its pages ask for.

``CORPUS_DATA_CARD`` names a file in Markdown. Its front matter is that of the cards of Hugging
Face, so that the file can be the README.md of a data set there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from crawler.core.wording import harmless
from crawler.extensions.component import Component, until_closed
from crawler.items import PageItem
from crawler.journey.statistics import number, reasons
from crawler.middlewares.politeness import POLITE_SETTINGS
from crawler.settings import OPTIONS, Options

# How many sites, languages, … a table lists, and how many licences are told apart.
_MOST_ROWS: Final = 50
_MOST_LICENCES: Final = 1000
_HEAD: Final = """# Data card

{pages:,} pages with {figures.characters:,} characters of main text, made with
scrapy-corpus {version}.
The crawl fetched {came:,} pages, those here from {figures.first} to {figures.last}.
It left pages out for these reasons:
"""
_LICENCES: Final = """What pages link to as their licence (`rel=license`). A page without such a
link gives no licence; the rights in all pages stay with their owners."""
_OPT_OUTS: Final = "What the pages of this corpus ask of robots. {}"
_LEFT_OUT: Final = "Pages that ask for {} were left out (`CORPUS_RESPECT`)."
_NONE_LEFT_OUT: Final = "No page was left out for what it asks (`CORPUS_RESPECT` names nothing)."
# What Markdown takes for a mark; not the underscores within names.
_MARKS: Final = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")
# Settings that say nothing of the corpus.
_OF_THE_CALL: Final = {"CORPUS_PROGRESS", "CORPUS_END_WITH_STDIN"}


@dataclass(slots=True)
class CardFigures:
    """What the exported pages of a crawl say, added up."""

    sites: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    years: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    opt_outs: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    first: str = "?"
    last: str = "?"

    def add(self, item: PageItem) -> None:
        """Count a page."""
        self.sites[item.site] += 1
        self.languages[item.language or ""] += 1
        self.years[(item.published or "")[:4]] += 1
        self.opt_outs.update(item.robots)
        self.characters += len(item.text)
        if item.fetched_at:
            known = [item.fetched_at, *({self.first, self.last} - {"?"})]
            self.first, self.last = min(known), max(known)
        for licence in set(_licences(item)):
            if licence in self.licences or len(self.licences) < _MOST_LICENCES:
                self.licences[licence] += 1


class DataCardPipeline(Component):
    """Counts page items behind a project's own pipelines, and writes the card at the end.

    Raises:
        NotConfigured: no card is wanted.
    """

    handlers = ("engine_stopped",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self.options.data_card is None:
            raise NotConfigured
        self._path = self.options.data_card
        self._figures = CardFigures()

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Count a page item; return any item as it is."""
        if isinstance(item, PageItem):
            self._figures.add(item)
        return item

    async def engine_stopped(self) -> None:
        """Write the card: all statistics have their last values by now."""
        await until_closed(self.crawler)
        text = data_card(self._figures, self.stats.get_stats(), self.options, self.crawler.settings)
        if not self.write_report(self._path, text):
            # Scrapy's commands end with 1 where a crawl has no spider.
            self.crawler.spider = None


def data_card(
    figures: CardFigures, stats: Mapping[str, Any], options: Options, settings: BaseSettings
) -> str:
    """Write a data card.

    Args:
        figures: what the exported pages say.
        stats: the statistics of the crawl.
        options: its settings named ``CORPUS_*``.
        settings: all of its settings.
    """
    pages = figures.sites.total()
    # "nofollow" is about the links of a page: the page itself is here.
    respected = ", ".join(sorted({*options.respect} - {"nofollow"}))
    opt_outs = _LEFT_OUT.format(respected) if respected else _NONE_LEFT_OUT
    came = number(stats, "corpus/pages/fetched")
    lines = [
        _front_matter(figures.languages),
        _HEAD.format(pages=pages, came=came, figures=figures, version=version("scrapy-corpus")),
        *_table("Left out because", reasons(stats, "corpus/skipped/")),
        *_table("Not fetched because", reasons(stats, "corpus/failed/")),
    ]
    for heading, words, column, counts in (
        ("Sites", "", "Site", figures.sites),
        ("Languages", "As the pages declare them.", "Language", figures.languages),
        ("Dates", "Years in which the pages say they were published.", "Year", figures.years),
        ("Licences", _LICENCES, "Licence", figures.licences),
        ("Opt-outs", _OPT_OUTS.format(opt_outs), "Asked for", figures.opt_outs),
    ):
        lines += [f"## {heading}\n", f"{words}\n" if words else "", *_table(column, counts)]
    lines += ["## Settings\n", "What this crawl has set otherwise than scrapy-corpus does.\n"]
    lines += _rows("Setting", "Value", _changed(options, settings))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _changed(options: Options, settings: BaseSettings) -> Iterator[tuple[str, str]]:
    """Give the settings that are not those of a crawl in which nobody has set anything."""
    for option in OPTIONS:
        value = getattr(options, option.attribute)
        is_of_the_call = option.name in _OF_THE_CALL or (
            option.affects == "neither" and isinstance(value, Path)
        )
        if value != option.default and not is_of_the_call:
            is_list = isinstance(value, tuple)
            yield option.name, ", ".join(map(str, value)) if is_list else str(value)
    readers: dict[type, Callable[[str], object]] = {
        bool: settings.getbool,
        int: settings.getint,
        float: settings.getfloat,
    }
    for name, default in POLITE_SETTINGS.items():
        reader: Callable[[str], object] = readers.get(type(default), settings.get)
        if (chosen := reader(name)) != default:
            yield name, str(chosen)


def _licences(item: PageItem) -> Iterator[str]:
    if item.page is None:
        return
    for root in item.page.document.parsed.roots:
        for link in root.iter("a", "link"):
            if "license" in (link.get("rel") or "").lower().split() and (href := link.get("href")):
                yield urljoin(item.url, href.strip())


def _front_matter(languages: Iterable[str]) -> str:
    codes = sorted({name.partition("-")[0].lower() for name in languages if name.isascii()} - {""})
    listed = "".join(f"- {code}\n" for code in codes if code.isalpha())
    return f"---\nlanguage:\n{listed}---\n" if listed else ""


def _table(name: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Give the rows of counts, the most frequent first, and the sum of those beyond a limit."""
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    rows = [(value or "(not told)", f"{count:,}") for value, count in ranked[:_MOST_ROWS]]
    if rest := sum(count for _, count in ranked[_MOST_ROWS:]):
        rows.append((f"({len(ranked) - _MOST_ROWS:,} more)", f"{rest:,}"))
    return _rows(name, "Pages", rows)


def _rows(name: str, value: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    lines = [f"| {_cell(left)} | {_cell(right)} |" for left, right in rows]
    if lines:
        yield from (f"| {name} | {value} |", "|---|---|", *lines, "")
    else:
        yield "None.\n"


def _cell(text: str) -> str:
    """Return text of pages as a cell: no markup, and nothing that acts on a terminal."""
    return _MARKS.sub(r"\\\g<0>", escape(harmless(" ".join(text.split())), quote=False))
