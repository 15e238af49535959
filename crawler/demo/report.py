"""What the demo prints: figures, pages before and after, the most frequent dropped blocks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.markup import escape
from rich.text import Text

from crawler.demo.pages import MISLABELLED_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from crawler.items import PageItem

__all__ = ["SHOWN", "report"]

SHOWN: Final = (
    ("/news/nature/reading-the-tide", "A news article"),
    (MISLABELLED_PATH, "A blog post laid out with tables, in EUC-KR behind a UTF-8 header"),
    ("/archive/ink.htm", "A page of font tags and line breaks"),
)
"""Paths of the pages shown before and after, and what they are."""

# Headers stand at the top and footers at the bottom, so both ends of a page are shown.
_FIRST_LINES: Final = 12
_LAST_LINES: Final = 4
_TEXT_LINES: Final = 4
_TOP_DROPPED: Final = 8
_LABEL_WIDTH: Final = 22
_INDENT: Final = "    "


def report(
    console: Console,
    items: Sequence[PageItem],
    stats: Mapping[str, Any],
    *,
    base: str,
    output: str,
) -> None:
    """Print what a crawl of the demo site gave.

    Args:
        console: Where to print; without a terminal or under ``NO_COLOR`` it prints plain text.
        items: The items exported, with their ``blocks``.
        stats: Scrapy's stats of the crawl.
        base: Address of the site without a closing slash.
        output: The file the items were written to, as the user named it.

    """
    _figures(console, items, stats, base)
    by_url = {item.url: item for item in items}
    for path, what in SHOWN:
        item = by_url.get(base + path)
        if item is not None and item.blocks is not None:
            _before_and_after(console, item, item.blocks, what)
    _top_dropped(console, stats)
    _next_steps(console, items, output)


def _figures(
    console: Console, items: Sequence[PageItem], stats: Mapping[str, Any], base: str
) -> None:
    _heading(console, "A made-up site, served and crawled on this machine")
    prefix = "corpus/skipped/"
    skipped = {
        name.removeprefix(prefix): count
        for name, count in sorted(stats.items())
        if name.startswith(prefix)
    }
    repeats = sum(item.near_duplicate_of is not None for item in items)
    rows: list[tuple[str, object, str]] = [
        ("answers received", stats.get("response_received_count", 0), f"from {base}/"),
        ("pages exported", len(items), f"{repeats} of them marked as repeating another page"),
        (
            "pages skipped",
            stats.get("corpus/pages/skipped", 0),
            ", ".join(f"{reason}: {count}" for reason, count in skipped.items()),
        ),
        ("blocks kept", stats.get("corpus/blocks/kept", 0), "text that is a page's own"),
        ("blocks dropped", stats.get("corpus/blocks/dropped", 0), "seen on other pages, or links"),
    ]
    for name, figure, remark in rows:
        console.print(f"  {figure:>5} {name:<17} [dim]{escape(remark)}[/dim]", soft_wrap=True)


def _before_and_after(
    console: Console, item: PageItem, blocks: Sequence[Mapping[str, Any]], what: str
) -> None:
    _heading(console, what)
    console.print(f"  {item.url}\n", style="cyan", markup=False, soft_wrap=True)
    console.print("  Before: each line of the page, with what became of it")
    lines = [_block_line(block, console.width) for block in blocks]
    hidden = len(lines) - _FIRST_LINES - _LAST_LINES
    if hidden > 1:
        between = Text(f"    {'':{_LABEL_WIDTH}}  ({hidden} more lines)", style="dim")
        lines = [*lines[:_FIRST_LINES], between, *lines[-_LAST_LINES:]]
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    console.print("\n  After: the text that was exported")
    _exported_text(console, item.text.splitlines())


def _exported_text(console: Console, lines: Sequence[str]) -> None:
    if not lines:
        console.print("    [dim](empty: no line of the page is its own)[/dim]")
    for line in lines[:_TEXT_LINES]:
        for row in Text(line).wrap(console, max(console.width - len(_INDENT), _LABEL_WIDTH)):
            row.rstrip()
            console.print(Text(_INDENT) + row, no_wrap=True, overflow="ignore", crop=False)
    if len(lines) > _TEXT_LINES:
        console.print(f"{_INDENT}[dim]({len(lines) - _TEXT_LINES} more lines)[/dim]")


def _block_line(block: Mapping[str, Any], width: int) -> Text:
    if block["kept"]:
        mark, label, style = "+", "kept", "green"
    else:
        mark, style = "-", "dim"
        label = f"dropped, {block['reason']}"
        if block["reason"] == "frequent":
            label = f"dropped, on {block['frequency']} pages"
    line = Text(f"  {mark} {label:<{_LABEL_WIDTH}}  {' '.join(block['text'].split())}", style=style)
    line.truncate(max(width, 2 * _LABEL_WIDTH), overflow="ellipsis")
    return line


def _top_dropped(console: Console, stats: Mapping[str, Any]) -> None:
    top = stats.get("corpus/top_dropped", [])[:_TOP_DROPPED]
    if not top:
        return
    _heading(console, "Dropped most often")
    for entry in top:
        line = Text(f"  {entry['pages']:>5} pages  {' '.join(entry['text'].split())}")
        line.truncate(max(console.width, 2 * _LABEL_WIDTH), overflow="ellipsis")
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _next_steps(console: Console, items: Sequence[PageItem], output: str) -> None:
    _heading(console, "Where it is, and what to try next")
    path = Path(output).resolve()
    steps = (
        ("the pages, one row each", str(path)),
        ("why a line was dropped", "scrapy extract --explain URL-OR-FILE"),
        ("browse the demo site", "scrapy demo --keep-serving"),
        ("a site of your choice", "scrapy crawl site -a url=https://blog.example/ -O pages.jsonl"),
        ("in a project of yours", 'ADDONS = {"crawler.addon.CorpusAddon": 500}'),
    )
    for what, how in steps:
        console.print(f"  {what:<24} [bold]{escape(how)}[/bold]", soft_wrap=True)
    console.print(f"  [dim]{len(items)} pages, working files removed[/dim]")


def _heading(console: Console, text: str) -> None:
    console.print(f"\n[bold]{escape(text)}[/bold]", soft_wrap=True)
