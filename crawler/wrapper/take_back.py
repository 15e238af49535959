"""``scrapy wrap forget``: take back what a page taught a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from crawler.core.errors import ArgumentError
from crawler.core.wording import counted, pad_width, width_of
from crawler.core.wrapper.editing import remove_element, remove_examples
from crawler.core.wrapper.project import Project
from crawler.core.wrapper.project_file import write_project
from crawler.core.wrapper.tree import fold, read_tree
from crawler.store.files import write_whole
from crawler.store.sources import is_address, page_of_file
from crawler.wrapper.project_store import Inputs, drop_unused_pages, load_project


def take_back(
    path: Path,
    fields: Sequence[str],
    elements: Sequence[str],
    inputs: Inputs,
    *,
    unused_pages: bool = False,
) -> Iterator[tuple[str, bool]]:
    """Take back examples of a page, remove elements, and yield lines on what is left.

    The project file is then as if the examples had never been given. Elements stay in the schema
    unless they are removed.

    Args:
        path: the project file.
        fields: ``NAME``, or ``NAME=VALUE`` for the examples with that value; none for all that the
            page taught.
        elements: the elements to remove, with all that they learned.
        inputs: the page: its address, which is not fetched, or a saved copy.
        unused_pages: whether the pages beside the project that no rule uses are dropped.

    Raises:
        CorpusError: the page taught nothing of the kind, or a file cannot be read or written.
    """
    project = load_project(path)
    if fields or not (elements or (unused_pages and not inputs.names)):
        pages = _pages_meant(project, inputs)
        for field in fields or project.paths:
            name, _, value = field.partition("=")
            name = name.strip().strip("/")
            project.element(name)
            rule, value = project.rules.get(name), fold(value)
            meant = [
                its
                for its in (rule.examples if rule is not None else ())
                if its.page in pages and (not value or value in {one.value for one in its.values})
            ]
            if fields and not meant:
                raise ArgumentError(f"{inputs.names[0]} taught nothing of {field}")
            project = remove_examples(project, name, meant)
    elif inputs.names:
        raise ArgumentError("--element removes what all pages taught; leave the page out")
    for name in elements:
        project = remove_element(project, name)
    write_whole(path, [write_project(project).encode("utf-8")])
    if unused_pages:
        dropped, left = drop_unused_pages(path, project.taught_by)
        yield f"{counted(dropped, 'page')} dropped that no rule uses, {left:,} kept", True
    yield f"{path} has {counted(len(project.rules), 'rule')}", True
    width = max(map(width_of, project.paths), default=0)
    for name in project.paths:
        yield (
            f"  {pad_width(name, width)}  {counted(len(project.rules[name].examples), 'example')}",
            True,
        )


def _pages_meant(project: Project, inputs: Inputs) -> set[str]:
    """Return the fingerprints of the page, of all its versions that were taught."""
    if len(inputs.names) != 1:
        raise ArgumentError("name the page whose lesson is taken back: its address or a saved copy")
    name = inputs.names[0]
    taught = {(its.page, its.address) for rule in project.rules.values() for its in rule.examples}
    address, own = name, ""
    if not is_address(name):
        page = page_of_file(name, inputs.url, inputs.max_bytes)
        address, own = page.url, read_tree(page).fingerprint
    found = {page for page, its in taught if its == address or page == own}
    if not found:
        known = ", ".join(sorted({its for _, its in taught}))
        raise ArgumentError(f"{name} taught nothing; these pages did: {known}")
    return found
