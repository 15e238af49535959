"""What flows through an evaluation: a job goes into a task, a report comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from crawler.settings import Options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crawler.evaluation.curve import Curves
    from crawler.reports.text_tables import Table

__all__ = ["Job", "Report", "Task"]


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure.

    ``gold``
        Gold files, read in this order as one set.
    ``method``
        Name of the method to measure.
    ``limit``
        Number of pages after which the set ends; ``None`` means all.
    ``near_duplicate_similarity``
        From what similarity on two pages of a site are folded into one before counting, as in a
        crawl.
    ``with_curves``
        Whether the report is to hold what ``--curve`` draws.
    ``examples``
        How many pages of a site rules learn from.
    ``options``
        The settings of the project, by which tables are judged as in a crawl.
    """

    gold: tuple[Path, ...]
    method: str
    limit: int | None = None
    near_duplicate_similarity: float = 0.7
    with_curves: bool = False
    examples: int = 3
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Report:
    """What a task found.

    ``pages``
        How many pages were measured, or how many of what ``unit`` names.
    ``sites``
        How many sites they are of; ``None`` where the gold knows no sites.
    ``figures``
        The task's own figures as JSON values, in the order in which they are printed.
    ``tables``
        The same for a reader.
    ``unit``
        What the gold consists of, in the singular.
    ``curves``
        What ``--curve`` draws, where the job asked for it.
    """

    task: str
    method: str
    pages: int
    sites: int | None
    figures: Mapping[str, Any]
    tables: tuple[Table, ...]
    unit: str = "page"
    curves: Curves | None = None


class Task(Protocol):
    """One kind of question asked of gold pages."""

    @property
    def name(self) -> str:
        """The name ``scrapy evaluate`` knows the task by."""

    @property
    def default_method(self) -> str | None:
        """The method measured where none is named; ``None`` is that of the crawl's settings."""

    @property
    def has_curves(self) -> bool:
        """Whether it can be asked for curves."""

    def run(self, job: Job) -> Report:
        """Measure.

        Raises:
            UnreadableInputError: The gold files cannot be used.
            UnknownMethodError: No method of that name does this task.
        """
