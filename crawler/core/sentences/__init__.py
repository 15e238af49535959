"""Sentences as data: where they begin and end in a text, by the rules of its language.

``split(text, "ko-KR")`` returns the sentences with their offsets. ``splitter_for`` returns the
splitter behind it, to be used on many texts of a language. ``ended_sentences`` is the narrower
sentence of Lee (2009), which the faithful text methods need.
"""

from __future__ import annotations

from functools import partial

from crawler.core.errors import UnknownMethodError
from crawler.core.sentences.english_korean import split_english, split_korean
from crawler.core.sentences.languages import guess_language, primary_language
from crawler.core.sentences.rules import split_by_marks, split_by_sentencex
from crawler.core.sentences.sentence import Sentence, Splitter, has_kiwi, split_as_paper
from crawler.core.sentences.sentence import ended_sentences as ended_sentences

DEFAULT_SPLITTING = "default"


def splitting_names() -> tuple[str, ...]:
    """Return the names of the ways to split.

    ``default`` uses the Korean model if it is installed, and rules for all else; ``rule`` never
    uses the model; ``kiwi`` requires it; ``sentencex`` is the library alone; ``paper`` is the rule
    of Lee (2009).
    """
    return (DEFAULT_SPLITTING, "rule", "kiwi", "sentencex", "paper")


def split(text: str, language: str | None = None) -> tuple[Sentence, ...]:
    """Return the sentences of ``text`` in order.

    They do not overlap, they leave out nothing but white space, and each ``text`` is
    ``source[start:end]``.

    Args:
        text: any text; a line break in it ends a sentence unless the sentence clearly goes on.
        language: a BCP 47 tag such as ``ko-KR``, or a language's English name. None guesses from
            the script of the text, which tells Korean, Japanese, Chinese, Greek, … but not German
            from French: give the tag where you know it.
    """
    known = primary_language(language) if language else ""
    return splitter_for(known or guess_language(text)).split(text)


def splitter_for(language: str, method: str = DEFAULT_SPLITTING) -> Splitter:
    """Return the splitter for a language.

    Args:
        language: a BCP 47 tag, or a language's English name; "" and unknown names take the rules
            common to languages in Latin script.
        method: one of :func:`splitting_names`.

    Raises:
        UnknownMethodError: there is no such method, or it needs the Korean model and that is not
            installed.
    """
    if method not in splitting_names():
        raise UnknownMethodError(
            f"no way to split sentences is called {method!r}; "
            f"use one of: {', '.join(splitting_names())}"
        )
    language = primary_language(language)
    if method == "paper":
        return Splitter("paper", split_as_paper)
    if method == "sentencex":
        return Splitter("sentencex", partial(split_by_sentencex, language=language))
    if method == "kiwi" and not has_kiwi():
        raise UnknownMethodError(
            "the splitter 'kiwi' needs the Korean model: pip install 'scrapy-corpus[korean]'"
        )
    if language == "ko":
        by_model = method != "rule" and has_kiwi()
        return Splitter("kiwi" if by_model else "rule", partial(split_korean, by_model=by_model))
    by_rule = split_english if language == "en" else partial(split_by_marks, language=language)
    return Splitter("rule", by_rule)
