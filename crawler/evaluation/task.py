"""What flows through an evaluation: a job goes into a task, a report comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import UnknownMethodError, UnreadableInputError
from crawler.reports.text_tables import Table
from crawler.settings import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawler.evaluation.curve import Curves

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
    ``sites``
        How many sites they are of; None where the gold knows no sites.
    ``unit``
        What the gold consists of, in the singular.
    ``curves``
        What ``--curve`` draws, where the job asked for it.
    """

    pages: int
    figures: Mapping[str, Any]
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


def figure_tables(figures: Mapping[str, Any]) -> Iterator[Table]:
    """Yield figures as tables: counts and groups first, scores last.

    A group of values with fractions is a row of the last table; numbers without a name of their own
    are its row "all". Every other group is a table of its own.
    """
    rows: dict[str, Mapping[str, Any]] = {}
    if own := _without_groups(figures):
        rows["all"] = own
    for name, group in figures.items():
        if not isinstance(group, Mapping):
            continue
        values = _without_groups(group)
        if not any(isinstance(value, float) for value in values.values()):
            yield from _group_tables(name, group)
            continue
        rows[name] = values
        for key, inner in group.items():
            if isinstance(inner, Mapping):
                yield from _group_tables(f"{name}: {key}", inner)
    yield from _tables("figure", rows)


def _group_tables(title: str, group: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a group of counts by name, or of values by name and column."""
    rows: dict[str, Mapping[str, Any]] = {}
    for name, value in group.items():
        if not isinstance(value, Mapping):
            rows[name] = {"number": value}
        elif values := _without_groups(value):
            rows[name] = values
        else:
            yield from _group_tables(f"{title}: {name}", value)
    yield from _tables(title, rows)


def _without_groups(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if not isinstance(value, Mapping)}


def _tables(title: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Table]:
    columns = tuple(dict.fromkeys(column for row in rows.values() for column in row))
    if rows:
        cells = ((name, *(_cell(row.get(each)) for each in columns)) for name, row in rows.items())
        yield Table(title, columns, tuple(cells))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
