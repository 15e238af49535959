"""The task ``structure``: how well the logical structure of pages is found.

A gold page names its model and holds the XML that is right, or it is a news article with
``gold_body``: a summary, and sections with headlines and paragraphs. The measures are those of Lee
and Lee (2004), section 5.1, each a mean over pages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from math import fsum
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.flow import read
from crawler.core.page.page import Page
from crawler.core.page.text import drop_unseen
from crawler.core.structure.distance import distance, steps
from crawler.core.structure.model import GROUP
from crawler.core.structure.nodes import Node, full_text
from crawler.core.structure.structure import (
    DEFAULT_STRUCTURE,
    check_structure_method,
    structure_of,
)
from crawler.evaluation.gold import kind_of, read_rows, text_of
from crawler.evaluation.report import Report
from crawler.evaluation.scores import Overlap, compare
from crawler.reports.text_tables import Table
from crawler.store.document_models import load_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.structure.model import Model
    from crawler.evaluation.report import Job

__all__ = ["Likeness", "StructureTask", "likeness", "tree_of_xml"]

_NEEDS: Final = "html with model and gold_xml, or html with gold_body"
_URL: Final = "https://gold.example/"
_NEWS: Final = "news"
_NEWS_NAMES: Final = frozenset(("article", "summary", "section", "headline", "paragraph"))
# Trees whose distance takes more steps are left out of the hierarchy, and counted.
_MOST_STEPS: Final = 60_000_000
_HEADED: Final = "headed"


@dataclass(frozen=True, slots=True)
class _GoldPage:
    url: str
    html: str
    model: Model
    truth: Node
    is_news: bool


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like one tree is to the right one.

    ``elements``, ``groups``
        Of the elements with text, and the groups under headings: how many are right, were found,
        and are to be found.
    ``hierarchy``
        1 less the edit distance over the nodes of both trees; None where the trees are too large.
    """

    elements: Overlap
    groups: Overlap
    hierarchy: float | None


@dataclass(slots=True)
class _Tally:
    pages: list[Likeness] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


class StructureTask:
    """Measures logical structure against gold trees."""

    name = "structure"
    has_curves = False
    default_method = DEFAULT_STRUCTURE

    def run(self, job: Job) -> Report:
        """Find the structure of all pages, each judged by itself, and report.

        A page that cannot be read counts as one in which nothing was found.

        Raises:
            UnreadableInputError: The gold files cannot be used, or hold no page.
            UnknownMethodError: There is no method of that name.
            ModelError: A model that the gold names is wrong.
        """
        tally = _Tally()
        for gold in islice(_pages(job), job.limit):
            tally.pages.append(_measure(gold, job.method, tally))
        if not tally.pages:
            names = ", ".join(str(path) for path in job.gold)
            raise UnreadableInputError(f"{names}: no gold pages; each line needs {_NEEDS}")
        figures = _figures(tally)
        return Report(
            task=self.name,
            method=job.method,
            pages=len(tally.pages),
            sites=None,
            figures=figures,
            tables=_tables(figures),
        )


def _measure(gold: _GoldPage, method: str, tally: _Tally) -> Likeness:
    try:
        document = read(Page.from_text(gold.url, gold.html))
        found = structure_of(document, gold.model, method).root
    except UnreadablePageError as error:
        tally.skipped[error.reason] += 1
        found = Node(gold.model.root)
    if gold.is_news:
        found = _news_alone(found)
    like = likeness(found, gold.truth)
    if like.hierarchy is None:
        tally.skipped["too-large"] += 1
    return like


def likeness(found: Node, truth: Node) -> Likeness:
    """Compare a tree with the right one."""
    size = sum(1 for _ in found.walk()) + sum(1 for _ in truth.walk())
    hierarchy = None
    if steps(found, truth, _label, _children) <= _MOST_STEPS:
        hierarchy = 1 - distance(found, truth, _label, _children) / size
    return Likeness(
        elements=compare(_elements(found), _elements(truth)),
        groups=compare(_groups(found), _groups(truth)),
        hierarchy=hierarchy,
    )


def _label(node: Node) -> tuple[str, str]:
    return node.name, _folded(node.text)


def _children(node: Node) -> Sequence[Node]:
    return node.children


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
    """Keep of an article what the gold of news speaks of: summary, sections, their texts."""
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


def _pages(job: Job) -> Iterator[_GoldPage]:
    check_structure_method(job.method)  # A wrong name is told before a file is opened.
    models: dict[str, Model] = {}
    for where, row in read_rows(job.gold, _NEEDS):
        html = text_of(row, "html", where, _NEEDS)
        url = row.get("url") or _URL
        if not isinstance(url, str):
            raise UnreadableInputError(f"{where}: 'url' must be a string, not {kind_of(url)}")
        is_news = "gold_body" in row
        name = _NEWS if is_news else text_of(row, "model", where, _NEEDS)
        if name not in models:
            models[name] = load_model(name)
        truth = _body(row, where) if is_news else _xml(row, where)
        yield _GoldPage(url, html, models[name], truth, is_news)


def _xml(row: dict[str, Any], where: str) -> Node:
    try:
        return tree_of_xml(text_of(row, "gold_xml", where, _NEEDS))
    except etree.XMLSyntaxError as error:
        raise UnreadableInputError(f"{where}: 'gold_xml' is not well-formed ({error})") from error


def _body(row: dict[str, Any], where: str) -> Node:
    body = row["gold_body"]
    sections = body.get("sections") if isinstance(body, dict) else None
    if not isinstance(sections, list):
        raise UnreadableInputError(
            f"{where}: 'gold_body' must be an object with a list of 'sections'"
        )
    article = Node("article")
    article.children += _texts(body, "summary", "summary", where)
    for section in sections:
        if not isinstance(section, dict):
            raise UnreadableInputError(f"{where}: a section must be an object")
        inner = _texts(section, "headline", "headline", where)
        inner += _texts(section, "paragraphs", "paragraph", where)
        if inner:
            article.children.append(_section(inner))
    return article


def _texts(owner: dict[str, Any], key: str, name: str, where: str) -> list[Node]:
    values = owner.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnreadableInputError(f"{where}: '{key}' must be a list of strings")
    return [Node(name, _folded(value)) for value in values]


def _figures(tally: _Tally) -> dict[str, Any]:
    scores = [page.elements.score for page in tally.pages]
    groups = [page.groups for page in tally.pages if page.groups.predicted or page.groups.gold]
    hierarchies = [page.hierarchy for page in tally.pages if page.hierarchy is not None]
    return {
        "element": {
            "precision": _mean([score.precision for score in scores]),
            "recall": _mean([score.recall for score in scores]),
            "f1": _mean([score.f1 for score in scores]),
        },
        "element_micro": sum((page.elements for page in tally.pages), Overlap()).score.as_json(),
        "grouping": _mean([group.score.precision for group in groups]),
        "grouping_recall": _mean([group.score.recall for group in groups]),
        "hierarchy": _mean(hierarchies),
        "skipped": dict(sorted(tally.skipped.items())),
    }


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0


def _tables(figures: dict[str, Any]) -> tuple[Table, ...]:
    element, micro = figures["element"], figures["element_micro"]
    names = ("precision", "recall", "f1")
    rows = (
        ("elements, mean over pages", *(f"{element[name]:.3f}" for name in names)),
        ("elements, all pages together", *(f"{micro[name]:.3f}" for name in names)),
        ("groups", f"{figures['grouping']:.3f}", f"{figures['grouping_recall']:.3f}", ""),
    )
    tables = [
        Table("figure", ("precision", "recall", "F1"), rows),
        Table("tree", ("figure",), (("hierarchy", f"{figures['hierarchy']:.3f}"),)),
    ]
    if figures["skipped"]:
        reasons = tuple((name, str(count)) for name, count in figures["skipped"].items())
        tables.append(Table("pages left out", ("pages",), reasons))
    return tuple(tables)
