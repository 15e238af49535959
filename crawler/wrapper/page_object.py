"""A project as a page object of web-poet: a Python module, the project file, and fixtures of pages.

The module that is written needs web-poet and scrapy-corpus; nothing here needs web-poet.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from crawler.core.errors import CorpusError
from crawler.core.page.page import Page
from crawler.core.wrapper.project import Project
from crawler.core.wrapper.project_file import EXTENSION, write_project
from crawler.core.wrapper.tree import read_tree
from crawler.wrapper.project_store import load_project
from crawler.wrapper.running import ProjectRunner, page_rows

_MODULE = '''\
"""Page object of {file}, exported by the studio of scrapy-corpus; its fixtures are beside it."""

from pathlib import Path
from typing import Any

from web_poet import WebPage, cached_method, field{handle}

from crawler.wrapper.page_object import ItemMaker

ITEMS = ItemMaker(Path(__file__).with_name({file!r}))


{decorators}class {name}(WebPage[dict]):
    """Takes what the wrapper takes from a page."""

    @cached_method
    def wrapped(self) -> dict[str, Any]:
        """Return all fields of the page."""
        content_type = self.response.headers.get("Content-Type") or ""
        return ITEMS.item(str(self.response.url), bytes(self.response.body), content_type)
{fields}'''
_FIELD = """
    @field
    def {name}(self) -> Any:
        return self.wrapped()[{name!r}]
"""
_TO_ITEM = '''
    async def to_item(self) -> dict[str, Any]:
        """Return all fields: not each of their names is one of Python."""
        return self.wrapped()
'''
# Names of web-poet's own in its pages.
_TAKEN = frozenset(
    ("base_url", "css", "jmespath", "response", "selector", "to_item", "url", "urljoin", "wrapped",
     "xpath")
)  # fmt: skip


class NoFitError(CorpusError):
    """A project does not fit a page. Teach it the page, or leave the page out."""


class ItemMaker:
    """Makes the items of a page object.

    Args:
        path: the project file, which is read when the first item is made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runner: ProjectRunner | None = None

    def item(self, url: str, body: bytes, content_type: str) -> dict[str, Any]:
        """Return what the project takes from a page.

        Raises:
            NoFitError: it does not fit the page.
            CorpusError: the page or the project file cannot be read.
        """
        if self._runner is None:
            self._runner = ProjectRunner(load_project(self._path), self._path.name)
        return _item(self._runner, Page(url, body, content_type=content_type))


def _item(runner: ProjectRunner, page: Page) -> dict[str, Any]:
    wrapped = runner.run(read_tree(page), (page.url, ""))
    if not wrapped.result.fits:
        raise NoFitError(f"{page.url}: {next(wrapped.told()).text}")
    (row,) = page_rows(wrapped.result, runner.project.schema, by_record=False)
    return {name: row[name] for name in _names(runner.project)}


def _names(project: Project) -> list[str]:
    return [element.name for element in project.schema.elements]


def page_object(project: Project, stem: str, pages: Iterable[Page]) -> bytes:
    """Return a project as a ZIP file: the module, the project file, a fixture of each page.

    Pages that the project does not fit have no fixture. The fixtures are tested by ``pytest``
    where web-poet is installed.

    Args:
        project: the project.
        stem: the name of its file, without its ending.
        pages: pages to test it on.
    """
    file = f"{stem}{EXTENSION}"
    plain = re.sub(r"\W", "_", stem).strip("_").lower()
    module = f"{plain or 'wrapper'}_page"
    name = "".join(part.capitalize() for part in module.split("_"))
    name = name if name.isidentifier() else f"Wrapper{name}"
    hosts: dict[str, None] = {}
    packed = BytesIO()
    with (
        closing(ProjectRunner(project, file)) as runner,
        ZipFile(packed, "w", ZIP_DEFLATED) as archive,
    ):

        def add(path: str, content: str | bytes) -> None:
            archive.writestr(ZipInfo(path), content, ZIP_DEFLATED)

        for number, page in enumerate(pages, start=1):
            # A page object knows of a page what the server said of it.
            fetched = Page(page.url, page.body, content_type=page.content_type)
            try:
                item = _item(runner, fetched)
            except CorpusError:
                continue
            folder = f"fixtures/{module}.{name}/page-{number}"
            headers = [["Content-Type", page.content_type]] if page.content_type else []
            info = {"url": page.url, "status": 200, "headers": headers, "_encoding": None}
            add(f"{folder}/inputs/HttpResponse-body.html", page.body)
            add(f"{folder}/inputs/HttpResponse-info.json", _json({**info, "type": "HttpResponse"}))
            add(f"{folder}/meta.json", _json({}))
            add(f"{folder}/output.json", _json(item))
            if host := urlsplit(page.url).hostname:
                hosts[host] = None
        add(file, write_project(project))
        add(f"{module}.py", _module(project, file, name, list(hosts)))
    return packed.getvalue()


def _module(project: Project, file: str, name: str, hosts: list[str]) -> str:
    names = _names(project)
    plain = all(
        its.isidentifier() and not keyword.iskeyword(its) and its not in _TAKEN for its in names
    )
    fields = "".join(_FIELD.format(name=its) for its in names) if plain else _TO_ITEM
    return _MODULE.format(
        file=file,
        handle=", handle_urls" if hosts else "",
        decorators="".join(f"@handle_urls({host!r})\n" for host in hosts),
        name=name,
        fields=fields,
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
