r"""MEDL, the multi-level element description language: read, checked, and written.

The element declarations of an XML DTD, with keywords (Lee and Lee 2004, section 3)::

    <!ELEMENT Resume (Education | Experience)*>
    <!KEYWORD Degree KEYTOKENS "ph.d. m.s." KEYPATTERN "\b[bm]\.?sc\b">

Beside the paper's form there are, as in a DTD, ``#PCDATA``, ``EMPTY``, ``ANY`` and comments, and a
third way to identify an element, ``KEYROLE``: by what the page itself shows a block to be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NoReturn

from crawler.core.errors import ModelError
from crawler.core.structure.content import Particle
from crawler.core.structure.model import GROUP, ROLES, TEXT, Element, Model, Rule
from crawler.core.structure.patterns import Pattern, PatternError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.structure.content import Kind, Occurs

MOST_CHARS: Final = 1_000_000
"""A model has no more characters than this."""
_DEEPEST: Final = 40
_MOST_ELEMENTS: Final = 2_000
# An element that a page lacks is put in with all that it has to hold, as often as it is lacking.
_MOST_HELD: Final = 200
_LEXEME: Final = re.compile(
    r"\s++|<!--.*?-->|(?P<declare><!(?!--))|(?P<quote>[\"'])(?P<text>.*?)(?P=quote)"
    r"|(?P<name>#?[A-Za-z][A-Za-z0-9.\-_:]*+)|(?P<mark>[()|,&?*+>])",
    re.DOTALL,
)
_CONNECTORS: Final[dict[str, Kind]] = {",": "sequence", "|": "choice", "&": "all"}
_JOINTS: Final = {"sequence": ", ", "choice": " | ", "all": " & "}
_OCCURS: Final[dict[str, Occurs]] = {"?": "?", "+": "+", "*": "*"}
_TEXT_ALONE: Final = "#PCDATA"
# A name has one colon at most, since XML takes what is before it for a prefix.
_XML_NAME: Final = re.compile(
    r"(?!(?i:xml))[A-Za-z][A-Za-z0-9.\-_]*+(?::[A-Za-z][A-Za-z0-9.\-_]*+)?"
)


@dataclass(frozen=True, slots=True)
class _Lexeme:
    kind: str
    text: str
    offset: int

    def is_mark(self, marks: str) -> bool:
        return self.kind == "mark" and self.text in marks


def parse_model(source: str, name: str = "model") -> Model:
    """Read a model.

    Args:
        source: the text of the model.
        name: what errors call it: the name of its file.

    Raises:
        ModelError: the model is wrong. The message names line and column, counted from 1, and says
            what to do.
    """
    return _Parser(source, name).parse()


class _Parser:
    def __init__(self, source: str, name: str) -> None:
        self._source = source.removeprefix("\ufeff")
        self._name = name
        self._lexemes = self._lex()
        self._ahead = _Lexeme("end", "", 0)
        self._elements: dict[str, Element] = {}
        self._rules: list[tuple[Rule, int]] = []
        self._named: dict[str, int] = {}

    def parse(self) -> Model:
        if len(self._source) > MOST_CHARS:
            self._fail(f"the model has more than {MOST_CHARS:,} characters; is it a model?", 0)
        self._next()
        while self._ahead.kind != "end":
            self._declaration()
        if not self._elements:
            self._fail("there is no <!ELEMENT …>; declare the outermost element first", 0)
        model = Model(dict(self._elements), tuple(rule for rule, _ in self._rules), self._name)
        self._check(model)
        return model

    def _fail(self, message: str, offset: int | None = None) -> NoReturn:
        """Raise the error at an offset; at the next lexeme if none is given."""
        line, column = self._place(self._ahead.offset if offset is None else offset)
        raise ModelError(self._name, line, column, message)

    def _place(self, offset: int) -> tuple[int, int]:
        before = self._source[:offset]
        return before.count("\n") + 1, offset - before.rfind("\n")

    def _lex(self) -> Iterator[_Lexeme]:
        at = 0
        while at < len(self._source):
            found = _LEXEME.match(self._source, at)
            if found is None:
                self._fail(_instead(self._source, at), at)
            if kind := found.lastgroup:
                yield _Lexeme(kind, found[kind], at)
            at = found.end()
        yield _Lexeme("end", "the end of the model", at)

    def _next(self) -> _Lexeme:
        """Take the lexeme ahead and look at the one after."""
        taken = self._ahead
        self._ahead = next(self._lexemes, taken)
        return taken

    def _expect(self, kind: str, wanted: str, mark: str = "") -> _Lexeme:
        if self._ahead.kind != kind or (mark and self._ahead.text != mark):
            self._fail(f"{wanted} belongs here, not {self._ahead.text!r}")
        return self._next()

    def _declaration(self) -> None:
        start = self._expect("declare", "a declaration, <!ELEMENT …> or <!KEYWORD …>,")
        word = self._expect("name", "ELEMENT or KEYWORD")
        if word.text == "ELEMENT":
            self._element()
        elif word.text == "KEYWORD":
            self._keyword(start.offset)
        else:
            self._fail(f"'{word.text}' is no declaration; use ELEMENT or KEYWORD", word.offset)

    def _element_name(self) -> _Lexeme:
        found = self._expect("name", "the name of an element")
        if _XML_NAME.fullmatch(found.text) is None:
            self._fail(
                f"'{found.text}' cannot name an element of XML; begin with a letter, not with "
                "'xml', and have one colon at most, between two names",
                found.offset,
            )
        if found.text in (TEXT, GROUP):
            self._fail(
                f"'{found.text}' is what the result calls text and groups that no element is; "
                "choose another name",
                found.offset,
            )
        return found

    def _element(self) -> None:
        name = self._element_name()
        if name.text in self._elements:
            self._fail(f"'{name.text}' is declared twice; join the two", name.offset)
        if len(self._elements) >= _MOST_ELEMENTS:
            self._fail(f"there are more than {_MOST_ELEMENTS:,} elements; cut it up", name.offset)
        self._named.setdefault(name.text, name.offset)
        if self._ahead.kind == "name" and self._ahead.text in ("EMPTY", "ANY"):
            is_any = self._next().text == "ANY"
            element = Element(name.text, holds_any=is_any, holds_text=is_any)
        elif self._ahead.is_mark("("):
            element = self._content(name.text)
        else:
            self._fail(
                f"'(' and what '{name.text}' may hold belong here, or EMPTY or ANY, "
                f"not {self._ahead.text!r}"
            )
        self._expect("mark", f"'>' at the end of the declaration of '{name.text}'", ">")
        self._elements[name.text] = element

    def _content(self, name: str) -> Element:
        start = self._ahead.offset
        particle, holds_text = self._group(1)
        if not holds_text:
            return Element(name, particle)
        if not particle.parts:
            return Element(name, holds_text=True)
        if particle.occurs != "*" or any(p.kind != "name" or p.occurs for p in particle.parts):
            self._fail(
                f"text among elements is written ({_TEXT_ALONE} | a | b)*, with names alone", start
            )
        return Element(name, particle, holds_text=True)

    def _group(self, depth: int) -> tuple[Particle, bool]:
        """Read a group, and tell whether it has text among its parts."""
        if depth > _DEEPEST:
            self._fail(f"groups nest deeper than {_DEEPEST}")
        start = self._next().offset
        parts: list[Particle] = []
        kind: Kind | None = None
        holds_text = False
        while True:
            if self._ahead.is_mark("("):
                parts.append(self._group(depth + 1)[0])
            elif self._ahead.text == _TEXT_ALONE:
                if depth > 1 or parts or holds_text:
                    self._fail(f"{_TEXT_ALONE} belongs first in the outermost group")
                self._next()
                holds_text = True
            else:
                parts.append(self._named_part())
            if self._ahead.is_mark(")"):
                self._next()
                return self._closed(parts, kind, alone=not holds_text), holds_text
            kind = self._connector(kind, start, holds_text=holds_text)

    def _named_part(self) -> Particle:
        found = self._element_name()
        if found.text == _TEXT_ALONE.removeprefix("#"):
            self._fail(f"text is written {_TEXT_ALONE}, with '#'", found.offset)
        self._named.setdefault(found.text, found.offset)
        return Particle("name", self._occurs(), found.text)

    def _occurs(self) -> Occurs:
        return _OCCURS[self._next().text] if self._ahead.is_mark("?+*") else ""

    def _connector(self, joined: Kind | None, start: int, *, holds_text: bool) -> Kind:
        """Read what joins two parts of the group that begins at ``start``."""
        mark = self._ahead
        if mark.kind != "mark" or mark.text not in _CONNECTORS:
            line, column = self._place(start)
            is_open = f"; '(' at line {line}, column {column} is open"
            self._fail(
                f"',', '|', '&' or ')' belongs here, not {mark.text!r}"
                + (is_open if mark.kind == "end" else "")
            )
        kind = _CONNECTORS[mark.text]
        if joined is not None and joined != kind:
            self._fail(
                f"'{mark.text}' is in a group joined by '{_JOINTS[joined].strip()}'; put "
                "one of them into parentheses of its own"
            )
        if holds_text and kind != "choice":
            self._fail(f"what follows {_TEXT_ALONE} is joined by '|'")
        self._next()
        return kind

    def _closed(self, parts: list[Particle], kind: Kind | None, *, alone: bool) -> Particle:
        occurs = self._occurs()
        if len(parts) == 1 and alone:
            only = parts[0]
            if not occurs or not only.occurs:
                return Particle(only.kind, occurs or only.occurs, only.name, only.parts)
        return Particle(kind or "sequence", occurs, parts=tuple(parts))

    def _keyword(self, start: int) -> None:
        name = self._element_name()
        tokens: tuple[str, ...] = ()
        pattern: Pattern | None = None
        roles: tuple[str, ...] = ()
        given: set[str] = set()
        while self._ahead.kind == "name":
            word = self._next()
            if word.text in given:
                self._fail(f"{word.text} is given twice; join the two", word.offset)
            given.add(word.text)
            text = self._expect("text", f"a text in quotes behind {word.text}")
            if word.text == "KEYTOKENS":
                tokens = tuple(dict.fromkeys(text.text.split()))
            elif word.text == "KEYPATTERN":
                pattern = self._pattern(text)
            elif word.text == "KEYROLE":
                roles = self._roles(text)
            else:
                self._fail(
                    f"'{word.text}' identifies no element; use KEYTOKENS, KEYPATTERN or KEYROLE",
                    word.offset,
                )
        self._expect("mark", "KEYTOKENS, KEYPATTERN, KEYROLE or '>'", ">")
        if not (tokens or pattern or roles):
            self._fail(f"nothing identifies '{name.text}'; add KEYTOKENS \"…\"", start)
        self._rules.append((Rule(name.text, tokens, pattern, roles), name.offset))

    def _pattern(self, text: _Lexeme) -> Pattern:
        try:
            return Pattern(text.text)
        except PatternError as error:
            self._fail(f"the expression is wrong: {error}", text.offset + 1 + error.offset)

    def _roles(self, text: _Lexeme) -> tuple[str, ...]:
        roles = tuple(dict.fromkeys(text.text.split()))
        for role in roles:
            if role not in ROLES:
                self._fail(
                    f"'{role}' is no role; the roles are {', '.join(ROLES)}",
                    text.offset + 1 + text.text.find(role),
                )
        return roles

    def _check(self, model: Model) -> None:
        """Refuse what no page could ever match."""
        known = model.names
        for rule, offset in self._rules:
            if rule.element not in known:
                close = get_close_matches(rule.element, known, 1, 0.6)
                self._fail(
                    f"no element is called '{rule.element}'; "
                    + (f"is it '{close[0]}'?" if close else "name it in what another may hold"),
                    offset,
                )
        sizes = model.sizes
        for name in known:
            least = model.least(name)
            if name not in sizes:
                held = min(each for each in least if each not in sizes)
                self._fail(
                    f"'{name}' always has to hold '{held}', and so without end; make one of "
                    "them optional with '?' or '*'",
                    self._named[name],
                )
            below = sizes[name] - 1
            if below > len(least) + _MOST_HELD:
                number = f"{below:,}" if below < 10**9 else f"more than {10**9:,}"
                self._fail(
                    f"'{name}' always has to hold {number} elements, those within others among "
                    "them; make some of them optional with '?' or '*'",
                    self._named[name],
                )


def _instead(source: str, at: int) -> str:
    """Return what is wrong with text that is no lexeme, and what to do."""
    if source[at] in "\"'":
        return f"this text is never closed; add {source[at]}"
    if source.startswith("<!--", at):
        return "this comment is never closed; add '-->'"
    instead = "leave it out"
    if source[at].isalpha():
        instead = "names are written in the letters A to Z, tokens in quotes"
    elif source.startswith("<?", at):
        instead = "a model begins with its first <!ELEMENT …>, without <?xml …?>"
    return f"{source[at]!r} has no meaning here; {instead}"


def write_model(model: Model) -> str:
    """Write a model as MEDL; reading that gives the same model."""
    lines = [
        f"<!ELEMENT {element.name} {_written(element)}>" for element in model.elements.values()
    ]
    for rule in model.rules:
        pattern = rule.pattern.source if rule.pattern else ""
        said = [
            f"{word} '{text}'" if '"' in text else f'{word} "{text}"'
            for word, text in (
                ("KEYTOKENS", " ".join(rule.tokens)),
                ("KEYPATTERN", pattern),
                ("KEYROLE", " ".join(rule.roles)),
            )
            if text
        ]
        lines.append(f"<!KEYWORD {rule.element} {' '.join(said)}>")
    return "\n".join(lines) + "\n"


def _written(element: Element) -> str:
    if element.holds_any:
        return "ANY"
    if element.content is None:
        return f"({_TEXT_ALONE})" if element.holds_text else "EMPTY"
    if element.holds_text:
        return f"({' | '.join((_TEXT_ALONE, *element.content.names()))})*"
    text = _particle(element.content)
    return text if text.startswith("(") else f"({text})"


def _particle(particle: Particle) -> str:
    if particle.kind == "name":
        return particle.name + particle.occurs
    return f"({_JOINTS[particle.kind].join(map(_particle, particle.parts))}){particle.occurs}"
