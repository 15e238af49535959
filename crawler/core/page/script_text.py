"""Text that a page holds in its scripts: in JSON-LD, in the state of a framework, in templates.

Scripts are read, never run. Values of JSON are found wherever a script sets or passes one, and
strings that are JSON are read in turn. Else the strings of a state, or the bodies of articles in
JSON-LD, are found by their double quotes.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from crawler.core.page.text import DENSE
from crawler.core.patterns import compiled_later

if TYPE_CHECKING:
    from crawler.core.page.parse import ParsedPage

JSON_LD, STATE, TEMPLATE = "json-ld", "script", "template"
_DECODER = json.JSONDecoder(strict=False)
LEAST = 200
"""A text of fewer letters is no article; a letter of a dense script counts double."""
# Limits of the work on one page: characters of scripts, values of JSON, strings that are compared.
_MOST_CHARS, _MOST_VALUES, _MOST_TEXTS = 4_000_000, 100_000, 40
_MOST_STATES, _MOST_PARAGRAPHS = 100, 2_000
_DEPTH = 8
_NAME_CHARS = 100
_TEMPLATES = ("template", "tmpl", "handlebars", "mustache", "text/html")
_PROGRAMS = ("", "module", "text/javascript", "application/javascript")
# Where a script sets or passes an object or a list as JSON writes them, or JSON in a string.
_STATE = compiled_later(r"[=(]\s{0,20}(?=\"[{\[]|\{\s{0,20}\"|\[\s{0,20}[{\[\"])")
# Frameworks name their state so; it may be a function that JavaScript has to call.
_FRAMEWORK = compiled_later(r"__(?:[A-Z][A-Z_]{2,40}__|sveltekit_)")
# Strings and names are tried where they may begin alone: each place of a script is read once.
_STRING = r'((?<!\\)"(?:[^"\\]++|\\.)*+")'
_NAME = r'(?:"?(?<!\w)(\w{1,99}+)"?\s{0,9}:\s{0,9})?'
_NAMED_STRING = compiled_later(_NAME + _STRING, re.DOTALL)
# React sends rows: "1f:" and JSON, or "1f:T", the length of a text in bytes, a comma, and the text.
_PUSHED = compiled_later(rf"__next_f\.push\(\[1,\s?{_STRING}\]", re.DOTALL)
_ROW = compiled_later(r"^[0-9a-f]{1,6}:(?:T([0-9a-f]{1,6}),)?", re.MULTILINE)
# The one property of JSON-LD that is the text of an article; others are summaries.
_BODY = "articleBody"
_NO_LETTER = compiled_later(r"[\W_]+")
_HEX = compiled_later(r"\\x([0-9A-Fa-f]{2})")
# Names of what is not the text of the page.
_APART = compiled_later(
    r"descript|summary|excerpt|abstract|cookie|consent|gdpr|privacy|legal|terms|disclaimer|policy"
    r"|footer|newsletter|subscri|add_?to_?cart|checkout|product(?!i)"
    r"|intl|locale|translation|messages|comment|reply|replies|related|recommend|sidebar"
    r"|advert|promo|seo|meta|css|i18n",
    re.IGNORECASE,
)
# What holds other values, and the shortest string that may be a text.
_HOLD = frozenset((dict, list))
_LEAST = LEAST // 2
# Names of titles, the best first.
_BY_RANK = ("headline", "title", "name")
_TITLES = frozenset(_BY_RANK)
# Properties in which editors keep the pieces of a paragraph.
_RUNNING = frozenset(
    ("text", "value", "content", "html", "body", "paragraph", "children", "data", "attributes")
)
# An item of a list that has one of these, or a title by any name, is no paragraph.
_THINGS = frozenset(
    ("headline", "name", "url", "link", "href", "slug", "author", "user", "username", "date",
     "created_at", "createdAt", "published", "publishedAt", "price", "rating", "image")
)  # fmt: skip
_HEADING = compiled_later(r"h[1-6]|head(?:ing|er)(?:-[1-6])?")
# What its kind calls a paragraph may have a name, as those of Medium do.
_IS_PARAGRAPH = compiled_later(r"p|\w{0,30}paragraph(?:block)?")
# Apollo keeps the objects of a state in one, which has this, and refers to them by their names: in
# "__ref", or in "id" before its version 3.
_STORE = "ROOT_QUERY"
# A long paragraph has so many letters; a list of paragraphs has so many long ones, and they are one
# in so many of its items at least.
_PARAGRAPH, _PARAGRAPHS, _SHARE_OF_LIST = 60, 3, 3
_TAG = compiled_later(r"</?[A-Za-z][^<>]*+>|<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_TAG = compiled_later(
    r"<(?:p|br|div|h[1-6]|li|tr|section|article|blockquote)\b", re.IGNORECASE
)
_LINE_END = compiled_later(r"[\n\r\u2028\u2029]+")
_FILLED_LATER = ("{{", "{%", "<%", "${")
# Prose is letters and spaces, with few signs of code; words of Latin letters are not this long.
_SAMPLE, _LETTERS, _SIGNS, _WORD = 1_000, 0.65, 0.02, 20
_CODE = compiled_later(r"[{}<>=;_|\\]")


@dataclass(frozen=True, slots=True)
class ScriptText:
    """A text in a script.

    Attributes:
        source: ``json-ld``, ``script`` or ``template``.
        title: what the object with the text, or one around it, is called; empty for nothing.
        markup: the text as HTML.
        letters: its letters and digits alone.
    """

    source: str
    title: str
    markup: str
    letters: str


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, by which two forms of it are compared.

    Capitals are small letters, one for one: "\u00df" stays as it is.
    """
    letters = _NO_LETTER.sub("", text)
    folded = letters.casefold()
    if len(folded) == len(letters):
        return folded
    return "".join(low if len(low := char.casefold()) == 1 else char for char in letters)


def weight(text: str) -> int:
    """Return the length of a text; a letter of a dense script counts double."""
    return len(text) + (0 if text.isascii() else len(DENSE.findall(text)))


def script_texts(parsed: ParsedPage, least: int) -> list[ScriptText]:
    """Return the prose in the scripts of a page, the longest first.

    Args:
        parsed: the page.
        least: letters that a text has to have.
    """
    least = max(least, _LEAST)
    raw = [
        (source, title, text)
        for source, script in _scripts(parsed)
        if len(script) >= least
        for title, text in _strings(source, script)
        if len(text) >= least and weight(text) >= LEAST
    ]
    raw.sort(key=lambda each: -len(each[2]))
    found = []
    for source, title, text in raw[:_MOST_TEXTS]:
        markup = _markup(text)
        plain = html.unescape(_TAG.sub(" ", markup))
        letters = letters_of(plain)
        if len(letters) >= least and weight(letters) >= LEAST and _is_prose(plain):
            found.append(ScriptText(source, title, markup, letters))
    return sorted(found, key=lambda each: -len(each.letters))


def _scripts(parsed: ParsedPage) -> Iterator[tuple[str, str]]:
    """Yield kind and content of what may hold a text."""
    templates, rows, rest = "", "", _MOST_CHARS
    for script in parsed.named["script"]:
        text = script.text or ""
        if not 0 < len(text) <= rest:
            continue
        rest -= len(text)
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if any(map(kind.__contains__, _TEMPLATES)):
            # An article may be in several.
            templates += "" if any(map(text.__contains__, _FILLED_LATER)) else text
        elif "ld+json" in kind:
            yield from [(JSON_LD, text)] if _BODY in text else []
        elif "__next_f" in text:
            rows += "".join(str(_decoded(each) or "") for each in _PUSHED.findall(text))
        elif "json" in kind or kind in _PROGRAMS:
            yield STATE, text
    yield TEMPLATE, templates
    yield STATE, _assigned(rows)
    for root in parsed.roots:
        for element in root.iterfind("body/*"):  # as Inertia writes its state
            yield STATE, (element.get("data-page") or "")[:rest]


def _assigned(rows: str) -> str:
    """Return the rows of a page as React sends it as a script that sets variables."""
    found, at = [], 0
    while row := _ROW.search(rows, at):
        found.append(rows[at : row.start()])
        at = row.end()
        if row[1]:
            size = int(row[1], 16)
            text = rows[at : at + size].encode("utf-8", "replace")[:size].decode("utf-8", "ignore")
            found.append(json.dumps([text]))
            at += len(text)
    return "\n=".join((*found, rows[at:]))


def _strings(source: str, script: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of each string, or list of paragraphs, that may be a text."""
    if source is TEMPLATE:
        yield "", script
        return
    is_read = False
    for value in _values(script):
        is_read = True
        for name, title, here in _objects(value):
            if source is STATE or name == _BODY:
                yield title, here if isinstance(here, str) else _paragraphs(here)
    if not is_read and (source is JSON_LD or _FRAMEWORK.search(script)):
        for name, quoted in _NAMED_STRING.findall(script):
            if len(quoted) >= _LEAST and (name == _BODY or source is STATE):
                text = _decoded(_HEX.sub(r"\\u00\1", quoted))
                yield "", text if isinstance(text, str) and not _is_apart(name) else ""


def _values(script: str) -> Iterator[Any]:
    """Yield the JSON values of a script: all of it, or what it sets variables to or passes on."""
    script, at = f"={script.lstrip()}", 0
    # What has no name in double quotes, and is no list, is a program.
    for _ in range(_MOST_STATES if '":' in script or script[1:2] == "[" else 0):
        match = _STATE.search(script, at)
        if match is None:
            return
        at = match.end()
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(script, at)
            size, at = end - at, end
            if size >= _LEAST and (isinstance(value, (dict, list)) or _decoded(value)):
                yield value


def _decoded(text: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _objects(value: Any) -> Iterator[tuple[str, str, str | list[Any]]]:  # noqa: ANN401 - any JSON
    """Yield the long strings and the lists in a JSON value: name, title around it, and itself."""
    stack: list[tuple[str, str, Any]] = [("", "", value)]
    store: dict[str, Any] = {}
    for _ in range(_MOST_VALUES):
        if not stack:
            return
        name, title, here = stack.pop()
        if type(here) is str and here[:1] in ("{", "["):
            here = _decoded(here) or here
        # JSON makes no objects of other classes; most are numbers and short strings.
        if type(here) is dict:
            store = here if _STORE in here else store
            if not _TITLES.isdisjoint(here):
                titles = (here.get(each) for each in _BY_RANK)
                title = next((each for each in titles if each and isinstance(each, str)), title)
            stack += [
                (name, title, each)
                for name, each in here.items()
                if (len(each) >= _LEAST if type(each) is str else type(each) in _HOLD)
                and not _is_apart(name)
            ]
        elif type(here) is list:
            stack += [
                (name, title, each)
                for each in here
                if (len(each) >= _LEAST if type(each) is str else type(each) in _HOLD)
            ]
            yield name, title, [_referred(each, store) for each in here] if store else here
        elif type(here) is str:
            yield name, title, here


def _referred(item: Any, store: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return the object that an item refers to, or the item."""
    name = (item.get("__ref") or item.get("id")) if isinstance(item, dict) else None
    return store.get(name, item) if isinstance(name, str) else item


@lru_cache(maxsize=1 << 12)
def _is_apart(name: str) -> bool:
    return _APART.search(name[:_NAME_CHARS]) is not None


def _paragraphs(items: list[Any]) -> str:
    """Return a list of paragraphs as HTML; empty for any other list."""
    if not _PARAGRAPHS <= len(items) <= _MOST_PARAGRAPHS:
        return ""
    lines = [_running(item, _DEPTH).strip() for item in items]
    long = sum(weight(line) >= _PARAGRAPH for line in lines)
    if long < _PARAGRAPHS or long * _SHARE_OF_LIST < len(items):
        return ""
    return "".join(
        line if _LINE_TAG.match(line) else f"<{tag}>{_inline(line)}</{tag}>"
        for tag, line in zip(map(_tag, items), lines, strict=True)
        if line
    )


def _running(value: Any, depth: int) -> str:  # noqa: ANN401 - any JSON value
    """Return the text of a paragraph, which editors keep in pieces."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth:
        # React writes an element as "$", its tag, its key and its attributes.
        if value[:1] == ["$"]:
            return _running(value[3:4], depth)
        return "".join(_running(each, depth - 1) for each in value)
    if isinstance(value, dict) and depth and (depth < _DEPTH or not _is_thing(value)):
        own = (each for name, each in value.items() if name.lower() in _RUNNING)
        return "".join(_running(each, depth - 1) for each in own)
    return ""


def _is_thing(item: dict[str, Any]) -> bool:
    if any(map(_IS_PARAGRAPH.fullmatch, _kinds(item))):
        return False
    return not _THINGS.isdisjoint(item) or any(name.lower().endswith("title") for name in item)


def _kinds(item: dict[str, Any]) -> list[str]:
    kinds = map(item.get, ("style", "type", "_type", "__typename", "nodeType", "tag"))
    return [kind.lower() for kind in kinds if isinstance(kind, str)]


def _tag(item: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(item, list) and item[:1] == ["$"]:
        item = {"tag": item[1:2] and item[1]}
    if not isinstance(item, dict):
        return "p"
    return "h2" if any(map(_HEADING.fullmatch, _kinds(item))) else "p"


def _markup(text: str) -> str:
    """Return a text as HTML; one without markup is cut into paragraphs at its line breaks."""
    if "<" not in text and "&lt;" in text:
        text = html.unescape(text)
    if _LINE_TAG.search(text):
        return text
    lines = map(str.strip, _LINE_END.split(text))
    return "".join(f"<p>{_inline(line)}</p>" for line in lines if line)


def _inline(line: str) -> str:
    return line if _TAG.search(line) else html.escape(html.unescape(line), quote=False)


def _is_prose(text: str) -> bool:
    sample = text[:_SAMPLE]
    size = len(sample)
    letters = sum(char.isalpha() or char.isspace() for char in sample)
    if letters < size * _LETTERS or len(_CODE.findall(sample)) > size * _SIGNS:
        return False
    if not sample.isascii():
        return True
    # A list of search terms has no sentences.
    return len(sample.split()) * _WORD >= size and any(map(sample.__contains__, ".!?"))
