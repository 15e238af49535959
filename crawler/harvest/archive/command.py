"""What ``scrapy harvest archive`` does, and what it tells."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.core.errors import CorpusError, OptionError, one_line
from crawler.core.wording import counted
from crawler.harvest.archive.figures import OF_FILES, Figures
from crawler.harvest.archive.output import MANIFEST
from crawler.harvest.archive.run import SHARD_BYTES, ArchiveCall, ArchiveHarvest
from crawler.harvest.calls import ExecutorCall
from crawler.journey.session import Journey
from crawler.settings import PREFIX, Options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from scrapy.settings import BaseSettings

    from crawler.harvest.archive.run import Summary

__all__ = ["run_archive", "summary_lines"]

_MEGABYTE: Final = 1 << 20
_SKIPS_TOLD: Final = 12
_LINES_TOLD: Final = 10


def run_archive(namespace: argparse.Namespace, settings: BaseSettings) -> int:
    """Run the command.

    Args:
        namespace: ``files``, and the options of the form ``archive`` of
            :data:`crawler.harvest.arguments.FORMS`.
        settings: Scrapy's.

    Returns:
        The exit code: 0 when every page has become what it should, 1 when not, 2 when the call or
        a setting is wrong.
    """
    try:
        options = Options.from_settings(settings)
        _check(options, settings)
        call = ArchiveCall(
            paths=[Path(name) for name in namespace.files],
            options=options,
            output=Path(namespace.output or options.dir / "archive"),
            work=Path(namespace.work or options.dir / "archive-work"),
            shard_bytes=(namespace.shard_size or SHARD_BYTES // _MEGABYTE) * _MEGABYTE,
            memory=namespace.memory and namespace.memory * _MEGABYTE,
            path=[str(Path(folder).absolute()) for folder in sys.path],
        )
        wanted = namespace.executor or "local", namespace.processes, namespace.scheduler
        with ExecutorCall(*wanted).make() as executor:
            summary = ArchiveHarvest(call, executor, _tell).run()
    except CorpusError as error:
        _tell(one_line(error))
        return error.exit_code
    except KeyboardInterrupt:
        _tell("stopped; the same command goes on from here")
        return 1
    for line in summary_lines(summary):
        _tell(line)
    if summary.items:
        _tell(f"the items are in {call.output}")
    return 0 if summary.is_complete else 1


def _check(options: Options, settings: BaseSettings) -> None:
    """Refuse, or tell of, what a crawl would do and this command does not."""
    for name in ("tables_folder", "structure_folder", "wrapper_report"):
        if getattr(options, name) is not None:
            raise OptionError(
                f"{PREFIX}{name.upper()} is set, and 'scrapy harvest archive' writes items alone: "
                "leave it out"
            )
    # What makes the items has to be there: methods, models, wrapper projects.
    Journey(options, "", Figures(), mode="archive").close()
    if options.incremental:
        _tell(f"{PREFIX}INCREMENTAL is for crawls of sites: all pages of the files are taken")
    if settings.getdict("ITEM_PIPELINES"):
        _tell("the item pipelines of the project are not run: items are written as they are made")


def _tell(line: str) -> None:
    # Where the disk is full or the terminal is gone, the work goes on unseen.
    with suppress(OSError):
        sys.stderr.write(f"scrapy harvest archive: {line}\n")


def summary_lines(summary: Summary) -> list[str]:
    """Return what a person is told at the end."""
    told = summary.as_json()
    files, shards = counted(told["files"], "file"), counted(told["shards"], "shard")
    records, sites = counted(told["pages"], "record"), counted(told["sites"], "site")
    lines = [f"{files} in {shards}: {records} of {sites}, {counted(told['items'], 'item')}"]
    skips: dict[str, int] = told["skipped"]
    pages = {reason: count for reason, count in skips.items() if reason not in OF_FILES}
    damage = {reason: count for reason, count in skips.items() if reason in OF_FILES}
    if pages:
        more = ", …" if len(pages) > _SKIPS_TOLD else ""
        lines.append(f"without an item: {_named(pages)}{more}")
    if damage:
        lines.append(f"damaged or without a page: {_named(damage)}")
        lines += _some(told["damage"], sum(damage.values()))
    if told["lost"]:
        lines.append(f"{counted(told['lost'], 'page')} could not be made items of, for errors")
    failed = [f"not done: {line}" for line in told["failed"]]
    lines += _some(failed, len(failed))
    if failed:
        lines.append("the same command tries again what was not done")
    return lines


def _named(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in list(counts.items())[:_SKIPS_TOLD])


def _some(lines: Sequence[str], number: int) -> list[str]:
    """Return the first lines, and how many there are beyond them."""
    shown = list(lines[:_LINES_TOLD])
    if number > len(shown):
        shown.append(f"… and {number - len(shown):,} more: see {MANIFEST}")
    return shown
