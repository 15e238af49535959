"""A job that has no memory for a page fails as a whole, and is done when there is more."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from crawler.core.methods import Label
from support.archives import harvest, lines_of, made_pages, one_process, options_for, write_archive

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crawler.core.flow import Document, SiteView


class Hungry:
    """A text method that has memory for some pages, and then for none."""

    name = "hungry"
    pages: ClassVar[list[int]] = [0]

    def label(self, document: Document, view: SiteView) -> Sequence[Label]:
        """Keep all blocks."""
        if not self.pages[0]:
            raise RuntimeError("the method cannot go on") from MemoryError()
        self.pages[0] -= 1
        return [Label(kept=True, reason="all", frequency=view.pages) for _ in document.blocks]


def test_items_that_there_was_no_memory_for_are_made_next_time(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(1, 5), 1)
    options = options_for(tmp_path, TEXT_METHOD=f"{__name__}:Hungry")
    Hungry.pages[0] = 3
    summary = harvest(paths, tmp_path, options)
    assert not summary.is_complete
    assert any("MemoryError" in line for line in summary.failed)
    assert summary.as_json()["lost"] == 0
    Hungry.pages[0] = 1_000_000
    assert harvest(paths, tmp_path, options).is_complete
    assert lines_of(tmp_path) == one_process(paths, options)[0]
