"""The tree that a page becomes: grouped, made valid by its model, and written as XML.

Steps 1 and 3 of Lee and Lee (2004), section 4.2: visual groups first. Then, logically (4.2.3), in a
list item the first element is the parent of the rest; where an element repeats among siblings, each
one takes what follows it, up to the next. Both only as far as the model allows.

Step 4: no text of the page is lost or moved: an element where the model does not allow it becomes
``TEXT``. What the model asks for and the page does not have is put in, empty, and reported (4.3).

The DTD that a model implies has the elements of the model, and two more: ``TEXT``, a piece of text
that is no element, and ``GROUP``, what is under a heading that is none. They may be before, between
and behind the children of any element that has children. An element with ``#PCDATA`` has its own
text as its content; any other has it in the attribute ``val``. Where XML has no form for a content
model, the DTD has it eased (:func:`crawler.core.structure.model.eased`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from crawler.core.structure.model import GROUP, TEXT, Element, Model, Particle

ITEM: Final = "#item"
"""Name of a list item, table row or paragraph while its contents are being grouped."""

# All that XML 1.0 does not take as a character; lone surrogates among them.
_NO_CHARS: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN: Final = f"({TEXT} | {GROUP})*"
_NAMESPACE: Final = "urn:medl:"


@dataclass(slots=True, eq=False)
class Node:
    """An element, a piece of ``TEXT``, a ``GROUP``, or an :data:`ITEM` while grouping.

    ``text``
        Its own text as the page has it, white space folded but in code; of a group its title.
    ``headed``
        Whether its text is a heading of what is under it; or, if it has none, that of its first
        child.
    """

    name: str
    text: str = ""
    children: list[Node] = field(default_factory=list)
    headed: bool = False

    @property
    def is_element(self) -> bool:
        """Whether it is an element of the model."""
        return self.name not in (TEXT, GROUP, ITEM)

    @property
    def title(self) -> str:
        """The heading of what is headed: its own text, or else that of its first child."""
        first = self.text or next((child.text for child in self.children), "")
        return first if self.headed else ""

    def walk(self) -> Iterator[Node]:
        """Yield it and all nodes below, depth first: in the order of the page."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


def as_xml_text(text: str) -> str:
    """Leave out the characters that XML does not allow."""
    return _NO_CHARS.sub("", text)


def full_text(root: Node) -> str:
    """Return all text of a tree in the order of the page, spaces between the texts of nodes."""
    return " ".join(node.text for node in root.walk() if node.text)


class GroupTree:
    """Builds a tree of visual groups below ``root``, from headings and texts in order."""

    def __init__(self, root: Node) -> None:
        self._open = [(-1, root)]
        self._holder: object = None
        self._item: Node | None = None

    def heading(self, text: str, level: int) -> Node:
        """Add a group that holds what follows, up to a heading of its level or an outer one.

        One of level 0 is a title of the whole, and holds nothing.
        """
        while self._open[-1][0] >= level:
            self._open.pop()
        group = Node(GROUP, text, headed=True)
        self._open[-1][1].children.append(group)
        if level > 0:
            self._open.append((level, group))
        self._item = None
        return group

    def text(self, text: str, holder: object) -> Node:
        """Add a text; all texts in a row with one ``holder``, if any, become one item."""
        place = self._open[-1][1]
        if holder is None:
            self._item = None
        elif self._item is None or self._holder is not holder:
            self._item, self._holder = Node(ITEM), holder
            place.children.append(self._item)
        node = Node(TEXT, text)
        (self._item or place).children.append(node)
        return node


def group_logically(root: Node, model: Model, *, partly: bool = False) -> None:
    """Group below a node, in place. Items are gone afterwards.

    Args:
        root: the tree.
        model: says what may be under what.
        partly: whether an element takes what it may hold, up to the first sibling that it may not,
            and whether the first of a part does so also where it does not repeat; else it takes all
            of its group or nothing.
    """
    parts = model.children(root.name)
    for node in reversed(list(root.walk())):
        if node.name == ITEM:
            first = next((place for place, each in enumerate(node.children) if each.is_element), -1)
            heads = [first] if first >= 0 else []
            node.children = _under(heads, node.children, model, partly=partly)
        elif node.children:
            children: list[Node] = []
            for child in node.children:
                children += child.children if child.name == ITEM else [child]
            # What is under an entry, or under what has a heading within a part, has its parent.
            lead = partly and node.headed and node.name in parts
            heads = _heads(children, model, lead=lead)
            node.children = _under(heads, children, model, partly=partly)


def _heads(children: list[Node], model: Model, *, lead: bool) -> list[int]:
    """Return the places of the element that repeats first; if ``lead``, of the first element."""
    elements = [child for child in children if child.is_element]
    counts = Counter(child.name for child in elements if not child.headed)
    repeated = next((child.name for child in elements if counts[child.name] > 1), None)
    if lead and repeated is None and elements and not any(child.headed for child in children):
        repeated = elements[0].name
    if repeated not in model.elements:
        return []
    return [place for place, child in enumerate(children) if child.name == repeated]


def _under(heads: list[int], children: list[Node], model: Model, *, partly: bool) -> list[Node]:
    """Put what follows each head, up to the next, under it, as far as the model allows."""
    grouped = children[: heads[0]] if heads else children
    for place, following in zip(heads, [*heads[1:], len(children)], strict=False):
        parent, rest = children[place], children[place + 1 : following]
        allowed = model.children(parent.name)
        # Text that is no element belongs to the element before it.
        may_take = allowed | {TEXT, ITEM} if allowed else allowed
        taken = next((at for at, node in enumerate(rest) if node.name not in may_take), len(rest))
        if not partly and taken < len(rest):
            taken = 0
        parent.children += rest[:taken]
        grouped += [parent, *rest[taken:]]
    return grouped


def fit(root: Node, model: Model) -> list[str]:
    """Make a tree valid by the model's DTD, in place.

    Returns a sentence for each element that the model asks for and the page does not have.
    """
    problems: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.name != GROUP:
            problems += _fit_children(node, model)
        waiting += node.children
    return problems


def _fit_children(node: Node, model: Model) -> Iterator[str]:
    element = model.element(node.name)
    if element.holds_any:
        return
    if not model.children(node.name):
        # It may have no children: what was put under it is part of its text.
        node.text = full_text(node)
        node.children = []
        return
    node.children = list(_allowed(node.children, model.children(node.name)))
    names = [child.name for child in node.children if child.is_element]
    for missing in model.lacking(node.name, names):
        yield f"{node.name}: required element {missing} is missing"
    if element.holds_text or element.automaton is None:
        return
    steps, tail = element.automaton.nearest(names)
    done: list[Node] = []
    plan = iter(steps)
    for child in node.children:
        if not child.is_element:
            done.append(child)
            continue
        step = next(plan)
        done += [_added(name, model) for name in step.missing]
        kept = (Node(TEXT, each.text) for each in child.walk() if each.text)
        done += [child] if step.taken else kept
    node.children = done + [_added(name, model) for name in tail]


def _allowed(children: list[Node], allowed: frozenset[str]) -> Iterator[Node]:
    """Yield children; for one that is not allowed its text, and then its own children."""
    waiting = children[::-1]
    while waiting:
        child = waiting.pop()
        if child.name in allowed or child.name in (TEXT, GROUP):
            yield child
        elif child.headed and child.name != ITEM:
            # What is under a heading stays under it.
            inner = child.children if child.text else child.children[1:]
            yield Node(GROUP, child.title, inner, headed=True)
        else:
            if child.text:
                yield Node(TEXT, child.text)
            waiting += reversed(child.children)


def _added(name: str, model: Model) -> Node:
    """Return an element that is not on the page, with the least that it has to hold."""
    # Of elements in any order none has to be there.
    least = model.least(name) if model.element(name).automaton is not None else ()
    return Node(name, children=[_added(each, model) for each in least])


@dataclass(frozen=True, slots=True)
class Structure:
    """The logical structure of one page.

    ``root``
        The tree; its texts, in order, are those of the page.
    ``model``
        The model it was made by.
    ``is_matched``
        Whether any element of the model was found on the page, the outermost not counted.
    ``problems``
        What the model asks for and the page does not have, a sentence each, each once.
    """

    root: Node
    model: Model
    is_matched: bool
    problems: tuple[str, ...]

    def xml(self, *, doctype: bool = False) -> str:
        """Return the structure as an XML document, with or without its DTD."""
        spaces = _namespaces(self.model)
        top = etree.Element(_qualified(self.root.name, spaces), nsmap=spaces)
        waiting = [(self.root, top)]
        while waiting:
            node, element = waiting.pop()
            text = as_xml_text(node.text)
            if node.name == GROUP:
                element.set("title", text)
            elif self.model.element(node.name).holds_text:
                element.text = text or None
            elif text or node.name == TEXT:
                element.set("val", text)
            waiting += [
                (child, etree.SubElement(element, _qualified(child.name, spaces)))
                for child in node.children
            ]
        written = etree.tostring(top, encoding="utf-8", pretty_print=True).decode("utf-8")
        dtd = f"<!DOCTYPE {self.root.name} [\n{implied_dtd(self.model)}]>\n" if doctype else ""
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{dtd}{written}'


def _namespaces(model: Model) -> dict[str, str]:
    """Return an address for each prefix of the model's names, since XML asks for one."""
    prefixes = dict.fromkeys(name.partition(":")[0] for name in model.names if ":" in name)
    return {prefix: _NAMESPACE + prefix for prefix in prefixes}


def _qualified(name: str, spaces: Mapping[str, str]) -> str:
    prefix, colon, local = name.partition(":")
    return f"{{{spaces[prefix]}}}{local}" if colon else name


def implied_dtd(model: Model) -> str:
    """Return the DTD of a model's results."""
    lines: list[str] = []
    for name in model.names:
        element = model.element(name)
        lines.append(f"<!ELEMENT {name} {_dtd_content(element)}>")
        if not element.holds_text:
            lines.append(f"<!ATTLIST {name} val CDATA #IMPLIED>")
        for prefix, address in _namespaces(model).items() if name == model.root else ():
            lines.append(f'<!ATTLIST {name} xmlns:{prefix} CDATA #FIXED "{address}">')
    for name, content, attribute in ((TEXT, "EMPTY", "val"), (GROUP, "ANY", "title")):
        lines.append(f"<!ELEMENT {name} {content}>")
        lines.append(f"<!ATTLIST {name} {attribute} CDATA #REQUIRED>")
    return "\n".join(lines) + "\n"


def _dtd_content(element: Element) -> str:
    names = dict.fromkeys(element.content.names())
    if element.holds_any:
        return "ANY"
    if not names:
        return "(#PCDATA)" if element.holds_text else "EMPTY"
    if element.holds_text or element.automaton is None:
        text = ("#PCDATA",) if element.holds_text else ()
        return f"({' | '.join((*text, *names, TEXT, GROUP))})*"
    return f"({_BETWEEN}, {_spaced(element.eased)})"


def _spaced(particle: Particle) -> str:
    """Write a content model, with room for what is no element behind each one."""
    if particle.kind == "name":
        return f"({particle.name}, {_BETWEEN}){particle.occurs}"
    joint = ", " if particle.kind == "sequence" else " | "
    return f"({joint.join(map(_spaced, particle.parts))}){particle.occurs}"
