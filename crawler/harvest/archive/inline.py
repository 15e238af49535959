"""Jobs in this process, one after the other: no start of processes, no limits."""

from __future__ import annotations

import logging
import time
from importlib import import_module
from typing import TYPE_CHECKING, Self

from crawler.core.errors import CorpusError, one_line
from crawler.harvest.jobs import FAILED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from crawler.harvest.jobs import Job

__all__ = ["InlineExecutor"]

logger = logging.getLogger(__name__)


class InlineExecutor:
    """Runs jobs as :class:`crawler.harvest.executors.Executor` does, by plain calls."""

    def __init__(self) -> None:
        self._stopping = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Begin no more jobs."""
        self._stopping = True

    def run(
        self, jobs: Iterable[Job], on_start: Callable[[Job], None] | None = None
    ) -> Iterator[Outcome]:
        """Run all jobs, and give what came of each."""
        for job in jobs:
            if self._stopping:
                return
            if on_start is not None:
                on_start(job)
            yield _run(job)


def _run(job: Job) -> Outcome:
    module, _, name = job.function.partition(":")
    began = time.monotonic()
    try:
        value = getattr(import_module(module), name)(job.argument)
    except CorpusError as error:
        return Outcome(job.name, reason=FAILED, detail=one_line(error), job=job)
    except Exception as error:
        # As in a process of its own, whatever a job raises is its answer.
        logger.exception("The job %s failed", job.name)
        detail = one_line(f"{type(error).__name__}: {error}")
        return Outcome(job.name, reason=FAILED, detail=detail, job=job)
    return Outcome(job.name, value=value, seconds=round(time.monotonic() - began, 3), job=job)
