"""The process that runs scripts: started by its path, with the standard library and an engine.

It reads requests from standard input and writes answers to standard output until its input ends. A
request is two lines of JSON: the call with its script, and the page; an answer is one line of JSON.
The first line that it writes says what is wrong with the engine; it is null where nothing is. No
Python object gets into a script: what is exchanged is text.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

# Windows has neither this nor timers of CPU time: there the limits of the engine and of the parent
# process hold.
if sys.platform != "win32":
    import resource

_FRAME: Final = re.compile(r"<input>:(\d+):(\d+)")
# What reporting an error may use after the script has used up everything.
_REPORT_SECONDS: Final = 0.5
_REPORT_MEMORY: Final = 8 * 1024 * 1024
# Memory of Python itself while a page is served: copies of its text and of the answer.
_SLACK: Final = 256 * 1024 * 1024
# The file that tells how much memory the process has; -1 where there is none.
_STATM: Final = os.open("/proc/self/statm", os.O_RDONLY) if sys.platform == "linux" else -1


def _take_files() -> None:
    """Take away files and sockets for good, whatever a script may find in the engine."""
    if sys.platform != "win32":
        # What is open stays open; nothing else can be opened.
        for what in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
            resource.setrlimit(what, (0, 0))


def _limit(seconds: float, memory: int | None) -> None:
    """Make the process end once it uses more than this from now on; 0 and None for no limit."""
    if sys.platform == "win32":
        return
    # Unlike RLIMIT_CPU, a timer has fractions of a second and can be taken back.
    signal.setitimer(signal.ITIMER_PROF, seconds)
    if _STATM < 0:
        return
    most = hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if memory is not None:
        pages = int(os.pread(_STATM, 64, 0).split()[0])
        most = pages * resource.getpagesize() + memory
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _write(answer: str) -> None:
    # A line break in JSON is white space, and would end the answer.
    sys.stdout.buffer.write(answer.replace("\n", " ").encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()


def _failure(engine: ModuleType, error: Exception, lines: int) -> str:
    """Describe an error of the engine that a script cannot catch.

    Its place is the innermost frame of the script: frames of the objects are below its lines.
    """
    text = str(error)
    first = text.partition("\n")[0]
    if isinstance(error, engine.StackOverflow):
        reason = "stack"
    elif "interrupted" in first:
        reason = "time"
    # Without memory for an error, the engine throws null.
    elif isinstance(error, MemoryError) or "out of memory" in first or first == "null":
        reason = "memory"
    else:
        reason = "answer"
    places = ([int(found[1]), int(found[2])] for found in _FRAME.finditer(text))
    place = next((its for its in places if its[0] <= lines + 1), None)
    return json.dumps({"reason": reason, "place": place})


def _has_jobs(context: Any) -> bool:  # noqa: ANN401 - the engine has no types
    """Tell whether a script left anything to be done later. Its first job has run then."""
    try:
        return bool(context.execute_pending_job())
    except Exception:  # noqa: BLE001 - it ran, whatever it raised
        return True


def _serve(engine: ModuleType, objects: str, call: dict[str, Any], page: str) -> str:
    lines = call["script"].count("\n") + 1
    context = engine.Context()
    # The objects are evaluated below the lines of the script, so that places tell them apart.
    world = context.eval("\n" * (lines + 1) + objects)
    world("load", page, json.dumps({**call["world"], "lines": lines}))
    context.set_memory_limit(context.memory()["malloc_size"] + call["memory"])
    context.set_time_limit(call["seconds"])
    _limit(call["seconds"] + 2 * _REPORT_SECONDS, 2 * call["memory"] + _SLACK)
    try:
        end = world("run", call["script"])
        context.set_memory_limit(context.memory()["malloc_size"] + call["memory"] + _REPORT_MEMORY)
        context.set_time_limit(_REPORT_SECONDS)
        if end == "done" and _has_jobs(context):
            end = "promise"
        if end == "done" and (output := world("answer")):
            return str(output)
        return json.dumps({"reason": end, **json.loads(world("problem"))})
    except Exception as error:  # noqa: BLE001 - the engine raises types of its own, and a script may have changed what JSON does
        return _failure(engine, error, lines)


def main(folder: str, objects_file: str) -> None:
    """Serve until standard input ends.

    Args:
        folder: the folder of the engine's module.
        objects_file: the JavaScript of the objects that scripts find.
    """
    sys.path.append(folder)
    objects = Path(objects_file).read_text("utf-8")
    try:
        engine = import_module("_quickjs")
    except ImportError as error:
        _write(json.dumps(str(error)))
        return
    # The older engine of the same module name hangs in regular expressions; it has no iterators.
    if engine.Context().eval("typeof Iterator") != "function":
        _write(json.dumps("other-engine"))
        return
    _take_files()
    _write("null")
    requests = sys.stdin.buffer
    while (call := requests.readline()) and (page := requests.readline()).endswith(b"\n"):
        try:
            answer = _serve(engine, objects, json.loads(call), page.decode("ascii"))
            # Frees what the context held, within the limits.
            gc.collect()
        except MemoryError:
            answer = '{"reason": "memory"}'
        _limit(0, None)
        _write(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
