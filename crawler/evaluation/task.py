"""What flows through an evaluation: a job goes into a task, a report comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import UnknownMethodError, UnreadableInputError
from crawler.reports.text_tables import Table
from crawler.settings import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from crawler.evaluation.curve import Curves

__all__ = [
    "ONLY_METHOD",
    "Job",
    "Report",
    "Task",
    "check_only_method",
    "count_tables",
    "score_table",
    "sorted_counts",
]

ONLY_METHOD: Final = "default"
"""The name of the method of tasks that have only one."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure.

    ``gold``
        Gold files, read in this order as one set.
    ``method``
        Name of the method to measure.
    ``limit``
        Number of pages after which the set ends; None means all.
    ``near_duplicate_similarity``
        From what similarity on two pages of a site are counted as one, as in a crawl.
    ``with_curves``
        Whether the report holds what ``--curve`` draws.
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

    def no_gold(self, what: str, needs: str) -> UnreadableInputError:
        """Return the error of gold files that do not hold what the task needs.

        Args:
            what: what they lack, as in "gold pages".
            needs: the keys of a line that has it.
        """
        names = ", ".join(str(path) for path in self.gold)
        return UnreadableInputError(
            f"{names}: no {what}; each line is one JSON object with {needs}"
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What a task found.

    ``pages``
        How many pages were measured, or how many of what ``unit`` names.
    ``figures``
        The task's own figures as JSON values, in the order in which they are printed.
    ``tables``
        The same for a reader.
    ``sites``
        How many sites they are of; None where the gold knows no sites.
    ``unit``
        What the gold consists of, in the singular.
    ``curves``
        What ``--curve`` draws, where the job asked for it.
    """

    pages: int
    figures: Mapping[str, Any]
    tables: tuple[Table, ...]
    sites: int | None = None
    unit: str = "page"
    curves: Curves | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of question asked of gold pages.

    ``run``
        Measures; raises UnreadableInputError where the gold files cannot be used, and
        UnknownMethodError where no method of that name does this task.
    ``default_method``
        The method that is measured where none is named.
    ``method_option``
        The field of :class:`~crawler.settings.Options` that names it instead, where there is one.
    ``has_curves``, ``has_examples``
        Whether it takes ``--curve`` and ``--examples``.
    """

    run: Callable[[Job], Report]
    default_method: str = ONLY_METHOD
    method_option: str = ""
    has_curves: bool = False
    has_examples: bool = False


def check_only_method(job: Job, what: str) -> None:
    """Refuse all methods but the only one.

    Raises:
        UnknownMethodError: the job names another method.
    """
    if job.method != ONLY_METHOD:
        raise UnknownMethodError(
            f"no method to {what} is called '{job.method}'; use '{ONLY_METHOD}', or leave --method "
            "out"
        )


def sorted_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts in the order of their names, without those of 0."""
    return {name: count for name, count in sorted(counts.items()) if count}


def count_tables(title: str, column: str, counts: Mapping[str, int]) -> tuple[Table, ...]:
    """Return a table of counts by name, in the order of the names; none where nothing is counted.

    Args:
        title: what the names are.
        column: what is counted.
        counts: the counts; those of 0 are left out.
    """
    rows = tuple((name, str(count)) for name, count in sorted_counts(counts).items())
    return (Table(title, (column,), rows),) if rows else ()


def score_table(title: str, rows: Iterable[tuple[Any, ...]], *counts: str) -> Table:
    """Return a table of precision, recall and F1.

    Args:
        title: what the names are.
        rows: each a name, its :class:`~crawler.evaluation.scores.Score`, and a value for each of
            ``counts``.
        counts: headings of the columns between name and score.
    """
    return Table(
        title,
        (*counts, "precision", "recall", "F1"),
        tuple((name, *map(str, between), *score.cells()) for name, score, *between in rows),
    )
