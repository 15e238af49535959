"""Sentences as data: where they stand in a text, by the rules of its language.

``split(text, "ko-KR")`` returns the sentences with their offsets. ``splitter_for`` returns the
splitter behind it, to be used on many texts of a language. ``ended_sentences`` is the narrower
sentence of Lee (2009), which the faithful text methods need.
"""

from __future__ import annotations

from functools import cache

from crawler.core.errors import UnknownMethodError
from crawler.core.sentences.data import Sentence, Splitter
from crawler.core.sentences.english import EnglishSplitter
from crawler.core.sentences.general import GeneralSplitter, SentencexSplitter
from crawler.core.sentences.kiwi import KiwiSplitter, has_kiwi
from crawler.core.sentences.korean import KoreanSplitter
from crawler.core.sentences.paper import PaperSplitter, ended_sentences
from crawler.core.sentences.scripts import guess_language, language_of, primary_language

__all__ = [
    "DEFAULT_SPLITTING",
    "Sentence",
    "Splitter",
    "ended_sentences",
    "guess_language",
    "language_of",
    "primary_language",
    "split",
    "splitter_for",
    "splitting_names",
]

DEFAULT_SPLITTING = "default"
_ENGLISH, _KOREAN = "en", "ko"


def splitting_names() -> tuple[str, ...]:
    """Return the names of the ways to split.

    ``default`` takes the Korean model where it is installed and the rules elsewhere; ``rule`` never
    takes the model; ``kiwi`` insists on it for Korean; ``sentencex`` is the bare library; ``paper``
    is the rule of Lee (2009).
    """
    return (DEFAULT_SPLITTING, "rule", "kiwi", "sentencex", "paper")


def split(text: str, language: str | None = None) -> tuple[Sentence, ...]:
    """Return the sentences of ``text`` in order.

    They do not overlap, they leave out nothing but white space, and each ``text`` is
    ``source[start:end]``.

    Args:
        text: any text; a line break in it ends a sentence unless the sentence clearly goes on.
        language: a BCP 47 tag such as ``ko-KR``, or a language's English name. None guesses by the
            text's script, which tells Korean, Japanese, Chinese, Greek, … but not German from
            French: give the tag where you know it.
    """
    known = primary_language(language) if language else ""
    return splitter_for(known or guess_language(text)).split(text)


def splitter_for(language: str, method: str = DEFAULT_SPLITTING) -> Splitter:
    """Return the splitter for a language.

    Args:
        language: a BCP 47 tag, or a language's English name; "" or what is neither takes the rules
            common to languages of Latin script.
        method: one of :func:`splitting_names`.

    Raises:
        UnknownMethodError: there is no way to split of that name, or it needs the Korean model and
            that is not installed.
    """
    if method not in splitting_names():
        raise UnknownMethodError(
            f"no way to split sentences is called {method!r}; "
            f"use one of: {', '.join(splitting_names())}"
        )
    return _splitter(primary_language(language), method)


@cache
def _splitter(language: str, method: str) -> Splitter:
    if method == "paper":
        return PaperSplitter()
    if method == "sentencex":
        return SentencexSplitter(language)
    if method == "kiwi" and not has_kiwi():
        raise UnknownMethodError(
            "the splitter 'kiwi' needs the Korean model: pip install 'scrapy-corpus[korean]'"
        )
    if language == _ENGLISH:
        return EnglishSplitter()
    if language != _KOREAN:
        return GeneralSplitter(language)
    return KiwiSplitter() if method != "rule" and has_kiwi() else KoreanSplitter()
