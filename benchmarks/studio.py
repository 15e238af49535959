"""How long the studio lets its user wait, in a real browser.

    python benchmarks/studio.py [--rounds N]

On a made page of 5,000 elements: the milliseconds from a move of the mouse to the outline, and from
a click to the mark of what it takes. Then those from choosing a page of 2 MB to seeing it, those
from confirming a list of 5,000 records to having it and to seeing them, and the longest frame while
they are scrolled. Of the view Inspect: those from choosing either page to its coloured blocks, and
from a move of the mouse to the evidence. Of some rounds the least and the most are printed. It
needs Chromium.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from crawler.core.page.page import Page
from support.studio import CHROMIUM, browser_page, frame_of, served, workspace_of
from support.studio_pages import heavy, large, shelf

if TYPE_CHECKING:
    from playwright.sync_api import Page as BrowserPage

ROUNDS = 5
# How many milliseconds a person looks at what is proposed.
THINKING = 2_000

MARKED = """([kind, mark, at]) => new Promise((done) => {
  const frame = document.querySelector("iframe.page").contentDocument;
  const target = frame.querySelectorAll("h3 a")[at];
  const box = target.getBoundingClientRect();
  const look = () => target.closest(`[data-studio-${mark}]`)
    ? done(performance.now() - began) : setTimeout(look, 1);
  const began = performance.now();
  const where = {bubbles: true, clientX: box.x + 3, clientY: box.y + 3};
  target.dispatchEvent(new MouseEvent(kind, where));
  look();
})"""

OPENED = """() => new Promise((done) => {
  const began = performance.now();
  document.getElementById("page-2").click();
  const look = () => {
    const title = document.querySelector("iframe.page").contentDocument?.querySelector("h1");
    if (title?.textContent === "Heavy" && title.getBoundingClientRect().height > 0)
      done(performance.now() - began);
    else setTimeout(look, 5);
  };
  look();
})"""

CONFIRMED = """() => new Promise((done) => {
  const began = performance.now();
  document.getElementById("list-confirm").click();
  let taken = 0;
  const look = () => {
    if (!taken && document.getElementById("field:record/title")) taken = performance.now() - began;
    if (document.getElementById("fields").textContent.includes("5000 records"))
      done([taken, performance.now() - began]);
    else setTimeout(look, 5);
  };
  look();
})"""

SCROLLED = """() => new Promise((done) => {
  const list = document.getElementById("output-tree");
  let longest = 0, steps = 0, last = performance.now();
  const step = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    list.scrollTop = (steps * 2003) % list.scrollHeight;
    if (++steps < 60) requestAnimationFrame(step); else done(longest);
  };
  requestAnimationFrame(step);
})"""


INSPECTED = """(at) => new Promise((done) => {
  const began = performance.now();
  document.getElementById(`page-${at}`).click();
  import("/static/js/inspection.js").then(({shown}) => {
    const look = () => {
      const frame = document.querySelector("iframe.page").contentDocument;
      const title = frame?.querySelector("h1[data-studio-block]")?.textContent;
      if (shown.first && title === ["Large", "Heavy"][at - 1].replace("Large", "All items"))
        done(performance.now() - began);
      else setTimeout(look, 5);
    };
    setTimeout(look, 5);
  });
})"""

EXPLAINED = """(at) => new Promise((done) => {
  const frame = document.querySelector("iframe.page").contentDocument;
  const target = frame.querySelectorAll("h3 a")[at];
  const box = target.getBoundingClientRect();
  const began = performance.now();
  const look = () => document.querySelector("#inspect-evidence blockquote")?.textContent
    === target.textContent ? done(performance.now() - began) : setTimeout(look, 1);
  const where = {bubbles: true, clientX: box.x + 3, clientY: box.y + 3};
  target.dispatchEvent(new MouseEvent("mousemove", where));
  look();
})"""


def show(what: str, took: list[float]) -> None:
    """Print the least and the most of some times."""
    print(f"{what}: {min(took):,.0f} to {max(took):,.0f} ms")


def begin(page: BrowserPage, address: str) -> None:
    """Show the large page."""
    page.goto(address)
    page.frame_locator("iframe.page").get_by_text("Item 5", exact=True).wait_for()


def time_pages(folder: Path, rounds: int) -> None:
    """Time what a hand does on a page of many elements, and opening one of many bytes."""
    (folder / "large.html").write_text(large(5_000), "utf-8")
    (folder / "heavy.html").write_text(heavy(2_000_000), "utf-8")
    with (
        workspace_of(folder, "large.html", "heavy.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        begin(page, address)
        for what, kind, mark in (("hover", "mousemove", "hover"), ("click", "click", "selection")):
            took = [page.evaluate(MARKED, [kind, mark, at]) for at in range(2, 2 + rounds)]
            show(f"{what}, page of 5,000 elements", took)
        opened = []
        for _ in range(rounds):
            begin(page, address)
            opened.append(page.evaluate(OPENED))
        show("opening, page of 2 MB", opened)


def time_inspect(folder: Path, rounds: int) -> None:
    """Time how long it takes until a page is judged and coloured, and until a hover answers."""
    took: dict[str, list[float]] = {"large": [], "heavy": [], "hover": []}
    for _ in range(rounds):
        with (
            # Judged pages are kept: each round has a studio of its own.
            workspace_of(folder, "large.html", "heavy.html", project="seen.h2x") as workspace,
            served(workspace) as address,
            browser_page() as page,
        ):
            workspace.journal.open("last", Page.from_text("", "<h1>Other</h1>"))
            page.goto(address)
            page.click("#page-3")
            page.click("#view-inspect")
            page.locator("#inspect-blocks .row", has_text="Other").wait_for()
            took["large"].append(page.evaluate(INSPECTED, 1))
            took["hover"] += [page.evaluate(EXPLAINED, at) for at in range(2, 7)]
            took["heavy"].append(page.evaluate(INSPECTED, 2))
    show("inspecting, page of 5,000 elements", took["large"])
    show("inspecting, page of 2 MB", took["heavy"])
    show("evidence on hover, page of 5,000 elements", took["hover"])


def time_list(folder: Path, rounds: int) -> None:
    """Time taking a long list, and the frames while it is scrolled."""
    (folder / "many.html").write_text(shelf(1, books=5_000), "utf-8")
    with (
        workspace_of(folder, "many.html", project="books.h2x") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        confirmed = []
        for at in range(rounds):
            frame_of(page).get_by_text(f"Book {at} of shelf 1", exact=True).click()
            page.click("#list-open")
            page.wait_for_timeout(THINKING)
            confirmed.append(page.evaluate(CONFIRMED))
            page.click("#bar-undo")
            page.locator("#fields .hint").wait_for()
            opened = workspace.page(1)
            workspace.journal.open(opened.name, opened.page, opened.number)
            page.reload()
        show("list of 5,000 records taken", [taken for taken, _ in confirmed])
        show("list of 5,000 records found", [found for _, found in confirmed])
        page.click("#bar-redo")
        page.locator("#fields", has_text="5000 records").wait_for(timeout=60_000)
        took = [page.evaluate(SCROLLED) for _ in range(rounds)]
        show("longest frame, scrolling 5,000 records", took)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    if not CHROMIUM.exists():
        print(f"{CHROMIUM} is not there; run: apt-get install chromium", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        time_pages(Path(folder), rounds)
        time_inspect(Path(folder), rounds)
        time_list(Path(folder), rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
