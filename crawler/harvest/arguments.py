"""The forms of ``scrapy harvest``, their options and their help.

Imports little, as every call of the command does.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FETCHED", "FORMS", "LAST", "TIMES", "Form", "add_arguments", "every_option", "forms_of",
]  # fmt: skip

LAST: Final = 30
"""How many entries of each site are read where ``--last`` is not given."""
TIMES: Final = 3
"""How many planned times are shown where ``--times`` is not given."""
FETCHED: Final = 10
"""How many pages are shown where ``--fetch`` has no number."""

_EXECUTOR: Final = ("executor", "processes", "scheduler")


@dataclass(frozen=True, slots=True)
class Form:
    """What the first argument of the command asks for.

    ``takes``
        What follows it.
    ``words``
        What it does.
    ``options``
        Its options, by their names in the namespace.
    """

    takes: str
    words: str
    options: tuple[str, ...]


FORMS: Final = {
    "run": Form(
        "PLAN",
        "Crawls the sites of the plan now, each in a process of its own; with --due those that "
        "became due since their last run, for cron.",
        ("sites", "due", *_EXECUTOR),
    ),
    "watch": Form("PLAN", "Stays, and crawls sites when they become due, until Ctrl-C.", _EXECUTOR),
    "status": Form(
        "PLAN",
        "Shows the history of the sites: the last run of each against the one before, as a table; "
        "or all runs as JSON, or as a page.",
        ("sites", "last", "html", "json"),
    ),
    "check": Form(
        "PLAN",
        "Shows what is wrong with the plan, or else when its sites would run, and what a first "
        "crawl would fetch.",
        ("sites", "times", "fetch", *_EXECUTOR),
    ),
    "archive": Form(
        "FILE…",
        "Makes the items of WARC files, and of those in folders, one job a file, as 'scrapy crawl "
        "archive' does in one process.",
        ("output", "work", "memory", *_EXECUTOR),
    ),
}
"""The forms by their names."""


def every_option() -> list[str]:
    """Return the names of the options of all forms, each once."""
    return list(dict.fromkeys(name for form in FORMS.values() for name in form.options))


def forms_of(option: str) -> list[str]:
    """Return the names of the forms that take an option."""
    return [name for name, form in FORMS.items() if option in form.options]


def add_arguments(parser: argparse.ArgumentParser, form: str | None = None) -> None:
    """Add the options of the command.

    Args:
        parser: gets them.
        form: the form whose options are wanted; without it those of all, each of which says which
            forms take it.
    """

    def adder(group: argparse._ArgumentGroup) -> Callable[..., None]:
        def add(option: str, *flags: str, says: str, **more: Any) -> None:  # noqa: ANN401 - argparse's
            if form is None:
                group.add_argument(
                    *flags, dest=option, help=f"{says} [{', '.join(forms_of(option))}]", **more
                )
            elif option in FORMS[form].options:
                group.add_argument(*flags, dest=option, help=says, **more)

        return add

    # A line of help that ends in a colon would be taken for a heading by Scrapy, wherever the width
    # of the terminal broke it: none of them has one.
    add = adder(parser.add_argument_group("which sites"))
    add("sites", "--site", metavar="ID", action="append", default=[],
        says="this site of the plan only; may be repeated")  # fmt: skip
    add("due", "--due", action="store_true", says="what became due since its last run, once")
    add = adder(parser.add_argument_group("how the work is done"))
    add("executor", "--executor", choices=("local", "dask"),
        says="in processes of this machine (local, the default), or on a Dask cluster")  # fmt: skip
    add("processes", "--processes", metavar="N", type=_whole,
        says="with local, so many at once (default 2)")  # fmt: skip
    add("scheduler", "--scheduler", metavar="ADDRESS",
        says="with dask, the scheduler, such as tcp://head:8786")  # fmt: skip
    add = adder(parser.add_argument_group("what is shown"))
    add("last", "--last", metavar="N", type=_whole,
        says=f"the last N entries of each site; 0 for all (default {LAST})")  # fmt: skip
    add("json", "--json", action="store_true", says="print JSON, for programs")
    add("html", "--html", metavar="FILE", says="write an HTML page with plots")
    add("times", "--times", metavar="N", type=_whole, says=f"the next N runs (default {TIMES})")
    add("fetch", "--fetch", metavar="N", nargs="?", type=_after_the_plan, const=FETCHED,
        says=f"ask the sites, and show the first N pages of each (default {FETCHED})")  # fmt: skip
    add = adder(parser.add_argument_group("archives"))
    add("output", "-O", "--output", metavar="FOLDER",
        says="folder of the items, one a WARC file (default archive in CORPUS_DIR)")  # fmt: skip
    add("work", "--work", metavar="FOLDER",
        says="folder of what is kept meanwhile, to go on after a kill "
        "(default archive-work in CORPUS_DIR)")  # fmt: skip
    add("memory", "--memory", metavar="MB", type=_positive,
        says="most memory that a job may allocate, without limit if left out")  # fmt: skip


def _whole(text: str) -> int:
    with suppress(ValueError):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number")


def _positive(text: str) -> int:
    with suppress(ValueError):
        if (number := int(text)) > 0:
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")


def _after_the_plan(text: str) -> int:
    """Read a number that may be left out: a plan that follows its option is taken for it."""
    with suppress(ValueError):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number; PLAN stands before --fetch")
