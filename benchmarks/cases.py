"""Tell right from wrong on a folder of small pages, by kind of page shape.

Run it as ``python benchmarks/cases.py FOLDER [-v]``. FOLDER holds ``ID.html`` and, where other
pages of the site are known, ``ID.mates/``. What is right is said in ``cases.jsonl`` beside this
script, a case a line: ``id``, ``kind``, and any of

``has``, ``lacks``
    Strings that the text holds, in this order, and strings that it does not hold. Line breaks are
    those of the text.
``markdown``
    Strings that the Markdown holds.
``published``, ``encoding``
    The beginning of the date, and the name of the encoding.
``tables``
    Of each genuine table: ``records``, or the list of ``cells``; ``types`` of its columns.

A page with mates is judged with them and by itself. Leaves with 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.core.errors import CorpusError
from crawler.core.flow import Page
from crawler.journey.extract import judge
from crawler.settings import Options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.items import PageItem

CASES = Path(__file__).with_name("cases.jsonl")
URL = "https://mole.example/2026/11/quay-wall-cracks-again"


def main() -> int:
    """Print how many cases of each kind are right and wrong; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true", help="say what is wrong")
    args = parser.parse_args()
    right, wrong = Counter[str](), Counter[str]()
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        flaws = list(flaws_of(case, args.folder))
        (wrong if flaws else right)[case["kind"]] += 1
        if args.verbose and flaws:
            print(f"{case['id']}: {'; '.join(flaws)}")
    for kind in sorted(right | wrong):
        print(f"{kind:18} right {right[kind]:3} wrong {wrong[kind]:3}")
    print(f"{'all':18} right {right.total():3} wrong {wrong.total():3}")
    return int(bool(wrong))


def flaws_of(case: dict[str, Any], folder: Path) -> Iterator[str]:
    """Yield what is wrong with a case, by itself and with the other pages of its site."""
    mates = folder / f"{case['id']}.mates"
    options = Options(item_markdown=True)
    page = Page(case.get("url", URL), (folder / f"{case['id']}.html").read_bytes())
    for name, others in (("alone", []), ("with site", [str(mates)])):
        if others and not mates.is_dir():
            continue
        try:
            item = judge(page, options, others, print)
        except CorpusError as error:
            yield f"{name}: {error}"
            continue
        yield from (f"{name}: {flaw}" for flaw in flaws_of_item(case, item))


def flaws_of_item(case: dict[str, Any], item: PageItem) -> Iterator[str]:
    """Yield what is wrong with an item."""
    text, at = f"\n{item.text}\n", 0
    for wanted in case.get("has", ()):
        found = text.find(wanted, at)
        if found < 0:
            yield f"lacks {wanted!r}" + (" in its place" if wanted in text else "")
        else:
            at = found + len(wanted)
    yield from (f"has {given!r}" for given in case.get("lacks", ()) if given in text)
    markdown = item.markdown or ""
    yield from (f"Markdown lacks {it!r}" for it in case.get("markdown", ()) if it not in markdown)
    if not (item.published or "").startswith(case.get("published", "")):
        yield f"published {item.published}"
    if item.encoding != case.get("encoding", item.encoding):
        yield f"encoding {item.encoding}"
    if "tables" in case:
        yield from flaws_of_tables(case["tables"], item)


def flaws_of_tables(wanted: list[dict[str, Any]], item: PageItem) -> Iterator[str]:
    """Yield what is wrong with the genuine tables of an item."""
    found = [table for table in item.tables or () if table["verdict"]["is_genuine"]]
    if len(found) != len(wanted):
        yield f"{len(found)} genuine tables, not {len(wanted)}"
    for table, right in zip(found, wanted, strict=False):
        got = {
            "records": table["records"],
            "cells": table["cells"],
            "types": list(table["types"].values()),
        }
        yield from (f"{key} {got[key]}" for key in right if got[key] != right[key])


if __name__ == "__main__":
    raise SystemExit(main())
