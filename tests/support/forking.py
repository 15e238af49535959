"""Crawls in forks of a process that has imported everything: a second saved for each of them.

Run as a script, it reads a list of arguments of ``scrapy`` as JSON on each line, runs each to its
end in a folder, and answers with its exit code.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING, Self

import scrapy.__main__
import scrapy.cmdline

import crawler.exporters.feeds
import crawler.middlewares.throttling
import crawler.middlewares.two_pass
import crawler.spiders.site
from support.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

LOG = "forks.log"
IMPORTED = (
    crawler.exporters.feeds,
    crawler.middlewares.two_pass,
    crawler.middlewares.throttling,
    crawler.spiders.site,
)
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests")))}


def begin(folder: str, arguments: list[str]) -> int:
    """Begin ``scrapy ARGUMENT …`` in a process of its own; return its number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.chdir(folder)
        log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        # Processes that the command starts begin with what they find as its main module.
        sys.modules["__main__"] = scrapy.__main__
        scrapy.cmdline.execute(["scrapy", *arguments])
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BaseException:  # noqa: BLE001 - the log is to say why
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def end(child: int) -> int | None:
    """Wait for the end of a process; return its exit code, ``None`` where it was killed."""
    _, status = os.waitpid(child, 0)
    return None if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


class Forks:
    """A process that runs ``scrapy`` in a folder, again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.forking", str(folder)],
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            # What runs may be why: a crawl that does not end is not waited for.
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def run(self, *arguments: str) -> str:
        """Run ``scrapy`` to its end; return what it wrote."""
        log = self._folder / LOG
        log.unlink(missing_ok=True)
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(arguments), file=self._process.stdin, flush=True)
        code = self._process.stdout.readline().strip()
        written = log.read_text("utf-8")
        assert code == "0", written
        return written


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{end(begin(sys.argv[1], json.loads(line)))}\n")
        sys.stdout.flush()
