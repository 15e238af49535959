"""The DTD that a document model implies, and what a model asks of a result.

The DTD has the elements of the model, and two more. ``TEXT`` is a piece of text that no element is,
``GROUP`` what stands under a heading that none is; they may stand before, between and behind the
children of any element that has children. An element that the model gives ``#PCDATA`` has its own
text as its content; any other has it in the attribute ``val``.

XML knows no ``&``, and asks for content models in which the next child tells the next place. Where
a model is not so it is eased (:func:`crawler.core.structure.automaton.eased`): the DTD then allows
more than the model, never less, and what the model asks beyond is checked by :func:`lacking`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crawler.core.structure.automaton import Automaton, eased
from crawler.core.structure.model import GROUP, TEXT, Particle

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawler.core.structure.model import Element, Model

__all__ = ["content_of", "implied_dtd", "lacking", "namespaces", "takes_everything"]

_BETWEEN: Final = f"({TEXT} | {GROUP})*"
_NAMESPACE: Final = "urn:medl:"


def implied_dtd(model: Model) -> str:
    """Return the DTD of a model's results, as text; XML's own form, UTF-8."""
    lines: list[str] = []
    for name in model.names:
        lines.append(f"<!ELEMENT {name} {_content(model, name)}>")
        if not _holds_text(model.elements.get(name)):
            lines.append(f"<!ATTLIST {name} val CDATA #IMPLIED>")
        if name == model.root:
            lines += [
                f'<!ATTLIST {name} xmlns:{prefix} CDATA #FIXED "{address}">'
                for prefix, address in namespaces(model).items()
            ]
    lines += [
        f"<!ELEMENT {TEXT} EMPTY>", f"<!ATTLIST {TEXT} val CDATA #REQUIRED>",
        f"<!ELEMENT {GROUP} ANY>", f"<!ATTLIST {GROUP} title CDATA #REQUIRED>",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def namespaces(model: Model) -> dict[str, str]:
    """Return the prefixes that the model's names have, each with an address: XML asks for one."""
    prefixes = dict.fromkeys(name.partition(":")[0] for name in model.names if ":" in name)
    return {prefix: _NAMESPACE + prefix for prefix in prefixes}


@lru_cache(maxsize=512)
def content_of(content: Particle) -> Automaton:
    """Return the automaton of a content model, eased."""
    return Automaton(eased(content))


@lru_cache(maxsize=512)
def takes_everything(content: Particle) -> bool:
    """Tell whether a content model, eased, takes its elements in any number and order."""
    plain = eased(content)
    return (
        plain.kind == "choice"
        and plain.occurs == "*"
        and all(part.kind == "name" and not part.occurs for part in plain.parts)
    )


def lacking(model: Model, name: str, children: Collection[str]) -> list[str]:
    """Return the elements that one has to hold and does not, in the order of the model."""
    missing = model.required(name) - set(children)
    if not missing:
        return []
    return [each for each in model.names if each in missing]


def _holds_text(element: Element | None) -> bool:
    return element is not None and element.holds_text


def _content(model: Model, name: str) -> str:
    element = model.elements.get(name)
    if element is None or (element.content is None and not element.holds_text):
        return "EMPTY"
    if element.holds_any:
        return "ANY"
    if element.content is None:
        return "(#PCDATA)"
    if element.holds_text:
        names = dict.fromkeys(element.content.names())
        return f"({' | '.join(('#PCDATA', *names, TEXT, GROUP))})*"
    plain = eased(element.content)
    if takes_everything(element.content):
        names = dict.fromkeys(plain.names())
        return f"({' | '.join((*names, TEXT, GROUP))})*"
    return f"({_BETWEEN}, {_spaced(plain)})"


def _spaced(particle: Particle) -> str:
    """Write a content model, with room for what is no element behind each one."""
    if particle.kind == "name":
        return f"({particle.name}, {_BETWEEN}){particle.occurs}"
    joint = ", " if particle.kind == "sequence" else " | "
    return f"({joint.join(map(_spaced, particle.parts))}){particle.occurs}"
