"""Which language's rules a text is split by: from a tag, a language's name, or its script."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["guess_language", "language_of", "primary_language"]

# Enough letters to tell, however long the text is.
_SAMPLE = 4000
_KANA, _HAN, _HANGUL = "ja", "zh", "ko"
# A text of these scripts holds Latin names and figures too: a share of its letters is enough.
_ENOUGH = 0.2
_LETTERS: Mapping[str, str] = MappingProxyType(
    {
        _HANGUL: "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
        _KANA: "\u3041-\u3096\u30a1-\u30fa\u30fc\uff66-\uff9d",
        _HAN: "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
        "ru": "\u0400-\u052f",
        "el": "\u0370-\u03ff\u1f00-\u1fff",
        "ar": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
        "he": "\u0590-\u05ff",
        "hi": "\u0900-\u097f",
        "bn": "\u0980-\u09ff",
        "pa": "\u0a00-\u0a7f",
        "ta": "\u0b80-\u0bff",
        "te": "\u0c00-\u0c7f",
        "th": "\u0e00-\u0e7f",
        "lo": "\u0e80-\u0eff",
        "bo": "\u0f00-\u0fff",
        "my": "\u1000-\u109f",
        "ka": "\u10a0-\u10ff\u1c90-\u1cbf",
        "am": "\u1200-\u139f",
        "km": "\u1780-\u17ff",
        "hy": "\u0530-\u058f",
    }
)
_SCRIPTS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {language: re.compile(f"[{letters}]") for language, letters in _LETTERS.items()}
)
_ANY_SCRIPT = re.compile(f"[{''.join(_LETTERS.values())}]+")
# What a guess by script may turn out to be: languages that write as the one that stands for them.
_ALIKE: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ru": frozenset(("be", "bg", "kk", "mk", "sr", "uk")),
        "ar": frozenset(("fa", "ur")),
        "hi": frozenset(("mr", "ne")),
    }
)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_TAG = re.compile(r"[A-Za-z]{2,3}(?=\Z|[-_])")

_NAMES = (
    "albanian sq|amharic am|arabic ar|armenian hy|azerbaijani az|basque eu|belarusian be|bengali bn"
    "|bosnian bs|bulgarian bg|burmese my|catalan ca|chinese zh|croatian hr|czech cs|danish da"
    "|deutsch de|dutch nl|english en|estonian et|farsi fa|finnish fi|french fr|galician gl"
    "|georgian ka|german de|greek el|gujarati gu|hebrew he|hindi hi|hungarian hu|icelandic is"
    "|indonesian id|irish ga|italian it|japanese ja|kazakh kk|khmer km|korean ko|lao lo|latin la"
    "|latvian lv|lithuanian lt|macedonian mk|malay ms|marathi mr|nepali ne|norwegian no|persian fa"
    "|polish pl|portuguese pt|punjabi pa|romanian ro|russian ru|serbian sr|slovak sk|slovenian sl"
    "|spanish es|swedish sv|tamil ta|telugu te|thai th|tibetan bo|turkish tr|ukrainian uk|urdu ur"
    "|vietnamese vi|welsh cy"
)
_BY_NAME: Mapping[str, str] = MappingProxyType(dict(pair.split(" ") for pair in _NAMES.split("|")))


def primary_language(language: str) -> str:
    """Return the primary subtag of a BCP 47 tag or a language's English name, in lower case.

    "ko-KR" and "Korean" are "ko". The answer is empty where ``language`` is neither.
    """
    wanted = language.strip().lower()
    if wanted in _BY_NAME:
        return _BY_NAME[wanted]
    tag = _TAG.match(wanted)
    return tag[0] if tag else ""


def guess_language(text: str) -> str:
    """Guess by script whose rules fit the text's beginning; "" is a language of Latin script.

    One language stands for all that share a script: the rules that differ among them need the tag.
    """
    sample = text[:_SAMPLE]
    if sample.isascii():
        return ""
    told = "".join(_ANY_SCRIPT.findall(sample))
    if not told:
        return ""
    counts = {language: len(letter.findall(told)) for language, letter in _SCRIPTS.items()}
    total = sum(counts.values()) + len(_LATIN.findall(sample))
    if not total:
        return ""
    # Japanese writes Han too, and Korean papers quote it: the phonetic script tells.
    for language in (_HANGUL, _KANA):
        if counts[language] >= _ENOUGH * total:
            return language
    language = max(counts, key=lambda name: counts[name])
    return language if counts[language] >= _ENOUGH * total else ""


def language_of(text: str, declared: str | None) -> str:
    """Return whose rules a page's text is split by, where the page declares its language.

    The script goes before the declaration: many a Korean page says "en". Where the script does not
    tell, as among languages of Latin letters, the declaration does.
    """
    guessed = guess_language(text)
    named = primary_language(declared or "")
    return named if not guessed or named in _ALIKE.get(guessed, ()) else guessed
