"""From a page and a model to its logical structure: the one function to call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.errors import UnknownMethodError
from crawler.core.flow import Annotation, SiteView, annotate, get_method
from crawler.core.structure import DEFAULT_STRUCTURE
from crawler.core.structure.methods import build_as_published, build_modern
from crawler.core.structure.model import TEXT
from crawler.core.structure.tree import fit, to_xml

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.page.page import Document
    from crawler.core.structure.model import Model
    from crawler.core.structure.tree import Node

_METHODS: dict[str, Callable[[Document, Model, frozenset[int] | None], Node]] = {
    "modern": build_modern,
    "published": build_as_published,
}
# A model with an element for this role is one of running text, which a page has beside other text.
_RUNNING_TEXT = "paragraph"


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
        return to_xml(self.root, self.model, doctype=doctype)


def structure_names() -> tuple[str, ...]:
    """Return the names of all methods, sorted."""
    return tuple(sorted(_METHODS))


def check_structure_method(name: str) -> None:
    """Check that there is a method of a name.

    Raises:
        UnknownMethodError: there is none.
    """
    if name not in _METHODS:
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
            alone. A model with an element for paragraphs (``KEYROLE "paragraph"``) is one of
            running text: only the main text of the page is read. By any other the whole page is.
        model: the model.
        method: ``modern`` or ``published``.

    Raises:
        UnknownMethodError: there is no method of that name.
    """
    check_structure_method(method)
    document = page.document if isinstance(page, Annotation) else page
    main = None
    if _RUNNING_TEXT in model.roles:
        if not isinstance(page, Annotation):
            page = annotate(page, SiteView(), get_method("article"))
        main = _main_blocks(page)
    root = _METHODS[method](document, model, main)
    problems: list[str] = []
    is_matched = any(node.is_element for node in root.walk() if node is not root)
    if not is_matched:
        problems.append(f"no element of the model {model.name} was found; all is {TEXT}")
    fit(root, model, problems.append)
    return Structure(root, model, is_matched, tuple(dict.fromkeys(problems)))


def _main_blocks(annotation: Annotation) -> frozenset[int]:
    """Return the numbers of the kept blocks; sentences and text nodes are found by their text."""
    kept = [block for block, label in annotation.pairs() if label.kept]
    if annotation.blocks is annotation.document.blocks:
        return frozenset(block.index for block in kept)
    keys = {block.key for block in kept}
    return frozenset(block.index for block in annotation.document.blocks if block.key in keys)
