"""Parts of a page that scripts and browsers put in their places, and hidden text that is read."""

from __future__ import annotations

import time

import pytest

from crawler.core.flow import Page, read

PROSE = (
    "The ferry stayed in the harbour until noon because the quay wall had cracked, and nobody "
    "aboard looked back at the town. "
)
KOREAN = "배는 정오까지 항구에 머물렀다. 부두 벽이 갈라졌으며, 아무도 마을을 돌아보지 않았다. "


def texts(html: str) -> list[str]:
    return [block.text for block in read(Page.from_text("https://site.example/", html)).blocks]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<x-a><template shadowrootmode=open><p>a</p></template></x-a>", ["a"]),
        ("<div><template shadowrootmode=closed>a<p>b</p></template>gone</div>c", ["a", "b", "c"]),
        (("<x-a><template shadowrootmode=open><h2><slot name=t>none</slot></h2><slot></slot>"
         "</template><p>b</p><span slot=t>a</span></x-a>"), ["a", "b"]),
        (("<x-a><template shadowrootmode=open><h2><slot name=t>a</slot></h2><p><slot>b</slot></p>"
         "</template></x-a>"), ["a", "b"]),
        ("<x-a><template shadowrootmode=open><p>(<slot></slot>)</p></template>a <b>b</b> c</x-a>",
         ["(a b c)"]),
        (("<x-a><template shadowrootmode=open><slot></slot><p>z</p></template><x-b>"
         "<template shadowrootmode=open><div>y</div><slot></slot></template><p>a</p></x-b></x-a>"),
         ["y", "a", "z"]),
        (("<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open><p>a</p><slot>"
         "</slot></template><slot></slot></x-b></template><p>b</p></x-a>"), ["a", "b"]),
        (("<x-a><template shadowrootmode=open><style>p{}</style><slot name=x></slot></template>"
         "<p>not in a slot</p><p slot=x>b</p></x-a>"), ["b"]),
        ("<div><template><p>no root</p></template><p>shadowrootmode</p></div>",
         ["shadowrootmode"]),
        ("<template shadowrootmode=open><p>a</p></template>", ["a"]),
        ("<p><template SHADOWROOTMODE=Closed>a</template>gone</p>", ["a"]),
        # No browser attaches these: the host's own text is shown.
        ("<x-a><template shadowrootmode=bogus><p>a</p></template><p>b</p></x-a>", ["b"]),
        ("<ul><template shadowrootmode=open><li>a</template><li>b</ul>", ["b"]),
        ("<p><a href=/><template shadowrootmode=open>a</template>b</a></p>", ["b"]),
    ],
)  # fmt: skip
def test_shadow_roots(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (('<main><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--><p>d</p></main>'
         '<div hidden id="S:0"><p>a</p><template id="P:1"></template><p>c</p></div>'
         '<div hidden id="S:1"><p>b</p></div>'), ["a", "b", "c", "d"]),
        ('<p>a <template id="P:a1"></template> c</p><div hidden id="S:a1">b</div>', ["a b c"]),
        (('<div><template id="B:0"></template></div><p>z</p><div hidden id="S:5"><p>a</p></div>'
         '<script>$RC("B:0","S:5")</script>'), ["a", "z"]),
        (('<div><template id="P:2"></template></div><p>z</p><div hidden id="S:3"><p>a</p></div>tail'
         '<script>$RS("S:3","P:2")</script>'), ["a", "z", "tail"]),
        # Not sent yet: what is shown while waiting is shown.
        ('<p><!--$?--><template id="B:0"></template><b>Loading</b><!--/$--></p>', ["Loading"]),
        (('<div hidden id="S:0"><template id="B:1"></template>a</div>'
         '<div hidden id="S:1"><template id="B:0"></template>b</div>'), ["ba"]),
        # Within the part itself there is no place for it.
        (('<div hidden id="S:0"><p>a</p><template id="B:0"></template></div>'
         '<p>b<template id="P:0"></template></p>'), ["a", "b"]),
        ('<div id="B:0">a</div><div hidden id="S:9"><p>b</p></div><div hidden id=S9>c</div>',
         ["a", "b"]),
    ],
)  # fmt: skip
def test_late_parts(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize("prose", [PROSE, KOREAN], ids=["en", "ko"])
@pytest.mark.parametrize(
    "html",
    [
        "<div style='visibility: hidden; opacity: 0'><p>{0}</p><p>{0}</p><p>{0}</p></div>",
        ("<p style='visibility:hidden'>{0}</p><p style='visibility:hidden'>{0}</p>"
        "<p style='visibility:hidden'>{0}</p>"),
        "<noscript><p>{0}</p><p>{0}</p><p>{0}</p></noscript>",
        "<div id=app style='display:none'><h1>T</h1><p>{0}</p><p>{0}</p><p>{0}</p></div>",
        "<div hidden><article><p>{0}</p><p>{0}</p><p>{0}</p></article></div>",
        "<nav><a href=/x>{0}</a></nav><div style='visibility:hidden'><p>{0}</p><p>{0}{0}</p></div>",
        "<section hidden=until-found><p>{0}</p></section>",
        "<p>{0}</p><section hidden='until-found'>{0}</section>",
        "<p>{0}</p><div id=more style='display:none'><p>{0}</p></div><button>More</button>",
        "<p>{0}</p><p style='display:none'>{0}</p><p hidden>{0}</p><a href='#'>More</a>",
        "<p>{0}</p>" + "<p hidden>{0}</p>" * 9 + "<button>More</button>",
        "<div><p>{0}</p><div hidden><p>{0}</p></div></div><p class=m><button>+</button></p>",
        "<p>{0}</p><button aria-controls=m>계속</button><div id=m hidden><p>{0}</p></div>",
        "<p>{0}<span style='display:none'>{0}</span> <a href='javascript:more()'>더</a></p>",
        "<p>{0}</p><div style='display:none'>{0}</div><div class=more onclick='m()'>Mehr</div>",
    ],
)  # fmt: skip
def test_hidden_text_that_is_read(html: str, prose: str) -> None:
    assert "\n".join(texts(html.format(prose))).count(prose.strip()) == html.count("{0}")


@pytest.mark.parametrize("prose", [PROSE, KOREAN], ids=["en", "ko"])
@pytest.mark.parametrize(
    "html",
    [
        "<p>{0}</p><p>{0}</p><div style='visibility:hidden'><p>{1}</p></div>",
        "<p>{0}</p><noscript><p>{1}</p></noscript>",
        "<h1>{0}</h1><noscript>Please turn JavaScript on to read this page.</noscript>",
        "<h1>{0}</h1><noscript><ul><li>{1}<li>{1}<li>{1}<li>{1}</ul></noscript>",
        "<p>{0}</p><div style='display:none'><h1>Consent</h1><p>{1}</p></div>",
        "<p>{0}</p><div style='display:none'><p>{1}</p></div>",
        "<p>{0}</p><div style='display:none'><p>{1}</p><button>Accept</button></div><p>{0}</p>",
        "<div style='display:none'><p>{1}{1}{1}</p></div><a href=/x>{0}</a>",
        "<ul><li>{0}</li></ul><div hidden><p>{1}</p></div><button>More</button>",
        "<p>{0}</p><div hidden><form><p>{1}</p><input></form></div><button>Reply</button>",
        "<p>{0}</p><div hidden><p>Copied</p></div><button>Share</button>",
        "<p>{0}</p><div hidden><p>{1}</p></div><a href=/full-story>Full story</a>",
    ],
)
def test_hidden_text_that_is_not_read(html: str, prose: str) -> None:
    shown = texts(html.format(prose, f"Unseen {prose}"))
    assert "\n".join(shown).count(prose.strip()) == html.count("{0}")
    assert not any("Unseen" in text or "JavaScript" in text or "Copied" in text for text in shown)


def test_a_part_is_tried_at_one_place() -> None:
    places = '<template id="B:1"></template>' * 100_000
    page = f'<div hidden id="S:1">{"<div>" * 1_900}a{places}{"</div>" * 1_900}</div>b'
    assert texts(page) == ["a", "b"]


def test_nested_and_many_parts_take_no_long() -> None:
    deep = "<x-a><template shadowrootmode=open><slot>a</slot>" * 400
    assert texts(deep) == ["a"] * 400
    many = "".join(f'<div hidden id="S:{n:x}">b</div><template id="B:{n:x}">' for n in range(900))
    assert "".join(texts(many)).count("b") > 0


MANY = 10_000
HOSTILE = {
    "roots of one host": "<div><template shadowrootmode=open><slot></slot></template>"
    + "<template shadowrootmode=open><p>x</p></template>" * MANY
    + "</div>",
    "text between slotted": "<div><template shadowrootmode=open><slot></slot></template>"
    + "<i slot=x>a</i>b" * MANY
    + "</div>",
    "late parts": "".join(f'<template id="B:{n:x}"></template>' for n in range(MANY))
    + "".join(f'<div hidden id="S:{n:x}">a</div>b' for n in range(MANY)),
    "hidden": f"<p>{'word ' * 20}</p>" + f"<div hidden>{'word ' * 30}</div>" * MANY,
    "noscript": "<noscript>a</noscript><b hidden>x</b>" * MANY,
    "long paragraph": f"<p>{'w ' * MANY * 9}</p>" + f"<div hidden>{'word ' * 30}</div>" * 1000,
    "head": "<html><head>" + "<main>a</main>" * MANY,
    "nested numbers": "<b class=ln>" * 900 + "1 " * MANY + "x",
    "nested readings": "<ruby>" * 900 + "<i>a</i>" * MANY,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end_in_time(name: str) -> None:
    began = time.process_time()
    read(Page.from_text("https://site.example/", f"<p>shown</p>{HOSTILE[name]}"))
    assert time.process_time() - began < 2


def test_of_a_host_the_first_root_counts() -> None:
    html = (
        "<div><template shadowrootmode=open><p>first</p><slot></slot></template>"
        "<template shadowrootmode=open><p>second</p></template>given</div>"
    )
    assert texts(html) == ["first", "given"]
