r"""Regular expressions that take linear time, for any expression and any text.

The expressions of a document model come from its author, and the texts from any page. Python's
``re`` tries alternatives one after the other, which can take years. RE2 does not, but its ``\b``
knows ASCII only. So ``re`` is used here for single characters, and the ways through an expression
are followed all at once (Thompson, Regular expression search algorithm, CACM 1968). The sets of
states reached are kept for the next text. No match is longer than :data:`MOST_CHARS`, so a text of
n characters takes at most n times that many steps.

Known are literal characters, ``.``, classes ``[a-z]`` and ``[^…]``, ``\d \w \s \D \W \S``,
groups, ``|``, the quantifiers ``? * + {n} {n,} {n,m}``, and the places ``^ $ \b``. Case does not
matter. Look-around and references are not known: no machine matches them in linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_CHARS: Final = 160
"""A match has no more characters than this."""
_MOST_STATES: Final = 2_000
_MOST_REPEATS: Final = 60
_DEEPEST: Final = 30
# Steps from one set of states to the next that are kept for later texts.
_MOST_KEPT: Final = 4_000
_ATOM: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[]", re.DOTALL)
_QUANTIFIER: Final = re.compile(r"[?*+]|\{(\d+)(?:(,)(\d*))?\}")
_ESCAPES: Final = "dwsDWSntr"
# What "re" warns of in a class, since it may once mean a set operation.
_CLASS_MARKS: Final = re.compile(r"\\.|[\[&~|]|-(?=-)", re.DOTALL)
# Bits of a context: what is around a place in a text.
_AT_START, _AT_END, _WORD_BEFORE, _WORD_AFTER = 1, 2, 4, 8
_CONTEXTS: Final = range(16)
_END: Final = 0
"""Number of the state that an expression ends with."""

_Builder: TypeAlias = "Callable[[int], int]"
"""Lays out part of an expression before a state; returns the state that the part begins with."""


class PatternError(ValueError):
    """An expression is wrong, or cannot be matched in linear time.

    ``offset`` is the place in the expression, in characters from 0.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class _State:
    """A state of the automaton.

    ``test``
        The pattern of the next character, or ``^``, ``$`` or ``b`` for a place; None for neither.
    ``after``
        The states that follow. A loop adds to it after the state is made.
    """

    test: re.Pattern[str] | str | None
    after: list[int]


class Pattern:
    """A compiled expression.

    Args:
        source: the expression.

    Raises:
        PatternError: it is wrong, too large, or matches the empty text.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._states = [_State(None, [])]
        # Sets of states are sorted tuples.
        self._start: tuple[int, ...] = (_Compiler(source, self._states).compile(),)
        self._closure = lru_cache(_MOST_KEPT)(self._find_closure)
        self._step = lru_cache(_MOST_KEPT)(self._find_step)
        self._may_begin = lru_cache(_MOST_KEPT)(self._find_begin)
        if any(self._closure(self._start, context)[0] == _END for context in _CONTEXTS):
            raise PatternError("it matches the empty text; have it name one character at least", 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)

    def __repr__(self) -> str:
        return f"Pattern({self.source!r})"

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where matches begin and end: from the left, each the longest, none overlapping."""
        at = 0
        while at < len(text):
            end = self._longest(text, at) if self._may_begin(text[at]) else -1
            if end > at:
                yield at, end
            at = max(end, at + 1)

    def covers(self, text: str) -> bool:
        """Tell whether the expression matches a text of its whole length."""
        return next(self.find(text), None) == (0, len(text))

    def _longest(self, text: str, start: int) -> int:
        """Return where the longest match that begins at ``start`` ends; -1 if there is none."""
        here, found = self._start, -1
        limit = min(len(text), start + MOST_CHARS)
        for place in range(start, limit + 1):
            context = _context(text, place)
            if self._closure(here, context)[0] == _END:
                found = place
            here = self._step(here, context, text[place]) if place < limit else ()
            if not here:
                break
        return found

    def _find_begin(self, char: str) -> bool:
        return any(self._find_step(self._start, context, char) for context in _CONTEXTS)

    def _find_closure(self, here: tuple[int, ...], context: int) -> tuple[int, ...]:
        """Return the states reached without reading on."""
        reached: set[int] = set()
        waiting = list(here)
        while waiting:
            number = waiting.pop()
            state = self._states[number]
            if number not in reached:
                reached.add(number)
                if state.test is None or _is_place(state.test, context):
                    waiting += state.after
        return tuple(sorted(reached))

    def _find_step(self, here: tuple[int, ...], context: int, char: str) -> tuple[int, ...]:
        """Return the states reached by reading a character."""
        onward: set[int] = set()
        for number in self._closure(here, context):
            state = self._states[number]
            if isinstance(state.test, re.Pattern) and state.test.match(char):
                onward.update(state.after)
        return tuple(sorted(onward))


def _context(text: str, place: int) -> int:
    context = 0
    if place == 0:
        context |= _AT_START
    elif text[place - 1].isalnum() or text[place - 1] == "_":
        context |= _WORD_BEFORE
    if place == len(text):
        context |= _AT_END
    elif text[place].isalnum() or text[place] == "_":
        context |= _WORD_AFTER
    return context


def _is_place(test: re.Pattern[str] | str, context: int) -> bool:
    if test == "b":
        return bool(context & _WORD_BEFORE) != bool(context & _WORD_AFTER)
    return bool(context & (_AT_START if test == "^" else _AT_END)) and isinstance(test, str)


class _Compiler:
    """Reads an expression from left to right, and lays out its states from right to left.

    Args:
        source: the expression.
        states: takes the states; the first, number 0, is the end of the expression.
    """

    def __init__(self, source: str, states: list[_State]) -> None:
        self._source = source
        self._states = states
        self._at = 0

    def compile(self) -> int:
        """Return the state that the expression begins with."""
        build = self._choice(0)
        if self._at < len(self._source):
            self._fail("')' closes no group; leave it out or write '\\)'")
        return build(0)

    def _fail(self, message: str, offset: int | None = None) -> NoReturn:
        raise PatternError(message, self._at if offset is None else offset)

    def _new(self, test: re.Pattern[str] | str | None, after: list[int]) -> int:
        if len(self._states) >= _MOST_STATES:
            self._fail("it is too large; use smaller repeat counts", 0)
        self._states.append(_State(test, after))
        return len(self._states) - 1

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _choice(self, depth: int) -> _Builder:
        if depth > _DEEPEST:
            self._fail(f"groups nest deeper than {_DEEPEST}; write it flatter")
        options = [self._sequence(depth)]
        while self._peek() == "|":
            self._at += 1
            options.append(self._sequence(depth))
        return lambda then: self._new(None, [option(then) for option in options])

    def _sequence(self, depth: int) -> _Builder:
        parts: list[_Builder] = []
        while (char := self._peek()) and char not in "|)":
            parts.append(self._repeated(self._part(depth)))
        parts.reverse()
        return lambda then: reduce(lambda after, part: part(after), parts, then)

    def _repeated(self, part: _Builder) -> _Builder:
        start, char = self._at, self._peek()
        found = _QUANTIFIER.match(self._source, start)
        if found is None:
            if char == "{":
                self._fail("'{' begins no repeat count; write {2}, {2,} or {2,4}, or '\\{'")
            return part
        self._at = found.end()
        low, high = {"?": (0, 1), "*": (0, -1), "+": (1, -1)}.get(char, (0, 0))
        if char == "{":
            low = int(found[1])
            high = low if not found[2] else int(found[3]) if found[3] else -1
        if max(low, high) > _MOST_REPEATS:
            self._fail(f"a repeat count is above {_MOST_REPEATS}; use a smaller one", start)
        if 0 <= high < low:
            self._fail("a repeat count ends below where it begins; turn it round", start)
        if self._peek() and self._peek() in "?*+{":
            self._fail("a quantifier follows a quantifier; leave one out")
        return lambda then: self._lay_out(part, low, high, then)

    def _lay_out(self, part: _Builder, low: int, high: int, then: int) -> int:
        """Lay out a part ``low`` to ``high`` times; a ``high`` of -1 is without end."""
        here = then
        if high < 0:
            after = [then]
            here = self._new(None, after)
            after.append(part(here))
        for _ in range(high - low):
            here = self._new(None, [then, part(here)])
        for _ in range(low):
            here = part(here)
        return here

    def _part(self, depth: int) -> _Builder:
        start, char = self._at, self._peek()
        if char == "(":
            return self._group(start, depth)
        if char in "?*+{":
            self._fail(f"'{char}' repeats nothing; write '\\{char}' for itself")
        found = _ATOM.match(self._source, start)
        if found is None:
            self._fail("'[' is never closed; add ']' or write '\\['" if char == "["
                       else "a backslash ends it; write '\\\\' for itself")  # fmt: skip
        self._at = found.end()
        atom = found[0]
        if atom in ("^", "$", "\\b"):
            return lambda then: self._new(atom[-1], [then])
        if char == "\\" and atom[1].isalnum() and atom[1] not in _ESCAPES:
            self._fail(f"'{atom}' is not known; see the list of what is", start)
        if char == "[":
            atom = _CLASS_MARKS.sub(
                lambda mark: mark[0] if mark[0][0] == "\\" else f"\\{mark[0]}", atom[1:]
            )
            atom = f"[{atom}"
        try:
            test = re.compile(atom, re.IGNORECASE)
        except re.error as error:
            raise PatternError(f"'{found[0]}' is wrong: {error.msg}", start) from error
        return lambda then: self._new(test, [then])

    def _group(self, start: int, depth: int) -> _Builder:
        self._at += 1
        if self._peek() == "?":
            if not self._source.startswith("?:", self._at):
                self._fail(
                    "'(?' begins what cannot be matched in linear time; use plain groups", start
                )
            self._at += 2
        build = self._choice(depth + 1)
        if self._peek() != ")":
            self._fail("'(' is never closed; add ')' or write '\\('", start)
        self._at += 1
        return build
