r"""MEDL, the multi-level element description language: read and checked.

The element declarations of an XML DTD, with keywords (Lee and Lee 2004, section 3)::

    <!ELEMENT Resume (Education | Experience)*>
    <!KEYWORD Degree KEYTOKENS "ph.d. m.s." KEYPATTERN "\b[bm]\.?sc\b">

Beside the paper's form there are, as in a DTD, ``#PCDATA``, ``EMPTY``, ``ANY`` and comments, and a
third way to identify an element, ``KEYROLE``: by what the page itself shows a block to be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from crawler.core.errors import ModelError
from crawler.core.structure.model import GROUP, ROLES, TEXT, Element, Model, Particle, Rule
from crawler.core.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.structure.model import Kind, Occurs

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
_OCCURS: Final[dict[str, Occurs]] = {"?": "?", "+": "+", "*": "*"}
_TEXT_ALONE: Final = "#PCDATA"
# A name has one colon at most, since XML takes what is before it for a prefix.
_XML_NAME: Final = re.compile(
    r"(?!(?i:xml))[A-Za-z][A-Za-z0-9.\-_]*+(?::[A-Za-z][A-Za-z0-9.\-_]*+)?"
)
# A repeated group with a repeat in it that begins with no mark, as "(a+)+", may match a text in
# exponentially many ways.
_ATOMS: Final = r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()\[\\])"
_AMBIGUOUS: Final = re.compile(
    rf"\((?:\?:)?(?!\\\W|[^\w\\.(\[]){_ATOMS}*?(?:[*+]|\{{\d*,\}}){_ATOMS}*\)(?:[*+]|\{{\d*,\}})"
)


class _Lexeme(NamedTuple):
    kind: str
    text: str
    offset: int


def parse_model(source: str, name: str = "model") -> Model:
    """Read a model.

    Args:
        source: the text of the model.
        name: what errors call it: the name of its file.

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
        self._lexemes = self._lex()
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
        model = Model(self._elements, tuple(rule for rule, _ in self._rules), self._name)
        self._check(model)
        return model

    def _fail(self, message: str, offset: int | None = None) -> NoReturn:
        """Raise the error at an offset; at the next lexeme if none is given."""
        offset = self._ahead.offset if offset is None else offset
        before = self._source[:offset]
        line, column = before.count("\n") + 1, offset - before.rfind("\n")
        raise ModelError(self._name, line, column, message)

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
        if self._ahead.kind != kind or mark not in self._ahead.text:
            self._fail(f"{wanted} belongs here, not {self._ahead.text!r}")
        return self._next()

    def _is_mark(self, marks: str) -> bool:
        return self._ahead.kind == "mark" and self._ahead.text in marks

    def _element_name(self) -> str:
        found = self._expect("name", "the name of an element")
        if _XML_NAME.fullmatch(found.text) is None:
            self._fail(
                f"'{found.text}' cannot name an element of XML; begin with a letter, not with "
                "'xml', and have one colon at most, between two names",
                found.offset,
            )
        if found.text in (TEXT, GROUP, _TEXT_ALONE[1:]):
            self._fail(
                f"'{found.text}' has a meaning of its own: results call text {TEXT} and groups "
                f"{GROUP}, and models write text {_TEXT_ALONE}; choose another name",
                found.offset,
            )
        return found.text

    def _element(self) -> None:
        at = self._ahead.offset
        name = self._element_name()
        if name in self._elements:
            self._fail(f"'{name}' is declared twice; join the two", at)
        if len(self._elements) >= _MOST_ELEMENTS:
            self._fail(f"there are more than {_MOST_ELEMENTS:,} elements; cut it up", at)
        self._named.setdefault(name, at)
        if self._is_mark("("):
            element = self._content(name)
        elif self._ahead.text in ("EMPTY", "ANY"):
            is_any = self._next().text == "ANY"
            element = Element(name, holds_any=is_any, holds_text=is_any)
        else:
            wanted = f"'(' and what '{name}' may hold belong here, or EMPTY or ANY"
            self._fail(f"{wanted}, not {self._ahead.text!r}")
        self._expect("mark", f"'>' at the end of the declaration of '{name}'", ">")
        self._elements[name] = element

    def _content(self, name: str) -> Element:
        start = self._ahead.offset
        particle, holds_text = self._group(1)
        if not particle.parts and holds_text:
            return Element(name, holds_text=True)
        plain = all(part.kind == "name" and not part.occurs for part in particle.parts)
        if holds_text and not (plain and particle.occurs == "*"):
            self._fail(
                f"text among elements is written ({_TEXT_ALONE} | a | b)*, with names alone", start
            )
        return Element(name, particle, holds_text=holds_text)

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
                at = self._ahead.offset
                name = self._element_name()
                self._named.setdefault(name, at)
                parts.append(Particle("name", self._occurs(), name))
            if self._is_mark(")"):
                break
            joint = self._joint(joint, holds_text=holds_text)
        self._next()
        occurs = self._occurs()
        if len(parts) == 1 and not holds_text and not (occurs and parts[0].occurs):
            only = parts[0]
            return Particle(only.kind, occurs or only.occurs, only.name, only.parts), False
        return Particle(_CONNECTORS[joint or ","], occurs, parts=tuple(parts)), holds_text

    def _occurs(self) -> Occurs:
        return _OCCURS[self._next().text] if self._is_mark("?+*") else ""

    def _joint(self, before: str, *, holds_text: bool) -> str:
        """Read the mark that joins two parts of a group, whose other parts ``before`` joins."""
        mark = self._ahead.text
        if not self._is_mark(",|&"):
            self._fail(f"',', '|', '&' or ')' belongs here, not {mark!r}")
        if before not in ("", mark):
            self._fail(
                f"'{mark}' is in a group joined by '{before}'; put one of them into parentheses of "
                "its own"
            )
        if holds_text and mark != "|":
            self._fail(f"what follows {_TEXT_ALONE} is joined by '|'")
        return self._next().text

    def _keyword(self, start: int) -> None:
        at = self._ahead.offset
        name = self._element_name()
        given: dict[str, _Lexeme] = {}
        while self._ahead.kind == "name":
            word = self._next()
            if word.text in given:
                self._fail(f"{word.text} is given twice; join the two", word.offset)
            if word.text not in ("KEYTOKENS", "KEYPATTERN", "KEYROLE"):
                self._fail(
                    f"'{word.text}' identifies no element; use KEYTOKENS, KEYPATTERN or KEYROLE",
                    word.offset,
                )
            given[word.text] = self._expect("text", f"a text in quotes behind {word.text}")
        self._expect("mark", "KEYTOKENS, KEYPATTERN, KEYROLE or '>'", ">")
        none = _Lexeme("text", "", 0)
        rule = Rule(
            name,
            tuple(dict.fromkeys(given.get("KEYTOKENS", none).text.split())),
            self._pattern(given["KEYPATTERN"]) if "KEYPATTERN" in given else None,
            self._roles(given.get("KEYROLE", none)),
        )
        if not (rule.tokens or rule.pattern or rule.roles):
            self._fail(f"nothing identifies '{name}'; add KEYTOKENS \"…\"", start)
        self._rules.append((rule, at))

    def _pattern(self, text: _Lexeme) -> re.Pattern[str]:
        try:
            pattern = re.compile(text.text, re.IGNORECASE)
        except re.error as error:
            self._fail(f"the expression is wrong: {error}", text.offset + 1 + (error.pos or 0))
        if pattern.match(""):
            self._fail("the expression matches the empty text; have it ask for more", text.offset)
        if found := _AMBIGUOUS.search(text.text):
            self._fail(
                f"{found[0]} repeats what repeats, and may take very long; begin the group with a "
                "mark, as in (,a+)+, or leave one repeat out",
                text.offset + 1 + found.start(),
            )
        return pattern

    def _roles(self, text: _Lexeme) -> tuple[str, ...]:
        roles = tuple(dict.fromkeys(text.text.split()))
        for role in roles:
            if role not in ROLES:
                at = text.offset + 1 + text.text.find(role)
                self._fail(f"'{role}' is no role; the roles are {', '.join(ROLES)}", at)
        return roles

    def _check(self, model: Model) -> None:
        """Refuse what no page could ever match."""
        known = model.names
        for rule, offset in self._rules:
            if rule.element not in known:
                close = did_you_mean(rule.element, known)
                self._fail(f"no element is called '{rule.element}'{close}", offset)
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
    if source.startswith("<?", at):
        return "a model begins with its first <!ELEMENT …>, without <?xml …?>"
    return f"{source[at]!r} has no meaning here; names are in the letters A to Z, tokens in quotes"
