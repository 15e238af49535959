"""The task ``structure``: how well the logical structure of pages is found.

A gold page names its model and holds the XML that is right, or it is a news article with
``gold_body``: a summary, and sections with headlines and paragraphs. The measures are those of Lee
and Lee (2004), section 5.1, each a mean over pages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import read
from crawler.core.page.page import Page
from crawler.core.page.text import drop_unseen
from crawler.core.structure.model import GROUP
from crawler.core.structure.structure import check_structure_method, structure_of
from crawler.core.structure.tree import Node, full_text
from crawler.evaluation.gold import GOLD_URL, Row, read_rows
from crawler.evaluation.scores import Overlap, compare, mean, mean_score
from crawler.evaluation.task import Report, sorted_counts
from crawler.store.document_models import load_model

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from crawler.evaluation.task import Job

_NEEDS: Final = "html with model and gold_xml, or html with gold_body"
_NEWS: Final = "news"
_NEWS_NAMES: Final = frozenset(("article", "summary", "section", "headline", "paragraph"))
# Trees whose distance takes more steps are left out of the hierarchy, and counted.
_MOST_STEPS: Final = 60_000_000
_HEADED: Final = "headed"


@dataclass(frozen=True, slots=True)
class Likeness:
    """How similar a tree is to the right one.

    ``elements``, ``groups``
        Of the elements with text, and the groups under headings: how many are right, were found,
        and are to be found.
    ``hierarchy``
        1 less the edit distance over the nodes of both trees; None where the trees are too large.
    """

    elements: Overlap
    groups: Overlap
    hierarchy: float | None


def measure_structure(job: Job) -> Report:
    """Find the structure of all pages, each judged by itself, and report.

    A page that cannot be read counts as one in which nothing was found.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no page.
        UnknownMethodError: there is no method of that name.
        ModelError: a model that the gold names is wrong.
    """
    check_structure_method(job.method)  # Refuse a wrong name before a file is opened.
    skipped: Counter[str] = Counter()
    load = cache(load_model)
    pages: list[Likeness] = []
    for row in islice(read_rows(job.gold, _NEEDS), job.limit):
        is_news = "gold_body" in row.values
        model = load(_NEWS if is_news else row.text("model"))
        url, html = row.optional("url") or GOLD_URL, row.text("html")
        truth = _body(row) if is_news else _xml(row)
        try:
            found = structure_of(read(Page.from_text(url, html)), model, job.method).root
        except UnreadablePageError as error:
            skipped[error.reason] += 1
            found = Node(model.root)
        pages.append(likeness(_news_alone(found) if is_news else found, truth))
    if not pages:
        raise job.no_gold("gold pages", _NEEDS)
    if too_large := sum(page.hierarchy is None for page in pages):
        skipped["too-large"] = too_large
    return Report(pages=len(pages), figures=_figures(pages, skipped))


def likeness(found: Node, truth: Node) -> Likeness:
    """Compare a tree with the right one."""
    size = sum(1 for _ in found.walk()) + sum(1 for _ in truth.walk())
    apart = distance(found, truth, _label)
    return Likeness(
        elements=compare(_elements(found), _elements(truth)),
        groups=compare(_groups(found), _groups(truth)),
        hierarchy=None if apart is None else 1 - apart / size,
    )


def _label(node: Node) -> tuple[str, str]:
    return node.name, _folded(node.text)


def _folded(text: str) -> str:
    """Fold white space, and leave out what a reader cannot see."""
    return " ".join(drop_unseen(text).split())


def _elements(root: Node) -> list[tuple[str, str]]:
    """List the elements of the model that have a text of their own."""
    return [_label(node) for node in root.walk() if node.is_element and node.text]


def _groups(root: Node) -> list[tuple[str, str]]:
    return [(_folded(node.title), _folded(full_text(node))) for node in root.walk() if node.headed]


def tree_of_xml(text: str) -> Node:
    """Read a gold tree.

    An element's text is its attribute ``val``, else its content before its children; a ``GROUP``
    has it as ``title``. The attribute ``headed="yes"`` says that it is a heading.

    Raises:
        etree.XMLSyntaxError: the text is not well-formed XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    top = etree.fromstring(text.encode("utf-8"), parser)
    root = _node(top)
    waiting = [(top, root)]
    while waiting:
        element, node = waiting.pop()
        for child in element:
            node.children.append(_node(child))
            waiting.append((child, node.children[-1]))
    return root


def _node(element: etree._Element) -> Node:
    text = element.get("val") or element.get("title") or element.text or ""
    headed = element.get(_HEADED) == "yes" or element.tag == GROUP
    return Node(str(element.tag), _folded(text), headed=headed)


def _news_alone(root: Node) -> Node:
    """Keep of an article what gold of news describes: summary, sections and their texts."""
    article = Node(root.name)
    for child in root.children:
        if child.name == "summary":
            article.children.append(Node(child.name, child.text))
        elif child.name == "section":
            inner = [
                Node(node.name, node.text)
                for node in child.walk()
                if node.name in _NEWS_NAMES and node is not child
            ]
            if inner:
                article.children.append(_section(inner))
    return article


def _section(children: list[Node]) -> Node:
    return Node("section", "", children, headed=children[0].name == "headline")


def _xml(row: Row) -> Node:
    try:
        return tree_of_xml(row.text("gold_xml"))
    except etree.XMLSyntaxError as error:
        raise row.flaw(f"'gold_xml' is not well-formed ({error})") from error


def _body(row: Row) -> Node:
    values = row.values["gold_body"]
    if not isinstance(values, dict):
        raise row.flaw("'gold_body' must be an object with a list of 'sections'")
    body = Row(row.where, values, "gold_body with a list of 'sections'")
    article = Node("article", children=_texts(body, "summary", "summary"))
    for section in body.objects("sections"):
        inner = _texts(section, "headline", "headline")
        inner += _texts(section, "paragraphs", "paragraph")
        if inner:
            article.children.append(_section(inner))
    return article


def _texts(row: Row, key: str, name: str) -> list[Node]:
    texts = row.texts(key) if row.values.get(key) else ()
    return [Node(name, _folded(text)) for text in texts]


def _figures(pages: Sequence[Likeness], skipped: Counter[str]) -> dict[str, Any]:
    groups = [page.groups.score for page in pages if page.groups.predicted or page.groups.gold]
    return {
        "element": mean_score([page.elements.score for page in pages]).as_json(),
        "element_micro": sum((page.elements for page in pages), Overlap()).score.as_json(),
        "grouping": mean([group.precision for group in groups]),
        "grouping_recall": mean([group.recall for group in groups]),
        "hierarchy": mean([page.hierarchy for page in pages if page.hierarchy is not None]),
        "skipped": sorted_counts(skipped),
    }


class _Ordered:
    """A tree in postorder.

    ``labels``
        Of each node.
    ``left``
        The number of the leftmost leaf below each node.
    ``roots``
        The key roots: of all nodes with the same leftmost leaf, the last.
    ``steps``
        How many nodes the trees of all key roots have together.
    """

    def __init__(self, root: Node, label: Callable[[Node], Hashable]) -> None:
        self.labels: list[Hashable] = []
        self.left: list[int] = []
        # Each open node with the place of its next child and the number of its leftmost leaf.
        stack = [(root, 0, 0)]
        while stack:
            node, place, leftmost = stack.pop()
            if place < len(node.children):
                stack += [(node, place + 1, leftmost), (node.children[place], 0, len(self.labels))]
            else:
                self.labels.append(label(node))
                self.left.append(leftmost)
        self.roots = sorted({leaf: number for number, leaf in enumerate(self.left)}.values())
        self.steps = sum(root - self.left[root] + 1 for root in self.roots)


def distance(one: Node, two: Node, label: Callable[[Node], Hashable]) -> int | None:
    """Return the edit distance of two ordered trees; None where it would take too long.

    It is the least number of nodes to insert, delete or rename, each of cost one (Zhang and Shasha,
    SIAM Journal on Computing 18, 1989). Time is the product of the sizes, times for either tree the
    lesser of its depth and its leaves.

    Args:
        one: the root of one tree.
        two: the root of the other.
        label: what is equal in nodes that are the same.
    """
    first, second = _Ordered(one, label), _Ordered(two, label)
    if first.steps * second.steps > _MOST_STEPS:
        return None
    known = [[0] * len(second.labels) for _ in first.labels]
    for root in first.roots:
        for other in second.roots:
            _between(first, second, root, other, known)
    return known[-1][-1]


def _between(
    first: _Ordered, second: _Ordered, root: int, other: int, known: list[list[int]]
) -> None:
    """Fill in the distances of the trees below two key roots, by those of forests."""
    left, right = first.left[root], second.left[other]
    labels, leaves = second.labels, second.left
    width = other - right + 2
    forest = [list(range(width))]
    for here in range(left, root + 1):
        above = forest[-1]
        row = [above[0] + 1]
        forest.append(row)
        own, whole = first.labels[here], first.left[here] == left
        distances = known[here]
        before = forest[first.left[here] - left]
        for place in range(1, width):
            there = right + place - 1
            best = min(above[place], row[place - 1]) + 1
            if whole and leaves[there] == right:
                best = min(best, above[place - 1] + (own != labels[there]))
                distances[there] = best
            else:
                best = min(best, before[leaves[there] - right] + distances[there])
            row.append(best)
