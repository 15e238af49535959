"""The process of one job: ``python -m crawler.harvest.child FOLDER``, started by ``process.py``.

The job is in ``FOLDER/job.json``. Standard input stays open for as long as the parent lives.
What the function returns, or its error, goes into ``FOLDER/answer.json``. Whatever the function or
a library prints goes to the log that its parent made of standard output and error.

Little is imported here: what a job needs, its function's module imports.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, Final

__all__ = ["ANSWER", "ORDER", "main"]

ORDER: Final = "job.json"
"""Name of the file with the job."""

ANSWER: Final = "answer.json"
"""Name of the file with what came of the function."""

_PARENT_DEATH_SIGNAL: Final = 1
"""``PR_SET_PDEATHSIG`` of Linux, see prctl(2)."""


def main(folder: str) -> int:
    """Run the job in a folder; return the exit code, 0 unless the function failed."""
    _die_with_parent()
    # Modules of a project are found as by ``scrapy``: behind all that is installed.
    sys.path.append(str(Path.cwd()))
    job = json.loads(Path(folder, ORDER).read_text("utf-8"))
    threading.Thread(target=_watch_parent, daemon=True, name="parent").start()
    code = 1
    try:
        _limit_memory(job["memory"])
        value = _function(job["function"])(job["argument"])
        written = json.dumps({"value": value})
        code = 0
    except MemoryError:
        written = json.dumps({"reason": "memory", "detail": "no more memory could be had"})
    except SystemExit as exit_:
        # Errors of a line, which would end a program, are SystemExit as well.
        written = json.dumps({"reason": "failed", "detail": _last_line(exit_)})
    except Exception as error:  # noqa: BLE001 - whatever the function raises is its answer
        _print_trace()
        written = json.dumps({"reason": "failed", "detail": _last_line(error)})
    aside = Path(folder, f"{ANSWER}.aside")
    aside.write_text(written, "utf-8")
    aside.replace(Path(folder, ANSWER))
    return code


def _function(name: str) -> Any:  # noqa: ANN401 - whatever stands under the name
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ValueError(f"{name!r} names no function; write module:function")
    return getattr(import_module(module), attribute)


def _last_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    kind = type(error).__name__
    if isinstance(error, SystemExit) or _is_our_own(error):
        return text or kind
    return f"{kind}: {text}" if text else kind


def _is_our_own(error: BaseException) -> bool:
    """Tell whether an error is one of the project, whose message says all."""
    return any(base.__module__ == "crawler.core.errors" for base in type(error).__mro__)


def _print_trace() -> None:
    import traceback  # noqa: PLC0415 - most jobs do not fail

    traceback.print_exc()


def _die_with_parent() -> None:
    """Have the system kill this process when the thread that started it ends (Linux)."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - nothing else needs it, and not everywhere

    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))


def _watch_parent() -> None:
    """End at once, with all processes started here, when standard input ends with the parent."""
    while os.read(0, 4096):
        pass
    if sys.platform == "win32":
        os._exit(1)
    os.killpg(0, signal.SIGKILL)


def _limit_memory(memory: int | None) -> None:
    """Refuse memory beyond a number of bytes, where the system can.

    What is counted is what this process allocates for itself (``RLIMIT_DATA`` of Linux, which
    counts mappings since 4.7), not libraries, nor files that are mapped.
    """
    if memory is None or sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not every system has it

    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hard = resource.getrlimit(kind)
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    try:
        resource.setrlimit(kind, (most, hard))
    except (ValueError, OSError) as error:
        # macOS takes no limit below what is mapped; Scrapy's own watch remains for crawls.
        sys.stderr.write(f"The system sets no memory limit of {memory} bytes: {error}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
