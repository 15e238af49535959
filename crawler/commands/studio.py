"""``scrapy studio``: make wrappers by clicking, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commands.base import QuietCommand, flag, valued

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class StudioCommand(QuietCommand):
    """Serves the studio on this machine until Ctrl-C."""

    name = "studio"
    usage = "[options] [PROJECT.h2x] [PAGE...]"
    summary = "Make wrappers by clicking, in a browser window"
    description = (
        "Serve a web application on this machine in which wrappers are made by clicking, and open "
        "it in a browser. PROJECT.h2x is the project, wrapper.h2x where none is named. Each PAGE "
        "is opened: a saved page, an address, or the first page of an archive. Needs the extra "
        "'studio': pip install 'scrapy-corpus[studio]'."
    )
    runs = "crawler.studio.launch.launch"
    options = (
        valued("--port", "NUMBER", "the port; without, a free one", type=int, default=0),
        valued("--host", "ADDRESS", "listen on ADDRESS instead of loopback", default="127.0.0.1"),
        flag("--no-browser", "open no browser window"),
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Serve the studio; say what to install where a package is missing."""
        from importlib.util import find_spec

        from crawler.core.errors import ArgumentError

        if not all(map(find_spec, ("starlette", "uvicorn", "openpyxl"))):
            raise ArgumentError("the studio is an extra; run: pip install 'scrapy-corpus[studio]'")
        return super().work(args, opts, settings)
