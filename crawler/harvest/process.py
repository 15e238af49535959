"""One job in one process: started, watched, ended at its limits, and told of."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.harvest.child import ANSWER, ORDER
from crawler.harvest.jobs import DIED, DONE, FAILED, MEMORY, STOPPED, TIME, Outcome
from crawler.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.harvest.jobs import Job

__all__ = ["run_in_process"]

_NEW: Final = "scrapy-corpus-new-"
_PREFIX: Final = "scrapy-corpus-job-"
_LOCK: Final = "in-use"
_LOG: Final = "log.txt"
_LOOK_SECONDS: Final = 0.05
_LEAVE_SECONDS: Final = 10.0
_LOG_TAIL: Final = 4096
# By these ends what asks for memory, gets none, and does not look: abort, and a bad address.
_ABRUPT: Final = frozenset({signal.SIGABRT, signal.SIGSEGV})
# A process a job, so no job needs threads for its arithmetic; each would reserve memory, too.
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_in_process(
    job: Job,
    *,
    should_stop: Callable[[], bool] | None = None,
    log: Path | None = None,
) -> Outcome:
    """Run a job in a fresh process, wait for its end, and say what came of it; raises nothing.

    The process and all it starts end at the job's limits, and with the process that calls this.

    Args:
        job: what to run.
        should_stop: asked several times a second; once it says yes, the job is asked to end.
        log: gets what the job prints, appended; without, the last line of it is told where the job
            fails, and the rest is gone.
    """
    started = time.monotonic()
    try:
        with _scratch() as folder:
            end = _run(job, folder, should_stop or (lambda: False))
            if log is not None:
                _keep_log(folder / _LOG, log)
    except Exception as error:  # noqa: BLE001 - whoever waits for the outcome waits for nothing else
        end = _End(FAILED, f"the process of the job cannot be run: {error}")
    return Outcome(
        name=job.name,
        value=end.value,
        reason=end.reason,
        detail=end.detail,
        seconds=round(time.monotonic() - started, 3),
        job=job,
    )


@dataclass(frozen=True, slots=True)
class _End:
    reason: str
    detail: str = ""
    value: Any = None


def _run(job: Job, folder: Path, should_stop: Callable[[], bool]) -> _End:
    # In a file: a process that does not read would never take what is more than a pipe holds.
    (folder / ORDER).write_text(json.dumps(job.as_json()), "utf-8")
    with (folder / _LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - this Python, and a module of this project
            # What lies in the working folder takes no module's place.
            [sys.executable, "-P", "-m", "crawler.harvest.child", str(folder)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=_environment(folder),
            # Ctrl-C in a terminal reaches the harvest alone, which tells its jobs once.
            start_new_session=True,
        )
    try:
        ended_for = _wait(process, job, folder, should_stop)
    finally:
        # Also where this thread is ended by an error: nothing may go on without its watcher.
        _kill_group(process)
        process.wait()
        if process.stdin is not None:
            process.stdin.close()
    return _told(job, folder, process.returncode, ended_for)


def _wait(
    process: subprocess.Popen[bytes], job: Job, folder: Path, should_stop: Callable[[], bool]
) -> str:
    """Wait until a process has ended, and end it at the limit; return why it was told to, or ''.

    A process that has answered is given some seconds: threads that it has left may go on for ever.
    """
    began = time.monotonic()
    ended_for, kill_at = "", None
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_SECONDS)
            return ended_for
        now = time.monotonic()
        if kill_at is not None:
            if now >= kill_at:
                _kill_group(process)
            continue
        if job.seconds is not None and now - began >= job.seconds:
            ended_for = TIME
        elif should_stop():
            ended_for = STOPPED
        if ended_for:
            process.terminate()
            kill_at = now + job.grace
        elif (folder / ANSWER).exists():
            kill_at = now + min(_LEAVE_SECONDS, job.grace)


def _told(job: Job, folder: Path, code: int, ended_for: str) -> _End:
    answer = _answer(folder / ANSWER)
    has_value = "value" in answer
    if ended_for:
        limit = f"{job.seconds:g} s" if job.seconds is not None else ""
        what = f"the time limit of {limit}" if ended_for == TIME else "it was told to stop"
        how = "ended" if has_value else "was killed" if code == -9 else "was ended"  # noqa: PLR2004 - SIGKILL
        return _End(ended_for, f"{what}: the job {how}", answer.get("value"))
    if has_value:
        return _End(DONE, value=answer["value"])
    if answer:
        detail = answer["detail"]
        if answer["reason"] == MEMORY:
            detail = f"{detail}; {_memory_limit(job)}"
        return _End(answer["reason"], detail)
    last = _last_line(folder / _LOG)
    if job.memory is not None and _is_of_memory(last):
        return _End(MEMORY, f"{last}; {_memory_limit(job)}")
    words = f"the process ended {_how(code)}"
    if job.memory is not None and -code in _ABRUPT:
        words += f", as where it gets no more memory: {_memory_limit(job)}"
    return _End(DIED, words + (f"; its last words: {last}" * bool(last)))


def _memory_limit(job: Job) -> str:
    return "it has no limit" if job.memory is None else f"its limit is {job.memory:,} bytes"


def _is_of_memory(line: str) -> bool:
    """Tell whether the last words of a process speak of memory: libraries abort where it ends."""
    small = line.lower()
    return any(
        word in small
        for word in (
            "memoryerror",
            "bad_alloc",
            "allocate memory",
            "memory allocation",
            "of memory",
        )
    )


def _how(code: int) -> str:
    if code >= 0:
        return f"with code {code} before it had an answer"
    if code == -9:  # noqa: PLR2004 - SIGKILL
        return "by SIGKILL, as where the system is short of memory"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def _answer(path: Path) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return answer


def _last_line(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _LOG_TAIL))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _keep_log(log: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with log.open("rb") as source, target.open("ab") as kept:
        shutil.copyfileobj(source, kept)


def _environment(folder: Path) -> dict[str, str]:
    return {
        **dict.fromkeys(_ONE_THREAD, "1"),
        **os.environ,
        # What a job leaves in temporary folders goes with the job, also when it is killed.
        "TMPDIR": str(folder),
        "PYTHONUNBUFFERED": "1",
    }


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all it has started; nothing where they have ended."""
    if sys.platform == "win32":
        process.kill()
        return
    # The process leads a group of its own, whose number is in use while one of them lives.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class _scratch:  # noqa: N801 - used as a function
    """A folder for a job, removed with all in it; those of callers that were killed, too."""

    def __enter__(self) -> Path:
        for left in _abandoned():
            shutil.rmtree(left, ignore_errors=True)
        made = Path(tempfile.mkdtemp(prefix=_NEW))
        try:
            self._lock = (made / _LOCK).open("wb")
            try_lock(self._lock.fileno())
            # It has its name from when it is locked, so that nobody takes it for abandoned before.
            self._folder = made.rename(made.with_name(made.name.replace(_NEW, _PREFIX)))
        except OSError:
            # A watch tries again and again where the disk is full, and would fill it with folders.
            shutil.rmtree(made, ignore_errors=True)
            raise
        return self._folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.close()


def _abandoned() -> Iterator[Path]:
    """Give the folders of jobs whose callers are gone."""
    if sys.platform == "win32":
        # Without locks nothing tells whether a folder is in use.
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            with (folder / _LOCK).open("rb") as file:
                is_free = try_lock(file.fileno())
        except OSError:
            # It is being made or removed, or is another user's.
            continue
        if is_free:
            yield folder
