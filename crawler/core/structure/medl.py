r"""MEDL, the multi-level element description language: read and checked.

The element declarations of an XML DTD, with keywords (Lee and Lee 2004, section 3)::

    <!ELEMENT Resume (Education | Experience)*>
    <!KEYWORD Degree KEYTOKENS "ph.d. m.s." KEYPATTERN "\b[bm]\.?sc\b">

Beside the paper's form there are, as in a DTD, ``#PCDATA``, ``EMPTY``, ``ANY`` and comments, and a
third way to identify an element, ``KEYROLE``: by what the page itself shows a block to be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple, NoReturn, cast

from crawler.core.errors import ModelError
from crawler.core.structure.model import (
    GROUP,
    ROLES,
    TEXT,
    Element,
    Kind,
    Model,
    Occurs,
    Particle,
    Rule,
)
from crawler.core.wording import did_you_mean

MOST_CHARS: Final = 1_000_000
"""A model has no more characters than this."""
_DEEPEST: Final = 40
_MOST_ELEMENTS: Final = 2_000
# An element that a page lacks is put in with all that it has to hold, as often as it is lacking.
_MOST_HELD: Final = 200
_LEXEME: Final = re.compile(
    r"\s++|<!--.*?-->|(?P<declare><!(?!--))|(?P<quote>[\"'])(?P<text>.*?)(?P=quote)"
    r"|(?P<name>#?[A-Za-z][A-Za-z0-9.\-_:]*+)|(?P<mark>[()|,&?*+>])|(?P<wrong>.)",
    re.DOTALL,
)
_CONNECTORS: Final[dict[str, Kind]] = {",": "sequence", "|": "choice", "&": "all"}
_TEXT_ALONE: Final = "#PCDATA"
# A name has one colon at most, since XML takes what is before it for a prefix.
_XML_NAME: Final = re.compile(
    rf"(?!(?i:xml)|(?:{TEXT}|{GROUP}|PCDATA)\Z)[A-Za-z][A-Za-z0-9.\-_]*+(?::[A-Za-z][A-Za-z0-9.\-_]*+)?"
)
# Limits of a pattern, and of the warnings of a model.
_PATTERN_CHARS: Final = 2_000
_MOST_WARNINGS: Final = 20
# A repeated group with a repeat in it that begins with no mark, as "(a+)+", or with alternatives
# that may begin alike, as "(a|ab)*", may match a text in exponentially many ways.
_ATOMS: Final = r"(?:\\.|\[\^?+\]?+(?:\\.|[^\]\\])*+\]|[^()\[\\])"
_REPEAT: Final = r"(?:[*+]|\{\d*,\}|\{(?:\d+,)?\d{2,}\})"
_AMBIGUOUS: Final = re.compile(
    rf"\((?:\?:)?(?!\\\W|[^\w\\.(\[]){_ATOMS}*?(?:[*+]|\{{\d*,\}}){_ATOMS}*+\){_REPEAT}"
)
_GROUP: Final = re.compile(rf"(?<!\\)\((?:\?:|\?P<\w+>)?({_ATOMS}*+)\)({_REPEAT}?)")
_CLEAR_BEGIN: Final = re.compile(r"[^\\\[.^$](?![?*{])")


class _Lexeme(NamedTuple):
    kind: str
    text: str
    offset: int


def parse_model(source: str, name: str = "model") -> Model:
    """Read a model; ``name`` is what errors call it, as by the name of its file.

    Raises:
        ModelError: the model is wrong. The message names line and column, counted from 1, and says
            what to do.
    """
    return _Parser(source.removeprefix("\ufeff"), name).parse()


class _Parser:
    """Reads one model. ``_ahead`` is the lexeme that is read next."""

    def __init__(self, source: str, name: str) -> None:
        self._source = source
        self._name = name
        self._lexemes = _LEXEME.finditer(source)
        self._ahead = _Lexeme("end", "", 0)
        self._elements: dict[str, Element] = {}
        self._rules: list[tuple[Rule, int]] = []
        # By name, where an element is first named.
        self._named: dict[str, int] = {}

    def parse(self) -> Model:
        if len(self._source) > MOST_CHARS:
            self._fail(f"the model has more than {MOST_CHARS:,} characters; is it a model?", 0)
        self._next()
        while self._ahead.kind != "end":
            start = self._expect("declare", "a declaration, <!ELEMENT …> or <!KEYWORD …>,").offset
            word = self._expect("name", "ELEMENT or KEYWORD")
            if word.text == "ELEMENT":
                self._element()
            elif word.text == "KEYWORD":
                self._keyword(start)
            else:
                self._fail(f"'{word.text}' is no declaration; use ELEMENT or KEYWORD", word.offset)
        if not self._elements:
            self._fail("there is no <!ELEMENT …>; declare the outermost element first", 0)
        model = Model(self._elements, (), self._name)
        self._check(model)
        rules, warnings = self._of_elements(model.names)
        return replace(model, rules=rules, warnings=warnings)

    def _fail(self, message: str, offset: int | None = None) -> NoReturn:
        """Raise the error at an offset; at the next lexeme if none is given."""
        offset = self._ahead.offset if offset is None else offset
        column = offset - self._source.rfind("\n", 0, offset)
        raise ModelError(self._name, self._line(offset), column, message)

    def _line(self, offset: int) -> int:
        return self._source.count("\n", 0, offset) + 1

    def _next(self) -> _Lexeme:
        """Take the lexeme ahead and look at the one after."""
        taken = self._ahead
        self._ahead = _Lexeme("end", "the end of the model", len(self._source))
        for found in self._lexemes:
            if kind := found.lastgroup:
                self._ahead = _Lexeme(kind, found[kind], found.start())
                break
        return taken

    def _expect(self, kind: str, wanted: str, marks: str = "") -> _Lexeme:
        if self._ahead.kind != kind or (marks and self._ahead.text not in marks):
            self._fail(f"{wanted} belongs here, not {self._ahead.text!r}")
        return self._next()

    def _is_mark(self, marks: str) -> bool:
        return self._ahead.kind == "mark" and self._ahead.text in marks

    def _element_name(self) -> _Lexeme:
        found = self._expect("name", "the name of an element, in the letters A to Z,")
        if _XML_NAME.fullmatch(found.text) is None:
            self._fail(
                f"'{found.text}' cannot name an element: a name begins with a letter, not with "
                f"'xml', has one colon at most, and is not {TEXT}, {GROUP} or PCDATA",
                found.offset,
            )
        return found

    def _element(self) -> None:
        _, name, at = self._element_name()
        if name in self._elements:
            self._fail(f"'{name}' is declared twice; join the two", at)
        if len(self._elements) >= _MOST_ELEMENTS:
            self._fail(f"there are more than {_MOST_ELEMENTS:,} elements; cut it up", at)
        self._named.setdefault(name, at)
        start = self._ahead.offset
        if self._is_mark("("):
            particle, holds_text = self._group(1)
            plain = all(part.kind == "name" and not part.occurs for part in particle.parts)
            if holds_text and particle.parts and not (plain and particle.occurs == "*"):
                self._fail(f"text among elements is ({_TEXT_ALONE} | a | b)*, names alone", start)
            content = Particle("sequence") if holds_text and not particle.parts else particle
            element = Element(name, content, holds_text=holds_text)
        elif self._ahead.text in ("EMPTY", "ANY"):
            is_any = self._next().text == "ANY"
            element = Element(name, holds_any=is_any, holds_text=is_any)
        else:
            self._fail(f"what '{name}' may hold, in parentheses, or EMPTY or ANY belongs here")
        self._expect("mark", f"'>' at the end of the declaration of '{name}'", ">")
        self._elements[name] = element

    def _group(self, depth: int) -> tuple[Particle, bool]:
        """Read a group, and tell whether it has text among its parts."""
        if depth > _DEEPEST:
            self._fail(f"groups nest deeper than {_DEEPEST}")
        self._next()
        parts: list[Particle] = []
        joint = ""
        holds_text = False
        while True:
            if self._is_mark("("):
                parts.append(self._group(depth + 1)[0])
            elif self._ahead.text == _TEXT_ALONE:
                if depth > 1 or parts or holds_text:
                    self._fail(f"{_TEXT_ALONE} belongs first in the outermost group")
                self._next()
                holds_text = True
            else:
                _, name, at = self._element_name()
                self._named.setdefault(name, at)
                parts.append(Particle("name", self._occurs(), name))
            mark = self._ahead
            self._expect("mark", "',', '|', '&' or ')'", ",|&)")
            if mark.text == ")":
                break
            if joint not in ("", mark.text) or (holds_text and mark.text != "|"):
                self._fail(
                    f"one mark joins all parts of a group, not '{mark.text}' besides; it is '|' "
                    f"behind {_TEXT_ALONE}",
                    mark.offset,
                )
            joint = mark.text
        occurs = self._occurs()
        if len(parts) == 1 and not holds_text and not (occurs and parts[0].occurs):
            return replace(parts[0], occurs=occurs or parts[0].occurs), False
        return Particle(_CONNECTORS[joint or ","], occurs, parts=tuple(parts)), holds_text

    def _occurs(self) -> Occurs:
        return cast("Occurs", self._next().text) if self._is_mark("?+*") else ""

    def _keyword(self, start: int) -> None:
        _, name, at = self._element_name()
        given = dict.fromkeys(("KEYTOKENS", "KEYPATTERN", "KEYROLE"), _Lexeme("text", "", 0))
        known = ", ".join(given)
        while self._ahead.kind == "name":
            word = self._next()
            if word.text not in given:
                self._fail(f"'{word.text}' identifies no element; use {known}", word.offset)
            if given[word.text].offset:
                self._fail(f"{word.text} is given twice; join the two", word.offset)
            given[word.text] = self._expect("text", f"a text in quotes behind {word.text}")
        self._expect("mark", f"{known} or '>'", ">")
        tokens, pattern, roles = given.values()
        if not (tokens.text.split() or pattern.offset or roles.text.split()):
            self._fail(f"nothing identifies '{name}'; add KEYTOKENS \"…\"", start)
        for role in roles.text.split():
            if role not in ROLES:
                place = roles.offset + 1 + roles.text.find(role)
                self._fail(f"'{role}' is no role; the roles are {', '.join(ROLES)}", place)
        rule = Rule(
            name,
            tuple(dict.fromkeys(tokens.text.split())),
            self._pattern(pattern) if pattern.offset else None,
            tuple(dict.fromkeys(roles.text.split())),
        )
        self._rules.append((rule, at))

    def _pattern(self, text: _Lexeme) -> re.Pattern[str]:
        if len(text.text) > _PATTERN_CHARS:
            self._fail(f"the expression has more than {_PATTERN_CHARS:,} characters", text.offset)
        try:
            pattern = re.compile(text.text, re.IGNORECASE)
        except re.error as error:
            self._fail(f"the expression is wrong: {error}", text.offset + 1 + (error.pos or 0))
        except (OverflowError, RecursionError) as error:
            self._fail(f"the expression is wrong: {error}", text.offset)
        if pattern.match(""):
            self._fail("the expression matches the empty text; have it ask for more", text.offset)
        if found := _ambiguous_part(text.text):
            self._fail(
                f"{found} repeats what repeats or begins alike, and may take very long; begin the "
                "group with a mark, as in (,a+)+, leave one repeat out, or write [ab] for (a|b)",
                text.offset + 1 + text.text.find(found),
            )
        return pattern

    def _check(self, model: Model) -> None:
        """Refuse what no page could ever match."""
        for name in model.names:
            below = model.sizes.get(name, math.inf) - 1
            if below > len(model.least(name)) + _MOST_HELD:
                number = f"{below:,}" if below < 10**9 else "endlessly many"
                self._fail(
                    f"'{name}' always has to hold {number} elements, those within others among "
                    "them; make some of them optional with '?' or '*'",
                    self._named[name],
                )

    def _of_elements(self, names: tuple[str, ...]) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
        """Return the rules of elements that there are, and a warning of each other name.

        Figure 2 of the paper has keywords for elements that no content model names. A name that
        differs in case alone is taken for that of the element.
        """
        folded = {name.casefold(): name for name in reversed(names)}
        known = frozenset(names)
        rules: list[Rule] = []
        warnings: dict[str, str] = {}
        more = f"{self._name}: there are more than {_MOST_WARNINGS} names with such keywords"
        for rule, offset in self._rules:
            alike = folded.get(rule.element.casefold())
            name = rule.element if rule.element in known else alike
            done = "they are left out; put it into what an element may hold, or correct the name"
            if name is not None:
                rules.append(replace(rule, element=name))
                done = f"they are taken for those of '{name}'; write both names alike"
            if len(warnings) == _MOST_WARNINGS:
                warnings.setdefault("", more)
            elif name != rule.element and rule.element not in warnings and "" not in warnings:
                close = "" if name else did_you_mean(rule.element, names)
                warnings[rule.element] = (
                    f"{self._name}, line {self._line(offset)}: there are keywords of "
                    f"'{rule.element}', and no element of that name{close}: {done}"
                )
        return tuple(rules), tuple(warnings.values())


def _ambiguous_part(pattern: str) -> str | None:
    """Return a group of a pattern that may match a text in exponentially many ways, if any."""
    while True:
        if found := _AMBIGUOUS.search(pattern):
            return found[0]
        for group in _GROUP.finditer(pattern):
            parts = group[1].split("|")
            repeats = (_AMBIGUOUS.search(f"({part})+") for part in parts)
            if group[2] and (not _is_clear(parts) or any(repeats)):
                return group[0]
        # Go on with the groups around.
        outer = _GROUP.sub(_as_part, pattern)
        if outer == pattern:
            return None
        pattern = outer


def _is_clear(parts: Sequence[str]) -> bool:
    """Tell whether the first character tells which of a group's alternatives is meant."""
    first = [found[0].lower() for found in map(_CLEAR_BEGIN.match, parts) if found]
    return len(parts) == 1 or len(set(first)) == len(parts)


def _as_part(group: re.Match[str]) -> str:
    """Return what a group without groups is to the one around it, as atoms of a pattern."""
    if not _is_clear(group[1].split("|")):
        return ".|."
    return ".+" if group[2] else group[1].replace("|", "")
