from __future__ import annotations

import ast
import json
import re

import pytest

from crawler.core.wrapper import output
from support.crawling import ROOT

STATIC = ROOT / "crawler" / "studio" / "static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
STRINGS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (STATIC / "strings").glob("*.json")
}


def test_each_language_has_every_string() -> None:
    assert sorted(STRINGS) == ["en", "ko"]
    # What the engine says, it says in English itself.
    own = [key for key in STRINGS["ko"] if not key.startswith("wrong.")]
    assert list(STRINGS["en"]) == own
    for key, text in STRINGS["en"].items():
        places = set(re.findall(r"\{\d\}", text))
        assert set(re.findall(r"\{\d\}", STRINGS["ko"][key])) == places, key


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_each_string_that_is_shown_is_there(path: object) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined] # a path
    used = set(re.findall(r'\bt\("([^"]+)"', text))
    assert used <= set(STRINGS["en"]), used - set(STRINGS["en"])
    assert "innerHTML" not in text
    assert "insertAdjacentHTML" not in text


def test_steps_of_the_history_have_words() -> None:
    sources = "".join(path.read_text("utf-8") for path in (STATIC.parent).glob("*.py"))
    used = set(re.findall(r'"(step\.[a-z.]+)"', sources))
    assert used <= set(STRINGS["en"])


def kinds() -> dict[str, int]:
    """Return the kinds of errors in the sources, each with the number of its data."""
    found: dict[str, int] = {}
    for path in (ROOT / "crawler").rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if ".about(" in text else ():
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "about":
                first = node.args[0]
                words = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
                data = len(node.args) - 1
                found |= {str(its.value): data for its in words if isinstance(its, ast.Constant)}
    return found


def test_errors_that_a_window_meets_have_words_in_other_languages() -> None:
    known = kinds()
    assert known["element-name"] == 2
    # The reasons of problems, and of pages that cannot be read: their data are the engine's.
    reasons = {
        output.NO_FIT, output.MISSING, output.WRONG_TYPE, output.INCOMPLETE, output.NOT_IN_SCHEMA,
        output.TOO_MANY,
    }  # fmt: skip
    said = {key.removeprefix("wrong.") for key in STRINGS["ko"] if key.startswith("wrong.")}
    assert {its for its in said - reasons if not its.startswith("page-")} <= set(known)
    assert {its for its in known if not its.startswith("page-")} <= said
    for kind in said & set(known):
        places = set(re.findall(r"\{(\d)\}", STRINGS["ko"][f"wrong.{kind}"]))
        assert places <= set(map(str, range(known[kind]))), kind
