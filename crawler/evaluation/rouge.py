"""The tokens of ROUGE-5 as the benchmark WebMainBench has it.

They are those of the package jieba: words of Han characters, of a to z and of digits, and all other
characters one by one: spaces, marks, letters of other scripts. The measure is the F1 of the runs
of five tokens of a page, and its mean over pages (Dripper: Token-Efficient Main HTML Extraction
with a Lightweight LM, 2025). Without jieba each Han character is a token, and all else is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

# Runs in which jieba looks for words; each other character is a token.
_RUN: Final = re.compile(r"[\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+|\r\n|[\s\S]")
_HAN: Final = re.compile(r"[\u4e00-\u9fd5]")
_TOKEN: Final = re.compile(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[+#&._%-]+|\r\n|[\s\S]")


def tokens(text: str) -> list[str]:
    """Return the tokens of a text.

    >>> tokens("It is 3.5% of café")
    ['It', ' ', 'is', ' ', '3.5%', ' ', 'of', ' ', 'caf', 'é']
    """
    found: list[str] = []
    cut = _cut()
    for run in _RUN.findall(text):
        found += (cut if _HAN.search(run) else _TOKEN.findall)(run)
    return found


@cache
def _cut() -> Callable[[str], list[str]]:
    """Return what cuts runs of Han characters."""
    if find_spec("jieba") is None:
        return _TOKEN.findall
    jieba = import_module("jieba")
    jieba.setLogLevel("ERROR")
    cut: Callable[[str], list[str]] = jieba.lcut
    return cut
