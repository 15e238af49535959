"""What the window shows of a page that was judged: blocks, tables, structure, metadata."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from lxml import etree

from crawler.core.metadata.origins import Origin, origins
from crawler.core.methods.article.explain import Explanation
from crawler.core.page.blocks import Holder
from crawler.core.page.places import Place, places_of, shown_places, tiled
from crawler.core.structure.places import blocks_of_nodes
from crawler.core.structure.structure import lines_read, structure_of
from crawler.core.tables.areas import Areas
from crawler.core.tables.content import judge_tables, tables_of
from crawler.core.tables.markup import FoundTable
from crawler.core.tables.paper_method import judge_by_rules
from crawler.core.wrapper.tree import TEXT, PageTree
from crawler.items import PageItem
from crawler.journey.extract import explained
from crawler.journey.item_page import ItemPage
from crawler.journey.stages import table_method
from crawler.settings import Options
from crawler.store.document_models import load_model
from crawler.studio.pages import OpenPage

Answer = dict[str, Any]
_TEXT: Final = 240
_MARKUP: Final = 300
_SIGNS: Final = 12
_ROWS, _COLUMNS, _CELL = 60, 24, 160
_MARKED_CELLS: Final = 20_000
FIELDS: Final = (
    "title", "authors", "published", "modified", "language", "site_name", "canonical_url",
    "description", "tags", "image",
)  # fmt: skip
"""The fields of the metadata, in the order of items."""


class Numbers:
    """The numbers of the nodes of a page by their elements."""

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree
        pairs = enumerate(tree.elements)
        self._elements = {element: number for number, element in pairs if element is not None}

    def of(self, element: etree._Element) -> int | None:
        """Return the number of an element; None for one of another tree."""
        return self._elements.get(element)

    def at(self, places: Iterable[Place]) -> list[int]:
        """Return the nodes of texts: of one that is no node, its element."""
        found: dict[int, None] = {}
        for element, is_tail in places:
            number = self.of(element)
            if number is None:
                continue
            tree = self._tree
            text = tree.ends[number] if is_tail else number + 1
            parent = tree.parents[number] if is_tail else number
            is_text = text < len(tree) and tree.names[text] == TEXT and tree.parents[text] == parent
            found[text if is_text else number] = None
        return list(found)


def page_of(item: PageItem) -> ItemPage:
    """Return the page of an item that was just judged."""
    assert item.page is not None  # noqa: S101 - it is taken from items of crawls alone
    return item.page


def text_shown(opened: OpenPage, item: PageItem) -> Answer:
    """Return the blocks of a page, each with its label, its nodes and its evidence.

    Elements around blocks are listed once: tag, names, number of the one around, and signs, the
    nearest first; a block has the number of its own.
    """
    page = page_of(item)
    view, holders, rows = page.view, _Holders(), []
    explanations: Sequence[Explanation | None] = explained(item)
    blocks = zip(
        page.pairs(),
        explanations or [None] * len(page.blocks),
        _nodes(opened, page),
        view.page_text_frequencies([block.key for block in page.blocks]),
        strict=True,
    )
    for (block, label), why, nodes, as_text in blocks:
        row: Answer = {
            "text": block.text[:_TEXT],
            "nodes": nodes,
            "path": block.path,
            "holder": holders.number(block.holder, why),
            "kept": label.kept,
            "reason": label.reason,
            "score": None if label.score is None else round(label.score, 3),
            "pages": label.frequency,
            "asText": as_text,
            "links": round(block.link_share, 3),
        }
        if why is not None:
            row |= {"margin": round(why.site, 2), "rule": why.rule}
            row |= {"comments": why.in_comments, "changes": why.changes}
        rows.append(row)
    return {
        "blocks": rows,
        "holders": holders.rows,
        "site": item.site,
        "pages": view.pages,
        "addresses": view.pages_seen,
        "snapshot": view.snapshot,
        "type": item.page_type,
        "confidence": item.confidence,
        "threshold": item.frequency_threshold,
        "duplicate": item.near_duplicate_of,
        "kept": item.blocks_kept,
    }


class _Holders:
    """The elements around blocks, each once."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self._numbers: dict[Holder, int] = {}

    def number(self, holder: Holder | None, why: Explanation | None) -> int:
        """Return the number of an element, -1 for none; note the signs around it."""
        new = []
        here = holder
        while here is not None and here not in self._numbers:
            new.append(here)
            here = here.parent
        for each in reversed(new):
            around = -1 if each.parent is None else self._numbers[each.parent]
            self._numbers[each] = len(self.rows)
            self.rows.append([each.tag, each.names[:_MARKUP], around, []])
        if holder is None:
            return -1
        number = self._numbers[holder]
        if why is not None:
            self.rows[number][3] = why.signs[:_SIGNS]
        return number


def _nodes(opened: OpenPage, page: ItemPage) -> list[list[int]]:
    """Return for each block the nodes of the page of which it is made."""
    if page.annotations[0].blocks is page.document.blocks:
        numbers = Numbers(opened.tree)
        return [numbers.at(places) for places in places_of(page.document)]
    # Other methods cut the page into text nodes or sentences.
    tree = opened.tree
    texts = [tree.texts[node] for node in tree.text_nodes]
    found = tiled(texts, [block.text for block in page.blocks])
    return [[] if at is None else [tree.text_nodes[at]] for at in found]


def tables_shown(opened: OpenPage, item: PageItem, options: Options) -> Answer:
    """Return the tables of a page, layout too, with their areas on the page and the reasons.

    ``rules`` is what the published rules say of a table, where another method decided.
    """
    page = page_of(item)
    parsed, method = page.document.parsed, table_method(options)
    judged = judge_tables(parsed, method)
    tables = tables_of(parsed, judged, method, language=page.language() or "", layout=True)
    numbers, left = Numbers(opened.tree), _MARKED_CELLS
    shown = []
    for table, (found, verdict) in zip(tables, judged, strict=True):
        areas = _areas(found, verdict.areas, numbers) if verdict.is_genuine else []
        rules = judge_by_rules(found.grid, method.constants, method.words)
        cells = [[cell[:_CELL] for cell in row[:_COLUMNS]] for row in table["cells"][:_ROWS]]
        kept = {name: table[name] for name in table if name not in {"records", "values", "cells"}}
        shown.append(
            {
                **kept,
                "node": numbers.of(found.element),
                "cells": cells,
                "records": len(table["records"]),
                "areas": areas[:left],
                "rules": {"genuine": rules.is_genuine, "reason": rules.reason, "rule": rules.rule},
            }
        )
        left -= min(left, len(areas))
    return {"tables": shown}


def _areas(found: FoundTable, areas: Areas | None, numbers: Numbers) -> list[tuple[int, str]]:
    """Return the cells of a table on the page with their areas; none where they do not match."""
    element, cells = found.element, found.grid.cells
    own = [
        each
        for each in element.iter("td", "th", "dt", "dd")
        if next(each.iterancestors("table", "dl"), None) is element
    ]
    if areas is None or [str(each.tag) for each in own] != [cell.tag for cell in cells]:
        return []
    head = areas.title_rows + areas.header_rows
    shown = []
    for each, cell in zip(own, cells, strict=True):
        is_head = cell.row < head or cell.column < areas.header_columns
        name = "title" if cell.row < areas.title_rows else "head" if is_head else "data"
        if (number := numbers.of(each)) is not None:
            shown.append((number, name))
    return shown


def structure_shown(opened: OpenPage, item: PageItem, model: str, method: str) -> Answer:
    """Return the logical structure of a page as rows: name, text, depth, nodes of the page.

    Raises:
        CorpusError: there is no such model or method.
    """
    page, read = page_of(item), load_model(model)
    annotation = page.annotations[0]
    structure = structure_of(annotation, read, method)
    lines, _ = lines_read(annotation, read, method)
    numbers = Numbers(opened.tree)
    blocks, places = shown_places(page.document.parsed)
    nodes: dict[int, Sequence[Place]] = {
        block.index: own for block, own in zip(blocks, places, strict=True)
    }
    rows = []
    depths = {structure.root: 0}
    for node, own in zip(structure.root.walk(), blocks_of_nodes(structure, lines), strict=True):
        depths.update(dict.fromkeys(node.children, depths[node] + 1))
        at = numbers.at(place for number in own for place in nodes[number])
        rows.append([node.name, node.text[:_TEXT], depths[node], at])
    return {
        "rows": rows,
        "matched": structure.is_matched,
        "problems": [*read.warnings, *structure.problems],
        "method": method,
    }


def metadata_shown(opened: OpenPage, item: PageItem) -> Answer:
    """Return each field of the metadata: its value, where it was read, and the elements there."""
    page = page_of(item)
    metadata, numbers = page.metadata[0], Numbers(opened.tree)
    found = origins(page.document.parsed, page.document.page.url, metadata)
    shown = []
    for name in FIELDS:
        origin = found.get(name, Origin(""))
        elements = [(numbers.of(each), _markup(each)) for each in origin.elements[:_COLUMNS]]
        shown.append(
            {
                "field": name,
                "value": getattr(item, name),
                "source": origin.source,
                "name": origin.name,
                "elements": [pair for pair in elements if pair[0] is not None],
            }
        )
    return {"fields": shown, "robots": item.robots, "url": page.document.page.url}


def _markup(element: etree._Element) -> str:
    """Return the start tag of an element, as it is written."""
    attributes = "".join(f' {name!s}="{value!s}"' for name, value in element.attrib.items())
    return f"<{element.tag!s}{attributes}>"[:_MARKUP]
