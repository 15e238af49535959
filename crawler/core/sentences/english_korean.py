"""Sentences that end without a mark: English headings run together with text, Korean endings.

English: "Fresh and friendly This place is worth a visit" is two sentences. A word such as "This"
has a capital where a sentence begins, and in titles, where the next word has a capital too. What
stands on a line of its own is a sentence when the lines are joined, too: the day and time of a
message, the greeting and the closing words of a letter, an address before a capital, and a line of
signs, as in "_____".

Korean: verbs are the last words of sentences, and the ending of the last verb says that the
sentence is over. Blogs and chats leave the full stop out. Without a model of the language, an
ending counts as final where its form is hardly ever anything else, and where no word follows that
takes the clause up ("…다고", "…다 하더라도").
"""

# ruff: noqa: RUF001 - apostrophes and quotation marks are this module's data

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from crawler.core.hot_loops import hint_spots
from crawler.core.hot_loops.sentences import SIGNS
from crawler.core.patterns import compiled_later
from crawler.core.sentences.languages import habits_of
from crawler.core.sentences.marks import TRAIL, enclosure_at, outermost_enclosures
from crawler.core.sentences.rules import split_by_marks
from crawler.core.sentences.sentence import (
    MODEL_CHARS,
    Sentence,
    kiwi_ends,
    sentences_between,
)
from crawler.core.words import APART, side_by_side

_FACE = compiled_later(r"[:;](?<=[\w\s].)-?[)(DP]++(?=\s+[A-Z])")
# The day and the time at which something was sent or posted.
_STAMP = compiled_later(
    r"\d(?<![\w/.:-].)\d{0,3}([/.-])\d{1,2}\1\d{2,4},?\s\d{1,2}:\d\d(?::\d\d)?(?:\s?(?i:[ap]\.?m\b\.?))?"
    r"(?:\s\(?(?:UTC|GMT|[ECMP][SD]T|CES?T|BST)\b\)?)?(?![\w:])(?=(?P<end>\s+[\"“]?\w)?)"
)
# Words behind which a day is part of the sentence.
_TO_DAY = compiled_later(
    r"(?:\b(?:at|on|by|from|to|until|till|since|before|after|and|between|of|in|for|the|or|is|was|"
    r"dated)|[-–—,:(/|])\s*\Z",
    re.IGNORECASE,
)
# "Dear Ann," before what a letter says; "Kind regards," before a name; and the words of both.
_LETTER = compiled_later(
    r"(?<!\S)(?:(?P<greeting>(?:Dear|Hi|Hello|Hey)(?:\s[\w.'’-]+){1,3}[,:])|"
    r"(?:[Tt]hanks|[Tt]hank you|[Rr]egards|[Ww]ishes|[Cc]heers|[Ss]incerely|luck)"
    r"(?:\s(?:and\s)?[a-z]+){0,2},)\Z"
)
_OF_LETTERS = frozenset((
    "Dear", "Hi", "Hello", "Hey", "Thanks", "thanks", "Thank", "thank", "Regards", "regards",
    "Wishes", "wishes", "Cheers", "cheers", "Sincerely", "sincerely", "luck",
))  # fmt: skip
_NEXT_WORD = compiled_later(r"\s+([A-Za-z]+)")
_VERB = compiled_later(r"[\w'’-]*\s+[a-z]")
_GREETINGS = frozenset({"dear", "hi", "hello", "hey"})
_NAME_BEFORE = compiled_later(r"(?P<starts>\A|[.!?>)\d]\s|\b[A-Z][\w.]*\s)?\b[A-Z][a-z]+,\Z")
# What a name to greet may be behind.
_SIGNED_WORDS = 3
_CAPITAL_BEFORE = compiled_later(r"(?<![\w'’-])[A-Z][\w'’-]*[)\]]?\Z")
# An address before a capital; a line of signs.
_SIGNS = compiled_later(
    r"(?:@[\w-]+|://[\w-]+|\bwww)\.\S++(?P<end>(?<![.,:;!?])(?=\s++[A-Z]))?|"
    rf"(?P<line>(?<!\S)(?P<sign>[*_=#~-])(?P=sign){{{SIGNS - 1},}}(?!\S))"
)
# What tells that a sentence may end at a place that ``hint_spots`` yields: a word with a capital
# before a small letter; a comma or colon before a capital; a time; a face; an address; signs.
_HINT = compiled_later(
    r"(?P<word>[A-Z][a-z]*+(?=\s++[a-z]|['’][a-z]++\s++[a-z]|(?<=Yes)\s?[,.!]))|"
    r"(?P<letter>[,:](?=\s+[A-Z]))|(?P<time>:(?=\d\d))|[:;](?=-?[)(DP]|//)|@(?=\w)|"
    rf"(?P<sign>[*_=#~-])(?P=sign){{{SIGNS - 1}}}"
)
# Words behind which a sentence goes on.
_GOES_ON = compiled_later(
    r"\b(?:[Tt]he|[Aa]n?|[Oo]f|[Ii]n|[Oo]n|[Aa]t|[Tt]o|[Ff]or|[Ff]rom|[Ww]ith|[Bb]y|[Aa]nd|[Oo]r|as|is|"
    r"are|was|called|titled|named|says?|said|that|like|than|see|read|my|your|his|her|its|our|their)\Z|(?:^|\s)\(?\w{1,2}[)\]]\Z|[^\w)\]]\Z|\A[^A-Za-z]*\Z"
)
# Characters enough to see some words.
_LOOK_BACK = 40

# A word whose last syllable may end a sentence, before a space or an emoji.
_CANDIDATE = compiled_later(
    r"(?<!\S)[^\s\u2600-\u27bf\U0001f300-\U0001faff]*[다요죠쥬까음슴임함됨줌네니냐줘유오아나만먼라용당여때야ㅋㅎㅠㅜ~♡♥^](?=\s|[\u2600-\u27bf\U0001f300-\U0001faff])"
)
# A remark in brackets, and its last word.
_REMARK = compiled_later(r"\([^()]*?([^\s()]+)\)(?=\s)")
_WORD = compiled_later(r"[\w\"'“‘「『《<\[*※#]")
_LONGEST_WORD = 40
# Characters enough to see the next word.
_LOOK_AHEAD = 24
# Words that take up the clause before them, so that it is no sentence of its own.
_TAKES_UP = compiled_later(
    r"이?라(?:고|며|는|면서|던|니|든지|도)|하(?:고|며|면|면서|는|자|니|더|지(?!만)|든|거나|기)|해(?:도|서|야)"
    r"|고(?:는|도)?(?:\s|\Z)|며(?:\s|\Z)|는(?:\s|\Z)|란\s|할(?:지|\s)|했(?:다|던|더|지|는|습|어)|한다"
    r"|말까|말다|말았|싶|보(?:니|면|다)|봐|치(?:고|더|면)|갔다|가는|생각|말했|말하|답했|답하|밝혔|전했|주장|믿|느끼|느꼈"
    r"|듣|들었|들은|못해|못한|마는|만은|뿐|손\s?치|그랬|그러(?:자|며|더)|하(?:겠|드|였|기)|합니다|한(?:\s|\Z)"
    r"|나오|나왔|왔다|두렵|두려|걱정|궁금|염려|고민|의심|의문|기대"
)
_QUOTES = compiled_later(r"이?라(?:고|며|는|면서)|하(?:고|며|는)|고(?:\s|\Z)")
_LAST_SYLLABLE = compiled_later("[가-힣]")

# Unicode orders Hangul syllables by their last consonant; these are the numbers of some.
_FIRST_SYLLABLE, _SYLLABLES, _FINALS = 0xAC00, 11172, 28
_N, _L, _B, _BS, _SS = 4, 8, 17, 18, 20
# An ending, and a syllable before it.
_SHORTEST = 2
_NOUNS_IN_YO = compiled_later(
    r"(?:필|수|주|개|소|동|강|민|고|가|중|긴|제|불|하|서|대중가|월|화|목|금|토|일|수|처)요\Z"
)
_YO = compiled_later(
    r"(?:[아-앟애-앻어-엏에-엫여-옇예-옣와-왛워-웧해게네래데대세내태나까든지군고구려라서셔져쳐켜펴혀겨녀려벼돼되줘봐춰둬눠꿔줄까니죠]|[가-힣]게)요\Z"
)
_PLAIN = compiled_later(
    r"(?:없|않|같|좋|많|싶|높|낮|크|작|길|짧|쉽|어렵|아니|예쁘|나쁘|바쁘|아프|빠르|다르|답|롭|럽|깨끗하|친절하|유명하|다양하|훌륭하|완벽하|신선하|저렴하|푸짐하|쫄깃하|따뜻하|시원하|조용하"
    r"|맛있|재밌|멋있|싫|젊|늦|넓|좁|깊|밝|어둡|춥|덥|무겁|가볍|비싸|싸|이)다\Z"
)
_NOT_PLAIN = compiled_later(r"(?:[보먹쓰놓]이|[보마에])다\Z|^(?:이|싸|크|답)다\Z")
_MEMO = compiled_later(
    r"(?:없|많|좋|같|싶|않|높|싫|먹|맞)음\Z|[아어야]함\Z|[아어여려켜해]줌\Z|[가-힣]됨\Z|[가-힣]임\Z"
)
_NOUNS_IN_IM = compiled_later(
    r"(?:책|게|모|타|취|부|해|신|담|전|연|선|역|재|퇴|위|라|레|쓰|붙|움직|후|일|이|사|주|상|아)임\Z"
)
# Questions, orders, and endings of spoken language.
_OTHER_ENDINGS = compiled_later(
    r"(?:하|되|히|있|없|뭐|거|어떻)냐\Z|어때\Z|(?:어디|뭐|얼마|누구)야\Z"
    r"|[아어여려켜해봐]줘\Z|[하으십주]시오\Z|[찾보]아라\Z"
    r"|잖아\Z|[는은했었았겠이하좋]구[나만먼]\Z|더라\Z|[좋하나가오주이되]네\Z"
    r"|[아어해여예네세에까구]용\Z|[니쁘]당\Z|니다요\Z|[아어해]유\Z|[가-힣][죠쥬]\Z|[네예어아해세]여\Z"
)
_LAUGHS = compiled_later(r"(?<![ㅋㅎㅠㅜ])[ㅋㅎㅠㅜ]++\Z")
_BEFORE_LAUGHTER = compiled_later(r"[다요죠쥬까음임함됨네군지어아야해듯당용래자라돼봐]\Z")
_TAIL = compiled_later(r"(?<![~♡♥^ㅋㅎㅠㅜㅡ])[~♡♥^ㅋㅎㅠㅜㅡ]++\Z")


def split_english(texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
    """Return the sentences of texts in English."""
    found = split_by_marks(texts, "en")
    joined = side_by_side(texts)
    number = before = 0
    hinted: set[int] = set()
    for hint in _hints(joined):
        number += joined.count(APART, before, hint.start())
        before = hint.start()
        hinted.add(number)
    for number in hinted:
        found[number] = _divided(texts[number], found[number], _english_ends)
    return found


def split_korean(texts: Sequence[str], *, by_model: bool = False) -> list[tuple[Sentence, ...]]:
    """Return the sentences of texts in Korean.

    Where there is no mark they end by the forms of words, and ``by_model`` by the model too, save
    in a text that is longer than :data:`MODEL_CHARS`.
    """

    def ends(piece: str, *, by_model: bool) -> Iterator[int]:
        words = _CANDIDATE.finditer(piece)
        final = [word.end() for word in words if _is_final(word[0][-_LONGEST_WORD:])]
        remark = _REMARK.match(piece)
        if remark is not None and _is_final(remark[1][-_LONGEST_WORD:]):
            final.insert(0, remark.end())
        return _not_taken_up(piece, sorted({*final, *kiwi_ends(piece)}) if by_model else final)

    return [
        _divided(text, pieces, partial(ends, by_model=by_model and len(text) <= MODEL_CHARS))
        for text, pieces in zip(texts, split_by_marks(texts, "ko"), strict=True)
    ]


def _divided(
    text: str, pieces: tuple[Sentence, ...], ends_in: Callable[[str], Iterable[int]]
) -> tuple[Sentence, ...]:
    """Split each piece of a text at the ascending offsets that ``ends_in`` yields for it.

    Those in quotation marks or brackets are ignored.
    """
    cuts: list[int] = []
    for piece in pieces:
        ends = list(ends_in(piece.text))
        pairs = outermost_enclosures(piece.text) if ends else ()
        cuts += [piece.start + end for end in ends if enclosure_at(pairs, end) is None]
        cuts.append(piece.end)
    return sentences_between(text, cuts) if len(cuts) > len(pieces) else pieces


def _english_ends(piece: str) -> list[int]:
    """Return where sentences of English text end without an end mark."""
    ends: set[int] = set()
    hints = {hint.lastgroup for hint in _hints(piece)}
    for kind, ends_by in (("word", _word_ends), ("letter", _letter_ends), ("time", _stamp_ends)):
        if kind in hints:
            ends.update(ends_by(piece))
    if not hints <= {"word", "letter", "time"}:
        ends.update(found.end() for found in _FACE.finditer(piece))
        for found in _SIGNS.finditer(piece):
            if found["line"]:
                ends.add(found.start())
            if found["line"] or found["end"] is not None:
                ends.add(found.end())
    return sorted(ends)


def _hints(text: str) -> Iterator[re.Match[str]]:
    """Yield where an English sentence may end although no end mark stands there; _HINT decides."""
    end = 0
    for at in hint_spots(text, habits_of("en").common):
        hint = _HINT.match(text, at) if at >= end else None
        if hint is not None:
            end = hint.end()
            # Most are commas in lists of names.
            if hint.lastgroup != "letter" or _is_in_letter(text, at):
                yield hint


def _is_in_letter(text: str, at: int) -> bool:
    """Tell whether a word of letters stands before a place, in one text of those side by side."""
    behind = text[max(0, at - _LOOK_BACK) : at].rpartition(APART)[2]
    return not _OF_LETTERS.isdisjoint(behind.split())


def _letter_ends(piece: str) -> Iterator[int]:
    """Yield the ends of greetings and closing words, and those before greetings."""
    for found in _hints(piece):
        begin = max(0, found.end() - _LOOK_BACK)
        letter = _LETTER.search(piece[begin : found.end()]) if found.lastgroup == "letter" else None
        if letter is None:
            continue
        following = _NEXT_WORD.match(piece, found.end())
        if letter["greeting"]:
            yield begin + letter.start()
            yield found.end()
        # "We had no luck, Tom was out": a name that signs has no verb.
        elif (
            following
            and following[1].lower() not in habits_of("en").common | {"i"}
            and _VERB.match(piece, following.end()) is None
        ):
            yield found.end()


def _word_ends(piece: str) -> Iterator[int]:
    """Yield the ends before words that have a capital only where a sentence begins."""
    habits = habits_of("en")
    for found in _hints(piece):
        word, start = found[0].lower(), found.start()
        if found.lastgroup != "word":
            continue
        behind = piece[max(0, start - _LOOK_BACK) : start]
        before = behind.rstrip()
        end = start - len(behind) + len(before)
        if before.endswith(","):
            name = _NAME_BEFORE.search(before)
            if name and (name["starts"] is not None or word in habits.openers):
                if end <= _LOOK_BACK:
                    yield from _signature_end(piece[:end])
                yield end
        elif _GOES_ON.search(before) is None and (
            word in habits.openers or _CAPITAL_BEFORE.search(before) is None
        ):
            yield end


def _signature_end(begun: str) -> Iterator[int]:
    """Yield the end of a signature before a greeting: "Kim Lee, This is" has two."""
    signed = begun.rpartition(" ")[0]
    words = signed.lower().split()
    starts = habits_of("en").starters | _GREETINGS
    if 0 < len(words) <= _SIGNED_WORDS and starts.isdisjoint((words[0], words[-1])):
        yield len(signed)


def _stamp_ends(piece: str) -> Iterator[int]:
    """Yield the ends before and behind a day with its time that is no part of a sentence."""
    for stamp in _STAMP.finditer(piece):
        if _TO_DAY.search(piece[max(0, stamp.start() - _LOOK_BACK) : stamp.start()]) is None:
            yield stamp.start()
            if stamp["end"]:
                yield stamp.end()


def _not_taken_up(piece: str, ends: Iterable[int]) -> Iterator[int]:
    """Move each end behind laughter; leave out those before a word that takes the clause up."""
    for word_end in ends:
        trail = TRAIL.match(piece, word_end)
        end = trail.end() if trail else word_end
        following = piece[end : end + _LOOK_AHEAD].lstrip()
        # Behind laughter and faces only what quotes goes on.
        takes_up = _TAKES_UP if _LAST_SYLLABLE.match(piece, end - 1) else _QUOTES
        if _WORD.match(following) and takes_up.match(following) is None:
            yield end


def _is_final(word: str) -> bool:
    """Tell whether the form of a word says that a sentence ends with it.

    The word has no marks but laughter and tildes behind it.
    """
    stem = _TAIL.sub("", word)
    if len(stem) < _SHORTEST:
        return stem == "줘"
    if stem != word and _LAUGHS.search(word) and _BEFORE_LAUGHTER.search(stem):
        return True
    return _ends_in_verb(stem) or _OTHER_ENDINGS.search(stem) is not None


def _ends_in_verb(stem: str) -> bool:
    """Tell whether a verb's ending is final, by the last consonants of the syllables before it."""
    # None for what is no Hangul syllable.
    numbers = [ord(syllable) - _FIRST_SYLLABLE for syllable in stem[-3:-1]]
    consonants = [each % _FINALS if 0 <= each < _SYLLABLES else None for each in numbers]
    last, before = stem[-1], consonants[-1]
    if stem.endswith(("니다", "니까")):
        return consonants[0] == _B and len(consonants) > 1  # 합|니다
    if last == "다":
        plain = _PLAIN.search(stem) is not None and _NOT_PLAIN.search(stem) is None
        return before in {_SS, _N, _BS} or plain
    if last == "요":
        return _YO.search(stem) is not None and _NOUNS_IN_YO.search(stem) is None
    if (last in "음슴니네까" and before == _SS) or (last == "까" and before == _L):
        return True
    return _MEMO.search(stem) is not None and _NOUNS_IN_IM.search(stem) is None
