"""The studio as tests use it: a workspace on a folder, a client, and a server for a browser."""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from crawler.studio.app import Studio, StudioServer, bind, hosts_of, make_app
from crawler.studio.messages import Message
from crawler.studio.operations import open_all, perform
from crawler.studio.workspace import Workspace
from support.shop import ONE, TWO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import FrameLocator
    from playwright.sync_api import Page as BrowserPage

TOKEN = "a-token-of-tests"
CHROMIUM = Path("/usr/bin/chromium")
CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")
"""Run in a page, it gives the words and controls that are hard to read."""


def shop_folder(folder: Path) -> Path:
    """Make a folder with two saved pages of a shop."""
    (folder / "one.html").write_text(ONE, "utf-8")
    (folder / "two.html").write_text(TWO, "utf-8")
    return folder


@contextmanager
def workspace_of(folder: Path, *pages: str, project: str = "shop.h2x") -> Iterator[Workspace]:
    workspace = Workspace(folder, Path(project))
    try:
        open_all(workspace, pages)
        yield workspace
    finally:
        workspace.close()


def do(workspace: Workspace, op: str, **parts: object) -> dict[str, Any]:
    return perform(workspace, Message({"op": op, **parts}))


def text_node(workspace: Workspace, page: int, text: str) -> int:
    """Return the number of the text node of a page that has a text."""
    return workspace.page(page).tree.texts.index(text)


def teach(workspace: Workspace, path: str, page: int, text: str, **more: object) -> dict[str, Any]:
    nodes = [text_node(workspace, page, text)]
    return do(workspace, "teach", path=path, page=page, nodes=nodes, kind="text", **more)


@dataclass(frozen=True)
class Answered:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - JSON is of any type
        return json.loads(self.body)


class Client:
    """Asks a server on loopback, with the headers of its own windows unless others are given."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc
        self.cookie: str | None = f"studio-{self.host.rpartition(':')[2]}={TOKEN}"

    def get(self, path: str, **headers: str) -> Answered:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, body: bytes, **headers: str) -> Answered:
        return self._ask("POST", path, body, {"Origin": f"http://{self.host}", **headers})

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answered:
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        named = {name.replace("_", "-"): value for name, value in headers.items() if value}
        connection = HTTPConnection(self.host, timeout=30)
        try:
            connection.request(method, path, body, {**cookie, **named})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, found, answer.read())
        finally:
            connection.close()


@contextmanager
def served(workspace: Workspace, port: int = 0) -> Iterator[str]:
    """Serve a workspace on loopback; yield its address."""
    listening = bind("127.0.0.1", port)
    studio = Studio(workspace)
    server = StudioServer(make_app(studio, TOKEN, hosts_of(listening, "127.0.0.1")), studio)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/?token={TOKEN}"
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def browser_page(**options: Any) -> Iterator[BrowserPage]:  # noqa: ANN401 - as playwright has it
    """Give a page of a real browser that reports each of its errors as a failure."""
    # What cannot be tried is a failure where it must be.
    without = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
    try:
        from playwright import sync_api  # noqa: PLC0415 - unit tests do without
    except ImportError:
        without("playwright is not there; run: pip install -e .[dev]")
    if not CHROMIUM.exists():
        without(f"{CHROMIUM} is not there; run: apt-get install chromium")
    flaws: list[str] = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1400, "height": 860}, **options)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: flaws.append(str(error)))
        try:
            yield page
        finally:
            browser.close()
    assert flaws == []


def frame_of(page: BrowserPage) -> FrameLocator:
    """Give the page in front, once it is there."""
    return page.frame_locator("iframe.page:not([aria-busy])")


@contextmanager
def window(
    folder: Path,
    *names: str,
    project: str = "shop.h2x",
    **options: Any,  # noqa: ANN401 - as playwright has it
) -> Iterator[tuple[Workspace, BrowserPage]]:
    """Open the studio on a folder in a browser, with some pages."""
    with (
        workspace_of(folder, *names, project=project) as workspace,
        served(workspace) as address,
        browser_page(**options) as page,
    ):
        page.goto(address)
        yield workspace, page


def add(page: BrowserPage, text: str, name: str) -> None:
    """Click a text on the page, and add it to the output."""
    frame_of(page).get_by_text(text, exact=True).first.click()
    page.fill("#field-name", name)
    page.click("#field-add")


def shows(page: BrowserPage, path: str, text: str) -> None:
    """Wait until a field shows that it has found something."""
    field = page.locator("#fields > li", has=page.locator(f'[id="field:{path}"]'))
    field.locator(".values", has_text=text).wait_for()


def add_shelf(page: BrowserPage) -> None:
    """Add the name of the shelf to the output."""
    frame_of(page).get_by_role("heading", name="Shelf 1", exact=True).click()
    page.fill("#field-name", "shelf")
    page.click("#field-add")
    shows(page, "shelf", "Shelf 1")


def propose_books(page: BrowserPage) -> None:
    """Click one book: the list, its fields and the link to the next page are proposed."""
    frame_of(page).get_by_text("Book 2 of shelf 1").click()
    page.click("#list-open")
    page.fill("#list-name", "book")


def begin_script(page: BrowserPage, script: str) -> None:
    """Add a script that fills the element total from the prices, and run it."""
    page.click("#tab-actions")
    page.click("#action-new")
    page.fill("#script-element", "total")
    page.click("#script-element-add")
    page.get_by_label("book/price").check()
    page.fill("#script-text", script)
    page.click("#script-run")
