"""The kinds of pages there are."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ARTICLE", "KINDS", "LEARNED"]

ARTICLE = "article"
KINDS: Mapping[str, str] = MappingProxyType(
    {
        ARTICLE: "one text with a headline: news, a post, a guide, an interview, a recipe",
        "front": "the first page of a site, or of its edition in a language",
        "listing": "a section, tag or archive, a shop's range, results of a search",
        "product": "one thing that is for sale",
        "forum": "questions and answers, a thread",
        "documentation": "a page of a manual, a reference or a wiki",
        "service": "what a company or an office does or offers",
        "login": "a form to sign in or to register",
        "error": "not found, not allowed, or a check for robots, whatever the status",
        "empty": "no text that is seen",
    }
)
"""Name and meaning of each kind."""

LEARNED = (ARTICLE, "listing", "product", "forum", "documentation", "service")
"""The kinds that are told by learned weights; the others are told by rules."""
