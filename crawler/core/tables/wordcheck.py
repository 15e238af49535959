"""Whether a list of words is of the form that :mod:`crawler.core.tables.words` describes.

A mistake in such a file would else go unseen: a name that is misspelt adds nothing.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from crawler.core.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["UNIT_KINDS", "check_words"]

UNIT_KINDS = ("time", "temperature", "electric", "weight", "currency", "percent", "count")
"""The kinds of measure that units are listed by."""
_KEYS = (
    "language", "decimal", "group", "months", "weekdays", "units", "currency_codes", "classes",
    "values",
)  # fmt: skip
_CLASS_KEYS = ("keywords", "values")
_MONTHS = 12
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_CODE = re.compile(r"[A-Z]{3}")


def check_words(
    data: object, where: str, *, classes: Collection[str], values: Collection[str]
) -> None:
    """Refuse what is no list of words.

    Args:
        data: the list, as read from JSON.
        where: what to call it, such as the name of its file.
        classes: names of the classes that have values already.
        values: names of all kinds of value: data types, and the patterns of all lists.

    Raises:
        OptionError: it is not of the form. The message names the list, the key and what is right.
    """
    check = _Check(where)
    found = check.mapping(data, "the list", _KEYS)
    check.marks(found)
    check.months(found.get("months", []))
    check.texts(found.get("weekdays", []), "weekdays")
    for kind, units in check.mapping(found.get("units", {}), "units", UNIT_KINDS).items():
        check.texts(units, f"units / {kind}")
    for unit, code in check.mapping(found.get("currency_codes", {}), "currency_codes").items():
        if not isinstance(code, str) or not _CODE.fullmatch(code):
            check.fail(f"currency_codes / {unit}", code, "an ISO 4217 code such as 'EUR'")
    for name, patterns in check.mapping(found.get("values", {}), "values").items():
        check.patterns(patterns, f"values / {name}")
    for name, entry in check.mapping(found.get("classes", {}), "classes").items():
        check.of_class(name, entry, classes, values)


class _Check:
    """Checks the parts of one list; each failure names it."""

    def __init__(self, where: str) -> None:
        self._where = where

    def fail(self, key: str, found: object, wanted: str) -> NoReturn:
        self._refuse(f"{key} is {_short(found)}; give {wanted}")

    def _refuse(self, what: str) -> NoReturn:
        raise OptionError(
            f"table words in {self._where}: {what}. See docs/tables.md, 'Words and patterns'."
        )

    def mapping(
        self, found: object, key: str, names: Collection[str] | None = None
    ) -> Mapping[str, Any]:
        if not isinstance(found, dict):
            self.fail(key, found, "an object, in braces")
        for name in found:
            if names is not None and name not in names:
                self._unknown(name, key, names)
        return found

    def _unknown(self, name: str, key: str, names: Collection[str]) -> NoReturn:
        near = get_close_matches(str(name), list(names), 1)
        hint = f"did you mean '{near[0]}'?" if near else "there are"
        self._refuse(f"{key} knows no '{name}'; {hint} ({', '.join(sorted(names))})")

    def texts(self, found: object, key: str) -> None:
        if not isinstance(found, list):
            self.fail(key, found, "a list of texts, in square brackets")
        for text in found:
            if not isinstance(text, str) or not text.strip():
                self.fail(f"an entry of {key}", text, "a text that is not blank")

    def patterns(self, found: object, key: str) -> None:
        self.texts(found, key)
        assert isinstance(found, list)  # noqa: S101 - texts() has checked it
        for text in found:
            try:
                re.compile(text)
            except re.error as error:
                self._refuse(f"{key} has {_short(text)}, which is no regular expression: {error}")

    def months(self, found: object) -> None:
        if not isinstance(found, list):
            self.fail("months", found, "a list of twelve lists of names")
        if len(found) > _MONTHS:
            self._refuse(f"months has {len(found)} lists; there are twelve months")
        for number, names in enumerate(found, start=1):
            self.texts(names, f"month {number} of months")

    def marks(self, found: Mapping[str, Any]) -> None:
        language = found.get("language", "")
        if language != "" and not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
            self.fail("language", language, "a code such as 'cs'")
        if "decimal" not in found and "group" not in found:
            return
        decimal, group = found.get("decimal"), found.get("group")
        if decimal not in (".", ","):
            self.fail("decimal", decimal, "'.' or ',', the mark of decimals")
        if not isinstance(group, str) or len(group) != 1 or group == decimal:
            self.fail("group", group, "the mark between groups of three digits, one character")
        if not language:
            self._refuse(
                "decimal and group are of no language; call the file by its code, such as cs.json, "
                'or add "language": "cs"'
            )

    def of_class(
        self, name: str, entry: object, classes: Collection[str], values: Collection[str]
    ) -> None:
        key = f"classes / {name}"
        found = self.mapping(entry, key, _CLASS_KEYS)
        for part in _CLASS_KEYS:
            self.texts(found.get(part, []), f"{key} / {part}")
        for value in found.get("values", []):
            if value not in values:
                self._unknown(value, f"{key} / values", values)
        if name not in classes and not found.get("values"):
            near = get_close_matches(name, list(classes), 1)
            hint = f"did you mean '{near[0]}'? Else " if near else ""
            self._refuse(
                f"{key} has no values, by which the class would be told; {hint}name some of: "
                + ", ".join(sorted(values))
            )


def _short(found: object) -> str:
    """Show a piece of JSON in a few characters."""
    kinds = {dict: "an object", list: "a list", type(None): "missing"}
    return kinds.get(type(found)) or repr(found)[:60]
