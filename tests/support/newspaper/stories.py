"""What the newspaper prints: its articles, when they appear, are edited, and are taken away."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["SECTIONS", "Edit", "Story", "print_stories", "published"]

SECTIONS = ("town", "region", "business", "sport", "culture", "letters")
# In the middle of a month, so that a month of days has two monthly archives.
FIRST_DAY = datetime(2026, 9, 12, 6, tzinfo=UTC)
# Of all articles: edited, edited without a word in sitemaps, edited twice, taken away, in no
# listing, in two sections.
EDITED, SILENT, TWICE, GONE, UNLISTED, IN_TWO = 0.06, 0.012, 0.006, 0.015, 0.03, 0.01
# Words of an article as it appears, before the last paragraph is whole. An edit adds 72 at most, so
# that no article has fewer than 150 or more than 400.
SHORTEST, LONGEST = 200, 270

_SMALL_WORDS = (
    *("the", "of", "and", "to", "in", "a", "that", "was", "on", "for", "with", "as", "by", "at"),
    *("from", "it", "had", "its", "but", "which", "were", "after", "over"),
)
_HEADS = (
    *("b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl"),
    *("r", "s", "st", "t", "tr", "v", "w"),
)
_MIDDLES = ("a", "e", "i", "o", "u", "ai", "ea", "oo", "ou")
_TAILS = (
    *("ck", "ll", "mble", "n", "nd", "ng", "nt", "r", "rd", "rt", "s", "sh", "st", "t", "th", "x"),
)


@dataclass(frozen=True, slots=True)
class Edit:
    """The day of an edit, and whether sitemaps tell of it."""

    day: int
    told: bool

    @property
    def time(self) -> datetime:
        """Its time: in the afternoon."""
        return published(self.day) + timedelta(hours=8)


@dataclass(frozen=True, slots=True)
class Story:
    """One article.

    ``day``
        On which it appears, from 1.
    ``versions``
        Its paragraphs as it appeared, and after each of its edits.
    ``gone``
        The day from which it is not there any more; 0 for never.
    ``unlisted``
        Only links lead to it: neither sitemaps nor feeds name it.
    ``second_section``
        A further section that has it under an address of its own; empty for none.
    """

    number: int
    day: int
    section: str
    title: str
    versions: tuple[tuple[str, ...], ...]
    edits: tuple[Edit, ...] = ()
    gone: int = 0
    unlisted: bool = False
    second_section: str = ""

    @property
    def path(self) -> str:
        """Its address on the site."""
        slug = "-".join(self.title.lower().split()[:5])
        return f"/{published(self.day):%Y/%m/%d}/{slug}-{self.number}"

    @property
    def other_path(self) -> str:
        """Its address in its second section."""
        return f"/{self.second_section}{self.path}"

    @property
    def time(self) -> datetime:
        """When it appears."""
        return published(self.day) + timedelta(minutes=self.number % 97)

    @property
    def teaser(self) -> str:
        """What boxes on other pages say of it: the sentence that it began with."""
        return self.versions[0][0].partition(". ")[0].removesuffix(".") + "."

    def is_out(self, day: int) -> bool:
        """Say whether it can be read on a day."""
        return self.day <= day and not (self.gone and day >= self.gone)

    def version(self, day: int) -> int:
        """Return how often it was edited until a day."""
        return sum(edit.day <= day for edit in self.edits)

    def text(self, day: int) -> tuple[str, ...]:
        """Return its paragraphs on a day."""
        return self.versions[self.version(day)]

    def changed(self, day: int) -> datetime:
        """Return the time of its last change until a day."""
        return max([self.time, *(edit.time for edit in self.edits if edit.day <= day)])

    def told(self, day: int) -> datetime:
        """Return the time of the last change that sitemaps tell of."""
        told = (edit.time for edit in self.edits if edit.day <= day and edit.told)
        return max([self.time, *told])


def published(day: int) -> datetime:
    """Return the time at which the first articles of a day appear."""
    return FIRST_DAY + timedelta(days=day - 1)


def print_stories(
    count: int, days: int, *, quiet_days: Collection[int] = (), redesign: int = 0, seed: int = 6
) -> tuple[Story, ...]:
    """Write a number of articles, spread evenly over some days.

    Of a hundred articles six are edited, a fifth of them in the two days after they appeared and
    without a word in sitemaps; one or two are taken away; three are in no listing; one stands in
    two sections. Of few articles there is one of each kind, if there are days enough.

    Args:
        count: how many articles.
        days: on how many days they appear.
        quiet_days: on which no edit is told: those on which sitemaps tell what is not so.
        redesign: the day on which all pages become others; on it no edit is silent, since it could
            be told from the redesign only by fetching all pages.
        seed: another one gives other articles.
    """
    draw = random.Random(seed)
    words = _vocabulary(draw, 4_000)
    days_of = [1 + number * days // count for number in range(count)]
    fates = _Fates(draw, days_of, days, quiet_days, redesign)
    return tuple(_story(draw, words, number, day, fates) for number, day in enumerate(days_of))


class _Fates:
    """What becomes of each article, by its number."""

    def __init__(
        self,
        draw: random.Random,
        days_of: Sequence[int],
        days: int,
        quiet_days: Collection[int],
        redesign: int,
    ) -> None:
        count = len(days_of)
        # An article of the last day has no time left to become another one.
        numbers = [number for number, day in enumerate(days_of) if day < days]
        draw.shuffle(numbers)
        self.edits: dict[int, tuple[Edit, ...]] = {}
        self.gone: dict[int, int] = {}
        silent, edited = max(1, round(SILENT * count)), max(3, round(EDITED * count))
        twice = max(1, round(TWICE * count))
        for place in range(min(edited, len(numbers))):
            number = numbers.pop()
            day = days_of[number]
            if place < silent:
                soon = range(day + 1, min(day + 2, days) + 1)
                edited_on = draw.choice(soon)
                if edited_on == redesign:
                    edited_on = soon[0] if soon[0] != redesign else soon[-1]
                self.edits[number] = (Edit(edited_on, told=False),)
                continue
            left = [d for d in range(day + 1, min(day + 9, days) + 1) if d not in quiet_days]
            chosen = draw.sample(left, min(len(left), 2 if place < silent + twice else 1))
            self.edits[number] = tuple(Edit(each, told=True) for each in sorted(chosen))
        for _ in range(min(max(2, round(GONE * count)), len(numbers))):
            number = numbers.pop()
            self.gone[number] = draw.randint(days_of[number] + 1, min(days_of[number] + 12, days))
        # What is in no listing keeps its text, since nothing would tell of an edit.
        left_alone = [n for n in range(count) if n not in self.edits and n not in self.gone]
        unlisted = min(max(2, round(UNLISTED * count)), len(left_alone))
        self.unlisted = frozenset(draw.sample(left_alone, unlisted))
        self.in_two = frozenset(
            draw.sample(range(count), min(max(1, round(IN_TWO * count)), count))
        )


def _story(
    draw: random.Random, words: Sequence[str], number: int, day: int, fates: _Fates
) -> Story:
    first, second = draw.sample(SECTIONS, 2)
    title = " ".join(_words(draw, words, draw.randint(5, 9))).capitalize()
    least, paragraphs = draw.randint(SHORTEST, LONGEST), list[str]()
    while sum(len(paragraph.split()) for paragraph in paragraphs) < least:
        paragraphs.append(_paragraph(draw, words))
    versions = [tuple(paragraphs)]
    edits = fates.edits.get(number, ())
    for nth, _ in enumerate(edits):
        # Every other edited article gets one paragraph more; the others, and those that are edited
        # twice, have one rewritten.
        place = len(paragraphs) if nth == 0 and number % 2 else draw.randrange(len(paragraphs))
        paragraphs[place : place + 1] = [_paragraph(draw, words)]
        versions.append(tuple(paragraphs))
    return Story(
        number,
        day,
        first,
        title,
        tuple(versions),
        edits,
        fates.gone.get(number, 0),
        number in fates.unlisted,
        second if number in fates.in_two else "",
    )


def _vocabulary(draw: random.Random, size: int) -> list[str]:
    """Make words that nobody uses, so that no two articles are alike."""
    words: set[str] = set()
    while len(words) < size:
        parts = [draw.choice(_HEADS) + draw.choice(_MIDDLES) for _ in range(draw.choice((1, 1, 2)))]
        words.add("".join(parts) + draw.choice(_TAILS))
    return sorted(words)


def _words(draw: random.Random, words: Sequence[str], count: int) -> list[str]:
    return [
        draw.choice(_SMALL_WORDS) if place and draw.random() < 0.35 else draw.choice(words)
        for place in range(count)
    ]


def _paragraph(draw: random.Random, words: Sequence[str]) -> str:
    sentences = (
        " ".join(_words(draw, words, draw.randint(9, 18))) for _ in range(draw.randint(2, 4))
    )
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)
