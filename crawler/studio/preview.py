"""What a project does on an open page: the same run that ``scrapy wrap`` makes."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import Any

from crawler.core.wrapper.output import SCRIPT_FAILED, Node, ScriptPlace
from crawler.core.wrapper.output_forms import as_xml
from crawler.core.wrapper.tree import PageTree
from crawler.studio.journal import hash_of
from crawler.wrapper.running import Wrapped


def preview_of(wrapped: Wrapped, tree: PageTree) -> dict[str, Any]:
    """Return what a project did on a page, as the browser shows it.

    ``found`` has, by the path of an element, the nodes that its rule takes: number, attribute,
    value and confidence. ``output`` is the output tree: name, value, confidence, number of the
    node, attribute, children.
    """
    result, find = wrapped.result, cache(tree.find)

    def place(node: Node) -> tuple[int | None, str]:
        path, _, attribute = node.source.partition("/@")
        return find(path) if path else None, attribute and f"@{attribute}"

    def as_list(node: Node) -> list[Any]:
        children = list(map(as_list, node.children))
        return [node.name, node.value, round(node.confidence, 3), *place(node), children]

    shown: dict[str, Any] = {
        "fits": result.fits,
        "missing": result.missing,
        "lines": list(wrapped.told()),
        "flaws": [
            asdict(its.place or ScriptPlace(0, None, None, its.detail))
            for its in result.problems
            if its.reason == SCRIPT_FAILED
        ],
        "debug": wrapped.debug,
        "urls": wrapped.urls,
        "saves": wrapped.saves,
        "found": {
            path: [[*place(its), its.value, round(its.confidence, 3)] for its in nodes]
            for path, nodes in result.found.items()
        },
        "output": as_list(result.root),
        "xml": as_xml(result.root),
    }
    return {"hash": hash_of(json.dumps(shown, default=str)), **shown}
