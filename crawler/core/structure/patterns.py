r"""Regular expressions that take linear time, whatever the expression and whatever the text.

The expressions of a document model come from its author and the texts from anybody's page. A
matcher that goes back and tries again can be made to try for years, so this one does not: it
follows all ways through the expression at once (Thompson, Regular expression search algorithm,
CACM 1968), and keeps the sets of places it was in for the next text. No match is longer than
:data:`MOST_CHARS`, so that a text of n characters takes at most n times that many steps.

Known are literal characters, ``.``, classes ``[a-z]`` and ``[^…]``, ``\d \w \s \D \W \S``,
groups, ``|``, the quantifiers ``? * + {n} {n,} {n,m}``, and the places ``^ $ \b``. Case does not
matter. Look-around and references are not known: they cannot be told in linear time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MOST_CHARS", "Pattern", "PatternError"]

MOST_CHARS: Final = 160
"""A match has no more characters than this."""
_MOST_STATES: Final = 2_000
_MOST_REPEATS: Final = 60
_DEEPEST: Final = 30
# Steps and sets of places kept for later texts; beyond, they are found anew. A set may have as many
# numbers as there are states.
_MOST_KEPT: Final = 20_000
_MOST_SETS: Final = 2_000

_START, _END, _WORD_EDGE = "^", "$", "b"
_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "d": str.isdigit,
    "w": lambda char: char.isalnum() or char == "_",
    "s": str.isspace,
    "D": lambda char: not char.isdigit(),
    "W": lambda char: not (char.isalnum() or char == "_"),
    "S": lambda char: not char.isspace(),
}
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r"}


class PatternError(ValueError):
    """An expression is wrong, or cannot be told in linear time.

    ``offset`` is where in the expression, in characters from 0.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(slots=True)
class _State:
    """One place in an expression.

    ``test`` is what the next character has to be; ``edge`` a place that has to be here; where both
    are None the way goes on to all of ``after`` without either. The last state goes nowhere.
    """

    test: Callable[[str], bool] | None = None
    edge: str | None = None
    after: list[int] = field(default_factory=list)


class Pattern:
    """A compiled expression.

    Args:
        source: the expression.

    Raises:
        PatternError: it is wrong, too large, or matches the empty text.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        compiler = _Compiler(source)
        self._states = compiler.compile()
        self._last = len(self._states) - 1
        self._sets: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._closed: dict[tuple[int, int], tuple[tuple[int, ...], bool]] = {}
        self._steps: dict[tuple[int, int, str], int] = {}
        self._firsts: dict[str, bool] = {}
        if any(self._close(self._number((0,)), context)[1] for context in range(16)):
            raise PatternError("it matches the empty text; have it name one character at least", 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)

    def __repr__(self) -> str:
        return f"Pattern({self.source!r})"

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where matches begin and end: from the left, each the longest, none overlapping."""
        start, length = 0, len(text)
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
        firsts = self._firsts
        while start < length:
            char = lowered[start]
            if char not in firsts:
                if len(firsts) > _MOST_KEPT:
                    firsts.clear()
                firsts[char] = any(self._step(0, around, char) >= 0 for around in range(16))
            if not firsts[char]:
                start += 1
                continue
            end = self._longest(lowered, start)
            if end > start:
                yield start, end
                start = end
            else:
                start += 1

    def covers(self, text: str) -> bool:
        """Tell whether the expression matches a text of its whole length."""
        return next(self.find(text), None) == (0, len(text))

    def _longest(self, text: str, start: int) -> int:
        """Return where the longest match that begins at ``start`` ends; -1 where there is none."""
        if len(self._sets) > _MOST_SETS:
            self._forget()
        current, found = 0, -1
        limit = min(len(text), start + MOST_CHARS)
        for place in range(start, limit + 1):
            context = _context(text, place)
            _, matched = self._close(current, context)
            if matched:
                found = place
            if place == limit:
                break
            current = self._step(current, context, text[place])
            if current < 0:
                break
        return found

    def _forget(self) -> None:
        """Drop what is kept; sets get new numbers, but for the first, where every match begins."""
        first = self._sets[0]
        for kept in (self._sets, self._numbers, self._closed, self._steps):
            kept.clear()
        self._number(first)

    def _number(self, states: tuple[int, ...]) -> int:
        number = self._numbers.get(states)
        if number is None:
            number = self._numbers[states] = len(self._sets)
            self._sets.append(states)
        return number

    def _close(self, number: int, context: int) -> tuple[tuple[int, ...], bool]:
        """Return where one is without reading on, and whether that is the end."""
        key = (number, context)
        known = self._closed.get(key)
        if known is None:
            reached: set[int] = set()
            waiting = list(self._sets[number])
            while waiting:
                here = waiting.pop()
                if here in reached:
                    continue
                reached.add(here)
                state = self._states[here]
                if state.test is None and (state.edge is None or _is_edge(state.edge, context)):
                    waiting += state.after
            known = self._closed[key] = (tuple(sorted(reached)), self._last in reached)
        return known

    def _step(self, number: int, context: int, char: str) -> int:
        """Return the set of places after one more character; -1 where there is none."""
        key = (number, context, char)
        known = self._steps.get(key)
        if known is None:
            if len(self._steps) > _MOST_KEPT:
                self._steps.clear()
            onward: set[int] = set()
            for here in self._close(number, context)[0]:
                state = self._states[here]
                if state.test is not None and state.test(char):
                    onward.update(state.after)
            known = self._steps[key] = self._number(tuple(sorted(onward))) if onward else -1
        return known


def _context(text: str, place: int) -> int:
    """Return what stands around a place, as bits: start, end, a word before, a word after."""
    if place == 0:
        before = 1
    else:
        char = text[place - 1]
        before = 4 if char.isalnum() or char == "_" else 0
    if place == len(text):
        return before | 2
    char = text[place]
    return before | (8 if char.isalnum() or char == "_" else 0)


def _is_edge(edge: str, context: int) -> bool:
    if edge == _START:
        return bool(context & 1)
    if edge == _END:
        return bool(context & 2)
    return bool(context & 4) != bool(context & 8)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Part of an expression: the states it begins and ends at."""

    first: int
    last: int


class _Compiler:
    """Reads an expression from left to right and lays out its states."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._states: list[_State] = []

    def compile(self) -> list[_State]:
        first = self._new()
        piece = self._choice(0)
        if self._at < len(self._source):
            raise PatternError("')' closes no group; leave it out or write '\\)'", self._at)
        self._states[first].after.append(piece.first)
        self._states[piece.last].after.append(self._new())
        return self._states

    def _new(self, test: Callable[[str], bool] | None = None, edge: str | None = None) -> int:
        if len(self._states) >= _MOST_STATES:
            raise PatternError("it is too large; use smaller repeat counts", self._at)
        self._states.append(_State(test, edge))
        return len(self._states) - 1

    def _choice(self, depth: int) -> _Piece:
        if depth > _DEEPEST:
            raise PatternError(f"groups nest deeper than {_DEEPEST}; write it flatter", self._at)
        first, last = self._new(), self._new()
        while True:
            piece = self._sequence(depth)
            self._states[first].after.append(piece.first)
            self._states[piece.last].after.append(last)
            if self._peek() != "|":
                return _Piece(first, last)
            self._at += 1

    def _sequence(self, depth: int) -> _Piece:
        first = last = self._new()
        while (char := self._peek()) and char not in "|)":
            start = self._at
            piece = self._repeated(self._atom(depth), start, depth)
            self._states[last].after.append(piece.first)
            last = piece.last
        return _Piece(first, last)

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _repeated(self, piece: _Piece, start: int, depth: int) -> _Piece:
        """Read the quantifier behind an atom; counted repeats lay out the atom again."""
        char = self._peek()
        if not char or char not in "?*+{":
            return piece
        if char == "{":
            low, high = self._counts()
        else:
            self._at += 1
            low, high = {"?": (0, 1), "*": (0, None), "+": (1, None)}[char]
        after = self._at
        if self._peek() and self._peek() in "?*+{":
            raise PatternError("a quantifier follows a quantifier; leave one out", self._at)
        copies = [piece]
        for _ in range((max(low, 1) if high is None else max(high, 1)) - 1):
            self._at = start
            copies.append(self._atom(depth))
        self._at = after
        first, last = self._new(), self._new()
        here = first
        for number, copy in enumerate(copies):
            self._states[here].after.append(copy.first)
            if number >= low:
                self._states[here].after.append(last)
            here = copy.last
        if high is None:
            self._states[here].after.append(copies[-1].first)
        if high == 0:
            self._states[first].after[:] = [last]
        self._states[here].after.append(last)
        return _Piece(first, last)

    def _counts(self) -> tuple[int, int | None]:
        start = self._at
        end = self._source.find("}", start)
        low, comma, high = self._source[start + 1 : end if end >= 0 else None].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()):
            raise PatternError(
                "'{' begins no repeat count; write {2}, {2,} or {2,4}, or '\\{'", start
            )
        counts = int(low), (int(low) if not comma else int(high) if high else None)
        if max(counts[0], counts[1] or 0) > _MOST_REPEATS:
            raise PatternError(f"a repeat count is above {_MOST_REPEATS}; use a smaller one", start)
        if counts[1] is not None and counts[1] < counts[0]:
            raise PatternError("a repeat count ends below where it begins; turn it round", start)
        self._at = end + 1
        return counts

    def _atom(self, depth: int) -> _Piece:
        start, char = self._at, self._peek()
        self._at += 1
        if char == "(":
            return self._group(start, depth)
        if char in "?*+{":
            raise PatternError(f"'{char}' repeats nothing; write '\\{char}' for itself", start)
        if char in "^$":
            return self._one(edge=char)
        if char == ".":
            return self._one(lambda other: other != "\n")
        if char == "[":
            return self._one(self._class(start))
        if char == "\\":
            return self._escape(start)
        return self._one(_same(char))

    def _one(self, test: Callable[[str], bool] | None = None, edge: str | None = None) -> _Piece:
        first, last = self._new(test, edge), self._new()
        self._states[first].after.append(last)
        return _Piece(first, last)

    def _group(self, start: int, depth: int) -> _Piece:
        if self._peek() == "?":
            if self._source[self._at : self._at + 2] != "?:":
                raise PatternError(
                    "'(?' begins what cannot be told in linear time; use plain groups", start
                )
            self._at += 2
        piece = self._choice(depth + 1)
        if self._peek() != ")":
            raise PatternError("'(' is never closed; add ')' or write '\\('", start)
        self._at += 1
        return piece

    def _escape(self, start: int) -> _Piece:
        char = self._peek()
        self._at += 1
        if not char:
            raise PatternError("a backslash ends it; write '\\\\' for itself", start)
        if char == "b":
            return self._one(edge=_WORD_EDGE)
        if char in _CLASSES:
            return self._one(_CLASSES[char])
        if char.isdigit():
            raise PatternError("a reference cannot be told in linear time; repeat the part", start)
        if char.isalpha() and char not in _CONTROL:
            raise PatternError(f"'\\{char}' is not known; see the list of what is", start)
        return self._one(_same(_CONTROL.get(char, char)))

    def _class(self, start: int) -> Callable[[str], bool]:
        negated = self._peek() == "^"
        self._at += negated
        tests: list[Callable[[str], bool]] = []
        first = True
        while (char := self._peek()) != "]" or first:
            first = False
            if not char:
                raise PatternError("'[' is never closed; add ']' or write '\\['", start)
            low = self._member(start)
            if not isinstance(low, str):
                tests.append(low)
                continue
            if self._peek() == "-" and self._source[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._member(start)
                if not isinstance(high, str) or high < low:
                    raise PatternError("a range in '[…]' ends below where it begins", start)
                tests.append(_between(low, high))
            else:
                tests.append(_same(low))
        self._at += 1
        return lambda other: any(test(other) for test in tests) != negated

    def _member(self, start: int) -> str | Callable[[str], bool]:
        char = self._peek()
        self._at += 1
        if char != "\\":
            return char
        char = self._peek()
        self._at += 1
        if not char:
            raise PatternError("'[' is never closed; add ']' or write '\\['", start)
        return _CLASSES.get(char) or _CONTROL.get(char, char)


def _same(char: str) -> Callable[[str], bool]:
    low = char.lower()
    return lambda other: other == low


def _between(low: str, high: str) -> Callable[[str], bool]:
    return lambda other: low <= other <= high or low <= other.upper() <= high
