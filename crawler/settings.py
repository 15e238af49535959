"""Every ``CORPUS_*`` setting, declared once: type, default, meaning, and what it changes.

A setting is one field of :class:`Options`. Its name is the field's in capitals behind ``CORPUS_``
(``text_method`` is ``CORPUS_TEXT_METHOD``). Its ``affects`` says what a change of it changes:

================  ==============================================================================
``observations``  what is counted of a page, and so the items too
``items``         the items that are made of the counted pages
``neither``       where the items go, how pages are fetched, or what is shown meanwhile
================  ==============================================================================
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from crawler.core.errors import OptionError
from crawler.core.methods.registry import DEFAULT_METHOD
from crawler.core.page.page import MAX_PAGE_BYTES
from crawler.core.pagetype.judge import KINDS
from crawler.core.structure import DEFAULT_STRUCTURE
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD
from crawler.fields import (
    Field,
    affects_items,
    affects_neither,
    affects_observations,
    choice,
    declare,
    dictionary,
    fields_of,
    hosts,
    hosts_or,
    number,
    read_fields,
    whole_number,
    words,
)

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PREFIX: Final = "CORPUS_"
"""What every setting of the project starts with."""


@dataclass(frozen=True, slots=True)
class TableConstants:
    """Constants of the table method "rules": Kim and Lee (2004), sections 3.1, 3.2.2 and 4.1."""

    type_weight: float = declare(0.6, accepts=number(0, 1))
    length_weight: float = declare(0.4, accepts=number(0, 1))
    threshold: float = declare(0.54, accepts=number(0, 1))
    shortest: float = declare(0.5, accepts=number(0, 1))
    longest: float = declare(1.5, accepts=number(1))
    most: float = declare(0.5, accepts=number(0, 1))


@dataclass(frozen=True, slots=True)
class Pauses:
    """Pauses for a site that asks for less (429, 503) or gives errors; times in seconds."""

    count: int = declare(5)
    first: float = declare(10.0)
    longest: float = declare(600.0)
    after_errors: int = declare(5, accepts=whole_number(1))


@dataclass(frozen=True, slots=True)
class Options:
    """All settings of one crawl, read and checked once."""

    mode: str = affects_neither(
        "two-pass",
        '"two-pass" keeps the pages on disk until the whole site has been seen and exports them '
        'then; "streaming" judges a page by the counts of earlier crawls and exports it at once.',
        choice("two-pass", "streaming"),
    )
    dir: Path = affects_neither(
        Path("corpus-data"),
        "Folder for spooled pages and for the counts of earlier crawls; made when missing.",
    )
    incremental: bool = affects_neither(
        False,
        "Keep a ledger of what was seen, found and exported: fetch what is new or may have "
        "changed, export what is new or has changed, in numbered parts, and go on after a kill. "
        "For the spider site.",
    )
    output: Path | None = affects_neither(
        None,
        "Folder for the numbered parts of incremental crawls, in a folder for each site; made "
        "when missing. None for the folder articles in CORPUS_DIR.",
    )
    output_format: str = affects_neither(
        "jsonl", "Format of the numbered parts.", choice("jsonl", "csv", "parquet")
    )
    part_items: int = affects_neither(
        1000, "Items after which another part is begun.", whole_number(1)
    )
    text_method: str = affects_observations(
        DEFAULT_METHOD, "Name of the method that decides which blocks of a page are main text."
    )
    page_types: tuple[str, ...] = affects_observations(
        ("article",),
        "Kinds of pages that are exported; the others are counted as skipped. A page that may be "
        'an article counts as one. "all" exports every page.',
        words("all", *KINDS),
    )
    sentences: bool = affects_items(
        True, "Put the sentences of the main text on each item, in order, each with its block."
    )
    sentence_method: str = affects_items(
        "default",
        'How sentences are split: "default" uses the Korean model where it is installed and the '
        'rules elsewhere, "rule" never uses the model, "kiwi" always uses it, "sentencex" is that '
        'library alone, "paper" the rule of Lee (2009).',
        choice("default", "rule", "kiwi", "sentencex", "paper"),
    )
    tables: bool = affects_items(True, "Put the tables of the page on each item.")
    table_method: str = affects_items(
        DEFAULT_TABLE_METHOD, "Name of the method that distinguishes tables from layout."
    )
    table_constants: TableConstants = affects_items(
        TableConstants(),
        'Constants of the method "rules": "type_weight" (W1) and "length_weight" (W2) weigh alike '
        'data types and alike lengths in the coherency of a line; above "threshold" a table is '
        'genuine; lengths are alike from "shortest" to "longest" times their mean; cells are '
        '"most" above that share, in rules 4 to 6. Keys that are not given keep their defaults.',
        dictionary(TableConstants),
    )
    table_words: Path | None = affects_items(
        None,
        "JSON file, or folder of such files, with more keywords, units, names and patterns for "
        "tables, in the form of the project's own. None for those alone.",
    )
    layout_tables: bool = affects_items(
        False, "Put tables that are layout on each item too, among the others, with the verdict."
    )
    tables_folder: Path | None = affects_neither(
        None,
        "Folder that gets each table as a CSV file of its own, and an index of them; made when "
        "missing. None for no such files.",
    )
    structure_model: str | None = affects_items(
        None,
        "Model of the kind of document that the pages are: a file in MEDL, or the name of one that "
        "comes with the project. Each item has its structure by it, as XML. None for none.",
    )
    structure_method: str = affects_items(
        DEFAULT_STRUCTURE, "Name of the method that finds the structure."
    )
    structure_folder: Path | None = affects_neither(
        None,
        "Folder that gets the structure of each page as an XML file of its own, and an index of "
        "them; made when missing. None for no such files.",
    )
    wrapper: Path | None = affects_items(
        None,
        "Wrapper project (.h2x) whose fields are added to each item, from the item's page. None "
        "for none.",
    )
    wrapper_report: Path | None = affects_neither(
        None,
        "File that gets a line of JSON for each page that a wrapper project no longer fits, or on "
        "which something of it is wrong. None for no such file.",
    )
    wrapper_seconds: float = affects_items(
        5.0,
        "Processor time, in seconds, that a script of a wrapper project may take on a page.",
        number(0.01, 3600),
    )
    keep_spool: bool = affects_neither(
        False, "Keep the spool after its pages have been exported, as an archive of the crawl."
    )
    near_duplicate_similarity: float = affects_items(
        0.7,
        "Share of text, from 0 to 1, from which two pages of a site count as near-duplicates.",
        number(0, 1),
    )
    drop_near_duplicates: bool = affects_observations(
        False,
        "Leave near-duplicates of an earlier page out of the export instead of marking "
        "them; they are counted as skipped.",
    )
    join_parts: bool = affects_observations(
        True,
        "Make one item of an article that the site divides into several pages; in "
        "streaming mode each page is an item.",
    )
    item_blocks: bool = affects_items(
        False, "Add to each item all blocks of its page, kept and dropped, with label and evidence."
    )
    item_markdown: bool = affects_items(
        False,
        "Add to each item its text as Markdown, with headings, lists, quotes, code and tables.",
    )
    item_comments: bool = affects_items(
        False, "Add to each item the readers' comments, where the method recognizes them."
    )
    item_sources: bool = affects_items(
        False, "Add to each item where its title, authors, dates and other metadata were read."
    )
    respect: tuple[str, ...] = affects_observations(
        (),
        'Robots directives of pages that are respected: pages that ask for "noindex", "tdm" '
        '(reservation of text and data mining) or "noai" are skipped, and no links are followed of '
        'pages that ask for "nofollow", whatever follow_nofollow says. All are counted in any '
        "case.",
        words("noindex", "nofollow", "tdm", "noai"),
    )
    pauses: Pauses = affects_neither(
        Pauses(),
        'Pauses for a site that asks for less (429, 503) or gives errors. After "count" pauses in '
        'a row the site is given up for the rest of the crawl. "first" is the length in seconds of '
        "the first pause where the site names none; each further one in a row is twice as long. A "
        'site that asks for a pause above "longest" seconds is given up. "after_errors" errors in '
        "a row (no connection, no answer in time, 5xx) begin a pause. Keys that are not given keep "
        "their defaults.",
        dictionary(Pauses),
    )
    allow_private: tuple[str, ...] = affects_neither(
        (),
        "Private hosts and networks, and schemes besides http and https, that a crawl may reach "
        'beside those of the addresses it starts from, whatever leads there; "all" for any.',
        hosts(),
    )
    browser: tuple[str, ...] = affects_neither(
        ("auto",),
        'Which pages are read in a browser, after their scripts have run: "auto" those that come '
        "with scripts and next to no text, and all pages of a site on which most are such; "
        '"always" all; "never" none. Hosts may be named too: of these all pages, of others none '
        'unless "auto" stands beside. Needs the extra browser.',
        hosts_or("auto", "always", "never"),
    )
    browser_seconds: float = affects_neither(
        30.0,
        "Time, in seconds, that a page has in the browser until nothing more is under way. What is "
        "there then is taken.",
        number(0.1, 3600),
    )
    progress: str = affects_neither(
        "auto",
        'Live progress line: "auto" shows it on a terminal only, "on" always, "off" never.',
        choice("auto", "on", "off"),
    )
    crawl_report: Path | None = affects_neither(
        None,
        "JSON file that the crawl writes when it has ended: why it ended, when, and all its "
        "statistics. A crawl that is killed writes none.",
    )
    data_card: Path | None = affects_neither(
        None,
        "File in Markdown that describes the corpus when the crawl has ended: sites, dates, "
        "languages, counts, licences and opt-outs of its pages, settings. None for no such file.",
    )
    end_with_stdin: bool = affects_neither(
        False,
        "Kill the crawl when its standard input ends, as it does with the program that started "
        "the crawl through a pipe. Harvests set it.",
    )
    page_seconds: float = affects_neither(
        30.0,
        "Processor time, in seconds, that the work on a page may take, each time the page is read. "
        "A page that takes longer is given up and counted.",
        number(0.01),
    )
    max_page_bytes: int = affects_observations(
        MAX_PAGE_BYTES,
        "Largest page body in bytes; a larger one is not read but counted.",
        whole_number(1),
    )

    @property
    def respected_directives(self) -> frozenset[str]:
        """The robots directives of pages that are respected."""
        return frozenset(self.respect)

    @property
    def wanted_types(self) -> frozenset[str]:
        """The kinds of pages that are exported."""
        return frozenset(KINDS if "all" in self.page_types else self.page_types)

    def values(self, *affects: str) -> dict[str, Any]:
        """Return the settings that change one of ``affects``, by name, as JSON values.

        Paths are absolute: the values hold in other working directories too.
        """
        chosen = {
            option.name: getattr(self, option.attribute)
            for option in OPTIONS
            if option.affects in affects
        }
        return {name: _as_json(value) for name, value in chosen.items()}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any] | BaseSettings) -> Self:
        """Read every ``CORPUS_*`` setting once, from Scrapy's settings or a dictionary.

        Raises:
            OptionError: A value is not accepted, or a ``CORPUS_*`` name is not known.
        """
        given = {str(name): settings[name] for name in settings if str(name).startswith(PREFIX)}
        values, mistakes = read_fields(cls, given, PREFIX)
        if mistakes:
            raise OptionError(f'{mistakes[0]}. The page "Settings" of the documentation lists all.')
        return cls(**values)


OPTIONS: Final[tuple[Field, ...]] = tuple(fields_of(Options, PREFIX).values())
"""Every setting, in the order of the documentation."""

REPLAYED: Final = frozenset(option.name for option in OPTIONS if option.affects != "neither")
"""Names of the settings on which items depend: a replay uses those of the crawl."""


def _as_json(value: Any) -> Any:  # noqa: ANN401 - any value of a setting
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, TableConstants | Pauses):
        return dataclasses.asdict(value)
    return list(value) if isinstance(value, tuple) else value
