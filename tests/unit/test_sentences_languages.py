"""Whose rules a page's text is split by."""

from __future__ import annotations

import pytest

from crawler.core.sentences import language_of


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("비가 온다. 그래서 걸었다.", "en", "ko"),
        ("비가 온다.", None, "ko"),
        ("Es regnet.", "de-AT", "de"),
        ("Es regnet.", None, ""),
        ("It rains.", "ko", "ko"),
        ("Дощ іде.", "uk", "uk"),
        ("Дощ іде.", "en", "ru"),
        ("باران می‌آید.", "fa-IR", "fa"),
        ("Βρέχει.", "el", "el"),
        ("雨が降る。", "zh", "ja"),
        ("", "pl", "pl"),
        ("12 34", "x", ""),
    ],
)
def test_the_script_goes_before_the_declaration(
    text: str, declared: str | None, language: str
) -> None:
    assert language_of(text, declared) == language
