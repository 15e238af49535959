"""As base, but crawls remember: they fetch and export what is new or has changed."""

from __future__ import annotations

from settings.base import *  # noqa: F403 - a settings module is its names

CORPUS_INCREMENTAL = True
