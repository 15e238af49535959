"""What readers said of the blocks of pages, by the guide ``reading.md``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from article_labels import Labels

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Reading", "read_labels"]

_FILE = Path(__file__).with_name("article_blocks.jsonl")
_RANGE = re.compile(r"([TSMCBXEQF])(\d+)(?:-(\d+))?")
_MAIN, _COMMENTS = "MS", "Q"
# The sets of gold text disagree on boxes and on the end matter, and on headlines of lists.
_OPEN, _HEADLINES = "XE", "T"


class Reading:
    """What a reader said of a page.

    Attributes:
        kind: what kind of page it is.
        blocks: how many blocks the page had.
        classes: the class of each block that is named, by its number.
    """

    def __init__(self, line: Mapping[str, str | int]) -> None:
        self.kind, self.blocks = str(line["kind"]), int(line["blocks"])
        self.classes: dict[int, str] = {}
        for label in str(line["labels"]).split():
            found = _RANGE.fullmatch(label)
            if found is None:
                raise ValueError(f"{line['id']}: '{label}' is no label")
            first = int(found[2])
            numbers = range(first, int(found[3] or first) + 1)
            self.classes.update(dict.fromkeys(numbers, found[1]))

    def labels(self) -> Labels:
        """Return the truth by the convention of most sets of gold text.

        Main text is the classes M and S (standfirst); the headline, captions, bylines,
        another article and comments are not. Posts of a forum are main text.
        """
        wanted = _MAIN + _COMMENTS if self.kind == "forum" else _MAIN
        left_open = _OPEN + _HEADLINES if self.kind == "list" else _OPEN
        main, weights = np.zeros(self.blocks, np.bool_), np.ones(self.blocks)
        for number, name in self.classes.items():
            main[number] = name in wanted
            weights[number] = name not in left_open
        return Labels(main, weights)


def read_labels(path: Path = _FILE) -> dict[tuple[str, str], Reading]:
    """Return what readers said, by the name of the gold file and the id of the page."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {(row["set"], row["id"]): Reading(row) for row in rows}
