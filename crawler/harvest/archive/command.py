"""What ``scrapy harvest archive`` does, and what it tells."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.core.errors import CorpusError, OptionError, one_line
from crawler.harvest.archive.figures import Figures
from crawler.harvest.archive.run import SHARD_BYTES, ArchiveCall, ArchiveHarvest
from crawler.harvest.calls import ExecutorCall
from crawler.journey import Journey
from crawler.options import PREFIX, Options

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from crawler.harvest.archive.run import Summary

__all__ = ["run_archive"]

_MEGABYTE: Final = 1 << 20
_SKIPS_TOLD: Final = 12


def run_archive(namespace: argparse.Namespace, settings: BaseSettings) -> int:
    """Run the command.

    Args:
        namespace: ``files``, the executor's options as all harvests have them, and those of
            :func:`crawler.harvest.archive.arguments.add_archive_arguments`.
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
    _tell_summary(summary)
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
    if settings.getdict("ITEM_PIPELINES"):
        _tell("the item pipelines of the project are not run: items are written as they are made")


def _tell(line: str) -> None:
    sys.stderr.write(f"scrapy harvest archive: {line}\n")


def _tell_summary(summary: Summary) -> None:
    told = summary.as_json()
    _tell(
        f"{told['files']:,} files in {told['shards']:,} shards: {told['pages']:,} records of "
        f"{told['sites']:,} sites, {told['items']:,} items"
    )
    skipped = list(told["skipped"].items())
    if skipped:
        named = ", ".join(f"{reason} {count:,}" for reason, count in skipped[:_SKIPS_TOLD])
        _tell(f"without an item: {named}" + (", …" if len(skipped) > _SKIPS_TOLD else ""))
    for line in told["damage"]:
        _tell(f"damaged: {line}")
    if told["lost"]:
        _tell(f"{told['lost']:,} pages could not be made items of, for errors")
    for line in told["failed"]:
        _tell(f"not done: {line}")
    if told["failed"]:
        _tell("the same command tries again what was not done")
