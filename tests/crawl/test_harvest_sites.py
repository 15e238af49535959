"""Crawls of harvests: the same corpus by all engines, in all kinds of storage, after kills."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import serve
from crawler.harvest.cluster import DaskEngine
from crawler.harvest.engine import Call, Engine, ThreadEngine
from crawler.harvest.plan import SitePlan
from crawler.harvest.site_job import crawl_command, crawl_site, scrapy_command
from crawler.harvest.storage import Storage
from support.crawling import ROOT, Site, article, html, small_site
from support.objectstore import object_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

pytestmark = pytest.mark.slow

SETTINGS: dict[str, Any] = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "CORPUS_PAGE_TYPES": "all",
}


@pytest.fixture(autouse=True, scope="module")
def project_is_found() -> Iterator[None]:
    """Have the processes of crawls find this project, which need not be installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield


def plan(url: str, name: str = "site", **keys: Any) -> SitePlan:  # noqa: ANN401 - fields of a plan
    settings = {**SETTINGS, **keys.pop("settings", {})}
    return SitePlan(name, (url,), settings=settings, **keys)


def crawl(site: SitePlan, output: object, run: str) -> dict[str, Any]:
    return crawl_site(site, str(output), run)


def harvest(engine: Engine, plans: list[SitePlan], output: str) -> dict[str, Any]:
    """Crawl sites; return what came of each."""
    with engine:
        return {
            done.name: done.value or done.failure
            for done in engine.run(
                Call(one.id, partial(crawl_site, output=output, run="run"), one) for one in plans
            )
        }


def items(folder: Path) -> list[dict[str, Any]]:
    """Return all that was exported, in order; without the time, as crawls are not made at once."""
    lines = [line for path in folder.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    found = [json.loads(line) | {"fetched_at": ""} for line in lines]
    return sorted(found, key=json.dumps)


@pytest.fixture(scope="module")
def plans() -> Iterator[list[SitePlan]]:
    """Small sites, of 3 to 6 pages each."""
    with ExitStack() as stack:
        yield [
            plan(f"{stack.enter_context(serve(small_site(2 + n)))}/", f"site-{n}") for n in range(4)
        ]


@pytest.fixture(scope="module")
def harvested(
    plans: list[SitePlan], tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, Any]]:
    """The corpus as two processes on this machine make it."""
    folder = tmp_path_factory.mktemp("local")
    results = harvest(ThreadEngine(2), plans, str(folder))
    assert {name: (one["reason"], one["pages"]) for name, one in results.items()} == {
        f"site-{n}": ("finished", 3 + n) for n in range(4)
    }
    found = items(folder)
    assert len({item["url"] for item in found}) == len(found) == 3 + 4 + 5 + 6
    return found


@pytest.mark.cluster
def test_a_cluster_makes_the_same_corpus_though_a_worker_is_killed(
    plans: list[SitePlan], harvested: list[dict[str, Any]], tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    output = tmp_path / "dask"

    def kill_worker() -> None:
        until = time.monotonic() + 60
        # A ledger is there: a crawl is under way.
        while not list(output.rglob("*.sqlite")):
            assert time.monotonic() < until, "no site was begun in a minute"
            time.sleep(0.02)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        killer = threading.Thread(target=kill_worker)
        killer.start()
        results = harvest(DaskEngine(cluster.scheduler_address), plans, str(output))
        killer.join()

    assert {one["reason"] for one in results.values()} == {"finished"}
    assert items(output) == harvested


@pytest.mark.cluster
def test_an_object_store_holds_the_same_corpus(
    plans: list[SitePlan], harvested: list[dict[str, Any]], tmp_path: Path
) -> None:
    with object_store() as url:
        storage = Storage(f"{url}/corpus")
        results = harvest(ThreadEngine(2), plans, storage.url)
        again = crawl(plans[1], storage.url, "second")
        storage._fs.get(f"{storage._root}/sites", str(tmp_path / "copy"), recursive=True)

    assert {one["reason"] for one in results.values()} == {"finished"}
    assert items(tmp_path / "copy") == harvested
    # The ledger came back: nothing is new.
    assert (again["new"], again["items"], again["skipped"]) == (0, 0, {"unchanged": 4})
    logs = tmp_path / "copy" / "site-1" / "logs"
    assert sorted(path.name for path in logs.iterdir()) == ["run.log", "second.log"]


def test_a_crawl_that_is_told_to_stop_ends_in_order_and_the_next_goes_on(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site(small_site(20))
    slow = plan(site.url, settings={"DOWNLOAD_DELAY": 0.4})
    with ThreadEngine(1) as engine:
        job = partial(crawl_site, output=str(tmp_path), run="first")
        engine.submit(Call("site", job, slow))
        while len(site.asked) <= 3:
            engine.wait(0.1)
        engine.stop()
        (first,) = engine.run([])
    exported = len(items(tmp_path))
    second = crawl(plan(site.url), tmp_path, "second")

    assert first.value["reason"] == "stopped"
    assert 0 < exported == first.value["items"] < 21
    assert second["reason"] == "finished"
    urls = [item["url"] for item in items(tmp_path)]
    assert len(urls) == len(set(urls)) == 21


def test_a_crawl_ends_at_its_time_limit(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site(small_site(20))
    slow = plan(site.url, time_limit=3.0, settings={"DOWNLOAD_DELAY": 1.0})
    first = crawl(slow, tmp_path, "first")
    assert first["reason"] == "time"
    assert 0 < first["items"] == len(items(tmp_path)) < 21


def test_a_crawl_dies_with_the_process_that_started_it(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site(small_site(20))
    slow = plan(site.url, settings={"DOWNLOAD_DELAY": 0.4})
    job = pickle.dumps(partial(crawl_site, slow, str(tmp_path), "first"))
    code = "import pickle, sys; pickle.loads(bytes.fromhex(sys.argv[1]))()"
    starter = subprocess.Popen([sys.executable, "-c", code, job.hex()])
    try:
        while len(site.asked) <= 3:
            time.sleep(0.05)
    finally:
        starter.kill()
        starter.wait()
    second = crawl(plan(site.url), tmp_path, "second")

    assert second["reason"] == "finished"
    urls = [item["url"] for item in items(tmp_path)]
    assert len(urls) == len(set(urls)) == 21


def test_changes_are_exported_and_failures_counted(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site({**small_site(4), "/a/3": html("gone wrong", status=500)})
    quick = {"RETRY_ENABLED": False, "CORPUS_PAUSES": {"count": 0}}
    first = crawl(plan(site.url, settings=quick), tmp_path, "first")
    site.pages["/a/1"] = html(article(99))
    del site.pages["/a/2"]
    site.pages["/a/3"] = html(article(3))
    again = plan(site.url, settings=quick, arguments={"recheck": 0})
    second = crawl(again, tmp_path, "second")

    assert first["errors"] == {"http-500": 1}
    assert (first["items"], first["new"], first["changed"]) == (4, 4, 0)
    assert second["errors"] == {"http-404": 1}
    assert [second[key] for key in ("new", "changed", "gone")] == [1, 1, 1]


def test_a_site_that_is_not_incremental_has_a_file_for_each_run(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site(small_site(2))
    more = {"ADDONS": {}, "EXTENSIONS": {"scrapy.extensions.corestats.CoreStats": 0}}
    keys = {"incremental": False, "output_format": "csv", "method": "density", "settings": more}
    whole = plan(site.url, "Blog", **keys)

    for run in ("first", "second"):
        result = crawl(whole, tmp_path, run)
        assert (result["reason"], result["items"]) == ("finished", 3)

    folder = tmp_path / "sites" / "%42log" / "articles"
    assert sorted(path.name for path in folder.iterdir()) == ["first.csv", "second.csv"]
    assert ",density," in (folder / "first.csv").read_text("utf-8")


def test_the_command_line_of_a_site_can_be_run_by_hand(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site(small_site(2))
    command = crawl_command(plan(site.url), tmp_path / "site")
    report = tmp_path / "report.json"
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "crawler.harvest.crawl_settings"}
    subprocess.run(
        scrapy_command([*command, "-s", f"CORPUS_CRAWL_REPORT={report}"]),
        env=environment,
        check=True,
    )
    told = json.loads(report.read_text("utf-8"))
    assert (told["reason"], told["stats"]["corpus/pages/exported"]) == ("finished", 3)
    assert told["start"] <= told["end"]
    assert len(items(tmp_path)) == 3


@pytest.mark.parametrize(
    ("keys", "detail"),
    [
        ({"method": "no-such"}, "no-such"),
        ({"settings": {"ITEM_PIPELINES": {"no.such.Pipeline": 1}}}, "no"),
    ],
    ids=["method", "pipeline"],
)
def test_a_site_whose_plan_is_wrong_fails_with_a_line(
    keys: dict[str, Any], detail: str, tmp_path: Path
) -> None:
    result = crawl(plan("http://127.0.0.1:9/", **keys), tmp_path, "run")

    assert result["reason"] == "failed"
    assert detail in result["detail"]
    assert "\n" not in result["detail"]
