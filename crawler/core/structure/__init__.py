"""Logical structure: from a page, by a model of its kind of document, to XML.

Lee and Lee, Extracting Logical Structure from Web Documents (Journal of Korea Multimedia Society,
2004), and what pages of today need beyond it. See docs/structure.md.
"""

from __future__ import annotations

from typing import Final

# Here, so that settings need not import the methods.
DEFAULT_STRUCTURE: Final = "modern"
"""The method that is taken if none is named."""
