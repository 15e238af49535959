"""What jobs of tests do, each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator


def double(argument: int) -> int:
    sys.stdout.write("printed, and no answer\n")
    return 2 * argument


def fail(argument: str) -> None:
    raise ValueError(argument)


def refuse(argument: str) -> None:
    raise StoreError(argument)


def unwritable(_: object) -> object:
    return object()


def leave(argument: str) -> None:
    sys.exit(argument)


def environment(_: object) -> dict[str, Any]:
    return {"pid": os.getpid(), "parent": os.getppid(), "leads": os.getpgrp() == os.getpid()}


def die(_: object = None) -> None:
    sys.stdout.write("the last words\n")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(argument: str) -> str:
    """Die when called first; a file tells."""
    mark = Path(argument)
    if mark.exists():
        return "alive"
    mark.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def sleep(argument: dict[str, Any]) -> str:
    """Start a process that sleeps, tell the numbers of both, and sleep; heed SIGTERM or not."""
    if argument.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif argument.get("orderly"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        told = Path(argument["told"])
        told.with_suffix(".aside").write_text(f"{os.getpid()} {child.pid}", "utf-8")
        # Whoever waits for this may end this process at once.
        told.with_suffix(".aside").replace(told)
        time.sleep(60)
    except KeyboardInterrupt:
        return "ended in order"
    return "never"


@contextmanager
def no_threads() -> Iterator[None]:
    """Have the system refuse any further thread: each would have more stack than it can address."""
    before = threading.stack_size(1 << 50)
    try:
        yield
    finally:
        threading.stack_size(before)


def answer_and_stay(argument: int) -> int:
    """Leave a thread behind that keeps the process from ending."""
    threading.Thread(target=time.sleep, args=(60,)).start()
    return 2 * argument


def allocate(argument: int) -> int:
    return len(bytearray(argument))


def call(argument: dict[str, Any]) -> str:
    """Run a job from this process, as a worker does, and never come to its end."""
    from crawler.harvest.jobs import Job  # noqa: PLC0415 - only here
    from crawler.harvest.process import run_in_process  # noqa: PLC0415

    return run_in_process(Job("support.jobs:sleep", argument)).reason


def wait_for_stop(mark: str) -> int:
    """Tell that it runs; return the stop level when told to end."""
    from crawler.harvest.engine import stop_level  # noqa: PLC0415 - only here

    Path(mark).touch()
    until = time.monotonic() + 60
    while time.monotonic() < until and not stop_level():
        time.sleep(0.02)
    return stop_level()


def wait_for_mark(argument: dict[str, str]) -> str:
    """Tell the numbers of this process and of its worker; end when a file is there."""
    told = Path(argument["told"])
    told.with_suffix(".aside").write_text(f"{os.getpid()} {os.getppid()}", "utf-8")
    told.with_suffix(".aside").replace(told)
    until = time.monotonic() + 200
    while not Path(argument["mark"]).exists():
        if time.monotonic() > until:
            return "nobody marked it"
        time.sleep(0.02)
    return "marked"
