"""Storage of harvests: the same on a folder, on the URL of one, and on an object store."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from itertools import count
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.harvest import locks
from crawler.harvest.locks import BusyError, Claim, ObjectLock
from crawler.harvest.remote import RemoteStorage
from crawler.harvest.storage import FolderStorage, MissingError, Storage
from support.jobs import no_threads

if TYPE_CHECKING:
    from pathlib import Path

NOW = Claim("run", patience=0)
numbers = count()


@pytest.fixture(params=["folder", "file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty storage."""
    if request.param == "s3":
        return f"{request.getfixturevalue('store')}/empty-{next(numbers)}"
    folder = tmp_path / "a folder"
    return str(folder) if request.param == "folder" else folder.as_uri()


def test_objects_are_written_read_listed_and_deleted(url: str) -> None:
    storage = Storage.of(url)
    assert storage.list() == []
    assert not storage.exists("history/a/1.json")

    storage.write("history/a/1.json", b"one")
    storage.write("history/a/2 %41é.json", b"two")
    storage.write("history/b.json", b"")
    storage.write("history/a/1.json", b"another")

    assert storage.read("history/a/1.json") == b"another"
    assert storage.read("history/b.json") == b""
    assert storage.list("history/a") == ["history/a/1.json", "history/a/2 %41é.json"]
    assert storage.list("history/a/") == storage.list("history/a")
    assert storage.list() == [*storage.list("history/a"), "history/b.json"]
    assert storage.exists("history/b.json")
    assert not storage.exists("history")
    storage.delete("history/b.json")
    storage.delete("history/b.json")
    assert not storage.exists("history/b.json")


def test_another_look_sees_what_was_written_meanwhile(url: str) -> None:
    one, other = Storage.of(url), Storage.of(url)
    assert other.list("a") == []

    one.write("a/b", b"1")
    assert (other.list("a"), other.read("a/b")) == (["a/b"], b"1")

    one.write("a/b", b"22")
    one.write("a/c", b"3")
    assert (other.list("a"), other.read("a/b")) == (["a/b", "a/c"], b"22")


def test_an_object_that_is_not_there_is_told(url: str) -> None:
    storage = Storage.of(url)

    with pytest.raises(MissingError, match=r"history/a\.json is not in") as caught:
        storage.read("history/a.json")

    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("name", ["", "/a", "a//b", "../a", "a/..", "./a", "a\\b", "a\0"])
def test_names_that_lead_out_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no name of an object"):
        Storage.of(str(tmp_path)).write(name, b"")


@pytest.mark.parametrize("url", ["nonsense://a/b", "s4://bucket"])
def test_a_url_of_no_kind_that_is_known_is_told(url: str) -> None:
    with pytest.raises(StoreError, match="names no storage"):
        Storage.of(url)


def test_a_bucket_that_is_not_there_is_told(store: str) -> None:
    del store
    with pytest.raises(StoreError, match="missing-bucket"):
        Storage.of("s3://missing-bucket/a").write("b", b"")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="Check the folder"):
        Storage.of(str(tmp_path / "file")).write("a/b", b"")


def test_nothing_is_left_of_an_object_that_could_not_be_written(tmp_path: Path) -> None:
    storage = FolderStorage(str(tmp_path), tmp_path, copies=False)
    (tmp_path / "a").mkdir()

    with pytest.raises(StoreError):
        storage.write("a", b"a folder is in its place")

    assert [path.name for path in tmp_path.iterdir()] == ["a"]


# Locks


def test_a_site_is_locked_by_one_run_at_a_time(url: str) -> None:
    one, other = Storage.of(url), Storage.of(url)
    assert one.holder("blog") == {}

    with one.lock("blog", Claim("first")):
        assert other.holder("blog")["owner"] == "first"
        with pytest.raises(BusyError, match=r"blog is in use by the run first on .*, process"):
            other.lock("blog", Claim("second")).__enter__()
        with other.lock("another", Claim("second")):
            pass

    assert other.holder("blog") == {}
    with other.lock("blog", Claim("second")) as lock:
        lock.check()


def test_who_looks_keeps_nobody_from_a_lock(tmp_path: Path) -> None:
    storage = Storage.of(str(tmp_path))
    is_over = threading.Event()

    def look() -> None:
        while not is_over.is_set():
            storage.holder("blog")

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(100):
            with storage.lock("blog", Claim(str(number), patience=0)):
                assert storage.holder("blog")["owner"] == str(number)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_who_is_stopped_while_he_looks_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(locks, "_LONGEST_GLANCE_SECONDS", 0.1)
    lock = Storage.of(str(tmp_path)).lock("blog", NOW)
    with lock:
        pass
    with (tmp_path / "locks" / "blog.lock").open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        with pytest.raises(BusyError, match="in use by the run unknown"):
            lock.__enter__()
    with lock:
        pass


def test_an_attempt_waits_for_one_of_the_same_run(url: str) -> None:
    storage = Storage.of(url)
    order = []

    def first() -> None:
        with storage.lock("blog", Claim("run")):
            is_held.set()
            time.sleep(0.3)
            order.append("first")

    is_held = threading.Event()
    thread = threading.Thread(target=first)
    thread.start()
    assert is_held.wait(60)
    with storage.lock("blog", Claim("run", patience=20)):
        order.append("second")
    thread.join()

    assert order == ["first", "second"]


@pytest.fixture
def objects(store: str) -> RemoteStorage:
    return RemoteStorage(f"{store}/locks-{next(numbers)}")


def test_a_lock_whose_holder_is_gone_expires(objects: RemoteStorage) -> None:
    gone = ObjectLock(objects, "locks/blog", Claim("gone"))
    gone._take(1)

    with pytest.raises(BusyError):
        ObjectLock(objects, "locks/blog", Claim("other")).__enter__()
    objects.write("locks/blog/000000000001.json", gone._record(time.time() - 16))
    with ObjectLock(objects, "locks/blog", Claim("other")) as lock:
        lock.check()
        assert objects.list("locks/blog") == ["locks/blog/000000000002.json"]
        with pytest.raises(StoreError, match="locked by another by now"):
            gone.check()


def test_a_lock_is_renewed_while_it_is_held(objects: RemoteStorage) -> None:
    def until() -> float:
        held_until: float = json.loads(objects.read("locks/blog/000000000001.json"))["until"]
        return held_until

    with ObjectLock(objects, "locks/blog", Claim("one"), lease=4):
        first, end = until(), time.monotonic() + 60
        while until() == first:
            assert time.monotonic() < end, "it was not renewed within a minute"
            time.sleep(0.05)
        assert until() > first + 0.5


class Objects:
    """A store in memory, which may do other than what it is asked to."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.writes = 0
        self.cancels = 0

    def read(self, name: str) -> bytes:
        if self.cancels:
            self.cancels -= 1
            raise asyncio.CancelledError
        return self.kept[name]

    def write(self, name: str, data: bytes) -> None:
        self.writes += 1
        self.kept[name] = data

    def create(self, name: str, data: bytes) -> bool:
        self.kept.setdefault(name, data)
        return True

    def list(self, folder: str) -> list[str]:
        return sorted(name for name in self.kept if name.startswith(f"{folder}/"))

    def delete(self, name: str) -> None:
        self.kept.pop(name, None)


def test_a_lock_that_was_made_and_not_said_so_is_held() -> None:
    class Deaf(Objects):
        def create(self, name: str, data: bytes) -> bool:
            # The library has asked again, since the first answer was lost.
            super().create(name, data)
            return False

    lock = ObjectLock(Deaf(), "locks/blog", NOW, lease=0.2)
    with lock:
        assert lock.holder()["owner"] == "run"
        lock.check()


def test_a_lock_that_the_store_shows_to_nobody_is_given_up() -> None:
    class Blind(Objects):
        def list(self, folder: str) -> list[str]:
            return super().list(f"hidden/{folder}")

    with pytest.raises(BusyError):
        ObjectLock(Blind(), "locks/blog", NOW, lease=0.1).__enter__()


def test_a_lock_that_nothing_can_renew_is_let_go() -> None:
    lock = ObjectLock(Objects(), "locks/blog", NOW)
    with no_threads(), pytest.raises(StoreError, match="cannot be kept locked"):
        lock.__enter__()
    assert lock.holder() == {}


def test_a_request_that_was_cancelled_does_not_end_the_renewing_of_a_lock() -> None:
    objects = Objects()
    with ObjectLock(objects, "locks/blog", NOW, lease=0.4) as lock:
        objects.cancels = 1
        until = time.monotonic() + 20
        while not objects.writes:
            assert time.monotonic() < until
            time.sleep(0.02)
        lock.check()


def test_a_holder_is_told_that_its_lock_was_taken(objects: RemoteStorage) -> None:
    is_lost = threading.Event()
    claim = Claim("slow", on_lost=is_lost.set)
    with ObjectLock(objects, "locks/blog", claim, lease=0.8) as slow:
        objects.write("locks/blog/000000000002.json", b'{"until": 0, "token": "of another"}')
        assert is_lost.wait(20)
        with pytest.raises(StoreError, match="locked by another by now"):
            slow.check()

    # It does not touch what is another's.
    assert json.loads(objects.read("locks/blog/000000000002.json"))["token"] == "of another"


def test_one_of_many_gets_a_lock(objects: RemoteStorage) -> None:
    got = []
    start = threading.Barrier(6)

    def take(name: str) -> None:
        lock = ObjectLock(objects, "locks/blog", Claim(name, patience=0), lease=20)
        start.wait(60)
        try:
            lock.__enter__()
        except BusyError:
            return
        got.append(lock)

    threads = [threading.Thread(target=take, args=(str(number),)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 1
    got[0].check()
    got[0].__exit__()
