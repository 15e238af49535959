"""What is known of single languages, and which language's rules a text is split by.

The tables are in ``data/languages.json``: ``list_ends``, abbreviations of "and so on" in all
languages; ``titles``, those before names; ``scripts``, by language, the letters of its script,
where one language stands for all that share it, and ``same_script``, these others; ``names``,
English names of languages with their tags; and ``habits``, by language, the fields of
:class:`Habits` as words separated by spaces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from crawler.core.words import foreign, read_data

# Enough letters to know the script of a long text.
_SAMPLE_CHARS = 4000
# A text of another script has Latin names and figures in it too: this share of letters is enough.
_SCRIPT_SHARE = 0.2
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_TAG = re.compile(r"[A-Za-z]{2,3}(?=\Z|[-_])")


@dataclass(frozen=True, slots=True)
class Habits:
    """How a language writes. All words are in lower case, without the last dot."""

    never_final: frozenset[str] = frozenset()
    """Abbreviations whose dot ends no sentence, since a name or a number always follows."""
    before_number: frozenset[str] = frozenset()
    """Abbreviations whose dot ends no sentence where a digit follows."""
    abbreviations: frozenset[str] = frozenset()
    """Other abbreviations that the library sentencex does not know."""
    starters: frozenset[str] = frozenset()
    """Words that begin sentences and are no names. Behind the dot of any other abbreviation, such
    a word with a capital begins a new sentence."""
    common: frozenset[str] = frozenset()
    """Words that hardly ever have a capital but where a sentence begins: that is so without an end
    mark, too. docs/sentences.md says how they were counted."""
    openers: frozenset[str] = frozenset()
    """Those of them that are seldom part of a name or a heading."""
    list_ends: frozenset[str] = frozenset()
    """Abbreviations of "and so on"."""
    ordinals: bool = False
    """Whether a number with a dot is an ordinal and nouns have capitals ("am 2. Platz"): a capital
    then does not tell a new sentence. In other languages the small letter after "3." does."""


_tables = cache(partial(read_data, "crawler.core.sentences", "languages"))


@cache
def habits_of(language: str) -> Habits:
    """Return the habits of a primary language subtag; empty ones for an unknown language."""
    tables = _tables()
    fields = {"list_ends": tables["list_ends"], **tables["habits"].get(language, {})}
    read: dict[str, Any] = {
        name: frozenset(value.split()) if isinstance(value, str) else value
        for name, value in fields.items()
    }
    titles = frozenset(tables["titles"].split())
    return Habits(**{**read, "never_final": titles | read.get("never_final", frozenset())})


@cache
def _letters(*languages: str) -> re.Pattern[str]:
    """Return the expression of letters in a row of the scripts of some languages."""
    scripts = _tables()["scripts"]
    return re.compile(f"[{''.join(scripts[language] for language in languages)}]+")


def primary_language(language: str) -> str:
    """Return the primary subtag of a BCP 47 tag or a language's English name, in lower case.

    "ko-KR" and "Korean" are "ko". The answer is empty where ``language`` is neither.
    """
    wanted = language.strip().lower()
    if named := _tables()["names"].get(wanted):
        return str(named)
    tag = _TAG.match(wanted)
    return tag[0] if tag else ""


def guess_language(text: str) -> str:
    """Guess from the script of a text whose rules fit; "" stands for languages in Latin script.

    One language stands for all that share a script: rules that differ among them need the tag.
    """
    sample = text[:_SAMPLE_CHARS]
    if sample.isascii():
        return ""
    scripts = _tables()["scripts"]
    letters = "".join(_letters(*scripts).findall(foreign(sample)))
    if not letters:
        return ""
    counts = {name: sum(map(len, _letters(name).findall(letters))) for name in scripts}
    enough = _SCRIPT_SHARE * (sum(counts.values()) + len(_LATIN.findall(sample)))
    # Japanese writes Han too, and Korean papers quote it: the phonetic script decides.
    for language in ("ko", "ja", max(counts, key=counts.__getitem__)):
        if counts[language] >= enough:
            return language
    return ""


def language_of(text: str, declared: str | None) -> str:
    """Return the language by whose rules a page's text is split.

    The script is trusted before the declaration, since many a Korean page declares "en". Where the
    script does not decide, as among languages in Latin script, the declaration does.
    """
    guessed = guess_language(text)
    named = primary_language(declared or "")
    if not guessed or named in _tables()["same_script"].get(guessed, "").split():
        return named
    return guessed
