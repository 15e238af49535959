"""Work in the background: it goes on until it is done, or is stopped."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import Any

from crawler.core.errors import CorpusError


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
    def running(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """How long it has taken so far, or took."""
        return round(time.monotonic() - self._began if self.running else self._seconds, 1)

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

    @abstractmethod
    def progress(self, known: int) -> dict[str, Any]:
        """Return how far it is, and what it has found beyond a number that the asker knows."""

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
