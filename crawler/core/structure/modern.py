"""The default method: the steps of the paper for pages as people make them today.

What differs from :mod:`crawler.core.structure.paper_method` is said where it is done: headings
(:mod:`~crawler.core.structure.headings`), tokens (:mod:`~crawler.core.structure.tokens`), and for
models of running text the roles of blocks (:mod:`~crawler.core.structure.roles`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crawler.core.structure.grouping import group_logically
from crawler.core.structure.headings import Heading, find_headings
from crawler.core.structure.keywords import Keywords
from crawler.core.structure.lines import lines_of
from crawler.core.structure.model import GROUP, TEXT
from crawler.core.structure.nodes import ITEM, Node
from crawler.core.structure.roles import article_roles
from crawler.core.structure.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.core.page.page import Document
    from crawler.core.structure.lines import Line
    from crawler.core.structure.model import Model

__all__ = ["Modern"]

_LABEL_TAGS: Final = frozenset(("th", "dt"))
_OPENING: Final = 2
_STOPS: Final = (".", "!", "?", "…", "。")
_QUOTES: Final = "\"'”’“»)"  # noqa: RUF001 - as people type them
_PARAGRAPH_CHARS: Final = 40
# What a block is known to be, whatever its words.
_TOLD: Final = frozenset(("title", "author", "date", "summary", "caption", "code"))


@dataclass(slots=True)
class _Build:
    """A tree being built.

    ``lines``
        Of nodes that are text of the page, the line that they are.
    ``roles``
        What the blocks of an article are, by their numbers.
    ``headings``
        Of groups, the headings that they stand under.
    """

    model: Model
    root: Node
    tokens: Tokens
    roles: Mapping[int, str]
    lines: dict[Node, Line] = field(default_factory=dict)
    headings: dict[Node, Heading] = field(default_factory=dict)


class Modern:
    """Headings by tag, role, letters and words; lines by keywords in context, or by their roles."""

    name = "modern"

    def build(self, document: Document, model: Model, main: frozenset[int] | None) -> Node:
        """Return the logical structure tree of a page.

        Args:
            document: the page.
            model: the model.
            main: the numbers of the blocks that are main text. Where the model has elements for
                running text nothing else is looked at; None where it has none.
        """
        lines = lines_of(document.parsed)
        roles: Mapping[int, str] = {}
        if main is not None:
            roles = article_roles(document, main, lines)
            lines = [
                line for line in lines if line.block.index in roles or line.block.index in main
            ]
        tokens = Tokens(model, Keywords(model))
        build = _Build(model, Node(model.root), tokens, roles)
        lines = list(_without_leads(lines, build))
        headings = _headings(lines, build)
        _group(lines, headings, build)
        _identify(build)
        group_logically(build.root, model, partly=True)
        return build.root


def _parts(model: Model) -> frozenset[str]:
    """Return the elements right under the root that hold others."""
    return frozenset(name for name in model.children(model.root) if model.children(name))


def _without_leads(lines: Iterable[Line], build: _Build) -> Iterable[Line]:
    """Cut lines that begin with the heavy name of a part: "<b>Education:</b> B.Sc., 2001"."""
    model, parts = build.model, _parts(build.model)
    for line in lines:
        head, rest = line.text[: line.lead], line.text[line.lead :]
        if (
            head.rstrip().endswith((":", "："))  # noqa: RUF001 - that of Chinese and Korean
            and rest.strip()
            and line.item is None
            and build.tokens.part(head.rstrip(" :："), model.root, parts, strictly=False)  # noqa: RUF001 - as above
        ):
            yield line.cut(0, line.lead)
            yield line.cut(line.lead, len(line.text))
        else:
            yield line


def _headings(lines: Sequence[Line], build: _Build) -> dict[Line, Heading]:
    """Return the headings; in an article only those that have that role, or name a part."""
    model = build.model
    found = find_headings(lines, build.tokens, model.root, _parts(model))
    if not build.roles:
        return found
    kept = {
        line: heading
        for line, heading in found.items()
        if build.roles.get(line.block.index) == "heading"
        or (heading.part and build.roles.get(line.block.index) not in _TOLD)
    }
    for line in lines:
        if line.first and build.roles.get(line.block.index) == "heading" and line not in kept:
            kept[line] = Heading(line, _OPENING, None)
    section = model.with_role("section")
    if section is not None and section not in model.children(section):
        # Sections do not nest in this model: all headings are of one level.
        kept = {line: Heading(line, 1, heading.part) for line, heading in kept.items()}
    return kept


def _group(lines: Sequence[Line], headings: Mapping[Line, Heading], build: _Build) -> None:
    """Build the group tree: each heading holds what follows up to one of its level or higher.

    A title of the whole, of level 0, holds nothing.
    """
    open_groups = [(-1, build.root)]
    holder: object = None
    item: Node | None = None
    seen: Node | None = None
    for line in lines:
        heading = headings.get(line)
        if heading is not None:
            if seen is not None and build.lines[seen].block is line.block and seen.headed:
                seen.text = f"{seen.text} {line.text}"
                continue
            while open_groups[-1][0] >= heading.level:
                open_groups.pop()
            group = seen = Node(GROUP, line.text, headed=True)
            build.headings[group], build.lines[group] = heading, line
            open_groups[-1][1].children.append(group)
            if heading.level > 0:
                open_groups.append((heading.level, group))
            item = None
            continue
        role = build.roles.get(line.block.index)
        same = seen is not None and build.lines[seen].block is line.block
        if role and seen is not None and same and not _begins_paragraph(seen.text, line.text, role):
            # A block that has a role is one text, however many lines.
            seen.text = f"{seen.text} {line.text}"
            continue
        place = open_groups[-1][1]
        if role or (line.item or line.row) is None:
            item = None
        elif item is None or holder is not (line.item or line.row):
            item, holder = Node(ITEM), line.item or line.row
            place.children.append(item)
        seen = Node(TEXT, line.text)
        build.lines[seen] = line
        (item or place).children.append(seen)


def _begins_paragraph(before: str, text: str, role: str) -> bool:
    """Tell whether a line break parts paragraphs: it does between sentences of some length."""
    return (
        role == "paragraph"
        and before.rstrip(_QUOTES).endswith(_STOPS)
        and min(len(before), len(text)) >= _PARAGRAPH_CHARS
    )


def _identify(build: _Build) -> None:
    """Name groups and tokens from the outside in, each in the context of what is around it."""
    level = [(build.root, build.model.root)]
    while level:
        below: list[tuple[Node, str]] = []
        for node, context in level:
            children: list[Node] = []
            label: str | None = None
            for child in node.children:
                if child.name == ITEM:
                    below.append((child, context))
                    children.append(child)
                elif child.name == GROUP:
                    children += _group_named(child, context, build, below)
                else:
                    named, label = _line_named(child, context, label, build)
                    children += named
            node.children = _in_sections(children, context, build.model)
        level = below


def _group_named(
    group: Node, context: str, build: _Build, below: list[tuple[Node, str]]
) -> list[Node]:
    """Name a group by its title; what is in it is looked at in its own context."""
    model, tokens = build.model, build.tokens
    heading = build.headings[group]
    allowed = model.children(context)
    if heading.level == 0 and model.root in tokens.named(group.text) and not build.root.text:
        build.root.text = group.text
        return []
    title = model.with_role("title", allowed)
    if heading.level == 0 and title is not None:
        return [Node(title, group.text)]
    name = heading.part if heading.part in allowed else None
    name = name or tokens.element(group.text, context, deep=False)
    name = name or tokens.patterned(group.text, context)
    if name is not None and model.children(name):
        return _entry(group, name, context, build, below)
    if name is not None:
        # A title that names what has no children is a label, and what follows is its value.
        return _labelled(group, name, context, build)
    section = model.with_role("section", allowed)
    if section is not None:
        head = model.with_role("heading", model.children(section))
        if head is not None:
            group.children.insert(0, Node(head, group.text))
        below.append((group, section))
        group.name, group.text = section, "" if head else group.text
        return [group]
    below.append((group, context))
    return [group]


def _entry(
    group: Node, name: str, context: str, build: _Build, below: list[tuple[Node, str]]
) -> list[Node]:
    """Name a group whose title may say more than one thing: the first is the parent of the rest."""
    group.name = name
    if build.headings[group].part is None:
        pieces = build.tokens.cut(group.text, context)
        told = [piece for piece in pieces if piece.name != TEXT]
        if len(told) > 1 and pieces[0].name != TEXT and build.model.children(pieces[0].name):
            rest = Node(ITEM, children=[*pieces[1:]])
            group.name, group.text = pieces[0].name, pieces[0].text
            group.children[:0] = rest.children
    below.append((group, group.name))
    return [group]


def _labelled(group: Node, name: str, context: str, build: _Build) -> list[Node]:
    values: list[Node] = [Node(TEXT, group.text)]
    for node in group.walk():
        if node is not group and node.name != ITEM and node.text:
            values += build.tokens.cut(node.text, context, name)
    if len(values) == 1:
        return [Node(name, group.text)]
    return values


def _line_named(
    node: Node, context: str, label: str | None, build: _Build
) -> tuple[list[Node], str | None]:
    """Name a line by its words, or else by its role; return also what it is a label of."""
    if node not in build.lines:
        return [node], label
    model, line = build.model, build.lines[node]
    allowed = model.children(context)
    if line.tag in _LABEL_TAGS:
        return [node], build.tokens.labelled(node.text, context)
    role = _role(line, build.roles)
    if role in _TOLD and (told := model.with_role(role, allowed)) is not None:
        return [Node(told, node.text)], None
    pieces = build.tokens.cut(node.text, context, label)
    if any(piece.name != TEXT for piece in pieces):
        return pieces, None
    name = model.with_role(role, allowed)
    if name is None and role != "title":
        section = model.with_role("section", allowed)
        inner = model.with_role(role, model.children(section)) if section else None
        if inner is not None:
            return [Node(inner, node.text)], None
        name = model.with_role("paragraph", allowed) if role in ("quote", "code", "item") else None
    return [Node(name or TEXT, node.text)], None


def _role(line: Line, roles: Mapping[int, str]) -> str:
    """Return the role of a line; without those of an article that of its markup."""
    if roles:
        return roles.get(line.block.index, "")
    return "item" if line.item else "paragraph"


def _in_sections(children: list[Node], context: str, model: Model) -> list[Node]:
    """Put what only a section may hold, and stands in none, into one without a heading."""
    allowed = model.children(context)
    section = model.with_role("section", allowed)
    if section is None:
        return children
    inside = model.children(section) - allowed
    done: list[Node] = []
    opened: Node | None = None
    for child in children:
        if child.name in inside:
            if opened is None:
                opened = Node(section)
                done.append(opened)
            opened.children.append(child)
        elif (
            opened is not None
            and child.name != section
            and child.name in model.children(section) | {TEXT}
        ):
            opened.children.append(child)
        else:
            opened = None
            done.append(child)
    return done
