"""From a page and a model to its logical structure: the one function to call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import UnknownMethodError
from crawler.core.flow import Annotation, SiteView, annotate, get_method
from crawler.core.structure.model import TEXT
from crawler.core.structure.modern import Modern
from crawler.core.structure.names import DEFAULT_STRUCTURE
from crawler.core.structure.nodes import full_text
from crawler.core.structure.paper_method import Published
from crawler.core.structure.xml import fit, to_xml

if TYPE_CHECKING:
    from crawler.core.page.page import Document
    from crawler.core.structure.model import Model
    from crawler.core.structure.nodes import Node

__all__ = [
    "DEFAULT_STRUCTURE",
    "Structure",
    "check_structure_method",
    "structure_names",
    "structure_of",
]


class _Method(Protocol):
    @property
    def name(self) -> str: ...
    def build(self, document: Document, model: Model, main: frozenset[int] | None) -> Node: ...


@dataclass(frozen=True, slots=True)
class Structure:
    """The logical structure of one page.

    ``root``
        The tree; its texts, in order, are those of the page.
    ``model``
        What it was made by.
    ``is_matched``
        Whether any element of the model was found on the page, the outermost aside.
    ``problems``
        What the model asks for and the page does not have, a sentence each, each once.
    ``groups``
        The title and the whole text of each group under a heading, in the order of the page: the
        visual groups.
    """

    root: Node
    model: Model
    is_matched: bool
    problems: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]

    def xml(self, *, doctype: bool = False) -> str:
        """Return the structure as an XML document, with or without its DTD."""
        return to_xml(self.root, self.model, doctype=doctype)


_METHODS: dict[str, _Method] = {method.name: method for method in (Modern(), Published())}
# Elements for these are elements of running text, which a page has among other things.
_RUNNING = ("paragraph",)


def structure_names() -> tuple[str, ...]:
    """Return the names of all methods, sorted."""
    return tuple(sorted(_METHODS))


def structure_of(
    page: Document | Annotation, model: Model, method: str = DEFAULT_STRUCTURE
) -> Structure:
    """Return the logical structure of a page.

    Args:
        page: the page: as it was judged with its site, or as it was read, to be judged by itself
            alone. A model with an element for paragraphs (``KEYROLE "paragraph"``) is one of
            running text, and of the page only that is read; by any other the whole page is.
        model: the model.
        method: ``modern`` or ``published``.

    Raises:
        UnknownMethodError: there is no method of that name.
    """
    chosen = _method(method)
    annotation = page if isinstance(page, Annotation) else None
    document = page.document if isinstance(page, Annotation) else page
    main = None
    if any(role in model.roles for role in _RUNNING):
        main = _main(annotation or annotate(document, SiteView.unknown(), get_method("article")))
    root = chosen.build(document, model, main)
    groups = tuple((node.title, full_text(node)) for node in root.walk() if node.headed)
    problems: list[str] = []
    is_matched = any(node.is_element for node in root.walk() if node is not root)
    if not is_matched:
        problems.append(f"no element of the model {model.name} was found; all is {TEXT}")
    fit(root, model, problems.append)
    return Structure(root, model, is_matched, tuple(dict.fromkeys(problems)), groups)


def check_structure_method(name: str) -> None:
    """Raise the error of a method that there is not.

    Raises:
        UnknownMethodError: there is no method of that name.
    """
    _method(name)


def _method(name: str) -> _Method:
    if name not in _METHODS:
        raise UnknownMethodError(
            f"no method of logical structure is called '{name}'; the methods are: "
            f"{', '.join(structure_names())}"
        )
    return _METHODS[name]


def _main(annotation: Annotation) -> frozenset[int]:
    """Return the numbers of the blocks kept; pieces of another cut are told by their text."""
    if annotation.blocks is annotation.document.blocks:
        return frozenset(block.index for block, label in annotation.pairs() if label.kept)
    kept = {block.key for block, label in annotation.pairs() if label.kept}
    return frozenset(block.index for block in annotation.document.blocks if block.key in kept)
