"""``scrapy studio``: serve the studio, and open a browser window on it."""

from __future__ import annotations

import argparse
import json
import signal
import webbrowser
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from socket import socket

from scrapy.settings import Settings

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.project_file import EXTENSION
from crawler.reports.stdout import print_line
from crawler.settings import Options
from crawler.studio.app import Studio, StudioServer, bind, hosts_of, make_app
from crawler.studio.operations import open_all
from crawler.studio.workspace import Workspace

DEFAULT = f"wrapper{EXTENSION}"
"""The project where a call names none."""


def launch(args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Serve the studio until Ctrl-C or SIGTERM.

    Raises:
        CorpusError: the project or a page cannot be read, or the address cannot be used.
    """
    has_project = bool(args) and args[0].lower().endswith(EXTENSION)
    names = args[has_project:]
    options = Options.from_settings(settings)
    workspace = Workspace(Path.cwd(), Path(args[0] if has_project else DEFAULT))
    studio = Studio(workspace, options)
    try:
        open_all(workspace, tuple(names))
        listening, token = _address(workspace.beside / "address.json", opts.host, opts.port)
        hosts = hosts_of(listening, opts.host)
        server = StudioServer(make_app(studio, token, hosts), studio)
        for end in (signal.SIGINT, signal.SIGTERM):
            # The server has the same handlers when it runs.
            signal.signal(end, server.handle_exit)
        address = f"http://{hosts[0]}/?token={token}"
        print_line(f"the studio of {workspace.path.name} is at {address}")
        print_line("Ctrl-C ends it; nothing is lost")
        if not opts.no_browser:
            webbrowser.open(address)
        server.run(sockets=[listening])
    finally:
        studio.workspace.close()
    return 0


def _address(path: Path, host: str, port: int) -> tuple[socket, str]:
    """Return a socket and a token, those of the last time where they are free.

    A window that is open then goes on when the studio is started again. The file of both can be
    read by its owner alone.
    """
    try:
        kept = json.loads(path.read_text("utf-8"))
        last, token = int(kept["port"]), str(kept["token"])
    except (OSError, ValueError, KeyError, TypeError):
        last, token = 0, token_urlsafe(24)
    try:
        listening = bind(host, port or last)
    except ArgumentError:
        if port or not last:
            raise
        listening = bind(host, 0)
    # On a full disk the next start has another address, which is no reason not to start.
    with suppress(OSError):
        path.touch(mode=0o600)
        path.write_text(json.dumps({"port": listening.getsockname()[1], "token": token}), "utf-8")
    return listening, token
