"""What the actions of a project name: pages, files, and the nodes that scripts are called with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.output import Node, Result
from crawler.core.wrapper.project import (
    Action,
    Copy,
    Element,
    Load,
    Project,
    Script,
    Source,
    may_repeat,
)
from crawler.core.wrapper.tree import PageTree
from crawler.scripting.calls import Argument, NodeArgument
from crawler.store.sources import is_address


def calls_of(
    action: Action, schema: Element, result: Result, output: Node, tree: PageTree
) -> list[tuple[Argument, ...]]:
    """Return the arguments of each call of an action's script; none where it has none to run."""
    if isinstance(action, Script) and not action.off:
        return [tuple(_argument(path, schema, result, tree) for path in action.rules)]
    if isinstance(action, Copy) and action.script and not action.off:
        return list(_copies(action.element, result, output, tree))
    return []


def _argument(path: str, schema: Element, result: Result, tree: PageTree) -> Argument:
    """Return what a rule found: a node or null, or an array where there can be several."""
    nodes = tuple(_node_of(found, tree) for found in result.found.get(path, ()) if found.source)
    if may_repeat(schema, path):
        return nodes
    return nodes[0] if nodes else None


def _node_of(found: Node, tree: PageTree) -> NodeArgument:
    place, _, attribute = found.source.partition("/@")
    node = tree.find(place)
    assert node is not None  # noqa: S101 - it was found on this very page
    return NodeArgument(node, attribute)


def _copies(
    path: str, result: Result, output: Node, tree: PageTree
) -> Iterator[tuple[NodeArgument, Node]]:
    """Yield what a rule found, each with the node of the output that it belongs in."""
    for found in result.found.get(path, ()):
        parents = [output]
        for name in path.split("/")[:-1]:
            inner = [its for parent in parents[:1] for its in parent.children if its.name == name]
            # Of records, the one around it on the page; a record may have been left out.
            parents = [its for its in inner if found.source.startswith(its.source)]
        if parents:
            yield _node_of(found, tree), parents[0]


def addresses_of(project: Project, args: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses of the pages that a project loads, in order.

    One action may have several, with blanks between.

    Raises:
        ArgumentError: it names one by an argument that was not given.
    """
    addresses: list[str] = []
    for load in (action for action in project.active if isinstance(action, Load)):
        name = name_of(load.address, args)
        if not name:
            number = load.address.argument
            raise ArgumentError(f"the project loads the page that argument {number} names; give it")
        addresses += several_addresses(name)
    return tuple(addresses)


def several_addresses(name: str) -> list[str]:
    """Return the addresses that a name consists of; a name that is none, alone."""
    parts = name.split()
    return parts if parts and all(map(is_address, parts)) else [name]


def name_of(source: Source, args: Sequence[str]) -> str:
    """Return a fixed name, or that of an argument; empty where it was not given."""
    if source.argument is None:
        return source.fixed
    return args[source.argument] if source.argument < len(args) else ""
