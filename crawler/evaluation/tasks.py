"""The tasks ``scrapy evaluate`` knows, by name. A new task is a module and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.evaluation.metadata import MetadataTask
from crawler.evaluation.pagetypes import PageTypesTask
from crawler.evaluation.sentences import SentencesTask
from crawler.evaluation.structure import StructureTask
from crawler.evaluation.tables import TablesTask
from crawler.evaluation.text import TextTask
from crawler.evaluation.wrapper import WrapperTask

if TYPE_CHECKING:
    from crawler.evaluation.report import Task

__all__ = ["get_task", "task_names"]

_TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        MetadataTask(),
        PageTypesTask(),
        SentencesTask(),
        StructureTask(),
        TablesTask(),
        TextTask(),
        WrapperTask(),
    )
}


def get_task(name: str) -> Task:
    """Return the task called ``name``.

    Raises:
        ArgumentError: There is none of that name. The message lists those there are.
    """
    try:
        return _TASKS[name]
    except KeyError:
        raise ArgumentError(
            f"unknown task '{name}'; the tasks are: {', '.join(task_names())}"
        ) from None


def task_names() -> tuple[str, ...]:
    """Return the names of all tasks, sorted."""
    return tuple(sorted(_TASKS))
