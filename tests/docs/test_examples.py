"""The examples of the documentation do what the documentation says.

The ``python`` and ``bash`` blocks of a page run in order, in one empty folder, where ``scrapy.cfg``
is the checkout's own:

- A ``python`` block whose first line is the comment ``# some/file.py`` is added to that file. All
  others are executed, with the names of the page's earlier blocks.
- A ``text`` block right after a ``bash`` block is what that block prints, digits apart; a line
  ``...`` stands for any number of lines.
- ``http://blog.example/`` is a small blog, and no other host can be reached. Blocks that need one
  are marked ``sh``.
- A ``python`` block that imports ``datasets``, which takes much to install, is passed over where
  that is missing; one with a package of the extra ``dev`` outside of CI alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import serve
from support.crawling import ROOT, article, html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.demo.server import Answer

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# (\S+\.py)\n")
BLOG = "http://blog.example"
OTHERS = {"datasets"} | ({"pandas", "polars"} if "CI" not in os.environ else set())
PATIENCE = 100


@dataclass(frozen=True, slots=True)
class Example:
    """One fenced block: its language, its text, the line it begins on, and what it must print."""

    page: Path
    kind: str
    text: str
    line: int
    prints: str | None = None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def examples(page: Path) -> list[Example]:
    source = page.read_text("utf-8")
    blocks = list(BLOCK.finditer(source))
    found = []
    for number, block in enumerate(blocks):
        kind, text = block.groups()
        after = blocks[number + 1] if number + 1 < len(blocks) else None
        shown = (
            after is not None
            and after[1] == "text"
            and source[block.end() : after.start()].isspace()
        )
        found.append(
            Example(
                page,
                kind,
                text,
                source.count("\n", 0, block.start(2)) + 1,
                after[2] if after is not None and shown else None,
            )
        )
    return found


def blog() -> dict[str, Answer]:
    """Make a blog as a proxy sees it: whole addresses to answers."""
    links = "".join(f'<li><a href="/post/{n}">Piece {n}</a></li>' for n in range(1, 4))
    pages = {f"{BLOG}/post/{n}": html(article(n)) for n in range(1, 4)}
    return {f"{BLOG}/": html(f"<html><title>Blog</title><body><ul>{links}</ul></body>"), **pages}


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    with serve(blog()) as address:
        yield address


def environment(proxy: str) -> dict[str, str]:
    """Leave out what makes a run depend on who started it, and lead everything to the blog."""
    unwanted = ("SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE", "FORCE_COLOR", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {
        **kept,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "http_proxy": proxy,
        "https_proxy": proxy,
        "no_proxy": "127.0.0.1,localhost",
    }


def comparable(text: str) -> list[str]:
    """Reduce output to what does not change from run to run: no figures, no hashes, no widths."""
    masked = re.sub(r"\b[0-9a-f]{16}\b|\d+(?:[.,]\d+)*", "0", text)
    return [" ".join(line.split()) for line in masked.splitlines() if line.strip()]


def first_missing(expected: str, printed: str) -> str | None:
    """Return the first line that is not where it should be; None when all are."""
    actual = comparable(printed)
    at, anywhere = 0, False
    for line in comparable(expected):
        if line == "...":
            anywhere = True
            continue
        try:
            found = actual.index(line, at)
        except ValueError:
            return line
        if found != at and not anywhere:
            return line
        at, anywhere = found + 1, False
    return None


def run_python(example: Example, folder: Path, names: dict[str, object]) -> None:
    if named := FILE_NAME.match(example.text):
        path = folder / named[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(example.text)
        return
    # Padded so that a traceback names the line of the page.
    padded = "\n" * (example.line - 1) + example.text
    exec(compile(padded, str(example.page), "exec", dont_inherit=True), names)


def what_is_wrong(example: Example, folder: Path, proxy: str) -> str:
    """Run a command of the documentation; say what it did not do, "" for nothing."""
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{example.text}"],
        cwd=folder,
        env=environment(proxy),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != 0 or "Traceback" in done.stderr:
        return f"{example.place} failed:\n{done.stdout}\n{done.stderr}"
    missing = None if example.prints is None else first_missing(example.prints, done.stdout)
    return "" if missing is None else f"{example.place} does not print {missing!r}:\n{done.stdout}"


@pytest.mark.slow
@pytest.mark.timeout(600)  # a page has many commands
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(
    page: Path, proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "scrapy.cfg", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, object] = {"__name__": "examples"}
    for example in examples(page):
        missing = [
            name
            for name in re.findall(r"^(?:from|import) (\w+)", example.text, re.MULTILINE)
            if name in OTHERS and find_spec(name) is None
        ]
        if example.kind == "python" and not missing:
            run_python(example, tmp_path, names)
        elif example.kind == "bash":
            assert what_is_wrong(example, tmp_path, proxy) == ""


def test_each_block_says_what_it_is() -> None:
    kinds = {"python", "bash", "sh", "text", "ini", "json", "toml"}
    assert [one.place for page in PAGES for one in examples(page) if one.kind not in kinds] == []


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(tmp_path: Path, proxy: str) -> None:
    (shown,) = [one for one in examples(ROOT / "README.md") if one.kind == "text"]
    command = Example(shown.page, "bash", "scrapy demo", shown.line, f"...\n{shown.text}")
    assert what_is_wrong(command, tmp_path, proxy) == ""


def test_two_commands_set_everything_up() -> None:
    """They are pulled out of the README and run as they stand, on a machine with nothing on it."""
    commands = [
        one.text.strip()
        for one in examples(ROOT / "README.md")
        if one.kind == "sh" and one.text.startswith("python3 -m venv")
    ]
    demo, tests = commands
    assert "\n" not in demo + tests
    assert demo.endswith("scrapy demo")
    assert tests.endswith("-m pytest -n auto --dist worksteal")
