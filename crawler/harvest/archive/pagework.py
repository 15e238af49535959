"""The work on pages as all crawls do it, with one difference: want of memory is a job's end."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from crawler.journey.session import Journey

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.page.page import Page

__all__ = ["ShardJourney"]

_T = TypeVar("_T")


class ShardJourney(Journey):
    """Works on pages of an archive within a job.

    A crawl passes over a page that it has no memory for, since the others must not be lost. A job
    can be done again where there is more, so that it fails instead, and leaves no result.
    """

    def _attempt(self, page: Page, work: Callable[[], _T]) -> _T | None:
        """Do one page's work.

        Raises:
            MemoryError: there is no memory for it.
        """
        wanting: list[MemoryError] = []

        def watched() -> _T:
            try:
                return work()
            except Exception as error:
                wanting.extend(_wants_of(error))
                raise

        done = super()._attempt(page, watched)
        if wanting:
            raise wanting[0]
        return done


def _wants_of(error: BaseException | None) -> list[MemoryError]:
    """Return the want of memory that an error tells of, or that it was raised for."""
    while error is not None:
        if isinstance(error, MemoryError):
            return [error]
        error = error.__cause__
    return []
