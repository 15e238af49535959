"""The options of ``scrapy harvest archive``. Imports little, as every call of the command does."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Final

__all__ = ["add_archive_arguments"]

_SHARD_MEGABYTES: Final = 64


def add_archive_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that are the archive's alone; the executor's are those of all harvests."""
    group = parser.add_argument_group("archives")
    group.add_argument(
        "-O", "--output", metavar="FOLDER",
        help="archive: folder of the items, one file a shard (default archive in CORPUS_DIR)",
    )  # fmt: skip
    group.add_argument(
        "--work", metavar="FOLDER",
        help="archive: folder of what is kept meanwhile, to go on after a kill "
        "(default archive-work in CORPUS_DIR)",
    )  # fmt: skip
    group.add_argument(
        "--shard-size", metavar="MB", type=_positive,
        help=f"archive: least size of a shard, packed (default {_SHARD_MEGABYTES})",
    )  # fmt: skip
    group.add_argument(
        "--memory", metavar="MB", type=_positive,
        help="archive: most memory that a job may allocate, without limit if left out",
    )  # fmt: skip


def _positive(text: str) -> int:
    with suppress(ValueError):
        if (number := int(text)) > 0:
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
