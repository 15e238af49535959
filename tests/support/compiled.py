"""What the tests of the compiled parts share."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

if TYPE_CHECKING:
    from types import ModuleType

PIECES = st.sampled_from(
    ["<p>", "</p>", "<b class='x y' id=z>", "</b>", "<br>", "<svg xml:lang=ko xlink:href=q>",
     "<a href='/x?q=&amp;'>", "</a>", "<td colspan=2>", "text", " ", "\n", "한국어", "&nbsp;",
     "&unknown;", "😀", "<!-- note -->", "<?php x ?>", "<script>a < b</script>", "<![CDATA[x]]>",
     "<style>p{}</style>", "<template><i>t</i></template>", "<p class>", "<p é='è'>", "<ns:t>",
     "<i rel='é&eacute;' itemprop='' href=x:class=y>"]
)  # fmt: skip


def compiled_part(name: str) -> ModuleType:
    """Return a compiled module; a test is skipped where there need be none."""
    try:
        return import_module(name)
    except ImportError:
        if os.environ.get("CI") == "true" and not os.environ.get("PURE_PYTHON"):
            pytest.fail("the compiled part was not built")
        pytest.skip("there is no compiled part here; run: python hatch_build.py")
