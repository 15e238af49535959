"""The task ``structure``: how well the logical structure of pages is found.

A gold page names its model and holds the XML that is right, or it is a news article with
``gold_body``: a summary, and sections with headlines and paragraphs. The measures are those of Lee
and Lee (2004), section 5.1, each a mean over pages. The method of the paper is measured beside any
other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Final

from lxml import etree

from crawler.core.flow import read
from crawler.core.page.page import Page
from crawler.core.page.text import drop_unseen
from crawler.core.structure.model import GROUP
from crawler.core.structure.structure import check_structure_method, structure_of
from crawler.core.structure.tree import Node, full_text
from crawler.evaluation.gold import GOLD_URL, Row, read_rows
from crawler.evaluation.scores import Overlap, compare, mean, mean_score
from crawler.evaluation.task import Job, Report
from crawler.evaluation.tree_distance import distance
from crawler.store.document_models import load_model

_NEEDS: Final = "html with model and gold_xml, or html with gold_body"
_NEWS: Final = "news"
_PAPER: Final = "published"
_NEWS_NAMES: Final = frozenset(("article", "summary", "section", "headline", "paragraph"))


@dataclass(frozen=True, slots=True)
class Likeness:
    """How similar a tree is to the right one.

    ``elements`` are those with text, and ``groups`` those under headings. ``hierarchy`` is 1 less
    the edit distance over the nodes of both trees; None where the trees are too large.
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
    report, load = Report(), cache(load_model)
    pages: dict[str, list[Likeness]] = {job.method: [], _PAPER: []}
    for row in islice(read_rows(job.gold, _NEEDS), job.limit):
        is_news = "gold_body" in row.values
        model = load(_NEWS if is_news else row.text("model"))
        page = Page.from_text(row.optional("url") or GOLD_URL, row.text("html"))
        truth = _body(row) if is_news else _xml(row)
        document = report.readable(partial(read, page))
        for method, its in pages.items():
            found = structure_of(document, model, method).root if document else Node(model.root)
            its.append(likeness(_news_alone(found) if is_news else found, truth))
        last = pages[job.method][-1]
        element = last.elements.score.as_json()
        report.rows.append({**row.identity, "hierarchy": last.hierarchy, **element})
    own = pages.pop(job.method)
    report.pages = len(own)
    if not own:
        raise job.no_gold("gold pages", _NEEDS)
    report.skipped["too-large"] = sum(page.hierarchy is None for page in own)
    return report.finished(
        {
            "element": _of_elements(own),
            "element_micro": sum((page.elements for page in own), Overlap()).score.as_json(),
            **_of_trees(own),
            **{method: {**_of_trees(its), **_of_elements(its)} for method, its in pages.items()},
        }
    )


def _of_elements(pages: list[Likeness]) -> dict[str, float]:
    return mean_score(page.elements.score for page in pages).as_json()


def _of_trees(pages: list[Likeness]) -> dict[str, float | None]:
    """Return the figures of groups and trees."""
    groups = [page.groups.score for page in pages if page.groups.predicted or page.groups.gold]
    return {
        "grouping": mean([group.precision for group in groups]),
        "grouping_recall": mean([group.recall for group in groups]),
        "hierarchy": mean([page.hierarchy for page in pages if page.hierarchy is not None]),
    }


def likeness(found: Node, truth: Node) -> Likeness:
    """Compare a tree with the right one."""
    size = sum(1 for _ in found.walk()) + sum(1 for _ in truth.walk())
    apart = distance(found, truth, _label)
    return Likeness(
        elements=compare(_elements(found), _elements(truth)),
        groups=compare(_groups(found), _groups(truth)),
        hierarchy=None if apart is None else 1 - apart / size,
    )


def _folded(text: str) -> str:
    return " ".join(drop_unseen(text).split())


def _label(node: Node) -> tuple[str, str]:
    return node.name, _folded(node.text)


def _elements(root: Node) -> list[tuple[str, str]]:
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
    return _node(etree.fromstring(text.encode("utf-8"), parser))


def _node(element: etree._Element) -> Node:
    text = element.get("val") or element.get("title") or element.text or ""
    headed = element.get("headed") == "yes" or element.tag == GROUP
    return Node(str(element.tag), _folded(text), list(map(_node, element)), headed=headed)


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
        article.children += _section(inner)
    return article


def _texts(row: Row, key: str, name: str) -> list[Node]:
    texts = row.texts(key) if row.values.get(key) else ()
    return [Node(name, _folded(text)) for text in texts]


def _news_alone(root: Node) -> Node:
    """Keep of an article what gold of news describes: summary, sections and their texts."""
    article = Node(root.name)
    for child in root.children:
        if child.name == "summary":
            article.children.append(Node(child.name, child.text))
        elif child.name == "section":
            _, *below = child.walk()
            texts = [Node(node.name, node.text) for node in below if node.name in _NEWS_NAMES]
            article.children += _section(texts)
    return article


def _section(children: list[Node]) -> list[Node]:
    """Return a section with these children; of none there is no section."""
    is_headed = bool(children) and children[0].name == "headline"
    return [Node("section", "", children, headed=is_headed)] if children else []
