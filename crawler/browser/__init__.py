"""Pages that scripts write, in a browser: the extra ``browser``."""

from __future__ import annotations


class RenderError(Exception):
    """A page could not be rendered; another one may be."""


class BrowserMissingError(Exception):
    """No page can be rendered; the message says what to do."""
