"""The forms of Korean words with which sentences end, told by their last syllables."""

from __future__ import annotations

import re

__all__ = ["FINAL_ENDING", "TAKES_UP", "is_final"]

# The last consonants of Hangul syllables, as Unicode numbers them.
_FINALS = 28
_N, _L, _B, _BS, _SS = 4, 8, 17, 18, 20
_FIRST_SYLLABLE, _SYLLABLES = 0xAC00, 11172
# An ending, and a syllable that it ends.
_SHORTEST = 2

# A mark that trails off ("…") ends a sentence behind these; behind others the sentence goes on.
FINAL_ENDING = re.compile(
    r"(?:다|요|죠|쥬|까|음|임|함|됨|네|군|니당|답니당|용|오|ㅋ|ㅎ|ㅠ|ㅜ)\s*\Z"
)

# Words that take up the clause before them, so that it is no sentence of its own.
TAKES_UP = re.compile(
    r"이?라(?:고|며|는|면서|던|니|든지|도)|하(?:고|며|면|면서|는|자|니|더|지|든|거나|기)|해(?:도|서|야)"
    r"|고(?:는|도)?(?:\s|\Z)|며(?:\s|\Z)|는(?:\s|\Z)|란\s|할(?:지|\s)|했(?:다|던|더|지|는|습|어)|한다"
    r"|말까|말다|말았|싶|보(?:니|면|다)|봐|치(?:고|더|면)|갔다|가는|생각|말했|말하|밝혔|전했|주장|믿|느끼|느꼈"
    r"|듣|들었|들은|못해|못한|마는|만은|뿐|손\s?치|그랬|그러(?:자|며|더)|하(?:겠|드|였|기)|합니다|한(?:\s|\Z)"
    r"|나오|나왔|왔다|두렵|두려|걱정|궁금|염려|고민|의심|의문|기대"
)

_NOUNS_IN_YO = re.compile(
    r"(?:필|수|주|개|소|동|강|민|고|가|중|긴|제|불|하|서|대중가|월|화|목|금|토|일|수|처)요\Z"
)
_YO = re.compile(
    r"(?:[아-앟애-앻어-엏에-엫여-옇예-옣와-왛워-웧해게네래데대세내태나까든지군고구려라서셔져쳐켜펴혀겨녀려벼돼줘봐춰둬눠꿔줄까니죠]|[가-힣]게)요\Z"
)
_PLAIN = re.compile(
    r"(?:없|않|같|좋|많|싶|높|낮|크|작|길|짧|쉽|어렵|아니|예쁘|나쁘|바쁘|아프|빠르|다르|답|롭|스럽"
    r"|맛있|재밌|멋있|싫|젊|늦|넓|좁|깊|밝|어둡|춥|덥|무겁|가볍|비싸|싸|이)다\Z"
)
_NOT_PLAIN = re.compile(r"(?:[보먹쓰놓]이|[보마에])다\Z|^(?:이|싸|크|답)다\Z")
_MEMO = re.compile(
    r"(?:없|많|좋|같|싶|않|높|싫|먹|맞)음\Z|[아어야]함\Z|[아어여려켜해]줌\Z|[가-힣]됨\Z|[가-힣]임\Z"
)
_NOUNS_IN_IM = re.compile(
    r"(?:책|게|모|타|취|부|해|신|담|전|연|선|역|재|퇴|위|라|레|쓰|붙|움직|후|일|이|사|주|상|아)임\Z"
)
_ASKS = re.compile(r"(?:하|되|있|없|뭐|거|어떻)냐\Z|어때\Z|(?:어디|뭐|얼마|누구)야\Z")
_ORDERS = re.compile(r"[아어여려켜해봐]줘\Z|[하으십주]시오\Z|[찾보]아라\Z")
_SPOKEN = re.compile(
    r"잖아\Z|[는은했었았겠이하좋]구[나만먼]\Z|더라\Z|[좋하나가오주이되]네\Z"
    r"|[아어해여예네세에까구]용\Z|니당\Z|[가-힣][죠쥬]\Z|[네예어아해세]여\Z"
)
_LAUGHS = re.compile(r"[ㅋㅎㅠㅜ]{1,}\Z")
_LAUGHING = re.compile(r"[다요죠쥬까음임함됨네군지어아야해듯당용래자라돼봐]\Z")
_TAIL = re.compile(r"[~♡♥^ㅋㅎㅠㅜㅡ]+\Z")


def is_final(word: str) -> bool:
    """Tell whether a word's form says that a sentence ends with it.

    Args:
        word: what stands between two spaces, without marks; laughter and tildes may trail.
    """
    stem = _TAIL.sub("", word)
    if len(stem) < _SHORTEST:
        return False
    if stem != word and _LAUGHS.search(word) and _LAUGHING.search(stem):
        return True
    consonants = [_final_consonant(syllable) for syllable in stem[-3:-1]]
    return _ends_in_verb(stem, consonants) or any(
        ending.search(stem) for ending in (_ASKS, _ORDERS, _SPOKEN)
    )


def _ends_in_verb(stem: str, consonants: list[int | None]) -> bool:
    """Tell whether a verb's ending is final, by the last consonants of the syllables before it."""
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


def _final_consonant(syllable: str) -> int | None:
    number = ord(syllable) - _FIRST_SYLLABLE
    return number % _FINALS if 0 <= number < _SYLLABLES else None
