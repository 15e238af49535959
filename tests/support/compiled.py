"""What the tests of the compiled parts share."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

if TYPE_CHECKING:
    from types import ModuleType

COMPILED = (
    "crawler.core.hot_loops.compiled_elements",
    "crawler.core.hot_loops.compiled_judges",
    "crawler.core.hot_loops.compiled_sentences",
    "crawler.core.hot_loops.compiled_text",
    "crawler.core.page.compiled_cutter",
)
"""The compiled modules of the package."""

PIECES = st.sampled_from(
    ["<p>", "</p>", "<b class='x y' id=z>", "</b>", "<br>", "<svg xml:lang=ko xlink:href=q>",
     "<a href='/x?q=&amp;'>", "</a>", "<td colspan=2>", "text", " ", "\n", "한국어", "&nbsp;",
     "&unknown;", "😀", "<!-- note -->", "<?php x ?>", "<script>a < b</script>", "<![CDATA[x]]>",
     "<style>p{}</style>", "<template><i>t</i></template>", "<p class>", "<p é='è'>", "<ns:t>",
     "<i rel='é&eacute;' itemprop='' href=x:class=y>"]
)  # fmt: skip

TEXTS = st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8)
"""Texts of any characters, lone surrogates too."""


def compiled_part(name: str) -> ModuleType:
    """Return a compiled module; a test is skipped where there need be none."""
    try:
        return import_module(name)
    except ImportError:
        if os.environ.get("CI") == "true" and not os.environ.get("PURE_PYTHON"):
            pytest.fail("the compiled part was not built")
        pytest.skip("there is no compiled part here; run: python hatch_build.py")
