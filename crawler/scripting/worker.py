"""The process that runs scripts: started by its path, with the standard library and an engine.

It reads requests from standard input and writes answers to standard output until its input ends.
Both are frames: eight bytes of length, most significant first, and so many bytes. A request is
three frames of UTF-8: the call (JSON), the page (JSON) and the script; an answer is one frame of
JSON. It shows nothing of Python to a script: what crosses over is text.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import struct
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# Windows has neither this nor timers of processor time: there the engine's own limits hold, and the
# parent's.
if sys.platform != "win32":
    import resource

_FRAME: Final = re.compile(r"<input>:(\d+):(\d+)")
_LENGTH: Final = struct.Struct(">Q")
# What reporting an error may use when the script has used up everything.
_REPORT_SECONDS: Final = 0.5
_REPORT_MEMORY: Final = 8 * 1024 * 1024
# Python's own use while a page is served: copies of its text and of the answer.
_SLACK: Final = 256 * 1024 * 1024
_OTHER_ENGINE: Final = "other-engine"


class _Process:
    """What the system lets this process do."""

    def __init__(self) -> None:
        self._statm = -1
        if sys.platform == "linux":
            self._statm = os.open("/proc/self/statm", os.O_RDONLY)

    def confine(self) -> None:
        """Take away files and sockets for good, whatever a script may find in the engine."""
        if sys.platform == "win32":
            return
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        # What is open stays open; nothing can be opened any more.
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))

    def allow(self, seconds: float, memory: int) -> None:
        """Let the process end itself once the next page takes more than this."""
        if sys.platform == "win32":
            return
        # Unlike a limit of processor time, this has parts of a second and can be taken back.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        if self._statm >= 0:
            pages = int(os.pread(self._statm, 64, 0).split()[0])
            most = pages * resource.getpagesize() + memory
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))

    def rest(self) -> None:
        """Take the limits of :meth:`allow` back."""
        if sys.platform == "win32":
            return
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self._statm >= 0:
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _read() -> bytes | None:
    head = sys.stdin.buffer.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    return sys.stdin.buffer.read(size)


def _write(answer: Mapping[str, object] | bytes) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode("ascii")
    sys.stdout.buffer.write(_LENGTH.pack(len(body)) + body)
    sys.stdout.buffer.flush()


def _place(text: str, lines: int) -> list[int] | None:
    """Return line and column of the innermost frame that is the script's and not the objects'."""
    for found in _FRAME.finditer(text):
        if int(found[1]) <= lines + 1:
            return [int(found[1]), int(found[2])]
    return None


def _failure(engine: Any, error: Exception, lines: int) -> dict[str, object]:  # noqa: ANN401 - a module without types
    """Tell what the engine raised outside of what a script can catch."""
    text = str(error)
    if isinstance(error, engine.StackOverflow):
        reason = "stack"
    elif "interrupted" in (first := text.partition("\n")[0]):
        reason = "time"
    # Without memory for an error, null is what the engine throws.
    elif "out of memory" in first or first == "null":
        reason = "memory"
    else:
        reason = "answer"
    return {"reason": reason, "place": _place(text, lines)}


def _has_jobs(context: Any) -> bool:  # noqa: ANN401 - see above
    """Tell whether a script left anything to be done later. What was first there has run then."""
    try:
        return bool(context.execute_pending_job())
    except Exception:  # noqa: BLE001 - it ran, whatever came of it
        return True


def _serve(
    engine: Any,  # noqa: ANN401 - see above
    process: _Process,
    objects: str,
    call: dict[str, Any],
    texts: tuple[str, str],
) -> Mapping[str, object] | bytes:
    page, script = texts
    lines = script.count("\n") + 1
    context = engine.Context()
    # The objects stand below the script's lines, so that places in both are told apart.
    world = context.eval("\n" * (lines + 1) + objects)
    world("load", page, json.dumps({**call["world"], "lines": lines}))
    context.set_memory_limit(context.memory()["malloc_size"] + call["memory"])
    context.set_time_limit(call["seconds"])
    process.allow(call["seconds"] + 2 * _REPORT_SECONDS, 2 * call["memory"] + _SLACK)
    try:
        end = world("run", script)
    except Exception as error:  # noqa: BLE001 - the engine raises types of its own
        return _failure(engine, error, lines)
    context.set_memory_limit(context.memory()["malloc_size"] + call["memory"] + _REPORT_MEMORY)
    context.set_time_limit(_REPORT_SECONDS)
    if end == "done" and _has_jobs(context):
        end = "promise"
    try:
        if end == "done" and (told := world("answer")):
            return str(told).encode("utf-8")
        return {"reason": end, **json.loads(world("problem"))}
    except Exception as error:  # noqa: BLE001 - as above; a script may have changed what JSON does
        return _failure(engine, error, lines)


def main(folder: str, objects_file: str) -> None:
    """Serve until standard input ends.

    Args:
        folder: where the engine's module lies.
        objects_file: the JavaScript of the objects that scripts find.
    """
    sys.path.append(folder)
    objects = Path(objects_file).read_text("utf-8")
    try:
        engine = import_module("_quickjs")
    except ImportError as error:
        _write({"failed": str(error)})
        return
    # The older engine of the same module name hangs in regular expressions; it has no iterators.
    if engine.Context().eval("typeof Iterator") != "function":
        _write({"failed": _OTHER_ENGINE})
        return
    process = _Process()
    process.confine()
    _write({"ready": True})
    while (call := _read()) is not None:
        page, script = _read(), _read()
        if page is None or script is None:
            return
        texts = page.decode("utf-8"), script.decode("utf-8")
        try:
            answer = _serve(engine, process, objects, json.loads(call), texts)
            # What the context held is freed by here, within the limits.
            gc.collect()
        except MemoryError:
            answer = {"reason": "memory"}
        process.rest()
        _write(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
