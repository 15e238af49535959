from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import UnreadableInputError
from crawler.evaluation.gold import read_gold

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"site": "a.example", "html": "<p>Hello", "gold_text": "Hello"}


def line(**changes: object) -> bytes:
    return json.dumps({**ROW, **changes}).encode() + b"\n"


def complaint(path: Path) -> str:
    with pytest.raises(UnreadableInputError) as caught:
        list(read_gold([path]))
    message = str(caught.value)
    assert str(path) in message
    return message


def test_plain_and_gzip_files_are_one_set(tmp_path: Path) -> None:
    plain, zipped = tmp_path / "plain.jsonl", tmp_path / "no-suffix"
    plain.write_bytes(line(url="https://a.example/x"))
    zipped.write_bytes(gzip.compress(line(id="two words") + b"\n" + line(id=7) + line(url=None)))
    pages = list(read_gold([plain, zipped]))
    assert [gold.page.url for gold in pages] == [
        "https://a.example/x",
        "https://a.example/two%20words",
        "https://a.example/7",
        "https://a.example/4",
    ]
    assert {gold.page.site for gold in pages} == {"a.example"}
    assert pages[0].page.body == b"<p>Hello"
    assert pages[0].gold_text == "Hello"


def test_the_site_of_the_line_is_the_site_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(line(site="블로그", url="https://elsewhere.example/1"))
    assert [gold.page.site_name for gold in read_gold([path])] == ["블로그"]


def test_limit_counts_over_all_files(tmp_path: Path) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_bytes(line(id=1) + line(id=2))
    two.write_bytes(line(id=3) + b"not read")
    assert [gold.page.url[-1] for gold in read_gold([one, two], limit=3)] == ["1", "2", "3"]


def test_a_byte_order_mark_and_a_missing_last_newline_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line().strip())
    assert len(list(read_gold([path]))) == 1


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"{oops}\n", "not JSON"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b"\xff\xfe\n", "not JSON"),
        (b"[1]\n", "a list where an object"),
        (b'{"site": "a", "html": ""}\n', "no 'gold_text'"),
        (b'{"gold_text": ""}\n', "no 'html'"),
        (line(page_type=3), "'page_type' must be a string, not a number"),
        (line(html=None), "'html' must be a string, not null"),
        (line(gold_text=["x"]), "'gold_text' must be a string, not a list"),
        (line(site=3), "'site' must be a string, not a number"),
        (line(site=""), "'site' is empty"),
        (line(url=1), "'url' must be a string, not a number"),
        (line(id={}), "'id' must be a string, a number or null, not an object"),
        (line(id=True), "not a truth value"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, bad: bytes, says: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(line() + b"\n" + bad)
    message = complaint(path)
    assert "line 3" in message
    assert says in message


def test_lone_surrogates_are_no_reason_to_fail(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(line(html="a\ud800b", gold_text="\udfff", site="\ud800", id="\ud800"))
    assert len(list(read_gold([path]))) == 1


def test_truncated_gzip(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl.gz"
    whole = gzip.compress(b"".join(line(html=os.urandom(2000).hex()) for _ in range(20)))
    path.write_bytes(whole[: len(whole) // 2])
    assert "after line" in complaint(path)


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl.gz"
    whole = bytearray(gzip.compress(line() * 3))
    whole[-6] ^= 0xFF
    path.write_bytes(whole)
    assert "after line" in complaint(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "cannot be read" in complaint(tmp_path / "nowhere")
    assert "is not a file" in complaint(tmp_path)


def test_a_page_without_a_site_belongs_to_that_of_its_address(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    rows: list[dict[str, object]] = [
        {"url": "https://www.a.example/1"},
        {"id": "x"},
        {},
        {"url": None, "id": 4},
    ]
    common: dict[str, object] = {"html": "<p>Hello", "gold_text": "Hello", "page_type": "article"}
    path.write_text("".join(json.dumps(common | row) + "\n" for row in rows), encoding="utf-8")
    pages = list(read_gold([path]))
    assert [page.page.site_name for page in pages] == ["a.example", "page x", "page 3", "page 4"]
    assert {page.kind for page in pages} == {"article"}
