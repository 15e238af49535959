"""The web application: its addresses, and how it is served."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Collection
from http import HTTPStatus
from pathlib import Path
from types import FrameType
from typing import Any, Final
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from crawler.core.errors import ArgumentError, CorpusError
from crawler.settings import Options
from crawler.studio.fetching import stop_fetching
from crawler.studio.frame import FRAME, QUIRKS, frame_policy
from crawler.studio.guard import Guard
from crawler.studio.inspect import Inspector
from crawler.studio.messages import Message
from crawler.studio.operations import perform
from crawler.studio.runs import TYPES
from crawler.studio.site import SiteReading
from crawler.studio.workspace import Workspace
from crawler.wrapper.page_object import page_object

_STATIC: Final = Path(__file__).parent / "static"
_SECONDS: Final = 0.25
MOST_STREAMS: Final = 100
"""The most windows that are told of changes."""

_MOST_TOLD: Final = 2_000
_LOOPBACK: Final = frozenset(("127.0.0.1", "localhost", "[::1]"))


class Studio:
    """The addresses of the application, all of one workspace.

    ``/api/do`` does an operation, ``/api/state`` and ``/api/page`` return what is shown, and
    ``/api/events`` tells when something has changed. ``/frame`` is the document in which a page is
    shown, which the browser fills with ``/api/tokens``.

    Args:
        workspace: the workspace.
        options: the settings by which pages are judged.
    """

    def __init__(self, workspace: Workspace, options: Options | None = None) -> None:
        self.workspace = workspace
        self.inspector = Inspector(options or Options())
        self.ended = False
        self._streams = 0
        self._lock = threading.Lock()

    def routes(self) -> list[Route | Mount]:
        """Return the addresses."""
        return [
            Route("/", self.index),
            Route("/api/do", self.do, methods=["POST"]),
            Route("/api/state", self.state),
            Route("/api/page/{page:int}", self.page),
            Route("/api/tokens/{page:int}", self.tokens),
            Route("/api/inspect/{page:int}", self.inspect),
            Route("/api/events", self.events),
            Route("/api/run", self.run),
            Route("/api/results.{form}", self.results),
            Route("/api/reading/{view}", self.reading),
            Route("/api/site/{block}", self.block),
            Route("/api/page-object.zip", self.page_object),
            Route("/frame/{page:int}", self.frame),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ]

    async def index(self, _: Request) -> Response:
        """Give the one document of the application."""
        return FileResponse(_STATIC / "index.html")

    async def do(self, request: Request) -> Response:
        """Do an operation."""
        try:
            message = Message.read(json.loads(await request.body()))
        except (ValueError, RecursionError):
            return _refused(ArgumentError("the request is no JSON that can be read"))
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it any more
        except CorpusError as error:
            return _refused(error)
        if message.parts.get("op") == "project":
            return await _answer(self.change, message)
        answer = await _answer(perform, self.workspace, message)
        if message.parts.get("op") == "propose" and answer.status_code == HTTPStatus.OK:
            # The list is mostly confirmed.
            answer.background = BackgroundTask(self.workspace.prepare, message.number("of"))
        return answer

    def change(self, message: Message) -> dict[str, Any]:
        """Work on another project from now on."""
        with self._lock:
            self.workspace = self.workspace.another(message.text("file"))
            return {"state": self.workspace.state()}

    async def state(self, _: Request) -> Response:
        """Give the state of the project."""
        return await _answer(lambda: {"state": self.workspace.state()})

    async def page(self, request: Request) -> Response:
        """Give what the project does on a page."""
        number = request.path_params["page"]
        known = request.query_params.get("known", "")
        return await _answer(self.workspace.shown, number, known)

    async def inspect(self, request: Request) -> Response:
        """Give why a page came out as it did: its text, tables, structure or metadata."""
        number = request.path_params["page"]
        return await _answer(
            lambda: self.inspector.show(self.workspace, number, request.query_params)
        )

    async def run(self, request: Request) -> Response:
        """Give how far the run is, with the results from a number on."""
        start = request.query_params.get("from", "0")
        runs = self.workspace.runs
        if runs is None or not start.isdecimal():
            return JSONResponse({"run": None})
        return JSONResponse({"run": runs.progress(int(start))})

    async def reading(self, request: Request) -> Response:
        """Give how far the reading of a view is, with what it has found if that is not known."""
        known = request.query_params.get("known", "")
        found = self.workspace.readings.get(request.path_params["view"])
        if found is None:
            return JSONResponse({"reading": None})
        number = int(known) if known.isdecimal() else -1
        return await _answer(lambda: {"reading": found.progress(number)})

    async def block(self, request: Request) -> Response:
        """Give the pages on which a block of the site stands."""
        found = self.workspace.readings.get("site")
        if not isinstance(found, SiteReading):
            return _refused(ArgumentError("no site was read yet"))
        return await _answer(found.pages_of, request.path_params["block"])

    async def results(self, request: Request) -> Response:
        """Give the results of the run as a file."""
        form, runs = request.path_params["form"], self.workspace.runs
        try:
            if runs is None:
                raise ArgumentError("nothing was run yet").about("no-run")
            name, body = await run_in_threadpool(runs.written, form)
        except CorpusError as error:
            return _refused(error)
        return _file(name, body, TYPES[form])

    async def page_object(self, _: Request) -> Response:
        """Give the project as a page object of web-poet, with a fixture of each open page."""
        space = self.workspace
        stem = space.path.stem
        pages = [opened.page for opened in space.journal.opened.values()]
        try:
            body = await run_in_threadpool(page_object, space.project, stem, pages)
        except CorpusError as error:
            return _refused(error)
        return _file(f"{stem}-page-object.zip", body, "application/zip")

    async def tokens(self, request: Request) -> Response:
        """Give a page as the browser makes it."""
        space = self.workspace
        number = request.path_params["page"]
        pictures = request.query_params.get("pictures") == "1"
        return await _answer(
            lambda: {"tokens": space.page(number).tokens(space.folder, pictures=pictures)}
        )

    async def frame(self, request: Request) -> Response:
        """Give the empty document of the frame of a page."""
        pictures = request.query_params.get("pictures") == "1"
        try:
            page = self.workspace.page(request.path_params["page"])
        except CorpusError as error:
            return _refused(error)
        is_strict = page.page.body[:1024].lstrip().lower().startswith(b"<!doctype")
        headers = {"Content-Security-Policy": frame_policy(pictures=pictures)}
        return Response(FRAME if is_strict else QUIRKS, headers=headers, media_type="text/html")

    async def events(self, request: Request) -> Response:
        """Tell the number of each change."""
        if self._streams >= MOST_STREAMS:
            return PlainTextResponse("too many windows are open; close some", 503)

        async def stream() -> AsyncIterator[str]:
            told = -1
            self._streams += 1
            try:
                while not (self.ended or await request.is_disconnected()):
                    if self.workspace.revision != told:
                        told = self.workspace.revision
                        yield f"data: {told}\n\n"
                    await asyncio.sleep(_SECONDS)
            finally:
                self._streams -= 1

        return StreamingResponse(stream(), media_type="text/event-stream")


class _Json(JSONResponse):
    """JSON in which names of files that are not in UTF-8 have question marks."""

    def render(self, content: object) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        )


async def _answer(work: Callable[..., Any], *arguments: object) -> Response:
    try:
        return _Json(await run_in_threadpool(work, *arguments))
    except CorpusError as error:
        return _refused(error)
    except RecursionError:
        return _refused(ArgumentError("it is nested too deep; make it flatter"))
    except OSError as error:
        return _refused(ArgumentError(f"{error.filename}: {error.strerror or error}"))


def _file(name: str, body: bytes, kind: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(body, headers=headers, media_type=kind)


def _refused(error: CorpusError) -> Response:
    told = str(error)[:_MOST_TOLD]
    data = [its[:_MOST_TOLD] for its in error.data]
    return _Json({"error": told, "kind": error.kind, "data": data}, 400)


def make_app(studio: Studio, token: str, hosts: Collection[str]) -> ASGIApp:
    """Return the application behind its guard."""
    inner = Starlette(routes=studio.routes())
    return Guard(GZipMiddleware(inner, minimum_size=4_096, compresslevel=1), token, hosts)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens; with port 0 on a free one.

    Raises:
        ArgumentError: another program listens there, or there is no such address.
    """
    if host in {"", "0.0.0.0", "::"}:  # noqa: S104 - it is refused
        raise ArgumentError("name the one address of this machine by which the studio is reached")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port < 1 << 16:
        raise ArgumentError(f"there is no port {port}; give one from 1 to 65535")
    try:
        host.encode("idna")
        return socket.create_server((host, port), family=family, backlog=64)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ArgumentError(
            f"{host}:{port} cannot be used: {why}; give another --host or --port"
        ) from error


def hosts_of(listening: socket.socket, host: str) -> tuple[str, ...]:
    """Return the names under which a browser reaches a socket, that of the call first."""
    port = listening.getsockname()[1]
    own = f"[{host}]" if ":" in host else host.lower()
    names = (own, "127.0.0.1", "localhost", "[::1]") if own in _LOOPBACK else (own,)
    return tuple(f"{name}:{port}" for name in dict.fromkeys(names))


class StudioServer(uvicorn.Server):
    """A server of the application; ``run`` it with a socket.

    Args:
        app: the application.
        studio: whose windows are let go before the server waits for the last answers.
    """

    def __init__(self, app: ASGIApp, studio: Studio) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._studio = studio

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as uvicorn has it
        """End the server: that is how the studio ends, so the signal is not raised again."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of events, scripts, fetching and runs, and then all else."""
        self._studio.ended = True
        self._studio.workspace.halt()
        stop_fetching()
        # That answers are cut off now is no error.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)
