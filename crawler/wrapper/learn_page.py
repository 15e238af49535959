"""``scrapy wrap learn``: teach a project what a person says of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, FetchError
from crawler.core.wording import counted, fit_width, pad_width, width_of
from crawler.core.wrapper.output import NO_FIT, apply_project
from crawler.core.wrapper.project import DEFAULT_MATCHER, Project, Script, checked, new_project
from crawler.core.wrapper.schema import GROUP, Element
from crawler.core.wrapper.tree import read_tree
from crawler.wrapper.project_store import (
    check_name,
    keep_page,
    load_project,
    load_schema,
    read_text,
    save_project,
)
from crawler.wrapper.reporting import problem_lines
from crawler.wrapper.training_input import TrainingInput, teach, with_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.output import Node
    from crawler.core.wrapper.tree import PageTree
    from crawler.wrapper.inputs import Inputs

_VALUE_WIDTH = 60
_SHOWN_VALUES = 3
_LINE_WIDTH = 90


@dataclass(frozen=True, slots=True)
class LearnCall:
    """The options of ``scrapy wrap learn PROJECT PAGE``.

    ``script``, ``nodes``
        A file of JavaScript to be run from now on, and the elements whose nodes it is called with.
    ``keep``
        Whether the page is kept beside the project.
    """

    project: Path
    given: TrainingInput
    schema: Path | None = None
    root: str | None = None
    matcher: str | None = None
    confidence: float | None = None
    script: Path | None = None
    nodes: tuple[str, ...] = ()
    keep: bool = True


def learn_page(call: LearnCall, inputs: Inputs) -> Iterator[str]:
    """Teach a project what is said of a page, and yield lines on what it finds there by itself.

    Nothing is written where a value cannot be learned.

    Raises:
        CorpusError: the call is wrong, the page does not have a value, or a file cannot be read or
            written.
    """
    check_name(call.project)
    project = _project(call)
    page = tree = None
    if inputs.names:
        page = _only_page(inputs)
        tree = read_tree(page)
        project = teach(project, tree, call.given)
    elif replace(call.given, elements=(), repeat=(), required=()) != TrainingInput():
        raise ArgumentError("name the page that says this, a file or an address")
    else:
        project = replace(project, schema=with_elements(project.schema, call.given))
    if call.script is not None:
        text = read_text(call.script, "name a file of JavaScript")
        script = Script(text.rstrip("\n"), call.nodes)
        others = tuple(action for action in project.actions if action != script)
        project = checked(replace(project, actions=(*others, script)))
    # A project that cannot be written is reported before its pages are touched.
    save_project(call.project, project)
    if page is not None and tree is not None and call.keep:
        keep_page(call.project, page, tree)
    yield f"{call.project} has {counted(len(project.rules), 'rule')}"
    if tree is not None:
        yield from _findings(project, tree)


def _project(call: LearnCall) -> Project:
    """Return the project of a call before it learns: that of the file, or a new one."""
    if call.root is not None and (call.schema is not None or call.project.exists()):
        raise ArgumentError(
            "--root names the root element of a new project; change another one in its schema"
        )
    schema = None if call.schema is None else load_schema(call.schema)
    if not call.project.exists():
        if schema is None:
            schema = with_elements(Element(call.root or "page", GROUP), call.given)
        return new_project(
            schema, matcher=call.matcher or DEFAULT_MATCHER, confidence=call.confidence or 0.0
        )
    project = load_project(call.project)
    if call.matcher not in {None, project.matcher}:
        raise ArgumentError(
            f"{call.project} is taught by the matcher '{project.matcher}'; begin another project "
            f"to use '{call.matcher}'"
        )
    confidence = project.confidence if call.confidence is None else call.confidence
    return checked(replace(project, schema=schema or project.schema, confidence=confidence))


def _only_page(inputs: Inputs) -> Page:
    def refuse(name: str, reason: str, detail: str) -> None:
        if reason == "not-fetched":
            raise FetchError(detail)
        raise ArgumentError(f"{name}: {reason}: {detail}")

    if not inputs.is_one_page:
        raise ArgumentError("a lesson is of one page; name one saved page or address")
    pages = [page for _, page in inputs.pages(refuse)]
    if not pages:
        raise ArgumentError(f"{inputs.names[0]} holds no page; name a saved page or an address")
    return pages[0]


def _findings(project: Project, tree: PageTree) -> Iterator[str]:
    """Describe what the rules find on the page they were just taught, and their confidence."""
    result = apply_project(project, tree, remember=False)
    width = max((width_of(path) for path in project.rules), default=0)
    for path in project.paths:
        found = result.found.get(path, ())
        name = pad_width(path, width)
        if not found:
            yield f"  {name}  nothing found"
            continue
        confidence = min(node.confidence for node in found)
        records = len(result.found.get(project.record_of(path), ()))
        few = len(found) < records and not project.element(path).repeat
        lacking = f", in {len(found):,} of {counted(records, 'record')}" if few else ""
        yield f"  {name}  {fit_width(_values(found), _LINE_WIDTH)}  ({confidence:.2f}){lacking}"
    yield from problem_lines(result.problems, tree.url)
    if not result.fits:
        yield f"by themselves the rules find too little here: {NO_FIT}; teach another page"


def _values(found: Sequence[Node]) -> str:
    if found[0].children or found[0].value is None:
        return counted(len(found), "record")
    values = [fit_width(str(node.value), _VALUE_WIDTH) for node in found[:_SHOWN_VALUES]]
    more = f" and {len(found) - _SHOWN_VALUES} more" if len(found) > _SHOWN_VALUES else ""
    return " | ".join(values) + more
