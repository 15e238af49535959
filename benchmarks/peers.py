"""Compare the project with other extractors of main text: the tables of docs/peers.md.

    python benchmarks/peers.py [--envs FOLDER] [--only PROGRAM,...] NAME=GOLD ... > tables.md

Each gold file holds JSON Lines of html and gold_text, as ``scrapy evaluate text`` takes them. Every
program runs in a process and an environment of its own, which is made below FOLDER at the first
call with the newest release; Node's programs need ``node`` and ``npm``. A program that cannot be
installed is left out, and said. The project's own rows are those of ``scrapy evaluate text``, with
the pages of a site known and with ``--alone``. Figures are means over pages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, Final

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, read
from crawler.evaluation.gold import read_gold
from crawler.evaluation.scores import ScoreBoard, score_page

HERE: Final = Path(__file__).parent
OWN: Final = {"scrapy-corpus": (), "scrapy-corpus (page alone)": ("--alone",)}
_TRAFILATURA: Final = ("trafilatura", "lxml_html_clean")
_NODE: Final = ("defuddle", "@mozilla/readability", "linkedom")
# What is installed for each program; those of the same packages share an environment.
PROGRAMS: Final = {
    "trafilatura": _TRAFILATURA,
    "trafilatura-comments": _TRAFILATURA,
    "trafilatura-fast": _TRAFILATURA,
    "trafilatura-precision": _TRAFILATURA,
    "trafilatura-recall": _TRAFILATURA,
    "readability-lxml": ("readability-lxml", "lxml_html_clean"),
    "readability.js": _NODE,
    "defuddle": _NODE,
    "resiliparse": ("resiliparse",),
    "newspaper4k": ("newspaper4k[all]", "lxml_html_clean"),
    "turbohtml": ("turbohtml",),
}
_PAGE_SECONDS: Final = 60


@dataclass(slots=True)
class Worker:
    """A program in its process. A page on which it dies or takes a minute is lost."""

    command: tuple[str, ...]
    version: str = ""
    _process: subprocess.Popen[str] | None = None
    _lines: Queue[str] = field(default_factory=Queue)

    def ask(self, page: Mapping[str, str]) -> dict[str, str]:
        """Return the program's answer about a page."""
        if self._process is None:
            self._start()
        try:
            assert self._process is not None
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(dict(page)) + "\n")
            self._process.stdin.flush()
            answer: dict[str, str] = json.loads(self._lines.get(timeout=_PAGE_SECONDS))
        except (OSError, Empty, ValueError):
            self.stop()
            return {"error": "the process died or took too long"}
        return answer

    def _start(self) -> None:
        self._lines = Queue()
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()
        self.version = json.loads(self._lines.get(timeout=_PAGE_SECONDS))["version"]

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: Queue[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                lines.put(line)
        lines.put("")  # Nobody waits for a process that has ended.

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if process.stdin is not None:
            # What a dead process was to read cannot be flushed.
            with suppress(OSError):
                process.stdin.close()


def worker_of(program: str, envs: Path) -> Worker:
    """Return the worker of a program, whose environment is made if there is none.

    Raises:
        OSError, CalledProcessError: it cannot be installed.
    """
    packages = PROGRAMS[program]
    folder = envs / packages[0].partition("[")[0]
    done = folder / "installed"
    if packages is _NODE:
        command = ["npm", "install", "--silent", "--prefix", str(folder), *packages]
        run: tuple[str, ...] = ("node", str(HERE / "peer_worker.mjs"), str(folder), program)
    else:
        python = str(folder / "bin" / "python")
        command = [python, "-m", "pip", "install", "-q", "--upgrade", *packages]
        run = (python, str(HERE / "peer_worker.py"), program)
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if packages is not _NODE:
            venv.create(folder, with_pip=True)
        subprocess.run(command, check=True, stdout=sys.stderr)
        done.touch()
    return Worker(run)


def text_of(html: str) -> str:
    """Return the text of a program's answer in HTML, as this project reads text."""
    try:
        document = read(Page.from_text("https://a.example/", html))
    except UnreadablePageError:
        return ""
    return "\n".join(block.text for block in document.blocks)


def measure(worker: Worker, gold: Path) -> dict[str, Any]:
    """Return the figures of a program on the pages of a file, as ``scrapy evaluate`` has them."""
    board, kinds, failed = ScoreBoard(), ScoreBoard(), 0
    for row in read_gold([gold]):
        if row.gold_text is None:
            continue
        answer = worker.ask({"html": row.page.body.decode("utf-8"), "url": row.page.url})
        if "error" in answer:
            failed += 1
            print(f"{worker.command[-1]}: {row.page.url}: {answer['error']}", file=sys.stderr)
        found = text_of(answer["html"]) if answer.get("html") else answer.get("text", "")
        score = score_page(found, row.gold_text)
        board.add(row.page.site_name, score)
        if row.kind:
            kinds.add(row.kind, score)
    worker.stop()
    per_kind = {name: kinds.site(name)[1].as_json() for name in kinds.sites}
    return {
        "word": board.word.as_json(),
        "rouge5": board.rouge.as_json(),
        "site_mean_f1": board.site_mean_f1,
        "per_kind": per_kind,
        "failed": failed,
    }


def own_figures(gold: Path, options: tuple[str, ...]) -> dict[str, Any]:
    """Return what ``scrapy evaluate text`` says of a file."""
    command = [sys.executable, "-m", "scrapy", "evaluate", "text", str(gold), "--json", "-"]
    done = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE)
    figures: dict[str, Any] = json.loads(done.stdout)
    return {**figures, "failed": sum(figures["skipped"].values())}


def results(only: list[str], envs: Path, gold: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name, with its version, and the figures of each program."""
    for name, options in OWN.items():
        if not only or name in only:
            yield name, own_figures(gold, options)
    for program in PROGRAMS:
        if only and program not in only:
            continue
        try:
            worker = worker_of(program, envs)
            figures = measure(worker, gold)
        except (OSError, subprocess.CalledProcessError, Empty, ValueError) as error:
            print(f"{program}: left out, cannot be run ({error})", file=sys.stderr)
            continue
        yield f"{program} {worker.version}", figures


def lines(name: str, figures: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a file's table: all kinds of pages, and each kind."""
    kinds = sorted({kind for own in figures.values() for kind in own["per_kind"]})
    columns = ["F1", "precision", "recall", "F1 by site", "ROUGE-5", "failed", *kinds]
    yield f"| {name} | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for program, own in figures.items():
        word = own["word"]
        shares = [word["f1"], word["precision"], word["recall"], own["site_mean_f1"]]
        cells = [f"{share:.3f}" for share in (*shares, own["rouge5"]["f1"])]
        cells.append(str(own["failed"]))
        cells += [f"{own['per_kind'][kind]['f1']:.3f}" for kind in kinds]
        yield f"| {program} | {' | '.join(cells)} |"
    yield ""


def main() -> int:
    """Print the tables, each as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", nargs="+", metavar="NAME=GOLD")
    parser.add_argument("--envs", type=Path, default=Path(".peers"))
    parser.add_argument("--only", type=lambda names: names.split(","), default=[])
    options = parser.parse_args()
    for argument in options.gold:
        name, _, path = argument.rpartition("=")
        figures = dict(results(options.only, options.envs.resolve(), Path(path)))
        print("\n".join(lines(name or Path(path).name, figures)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
