"""What ``compiled.pyx`` does, in Python: the reference, and what runs where no compiler was."""

from __future__ import annotations

import re
from collections import Counter
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from lxml.etree import _Element as Element

    from crawler.core.page.blocks import Block, Holder

    Columns: TypeAlias = tuple[
        list[Element],
        list[str],
        list[str | None],
        list[str | None],
        list[tuple[str, ...]],
        dict[str, dict[int, str]],
        list[int],
    ]

_Kind = TypeVar("_Kind")

VALUED = ("class", "id", "itemprop", "rel", "href", "style", "hidden", "role")
"""The attributes whose values the columns hold: names of an element, where it leads, its look."""

_TAG, _TEXT, _TAIL = map(attrgetter, ("tag", "text", "tail"))
_NAMES = methodcaller("keys")
_SPACES = 6
# "related-topics", "shareBar", "HTMLText".
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_COLONS = (":", "\uff1a")
_GRAM = 3
# Rows at a time: what 256 take meanwhile, 36 bytes a row and tree, stays in the cache of a core.
_ROWS_AT_ONCE = 256
# Stands between texts; nothing that was parsed holds it.
_BORDER = "\0"
_AS_SPACE = bytes.maketrans(b"\n\t", b"  ")
_ASCII_DIGITS = b"0123456789"
_ASCII_FIGURE = re.compile(rb"[0-9]+")
_NOT_COUNTED = bytes(code for code in range(1, 128) if not chr(code).isalpha())
CONTROL = bytes((*range(9), 0x0B, *range(0x0E, 0x20), 0x7F))
"""Control characters of ASCII that are no white space, and the vertical tab."""
LETTER, UNCLEAR = 1 << 16, 1 << 17
"""What :func:`form_of` tells beside code points."""
DIGITS = re.compile(r"\d+")
"""A run of digits of any script."""
_LETTER = re.compile(r"[^\W\d_]")
BEGIN_CHARS = 3
"""Of so many characters are the beginnings by which :func:`cues_of_word` finds stems."""


def columns(root: Element) -> Columns:
    """Return the elements of a tree as columns.

    They are those of :class:`crawler.core.page.walk.Elements`, in its order.
    """
    nodes = list(root.iter())
    tags, texts, tails, children = (list(map(read, nodes)) for read in (_TAG, _TEXT, _TAIL, len))
    # Most elements share their names: fewer objects are left for the collector of garbage.
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    names = [known.setdefault(own, own) for own in map(tuple, map(_NAMES, nodes))]
    values: dict[str, dict[int, str]] = {name: {} for name in VALUED}
    # Of each set of names: at which places those are whose values are kept, and where.
    kept = {
        own: [(place, values[name]) for place, name in enumerate(own) if name in values]
        for own in known
    }
    for number, (node, own) in enumerate(zip(nodes, names, strict=True)):
        if places := kept[own]:
            its = node.values()
            for place, column in places:
                column[number] = str(its[place])
    return nodes, tags, texts, tails, names, values, children


def without_control(data: bytes) -> bytes:
    """Return bytes without :data:`CONTROL`; nearly none have any."""
    return data.translate(None, delete=CONTROL)


def short_texts(
    tags: Sequence[str],
    texts: Sequence[str | None],
    tails: Sequence[str | None],
    unread: AbstractSet[str],
    most: int,
) -> tuple[list[int], list[str]]:
    """Return where the short texts of a page are, and those texts, in its order.

    A place is twice the number of an element for its text, and 1 more for the text behind it.

    Args:
        tags: the column of :class:`crawler.core.page.walk.Elements`.
        texts: likewise.
        tails: likewise.
        unread: the elements whose own text does not count.
        most: a text has fewer characters than this, at least two, and is no white space alone.
    """
    places = [
        2 * number
        for number, (text, tag) in enumerate(zip(texts, tags, strict=True))
        if text and 1 < len(text) < most and not text.isspace() and tag not in unread
    ]
    places += [
        2 * number + 1
        for number, text in enumerate(tails)
        if text and 1 < len(text) < most and not text.isspace()
    ]
    places.sort()
    columns = texts, tails
    return places, [columns[place & 1][place >> 1] or "" for place in places]


class Trees:
    """Trees in one list of nodes, as :class:`crawler.core.trees.TreeEnsemble` describes them.

    Args:
        feature: one entry a node.
        threshold: likewise; infinite at leaves.
        left: likewise.
        value: likewise.
        roots: the first node of each tree.
    """

    def __init__(
        self,
        feature: NDArray[np.intp],
        threshold: NDArray[np.float32],
        left: NDArray[np.intp],
        value: NDArray[np.float64],
        roots: NDArray[np.intp],
    ) -> None:
        self._nodes = feature, threshold, left, value
        self._roots = roots

    def leaves(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the value of the leaf that each row comes to: one line a tree, one column a row.

        Args:
            table: one line a feature, one column a row.
        """
        feature, threshold, left, value = self._nodes
        rows = table.shape[1]
        flat, numbers = table.reshape(-1), np.arange(rows)
        # One line a tree: rows at the same node are neighbours in memory.
        at = np.repeat(self._roots[:, None], rows, axis=1)
        before = at - 1
        while not np.array_equal(at, before):
            before = at
            places = feature.take(at) * rows
            places += numbers
            right = flat.take(places) > threshold.take(at)
            at = left.take(at)
            at += right
        return value.take(at)

    def sums(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of the :meth:`leaves` of all trees for each row.

        Args:
            table: one line a feature, one column a row.
        """
        parts = np.array_split(table, max(1, -(-table.shape[1] // _ROWS_AT_ONCE)), axis=1)
        sums = [self.leaves(np.ascontiguousarray(part)).sum(axis=0) for part in parts]
        return np.concatenate(sums)


def _codes(text: str) -> NDArray[np.uint32]:
    """Return code points; those beyond the basic plane count as its last."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.minimum(codes, np.uint32(0xFFFF))


def _starts(ends: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.concatenate((np.zeros(1, np.intp), ends[:-1] + 1))


def class_counts(
    text: str, ends: NDArray[np.intp], classes: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """Count the characters of each class in texts that none is empty of; one column a text.

    Args:
        text: the texts, a line break behind each.
        ends: where each ends.
        classes: the classes of each code point of the basic plane, as eight bits. They are those of
            :mod:`crawler.core.methods.article.letters`.

    Returns:
        A line for each class; one for words, of letters that are not dense or of digits; one for
        stops before a space or another mark; and the classes of a text's first and last character.
    """
    its, starts = classes[_codes(text)], _starts(ends)
    word, dense, stops = ((its & bits) > 0 for bits in (1 | 4, 8, 32))
    begins = word & ~dense
    begins[1:] &= ~word[:-1] | dense[:-1]
    stops[:-1] &= (its[1:] & (64 | 128)) > 0
    masks = (*((its & (1 << bit)) > 0 for bit in range(8)), begins, stops)
    counts = np.array([np.add.reduceat(mask, starts, dtype=np.int32) for mask in masks])
    # The line breaks behind the texts are no part of them.
    counts[_SPACES] -= 1
    return np.concatenate((counts, its[starts][None], its[ends - 1][None]), dtype=np.int32)


def grams(text: str, lower: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a number of 16 bits for each three neighbouring characters, case folded.

    Args:
        text: three characters at least.
        lower: the small letter of each code point of the basic plane.
    """
    low = lower[_codes(text)]
    mixed = low[:-2] * np.uint32(0x9E3779B1) + low[1:-1] * np.uint32(0x85EBCA77)
    mixed += low[2:] * np.uint32(0xC2B2AE3D)
    mixed ^= mixed >> np.uint32(15)
    found: NDArray[np.uint32] = mixed & np.uint32(0xFFFF)
    return found


def gram_hits(
    text: str, ends: NDArray[np.intp], others: Sequence[str], lower: NDArray[np.uint32]
) -> NDArray[np.int32]:
    """Count in each text the places whose :func:`grams` some other texts have; one line an other.

    Args:
        text: the texts, a line break behind each; none is empty.
        ends: where each ends.
        others: eight texts at most.
        lower: as in :func:`grams`.
    """
    # For each gram the others that have it, as bits.
    known = np.zeros(1 << 16, np.uint8)
    for bit, other in enumerate(others):
        if len(other) >= _GRAM:
            known[grams(other, lower)] |= 1 << bit
    found, starts = known[grams(f"{text}\n\n", lower)], _starts(ends)
    hits = [
        np.add.reduceat((found & (1 << bit)) > 0, starts, dtype=np.int32)
        for bit in range(len(others))
    ]
    return np.array(hits, np.int32).reshape(len(others), len(ends))


class CueWords:
    """The cues of words.

    Args:
        missing: returns the cues of a word as bits; few words are asked for more than once.
    """

    def __init__(self, missing: Callable[[str], int]) -> None:
        self._missing = missing

    def masks(self, texts: Sequence[str]) -> NDArray[np.uint64]:
        """Return for each text the cues of its words, as bits.

        Args:
            texts: names that authors give, as ``related-topics`` and ``shareBar``.
        """
        masks = dict.fromkeys(texts, 0)
        for text in masks:
            for word in _WORD.findall(text):
                masks[text] |= self._missing(word)
        return np.array([masks[text] for text in texts], np.uint64)


def cues_of_word(word: str, begins: Mapping[str, Sequence[tuple[str, bool, str, int]]]) -> int:
    """Return the cues in a word, as bits: of the stems at a place the first, then what follows.

    Args:
        word: the word, in small letters.
        begins: by their first letters (:data:`BEGIN_CHARS`) the stems, each with whether it has to
            be the whole word, with what must not follow it, and with the bit of its cue.
    """
    found = at = 0
    while at < len(word):
        step = 1
        for stem, is_whole, unless, bit in begins.get(word[at : at + BEGIN_CHARS], ()):
            if (stem == word if is_whole else word.startswith(stem, at)) and not (
                unless and word.startswith(unless, at + len(stem))
            ):
                found, step = found | bit, len(stem)
                break
        at += step
    return found


def described(blocks: Sequence[Block], tags: Mapping[str, int], other: int) -> NDArray[np.float64]:
    """Return figures of blocks, one column a block.

    Args:
        blocks: the blocks.
        tags: the number of each tag.
        other: the number of all other tags.

    Returns:
        Lines for the characters; those of them in hyperlinks; the hyperlinks; the number of the
        tag; the line breaks; whether a colon ends the text; and on how many of the blocks the text
        stands, by its key.
    """
    times = Counter(block.key for block in blocks)
    rows = [
        (
            block.chars,
            block.link_chars,
            block.links,
            tags.get(block.tag, other),
            block.text.count("\n"),
            block.text[-1] in _COLONS,
            times[block.key],
        )
        for block in blocks
    ]
    return np.array(rows, np.float64).reshape(-1, 7).T.copy()


def made(kind: type[_Kind], *columns: Iterable[object]) -> list[_Kind]:
    """Make objects of a dataclass with slots from the values of its fields, one column a field.

    The class has no ``__post_init__``, and its fields hold numbers, texts and None alone.

    Raises:
        TypeError: there are more or fewer columns than fields.
        ValueError: one column is longer than another.
    """
    slots = vars(kind)["__slots__"]
    if len(columns) != len(slots):
        raise TypeError(f"{kind.__name__} has {len(slots)} fields, not {len(columns)}")
    return [kind(*values) for values in zip(*columns, strict=True)]


def numbered(blocks: Sequence[Block]) -> tuple[list[Holder], list[NDArray[np.intp]]]:
    """Number the elements around blocks from outside in, in the order of their first blocks.

    Returns:
        The elements; and as arrays the number of that which holds each block, and for each element
        the one around it, the nearest one around it that holds more blocks, where the blocks within
        it begin and end, its depth, and a number of its path. A root is around itself.

    Raises:
        ValueError: a block stands in no element.
    """
    numbers: dict[Holder, int] = {}
    parents: list[int] = []
    begins: list[int] = []
    at: list[int] = []
    for index, block in enumerate(blocks):
        new: list[Holder] = []
        here = block.holder
        while here is not None and here not in numbers:
            new.append(here)
            here = here.parent
        for holder in reversed(new):
            number = numbers[holder] = len(numbers)
            parents.append(number if holder.parent is None else numbers[holder.parent])
            begins.append(index)
        if block.holder is None:
            raise ValueError("the blocks of a layout have to stand in elements")
        at.append(numbers[block.holder])
    ends = [0] * len(parents)
    for index, element in enumerate(at):
        ends[element] = index + 1
    for element in range(len(parents) - 1, -1, -1):
        around = parents[element]
        ends[around] = max(ends[around], ends[element])
    outers = list(parents)
    for element, around in enumerate(parents):
        if begins[around] == begins[element] and ends[around] == ends[element]:
            outers[element] = outers[around]
    paths: dict[str, int] = {}
    kinds = [paths.setdefault(holder.path, len(paths)) for holder in numbers]
    depths = [holder.depth for holder in numbers]
    return list(numbers), [
        np.array(column, np.intp) for column in (at, parents, outers, begins, ends, depths, kinds)
    ]


def distances(
    signs: NDArray[np.uint64], parent: NDArray[np.intp], count: int, far: int
) -> NDArray[np.uint8]:
    """Return for each element how many steps outwards the nearest one stands that shows a sign.

    Args:
        signs: what each element itself shows, as bits.
        parent: the number of the one around it, which is lower; a root is around itself.
        count: how many signs there are.
        far: the distance of what none shows, and of what is farther away.
    """
    octets = signs.astype("<u8").view(np.uint8).reshape(-1, 8)
    own = np.unpackbits(octets, axis=1, bitorder="little")[:, :count]
    found = np.where(own > 0, np.uint8(0), np.uint8(far))
    step, outwards = 1, parent
    # The reach doubles in each step.
    while step < far:
        # A root is its own parent: steps beyond it make a distance only longer.
        found = np.minimum(found, found[outwards] + np.uint8(step))
        step, outwards = 2 * step, outwards[outwards]
    return found


def ramps(
    table: NDArray[np.float32],
    places: NDArray[np.intp],
    knots: NDArray[np.float32],
    slopes: NDArray[np.float32],
    shares: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return features as ramps: how many of its segments lie below a value, from -1 on.

    Args:
        table: one line a feature, one column a row.
        places: the lines that are read.
        knots: (segments, f) where the segments of each begin.
        slopes: (segments, f) one over their lengths; from a slope of 0 on there are no more.
        shares: (f,) what a segment adds.

    Returns:
        One line a feature that is read.
    """
    found = np.zeros((len(places), table.shape[1]), np.float32)
    values = table[places]
    for begins, slope in zip(
        knots, np.where(np.cumsum(slopes == 0, axis=0), 0, slopes), strict=True
    ):
        used = np.flatnonzero(slope)
        steps = (values[used] - begins[used, None]) * slope[used, None]
        found[used] += np.clip(steps, np.float32(0), np.float32(1))
    found *= shares[:, None]
    found -= np.float32(1)
    return found


def means_within(
    told: NDArray[np.float32],
    weights: NDArray[np.float64],
    order: NDArray[np.intp],
    ranges: NDArray[np.intp],
    whole: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the means of what rows tell, for each row those of some ranges of rows.

    Args:
        told: one line a row; lines beyond the weights are not read.
        weights: how much each row counts.
        order: the rows in another order.
        ranges: where they begin and end, (2, rows, ranges): rows, or from one more than the number
            of rows on rows of the other order.
        whole: the weights in each range.

    Returns:
        One line a row, range behind range.
    """
    count = len(weights)
    sums = np.zeros((2 * count + 2, told.shape[1]))
    weighed = told[:count] * weights[:, None]
    np.cumsum(weighed, axis=0, out=sums[1 : count + 1])
    np.cumsum(weighed[order], axis=0, out=sums[count + 2 :])
    means: NDArray[np.float64] = (sums[ranges[1]] - sums[ranges[0]]) / whole[:, :, None]
    return means.astype(np.float32).reshape(count, -1)


class Stems:
    """Stems that are looked for in texts.

    Args:
        bits: each stem, of two characters or more, with its bits; 256 at most.
    """

    def __init__(self, bits: Mapping[str, int]) -> None:
        self._bits = dict(bits)

    def masks(self, texts: Sequence[str]) -> list[int]:
        """Return the bits of the stems in each text."""
        whole = "\0".join(texts)
        here = [(stem, bits) for stem, bits in self._bits.items() if stem in whole]
        masks = [0] * len(texts)
        for number, text in enumerate(texts) if here else ():
            for stem, bits in here:
                if stem in text:
                    masks[number] |= bits
        return masks


def normal_forms(texts: Sequence[str], most: int) -> list[bytes]:
    """Return the normal forms of texts in UTF-8, as :func:`crawler.core.page.text.normalise` does.

    Args:
        texts: the texts; without NUL, those of ASCII with no white space but spaces, line breaks
            and tabs.
        most: a text of more letters keeps its figures.
    """
    plain = iter(_plain_forms([text for text in texts if text.isascii()], most))
    others = iter(_other_forms([text for text in texts if not text.isascii()], most))
    return [next(plain if text.isascii() else others) for text in texts]


def _plain_forms(texts: Sequence[str], most: int) -> list[bytes]:
    data = _BORDER.join(texts).lower().encode().translate(_AS_SPACE)
    whole = b"\0" + data + b"\0"
    if b"  " in whole or b"\0 " in whole or b" \0" in whole:  # code alone has such white space
        data = b"\0".join(b" ".join(text.split()) for text in data.split(b"\0"))
    normal = data.split(b"\0")
    bare = data.translate(None, _ASCII_DIGITS).split(b"\0")
    letters = data.translate(None, _NOT_COUNTED).split(b"\0")
    for number, (text, rest, own) in enumerate(zip(normal, bare, letters, strict=True)):
        if len(rest) < len(text) and 0 < len(own) <= most:
            normal[number] = _ASCII_FIGURE.sub(b"0", text)
    return normal


def _other_forms(texts: Sequence[str], most: int) -> Iterator[bytes]:
    # Nothing composes with the border, or is moved over it.
    for text in folded(_BORDER.join(texts)).split(_BORDER) if texts else ():
        normal = " ".join(text.split())
        normal = DIGITS.sub("0", normal) if is_label(normal, most) else normal
        yield normal.encode("utf-8", "surrogatepass")


def folded(text: str) -> str:
    """Return a text in Unicode's compatibility form and in lower case."""
    if not text.isascii():
        # Folding the case may leave letters that compose with the marks after them.
        text = normalize("NFKC", normalize("NFKC", text).casefold())
    return text.casefold()


def is_label(text: str, most: int) -> bool:
    """Tell whether a text has digits, and letters but few.

    Args:
        text: the text.
        most: how many letters are few.
    """
    if text.isascii():  # deleting bytes takes a tenth of the time of a search
        data = text.encode()
        if len(data.translate(None, _ASCII_DIGITS)) == len(data):
            return False
        return 0 < len(data.translate(None, b"\0" + _NOT_COUNTED)) <= most
    if DIGITS.search(text) is None:
        return False
    if len(text) <= most:  # as most labels
        return _LETTER.search(text) is not None
    begins = len(_LETTER.findall(text[: 2 * most]))
    return begins <= most and 0 < len(_LETTER.findall(text)) <= most


def form_of(char: str) -> int:
    """Return the code point of what stands for a character in normal forms.

    :data:`LETTER` is added where it is a letter; :data:`UNCLEAR` is returned where it depends on
    what is around, or is more than one character, or white space but a space, or a digit outside
    ASCII.
    """
    form = folded(char)
    # Marks and the letters of Hangul syllables compose with what is before them.
    is_clear = len(form) == 1 and not any(
        category(each)[0] == "M" or "\u1100" <= each <= "\u11ff" for each in (char, form)
    )
    if not is_clear or (form.isspace() and char != " ") or (form > "9" and form.isdecimal()):
        return UNCLEAR
    return ord(form) | LETTER * (form.isalnum() and not form.isdecimal())


# Whether a sentence ends at a mark: it does not, it does, it does where the library sentencex ends
# one too, or what is around the mark has to be read.
GOES_ON, ENDS, PROPOSED, UNKNOWN = range(4)
# What words tell: that no sentence ends behind one and a dot; that one does, before a capital; that
# one begins a sentence.
NEVER_LAST, LAST, FIRST = 1, 2, 4
_WORD_CHARS = 40
_PLAIN_DOT = re.compile(
    r"\. ([A-Z][A-Za-z]{0,37}+)(?![A-Za-z]|[^\0-\x7f]|[.-](?:[A-Za-z]|[^\0-\x7f]))"
)
_MARKERS = "ivxIVX"
_MARKER_CHARS = 4
_SPOT = re.compile(
    # One class of characters in front is found many times as fast as several ways to begin.
    r"[A-Z,:;@*_=#~-](?:(?<=[\w)\],\s]\s[A-Z])[a-z]*+(?=['\u2019,.!]|\s++[a-z,.!])|(?<=[,:])(?=\s+[A-Z])"
    r"|(?<=[:;])(?=[-)(DP/])|(?<=:)(?=\d)|(?<=@)(?=\S)|(?<=([*_=#~-]))(?=\1{9}))"
)


def cut(
    kind: Callable[[str, int, int], _Kind], text: str, ends: Iterable[int]
) -> tuple[_Kind, ...]:
    """Cut a text at ascending offsets; drop white space around the pieces, and empty pieces.

    Args:
        kind: what is made of each piece: a named tuple of its text, and where it begins and ends.
        text: the text.
        ends: the offsets.
    """
    found: list[_Kind] = []
    start = 0
    for end in (*ends, len(text)):
        if body := text[start:end].strip():
            first = text.index(body[0], start)
            found.append(kind(body, first, first + len(body)))
        start = end
    return tuple(found)


class EndMarks:
    """Where sentences may end in texts of a language, and whether plain words tell that they do.

    Args:
        marks: characters that end sentences, of the basic plane, as all of these.
        breaks: those that break lines.
        closers: those that close quotations and brackets behind a mark.
        enclosing: those that open or close quotations and brackets, apostrophes among them.
        words: what words in small letters tell, as bits: :data:`NEVER_LAST`, :data:`LAST`,
            :data:`FIRST`.
    """

    def __init__(
        self, marks: str, breaks: str, closers: str, enclosing: str, words: Mapping[str, int]
    ) -> None:
        own, closing = re.escape(marks), re.escape(marks + closers)
        self._within = re.compile(f"[{own}{re.escape(breaks)}](?![{closing}]{{0,20}}+\\Z)")
        self._mark = re.compile(f"[{own}]")
        self._enclosing = re.compile(
            f"[{re.escape(enclosing)}](?!(?<=[A-Za-z]['\u2019])(?=[A-Za-z]))"
        )
        self._words = dict(words)

    def within(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of the texts that have a break or a mark before their last marks."""
        return [number for number, text in enumerate(texts) if self._within.search(text)]

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the marks of a text are, and whether a sentence ends there.

        That is told of dots between plain words, the second with a capital; all else is
        :data:`UNKNOWN`.
        """
        for mark in self._mark.finditer(text):
            yield mark.start(), self._judged(text, mark.start())

    def encloses(self, text: str) -> bool:
        """Tell whether anything in a text may be in quotation marks or brackets."""
        return self._enclosing.search(text) is not None

    def _judged(self, text: str, at: int) -> int:
        dot = _PLAIN_DOT.match(text, at)
        word = text[max(0, at - _WORD_CHARS - 1) : at].rpartition(" ")[2]
        is_plain = 1 < len(word) <= _WORD_CHARS and word.isascii() and word.isalpha()
        if dot is None or not is_plain:
            return UNKNOWN
        if len(word) <= _MARKER_CHARS and not word.strip(_MARKERS):
            return UNKNOWN
        its = self._words.get(word.lower(), 0)
        if its & (NEVER_LAST | LAST):
            return GOES_ON if its & NEVER_LAST else ENDS
        is_initial = len(dot[1]) == 1 and text[dot.end() : dot.end() + 1] == "."
        begins = not is_initial and self._words.get(dot[1].lower(), 0) & FIRST
        return ENDS if begins else PROPOSED


def hint_spots(text: str, words: Container[str]) -> Iterator[int]:
    """Yield where an English sentence may end without a mark.

    That is before a word of ``words`` that has a capital within a line, and at the signs of times,
    faces, addresses, letters and lines.
    """
    for spot in _SPOT.finditer(text):
        if not "A" <= text[spot.start()] <= "Z" or spot[0].lower() in words:
            yield spot.start()
