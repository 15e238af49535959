from __future__ import annotations

import json
import re

import pytest

from support.crawling import ROOT

STATIC = ROOT / "crawler" / "studio" / "static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
STRINGS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (STATIC / "strings").glob("*.json")
}


def test_each_language_has_every_string() -> None:
    assert sorted(STRINGS) == ["en", "ko"]
    assert list(STRINGS["en"]) == list(STRINGS["ko"])
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
