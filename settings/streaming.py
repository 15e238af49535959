"""As base, but every page is judged by the counts of earlier crawls and exported at once."""

from __future__ import annotations

from settings.base import *  # noqa: F403 - a settings module is its names

CORPUS_MODE = "streaming"
