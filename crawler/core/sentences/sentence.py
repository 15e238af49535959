"""Sentences, the rule of Lee (2009), and the libraries sentencex and kiwipiepy (for Korean)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from sentencex import get_sentence_boundaries

from crawler.core.errors import CorpusError
from crawler.core.hot_loops import cut
from crawler.core.patterns import compiled_later

# Of a run of marks the last one ends the sentence: white space or the end of the text follows it.
_PAPER_END = compiled_later(r"[.?!](?=\s|\Z)")
# JSON may hold halves of surrogate pairs, which sentencex cannot read. It also fails on a space of
# several bytes (no-break, line separator) before an initial.
_UNREADABLE = compiled_later(r"[^\S\n ]|[\ud800-\udfff]")
_PLAIN_END = compiled_later(r"[.!?]\s+")
# The time and memory of the model grow with each text: a long text is passed in parts.
_PART_CHARS = 2000
MODEL_CHARS: Final = 15_000
"""How many characters of a text, or of a page's blocks, are split by the Korean model at most.

The model takes 16 µs for a character of ordinary text, and 100 µs for one of the worst.
"""
_HANGUL = compiled_later("[가-힣]")
# The model is not asked where no word can end, nor about runs of syllables without a space that are
# longer than Korean is written.
_WORD_END = compiled_later(r"[^\W\d_]\s")
_UNBROKEN = compiled_later("[가-힣]{100}")
# The rules judge the marks. The model is asked for words, but not for those that connect clauses.
_LAST_WORD = compiled_later(r"[^\W\d_]\Z")
_CONNECTS = compiled_later(r"(?:[데고며서만면가]|지마|려나)\Z")


class Sentence(NamedTuple):
    """A sentence and its place: ``text == source[start:end]``, counted in code points.

    It neither begins nor ends with white space.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Splitter:
    """A way to split texts of one language into sentences.

    ``name``
        What reports call the splitter.
    ``split_all``
        Returns the sentences of each of some texts in order. They do not overlap and leave out
        nothing but white space. Many texts in one call take less time than one by one. The function
        is pure: it may be called in any order and in several threads.
    """

    name: str
    split_all: Callable[[Sequence[str]], list[tuple[Sentence, ...]]]

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of one text."""
        return self.split_all((text,))[0]


def sentences_between(text: str, ends: Iterable[int]) -> tuple[Sentence, ...]:
    """Cut ``text`` at ascending offsets; drop white space around the pieces, and empty pieces."""
    return cut(Sentence, text, ends)


def ended_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text node by the rule of Lee (2009), and nothing else.

    A sentence is text ended by ``.``, ``?`` or ``!`` where the mark is followed by a space, a line
    break or a tag. The end of ``text`` counts as a tag, so pass the text between two tags. Text
    behind the last such mark is no sentence in the paper's sense, and is left out.
    """
    ends = [mark.end() for mark in _PAPER_END.finditer(text)]
    return sentences_between(text[: ends[-1]], ends) if ends else ()


def split_as_paper(texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
    """Return the sentences of texts by the paper's rule, and the rests as their last sentences."""
    return [
        sentences_between(text, (mark.end() for mark in _PAPER_END.finditer(text)))
        for text in texts
    ]


def sentencex_ends(text: str, language: str) -> list[int]:
    """Return the offsets at which sentencex ends sentences, ascending."""
    return readable_ends(_UNREADABLE.sub(" ", text), language)


def readable_ends(text: str, language: str) -> list[int]:
    """Return these offsets in a text that has nothing which sentencex cannot read."""
    try:
        return [boundary["end_index"] for boundary in get_sentence_boundaries(language, text)]
    except BaseException as error:  # a failing library must not end a crawl
        # The class has no importable name. The library has written its failure to standard error.
        if type(error).__name__ != "PanicException":
            raise
        return [*(end.end() for end in _PLAIN_END.finditer(text)), len(text)]


@lru_cache(maxsize=4096)
def is_abbreviation(word: str, language: str) -> bool:
    """Tell whether sentencex ends no sentence behind ``word`` and a dot."""
    return len(sentencex_ends(f"Also {word}. However not.", language)) == 1


@lru_cache(maxsize=1 << 13)
def ends_behind(word: str, language: str) -> bool:
    """Tell whether sentencex ends a sentence behind ``word`` and a dot, whatever word follows.

    Behind an abbreviation it ends one where the next word is one that begins sentences.

    Args:
        word: a word of letters of ASCII alone.
        language: primary subtag of a BCP 47 tag.
    """
    # What follows begins no sentences in any language, as most names.
    return len(readable_ends(f"Also {word}. Quiblo not.", language)) > 1


@cache
def has_kiwi() -> bool:
    """Tell whether the Korean model is installed. Does not load it."""
    return find_spec("kiwipiepy") is not None


def kiwi_ends(text: str) -> Iterator[int]:
    """Yield where the Korean model ends sentences behind a word, at white space only.

    The model is loaded at the first call, once in a process.

    Raises:
        CorpusError: the model cannot be loaded.
    """
    for start in range(0, len(text), _PART_CHARS):
        part = text[start : start + _PART_CHARS]
        # A part may end at the end of a word.
        if (
            _HANGUL.search(part) is None
            or _WORD_END.search(text, start, start + _PART_CHARS + 1) is None
            or _UNBROKEN.search(part) is not None
        ):
            continue
        for span in _model().split_into_sents(part, return_sub_sents=False):
            end = start + span.end
            last = text[max(0, end - 2) : end]
            at_word = text[end : end + 1].isspace() and _LAST_WORD.search(last)
            if at_word and not _CONNECTS.search(last):
                yield end


@cache
def _model() -> Any:  # noqa: ANN401 - the library has no types
    # Importing it takes time, and only Korean text needs it.
    from kiwipiepy import Kiwi  # noqa: PLC0415 - as said above

    try:
        return Kiwi(num_workers=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise CorpusError(
            f"the Korean model cannot be loaded ({error}); install kiwipiepy again, or uninstall "
            "it to split by rule"
        ) from error
