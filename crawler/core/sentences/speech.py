"""Whether a sentence goes on behind quoted speech: "…?" she asked, 「…」と言った, "…"라고 했다."""

# ruff: noqa: RUF001 - marks and words in many scripts are this module's data

from __future__ import annotations

import re

__all__ = ["goes_on_after_quote", "is_taken_up"]

# Korean particles and verbs that take up what was just said.
_QUOTING = r"이?라(?:고|며|는|면서|던|니|든지|도)(?=[\s,.]|\Z)|이?란\s"
_SAYING = r"하(?:고|며|면서|는|자)(?=[\s,.]|\Z)"
_QUOTING_KO = re.compile(_QUOTING)
_ASKING_KO = re.compile(rf"{_QUOTING}|{_SAYING}")
_AFTER_QUOTE_KO = re.compile(
    rf"{_QUOTING}|{_SAYING}|(?:고(?:는|도)?|며|는)(?=[\s,.]|\Z)|등(?:의|을|이)?\s"
)
_HANGUL = re.compile("[가-힣]")
_QUOTING_JA = re.compile(
    r"と(?![こてもにりき])|って|は(?![いじる])|が(?!ん)|を|に(?![ほし])|の(?!ち)|も(?![うしっ])|で(?![もす])"
    r"|な(?:ど|んて)|だ[とっ]|、|，"
)
_SAYS_ZH = re.compile("[^。，！？；：“”「」『』\\s]{0,10}?[说說问問道喊叫答想写寫讲講嚷骂罵]")
_TAKES_UP_ZH = re.compile("[的地得之等里裡中，、；]")
_SAYS_EN = re.compile(
    r"\s*(?:(?:Mr|Mrs|Ms|Dr)\.\s)?[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)?\s(?:said|says|asked|asks|cried|"
    r"replied|shouted|whispered|answered|added|exclaimed|muttered|wrote|called|yelled|laughed|"
    r"beams|beamed|wondered|continued|agreed|insisted|declared)\b"
)
_LOOK_AHEAD = 80
_TITLE_CLOSERS = frozenset("》〉")


def goes_on_after_quote(
    text: str, language: str, run: str, end: int, *, at_start: bool = True
) -> bool:
    """Tell whether a sentence goes on at ``end``, right behind a closing quotation mark.

    ``run`` holds the end marks and the closing marks; ``at_start`` says whether the sentence
    began with the quotation.
    """
    after = text[end : end + _LOOK_AHEAD]
    if language == "ko":
        return bool(_HANGUL.match(after) or _AFTER_QUOTE_KO.match(after.lstrip()))
    if language == "ja":
        return _QUOTING_JA.match(after) is not None
    if language == "zh":
        return _goes_on_zh(after, run, at_start=at_start)
    if language == "en":
        return at_start and _SAYS_EN.match(after) is not None
    return False


def is_taken_up(text: str, at: int, *, asked: bool) -> bool:
    """Tell whether a Korean sentence goes on at ``at`` by taking up what was just said.

    ``asked`` says that a question or an exclamation mark stands before.
    """
    return (_ASKING_KO if asked else _QUOTING_KO).match(text, at) is not None


def _goes_on_zh(after: str, run: str, *, at_start: bool) -> bool:
    if not _TITLE_CLOSERS.isdisjoint(run) or _TAKES_UP_ZH.match(after):
        return True
    asked = not frozenset("？！?!").isdisjoint(run)
    return at_start and asked and _SAYS_ZH.match(after) is not None
