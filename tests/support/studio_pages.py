"""Pages of a made bookshop for the studio: shelves with books, and hostile and large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.demo.pages import demo_pages

if TYPE_CHECKING:
    from pathlib import Path

STYLE = (
    "body{font-family:sans-serif;margin:16px}.grid{display:grid;gap:12px;"
    "grid-template-columns:repeat(4,1fr)}.card{border:1px solid #ddd;padding:10px;"
    "border-radius:8px}nav a{margin-right:1em}.card h3{margin:.2em 0;font-size:16px}"
)


def shelf(number: int, books: int = 12) -> str:
    """Make a page of a shelf: its name, who keeps it, and its books."""
    cards = "".join(
        f"<article class=card><h3><a href='/b/{number}-{at}'>Book {at} of shelf {number}</a></h3>"
        f"<p class=author>Author {number * at}</p>"
        + (f"<p class=price>${at + 1}.{number % 10}0</p>" if at % 5 != 3 else "")
        + "<button>Add to cart</button></article>"
        for at in range(books)
    )
    return (
        f"<!doctype html><!-- saved from url=(0024)https://shop.example/s{number} -->"
        f"<title>Shelf {number} - Books</title><style>{STYLE}</style>"
        "<nav><a href=/>Home</a><a href=/new>New books</a><a href=/us>About us</a></nav>"
        f"<h1>Shelf {number}</h1><p>Kept by <b>Keeper {number}</b>, room {number + 100}</p>"
        f"<div class=grid>{cards}</div>"
        f"<ul class=pager><li><a href='/s{number - 1}'>Previous</a></li>"
        f"<li><a href='/s{number + 1}'>Next</a></li></ul>"
    )


def shelves(folder: Path, count: int = 3) -> Path:
    """Save pages of shelves: ``s1.html`` and so on."""
    folder.mkdir(exist_ok=True, parents=True)
    for number in range(1, count + 1):
        (folder / f"s{number}.html").write_text(shelf(number), "utf-8")
    return folder


HOSTILE = """<!doctype html><html><head><title>Trap</title>
<base href="https://evil.example/" target="_top">
<meta http-equiv="refresh" content="0;url=https://evil.example/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src *">
<link rel="stylesheet" href="https://evil.example/a.css">
<style>@import url(https://evil.example/b.css); body{background:url(https://evil.example/c.png)}
html,body{position:fixed;inset:0;z-index:99999999}</style>
<script>parent.document.title='taken'; top.location='https://evil.example/s'</script></head>
<body onload="parent.document.title='taken'" onclick="parent.document.title='taken'">
<h1 onmouseover="parent.document.title='taken'">Bargain</h1>
<iframe src="https://evil.example/f"></iframe><object data="https://evil.example/o"></object>
<embed src="https://evil.example/e"><video src="https://evil.example/v" autoplay></video>
<img src="https://evil.example/p.png" onerror="parent.document.title='taken'" srcset="q.png 2x">
<svg onload="parent.document.title='taken'"><image href="https://evil.example/i.png"/>
<script>parent.document.title='taken'</script><a href="javascript:parent.document.title='taken'">
<text>x</text></a></svg>
<math><mtext><table><mglyph><style><img src=x onerror="parent.document.title='taken'"></style>
</mglyph></table></mtext></math>
<form action="https://evil.example/post" method="post"><input name="a" value="1" autofocus
onfocus="parent.document.title='taken'"><button id="go">Buy</button></form>
<a id="out" href="javascript:parent.document.title='taken'">link</a>
<a id="top" href="https://evil.example/t" target="_top">away</a>
<noscript><p title="</noscript><img src=x onerror=parent.document.title='taken'>">n</p></noscript>
<template><img src="https://evil.example/t.png" onerror="parent.document.title='taken'"></template>
<p>The end</p></body></html>"""


NAMES = """<!doctype html><title>Names</title><form><input id=appendChild><input id=append>
<input id=setAttribute><input id=parentNode><input id=nodeType><input id=removeAttribute>
<select id=tagName></select><output id=insertBefore></output><button id=textContent>b</button>
<fieldset id=closest><input id=childNodes></fieldset><p>within</p></form>
<constructor>constructor</constructor><toString>x</toString>
<p constructor=1 __proto__=2 toString=3 id=__proto__ class=constructor>The end</p>"""


def hostile_styles(own: str) -> str:
    """Make a page whose styles ask a server for whatever styles can ask for."""
    return f"""<!doctype html><title>Styles</title><style>
@import url({own}/a.css);@import "{own}/b.css";@\\69mport url({own}/c.css);
@font-face{{font-family:x;src:url({own}/a.woff)}}@font-face{{font-family:y;src:\\75rl({own}/b.woff)}}
body{{font-family:x,y;background:\\75rl({own}/a.png)}}h1{{background:u\\72l( {own}/b.png )}}
h2{{background:image-set("{own}/c.png" 1x)}}h3{{cursor:\\75rl({own}/d.cur),auto}}
h4{{list-style:\\75rl({own}/e.png);content:\\75rl({own}/f.png)}}h5{{mask:\\75rl({own}/a.svg)}}
h6{{filter:\\75rl({own}/b.svg#f);border-image:\\75rl({own}/g.png)}}p::before{{content:"x"}}</style>
<link rel=stylesheet href={own}/d.css><link rel=preload as=image href={own}/h.png>
<h1>The end</h1><h2>2</h2><h3>3</h3><h4>4</h4><h5>5</h5><h6>6</h6>
<p style='background:url("{own}/q)i.png")'>p</p><p style="background:\\75rl({own}/j.png)">p</p>
<table background={own}/k.png><tr><td>x</table>"""


def large(elements: int) -> str:
    """Make a page of about that many elements."""
    rows = "".join(
        f"<li class=item><h3><a href='/i/{at}'>Item {at}</a></h3><p>Some <b>words</b></p>"
        f"<span class=price>${at}.00</span></li>"
        for at in range(elements // 6)
    )
    return f"<!doctype html><title>Large</title><h1>All items</h1><ol>{rows}</ol>"


def heavy(size: int) -> str:
    """Make a page of about that many bytes."""
    words = "lorem ipsum dolor sit amet " * 12
    row = f"<div class=entry><h2>Entry</h2><p>{words}</p><p>{words}<a href=/x>more</a></p></div>"
    return f"<!doctype html><title>Heavy</title><h1>Heavy</h1>{row * (size // len(row))}"


def demo_folder(folder: Path) -> Path:
    """Save the articles, posts and figures of the demo in ``news``, ``blog`` and ``data``."""
    for page in demo_pages():
        kind = page.path.split("/")[1]
        if kind not in {"news", "blog", "data"} or page.kind not in {"article", "table"}:
            continue
        name = page.path.removesuffix(".html").strip("/").replace("/", "-").replace("?", "-")
        mark = f"<!-- saved from url=(0000)https://demo.example{page.path} -->".encode()
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"{name}.html").write_bytes(page.body.replace(b">", b">" + mark, 1))
    return folder
