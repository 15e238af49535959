"""Names of methods, apart from the methods: whoever reads settings need not import these."""

from __future__ import annotations

from typing import Final

__all__ = ["DEFAULT_STRUCTURE"]

DEFAULT_STRUCTURE: Final = "modern"
"""The method that is taken where none is named."""
