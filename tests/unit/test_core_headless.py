"""Pages that leave out their body are read as a browser reads them."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, read


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ("<title>t</title><main><p>one</p></main>", ["one"]),
        ("<title>t</title><article>one</article>two<p>three", ["one", "two", "three"]),
        ("<meta charset=utf-8><section>one</section><div>two</div>", ["one", "two"]),
        ("<head><title>t</title></head><main>one</main>", ["one"]),
        ("<title>t</title><main>one</main> <body>two<p>three</body>", ["one", "two", "three"]),
        ("<title>t</title><style>p {}</style><p>one</p>", ["one"]),
        ("<title>t</title><x-app><p>one</p></x-app>", ["one"]),
        ("<title>only a title</title>", []),
    ],
)
def test_text_is_found_in_order(markup: str, texts: list[str]) -> None:
    document = read(Page.from_text("https://s.example/", markup))
    assert [block.text for block in document.blocks] == texts
