"""End marks, what belongs to them, and what may stand before the first word of a sentence."""

# ruff: noqa: RUF001 - end marks are this module's data

from __future__ import annotations

import re

__all__ = [
    "CJK_MARKS",
    "CLOSERS",
    "DASHES",
    "HARD_MARKS",
    "LEAD",
    "QUOTES",
    "TRAIL",
    "WEBLIKE",
    "end_runs",
    "for_sentencex",
]

# Marks that end a sentence whatever stands after them in a script that writes no capitals.
CJK_MARKS = "。！？｡．።፧፨။۔।॥།༎។៕꘎᠃"
HARD_MARKS = frozenset("!?‼⁇⁈⁉؟⸮" + CJK_MARKS)
CLOSERS = "\"'”’»«“‘›‹)\\]}）］】〕」』》〉〗｣"
QUOTES = frozenset("\"'”’»«“‘›‹」』》〉｣")
DASHES = frozenset("-–—―")

_MARKS = ".…‥" + "".join(sorted(HARD_MARKS))
_REFERENCE = r"\[\d{1,3}\]"
# A run: marks, the quotation marks and brackets closed there, and references to notes.
_RUN = rf"[{_MARKS}%s](?:{_REFERENCE}|[{_MARKS}%s{CLOSERS}])*+(?:[ \xa0\u202f][»”](?!\w))?"
_RUNS = {extra: re.compile(_RUN % (extra, extra)) for extra in ("", ";\u037e", ":։")}
_EXTRA_MARKS = {"el": ";\u037e", "hy": ":։"}

_EMOJI = "\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\u20e3\U0001f000-\U0001faff"
# Faces, laughter and hearts belong to the sentence they follow.
TRAIL = re.compile(
    rf"(?:[ \t\xa0]*+(?:[{_EMOJI}]++|[:;=]-?[)(DPp]++(?![\w/])|\^[_.]?\^;*+"
    r"|[ㅋㅎㅠㅜㅡㄷㅇ]++(?!\w)|[~♡♥]++))*+"
)
LEAD = re.compile(r"[\s\"'“”„‚«»‹›‘’(\[{（［【「『《〈〖¿¡\-–—―•·▪●■◆*…._#>~=|]{0,40}+")
WEBLIKE = re.compile(
    r"://|@|\bwww\.|\.(?i:com|org|net|edu|gov|info|html?|php|pdf|js|io)\b|\.[a-z]{2}\b"
)

# sentencex takes what stands in quotation marks or brackets for one piece, and an unpaired mark
# hides the rest of the text from it: it is shown the text without them. No offset moves.
_NOTE = re.compile(_REFERENCE)
# White space but the space, which stands behind every word, and marks. One class of characters is
# looked for many times as fast as several.
_HIDDEN = re.compile(
    r"[\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    r"\"`´<>“”„‟«»‹›‘‚‛()\[\]{}（）【】「」『』《》〈〉\ud800-\udfff]"
)
_APOSTROPHE = re.compile(r"(?<!\w)['’]|['’](?!\w)")


def end_runs(language: str) -> re.Pattern[str]:
    """Return the pattern of a run of end marks, closing marks included."""
    return _RUNS[_EXTRA_MARKS.get(language, "")]


def for_sentencex(text: str) -> str:
    """Return ``text`` with quotation marks, brackets and line breaks made spaces, one for one."""
    if "[" in text:
        text = _NOTE.sub(lambda found: " " * len(found[0]), text)
    if "'" in text or "’" in text:
        text = _APOSTROPHE.sub(" ", text)
    return _HIDDEN.sub(" ", text)
