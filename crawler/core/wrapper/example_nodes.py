"""What a rule remembers of its examples: the nodes that were right, and what came near to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawler.core.wrapper.evidence import SLOTS, evidence_of
from crawler.core.wrapper.list_siblings import mates_of
from crawler.core.wrapper.tree import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from crawler.core.wrapper.evidence import Evidence
    from crawler.core.wrapper.view import View

__all__ = [
    "ELEMENT",
    "TEXT_RUN",
    "Example",
    "Sighting",
    "Survey",
    "Wanted",
    "agreement",
    "example_of_nodes",
    "example_of_values",
    "node_at",
    "nodes_of",
    "places_of",
    "rarities",
    "value_of",
]

TEXT_RUN = "text"
"""The kind of fields whose values are whole text nodes."""
ELEMENT = "element"
"""The kind of fields whose values are what is read in an element."""

# Attributes that values are looked for in, where no text says them.
_ATTRIBUTES = ("href", "src", "content", "datetime", "alt", "title", "value")
_SLOT_AT = {slot.name: at for at, slot in enumerate(SLOTS)}
# Addresses, as opposed to words.
_ADDRESSES = frozenset(("href", "src"))
# Of how many values of an example near misses are looked for, which takes long.
_WITH_NEAR = 12
# How many copies of a value are weighed, and how many near misses are kept of each.
_CANDIDATES = 10
_NEAR = 6


@dataclass(frozen=True, slots=True)
class Sighting:
    """A node that says what was wanted, as the page shows it.

    ``kind``
        :data:`TEXT_RUN`, :data:`ELEMENT`, or ``@`` and the name of an attribute.
    ``path``
        Where it stands, from the root of the page or record.
    ``evidence``
        The values of all slots.
    ``counts``
        How many nodes of its kind have the same value in each slot, itself among them.
    ``nodes``
        How many nodes of its kind there are.
    ``near``
        The evidence of the nodes most like it that say something else.
    ``mates``
        How many of its list mates (:mod:`crawler.core.wrapper.list_siblings`) are wanted as well.
    ``strangers``
        How many of them are not.
    """

    kind: str
    path: str
    evidence: Evidence
    counts: tuple[int, ...]
    nodes: int
    near: tuple[Evidence, ...] = ()
    mates: int = 0
    strangers: int = 0

    @property
    def element(self) -> str:
        """Name of the element that the node is, or stands in; empty where that is unseen."""
        at = _SLOT_AT["name"]
        return self.evidence[at].partition("/")[0]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value, and the nodes that say it: several, where the page repeats it."""

    value: str
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """What one page, or one record of a page, has to say for a field.

    ``page``
        The page's fingerprint.
    ``address``
        Where the page came from, for people.
    ``record``
        Path of the record on its page; empty where the field is one of the page itself.
    ``wanted``
        The field's values; none where the page has none.
    ``wrong``
        Nodes that somebody said are not meant.
    """

    page: str
    address: str = ""
    record: str = ""
    wanted: tuple[Wanted, ...] = ()
    wrong: tuple[Sighting, ...] = ()


class Survey:
    """All nodes of a view, by kind, with their evidence: worked out once a page."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._nodes: dict[str, list[int]] = {}
        self._rows: dict[str, list[Evidence]] = {}
        self._counts: dict[str, list[Counter[str]]] = {}

    def nodes(self, kind: str) -> list[int]:
        """Return the nodes of a kind in document order."""
        if kind not in self._nodes:
            self._nodes[kind] = nodes_of(self.view, kind)
        return self._nodes[kind]

    def rows(self, kind: str) -> list[Evidence]:
        """Return the evidence of each of those nodes."""
        if kind not in self._rows:
            self._rows[kind] = [evidence_of(self.view, node) for node in self.nodes(kind)]
        return self._rows[kind]

    def counts(self, kind: str) -> list[Counter[str]]:
        """Return, for each slot, how often each value occurs."""
        if kind not in self._counts:
            columns = zip(*self.rows(kind), strict=True) if self.rows(kind) else ()
            self._counts[kind] = [Counter(column) for column in columns]
        return self._counts[kind]

    def sighting(
        self, node: int, kind: str, right: Collection[int], *, with_near: bool = True
    ) -> Sighting:
        """Describe a node. What is ``right``, itself among it, is no near miss."""
        tree, root = self.view.tree, self.view.root
        path = tree.path(node)
        if root >= 0:
            path = path.removeprefix(tree.path(root)) or "/"
        evidence = evidence_of(self.view, node)
        counts = tuple(
            known[value] for known, value in zip(self.counts(kind), evidence, strict=True)
        )
        nodes = len(self.nodes(kind))
        bare = Sighting(kind, path, evidence, counts, nodes)
        mates = mates_of(self.view, node).nodes
        return replace(
            bare,
            near=self._near(bare, right) if with_near else (),
            mates=sum(mate in right for mate in mates),
            strangers=sum(mate not in right for mate in mates),
        )

    def _near(self, bare: Sighting, right: Collection[int]) -> tuple[Evidence, ...]:
        weights = rarities(bare)
        found: dict[Evidence, float] = {}
        for node, row in zip(self.nodes(bare.kind), self.rows(bare.kind), strict=True):
            if node not in right and row not in found:
                found[row] = _meeting(weights, bare.evidence, row)
        ranked = sorted(found, key=lambda row: (-found[row], row))
        return tuple(ranked[:_NEAR])


def nodes_of(view: View, kind: str) -> list[int]:
    """Return the nodes of a view that could be a field's, in document order."""
    if kind == TEXT_RUN:
        return view.runs
    tree = view.tree
    # A record can be a link, and say something itself.
    within = range(max(view.root, 0), tree.within(view.root).stop)
    elements = [node for node in within if tree.elements[node] is not None]
    if kind == ELEMENT:
        return elements
    name = kind[1:]
    return [node for node in elements if tree.attribute(node, name) is not None]


def value_of(view: View, node: int, kind: str) -> str:
    """Return what a field of this kind has for its value where it is this node."""
    if not kind.startswith("@"):
        return view.tree.value(node)
    written = fold(view.tree.attribute(node, kind[1:]) or "")
    return _joined(view, written) if kind[1:] in _ADDRESSES else written


def _joined(view: View, address: str) -> str:
    try:
        return urljoin(view.tree.base_url, address)
    except ValueError:
        return address


def node_at(view: View, path: str) -> int | None:
    """Return the node of a sighting's path, None where the page has none there."""
    if view.root < 0:
        return view.tree.find(path)
    return view.root if path == "/" else view.tree.find(view.tree.path(view.root) + path)


def rarities(sighting: Sighting) -> tuple[float, ...]:
    """Return for each slot how much it tells that a node has the same there."""
    return tuple(
        slot.trust * log((sighting.nodes + 1) / count)
        for slot, count in zip(SLOTS, sighting.counts, strict=True)
    )


def _meeting(weights: Sequence[float], left: Evidence, right: Evidence) -> float:
    return sum(
        weight for weight, one, other in zip(weights, left, right, strict=True) if one == other
    )


def agreement(
    left: Sighting, right: Sighting, mine: Sequence[float], theirs: Sequence[float]
) -> float:
    """Return how far two nodes are the same thing on two pages: between 0 and 1.

    Args:
        left: one node.
        right: the other.
        mine: the rarities of ``left``.
        theirs: those of ``right``.
    """
    if left.kind != right.kind:
        return 0.0
    # Added up in one order, so that both sides see the same number.
    weights = [one + other for one, other in zip(mine, theirs, strict=True)]
    whole = sum(weights)
    return _meeting(weights, left.evidence, right.evidence) / whole if whole > 0 else 0.0


def example_of_values(survey: Survey, values: Iterable[str], record: str = "") -> Example:
    """Look values up on a page: in its text nodes, else its elements, else its attributes.

    A value that the page does not say is left out; compare ``wanted`` with what was asked for.
    """
    view = survey.view
    wanted = list(dict.fromkeys(folded for value in values if (folded := fold(value))))
    places = {value: places_of(view, value) for value in wanted}
    right = {node for _, nodes in places.values() for node in nodes}
    return Example(
        page=view.tree.fingerprint,
        address=view.tree.url,
        record=record,
        wanted=tuple(
            Wanted(
                value,
                tuple(
                    survey.sighting(node, kind, right, with_near=at < _WITH_NEAR)
                    for node in nodes[:_CANDIDATES]
                ),
            )
            for at, (value, (kind, nodes)) in enumerate(places.items())
            if nodes
        ),
    )


def places_of(view: View, value: str) -> tuple[str, list[int]]:
    """Return the nodes that say a value, and of what kind they are.

    Text nodes come first, then elements, then attributes: the first kind that there is.
    """
    tree = view.tree
    if said := view.saying(value):
        return TEXT_RUN, said
    if found := _elements_saying(view, value):
        return ELEMENT, found
    for name in _ATTRIBUTES:
        for node in nodes_of(view, f"@{name}"):
            if value in {value_of(view, node, f"@{name}"), fold(tree.attribute(node, name) or "")}:
                found.append(node)
        if found:
            return f"@{name}", found
    return TEXT_RUN, []


def _elements_saying(view: View, value: str) -> list[int]:
    """Return the elements that say a text and nothing more, the innermost of those around it."""
    tree = view.tree
    length = len(value.replace(" ", ""))
    first, stop = max(view.root, 0), tree.within(view.root).stop
    # How many characters stand before each node of the view, and before its end.
    sizes = [0]
    for raw in tree.raws[first:stop]:
        sizes.append(sizes[-1] + len("".join(raw.split())))
    found = [
        node
        for node in nodes_of(view, ELEMENT)
        # Invisible characters are few: the size leaves hardly any element to be read.
        if length <= sizes[tree.ends[node] - first] - sizes[node - first] <= length + 8
        and tree.value(node) == value
    ]
    inner = set(found)
    for node in found:
        inner.discard(tree.parents[node])
    return sorted(inner)


def example_of_nodes(
    survey: Survey,
    nodes: Iterable[int],
    kind: str = TEXT_RUN,
    *,
    wrong: Iterable[int] = (),
    record: str = "",
) -> Example:
    """Describe nodes that somebody pointed at, and those he said are not meant.

    Raises:
        ValueError: a node is not of this kind.
    """
    view = survey.view
    chosen = sorted(set(nodes))
    right = set(chosen)
    refused = sorted(set(wrong) - set(chosen))
    known = set(survey.nodes(kind))
    if strange := [node for node in (*chosen, *refused) if node not in known]:
        raise ValueError(f"node {strange[0]} of {view.tree.url} is no node of the kind '{kind}'")
    return Example(
        page=view.tree.fingerprint,
        address=view.tree.url,
        record=record,
        wanted=tuple(
            Wanted(
                value_of(view, node, kind),
                (survey.sighting(node, kind, right, with_near=at < _WITH_NEAR),),
            )
            for at, node in enumerate(chosen)
        ),
        wrong=tuple(survey.sighting(node, kind, right) for node in refused),
    )
