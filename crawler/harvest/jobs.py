"""Jobs: one function and its argument, run in a process of its own, and what came of it.

Plain data that can be written as JSON, so that a job may run on any machine that has this project
installed, whatever brings it there (:mod:`crawler.harvest.executors`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DIED",
    "DONE",
    "FAILED",
    "LOST",
    "MEMORY",
    "STOPPED",
    "TIME",
    "Job",
    "Outcome",
]

DONE: Final = "done"
"""The function returned."""
FAILED: Final = "failed"
"""The function raised, or cannot be called; it is not tried again."""
TIME: Final = "time"
"""The job reached its time limit; it has a value all the same where it ended when it was told."""
MEMORY: Final = "memory"
"""The job reached its memory limit."""
DIED: Final = "died"
"""The process ended without a word, as by a crash or a signal from elsewhere."""
LOST: Final = "lost"
"""The worker on which the job ran is gone."""
STOPPED: Final = "stopped"
"""The job was told to stop by whoever runs the harvest; as with the time limit, with a value."""


@dataclass(frozen=True, slots=True)
class Job:
    """One call of a function, in a fresh process.

    Attributes:
        function: ``module:name`` of a function that takes one argument and returns JSON values.
        argument: What it is given, as JSON values.
        seconds: Time limit; None for none. The process is asked to end first (SIGTERM), and killed
            when it has not after a while of grace.
        memory: Bytes that the process may allocate; None for no limit.
        name: What people call the job, such as the id of a site.
        grace: Seconds between being asked to end and being killed.
    """

    function: str
    argument: Any = None
    seconds: float | None = None
    memory: int | None = None
    name: str = ""
    grace: float = 60

    def as_json(self) -> dict[str, Any]:
        """Return the job as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the job that :meth:`as_json` gave."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job.

    Attributes:
        name: The job's.
        value: What the function returned, as JSON values; None where it did not.
        reason: One of the reasons of this module, such as ``done``.
        detail: What a person should know of it: an error's last line, the limit that was reached,
            the last line of the log. Empty where the job is done.
        seconds: How long the last attempt took.
        attempts: How often the job was begun.
        job: The job itself, so that who gave it knows which it was.
    """

    name: str
    value: Any = None
    reason: str = DONE
    detail: str = ""
    seconds: float = 0
    attempts: int = 1
    job: Job | None = field(default=None, compare=False)

    @property
    def is_done(self) -> bool:
        """Whether the function returned before any limit."""
        return self.reason == DONE
