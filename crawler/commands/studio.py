"""``scrapy studio``: make wrappers by clicking, in a browser."""

from __future__ import annotations

from crawler.commands.base import QuietCommand, flag, valued


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
