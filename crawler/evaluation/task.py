"""What flows through an evaluation: a job goes into a task, a report comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.settings import Options

ONLY_METHOD: Final = "default"
"""The name of the method of tasks that have only one."""
NAMED_FLAWS: Final = 20
"""How many flaws of the gold a report names; the others are only counted."""
EXAMPLES: Final = 3
"""How many pages of a site rules learn from, unless the call says otherwise."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure.

    Attributes:
        gold: gold files, read in this order as one set.
        method: name of the method to measure.
        limit: number of pages after which the set ends; None means all.
        with_curves: whether the report holds the table of ``--curve``.
        with_blocks: whether blocks are counted beside words.
        alone: whether each page is judged without the other pages of its site.
        as_items: whether the text is measured as items have it: with the headline, without
            bylines.
        one_collection: whether the pages of all sites are counted together.
        examples: how many pages of a site rules learn from.
        options: the settings of the project, by which pages are counted and tables judged as in a
            crawl.
    """

    gold: tuple[Path, ...]
    method: str = ONLY_METHOD
    limit: int | None = None
    with_curves: bool = False
    with_blocks: bool = False
    alone: bool = False
    as_items: bool = False
    one_collection: bool = False
    examples: int = EXAMPLES
    options: Options = field(default_factory=Options)

    def no_gold(self, what: str, needs: str) -> UnreadableInputError:
        """Return the error of gold files without ``what``; ``needs`` are the keys of a line."""
        names = ", ".join(map(str, self.gold))
        return UnreadableInputError(
            f"{names}: no {what}; each line is one JSON object with {needs}"
        )


@dataclass(slots=True)
class Report:
    """What a task found, page by page and in the end.

    Attributes:
        pages: how many pages were measured, or how many of what ``unit`` names.
        figures: the task's own figures as JSON values, in the order in which they are printed.
        sites: how many sites they are of; None where the gold knows no sites.
        unit: what the gold consists of, in the singular.
        curve: the table of ``--curve``, where the job asked for it.
        rows: the figures of each page, text or table, for ``--pages``.
        skipped: how much was not measured, by reason.
        flaws: what in the gold was left out: the first ones, each with its file and line.
    """

    pages: int = 0
    figures: Mapping[str, Any] = field(default_factory=dict)
    sites: int | None = None
    unit: str = "page"
    curve: str = ""
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    flaws: list[str] = field(default_factory=list)

    def leave_out(self, reason: str, flaw: UnreadableInputError) -> None:
        """Count a page or label that cannot be measured, and name it."""
        self.skipped[reason] += 1
        if len(self.flaws) < NAMED_FLAWS:
            self.flaws.append(f"{flaw}; left out")

    def readable(self, read: Callable[[], T]) -> T | None:
        """Return what is read of a page; None, and its reason is counted, where it cannot be."""
        try:
            return read()
        except UnreadablePageError as error:
            self.skipped[error.reason] += 1
            return None

    def finished(self, figures: Mapping[str, Any], **more: int) -> Self:
        """Take in the figures; what was not measured, and what is counted besides, follow them."""
        counts = {name: count for name, count in sorted(self.skipped.items()) if count}
        self.figures = {**figures, "skipped": counts, **more}
        return self


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of question asked of gold pages.

    Attributes:
        run: measures; raises UnreadableInputError where the gold files cannot be used, and
            UnknownMethodError where no method of that name does this task.
        default_method: the method that is measured where none is named; empty where there is only
            one.
        method_option: the field of :class:`~crawler.settings.Options` that names it instead, where
            there is one.
        options: the options that no other task takes.
    """

    run: Callable[[Job], Report]
    default_method: str = ""
    method_option: str = ""
    options: tuple[str, ...] = ()

    @property
    def has_one_method(self) -> bool:
        """Whether ``--method`` names nothing."""
        return not (self.default_method or self.method_option)
