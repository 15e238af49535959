"""The web application: its addresses, and how it is served."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from types import FrameType
from typing import Final
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
from crawler.studio.runs import TYPES, Run
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
    shown, which the browser fills with ``/api/tokens``. What is not asynchronous runs in a thread.

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
            Route("/", lambda _: FileResponse(_STATIC / "index.html")),
            Route("/api/do", self.do, methods=["POST"]),
            Route("/api/state", lambda _: _Json({"state": self.workspace.state()})),
            Route("/api/page/{page:int}", self.page),
            Route("/api/tokens/{page:int}", self.tokens),
            Route("/api/inspect/{page:int}", self.inspect),
            Route("/api/events", self.events),
            Route("/api/results.{form}", self.results),
            Route("/api/reading/{view}", self.reading),
            Route("/api/site/{block}", self.block),
            Route("/api/page-object.zip", self.page_object),
            Route("/frame/{page:int}", self.frame),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ]

    async def do(self, request: Request) -> Response:
        """Do an operation."""
        return await run_in_threadpool(self._do, Message.read(await request.body()))

    def _do(self, message: Message) -> Response:
        op = message.part("op", str)
        if op == "project":
            with self._lock:
                self.workspace = self.workspace.another(message.part("file", str))
                return _Json({"state": self.workspace.state()})
        answer = _Json(perform(self.workspace, message))
        if op == "propose":
            # The list is mostly confirmed.
            answer.background = BackgroundTask(self.workspace.prepare, message.part("of", int))
        return answer

    def page(self, request: Request) -> Response:
        """Give what the project does on a page."""
        known = request.query_params.get("known", "")
        return _Json(self.workspace.shown(request.path_params["page"], known))

    def inspect(self, request: Request) -> Response:
        """Give why a page came out as it did: its text, tables, structure or metadata."""
        number = request.path_params["page"]
        return _Json(self.inspector.show(self.workspace, number, request.query_params))

    def reading(self, request: Request) -> Response:
        """Return the progress of a view's job, and its results where the caller has older ones."""
        job = self.workspace.jobs.get(request.path_params["view"])
        known = request.query_params.get("known", "")
        number = int(known) if known.isdecimal() else -1
        return _Json({"reading": job and job.progress(number)})

    def block(self, request: Request) -> Response:
        """Give the pages on which a block of the site stands."""
        found = self.workspace.jobs.get("site")
        if not isinstance(found, SiteReading):
            raise ArgumentError("no site was read yet")
        return _Json(found.pages_of(request.path_params["block"]))

    def results(self, request: Request) -> Response:
        """Give the results of the run as a file."""
        form, run = request.path_params["form"], self.workspace.jobs.get("run")
        if not isinstance(run, Run):
            raise ArgumentError("nothing was run yet").about("no-run")
        return _file(*run.written(form), TYPES[form])

    def page_object(self, _: Request) -> Response:
        """Give the project as a page object of web-poet, with a fixture of each open page."""
        space = self.workspace
        pages = [opened.page for opened in space.journal.opened.values()]
        body = page_object(space.project, space.path.stem, pages)
        return _file(f"{space.path.stem}-page-object.zip", body, "application/zip")

    def tokens(self, request: Request) -> Response:
        """Give a page as the browser makes it."""
        space, pictures = self.workspace, request.query_params.get("pictures") == "1"
        page = space.page(request.path_params["page"])
        return _Json({"tokens": page.tokens(space.folder, pictures=pictures)})

    def frame(self, request: Request) -> Response:
        """Give the empty document of the frame of a page."""
        pictures = request.query_params.get("pictures") == "1"
        page = self.workspace.page(request.path_params["page"])
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


def _file(name: str, body: bytes, kind: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(body, headers=headers, media_type=kind)


def _refused(_: Request, error: Exception) -> Response:
    """Say what is wrong with a request, in words and for the strings of the interface."""
    match error:
        case CorpusError():
            why, kind, data = str(error), error.kind, error.data
        case OSError():
            why, kind, data = f"{error.filename}: {error.strerror or error}", "", ()
        case ClientDisconnect():
            why, kind, data = "nobody reads it any more", "", ()
        case _:
            why, kind, data = "it is nested too deep; make it flatter", "", ()
    told = {"error": why[:_MOST_TOLD], "kind": kind, "data": [its[:_MOST_TOLD] for its in data]}
    return _Json(told, 400)


def make_app(studio: Studio, token: str, hosts: Collection[str]) -> ASGIApp:
    """Return the application behind its guard."""
    kinds = (CorpusError, OSError, RecursionError, ClientDisconnect)
    inner = Starlette(routes=studio.routes(), exception_handlers=dict.fromkeys(kinds, _refused))
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
