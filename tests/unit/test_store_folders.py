"""Folders of saved pages, lists of pages, and the one door to all of them."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import UnreadableInputError
from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter
from crawler.store.sources import read_source
from support.pace import within

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HTML = b"<!doctype html><p>hello</p>"


def fill(root: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def read(path: Path, **options: str | None) -> tuple[list[str], list[str]]:
    skipped: list[str] = []
    pages = read_source(
        path,
        base_url=options.get("base_url"),
        on_skip=lambda reason, _: skipped.append(reason),
        max_bytes=5000,
    )
    return [page.url for page in pages], skipped


def test_pages_are_found_by_name_and_by_look_in_a_stable_order(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            "b.html": HTML,
            "a.HTM": HTML,
            "d/e.xhtml": HTML,
            "c/f.shtml": HTML,
            "g.html.gz": gzip.compress(HTML),
            "index": b"\xef\xbb\xbf\n<?xml version='1.0'?><!-- x --><html></html>",
            "README": b"a text about <html>",
            "style.css": b"p {}",
            "index.php?id=3": HTML,
            "b.html~": HTML,
            "c.bak": HTML,
            "image.gz": gzip.compress(b"x"),
        },
    )
    assert read(tmp_path, base_url="https://a.example/x") == (
        [
            f"https://a.example/x/{name}"
            for name in (
                "a.HTM",
                "b.html",
                "g.html.gz",
                "index",
                "index.php%3Fid=3",
                "c/f.shtml",
                "d/e.xhtml",
            )
        ],
        [],
    )


def test_a_url_is_the_one_a_page_was_saved_from(tmp_path: Path) -> None:
    saved = b"<!-- saved from url=(0041)https://blog.example/post?a=1&amp;b=%ED%95%9C -->"
    fill(tmp_path, {"post.html": b"<!DOCTYPE html>\r\n" + saved + b"\r\n" + HTML})
    assert read(tmp_path, base_url="http://other.example")[0] == [
        "https://blog.example/post?a=1&b=%ED%95%9C"
    ]


def test_pages_without_an_address_are_of_the_site_named_like_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = fill(tmp_path / "pages", {"a.html": HTML, "d/b.html": HTML, "x.example/c.html": HTML})
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    found = {page.url: page.site_name for page in read_source("../pages")}
    assert found == {
        (pages / "a.html").as_uri(): "pages",
        (pages / "d/b.html").as_uri(): "pages",
        "http://x.example/c.html": "x.example",
    }


def test_a_mirror_names_its_hosts(tmp_path: Path) -> None:
    files = (
        "www.blog.example/글/a b.html",
        "localhost:8000/index.html",
        "not a host/x.html",
        "top.html",
    )
    fill(tmp_path, dict.fromkeys(files, HTML))
    urls, _ = read(tmp_path)
    assert urls == [
        (tmp_path / "top.html").as_uri(),
        "http://localhost:8000/index.html",
        (tmp_path / "not a host" / "x.html").as_uri(),
        "http://www.blog.example/%EA%B8%80/a%20b.html",
    ]


def test_a_query_in_a_file_name_stays_part_of_the_path(tmp_path: Path) -> None:
    fill(tmp_path, {"a.example/p?x=1#y.html": HTML})
    assert read(tmp_path)[0] == ["http://a.example/p%3Fx=1%23y.html"]


MHTML = b"""From: <Saved by a browser>
Snapshot-Content-Location: https://blog.example/
Subject: =?utf-8?Q?=EA=B8=80?=
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----x"

------x
Content-Type: text/html; charset=euc-kr
Content-Transfer-Encoding: quoted-printable
Content-Location: https://blog.example/post

<p>=B1=DB</p>
------x
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-Location: https://blog.example/a.png

AAAA
------x--
"""


def test_a_single_file_save_gives_its_page(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {"a.mhtml": MHTML.replace(b"\n", b"\r\n"), "b.mht": b"Content-Type: text/plain\n\nx"},
    )
    skipped: list[str] = []
    pages = list(read_source(tmp_path, on_skip=lambda reason, _: skipped.append(reason)))
    assert [(p.url, p.body.strip(), p.content_type) for p in pages] == [
        ("https://blog.example/post", b"<p>\xb1\xdb</p>", "text/html; charset=euc-kr")
    ]
    assert skipped == ["not-html"]


def test_comments_within_comments_in_a_head_of_a_save_take_no_time(tmp_path: Path) -> None:
    head = b"Content-Type: text/html; " + b"(:" * 20_000
    fill(tmp_path, {"a.mhtml": head + b"\nContent-Location: https://blog.example/\n a\n\n" + HTML})
    with within(1):
        pages = list(read_source(tmp_path, on_skip=lambda *_: None))
    assert [page.url for page in pages] == ["https://blog.example/a"]


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ("https://blog.example/글".encode(), "https://blog.example/글"),
        (b"=?utf-8?Q?https://blog.example/=EA=B8=80?=", "https://blog.example/글"),
        (b"https://blog.example/?q=a b", "https://blog.example/?q=a b"),
        (b"=?nothing?Q?x?=", "=?nothing?Q?x?="),
    ],
)
def test_the_address_in_a_head_of_a_save(tmp_path: Path, head: bytes, url: str) -> None:
    fill(
        tmp_path,
        {"a.mhtml": b"Content-Type: text/html\nContent-Location: " + head + b"\n\n" + HTML},
    )
    assert [page.url for page in read_source(tmp_path)] == [url]


def test_a_head_of_many_parameters_takes_no_time(tmp_path: Path) -> None:
    kinds = (b"text/html", b"multipart/related")
    heads = [b"Content-Type: " + kind + b'; x="' + b";" * 100_000 for kind in kinds]
    fill(tmp_path, {f"{number}.mhtml": head + b"\n\n" + HTML for number, head in enumerate(heads)})
    with within(1):
        assert len(list(read_source(tmp_path, on_skip=lambda *_: None))) == 1


def test_the_address_of_a_folder_has_a_scheme(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match=r"'blog\.example'"):
        next(read_source(tmp_path, base_url="blog.example"))


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            "a.html.gz": b"no gzip",
            "b.html.gz": gzip.compress(HTML)[:-6],
            "c.html": b"x" * 5001,
            "d.html.gz": gzip.compress(b"x" * 50_000),
            "e.html": HTML,
            "f.warc.gz": b"",
        },
    )
    urls, skipped = read(tmp_path)
    assert [url[-6:] for url in urls] == ["e.html"]
    assert skipped == ["undecodable", "undecodable", "too-large", "too-large", "archive"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_without_permission_is_counted(tmp_path: Path) -> None:
    fill(tmp_path, {"a.html": HTML, "b/c.html": HTML, "d.html": HTML})
    (tmp_path / "a.html").chmod(0)
    (tmp_path / "b").chmod(0)
    try:
        urls, skipped = read(tmp_path)
    finally:
        (tmp_path / "b").chmod(0o700)
    assert (len(urls), skipped) == (1, ["unreadable", "unreadable"])


def test_links_in_circles_end(tmp_path: Path) -> None:
    fill(tmp_path, {"a/b/c.html": HTML})
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.html").symlink_to(tmp_path / "self.html")
    (tmp_path / "gone.html").symlink_to(tmp_path / "nowhere.html")
    urls, skipped = read(tmp_path, base_url="http://a.example")
    assert urls == ["http://a.example/a/b/c.html"]
    assert skipped == ["unreadable", "unreadable"]


def test_a_pipe_among_the_pages_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    assert read(tmp_path) == ([], [])


def from_source(path: Path, *, max_bytes: int = 10 << 20) -> tuple[list[Page], list[str]]:
    skipped: list[str] = []
    pages = read_source(path, on_skip=lambda reason, _: skipped.append(reason), max_bytes=max_bytes)
    return list(pages), skipped


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_list_gives_a_page_a_line(tmp_path: Path, packed: str) -> None:
    rows = [
        {
            "url": "http://a.example/1",
            "html": "<p>글</p>",
            "site": "a",
            "fetched_at": "2024",
            "n": [1],
        },
        {"url": "http://a.example/2", "html": ""},
    ]
    text = "\n\n".join(json.dumps(row) for row in rows).encode()
    path = tmp_path / f"pages.jsonl{packed}"
    path.write_bytes(gzip.compress(text) if packed else text)
    assert from_source(path) == (
        [
            Page.from_text(
                "http://a.example/1", "<p>글</p>", site="a", fetched_at="2024", fields={"n": [1]}
            ),
            Page.from_text("http://a.example/2", ""),
        ],
        [],
    )


def test_lines_that_are_no_page_are_counted(tmp_path: Path) -> None:
    good = b'{"url": "http://a.example/", "html": "x"}\n'
    lines = [
        b"{\n",
        b"[]\n",
        b'{"url": 1, "html": "x"}\n',
        b'{"url": "u"}\n',
        b"\xff\n",
        b"[" * 99999 + b"\n",
    ]
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"".join(lines) + good)
    pages, skipped = from_source(path)
    assert len(pages) == 1
    assert skipped == ["malformed"] * 6
    path.write_bytes(
        b'{"url": "u", "html": "%b"}\n' % (b"x" * 200) + b"x" * (3 << 20) + b"\n" + good
    )
    pages, skipped = from_source(path, max_bytes=100)
    assert len(pages) == 1
    assert skipped == ["too-large", "too-large"]


def test_a_list_that_breaks_off_is_counted(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"url": "http://a.example/", "html": "x"}\n')
    for content, reason in ((packed[:-4], "truncated"), (packed + b"junk", "corrupt")):
        path = tmp_path / "pages.jsonl.gz"
        path.write_bytes(content)
        pages, skipped = from_source(path)
        assert skipped == [reason]
        assert len(pages) == 1


def test_every_kind_of_source_has_one_door(tmp_path: Path) -> None:
    with WarcWriter(tmp_path / "a.warc.gz", date="2024-05-01") as writer:
        writer.write(Page("http://a.example/", HTML))
    folder = fill(tmp_path / "saved", {"a.html": HTML})
    for path in (tmp_path / "a.warc.gz", folder, folder / "a.html"):
        pages, skipped = from_source(path)
        assert ([page.body for page in pages], skipped) == ([HTML], [])


def test_other_paths_are_errors_that_say_what_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    with pytest.raises(UnreadableInputError, match=r"\.warc\.gz.*\.jsonl"):
        from_source(tmp_path / "a.pdf")
    with pytest.raises(UnreadableInputError, match="does not exist"):
        from_source(tmp_path / "none.warc")


def test_pictures_are_not_opened(tmp_path: Path) -> None:
    fill(tmp_path, {"a.html": HTML})
    (tmp_path / "a.png").symlink_to(tmp_path / "nowhere")
    pages, skipped = from_source(tmp_path)
    assert (len(pages), skipped) == (1, [])


def test_a_pipe_is_no_page(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableInputError, match="of no kind"):
        from_source(tmp_path / "pipe")


def test_a_page_of_any_name_is_read(tmp_path: Path) -> None:
    fill(tmp_path, {"page": HTML, "page.txt": HTML})
    for name in ("page", "page.txt"):
        pages, skipped = from_source(tmp_path / name)
        assert ([page.body for page in pages], skipped) == ([HTML], [])
