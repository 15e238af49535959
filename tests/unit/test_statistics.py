"""The registry of statistics, a page of the docs, lists what the code counts."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from crawler.journey.statistics import by_reason, number, reasons

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "statistics.md").read_text("utf-8")
NAMES = re.findall(r"^\| `(corpus/[^`]+)` \| .+ \|$", PAGE, re.MULTILINE)
NAME = re.compile(r"corpus/[a-z_*/-]*")


@cache
def literals() -> set[str]:
    """Return the names in the code, with ``*`` for what is put in."""
    found: set[str] = set()
    for path in sorted((ROOT / "crawler").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (
                    part.value if isinstance(part, ast.Constant) else "*" for part in node.values
                )
                text = "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            else:
                continue
            if NAME.fullmatch(text) and text not in {"corpus/", "corpus/*"}:
                found.add(text)
    return found


def pattern(name: str) -> re.Pattern[str]:
    """Return what a registered name matches: ``<reason>`` stands for any text."""
    return re.compile("[^ ]+".join(map(re.escape, re.split(r"<\w+>", name))))


def fits(literal: str, name: str) -> bool:
    if literal.endswith("/"):
        return name.startswith(literal)
    used = re.compile(".+".join(map(re.escape, literal.split("*"))))
    return bool(used.fullmatch(name) or pattern(name).fullmatch(literal))


def test_the_code_uses_registered_names_alone() -> None:
    unknown = {text for text in literals() if not any(fits(text, name) for name in NAMES)}
    assert unknown == set()


def test_each_registered_name_is_used() -> None:
    assert [name for name in NAMES if not any(fits(text, name) for text in literals())] == []


def test_the_docs_name_registered_statistics_alone() -> None:
    for path in sorted((ROOT / "docs").glob("*.md")):
        for text in re.findall(r"`(corpus/[^`]+)`", path.read_text("utf-8")):
            name = text.removesuffix("…")
            assert any(fits(name, known) or known == name for known in NAMES), (path.name, text)


def test_statistics_are_read_by_name_and_prefix() -> None:
    stats = {"corpus/cut/depth": 2, "corpus/cut/query": 1500, "corpus/cut/none": 0, "other": 1}
    assert reasons(stats, "corpus/cut/") == {"depth": 2, "query": 1500}
    assert by_reason(stats, "corpus/cut/") == "1,502 (query 1,500, depth 2)"
    assert by_reason(stats, "corpus/failed/") == ""
    assert (number(stats, "corpus/cut/depth"), number(stats, "missing")) == (2, 0)
