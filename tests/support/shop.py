"""Pages of a made shop, a project taught on them, and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.wrapper.learn_page import Lesson, learn_page, read_values
from crawler.wrapper.project_store import Inputs
from crawler.wrapper.run_project import ProjectRun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crawler.core.errors import FetchError
    from crawler.core.page.page import Page

MAX_BYTES = 10_000_000
MORE = " (and 1 more like it); the address of the page is not known, see --url"


def offline(addresses: Sequence[str]) -> list[Page | FetchError]:
    """Stand for a network that must not be used."""
    raise AssertionError(addresses)


def inputs(*names: str | Path, url: str | None = None) -> Inputs:
    return Inputs(tuple(map(str, names)), offline, MAX_BYTES, url)


def page(name: str, phone: str, *books: tuple[str, str]) -> str:
    rows = "".join(
        f"<li class=book><a href='/b/{title}'>{title}</a> by <i>them</i>"
        + (f"<span class=price>{price}</span>" if price else "")
        for title, price in books
    )
    return (
        f"<title>{name} - Shop</title><h1>{name}</h1><p>Tel: <b>{phone}</b></p>"
        f"<ul class=list>{rows}</ul><ul><li><a href=/>Home</a><li><a href=/x>About</a></ul>"
    )


BOOKS = ("Tree", "Sea", "Sky")
ONE = page("Corner", "555-1", *zip(BOOKS, ("$3.50", "$4", "$5.25"), strict=True))
TWO = page("Harbour", "555-2", ("Rain", "$1.50"), ("Snow", ""))
FIELDS = (
    "name=Corner",
    "phone=555-1",
    "book/title=Tree",
    "book/price:number=$3.50",
    "book/link:url=/b/Tree",
)


def make_shop(folder: Path) -> Path:
    """Make a folder of pages, and a project taught on the first."""
    (folder / "one.html").write_text(ONE, "utf-8")
    (folder / "two.html").write_text(TWO, "utf-8")
    (folder / "gone.html").write_text("<div><img src=/a.png></div>", "utf-8")
    teach(folder, *FIELDS, url="https://shop.example/1")
    return folder


def teach(
    folder: Path,
    *fields: str,
    file: str = "one.html",
    url: str | None = None,
    **more: Sequence[str],
) -> list[str]:
    wrong = read_values(more.pop("wrong", ()), "--wrong")
    others = {name: tuple(paths) for name, paths in more.items()}
    lesson = Lesson(values=read_values(fields, "--field"), wrong=wrong, **others)  # type: ignore[arg-type] # all are paths
    return learn(folder, lesson, inputs(folder / file, url=url))


def learn(folder: Path, lesson: Lesson, pages: Inputs) -> list[str]:
    return [line for line, _ in learn_page(folder / "shop.h2x", lesson, pages)]


def wrapped(folder: Path, *names: str, **call: object) -> tuple[bool, str, list[str]]:
    written: list[str] = []
    told: list[str] = []
    run = ProjectRun(folder / "shop.h2x", written.append, told.append, **call)  # type: ignore[arg-type] # of many types
    well = run.run(inputs(*(folder / name for name in names)))
    return well, "".join(written), told
