"""What jobs of tests do."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from crawler.core.errors import StoreError
from crawler.harvest.engine import stop_level


def double(argument: int) -> int:
    sys.stdout.write("printed, and no result\n")
    return 2 * argument


def fail(argument: str) -> None:
    raise ValueError(argument)


def refuse(argument: str) -> None:
    raise StoreError(argument)


def die(_: object = None) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(argument: str) -> str:
    """Die when called first; a file tells."""
    mark = Path(argument)
    if mark.exists():
        return "alive"
    mark.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def allocate(argument: int) -> int:
    return len(bytearray(argument))


def wait_for_stop(mark: str) -> int:
    """Tell that it runs; return the stop level when told to end."""
    Path(mark).touch()
    until = time.monotonic() + 60
    while time.monotonic() < until and not stop_level():
        time.sleep(0.02)
    return stop_level()
