"""``scrapy harvest archive``."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.core.errors import CorpusError, OptionError, one_line
from crawler.core.wording import counted, listed
from crawler.harvest.archive.run import MANIFEST, ArchiveHarvest
from crawler.harvest.archive.work import OF_FILES, Figures
from crawler.harvest.engine import ProcessEngine, open_engine, stop_by_signals
from crawler.journey.stages import default_stages
from crawler.pipelines.order import ITEM_PIPELINES
from crawler.settings import PREFIX, Options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings

    from crawler.harvest.archive.work import Summary

_MEGABYTE: Final = 1 << 20
_LINES_SHOWN: Final = 10


def run_archive(namespace: argparse.Namespace, settings: BaseSettings) -> int:
    """Run the command.

    Args:
        namespace: the options ``files``, ``output``, ``work``, ``memory``, ``executor``,
            ``processes`` and ``scheduler``.
        settings: Scrapy's.

    Returns:
        The exit code: 0 when there is an item, or a reason for none, of every page; 1 when
        something could not be done; 2 when the call or a setting is wrong.
    """
    try:
        options = Options.from_settings(settings)
        _check(options, settings)
        output = Path(namespace.output or options.dir / "archive")
        work = Path(namespace.work or options.dir / "archive-work")
        harvest = ArchiveHarvest([Path(name) for name in namespace.files], options, output, work)
        memory = namespace.memory and namespace.memory * _MEGABYTE
        with (
            open_engine(namespace, ProcessEngine, memory) as engine,
            stop_by_signals(engine, _tell),
        ):
            summary = harvest.run(engine, _tell)
    except CorpusError as error:
        _tell(one_line(error))
        return error.exit_code
    except KeyboardInterrupt:
        _tell("stopped; the same command goes on from here")
        return 1
    for line in summary_lines(summary):
        _tell(line)
    if summary.as_json()["items"]:
        _tell(f"the items are in {output}")
    return 0 if summary.is_complete else 1


def _check(options: Options, settings: BaseSettings) -> None:
    """Refuse settings that this command does not follow, or name them.

    Raises:
        CorpusError: a setting is refused, or what it names is not there.
    """
    for name in ("tables_folder", "structure_folder", "wrapper_report"):
        if getattr(options, name) is not None:
            raise OptionError(
                f"{PREFIX}{name.upper()} is set, and 'scrapy harvest archive' writes items alone: "
                "leave it out"
            )
    # Methods, models and wrapper projects have to be there before the first job.
    for stage in default_stages(options, Figures()):
        stage.close()
    if options.incremental:
        _tell(f"{PREFIX}INCREMENTAL is for crawls of sites: all pages of the files are taken")
    if settings.getdict("ITEM_PIPELINES").keys() - ITEM_PIPELINES.keys():
        _tell("the item pipelines of the project are not run: items are written as they are made")


def _tell(line: str) -> None:
    # Where the disk is full or the terminal is gone, the work goes on.
    with suppress(OSError):
        sys.stderr.write(f"scrapy harvest archive: {line}\n")


def summary_lines(summary: Summary) -> list[str]:
    """Return what a person is told at the end."""
    told = summary.as_json()
    records, sites = counted(told["pages"], "record"), counted(told["sites"], "site")
    files, items = counted(summary.files, "file"), counted(told["items"], "item")
    lines = [f"{files}: {records} of {sites}, {items}"]
    damage = sum(summary.skips.get(reason, 0) for reason in OF_FILES)
    for words, is_of_files in (("without an item", False), ("damaged or without a page", True)):
        named = [f"{r} {n:,}" for r, n in summary.skips.items() if (r in OF_FILES) == is_of_files]
        if named:
            lines.append(f"{words}: {listed(named)}")
    lines += _first(summary.damage, damage)
    if told["lost"]:
        lines.append(f"{counted(told['lost'], 'page')} could not be made items of, for errors")
    if summary.failed:
        lines += _first([f"not done: {line}" for line in summary.failed], len(summary.failed))
        lines.append("the same command tries again what was not done")
    return lines


def _first(lines: Sequence[str], number: int) -> list[str]:
    """Return the first of ``number`` lines, and how many there are beyond them."""
    shown = list(lines[:_LINES_SHOWN])
    more = number - len(shown)
    return [*shown, f"… and {more:,} more: see {MANIFEST}"] if more else shown
