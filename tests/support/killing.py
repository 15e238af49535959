"""Run as a script: crawls that are killed at random moments and given again until they are done.

``python -m support.killing FOLDER KILLS LONGEST ARGUMENT …`` gives ``scrapy ARGUMENT …`` in FOLDER
until it was killed so often, and once more to its end; ``CORPUS_DIR`` is a new one each time the
crawl came to its end before. Each crawl is a fork of this process, which has imported everything,
so that the moments lie in the crawl and not in its imports. They are drawn from the beginning of
the crawl on, or, one time in three, from when it writes its output, which short crawls come to
seldom.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from support.forking import begin, end


def is_running(child: int) -> bool:
    """Say whether a crawl goes on, and leave what it ended with for :func:`end`."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def wait_for_output(child: int, corpus: Path) -> None:
    """Wait until a crawl writes a part, or has come to its end."""
    while is_running(child) and not list(corpus.glob("articles/*/*.aside")):
        time.sleep(0.005)


def main(folder: str, kills: int, longest: float, arguments: list[str]) -> None:
    """Kill crawls so often, and let the last one end."""
    draw = random.Random(6)
    done = crawls = 0
    while done < kills:
        crawls += 1
        corpus = f"corpus-{crawls}"
        while done < kills:
            child = begin(folder, [*arguments, "-s", f"CORPUS_DIR={corpus}"])
            if draw.random() < 1 / 3:
                wait_for_output(child, Path(folder, corpus))
            time.sleep(draw.uniform(0, longest))
            os.kill(child, signal.SIGKILL)
            if (code := end(child)) is not None:
                assert code == 0
                break
            done += 1
        assert end(begin(folder, [*arguments, "-s", f"CORPUS_DIR={corpus}"])) == 0


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
