"""``scrapy`` run to its end, each time in a fork of one process that has imported it.

Python and Scrapy take most of a second to start, which several hundred tests would wait for. A fork
has the folder, the environment and the arguments of its own, and ends as any Python process does.

Run as a script, it reads an order as JSON on each line, runs it, and answers with the exit code.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

import scrapy.__main__
import scrapy.cmdline
import scrapy.crawler

import crawler.addon
import crawler.exporters.feeds
import crawler.middlewares.throttling
import crawler.middlewares.two_pass
import crawler.spiders.site

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Runner", "run_scrapy"]

ROOT = Path(__file__).parents[2]
IMPORTED = (
    crawler.addon, crawler.exporters.feeds, crawler.middlewares.two_pass,
    crawler.middlewares.throttling, crawler.spiders.site,
    scrapy.crawler,
)  # fmt: skip
# What Python asks for when it starts, and no more.
ASKED_AT_START = ("PYTHON", "LC_", "LANG")
SECONDS = 90


class Runner:
    """The process that forks; it ends with this one, whose pipe it reads."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, arguments: Sequence[str], folder: Path, env: Mapping[str, str], out: Path, err: Path
    ) -> int:
        """Run ``scrapy`` to its end; return its exit code, that of a shell where it was killed."""
        process = self._process = self._process or self._start()
        order = [list(arguments), str(folder), dict(env), str(out), str(err)]
        assert process.stdin
        assert process.stdout
        answer = ""
        try:
            print(json.dumps(order), file=process.stdin, flush=True)
            if select.select([process.stdout], [], [], SECONDS)[0]:
                answer = process.stdout.readline()
        finally:
            if not answer:
                # Also where the test has no more time: nothing may go on without it.
                self._process = None
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        assert answer, f"{arguments} did not end:\n{err.read_text('utf-8', 'replace')}"
        return int(answer)

    @staticmethod
    def _start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "support.running"],
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


_runner = Runner()


def run_scrapy(
    arguments: Sequence[str], folder: Path, env: Mapping[str, str], path: Sequence[str]
) -> tuple[int, str, str]:
    """Run ``scrapy`` to its end; return its exit code, and what it wrote to output and error.

    Args:
        arguments: of the command.
        folder: where it runs.
        env: the environment.
        path: folders that modules are looked for in first.
    """
    asked = {name for name in (*env, *os.environ) if name.startswith(ASKED_AT_START)}
    if not hasattr(os, "fork") or any(env.get(name) != os.environ.get(name) for name in asked):
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=folder,
            env={**env, "PYTHONPATH": os.pathsep.join(path)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr
    out, err = folder.parent / f"{folder.name}.out", folder.parent / f"{folder.name}.err"
    whole = {**env, "PYTHONPATH": os.pathsep.join(path)}
    code = _runner.run(arguments, folder, whole, out, err)
    return code, out.read_text("utf-8"), err.read_text("utf-8")


def become(order: Sequence[object], head: Sequence[str]) -> NoReturn:
    """Be a process of ``scrapy``; ``head`` is what this one was started with in its path."""
    arguments, folder, env, out, err = order
    assert isinstance(arguments, list)
    assert isinstance(env, dict)
    os.chdir(str(folder))
    os.environ.clear()
    os.environ.update(env)
    own = [str(folder), *env["PYTHONPATH"].split(os.pathsep)]
    sys.path[:] = [*own, *(place for place in sys.path if place not in head)]
    for number, name, mode in ((0, os.devnull, os.O_RDONLY), (1, out, None), (2, err, None)):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if mode is None else mode
        os.dup2(os.open(str(name), flags, 0o644), number)
    sys.argv = ["scrapy", *arguments]
    # Processes that the command starts begin with what they find as its main module.
    sys.modules["__main__"] = scrapy.__main__
    scrapy.cmdline.execute(sys.argv)
    sys.exit(0)


def serve(orders: IO[str], answers: IO[str]) -> None:
    """Run what is ordered, one after the other."""
    head = ["", str(Path.cwd()), *os.environ["PYTHONPATH"].split(os.pathsep)]
    for line in orders:
        child = os.fork()
        if not child:
            become(json.loads(line), head)
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
