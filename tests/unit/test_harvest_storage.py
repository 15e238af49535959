"""Where a harvest lies: folders, copies of them, and an object store on loopback."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError, StoreError
from crawler.harvest.history import History, Run
from crawler.harvest.storage import Storage
from support.harvests import MONDAY
from support.objectstore import object_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["file", pytest.param("s3", marks=pytest.mark.cluster)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the URL of a store whose crawls work on copies."""
    if request.param == "file":
        yield f"file://{tmp_path}/store"
        return
    with object_store() as store:
        # All stores of one process share their content.
        yield f"{store}/{request.node.name}"


def leave(folder: Path, part: str, ledger: str) -> None:
    """Leave in a site's folder what a crawl leaves."""
    for name, text in {
        f"articles/blog.example/{part}.jsonl": part,
        f"articles/blog.example/{part}-2.jsonl.part": "not whole",
        "ledger/blog.example.sqlite": ledger,
        "ledger/blog.example.sqlite.lock": "",
        "spool/held/pages": "held",
        f"logs/{part}.log": "log",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "parts.json"
    }


def stored(storage: Storage) -> list[str]:
    found = storage._fs.find(storage._root)
    return sorted(str(path).removeprefix(f"{storage._root}/") for path in found)


STATE = {"ledger/blog.example.sqlite": "first", "spool/held/pages": "held"}
FIRST = [
    "sites/blog/articles/blog.example/one.jsonl",
    "sites/blog/logs/one.log",
    "sites/blog/state.tar",
]


def test_the_state_of_a_site_comes_back_and_its_outputs_stay(url: str) -> None:
    storage = Storage(url)
    with storage.workspace("blog") as folder:
        assert files(folder) == {}
        leave(folder, "one", "first")
    with storage.workspace("blog") as copy:
        assert files(copy) == STATE
        leave(copy, "two", "second")
    with storage.workspace("blog") as copy:
        assert files(copy)["ledger/blog.example.sqlite"] == "second"
    assert stored(storage) == [
        "sites/blog/articles/blog.example/one.jsonl",
        "sites/blog/articles/blog.example/two.jsonl",
        "sites/blog/logs/one.log", "sites/blog/logs/two.log", "sites/blog/state.tar",
    ]  # fmt: skip


def test_parts_whose_state_was_never_sent_are_removed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(url)
    with storage.workspace("blog") as folder:
        leave(folder, "one", "first")
    send = Storage._send

    def killed(self: Storage, file: Path, name: str) -> None:
        if name.endswith("state.tar"):
            raise KeyboardInterrupt
        send(self, file, name)

    monkeypatch.setattr(Storage, "_send", killed)
    with suppress(KeyboardInterrupt), storage.workspace("blog") as folder:
        leave(folder, "two", "second")
    monkeypatch.setattr(Storage, "_send", send)
    assert any("two.jsonl" in name for name in stored(storage))
    with storage.workspace("blog") as folder:
        assert files(folder) == STATE
    assert not any("two.jsonl" in name for name in stored(storage))
    assert set(FIRST) <= set(stored(storage))


def test_articles_without_a_state_are_kept(url: str, tmp_path: Path) -> None:
    storage = Storage(url)
    (tmp_path / "part").write_text("of an earlier version")
    storage._send(tmp_path / "part", "sites/blog/articles/blog.example/old.jsonl")
    for part in ("one", "two"):
        with storage.workspace("blog") as folder:
            leave(folder, part, part)
    parts = [name.rpartition("/")[2] for name in stored(storage) if "/articles/" in name]
    assert parts == ["old.jsonl", "one.jsonl", "two.jsonl"]


def test_what_a_crawl_left_is_kept_though_an_error_ended_it(url: str) -> None:
    storage = Storage(url)
    with suppress(OSError), storage.workspace("blog") as folder:
        leave(folder, "one", "first")
        raise OSError("broken")
    assert stored(storage) == FIRST


def test_the_history_is_sent_when_it_has_changed(url: str) -> None:
    storage = Storage(url)
    with storage.history() as (path, changed):
        history = History(path, changed)
        history.write(Run("blog", MONDAY))
        history.write(Run("news", MONDAY))
    with storage.history() as (path, _):
        assert [len(History(path).runs(site)) for site in ("blog", "news")] == [1, 1]


def test_a_history_whose_sending_failed_is_sent_at_the_end(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, send = Storage(url), Storage._send

    def fail(self: Storage, file: Path, name: str) -> None:
        raise StoreError(f"{file} to {name} of {self.url}")

    with storage.history() as (path, changed):
        monkeypatch.setattr(Storage, "_send", fail)
        with pytest.raises(StoreError):
            History(path, changed).write(Run("blog", MONDAY))
        monkeypatch.setattr(Storage, "_send", send)
    with storage.history() as (path, _):
        assert len(History(path).runs("blog")) == 1


def test_a_state_that_is_damaged_is_no_new_beginning(url: str, tmp_path: Path) -> None:
    storage = Storage(url)
    (tmp_path / "wrong").write_text("no archive")
    storage._send(tmp_path / "wrong", "sites/blog/state.tar")
    with pytest.raises(StoreError, match=r"sites/blog/state\.tar"), storage.workspace("blog"):
        pass


def test_crawls_work_in_a_folder_itself(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "out"))
    with storage.workspace("Blog") as folder:
        assert folder == tmp_path / "out" / "sites" / "%42log"
        leave(folder, "one", "first")
    assert "ledger/blog.example.sqlite" in files(folder)
    with storage.history() as (path, _):
        assert path == tmp_path / "out" / "history.sqlite"


def test_a_site_is_locked_against_other_harvests(tmp_path: Path) -> None:
    one, two = Storage(str(tmp_path)), Storage(f"file://{tmp_path}")
    release = one.lock("blog")
    assert release is not None
    assert two.lock("blog") is None
    assert two.lock("news") is not None
    release()
    assert two.lock("blog") is not None


@pytest.mark.parametrize(
    ("url", "kind"),
    [("memory://x", StoreError), ("nope://x/y", StoreError), ("gs://bucket/x", ArgumentError)],
)
def test_what_is_no_storage_is_refused(url: str, kind: type[Exception]) -> None:
    if kind is ArgumentError:
        pytest.importorskip("fsspec")
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(__import__("sys").modules, "gcsfs", None)
            with pytest.raises(kind):
                Storage(url)
        return
    with pytest.raises(kind):
        Storage(url)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where a folder belongs")
    storage = Storage(str(tmp_path / "file" / "out"))
    with pytest.raises(StoreError), storage.workspace("blog"):
        pass
    with pytest.raises(StoreError):
        storage.lock("blog")


@pytest.mark.cluster
def test_a_store_that_cannot_be_reached_is_said() -> None:
    with object_store() as url, pytest.raises(StoreError), Storage(f"{url}-gone").workspace("a"):
        pass
