"""Work in the background: it goes on until it is done, or is stopped."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import Any, Final

from crawler.core.errors import CorpusError

_SHOW_SECONDS: Final = 2.0


class Job(ABC):
    """Work in a thread of its own, which begins at the end of the constructor.

    Attributes:
        error: Why it ended early; empty where it did not.
        about: The kind and the data of that error.
    """

    def __init__(self) -> None:
        self.error = ""
        self.about: tuple[str, ...] = ()
        self._stopped = threading.Event()
        self._began = time.monotonic()
        self._seconds = 0.0
        self._thread = threading.Thread(target=self._guarded, daemon=True)
        self._thread.start()

    @property
    def stopped(self) -> bool:
        """Whether it was told to end."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Tell it to end; what it has found stays."""
        self._stopped.set()

    def wait(self) -> None:
        """Wait until it has ended."""
        self._thread.join()

    def progress(self, known: int) -> dict[str, Any]:  # noqa: ARG002 - other jobs ask for it
        """Return how far it is, and what it has found beyond a number that the asker knows."""
        running = self.is_running
        seconds = time.monotonic() - self._began if running else self._seconds
        told = {"running": running, "error": self.error, "about": self.about}
        return {**told, "seconds": round(seconds, 1)}

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    @abstractmethod
    def work(self) -> None:
        """Do it. Look at :attr:`stopped` from time to time."""

    def _guarded(self) -> None:
        try:
            self.work()
        except (CorpusError, OSError) as error:
            self.error = str(error)
            if isinstance(error, CorpusError):
                self.about = (error.kind, *error.data)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            raise
        finally:
            self._seconds = time.monotonic() - self._began


class Reading(Job):
    """Reads what a view shows of a site, which can be chosen of several.

    Attributes:
        site: The site that is read.
        read: How many pages it has read.
        shown: What it has found by now.
        revision: The number of what is shown.
    """

    def __init__(self, site: str) -> None:
        self.site = site
        self.read = 0
        self.shown: dict[str, Any] = {}
        self.revision = 0
        self._told = time.monotonic()
        super().__init__()

    def progress(self, known: int) -> dict[str, Any]:
        """Return the progress, and the results where the caller has another version of them."""
        told = {"site": self.site, "read": self.read, "revision": self.revision}
        shown = self.shown if known != told["revision"] else {}
        return {**super().progress(known), **told, **shown}

    def show(self) -> None:
        """Show what there is now."""
        self.shown = self.found()
        self.revision += 1
        self._told = time.monotonic()

    def show_soon(self) -> None:
        """Show it if some seconds have passed since it was done last."""
        if time.monotonic() - self._told > _SHOW_SECONDS:
            self.show()

    @abstractmethod
    def found(self) -> dict[str, Any]:
        """Return what is shown."""
