"""The folders that sites are crawled in: the storage's own, or copies that are kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.harvest.locks import Claim
from crawler.harvest.remote import RemoteStorage
from crawler.harvest.storage import FolderStorage, Storage, site_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = Claim("run", patience=0)
numbers = count()


@pytest.fixture(params=["file", "s3"])
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty storage whose sites are worked on in copies."""
    if request.param == "s3":
        return RemoteStorage(f"{request.getfixturevalue('store')}/copied-{next(numbers)}", lease=4)
    return Storage.of((tmp_path / "copied").as_uri())


def fill(folder: Path, run: int) -> None:
    """Leave what a crawl leaves."""
    for name, text in {
        f"articles/blog/{run}-1.jsonl": f"articles of {run}",
        f"articles/blog/{run}-2.jsonl.aside": "cut short",
        f"counts/blog/{run}.npz": f"counts of {run}",
        f"logs/{run}.log": "a log",
        "ledger/blog.sqlite.lock": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    note(folder, run)


def note(folder: Path, run: int) -> None:
    (folder / "ledger").mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / "ledger" / "blog.sqlite")) as ledger, ledger:
        ledger.execute("CREATE TABLE IF NOT EXISTS runs (run)")
        ledger.execute("INSERT INTO runs VALUES (?)", (run,))


def noted(folder: Path) -> list[int]:
    with closing(sqlite3.connect(folder / "ledger" / "blog.sqlite")) as ledger:
        return [run for (run,) in ledger.execute("SELECT run FROM runs")]


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_crawls_work_in_a_local_folder_itself(tmp_path: Path) -> None:
    storage = Storage.of(str(tmp_path))

    with storage.workspace("Blog 1", NOW) as folder:
        assert folder == tmp_path / "sites" / "%42log%201"
        fill(folder, 1)
        assert storage.holder("Blog 1")["owner"] == "run"

    assert storage.holder("Blog 1") == {}
    assert noted(folder) == [1]


def test_what_a_crawl_leaves_is_there_for_the_next(copied: Storage) -> None:
    for run in (1, 2, 3):
        with copied.workspace("blog", NOW) as folder:
            if run > 1:
                assert noted(folder) == list(range(1, run))
                assert files(folder) == [
                    *(f"counts/blog/{old}.npz" for old in range(1, run)),
                    "ledger/blog.sqlite",
                ]
            fill(folder, run)
        assert not folder.exists()

    top = site_folder("blog")
    parts = [name for name in copied.list(top) if name.startswith(f"{top}/articles")]
    assert parts == [f"{top}/articles/blog/{run}-1.jsonl" for run in (1, 2, 3)]
    assert copied.read(parts[1]) == b"articles of 2"
    kept = [name for name in copied.list(f"{top}/state") if name.endswith("blog.sqlite")]
    assert len(kept) == 1


def test_what_has_not_changed_is_not_sent_again(copied: Storage) -> None:
    with copied.workspace("blog", NOW) as folder:
        fill(folder, 1)
    before = set(copied.list("sites/blog/state"))
    with copied.workspace("blog", NOW) as folder:
        note(folder, 2)
    after = set(copied.list("sites/blog/state"))

    assert {name.rpartition("/")[2] for name in before & after} == {"1.npz"}
    assert {name.rpartition("/")[2] for name in after - before} == {"blog.sqlite"}


def test_what_an_error_ends_is_kept_all_the_same(copied: Storage) -> None:
    def fail() -> None:
        with copied.workspace("blog", NOW) as folder:
            fill(folder, 1)
            raise ValueError("the crawl broke")

    with pytest.raises(ValueError, match="the crawl broke"):
        fail()

    with copied.workspace("blog", NOW) as folder:
        assert noted(folder) == [1]


def test_a_ledger_that_was_cut_short_is_kept_whole(copied: Storage) -> None:
    with copied.workspace("blog", NOW) as folder:
        (folder / "ledger").mkdir()
        path = folder / "ledger" / "blog.sqlite"
        ledger = sqlite3.connect(path, isolation_level=None)
        ledger.execute("PRAGMA journal_mode = WAL")
        ledger.execute("CREATE TABLE runs (run)")
        ledger.execute("INSERT INTO runs VALUES (7)")
        # Not closed: as a process that is killed leaves it.
        assert path.with_name("blog.sqlite-wal").stat().st_size

    ledger.close()
    with copied.workspace("blog", NOW) as folder:
        assert noted(folder) == [7]


class KilledError(BaseException):
    """What stands for SIGKILL: nothing is done after it."""


@pytest.mark.parametrize("calls", range(12))
def test_a_kill_while_files_are_sent_costs_work_and_no_article(
    calls: int, copied: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with copied.workspace("blog", NOW) as folder:
        fill(folder, 1)

    with monkeypatch.context() as patch:
        left = iter(range(calls))

        def dying(method: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object) -> object:
                if next(left, None) is None:
                    raise KilledError
                return method(*arguments)

            return call

        for name in ("write", "send", "delete", "list"):
            patch.setattr(copied, name, dying(getattr(copied, name)))
        try:
            with copied.workspace("blog", Claim("killed")) as folder:
                fill(folder, 2)
        except KilledError:
            pass
    if not isinstance(copied, FolderStorage):
        copied.write("locks/blog/000000000999.json", b"{}")

    with copied.workspace("blog", NOW) as folder:
        runs = noted(folder)
        assert runs in ([1], [1, 2])
        parts = copied.list("sites/blog/articles")
        # Each article is in a part if the ledger says so, and in no part if it does not.
        assert parts == [f"sites/blog/articles/blog/{run}-1.jsonl" for run in runs]
        fill(folder, 2)
    states = {name.rpartition("/")[2] for name in copied.list("sites/blog/state")}
    assert states == {"1.npz", "2.npz", "blog.sqlite"}
    assert not copied.exists("sites/blog/sending.json")


def test_who_has_lost_the_lock_leaves_the_state_as_it_was(store: str) -> None:
    storage = RemoteStorage(f"{store}/lost-{next(numbers)}", lease=20)
    with storage.workspace("blog", NOW) as folder:
        fill(folder, 1)

    def lose() -> None:
        with storage.workspace("blog", NOW) as folder:
            fill(folder, 2)
            storage.write("locks/blog/000000000999.json", b"{}")

    with pytest.raises(StoreError, match="locked by another by now"):
        lose()
    assert storage.list("sites/blog/articles") == ["sites/blog/articles/blog/1-1.jsonl"]

    with storage.workspace("blog", NOW) as folder:
        assert noted(folder) == [1]
    assert storage.list("sites/blog/articles") == ["sites/blog/articles/blog/1-1.jsonl"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "damaged"),
        (b'{"version": 99}', "later version"),
        (b'{"version": 1, "files": {"../../x": "sites/blog/y"}}', "names '../../x'"),
    ],
)
def test_a_list_that_cannot_be_used_is_told(content: bytes, told: str, tmp_path: Path) -> None:
    storage = Storage.of(tmp_path.as_uri())
    storage.write("sites/blog/state.json", content)

    with pytest.raises(StoreError, match=told), storage.workspace("blog", NOW):
        pass

    assert storage.read("sites/blog/state.json") == content
