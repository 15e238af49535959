"""Proposals for a list: its records, their fields, and the link to its next page.

A person has clicked something within one record, or within two. Records are children of one
element that look alike. Of the elements around the click those are taken whose likes hold most of
the page's text in the most similar form; with two clicks, those just below the nearest element
around both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from crawler.core.wrapper.next_link import next_link
from crawler.core.wrapper.project import convert
from crawler.core.wrapper.tree import TEXT, TEXT_NODE, PageTree, masked
from crawler.core.wrapper.view import View

# An element is described by what is in it, down to this depth, and in this many nodes.
_DEPTH = 4
_MOST_NODES = 400
# Records share at least this part of their descriptions with the one that was clicked.
_ALIKE = 0.35
# So many of the records are compared with each other, and searched for fields.
_SAMPLE = 40
# A field is in at least this share of the records, and there are at most so many.
_SHARE = 0.5
_MOST_FIELDS = 12
_MOST_TEACHERS = 3
_VALUE_CHARS = 120
_NUMBER_CHARS = 24
_NAMES = {"h1": "title", "h2": "title", "h3": "title", "h4": "title", "time": "date"}


@dataclass(frozen=True, slots=True)
class ProposedField:
    """A field of records.

    ``nodes`` are where it is in a few of them, ``values`` its values there; ``share`` is the share
    of the records that have it. ``type`` is one of the types of elements.
    """

    name: str
    kind: str
    type: str
    nodes: tuple[int, ...]
    values: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A list: its records in document order, their fields, and the link to the next page."""

    records: tuple[int, ...]
    fields: tuple[ProposedField, ...]
    next_link: int | None


def propose(tree: PageTree, clicked: Sequence[int], at: int = 0) -> Proposal | None:
    """Return the list that one or two clicks mean; None where nothing around them is one.

    Args:
        tree: the page.
        clicked: one node, or two of different records.
        at: 0 for the list that is meant most probably, 1 for the next one, and so on, around.
    """
    lists = propose_records(tree, clicked)
    if not lists:
        return None
    records = lists[at % len(lists)]
    return Proposal(records, _fields(tree, records, clicked), next_link(tree, records))


def propose_records(tree: PageTree, clicked: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the lists that one or two clicks may mean, the best first."""
    view = View(tree)
    profile = cache(lambda node: _profile(view, node))
    way = _around(tree, clicked[0])
    for other in clicked[1:2]:
        others = set(_around(tree, other))
        at = next((at for at, node in enumerate(way) if node in others), len(way))
        way = way[max(at - 1, 0) : at]
    found = []
    for node in way:
        own = profile(node)
        records = tuple(
            child
            for child in tree.children[tree.parents[node]]
            if child == node
            or (tree.names[child] == tree.names[node] and _alike(own, profile(child)) >= _ALIKE)
        )
        if len(records) > 1:
            sample = [profile(record) for record in _some(records)]
            found.append((_score(tree, records, sample), records))
    found.sort(key=lambda its: -its[0])
    return [records for _, records in found]


def _around(tree: PageTree, node: int) -> list[int]:
    """Return the elements around a node, the nearest first, itself included, up to the body."""
    here = node if tree.names[node] != TEXT else tree.parents[node]
    found = []
    while here >= 0 and tree.names[here] not in {"html", "body"}:
        found.append(here)
        here = tree.parents[here]
    return found


def _some(records: Sequence[int]) -> Sequence[int]:
    return records[:: max(1, len(records) // _SAMPLE)]


def _profile(view: View, node: int) -> frozenset[str]:
    """Return the kinds of nodes within an element: depth, name and classes."""
    tree = view.tree
    top = tree.depths[node]
    return frozenset(
        f"{tree.depths[here] - top} {_step(view, here)}"
        for here in range(node, min(tree.ends[node], node + _MOST_NODES))
        if tree.depths[here] - top <= _DEPTH
    )


def _step(view: View, node: int) -> str:
    name = view.tree.names[node]
    return name if name == TEXT else f"{name}.{view.tree.classes[node]}"


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


def _score(tree: PageTree, records: Sequence[int], sample: Sequence[frozenset[str]]) -> float:
    """Return how much of a list these elements are: their text, how many, how similar."""
    texts = (tree.texts[node] for record in records for node in range(record, tree.ends[record]))
    counts = Counter(part for profile in sample for part in profile)
    pairs = sum(count * count for count in counts.values())
    even = pairs / max(len(sample) * counts.total(), 1)
    return sum(map(len, texts)) * (1 - 1 / len(records)) ** 2 * even**2


def _fields(
    tree: PageTree, records: Sequence[int], clicked: Sequence[int]
) -> tuple[ProposedField, ...]:
    """Return the fields of records: places whose values differ from record to record."""
    view = View(tree)
    own = [its for its in records for node in clicked if its <= node < tree.ends[its]]
    searched = dict.fromkeys((*own, *_some(records)))
    # By their places in records, the first node there and its value, of each record.
    slots: defaultdict[tuple[str, ...], dict[int, tuple[int, str]]] = defaultdict(dict)
    for record in searched:
        for key, node, value in _places(view, record):
            slots[key].setdefault(record, (node, value))
    found: list[ProposedField] = []
    seen: set[tuple[str, ...]] = set()
    for (kind, *_), slot in slots.items():
        nodes, values = zip(*slot.values(), strict=True)
        is_clicked = not set(nodes).isdisjoint(clicked)
        differs = len(set(values)) > max(1, len(values) // 10)
        is_often = len(values) >= _SHARE * len(searched)
        if values in seen or not (is_clicked or (differs and is_often)):
            continue
        seen.add(values)
        its_type = _type_of(kind, values)
        name = _name_of(view, nodes[0], kind, its_type, {its.name for its in found})
        shown = tuple(value[:_VALUE_CHARS] for value in values[:_MOST_TEACHERS])
        share = len(values) / len(searched)
        found.append(ProposedField(name, kind, its_type, nodes[:_MOST_TEACHERS], shown, share))
    return tuple(found[:_MOST_FIELDS])


def _places(view: View, record: int) -> Iterator[tuple[tuple[str, ...], int, str]]:
    """Yield the texts and addresses of a record: kind and way to it, node, value."""
    tree = view.tree
    numbers: Counter[tuple[str, ...]] = Counter()
    ways: dict[int, tuple[str, ...]] = {record: ()}
    for node in range(record, tree.ends[record]):
        if node != record:
            ways[node] = (*ways[tree.parents[node]], _step(view, node))
        found = [(TEXT_NODE, tree.texts[node])] if tree.names[node] == TEXT else []
        for name, of in (("href", "a"), ("src", "img"), ("datetime", "time")):
            value = tree.attribute(node, name) if tree.names[node] == of else None
            if value and not value.startswith(("#", "javascript:", "data:")):
                found.append((f"@{name}", value))
        for kind, value in found:
            key = (kind, *ways[node])
            numbers[key] += 1
            yield (*key, str(numbers[key])), node, value


def _type_of(kind: str, values: Sequence[str]) -> str:
    if kind in {"@href", "@src"}:
        return "url"
    for name, most in (("number", _NUMBER_CHARS), ("date", 2 * _NUMBER_CHARS)):
        fit = [its for its in values if len(its) <= most and convert(its, name) is not None]
        letters = sum(its.isalpha() for value in fit for its in value)
        is_number = letters <= 3 * len(fit) and not any(map(_is_numbered_name, fit))
        if len(fit) == len(values) and (name == "date" or is_number):
            return name
    return "text"


def _is_numbered_name(value: str) -> bool:
    """Tell whether words with a number behind are a name, as "No 3"; a currency is in capitals."""
    before = "".join(takewhile(lambda char: not char.isdecimal(), value))
    return any(char.isalpha() and not char.isupper() for char in before)


def _name_of(view: View, node: int, kind: str, type_: str, taken: set[str]) -> str:
    """Return a name for a field, by the names that the page uses for its element."""
    tree = view.tree
    element = tree.parents[node] if tree.names[node] == TEXT else node
    fixed = {"@href": "link", "@src": "picture", "@datetime": "date"}.get(kind)
    words = (
        tree.attribute(element, "itemprop") or "",
        (tree.attribute(element, "class") or "").split(" ")[0],
    )
    name = fixed or _NAMES.get(tree.names[element]) or next(filter(None, map(_word, words)), "")
    if not name:
        name = {"number": "number", "date": "date"}.get(type_, "")
    if not name:
        name = "title" if tree.names[element] == "a" else "text"
    stem, number = name, 2
    while name in taken:
        name, number = f"{stem}{number}", number + 1
    return name


def _word(name: str) -> str:
    word = "".join(its if its.isalnum() else "_" for its in masked(name).lower()).strip("_0")
    return word if len(word) <= _NUMBER_CHARS and word[:1].isalpha() else ""
