"""Laws of archives read file by file: how pages are split into files decides nothing."""

from __future__ import annotations

import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from support.archives import (
    harvest,
    lines_of,
    made_pages,
    one_process,
    options_for,
    write_archive,
)

if TYPE_CHECKING:
    from crawler.core.page.page import Page


@cache
def made() -> tuple[list[Page], list[bytes]]:
    """Make pages, and what one process makes of them."""
    pages = made_pages(2, 4, seed=9)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_archive(Path(folder), pages, 1)
        return pages, one_process(paths, options_for(Path(folder)))[0]


@settings(max_examples=5)
@given(st.lists(st.integers(0, 60), max_size=4))
def test_one_order_of_pages_gives_one_corpus_however_files_are_split(
    cuts: list[int],
) -> None:
    pages, lines = made()
    ends = sorted({0, len(pages), *(min(cut, len(pages)) for cut in cuts)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [
            write_archive(folder / str(start), pages[start:end], 1)[0]
            for start, end in pairwise(ends)
        ]
        harvest(paths, folder, options_for(folder))
        assert lines_of(folder) == lines
