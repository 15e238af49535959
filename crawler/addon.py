"""The add-on: ``ADDONS = {"crawler.addon.CorpusAddon": 500}`` makes any Scrapy project a corpus."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from scrapy.core.downloader import Downloader
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.dupefilters import RFPDupeFilter
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from crawler.browser.middleware import check_browser
from crawler.core.errors import CorpusError, OptionError, UnreadableInputError
from crawler.core.methods.registry import get_method
from crawler.core.sentences import splitter_for
from crawler.exporters.columns import import_pyarrow
from crawler.exporters.feeds import check_feeds, unwritable
from crawler.exporters.formats import FEED_EXPORTERS, FEED_STORAGES
from crawler.extensions.exits import ending
from crawler.journey.stages import structure_model, table_method
from crawler.middlewares.address_guard import use_checked_downloads
from crawler.middlewares.politeness import POLITE_SETTINGS, use_shipped_suffixes
from crawler.pipelines.folders import StructureFolder, TableFolder
from crawler.pipelines.order import ITEM_PIPELINES
from crawler.settings import Options, TableConstants

logger = logging.getLogger(__name__)

_PRIORITY: Final = "addon"
# What its two readings of the paper have in front of their names.
_PUBLISHED_METHOD: Final = "rules"

# Those that the settings leave nothing to do take themselves out.
_COMPONENTS: Final[dict[str, dict[str, int]]] = {
    "DOWNLOADER_MIDDLEWARES": {
        # Next to the downloader: it sees answers before they are cached or retried, and what is
        # asked for where no cache has it.
        "crawler.middlewares.throttling.ThrottlingMiddleware": 950,
        # Next to the engine: no other component asks anything of an address that is refused.
        "crawler.middlewares.address_guard.AddressGuard": 50,
        "crawler.middlewares.responses.TruncatedBodies": 587,
        # Behind the decompression of bodies (590), and in front of meta refresh (580).
        "crawler.middlewares.responses.HtmlResponses": 585,
        # Behind these, and in front of meta refresh: a page may ask for one by its scripts.
        "crawler.browser.middleware.BrowserMiddleware": 583,
    },
    "SPIDER_MIDDLEWARES": {
        # Next to the engine: no other component sees the credentials in an address.
        "crawler.middlewares.address_guard.StartAddresses": 5,
        # Next to the engine: a project's own spider middlewares see pages as they are yielded.
        "crawler.middlewares.two_pass.TwoPass": 10,
    },
    "EXTENSIONS": {
        # Before others log when the spider is opened.
        "crawler.extensions.logs.SafeLog": 0,
        "crawler.middlewares.politeness.CrawlDelay": 500,
        "crawler.extensions.leftovers.Leftovers": 500,
        "crawler.extensions.progress.Progress": 500,
        "crawler.extensions.crawl_report.CrawlReport": 500,
    },
    "ITEM_PIPELINES": {
        **ITEM_PIPELINES,
        # Behind a project's own pipelines: what they change or drop is changed or dropped here.
        "crawler.pipelines.folders.TableFolderPipeline": 1000,
        "crawler.pipelines.folders.StructureFolderPipeline": 1000,
        "crawler.pipelines.data_card.DataCardPipeline": 1100,
    },
}
_REPLACED_CLASSES: Final = {
    "SCHEDULER_PRIORITY_QUEUE": (
        DownloaderAwarePriorityQueue,
        "crawler.middlewares.scheduler_queue.ThrottledQueue",
    ),
    "DUPEFILTER_CLASS": (RFPDupeFilter, "crawler.middlewares.dupefilter.ReturningDupeFilter"),
    "DOWNLOADER": (Downloader, "crawler.middlewares.graceful_shutdown.GracefulDownloader"),
}
_REPLACED_MIDDLEWARES: Final = {
    RobotsTxtMiddleware: "crawler.middlewares.robots.RobotsMiddleware",
    MetaRefreshMiddleware: "crawler.middlewares.responses.LenientMetaRefresh",
}


def has_addon(settings: BaseSettings) -> bool:
    """Say whether the add-on, or one derived from it, is switched on."""
    return any(
        order is not None and issubclass(load_object(addon), CorpusAddon)
        for addon, order in settings.getdict("ADDONS").items()
    )


def switch_on(settings: BaseSettings, priority: str) -> None:
    """Switch the add-on on where it is not."""
    if not has_addon(settings):
        # One that is switched off has a name too, and Scrapy takes no component by two.
        named = settings.getdict("ADDONS").items()
        others = {name: order for name, order in named if load_object(name) is not CorpusAddon}
        settings.set("ADDONS", {**others, CorpusAddon: 500}, priority)


def take_command_line(settings: BaseSettings, given: BaseSettings) -> None:
    """Put what the command line has set among the settings of a crawl of their own."""
    for name in given:
        if (given.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]:
            settings.set(name, given[name], "cmdline")


class CorpusAddon:
    """Switches the components on, in order. What a project has set itself stays as it is."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and the polite defaults.

        Raises:
            OptionError: a ``CORPUS_*`` setting or a feed's format is wrong. Raised before the
                crawl starts, since Scrapy switches all feeds off at one unknown format.
        """
        try:
            options = Options.from_settings(settings)
            _add_components(settings, options)
            check_feeds(settings)
            _check_methods(options)
            _check_outputs(settings, options)
            _check_incremental(settings, options)
            check_browser(options)
            _check_wrapper(options)
        except CorpusError as error:
            raise ending(OptionError(str(error))) from error
        except (ImportError, NameError) as error:
            # Of a name in ITEM_PIPELINES or its like, also of one that is switched off.
            why = f"a component of the settings cannot be loaded: {error}"
            raise ending(OptionError(why)) from error


def _add_components(settings: BaseSettings, options: Options) -> None:
    values = {
        **POLITE_SETTINGS,
        # What is too large to be read need not be fetched; pages that come near are logged.
        "DOWNLOAD_MAXSIZE": options.max_page_bytes,
        "DOWNLOAD_WARNSIZE": options.max_page_bytes // 2,
        # A body that is shorter than its server says is kept where it is whole, as browsers do.
        "DOWNLOAD_FAIL_ON_DATALOSS": False,
        "FEED_EXPORT_ENCODING": "utf-8",
        # Where there are no items, an earlier file stays.
        "FEED_STORE_EMPTY": False,
        # A page that reloads or moves on after more seconds than these is there to be read.
        "METAREFRESH_MAXDELAY": 5,
        "ITEM_PROCESSOR": "crawler.middlewares.two_pass.DrainingItems",
        # Each item has its parsed page with it, and Scrapy takes three times as many at once.
        "CONCURRENT_ITEMS": 5,
    }
    # Components of the project stay; those that are Scrapy's own are replaced.
    for name, (scrapys, ours) in _REPLACED_CLASSES.items():
        if load_object(settings[name]) is scrapys:
            values[name] = ours
    for name, value in values.items():
        settings.set(name, value, _PRIORITY)
    middlewares = "DOWNLOADER_MIDDLEWARES"
    orders = settings.get_component_priority_dict_with_base(middlewares)
    for old, new in _REPLACED_MIDDLEWARES.items():
        order = next((orders[name] for name in orders if load_object(name) is old), None)
        if order is not None:
            settings.set_in_component_priority_dict(middlewares, old, None)
            settings.setdefault_in_component_priority_dict(middlewares, load_object(new), order)
    use_checked_downloads(settings)
    if settings.getbool("COOKIES_ENABLED"):
        use_shipped_suffixes()
    for name, components in _COMPONENTS.items():
        for component, at in components.items():
            settings.setdefault_in_component_priority_dict(name, load_object(component), at)
    # Entries of the project itself win.
    for name, own in (("FEED_EXPORTERS", FEED_EXPORTERS), ("FEED_STORAGES", FEED_STORAGES)):
        priority = max(settings.getpriority(name) or 0, 15)
        settings.set(name, {**own, **settings.getdict(name)}, priority)


def _check_methods(options: Options) -> None:
    """Refuse methods, models and lists of words that are not there."""
    get_method(options.text_method)
    if options.sentences:
        splitter_for("", options.sentence_method)
    structure_model(options)
    table_method(options)
    is_published = options.table_method.startswith(_PUBLISHED_METHOD)
    if not is_published and options.table_constants != TableConstants():
        logger.warning(
            'CORPUS_TABLE_CONSTANTS: the verdicts of the method "%s" do not depend on constants of '
            '"%s". CORPUS_TABLE_METHOD=%s lets that judge.',
            options.table_method,
            _PUBLISHED_METHOD,
            _PUBLISHED_METHOD,
        )


def _check_outputs(settings: BaseSettings, options: Options) -> None:
    """Refuse outputs into which nothing would be written, and folders that cannot be used."""
    tables, structures = options.tables_folder, options.structure_folder
    needs = [
        (f"The feed {uri}", feed.get("format")) for uri, feed in settings.getdict("FEEDS").items()
    ]
    needs += [("CORPUS_TABLES_FOLDER", "tables")] if tables else []
    needs += [("CORPUS_STRUCTURE_FOLDER", "structure")] if structures else []
    sources = {
        "sentences": ("CORPUS_SENTENCES", options.sentences),
        "tables": ("CORPUS_TABLES", options.tables),
        "records": ("CORPUS_TABLES", options.tables),
        "structure": ("CORPUS_STRUCTURE_MODEL", options.structure_model),
    }
    for output, content in needs:
        kind = str(content).partition("-")[0]
        name, is_on = sources.get(kind, ("", True))
        if not is_on:
            raise OptionError(
                f"{output} is to have {kind}, and {name} is off: nothing would be written. "
                "Leave the output out, or set the other."
            )
    _check_writable("CORPUS_DATA_CARD", options.data_card)
    _check_writable("CORPUS_WRAPPER_REPORT", options.wrapper_report)
    if jobdir := settings.get("JOBDIR"):
        _check_writable("JOBDIR", Path(jobdir), "requests.seen")
    if tables is not None:
        TableFolder.check(tables)
    if structures is not None:
        if tables is not None and tables.resolve() == structures.resolve():
            raise OptionError(
                f"CORPUS_TABLES_FOLDER and CORPUS_STRUCTURE_FOLDER are both {tables}, and each has "
                "an index of its own. Name two folders."
            )
        StructureFolder.check(structures)


def _check_writable(setting: str, path: Path | None, file: str = "") -> None:
    """Refuse a file, or a folder by a file in it, that cannot be written."""
    if path is not None and (flaw := unwritable(path / file)):
        raise OptionError(f"{setting} is {path}, and cannot be written to: {flaw}")


def _check_incremental(settings: BaseSettings, options: Options) -> None:
    if not options.incremental:
        return
    if settings.get("JOBDIR"):
        raise OptionError(
            "JOBDIR is set, and CORPUS_INCREMENTAL keeps the state of a crawl in its ledger. "
            "Leave JOBDIR out: the same command goes on where the crawl was."
        )
    if options.mode != "two-pass":
        raise OptionError(
            "CORPUS_MODE is set, and CORPUS_INCREMENTAL decides for each page whether it leaves at "
            "once or is held. Leave CORPUS_MODE out."
        )
    _check_writable("CORPUS_OUTPUT", options.output or options.dir / "articles", "part")
    if options.output_format == "parquet":
        import_pyarrow()


def _check_wrapper(options: Options) -> None:
    if options.wrapper is None:
        return
    # Loaded where it is used: few crawls have a wrapper.
    from crawler.wrapper.running import CrawlWrapper  # noqa: PLC0415 - see above

    try:
        CrawlWrapper(options.wrapper, options, lambda _key, _count: None).close()
    except UnreadableInputError as error:
        raise OptionError(f"CORPUS_WRAPPER: {error}") from error
