"""Text that a page holds in its scripts: in JSON-LD, in the state of a framework, in templates.

Scripts are read, never run. What is no JSON is searched for strings between double quotes.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from crawler.core.page.text import DENSE

if TYPE_CHECKING:
    from crawler.core.page.parse import ParsedPage

JSON_LD, STATE, TEMPLATE = "json-ld", "script", "template"
LEAST = 200
"""A text of fewer letters is no article; a letter of a dense script counts double."""
# Limits of the work on one page: characters of scripts, values of JSON, strings that are compared.
_MOST_CHARS, _MOST_VALUES, _MOST_TEXTS = 4_000_000, 100_000, 40
_MOST_STATES, _MOST_PARAGRAPHS = 20, 2_000
_DEPTH = 8
_NAME_CHARS = 100
_TEMPLATES = ("template", "tmpl", "handlebars", "mustache", "text/html")
_PROGRAMS = ("", "module", "text/javascript", "application/javascript")
# Where a script sets a variable to an object or a list as JSON writes them, or to JSON in a string.
_STATE = re.compile(
    r"=\s{0,20}(?:JSON\.parse\(\s{0,20})?(?=\"[{\[]|\{\s{0,20}\"|\[\s{0,20}[{\[\"])"
)
# Frameworks name their state so; it may be a function that JavaScript has to call.
_FRAMEWORK = re.compile(r"__[A-Z][A-Z_]{2,40}__")
_STRING = re.compile(r'("(?:[^"\\]++|\\.)*+")', re.DOTALL)
# The one property of JSON-LD that is the text of an article; others are summaries.
_BODY = '"articleBody"'
_BODY_STRING = re.compile(rf"{_BODY}\s*:\s*{_STRING.pattern}", re.DOTALL)
_NO_LETTER = re.compile(r"[\W_]+")
_HEX = re.compile(r"\\x([0-9A-Fa-f]{2})")
# Names of what is not the text of the page.
_APART = re.compile(
    r"descript|summary|excerpt|abstract|cookie|consent|gdpr|privacy|legal|terms|disclaimer|policy"
    r"|footer|newsletter|subscri"
    r"|intl|locale|translation|messages|comment|reply|replies|related|recommend|sidebar"
    r"|advert|promo|seo|meta|css|i18n",
    re.IGNORECASE,
)
_TITLES = ("headline", "title", "name")
_RUNNING = frozenset(
    ("text", "value", "content", "html", "body", "paragraph", "children", "data", "attributes")
)
# An item of a list that has one of these is a thing of its own and no paragraph.
_THINGS = frozenset(
    ("title", "headline", "name", "url", "link", "href", "slug", "author", "user", "username",
     "date", "created_at", "createdat", "published", "publishedat", "price", "rating", "image")
)  # fmt: skip
_HEADING = re.compile(r"h[1-6]|head(?:ing|er)(?:-[1-6])?")
_PARAGRAPH, _PARAGRAPHS, _SHARE_OF_LIST = 60, 3, 3
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>|<!--.*?-->", re.DOTALL)
_LINE_TAG = re.compile(r"<(?:p|br|div|h[1-6]|li|tr|section|article|blockquote)\b", re.IGNORECASE)
_LINES = re.compile(r"\s*[\n\r\u2028\u2029]\s*")
_FILLED_LATER = ("{{", "{%", "<%", "${")
# Prose is letters and spaces, with few signs of code; words of Latin letters are not this long.
_SAMPLE, _LETTERS, _SIGNS, _WORD = 1_000, 0.65, 0.02, 20
_CODE = re.compile(r"[{}<>=;_|\\]")


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
    """Return the letters and digits of a text, by which two forms of it are compared."""
    return _NO_LETTER.sub("", text)


def weight(text: str) -> int:
    """Return the length of a text; a letter of a dense script counts double."""
    return len(text) + (0 if text.isascii() else len(DENSE.findall(text)))


def scripts_with_text(parsed: ParsedPage, least: int) -> list[tuple[str, str]]:
    """Return kind and content of the scripts that may hold a text; nothing is read yet.

    Args:
        parsed: the page.
        least: letters that the text has to have.
    """
    least = max(least, LEAST // 2)
    found, templates, rest = [], "", _MOST_CHARS
    for script in parsed.named["script"]:
        text = script.text or ""
        if len(text) > rest:
            continue
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if any(map(kind.__contains__, _TEMPLATES)):
            # An article may be in several.
            templates += "" if any(map(text.__contains__, _FILLED_LATER)) else text
        elif len(text) < least or not ("json" in kind or kind in _PROGRAMS):
            continue
        elif "ld+json" not in kind:
            found.append((STATE, text))
        elif _BODY in text:
            found.append((JSON_LD, text))
        rest -= len(text)
    return [*found, (TEMPLATE, templates)] if len(templates) >= least else found


def texts_of(scripts: list[tuple[str, str]], least: int) -> list[ScriptText]:
    """Return the prose in some scripts, the longest first.

    Args:
        scripts: kind and content of each.
        least: letters that a text has to have.
    """
    raw = [
        (source, title, text)
        for source, script in scripts
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


def _strings(source: str, script: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of each string that is long enough for a text."""
    if source is TEMPLATE:
        yield "", script
        return
    values = list(_values(script))
    for value in values:
        yield from _bodies(value) if source is JSON_LD else _walk(value)
    if not values and (source is JSON_LD or _FRAMEWORK.search(script)):
        pattern = _BODY_STRING if source is JSON_LD else _STRING
        for match in pattern.finditer(script):
            if len(match[1]) >= LEAST // 2:
                text = _decoded(_HEX.sub(r"\\u00\1", match[1]))
                yield from [("", text)] if isinstance(text, str) else []


def _values(script: str) -> Iterator[Any]:
    """Yield the JSON values of a script: all of it, or what it sets variables to."""
    if script.lstrip()[:1] in ("{", "["):
        value = _decoded(script)
        if value is not None:
            yield value
        return
    at = 0
    for _ in range(_MOST_STATES):
        match = _STATE.search(script, at)
        if match is None:
            return
        at = match.end()
        try:
            value, at = json.JSONDecoder(strict=False).raw_decode(script, at)
        except (ValueError, RecursionError):
            continue
        value = _decoded(value) if isinstance(value, str) else value
        if isinstance(value, dict | list):
            yield value


def _decoded(text: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _bodies(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON value
    """Yield title and text of the articles in JSON-LD, readers' comments left out."""
    for here, title in _objects(value):
        body = here.get(_BODY.strip('"')) if isinstance(here, dict) else None
        lines = body if isinstance(body, list) else [body]
        yield title, "\n".join(line for line in lines if isinstance(line, str))


def _walk(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON value
    """Yield title and text of the long strings in a JSON value, and of its lists of paragraphs."""
    for here, title in _objects(value):
        if isinstance(here, list):
            yield title, _paragraphs(here)
        elif isinstance(here, str):
            yield title, here


def _objects(value: Any) -> Iterator[tuple[Any, str]]:  # noqa: ANN401 - any JSON value
    """Yield what is in a JSON value, without short strings, each with the title around it."""
    stack: list[tuple[Any, str]] = [(value, "")]
    for _ in range(_MOST_VALUES):
        if not stack:
            return
        here, title = stack.pop()
        if isinstance(here, dict):
            names = (here.get(name) for name in _TITLES)
            title = next((name for name in names if name and isinstance(name, str)), title)
            stack += [
                (each, title)
                for name, each in here.items()
                if _may_hold(each) and not _is_apart(name)
            ]
        elif isinstance(here, list):
            stack += [(each, title) for each in here if _may_hold(each)]
        yield here, title


def _may_hold(value: object) -> bool:
    return len(value) >= LEAST // 2 if isinstance(value, str) else isinstance(value, dict | list)


@lru_cache(maxsize=1 << 12)
def _is_apart(name: str) -> bool:
    return _APART.search(name[:_NAME_CHARS]) is not None


def _paragraphs(items: list[Any]) -> str:
    """Return a list of paragraphs as HTML; empty for any other list."""
    if not _PARAGRAPHS <= len(items) <= _MOST_PARAGRAPHS:
        return ""
    lines = [(_tag(item), _running(item, _DEPTH).strip()) for item in items]
    long = sum(weight(line) >= _PARAGRAPH for _, line in lines)
    if long < _PARAGRAPHS or long * _SHARE_OF_LIST < len(items):
        return ""
    return "".join(
        line if _LINE_TAG.match(line) else f"<{tag}>{_inline(line)}</{tag}>"
        for tag, line in lines
        if line
    )


def _running(value: Any, depth: int) -> str:  # noqa: ANN401 - any JSON value
    """Return the text of a paragraph, which editors keep in pieces."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth:
        return "".join(_running(each, depth - 1) for each in value)
    if isinstance(value, dict) and depth and (depth < _DEPTH or _THINGS.isdisjoint(value)):
        own = (each for name, each in value.items() if name.lower() in _RUNNING)
        return "".join(_running(each, depth - 1) for each in own)
    return ""


def _tag(item: Any) -> str:  # noqa: ANN401 - any JSON value
    if not isinstance(item, dict):
        return "p"
    kinds = (item.get(name) for name in ("style", "type", "_type", "nodeType", "tag"))
    is_heading = any(isinstance(kind, str) and _HEADING.fullmatch(kind) for kind in kinds)
    return "h2" if is_heading else "p"


def _markup(text: str) -> str:
    """Return a text as HTML; one without markup is cut into paragraphs at its line breaks."""
    if "<" not in text and "&lt;" in text:
        text = html.unescape(text)
    if _LINE_TAG.search(text):
        return text
    return "".join(f"<p>{_inline(line)}</p>" for line in _LINES.split(text.strip()))


def _inline(line: str) -> str:
    return line if _TAG.search(line) else html.escape(html.unescape(line), quote=False)


def _is_prose(text: str) -> bool:
    sample = text[:_SAMPLE]
    size = len(sample)
    letters = sum(char.isalpha() or char.isspace() for char in sample)
    if letters < size * _LETTERS or len(_CODE.findall(sample)) > size * _SIGNS:
        return False
    return not sample.isascii() or len(sample.split()) * _WORD >= size
