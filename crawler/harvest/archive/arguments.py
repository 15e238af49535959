"""The arguments of ``scrapy harvest archive``. Imports little, as all calls of the command do."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["add_archive_arguments"]

_SHARD_MEGABYTES: Final = 64


def add_archive_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="WARC files (plain, .gz, .zst)")
    parser.add_argument(
        "--executor",
        choices=("local", "dask", "inline"),
        default="local",
        help="who runs the jobs: processes here (the default), the workers of a Dask scheduler, "
        "or this process alone",
    )
    parser.add_argument(
        "--processes", type=_positive, default=1, metavar="N", help="of local, how many (1)"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of dask, the address of the scheduler"
    )
    parser.add_argument(
        "-O",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="folder of the items, one file a shard (archive in CORPUS_DIR)",
    )
    parser.add_argument(
        "--work",
        type=Path,
        metavar="FOLDER",
        help="folder of what is kept meanwhile, to go on after a kill (archive-work in CORPUS_DIR)",
    )
    parser.add_argument(
        "--shard-size",
        type=_positive,
        default=_SHARD_MEGABYTES,
        metavar="MB",
        help=f"least size of a shard, packed ({_SHARD_MEGABYTES})",
    )
    parser.add_argument(
        "--memory", type=_positive, metavar="MB", help="most memory that a job may allocate"
    )


def _positive(text: str) -> int:
    with suppress(ValueError):
        if (number := int(text)) > 0:
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
