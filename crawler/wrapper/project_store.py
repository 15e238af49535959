"""What ``scrapy wrap`` reads: project files, the pages kept beside them, and its inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from crawler.core.errors import ArgumentError, FetchError, UnreadableInputError, UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.structure.medl import parse_model
from crawler.core.wrapper.project import Element, Project
from crawler.core.wrapper.project_file import EXTENSION, read_project, read_schema
from crawler.core.wrapper.shapes import schema_of_dtd, schema_of_model
from crawler.core.wrapper.tree import PageTree, join_trees, read_tree
from crawler.store.archive import ARCHIVE_SUFFIXES, WarcWriter
from crawler.store.files import replacing, system_errors
from crawler.store.sources import LISTS, is_address, page_of_file, read_source
from crawler.wrapper.actions import addresses_of

_PAGES_SUFFIX = ".pages.warc.gz"


def check_name(path: Path) -> None:
    """Refuse a name that is none of a project file.

    Raises:
        UnreadableInputError: it does not end in ``.h2x``.
    """
    if path.suffix.lower() != EXTENSION:
        raise UnreadableInputError(
            f"{path} is no project file; the names of project files end in {EXTENSION}"
        ).about("project-name", path.name)


def load_project(path: Path) -> Project:
    """Read a project file.

    Raises:
        UnreadableInputError: it cannot be read or is not valid; the message names the place.
    """
    check_name(path)
    return read_project(read_text(path), path.name)


def load_schema(path: Path) -> Element:
    """Read a schema from a file that holds it alone, from a project file, or from that of a model.

    A document type (``.dtd``) or document model (``.medl``) gives its elements.

    Raises:
        UnreadableInputError: as :func:`load_project`.
        ModelError: it is no document type or model.
        ArgumentError: an element of it holds itself.
    """
    kind = path.suffix.lower()
    if kind == EXTENSION:
        return load_project(path).schema
    if kind == ".dtd":
        return schema_of_dtd(read_text(path), path.name)
    if kind == ".medl":
        return schema_of_model(parse_model(read_text(path), path.name))
    return read_schema(read_text(path), path.name)


def read_text(path: Path) -> str:
    """Read a text file.

    Raises:
        UnreadableInputError: it cannot be read, or is not in UTF-8.
    """
    try:
        with system_errors(f"{path} cannot be read", "Check its name", UnreadableInputError):
            return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{path} is not in UTF-8 ({error}); save it as UTF-8").about(
            "not-utf8", path
        ) from error


def kept_pages(project: Path, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
    """Yield the pages that are kept beside a project, none where there are none.

    Raises:
        UnreadableInputError: they cannot be read.
    """
    path = project.with_suffix(_PAGES_SUFFIX)
    if path.exists():
        yield from read_source(path, on_skip=on_skip)


def keep_page(project: Path, page: Page) -> None:
    """Keep a page beside a project, so that what was learned from it can be tested again.

    Raises:
        StoreError: it cannot be written; what was there is left as it was.
        UnreadableInputError: what was there cannot be read.
    """
    known = list(kept_pages(project, _pass_over))
    if not any(each.body == page.body for each in known):
        _keep(project, (*known, page))


def drop_unused_pages(path: Path, taught: Collection[str]) -> tuple[int, int]:
    """Drop the pages kept beside a project that taught it nothing.

    Returns:
        How many were dropped, and how many are left.

    Raises:
        StoreError: what is left cannot be written; what was there is left as it was.
        UnreadableInputError: what was there cannot be read.
    """
    known = list(kept_pages(path, _pass_over))
    used = [page for page in known if read_tree(page).fingerprint in taught]
    if used and len(used) < len(known):
        _keep(path, used)
    elif known and not used:
        with system_errors(f"{path.with_suffix(_PAGES_SUFFIX)} cannot be removed", "Check it"):
            path.with_suffix(_PAGES_SUFFIX).unlink()
    return len(known) - len(used), len(used)


def _pass_over(_reason: str, _detail: str) -> None:
    """Pass over what cannot be read: it is reported when the project is tested."""


def _keep(project: Path, pages: Iterable[Page]) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with (
        replacing(project.with_suffix(_PAGES_SUFFIX)) as aside,
        WarcWriter(aside, date=now, compression=6) as writer,
    ):
        for page in pages:
            writer.write(page)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The pages that a call names.

    ``names``
        Addresses, saved pages, folders of them, archives, lists.
    ``fetch``
        Returns the page of each of some addresses, or the error that says why there is none.
    ``max_bytes``
        Larger pages are left out.
    ``url``
        The address of a saved page, where the call has one.
    ``is_joined``
        Whether they are the pages that a project loads, which are one.
    """

    names: tuple[str, ...]
    fetch: Callable[[Sequence[str]], Sequence[Page | FetchError]]
    max_bytes: int
    url: str | None = None
    is_joined: bool = False

    def of_project(self, project: Project, args: Sequence[str]) -> Inputs:
        """Return the inputs of a run: these, or without any those that the project loads.

        Args:
            project: the project.
            args: the arguments of the call, as scripts see them.

        Raises:
            ArgumentError: there are none.
        """
        if self.names:
            return self
        if names := addresses_of(project, args):
            return replace(self, names=names, is_joined=True)
        raise ArgumentError("name pages to run over: files, folders, archives or addresses").about(
            "no-names"
        )

    @property
    def is_one_page(self) -> bool:
        """Whether there is one output: of one address, one saved page, or pages joined into one."""
        if self.is_joined or len(self.names) != 1 or is_address(self.names[0]):
            return self.is_joined or len(self.names) == 1
        path = Path(self.names[0])
        return not path.is_dir() and not path.name.lower().endswith((*ARCHIVE_SUFFIXES, *LISTS))

    def pages(self, on_skip: Callable[[str, str, str], None]) -> Iterator[tuple[str, Page]]:
        """Yield all pages, each with the name it was asked for by.

        Args:
            on_skip: called with name, reason and detail for what gives no page.

        Raises:
            ArgumentError: ``url`` does not belong to the input.
            UnreadableInputError: there is no such file, or it cannot be read.
        """
        addresses = [name for name in self.names if is_address(name)]
        if self.url is not None and (addresses or not self.is_one_page):
            raise ArgumentError("--url is for one saved page")
        # Missing files are reported before anything is fetched.
        sources = {its: self._source(its, on_skip) for its in self.names if its not in addresses}
        pages = self.fetch(addresses) if addresses else ()
        fetched = dict(zip(addresses, pages, strict=True))
        for name in self.names:
            found = fetched.get(name)
            if isinstance(found, FetchError):
                on_skip(name, "not-fetched", str(found))
            else:
                yield from ((name, page) for page in ([found] if found else sources[name]))

    def trees(
        self, on_skip: Callable[[str, str, str], None]
    ) -> Iterator[tuple[str, int, PageTree]]:
        """Yield the tag trees of all pages, as :meth:`pages`; those that a project loads as one.

        Each comes with the name it was asked for by, and with its number there, from 0.
        """
        found = self._trees(on_skip)
        if self.is_joined and (loaded := list(found)):
            name, at, _ = loaded[0]
            found = iter([(name, at, join_trees([tree for *_, tree in loaded]))])
        return found

    def _trees(
        self, on_skip: Callable[[str, str, str], None]
    ) -> Iterator[tuple[str, int, PageTree]]:
        numbers: Counter[str] = Counter()
        for name, page in self.pages(on_skip):
            numbers[name] += 1
            try:
                yield name, numbers[name] - 1, read_tree(page)
            except UnreadablePageError as error:
                on_skip(page.url, error.reason, error.detail)

    def _source(self, name: str, on_skip: Callable[[str, str, str], None]) -> Iterator[Page]:
        if self.url is not None:
            return iter([page_of_file(name, self.url, self.max_bytes)])

        def skip(reason: str, detail: str) -> None:
            # The pages of a project are often in one folder with other pages.
            if reason != "archive" or not detail.partition(": ")[0].endswith(_PAGES_SUFFIX):
                on_skip(name, reason, detail)

        return read_source(name, on_skip=skip, max_bytes=self.max_bytes)
