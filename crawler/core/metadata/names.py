"""Names of authors: bylines, and the names in the texts that pages give as authors."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from crawler.core.hot_loops import Stems
from crawler.core.metadata.dates import find_dates, is_month
from crawler.core.page.text import DENSE
from crawler.core.patterns import compiled_later
from crawler.core.words import (
    any_of,
    fold_letters,
    fold_name,
    fold_word,
    read_data,
)

_MAX_NAMES = 30
_RAW_CHARS = 400
_NAME_CHARS = 80
_NAME_WORDS = 7
_TAG = compiled_later(r"<[^<>]{0,300}>")
_EMAIL = compiled_later(
    r"[(<\[]?[^\s@<>()\[\]]{1,64}@[^\s@<>()\[\]]{1,64}\.[^\s@<>()\[\]]{2,24}[)>\]]?"
)
_ADDRESS = compiled_later(r"https?://|www\.|\.(?:com|org|net|html?|php)/", re.IGNORECASE)
# What follows these is no name.
_CUT = compiled_later(r"\s[|•·●]\s?|\s[\u2013\u2014]\s|\s-\s|[|•·●\n\t]|\s\u2013\s?")
_SPLIT = compiled_later(r"\s?[,;、،\uff1b\uff0c]\s?|\s/\s|\s?・\s?(?=[^\u30a0-\u30ff])")
_PARENTHESES = compiled_later(r"\s?[(\[\uff08【][^()\[\]\uff08\uff09【】]{0,60}[)\]\uff09】]")
_KOREAN_ROLE = compiled_later(
    r"(?<=[가-힣])\s?(?:[가-힣]{0,4}(?:기자|특파원|위원|앵커|에디터|칼럼니스트|객원기자|인턴기자))\s?=?$"
)
_CJK_ROLE = compiled_later(
    r"^(?:本报记者|记者|記者|責任編輯|责任编辑|编辑)[::\s]*|[::]?(?:記者|记者|编辑|報道)$"
)
_COUNT = compiled_later(r"(?:^|\s)[+\d][\d,.k]*(?:\smore)?$")
_WEEKDAY = r"[\s,]++(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?"
# Words before a date: "A on Friday", "A am Montag".
_LEADING = compiled_later(
    # What is found is found at the first of a run of marks.
    rf"(?:(?:\s(?:on|am|at|vom|le|el|il|op|den|dnia|last|first|was|in)|(?<![\s,:]))(?:{_WEEKDAY})?"
    rf"|(?<=:){_WEEKDAY})[\s,:]*+$",
    re.IGNORECASE,
)
_TWO = 2
_DEGREE_CHARS = 6
_EDGES = " \t\u2192\u2190\u203a\u2039.,:;-\u2013\u2014|/*\"'“”„«»·•_()[]"
_LETTER = compiled_later(r"[^\W\d_]")
_BEFORE_BY = " \t\r\n\f\v\xa0-\u2013\u2014|/\u2022\u00b7"
# Credits of others than authors, at the beginning of a text or after white space or a mark.
_OTHERS = compiled_later(
    r"(?:^|[\s.|/·,;()\[]\s?)(?:(?:with )?photo(?:graph(?:s|y)?|s)?|illustrat(?:ions?|ed)|graphics?"
    r"|translat(?:ed|ion)|(?:medically |expert )?reviewed|fact[- ]?checked|edited|videos?"
    r"|fotos?|bilder?)\s?(?:by\s|von\s|[:\uff1a])"
    r"|(?:^|[\s|/·,]\s?)(?:写真|撮影|編集|사진|그래픽|영상|편집|来源|來源|摄影|责任?编辑?)(?:\s|[・·:\uff1a=\uff1d|])",
    re.IGNORECASE,
)
# Between the credits of one person: "Text und Fotos", "文・写真".
_AND_CREDIT = r"\s?(?:[・·ㆍ/\uff0f&\uff06+と]|(?<=\s)(?:and|und|y|e|et|en|og|och|i|и)(?=\s))\s?"
# "King, Jr." is one name.
_YOUNGER = compiled_later(r",\s?(?=(?:jr|sr|ii|iii|iv)\b)", re.IGNORECASE)
_PLACE = compiled_later(r"\s(?:in|for\s[Tt]he)\s(?=[A-Z])")
_PERSON_WORDS = range(2, 5)
# Two to four words with capitals, and at most a small one before the last, up to a mark or the end.
_CAPITAL = r"[^\W\d_a-z\u00df-\u00ff\u0430-\u045f\u03ac-\u03ce][^\s,|:;()]{1,20}"
_PERSON = rf"(?-i:{_CAPITAL}(?:\s{_CAPITAL}){{0,2}}\s(?:[a-z]{{2,3}}\s)?{_CAPITAL})"
# Bylines that are one by the role or the label beside the name: a short line and nothing else.
_KOREAN_NAME = r"[가-힣]{2,4}"
_KOREAN_ROLES = ("기자", "특파원", "논설위원", "칼럼니스트", "앵커")
_DAY = r"(?:입력\s)?\d{4}[-./]\s?\d{1,2}[-./]\s?\d{1,2}\.?(?:\s\d{1,2}:\d{2})?"
_KOREAN_BYLINE = compiled_later(
    rf"(?:{_DAY}(?:\s?[|ㅣ·]\s?|\s))?"
    rf"[\[(\u3010<]?\s?(?:(?:글(?:\s?[·ㆍ/,]\s?사진)?|취재)\s)?(?:[가-힣A-Za-z]{{2,12}}(?:\s?=\s?|\s))?"
    rf"(?P<names>{_KOREAN_NAME}(?:\s?[·ㆍ,]\s?{_KOREAN_NAME}){{0,5}})"
    rf"\s?(?:(?:선임|인턴|객원|수습|전문)\s?)?(?:{'|'.join(_KOREAN_ROLES)})\s?[\])\u3011>=]?"
    rf"(?:\s[^\s@]{{1,64}}@[^\s@]{{1,64}})?(?:\s(?:구독|팔로우))?(?:\s?[|ㅣ·]?\s?{_DAY})?"
)
_AFTER_ROLE = compiled_later(
    rf"(?:[가-힣]{{2,8}}\s)?(?:기자|특파원)(?:\s?[:\uff1a]\s?(?P<named>{_KOREAN_NAME})"
    r"|\s(?P<names>(?!간담회|이메일|프로필|블로그|페이지|더보기|홈페이|지망생|협회|정보)[가-힣]{3}))"
    rf"(?:\s[^\s@]{{1,64}}@[^\s@]{{1,64}})?(?:\s?[|ㅣ·]?\s?{_DAY})?"
)
_KOREAN_LABELLED = compiled_later(
    r"(?:작성자|글쓴이|글\s?[·ㆍ/,]\s?사진"
    r"|글(?=\s[가-힣]{3}(?![가-힣]))(?!\s(?:더보기|조회수|\S{1,2}쓰기|\S{1,2}보기)))"
    rf"\s(?P<names>{_KOREAN_NAME})(?:\s?[|/·]?\s?사진\s.{{2,20}})?"
)
_CJK_ROLES = ("記者", "记者", "特派員", "文", "作者", "编辑", "編輯")
_CHINESE_NAME = r"[\u4e00-\u9fff]{2,4}"
_CJK_BYLINE = compiled_later(
    # Names of newspapers and their desks are no names of reporters.
    r"[【\uff08(]?(?:(?P<before>(?:(?![部社紙聞報局担当])[\u4e00-\u9fff々]){3,5})\s?(?:記者|特派員)"
    r"|(?:取材\s?[・/]?\s?)?文\s?(?:[・と](?:写真|撮影)\s|・(?=.{3})|[\uff0f/:\uff1a=\uff1d])\s?"
    r"(?P<writer>[\u3040-\u30ff\u4e00-\u9fff々]{2,10}(?:\s(?!写真)[\u3040-\u30ff\u4e00-\u9fff々]{1,6})?)"
    # 記者会見 is no byline: a mark between, or what is around, tells that a name follows.
    r"|(?:本[報报刊](?:記者|记者)[\s:\uff1a]?|(?:記者|记者)(?:[\s:\uff1a]\s?"
    r"|(?=[^\uff0f/]{2,20}[\uff0f/].{2,6}(?:報導|报道|報道)$)))"
    rf"(?P<names>{_CHINESE_NAME}(?:[\s、,\uff0c]{_CHINESE_NAME}){{0,4}})"
    rf"(?:\s?[\uff0f/]\s?{_CHINESE_NAME}(?:報導|报道|報道))?"
    r")[】\uff09)]?(?:\s?[\uff0f/|]?\s?写真.{1,20})?"
)
# Labels within a line that has a source or a date, too; those of books have neither.
_CHINESE_FIELDS = compiled_later(r"来源|來源|出处|\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d")
_NO_BYLINE = compiled_later(r"出版|译者|譯者|书名|書名|导演|導演|[。\uff01\uff1f]")
_IN_NAME = (
    r"(?!来源|來源|责|責|编辑|編輯|摄影|攝影|发布|發布|阅读|浏览|字号|评论|分享|时间|時間|佚名|匿名|未知)"
    r"[\u4e00-\u9fff]{2,4}+(?![\u4e00-\u9fff]|\s?[:\uff1a])"
)
_IN_NAMES = rf"\s?(?:本[报報]记者\s?)?(?P<names>{_IN_NAME}(?:[\s、,\uff0c]{_IN_NAME}){{0,4}})"
_WITHIN_LINE = (
    compiled_later(
        r"(?:(?:^|[\s|(\uff08/报報社网])(?:作者|记者|記者|撰文)\s?[\s:\uff1a/\uff0f|\uff5c]"
        rf"|(?:^|[\s|(\uff08])文\s?[:\uff1a/\uff0f|\uff5c]){_IN_NAMES}"
    ),
    compiled_later(rf"(?:^|[\s|(\uff08])(?:责任|責任)?(?:编辑|編輯)\s?[:\uff1a/\uff0f]{_IN_NAMES}"),
)
_NAME_JOINT = compiled_later(r"\s?[·ㆍ,\uff0c、]\s?|\s")
_LINE_CHARS = 120
# The lists whose words are compared without case and accents.
_FOLDED = ("roles", "trailing", "nobody")


class BylineWords:
    """Words of bylines in many languages: the lists of ``data/bylines.json``.

    Attributes:
        sets: words of job titles (``roles``), of those that may follow a name without a comma
            (``trailing``), labels that are no name (``nobody``), short names of news ``agencies``
            and of degrees (``credentials``), words of ``bodies`` such as institutes, and names of
            ``weekdays``.
        by: matches what stands before an author's name, at the beginning of a text.
        by_within: finds the same inside of a text.
        by_starts: the first three letters of what ``by`` matches, or all of it where that is less.
        joint: finds what stands between two names.
        before_agency: find what stands before the agency of "A with AFP"; True of "A and AFP", too.
        published, modified, updated: find the words that tell what a date means; ``updated`` either
            of them after a name.
    """

    PUBLISHED, MODIFIED = 1, 2

    def __init__(self) -> None:
        data: dict[str, list[str]] = read_data("crawler.core.metadata", "bylines")
        self.sets = {
            name: frozenset(map(fold_word, words) if name in _FOLDED else words)
            for name, words in data.items()
        }
        # Common words, which count with a colon or alone in their element only.
        with_colon = self.sets["followed_by_colon"]
        free = any_of(word for word in data["by"] if word not in with_colon)
        joint = rf"\s(?:{any_of((*data['and'], *data['with']))})\s|\s?&\s?"
        texts, others = any_of(data["text_credits"]), any_of(data["other_credits"])
        more = rf"(?:{_AND_CREDIT}(?:{texts}|{others}))"
        credit = rf"(?:(?:{texts}){more}{{1,3}}|(?:{others}){more}{{0,2}}{_AND_CREDIT}(?:{texts}))"
        self.by = re.compile(
            # A label alone in its element names who stands beside it.
            rf"\s*+(?:[-\u2013\u2014|/•·]\s?)?(?:(?:{free})(?:\s?[:\uff1a]|\s|$)"
            rf"|(?:{any_of(with_colon)})(?:\s?[:\uff1a\uff0f]|\s*+$)"
            rf"|{credit}(?:\s?[:\uff1a=\uff1d\uff0f]|\s(?:by|von|de|par|di|por|door|av|af)(?:\s|$))"
            rf"|(?:{any_of(data['before_names'])})\s"
            rf"(?={_PERSON}(?:\s*+(?:[,|(\u2013\u2014\u00b7\u2022-]|$)|(?:{joint})(?-i:{_CAPITAL}))))"
            r"\s*+[-\u2013\u2014]?\s*+",
            re.IGNORECASE,
        )
        self.by_within = re.compile(rf"\s(?:{free})(?:\s?[:\uff1a]|\s)\s*+", re.IGNORECASE)
        starts = (*data["by"], *with_colon, *data["before_names"], *data["text_credits"])
        self.by_starts = frozenset(word[:3] for word in (*starts, *data["other_credits"]))
        self.joint = re.compile(joint, re.IGNORECASE)
        wires = any_of((*data["agencies"], *data["wires"]))
        self.before_agency = {
            with_and: re.compile(
                rf"(?:{before}|\s?/\s?)(?:(?:\w+\s){{1,2}}(?:from|von|der|de|di)\s)?"
                rf"(?:(?:the|der|la)\s|l['\u2019])?(?=(?:{wires})(?:$|\s?[,;/]|{joint}))",
                re.IGNORECASE,
            )
            for with_and, before in ((False, rf"\s(?:{any_of(data['with'])})\s"), (True, joint))
        }
        self.published, self.modified = (
            re.compile(any_of(data[name]), re.IGNORECASE) for name in ("published", "modified")
        )
        stems: dict[str, int] = {}
        for bit, name in ((self.PUBLISHED, "published"), (self.MODIFIED, "modified")):
            for word in map(fold_letters, data[name]):
                stems[word] = stems.get(word, 0) | bit
        self._stems = Stems(stems)
        either = any_of((*data["modified"], *data["published"]))
        self.updated = re.compile(rf"\s(?:last )?(?:{either})\b", re.IGNORECASE)

    def said_of_dates(self, text: str) -> int:
        """Return what a text says of dates: ``PUBLISHED``, ``MODIFIED``, both (the sum) or 0."""
        # Nearly no text has a word in it, which stems tell sooner than patterns.
        said = self._stems.masks((fold_letters(text),))[0]
        if said & self.PUBLISHED and self.published.search(text) is None:
            said ^= self.PUBLISHED
        if said & self.MODIFIED and self.modified.search(text) is None:
            said ^= self.MODIFIED
        return said


byline_words = cache(BylineWords)
"""The words of all languages, read once."""


def begins_as_byline(text: str) -> bool:
    """Tell whether a text begins with what stands before an author's name."""
    # The first letters decide for most texts.
    if _may_begin(text.lstrip(_BEFORE_BY)[:3].lower()) and byline_words().by.match(text):
        return True
    return not text.isascii() and bool(line_names(text))


@lru_cache(maxsize=1 << 12)
def _may_begin(letters: str) -> bool:
    """Tell whether a byline may begin with three letters, or with the first of them: 文 and 글."""
    return not byline_words().by_starts.isdisjoint((letters, letters[:2], letters[:1]))


def authors_part(text: str) -> str:
    """Return a byline up to credits of others, such as photographers; empty where it begins so.

    Args:
        text: a byline without what stands before the first name ("By"), white space folded.
    """
    others = _OTHERS.search(text)
    if others is not None:
        text = text[: others.start()]
    return _YOUNGER.sub(" ", text).strip()


def without_place(name: str) -> str:
    """Return "A" of "A in London" and "A for The Post"; bodies such as institutes stay whole."""
    match = _PLACE.search(name)
    if match is None:
        return name
    words = name[: match.start()].split()
    is_person = len(words) in _PERSON_WORDS and all(word[0].isupper() for word in words)
    is_body = any(word.casefold() in byline_words().sets["bodies"] for word in words)
    return name[: match.start()] if is_person and not is_body else name


def line_names(text: str) -> tuple[str, ...]:
    """Return the names in a line in Korean, Japanese or Chinese that is a byline and nothing else.

    That is a name with a role or a label; with the newspaper, a town or the day before it, and an
    address or the day after it. Empty where the line is none.
    """
    text = text.strip()
    if text.isascii() or len(text) > _LINE_CHARS or DENSE.search(text) is None:
        return ()
    match = None
    if any(map(text.__contains__, _KOREAN_ROLES)):
        match = _KOREAN_BYLINE.fullmatch(text) or _AFTER_ROLE.fullmatch(text)
    elif text.startswith(("작성자", "글")):
        match = _KOREAN_LABELLED.fullmatch(text)
    elif any(map(text.__contains__, _CJK_ROLES)):
        match = _CJK_BYLINE.fullmatch(text)
        if match is None and _CHINESE_FIELDS.search(text) and not _NO_BYLINE.search(text):
            match = next(filter(None, (each.search(text) for each in _WITHIN_LINE)), None)
    if match is None:
        return ()
    names = match[match.lastgroup or 0]
    return (names,) if match.lastgroup == "writer" else tuple(_NAME_JOINT.split(names))


def clean_names(
    values: Iterable[str], *, site: str = "", are_seen: bool = False
) -> tuple[str, ...]:
    """Return the names in the texts that a page gives as its authors, in order, each once.

    "By A and B, Staff Writer" gives A and B. Addresses, e-mail, job titles, labels of buttons and,
    where there is any other name, Twitter handles are no names.

    Args:
        values: what the page gives, one or more authors in each.
        site: name of the site, which is an author only where there is no other.
        are_seen: the values are texts of elements, where a job title may follow without a comma.
    """
    names: dict[str, str] = {}
    handles: dict[str, str] = {}
    folded_site = fold_name(site)
    for value in values:
        is_joint = are_seen and (not site or folded_site not in fold_name(value))
        for name in _names(value, are_seen=are_seen, is_joint=is_joint):
            target = handles if name.startswith("@") else names
            target.setdefault(fold_name(name), name)
            if len(names) >= _MAX_NAMES:
                break
    chosen = names or {key: name.removeprefix("@") for key, name in handles.items()}
    if folded_site in chosen and len(chosen) > 1:
        del chosen[folded_site]
    return tuple(chosen.values())


def _names(value: str, *, are_seen: bool, is_joint: bool) -> Iterator[str]:
    text = html.unescape(value[:_RAW_CHARS])
    text = " ".join(_TAG.sub(" ", text).split())
    if _ADDRESS.search(text):
        return
    if line := line_names(text):
        yield from line
        return
    text = _EMAIL.sub(" ", text).strip()
    text = _CUT.split(_before_date(authors_part(_without_by(text))), maxsplit=1)[0]
    text = _PARENTHESES.sub("", text)
    text = byline_words().before_agency[is_joint].sub(", ", text)
    pieces = [piece for piece in _SPLIT.split(text) if piece]
    found = False
    for piece in pieces:
        for name in _joined(piece, alone=len(pieces) == 1):
            cleaned = _cleaned(name)
            if are_seen:
                cleaned = _without_roles(without_place(cleaned))
            if cleaned and not _is_nobody(cleaned, first=not found, alone=len(pieces) == 1):
                found = True
                yield cleaned


def _without_by(text: str) -> str:
    """Remove what leads to the name; twice, since "Published by: By A" is common."""
    words = byline_words()
    for _ in range(2):
        match = words.by.match(text)
        if match is None:
            break
        text = text[match.end() :].lstrip(" :")
    return text


def _before_date(text: str) -> str:
    """Return the text before a date and its introduction, or after a date at the beginning."""
    found = next(find_dates(text), None)
    words = byline_words()
    if found is not None and found.start == 0:
        return text[found.end :].strip(_EDGES)
    end = found.start if found is not None else len(text)
    label = words.updated.search(text, 1, end)
    if label is not None:
        end = label.start()
    if end == len(text) or end == 0:
        return text
    return _LEADING.sub("", text[:end])


def _joined(piece: str, *, alone: bool) -> Iterator[str]:
    """Split "A and B", where both are more than a word: "Barnes and Noble" is one name."""
    words = byline_words()
    start = 0
    for match in words.joint.finditer(piece):
        before, after = piece[start : match.start()], piece[match.end() :]
        if not before.strip():
            start = match.end()
            continue
        if len(before.split()) > 1 and len(after.split()) > 1:
            yield before
            start = match.end()
    rest = piece[start:]
    first, _, others = rest.partition(" ")
    # The rest of "A, B, and C".
    if not alone and others and words.joint.fullmatch(f" {first} "):
        rest = others
    yield rest


def _cleaned(name: str) -> str:
    name = _without_by(name.strip())
    for noise in (_KOREAN_ROLE, _CJK_ROLE, _COUNT):
        name = noise.sub("", name.strip())
    handle = name.startswith("@")
    name = name.strip(_EDGES + "@")
    return f"@{name}" if handle and name else name


def _without_roles(name: str) -> str:
    """Remove job titles and degrees after a name of two or more words, and a repeated name."""
    words = byline_words().sets
    parts = name.split()
    kept = len(parts)
    while kept > _TWO:
        part = parts[kept - 1].strip(".,")
        folded = fold_word(part)
        is_degree = folded in words["credentials"] and folded != "jr" and not part.islower()
        if not is_degree and folded not in words["trailing"]:
            break
        kept -= 1
    half = len(parts) // 2
    if half and len(parts) % 2 == 0 and parts[:half] == parts[half:]:
        kept = half
    return " ".join(parts[:kept]).strip(_EDGES) if kept < len(parts) else name


def _is_nobody(name: str, *, first: bool, alone: bool) -> bool:
    words = byline_words().sets
    if not _LETTER.search(name) or len(name) > _NAME_CHARS or len(name.split()) > _NAME_WORDS:
        return True
    folded = fold_word(name).strip()
    parts = [part.strip(".,") for part in folded.split()]
    is_label = folded in words["nobody"] or words["nobody"].issuperset(parts)  # "Facebook Twitter"
    if is_label or folded.isdigit() or _is_part_of_date(folded):
        return True
    in_roles = sum(part in words["roles"] for part in parts)
    if in_roles == len(parts):
        # "News Staff" is an author where there is no other.
        return not (alone and len(parts) > 1) and not (first and alone)
    if first:
        return False
    # After a comma a role is no name, "A, senior reporter at B", nor is a degree.
    if folded in words["agencies"]:
        return False
    is_degree = folded.replace(".", "") in words["credentials"] or (
        len(parts) == 1 and name.isupper() and name.isascii() and len(name) < _DEGREE_CHARS
    )
    return is_degree or in_roles > 0 or name[0].islower()


def _is_part_of_date(folded: str) -> bool:
    """Tell whether a text is a day without its year, or a weekday: "March 7", "Sat"."""
    parts = [part for part in folded.replace(".", " ").split() if not part.isdigit()]
    return len(parts) <= 1 and all(
        is_month(part) or part in byline_words().sets["weekdays"] for part in parts
    )


def is_weak(name: str) -> bool:
    """Tell whether a name looks like that of an account: ``night.desk``, ``desk42``, ``admin``."""
    return " " not in name and name.isascii() and (name.islower() or not name.isalpha())
