"""Feeds in files: what was there stays until the new feed is whole."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions import feedexport
from scrapy.spiders import Spider

from crawler.exporters.feed_files import FileFeedStorage
from crawler.exporters.feeds import unwritable

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full here")


def write(path: Path, text: str, *, overwrite: bool = True) -> FileFeedStorage:
    storage = FileFeedStorage(str(path), feed_options={"overwrite": overwrite})
    file = storage.open(Spider("any"))
    exporter = JsonLinesItemExporter(file)  # type: ignore[arg-type] # Scrapy's own type is too narrow
    for _ in range(3):
        exporter.export_item({"text": text})
        file.flush()
    exporter.finish_exporting()
    storage.store(file)
    return storage


def test_a_feed_replaces_an_earlier_file_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "out.jsonl"
    write(path, "one")
    storage = FileFeedStorage(str(path), feed_options={"overwrite": True})
    file = storage.open(Spider("any"))
    file.write(b"two\n")
    file.flush()
    assert path.read_text() == '{"text": "one"}\n' * 3
    storage.store(file)
    assert path.read_text() == "two\n"
    write(path, "three", overwrite=False)
    assert path.read_text() == "two\n" + '{"text": "three"}\n' * 3
    assert list(path.parent.iterdir()) == [path]


@needs_full
def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write(path, "one")
    (tmp_path / "out.jsonl.aside").symlink_to(FULL)
    with pytest.raises(OSError, match="No space"):
        write(path, "two")
    assert path.read_text() == '{"text": "one"}\n' * 3
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_opened_fails_when_it_is_stored(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="exists"):
        write(tmp_path / "file" / "out.jsonl", "one")


def test_the_log_has_an_error_of_the_system_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    FileFeedStorage(str(tmp_path / "out"))
    logger = logging.getLogger(feedexport.__name__)
    for error in (OSError(28, "No space left"), ValueError("a slip")):
        try:
            raise error
        except (OSError, ValueError):
            logger.exception("Error storing %s", "a feed")
    full, other = caplog.records
    assert full.exc_info is None
    assert full.getMessage().startswith("Error storing a feed: No space left.")
    assert other.exc_info is not None


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no such file system here")
def test_a_folder_in_which_no_file_can_be_made_is_refused(tmp_path: Path) -> None:
    assert unwritable(Path("/proc/none/out.jsonl")) is not None
    assert unwritable(tmp_path / "none" / "out.jsonl") is None
    assert list(tmp_path.iterdir()) == []
