"""Every ``CORPUS_*`` setting, declared once: name, type, default, meaning and limits.

A setting is one field of :class:`Options`. Its name is the field's in capitals behind ``CORPUS_``
(``text_method`` is ``CORPUS_TEXT_METHOD``). Everything else that speaks of settings (parsing,
error messages, the test that compares the documentation) reads the registry ``OPTIONS``, which is
derived from those fields.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from crawler.core.errors import OptionError
from crawler.core.methods import DEFAULT_METHOD
from crawler.core.page.page import MAX_PAGE_BYTES
from crawler.core.pagetype.kinds import KINDS
from crawler.core.structure.names import DEFAULT_STRUCTURE
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.settings import BaseSettings

__all__ = ["OPTIONS", "PREFIX", "Option", "Options", "read_flag"]

PREFIX: Final = "CORPUS_"
"""What every setting of the project starts with."""

_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0"})
_OR_NONE: Final = " | None"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting as a reader of the documentation sees it.

    Attributes:
        name: Name in Scrapy's settings, such as ``CORPUS_MODE``.
        kind: Type of the parsed value: ``str``, ``bool``, ``int``, ``float`` or ``Path``.
        optional: Whether there may be no value, None: the empty text, on the command line.
        default: Value when nothing is set.
        meaning: One or two sentences in plain words.
        choices: The only values accepted; empty where any value of the type is.
        among: The only words accepted, of which there may be several with commas between them;
            empty where the value is no such list.
        minimum: Smallest number accepted, inclusive; None where there is none.
        maximum: Largest number accepted, inclusive; None where there is none.
    """

    name: str
    kind: type
    default: Any
    meaning: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    @property
    def field(self) -> str:
        """Name of the field of :class:`Options` that holds the value."""
        return self.name.removeprefix(PREFIX).lower()

    @property
    def accepts(self) -> str:
        """What a value may be, in words that end the sentence "It accepts …"."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        if self.among:
            named = ", ".join(f'"{word}"' for word in self.among)
            return f"one or more, with commas between, of {named}" + (
                ", or nothing" if self.optional else ""
            )
        words = {
            bool: "True or False",
            int: "a whole number",
            float: "a number",
            str: "a text that is not empty",
            Path: "a path",
        }[self.kind]
        if self.optional:
            return f"{words}, or nothing"
        if self.minimum is not None and self.maximum is not None:
            return f"{words} from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"{words} of at least {self.minimum:g}"
        return words

    def parse(self, value: object) -> Any:  # noqa: ANN401 - the type is the option's own ``kind``
        """Turn a setting's value, typed or as text from the command line, into ``kind``.

        Raises:
            OptionError: The value has another type, or is outside the choices or limits.
        """
        if self.optional and (value is None or value == ""):
            return None
        try:
            parsed = _PARSERS[self.kind](value)
        except (TypeError, ValueError, OverflowError):
            raise self._refusal(value) from None
        if self.choices:
            parsed = parsed.lower()
            if parsed not in self.choices:
                raise self._refusal(value)
        if self.among:
            words = [word for part in parsed.lower().split(",") if (word := part.strip())]
            if not words or not set(words) <= set(self.among):
                raise self._refusal(value)
            parsed = ",".join(dict.fromkeys(words))
        if self.minimum is not None and parsed < self.minimum:
            raise self._refusal(value)
        if self.maximum is not None and parsed > self.maximum:
            raise self._refusal(value)
        return parsed

    def _refusal(self, value: object) -> OptionError:
        return OptionError(f"{self.name} is {value!r}. It accepts {self.accepts}.")


def read_flag(text: str) -> bool:
    """Read yes or no from text, as settings and spider arguments write it.

    Raises:
        ValueError: It is neither.
    """
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError("is neither true nor false")


def _to_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str | int):
        raise TypeError(value)
    return read_flag(str(value))


def _to_int(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(value)
    return int(value)


def _to_float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _to_str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    text = value.strip()
    if not text:
        raise ValueError(value)
    return text


def _to_path(value: object) -> Path:
    return value if isinstance(value, Path) else Path(_to_str(value))


_PARSERS: Final[dict[type, Callable[[object], Any]]] = {
    bool: _to_bool,
    int: _to_int,
    float: _to_float,
    str: _to_str,
    Path: _to_path,
}


def _option(default: object, meaning: str, **limits: object) -> Any:  # noqa: ANN401 - as dataclasses.field
    return dataclasses.field(default=default, metadata={"meaning": meaning, **limits})


@dataclass(frozen=True, slots=True)
class Options:
    """All settings of one crawl, read and checked once."""

    mode: str = _option(
        "two-pass",
        '"two-pass" holds the pages on disk until the whole site has been seen and exports them '
        'then; "streaming" judges a page by the counts of earlier crawls and exports it at once.',
        choices=("two-pass", "streaming"),
    )
    dir: Path = _option(  # noqa: RUF009 - the call makes a field, and a Path cannot change
        Path("corpus-data"),
        "Folder for held pages (spools) and for the counts of earlier crawls; made when missing.",
    )
    incremental: bool = _option(
        default=False,
        meaning="Remember what was seen, found and exported: fetch what is new or may have "
        "changed, export what is new or has changed, in numbered parts, and go on after a kill. "
        "For the spider site.",
    )
    output: Path | None = _option(  # noqa: RUF009 - the call makes a field, as above
        None,
        "Folder for the numbered parts of crawls that remember, in a folder for each site; made "
        "when missing. None for the folder articles in CORPUS_DIR.",
    )
    output_format: str = _option(
        "jsonl",
        "How the numbered parts are written.",
        choices=("jsonl", "csv", "parquet"),
    )
    part_items: int = _option(
        1000,
        "Items after which another part is begun.",
        minimum=1,
    )
    text_method: str = _option(
        DEFAULT_METHOD,
        "Name of the method that decides which blocks of a page are main text.",
    )
    page_types: str = _option(
        "article",
        "Kinds of pages that are exported; the others are counted as skipped. A page that may be "
        'an article counts as one. "all" exports every page.',
        among=("all", *KINDS),
    )
    sentences: bool = _option(
        default=True,
        meaning="Put the sentences of the main text on each item, in order, each with its block.",
    )
    sentence_method: str = _option(
        "default",
        'How sentences are split: "default" takes the Korean model where it is installed and the '
        'rules elsewhere, "rule" never takes the model, "kiwi" insists on it, "sentencex" is that '
        'library alone, "paper" the rule of Lee (2009).',
        choices=("default", "rule", "kiwi", "sentencex", "paper"),
    )
    tables: bool = _option(
        default=True,
        meaning="Put the tables of the page on each item.",
    )
    table_method: str = _option(
        DEFAULT_TABLE_METHOD,
        "Name of the method that tells tables from layout.",
    )
    table_type_weight: float = _option(
        0.6,
        'W1 of the method "rules": the weight of alike data types in the coherency of a line.',
        minimum=0,
        maximum=1,
    )
    table_length_weight: float = _option(
        0.4,
        'W2 of the method "rules": the weight of alike lengths in the coherency of a line.',
        minimum=0,
        maximum=1,
    )
    table_threshold: float = _option(
        0.54,
        'Coherency above which the method "rules" calls a table genuine.',
        minimum=0,
        maximum=1,
    )
    table_shortest: float = _option(
        0.5,
        'Lengths that count as alike begin at this share of the mean, in the method "rules".',
        minimum=0,
        maximum=1,
    )
    table_longest: float = _option(
        1.5,
        'Lengths that count as alike end at this multiple of the mean, in the method "rules".',
        minimum=1,
    )
    table_most: float = _option(
        0.5,
        'Share of cells above which they are "most", in rules 4 to 6 of the method "rules".',
        minimum=0,
        maximum=1,
    )
    table_words: Path | None = _option(  # noqa: RUF009 - the call makes a field, as above
        None,
        "JSON file, or folder of such files, with more keywords, units, names and patterns for "
        "tables, in the form of the project's own. None for those alone.",
    )
    layout_tables: bool = _option(
        default=False,
        meaning="Put tables that are layout on each item too, among the others, with the verdict.",
    )
    tables_folder: Path | None = _option(  # noqa: RUF009 - the call makes a field, as above
        None,
        "Folder that gets each table as a CSV file of its own, and an index of them; made when "
        "missing. None for no such files.",
    )
    structure_model: str | None = _option(
        None,
        "Model of the kind of document that the pages are: a file in MEDL, or the name of one that "
        "comes with the project. Each item has its structure by it, as XML. None for none.",
    )
    structure_method: str = _option(
        DEFAULT_STRUCTURE,
        "Name of the method that finds the structure.",
    )
    structure_folder: Path | None = _option(  # noqa: RUF009 - the call makes a field, as above
        None,
        "Folder that gets the structure of each page as an XML file of its own, and an index of "
        "them; made when missing. None for no such files.",
    )
    wrapper: Path | None = _option(  # noqa: RUF009 - the call makes a field, as above
        None,
        "Wrapper project (.h2x) whose fields are added to each item, from the item's page. None "
        "for none.",
    )
    wrapper_report: Path | None = _option(  # noqa: RUF009 - the call makes a field, as above
        None,
        "File that gets a line of JSON for each page that a wrapper project no longer fits, or on "
        "which something of it is wrong. None for no such file.",
    )
    wrapper_seconds: float = _option(
        5.0,
        "Processor time, in seconds, that a script of a wrapper project may take on a page.",
        minimum=0.01,
        maximum=3600,
    )
    keep_spool: bool = _option(
        default=False,
        meaning="Keep the held pages after they have been exported, as an archive of the crawl.",
    )
    near_duplicate_similarity: float = _option(
        0.7,
        "Share of text, from 0 to 1, from which two pages of a site count as near-duplicates.",
        minimum=0,
        maximum=1,
    )
    drop_near_duplicates: bool = _option(
        default=False,
        meaning="Leave near-duplicates of an earlier page out of the export instead of marking "
        "them; they are counted as skipped.",
    )
    join_parts: bool = _option(
        default=True,
        meaning="Make one item of an article that the site cuts into several pages; in streaming "
        "mode each page leaves by itself.",
    )
    item_blocks: bool = _option(
        default=False,
        meaning="Add to each item all blocks of its page, kept and dropped, with label and "
        "evidence.",
    )
    item_markdown: bool = _option(
        default=False,
        meaning="Add to each item its text as Markdown, with headings, lists, quotes, code and "
        "tables.",
    )
    item_comments: bool = _option(
        default=False,
        meaning="Add to each item what readers wrote below it, where the method tells comments.",
    )
    item_sources: bool = _option(
        default=False,
        meaning="Add to each item where its title, authors, dates and other metadata were read.",
    )
    respect: str | None = _option(
        None,
        'Robots directives of pages that are respected: pages that ask for "noindex", "tdm" '
        '(reservation of text and data mining) or "noai" are skipped, and no links are followed of '
        'pages that ask for "nofollow", whatever follow_nofollow says. All are counted in any '
        "case.",
        among=("noindex", "nofollow", "tdm", "noai"),
    )
    pauses: int = _option(
        5,
        "So many pauses in a row are made for a site that asks to be left alone (429, 503) or "
        "gives errors; then it is left alone for the rest of the crawl.",
        minimum=0,
    )
    pause_first: float = _option(
        10.0,
        "Seconds of the first pause of a site that does not say how long it is to be left alone; "
        "each further one in a row is twice as long.",
        minimum=0,
    )
    pause_longest: float = _option(
        600.0,
        "Seconds of the longest pause; a site that asks for more is left alone for the rest of "
        "the crawl.",
        minimum=0,
    )
    pause_after_errors: int = _option(
        5,
        "So many errors in a row (no connection, no answer in time, 5xx) begin a pause of a site.",
        minimum=1,
    )
    progress: str = _option(
        "auto",
        'Live progress line: "auto" shows it on a terminal only, "on" always, "off" never.',
        choices=("auto", "on", "off"),
    )
    max_page_bytes: int = _option(
        MAX_PAGE_BYTES,
        "Largest page body in bytes; a larger one is not read but counted.",
        minimum=1,
    )

    @property
    def respected_directives(self) -> frozenset[str]:
        """The robots directives of pages that are respected."""
        return frozenset(self.respect.split(",")) if self.respect else frozenset()

    @property
    def wanted_types(self) -> frozenset[str]:
        """The kinds of pages that are exported."""
        named = frozenset(self.page_types.split(","))
        return frozenset(KINDS) if "all" in named else named

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """Read every ``CORPUS_*`` setting once.

        Args:
            settings: Scrapy's settings; values from the command line may be text.

        Raises:
            OptionError: A value is not accepted, or a ``CORPUS_*`` name is not known.
        """
        _refuse_unknown(settings)
        return cls(
            **{
                option.field: option.parse(settings[option.name])
                for option in OPTIONS
                if option.name in settings
            }
        )


def _registry() -> tuple[Option, ...]:
    kinds = {kind.__name__: kind for kind in _PARSERS}
    return tuple(
        Option(
            name=PREFIX + field.name.upper(),
            # Annotations are kept as text in this module; each is the bare name of a kind.
            kind=kinds[str(field.type).removesuffix(_OR_NONE)],
            default=field.default,
            optional=str(field.type).endswith(_OR_NONE),
            **field.metadata,
        )
        for field in dataclasses.fields(Options)
    )


OPTIONS: Final[tuple[Option, ...]] = _registry()
"""Every setting, in the order of the documentation."""


def _refuse_unknown(names: Iterable[Any]) -> None:
    known = [option.name for option in OPTIONS]
    for name in names:
        if isinstance(name, str) and name.startswith(PREFIX) and name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
            raise OptionError(
                f"There is no setting {name}. The nearest is {nearest}; docs/settings.md lists all."
            )
