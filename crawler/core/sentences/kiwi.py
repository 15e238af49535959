"""Korean by the morphological model of kiwipiepy, where the extra ``korean`` is installed."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import CorpusError
from crawler.core.sentences.general import GeneralSplitter
from crawler.core.sentences.korean import final_words, not_taken_up
from crawler.core.sentences.unmarked import split_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.sentences.data import Sentence

__all__ = ["KiwiSplitter", "has_kiwi"]

# The model takes time and memory for each character: a text without end is handed over in parts.
_PART = 2000
_HANGUL = re.compile("[가-힣]")
# The general rules have judged the marks; the model is asked of words, those apart that connect.
_LAST_WORD = re.compile(r"[^\W\d_]\Z")
_CONNECTS = re.compile(r"(?:[데고며서만면가]|지마|려나)\Z")


class _Span(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class _Model(Protocol):
    """What is asked of the model."""

    def split_into_sents(self, text: str, *, return_sub_sents: bool) -> Sequence[_Span]: ...


def has_kiwi() -> bool:
    """Tell whether the Korean model is installed. Does not load it."""
    return find_spec("kiwipiepy") is not None


class KiwiSplitter:
    """End marks by the general rules; endings without a mark by the model, or by their form.

    :func:`has_kiwi` says whether it can be used. The model is loaded when it is first needed, once
    in a process.
    """

    name = "kiwi"

    def __init__(self) -> None:
        self._general = GeneralSplitter("ko")

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of ``text``."""
        return split_pieces(text, self._general.split(text), _ends)


def _ends(piece: str) -> Iterator[int]:
    return not_taken_up(piece, sorted({*final_words(piece), *_model_ends(piece)}))


def _model_ends(piece: str) -> Iterator[int]:
    """Yield where the model ends sentences within ``piece``, at white space alone."""
    for start in range(0, len(piece), _PART):
        part = piece[start : start + _PART]
        if _HANGUL.search(part) is None:
            continue
        for span in _model().split_into_sents(part, return_sub_sents=False):
            end = start + span.end
            last = piece[max(0, end - 2) : end]
            at_word = piece[end : end + 1].isspace() and _LAST_WORD.search(last)
            if at_word and not _CONNECTS.search(last):
                yield end


@cache
def _model() -> _Model:
    # Only who splits Korean pays for it.
    from kiwipiepy import Kiwi  # noqa: PLC0415 - as said above

    try:
        model: _Model = Kiwi(num_workers=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise CorpusError(
            f"the Korean model cannot be loaded ({error}); install kiwipiepy anew, or uninstall it "
            "to split by rule"
        ) from error
    return model
