"""``scrapy wrap learn``: teach a project what a person says of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, FetchError
from crawler.core.wording import counted, fit_width, pad_width, width_of
from crawler.core.wrapper.applying import NO_FIT, apply_project
from crawler.core.wrapper.matchers import DEFAULT_MATCHER
from crawler.core.wrapper.project import Project, Script, checked, new_project
from crawler.core.wrapper.tree import PageTree, read_tree
from crawler.wrapper.batch import told_once
from crawler.wrapper.files import check_name, keep_page, load_project, load_schema, save_project
from crawler.wrapper.lessons import Lesson, read_shape, teach, with_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.applying import Node
    from crawler.wrapper.inputs import Inputs

__all__ = ["TeachCall", "teach_page"]

_SHOWN = 60
_SHOWN_VALUES = 3
_WIDTH = 90
_ROOT = "page"


@dataclass(frozen=True, slots=True)
class TeachCall:
    """``scrapy wrap learn PROJECT PAGE``.

    ``script``
        A file of JavaScript to be run from now on, and in ``nodes`` the elements whose nodes it is
        called with.
    ``keep``
        Whether the page is kept beside the project.
    """

    project: Path
    lesson: Lesson
    schema: Path | None = None
    root: str | None = None
    matcher: str | None = None
    confidence: float | None = None
    script: Path | None = None
    nodes: tuple[str, ...] = ()
    keep: bool = True


def teach_page(call: TeachCall, inputs: Inputs) -> Iterator[str]:
    """Teach a project what is said of a page, and yield lines on what it finds there by itself.

    Nothing is written where a value cannot be learned.

    Raises:
        CorpusError: the call is wrong, the page does not say a value, or a file cannot be read or
            written.
    """
    check_name(call.project)
    project = _begun(call)
    page = tree = None
    if inputs.names:
        page = _only(inputs)
        tree = read_tree(page)
        project = teach(project, tree, call.lesson)
    elif replace(call.lesson, elements=(), repeat=(), required=()) != Lesson():
        raise ArgumentError("name the page that says this, a file or an address")
    else:
        project = replace(project, schema=with_elements(project.schema, call.lesson))
    if call.script is not None:
        project = _with_script(project, call)
    # A rule that cannot be written is told before the pages are touched.
    save_project(call.project, project)
    if page is not None and tree is not None and call.keep:
        keep_page(call.project, page, tree)
    yield f"{call.project} has {counted(len(project.rules), 'rule')}"
    if tree is not None:
        yield from _shown(project, tree)


def _begun(call: TeachCall) -> Project:
    if call.root is not None and (call.schema is not None or call.project.exists()):
        raise ArgumentError(
            "--root names the root element of a new project; change another one in its schema"
        )
    if call.project.exists():
        project = load_project(call.project)
        if call.schema is not None:
            project = replace(project, schema=load_schema(call.schema))
        if call.matcher is not None and call.matcher != project.matcher:
            raise ArgumentError(
                f"{call.project} is taught by the matcher '{project.matcher}'; begin another "
                f"project to use '{call.matcher}'"
            )
        if call.confidence is not None:
            project = replace(project, confidence=call.confidence)
        return checked(project)
    if call.schema is not None:
        schema = load_schema(call.schema)
    else:
        schema = read_shape(call.lesson, call.root or _ROOT)
    return new_project(
        schema, matcher=call.matcher or DEFAULT_MATCHER, confidence=call.confidence or 0.0
    )


def _only(inputs: Inputs) -> Page:
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


def _with_script(project: Project, call: TeachCall) -> Project:
    assert call.script is not None  # noqa: S101 - the caller looked
    try:
        text = call.script.read_text("utf-8")
    except OSError as error:
        raise ArgumentError(
            f"{call.script} cannot be read: {error.strerror or error}; name a file of JavaScript"
        ) from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{call.script} is not in UTF-8 ({error}); save it as UTF-8") from error
    action = Script(text.rstrip("\n"), call.nodes)
    known = [its for its in project.actions if its != action]
    return checked(replace(project, actions=(*known, action)))


def _shown(project: Project, tree: PageTree) -> Iterator[str]:
    """Say what the rules find on the page they were just taught, and how sure they are."""
    result = apply_project(project, tree, remember=False)
    width = max((width_of(path) for path in project.rules), default=0)
    for path in project.paths:
        found = result.found.get(path, ())
        name = pad_width(path, width)
        if not found:
            yield f"  {name}  nothing found"
            continue
        sure = min(node.confidence for node in found)
        records = len(result.found.get(project.record_of(path), ()))
        few = len(found) < records and not project.element(path).repeat
        lacking = f", in {len(found):,} of {counted(records, 'record')}" if few else ""
        yield f"  {name}  {fit_width(_values(found), _WIDTH)}  ({sure:.2f}){lacking}"
    yield from told_once(result.problems, tree.url)
    if not result.fits:
        yield f"by themselves the rules find too little here: {NO_FIT}; teach another page"


def _values(found: Sequence[Node]) -> str:
    if found[0].children or found[0].value is None:
        return counted(len(found), "record")
    values = [fit_width(str(node.value), _SHOWN) for node in found[:_SHOWN_VALUES]]
    more = f" and {len(found) - _SHOWN_VALUES} more" if len(found) > _SHOWN_VALUES else ""
    return " | ".join(values) + more
