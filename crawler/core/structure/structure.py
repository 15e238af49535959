"""From a page and a model to its logical structure: the steps of Lee and Lee (2004), section 4.

As published: visual groups by the visual tags of table 3, elements by keywords below what their
group is, logical grouping, patterns last. The default method, for pages of today, differs in
headings (:mod:`~crawler.core.structure.headings`), tokens (:mod:`~crawler.core.structure.tokens`),
and for models of running text the roles of blocks (:mod:`~crawler.core.structure.roles`).
"""

# ruff: noqa: RUF001 - colons and quotation marks as people type them

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from crawler.core.errors import UnknownMethodError
from crawler.core.flow import Annotation, SiteView, annotate, get_method
from crawler.core.page.page import Document
from crawler.core.structure import DEFAULT_STRUCTURE
from crawler.core.structure.headings import Heading, find_headings
from crawler.core.structure.lines import Line, lines_of
from crawler.core.structure.model import GROUP, TEXT, Model
from crawler.core.structure.roles import article_roles
from crawler.core.structure.tokens import Tokens, apply_patterns
from crawler.core.structure.tree import ITEM, GroupTree, Node, Structure, fit, group_logically

# A model with an element for this role is one of running text, which a page has beside other text.
_RUNNING_TEXT: Final = "paragraph"
_LABEL_TAGS: Final = frozenset(("th", "dt"))
_OPENING: Final = 2
_STOPS: Final = (".", "!", "?", "…", "。")
_QUOTES: Final = "\"'”’“»)"
_PARAGRAPH_CHARS: Final = 40
# Roles of a block that its words do not change.
_SURE_ROLES: Final = frozenset(("title", "author", "date", "summary", "caption", "code"))
_LAST_RANK: Final = 4
_TOKEN: Final = re.compile(r"[^;,:]*+[;,:]*+")
# The size of <font> that letters of h1 to h4 have: 2, 1.5, 1.17 and 1 em (HTML, section 15.3).
_RANK_OF_FONT: Final = {7: 1, 6: 1, 5: 2, 4: 3, 3: 4}
_RANKED_TAGS: Final = frozenset(("p", "dt"))


def structure_names() -> tuple[str, ...]:
    """Return the names of all methods, sorted."""
    return ("modern", "published")


def check_structure_method(name: str) -> None:
    """Check that there is a method of a name.

    Raises:
        UnknownMethodError: there is none.
    """
    if name not in structure_names():
        raise UnknownMethodError(
            f"no method of logical structure is called '{name}'; the methods are: "
            f"{', '.join(structure_names())}"
        )


def structure_of(
    page: Document | Annotation, model: Model, method: str = DEFAULT_STRUCTURE
) -> Structure:
    """Return the logical structure of a page.

    Args:
        page: the page: as it was judged with its site, or as it was read, to be judged by itself
            alone. By a model with an element for paragraphs (``KEYROLE "paragraph"``), one of
            running text, only the main text of the page is read. By any other the whole page is,
            and so it is by the method ``published``.
        model: the model.
        method: ``modern`` or ``published``.

    Raises:
        UnknownMethodError: there is no method of that name.
    """
    lines, roles = lines_read(page, model, method)
    is_published = method == "published"
    root = _as_published(lines, model) if is_published else _Builder(model, roles).build(lines)
    is_matched = any(node.is_element for node in root.walk() if node is not root)
    none = f"no element of the model {model.name} was found; all is {TEXT}"
    problems = [] if is_matched else [none]
    problems += fit(root, model)
    return Structure(root, model, is_matched, tuple(dict.fromkeys(problems)))


def lines_read(
    page: Document | Annotation, model: Model, method: str = DEFAULT_STRUCTURE
) -> tuple[list[Line], Mapping[int, str]]:
    """Return the lines of a page of which its structure is made, and the roles of blocks.

    Args:
        page: the page, as :func:`structure_of` has it.
        model: the model.
        method: ``modern`` or ``published``.

    Raises:
        UnknownMethodError: there is no method of that name.
    """
    check_structure_method(method)
    document = page.document if isinstance(page, Annotation) else page
    lines = lines_of(document.parsed)
    if method == "published" or _RUNNING_TEXT not in model.roles:
        return lines, {}
    if not isinstance(page, Annotation):
        page = annotate(page, SiteView(), get_method("article"))
    main = _main_blocks(page)
    roles = article_roles(document, main, lines)
    return [it for it in lines if it.block.index in roles or it.block.index in main], roles


def _main_blocks(annotation: Annotation) -> frozenset[int]:
    """Return the numbers of the kept blocks; sentences and text nodes are found by their text."""
    kept = [block for block, label in annotation.pairs() if label.kept]
    if annotation.blocks is annotation.document.blocks:
        return frozenset(block.index for block in kept)
    keys = {block.key for block in kept}
    return frozenset(block.index for block in annotation.document.blocks if block.key in keys)


class _Builder:
    """Builds the tree of one page; in an article the blocks have ``roles``, by their numbers."""

    def __init__(self, model: Model, roles: Mapping[int, str]) -> None:
        self._model = model
        self._roles = roles
        self._tokens = Tokens(model)
        # The elements directly under the root that hold others.
        self._parts = frozenset(name for name in model.children(model.root) if model.children(name))
        self._root = Node(model.root)
        # The line of each node that is text of the page, and the heading of each group.
        self._lines: dict[Node, Line] = {}
        self._headings: dict[Node, Heading] = {}

    def build(self, lines: Iterable[Line]) -> Node:
        lines = list(self._without_leads(lines))
        self._group(lines, self._find_headings(lines))
        self._identify()
        group_logically(self._root, self._model, partly=True)
        return self._root

    def _role(self, line: Line) -> str:
        return self._roles.get(line.block.index, "")

    def _without_leads(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Cut lines that begin with the heavy name of a part: "<b>Education:</b> B.Sc., 2001"."""
        root = self._model.root
        for line in lines:
            head, rest = line.text[: line.lead], line.text[line.lead :]
            if (
                head.rstrip().endswith((":", "："))
                and rest.strip()
                and line.item is None
                and self._tokens.part(head.rstrip(" :："), root, self._parts, strictly=False)
            ):
                yield line.cut(0, line.lead)
                yield line.cut(line.lead, len(line.text))
            else:
                yield line

    def _find_headings(self, lines: Sequence[Line]) -> dict[Line, Heading]:
        """Return the headings; in an article only those that have that role, or name a part."""
        model = self._model
        found = find_headings(lines, self._tokens, model.root, self._parts)
        if not self._roles:
            return found
        kept = {
            line: heading
            for line, heading in found.items()
            if self._role(line) == "heading"
            or (heading.part and self._role(line) not in _SURE_ROLES)
        }
        for line in lines:
            if line.first and self._role(line) == "heading" and line not in kept:
                kept[line] = Heading(_OPENING, None)
        section = model.with_role("section")
        if section is not None and section not in model.children(section):
            # Sections do not nest in this model: all headings are of one level.
            kept = {line: Heading(1, heading.part) for line, heading in kept.items()}
        return kept

    def _group(self, lines: Sequence[Line], headings: Mapping[Line, Heading]) -> None:
        groups = GroupTree(self._root)
        seen: Node | None = None
        for line in lines:
            heading, role = headings.get(line), self._role(line)
            if seen is not None and self._lines[seen].block is line.block:
                # A heading is one text, and so is a block that has a role.
                goes_on = role and not _begins_paragraph(seen.text, line.text, role)
                if seen.headed if heading is not None else goes_on:
                    seen.text = f"{seen.text} {line.text}"
                    continue
            if heading is not None:
                seen = groups.heading(line.text, heading.level)
                self._headings[seen] = heading
            else:
                seen = groups.text(line.text, None if role else line.item or line.row)
            self._lines[seen] = line

    def _identify(self) -> None:
        """Name groups and tokens from the outside in, each in the context of what is around it."""
        waiting = [(self._root, self._model.root)]
        while waiting:
            node, context = waiting.pop()
            children: list[Node] = []
            label: str | None = None
            for child in node.children:
                if child.name == ITEM:
                    waiting.append((child, context))
                    children.append(child)
                elif child.name == GROUP:
                    named, inner = self._group_named(child, context)
                    children += named
                    if inner is not None:
                        waiting.append((child, inner))
                else:
                    named, label = self._line_named(child, context, label)
                    children += named
            node.children = self._in_sections(children, context)

    def _group_named(self, group: Node, context: str) -> tuple[list[Node], str | None]:
        """Name a group by its title.

        Returns the nodes that it becomes, and the context of what is in it; None if that is done.
        """
        model, tokens = self._model, self._tokens
        heading = self._headings[group]
        allowed = model.children(context)
        if heading.level == 0:
            if not self._root.text and model.root in tokens.whole(group.text):
                self._root.text = group.text
                return [], None
            if title := model.with_role("title", allowed):
                return [Node(title, group.text)], None
        name = heading.part if heading.part in allowed else None
        name = name or tokens.element(group.text, context, deep=False)
        name = name or tokens.patterned(group.text, context)
        if name is not None and not model.children(name):
            # A title that names what has no children is a label, and its values follow.
            texts = [node.text for node in group.walk() if node is not group and node.name != ITEM]
            values = [piece for text in texts if text for piece in tokens.cut(text, context, name)]
            return [Node(TEXT, group.text), *values] if values else [Node(name, group.text)], None
        if name is not None:
            group.name = name
            first, *rest = tokens.cut(group.text, context) if heading.part is None else [group]
            if model.children(first.name) and any(piece.name != TEXT for piece in rest):
                # Of several elements in its title, the first is the parent of the rest.
                group.name, group.text = first.name, first.text
                group.children[:0] = rest
            return [group], group.name
        section = model.with_role("section", allowed)
        if section is None:
            return [group], context
        head = model.with_role("heading", model.children(section))
        if head is not None:
            group.children.insert(0, Node(head, group.text))
            group.text = ""
        group.name = section
        return [group], section

    def _line_named(
        self, node: Node, context: str, label: str | None
    ) -> tuple[list[Node], str | None]:
        """Name a line by its words, or else by its role.

        Returns the nodes that it becomes, and the element that it is a label of, if any.
        """
        line = self._lines.get(node)
        if line is None:
            return [node], label
        model = self._model
        allowed = model.children(context)
        if line.tag in _LABEL_TAGS:
            return [node], self._tokens.labelled(node.text, context)
        # Without roles of an article, the markup decides.
        role = self._role(line) if self._roles else "item" if line.item else "paragraph"
        name = model.with_role(role, allowed)
        # Code keeps its lines.
        text = line.block.text if role == "code" else node.text
        if name is not None and role in _SURE_ROLES:
            return [Node(name, text)], None
        pieces = self._tokens.cut(node.text, context, label)
        if any(piece.name != TEXT for piece in pieces):
            return pieces, None
        if name is None and role != "title":
            section = model.with_role("section", allowed)
            name = model.with_role(role, model.children(section)) if section else None
            if name is None and role in ("quote", "code", "item"):
                name = model.with_role("paragraph", allowed)
        return [Node(name or TEXT, text)], None

    def _in_sections(self, children: list[Node], context: str) -> list[Node]:
        """Put what only a section may hold, and is in none, into one without a heading."""
        allowed = self._model.children(context)
        section = self._model.with_role("section", allowed)
        if section is None:
            return children
        inside = self._model.children(section)
        done: list[Node] = []
        opened: Node | None = None
        for child in children:
            if child.name in inside and child.name not in allowed:
                if opened is None:
                    opened = Node(section)
                    done.append(opened)
            elif child.name == section or child.name not in inside | {TEXT}:
                opened = None
            (opened.children if opened is not None else done).append(child)
        return done


def _begins_paragraph(before: str, text: str, role: str) -> bool:
    """Tell whether a line break parts paragraphs: it does between sentences of some length."""
    return (
        role == "paragraph"
        and before.rstrip(_QUOTES).endswith(_STOPS)
        and min(len(before), len(text)) >= _PARAGRAPH_CHARS
    )


def _as_published(lines: Iterable[Line], model: Model) -> Node:
    """Return the tree of a page by the steps of the paper."""
    root = Node(model.root)
    groups = GroupTree(root)
    for line in lines:
        if (rank := _rank(line)) is not None:
            groups.heading(line.text, rank)
        else:
            groups.text(line.text, line.item)
    _identify(root, model)
    group_logically(root, model)
    apply_patterns(root, model)
    group_logically(root, model)
    return root


def _rank(line: Line) -> int | None:
    """Return the rank of a visual tag by table 3, 1 to 4; None for what is none."""
    if line.level:
        # h5 and h6 are not in the table, nor is any other markup of headings.
        return line.level if line.tag in ("h1", "h2", "h3", "h4") else None
    style = line.style
    stands_out = style.bold or style.underlined or line.tag == "dt"
    if style.font:
        ranked = stands_out or line.tag in _RANKED_TAGS
        return _RANK_OF_FONT.get(style.font) if ranked else None
    return _LAST_RANK if stands_out and line.tag != "th" else None


def _identify(root: Node, model: Model) -> None:
    """Name groups and tokens, from the outside in."""
    keywords = Tokens(model, fuzzy=False)
    # With each node, the elements that may be below it; outside of any named group all may.
    waiting = [(root, frozenset(model.names) - {model.root})]
    while waiting:
        node, allowed = waiting.pop()
        children: list[Node] = []
        for child in node.children:
            if child.name == TEXT:
                tokens = filter(None, map(str.strip, _TOKEN.findall(child.text)))
                children += [
                    Node(_element(token, keywords, allowed) or TEXT, token) for token in tokens
                ]
                continue
            inside = allowed
            if child.name == GROUP and (name := _element(child.text, keywords, allowed)):
                child.name = name
                inside = model.below(name)
            children.append(child)
            waiting.append((child, inside))
        node.children = children


def _element(token: str, keywords: Tokens, allowed: frozenset[str]) -> str | None:
    """Return the one element of a token: of two, the one that the other qualifies."""
    chosen: tuple[str, int] | None = None
    for hit in keywords.hits(token):
        name = next((name for name in hit.elements if name in allowed), None)
        if name is None:
            continue
        between = token[chosen[1] : hit.start].strip() if chosen else ""
        if not between:
            # "Boston University", "Assistant Professor": what is before qualifies.
            chosen = name, hit.end
        elif between != "of":
            break
        # "University of Boston": what is behind "of" qualifies.
    return chosen[0] if chosen else None
