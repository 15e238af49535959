"""Laws of the page store: what is written comes back, whatever it is and wherever it is cut."""

from __future__ import annotations

import gzip
import io
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter, read_pages, record_bytes
from crawler.store.payload import PayloadError, undo_encodings
from crawler.store.spool import Spool
from crawler.store.warc import read_records

STARTED = "2024-05-01T10:00:00Z"

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
any_text = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates too
pages = st.builds(
    Page,
    url=any_text | st.just("https://blog.example/a?b=%20c#d") | st.just("<http://a.example/>"),
    body=st.binary(max_size=400) | st.just(b"\r\n\r\nWARC/1.1\r\n\r\n"),
    content_type=any_text | st.just("text/html; charset=euc-kr"),
    encoding=st.none() | any_text,
    fetched_at=any_text | st.datetimes().map(lambda time: time.isoformat() + "+00:00"),
    site=any_text,
    robots_tags=st.lists(any_text | st.just("noindex, nofollow"), max_size=3).map(tuple),
    tdm_reservation=any_text | st.just("1"),
    fields=st.dictionaries(any_text, json_values, max_size=3),
)


def never(reason: str, detail: str) -> None:
    pytest.fail(f"left out: {reason}: {detail}")


@given(st.lists(pages, max_size=4))
def test_a_page_comes_back_exactly(written: list[Page]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.warc.gz"
        with WarcWriter(path, date=STARTED) as writer:
            for page in written:
                writer.write(page)
        assert list(read_pages([path], on_skip=never)) == written


@given(st.lists(pages, max_size=4))
def test_a_spool_gives_its_pages_while_it_is_filled_and_later(written: list[Page]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool.create(folder, "crawl", started=STARTED)
        for number, page in enumerate(written):
            assert len(spool) == number
            spool.append(page)
        assert list(spool.pages()) == written
        spool.close()
        again = Spool.open(spool.path)
        assert list(again.pages()) == written
        assert len(again) == len(written)
        again.close()


@given(data=st.data(), bodies=st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=4))
def test_a_cut_file_gives_every_whole_record_and_says_that_it_was_cut(
    data: st.DataObject, bodies: list[bytes]
) -> None:
    records = [record_bytes(Page("http://a.example/", body), date=STARTED) for body in bodies]
    packed = data.draw(st.booleans())
    stored = [gzip.compress(record) for record in records] if packed else records
    whole = data.draw(st.integers(0, len(stored) - 1))
    cut = data.draw(st.integers(1, len(stored[whole]) - 1))
    damage: list[str] = []
    found = read_records(
        io.BytesIO(b"".join(stored[:whole]) + stored[whole][:cut]),
        name="cut",
        max_block=None,
        on_damage=lambda reason, _: damage.append(reason),
    )
    blocks = [record.block for record in found]
    # A cut may fall after the last byte that matters; then one more record is whole.
    assert blocks in (bodies[:whole], bodies[: whole + 1])
    if len(blocks) == whole:
        assert damage == ["truncated"]


def is_seen_within(member: bytes) -> bool:
    """Say whether unpacking fails within a member.

    It does not where a bit has changed that nobody reads, or the mark of the end, so that what
    follows is unpacked as if it belonged to it.
    """
    try:
        zlib.decompressobj(wbits=31).decompress(member)
    except zlib.error:
        return True
    return False


@given(st.lists(st.binary(min_size=30, max_size=300), min_size=3, max_size=5), st.data())
def test_damage_seen_in_one_member_costs_no_other_record(
    bodies: list[bytes], data: st.DataObject
) -> None:
    members = [
        gzip.compress(record_bytes(Page("http://a.example/", body), date=STARTED))
        for body in bodies
    ]
    hurt = data.draw(st.integers(0, len(members) - 2))
    at = data.draw(st.integers(10, len(members[hurt]) - 9))
    member = bytearray(members[hurt])
    member[at] ^= data.draw(st.integers(1, 255))
    members[hurt] = bytes(member)
    assume(is_seen_within(members[hurt]))
    damage: list[str] = []
    found = read_records(
        io.BytesIO(b"".join(members)),
        name="hurt",
        max_block=None,
        on_damage=lambda reason, _: damage.append(reason),
    )
    assert [record.block for record in found] == bodies[:hurt] + bodies[hurt + 1 :]
    assert damage
    assert set(damage) == {"corrupt"}


@given(st.binary(max_size=600))
def test_no_bytes_make_the_record_reader_crash(junk: bytes) -> None:
    damage: list[str] = []
    found = list(
        read_records(
            io.BytesIO(b"WARC/1.0\r\n" + junk),
            name="junk",
            max_block=100,
            on_damage=lambda reason, _: damage.append(reason),
        )
    )
    assert found or damage


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "gzip", "deflate", "br", "zstd", "gzip, br", "x-gzip", "made-up"]),
    st.sampled_from(["", "chunked"]),
)
def test_no_payload_makes_the_decoder_crash(payload: bytes, content: str, transfer: str) -> None:

    headers = {"content-encoding": content, "transfer-encoding": transfer}
    try:
        body = undo_encodings(payload, headers, max_bytes=1000)
    except PayloadError as error:
        reason = error.reason
    else:
        reason = ""
        assert len(body) <= 1000
    assert reason in {"", "undecodable", "too-large"}
