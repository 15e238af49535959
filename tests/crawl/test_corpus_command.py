"""``scrapy corpus`` in a folder that has no project; and ``scrapy crawl`` there and in others."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from support.crawling import Project, article, html, small_site
from support.running import ROOT, run_scrapy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from crawler.demo.server import Answer
    from support.crawling import Site

    MakeSite = Callable[[Mapping[str, Answer]], Site]

ALL = ("-s", "CORPUS_PAGE_TYPES=all", "--delay", "0")


def scrapy(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run a command; return what it wrote to standard error."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    ended, out, err = run_scrapy(arguments, folder, env, [str(folder), str(ROOT)])
    assert ended == code, err
    assert "Traceback" not in err
    assert out == ""
    return err


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_site_becomes_a_file_in_any_folder(tmp_path: Path, make_site: MakeSite) -> None:
    site = make_site(small_site(4))
    folder = tmp_path / "anywhere"
    folder.mkdir()
    err = scrapy(folder, "corpus", site.url, "-O", "run.jsonl", *ALL)
    assert {row["url"] for row in rows(folder / "run.jsonl")} == {
        site.url,
        *(f"{site.url}a/{number}" for number in range(4)),
    }
    assert sorted(path.name for path in folder.iterdir()) == ["corpus-data", "run.jsonl"]
    summary, _, steps = err.partition("What to do next")
    assert "5 fetched, 5 exported" in summary
    assert f"scrapy corpus {site.url} --daily" in steps
    # Neither lists of components nor what Scrapy tells at INFO.
    assert " INFO: " not in err
    # Without -O the file is named after the host, and is not replaced unasked.
    scrapy(folder, "corpus", site.url, *ALL, "--max-pages", "2")
    assert len(rows(folder / "127.0.0.1.jsonl")) == 2
    before = len(site.asked)
    assert "-O 127.0.0.1.jsonl replaces it" in scrapy(folder, "corpus", site.url, code=2)
    assert len(site.asked) == before


def test_daily_writes_what_is_new(tmp_path: Path, make_site: MakeSite) -> None:
    site = make_site(small_site(3))
    daily = ("corpus", site.url, "--daily", "-o", "all.jsonl", *ALL)
    scrapy(tmp_path, *daily)
    assert len(rows(tmp_path / "all.jsonl")) == 4
    # Nothing is new: that is no failure.
    scrapy(tmp_path, *daily)
    assert len(rows(tmp_path / "all.jsonl")) == 4
    site.pages["/a/9"] = html(article(9))
    site.pages["/"] = html(small_site(3)["/"][2].decode() + '<a href="/a/9">Piece 9</a>')
    scrapy(tmp_path, *daily)
    new = [row["url"] for row in rows(tmp_path / "all.jsonl")[4:]]
    assert f"{site.url}a/9" in new
    assert len(list((tmp_path / "corpus-data" / "articles").rglob("*.jsonl"))) >= 2


@pytest.mark.parametrize("level", [("-L", "ERROR"), ("-L", "INFO"), ("--logfile", "log"), ()])
def test_progress_and_summary_are_shown_once_at_any_level(
    tmp_path: Path, make_site: MakeSite, level: tuple[str, ...]
) -> None:
    err = scrapy(tmp_path, "corpus", make_site(small_site(2)).url, *ALL, *level)
    assert err.count("3 fetched, 3 exported") == 1
    assert ("INFO" in level) == (" INFO: " in err)


def test_the_last_lines_fit_what_came_of_the_crawl(tmp_path: Path, make_site: MakeSite) -> None:
    site = make_site(small_site(2))
    daily = scrapy(tmp_path, "corpus", site.url, "--daily", *ALL, "-s", "CORPUS_DIR=my data")
    (command,) = [line for line in daily.splitlines() if "scrapy articles" in line]
    arguments = shlex.split(command.partition("scrapy ")[2])
    _, _, _ = run_scrapy(arguments, tmp_path, {**os.environ}, [str(tmp_path), str(ROOT)])
    assert len(rows(tmp_path / "all.jsonl")) == 3
    start = f"{site.url}none?a=1&b=2"
    nothing = scrapy(tmp_path, "corpus", start, *ALL, "-a", "allow=/none/", "-O", "no.jsonl",
                     "-s", "CORPUS_PAGE_TYPES=article", code=1)  # fmt: skip
    assert f"scrapy discover '{start}'" in nothing
    assert "What to do next" not in nothing


def test_a_plain_and_a_daily_crawl_fetch_as_many_pages(tmp_path: Path, make_site: MakeSite) -> None:
    pages = small_site(4)
    moved = {f"/m/{n}": (301, {"Location": f"/a/{n}"}, b"") for n in range(4)}
    pages["/a/1"] = html(article(1, "".join(f'<a href="{path}">moved</a>' for path in moved)))
    site = make_site({**pages, **moved})
    for option in (("-O", "out.jsonl"), ("--daily",)):
        err = scrapy(tmp_path, "corpus", site.url, *ALL, *option)
        assert "5 fetched, 5 exported" in err


def test_pages_without_a_date_are_taken_and_counted(tmp_path: Path, make_site: MakeSite) -> None:
    pages = small_site(4)
    dates = ("2024-01-01", "2026-03-01", "2026-04-01")
    for number, day in enumerate(dates):
        meta = f'<meta property="article:published_time" content="{day}">'
        pages[f"/a/{number}"] = html(article(number).replace("<head>", f"<head>{meta}"))
    site = make_site(pages)
    err = scrapy(tmp_path, "corpus", site.url, "--since", "2026", "-O", "out.jsonl", *ALL)
    found = [row["published"] for row in rows(tmp_path / "out.jsonl")]
    assert sorted(map(str, found)) == ["2026-03-01", "2026-04-01", "None", "None"]
    assert "  undated     2 " in err


def test_what_a_sitemap_rules_out_is_not_fetched_by_a_link(
    tmp_path: Path, make_site: MakeSite
) -> None:
    pages = small_site(5)
    pages["/a/4"] = html(article(4, '<link rel="canonical" href="/a/3">'))
    pages["/a/3"] = html(
        article(3).replace("<head>", '<head><meta name="date" content="2024-05-05">')
    )
    site = make_site(pages)
    days = {0: "2024-01-01", 1: "2024-01-02", 2: "2026-05-01"}
    urls = "".join(
        f"<url><loc>{site.url}a/{n}</loc><lastmod>{day}</lastmod></url>" for n, day in days.items()
    )
    site.pages["/sitemap.xml"] = html(f"<urlset>{urls}</urlset>", kind="application/xml")
    err = scrapy(tmp_path, "corpus", site.url, "--since", "2026", "-O", "out.jsonl", *ALL)
    assert not {"/a/0", "/a/1"} & set(site.asked)
    assert "  not visited 2 (date 2)" in err
    # The last is a copy of one that was left out, and says no date.
    assert "  skipped     2 (date 2)" in err
    paths = {row["url"].removeprefix(site.url) for row in rows(tmp_path / "out.jsonl")}
    assert paths == {"", "a/2"}


def test_pages_of_a_language_are_chosen_by_what_they_declare(
    tmp_path: Path, make_site: MakeSite
) -> None:
    pages = small_site(4)
    pages["/a/1"] = html(article(1).replace('lang="en"', 'lang="ko-KR"'))
    # Layouts declare "en" around text in another script.
    korean = "<p>비가 그치자 골목에서 젖은 흙냄새가 올라왔다.</p>" * 8
    pages["/a/2"] = html(f"<html lang=en><title>비</title><body><h1>비</h1>{korean}</body>")
    site = make_site(pages)
    err = scrapy(tmp_path, "corpus", site.url, "-a", "lang=ko", "-O", "out.jsonl", *ALL)
    paths = {row["url"].removeprefix(site.url) for row in rows(tmp_path / "out.jsonl")}
    assert paths == {"", "a/1", "a/2"}
    assert "(lang 2)" in err


def test_an_archive_takes_the_place_of_the_network(tmp_path: Path) -> None:
    pages = [{"url": f"https://run.example/a/{n}", "html": article(n)} for n in range(3)]
    archive = tmp_path / "kept.jsonl"
    archive.write_text("\n".join(map(json.dumps, pages)), "utf-8")
    scrapy(tmp_path, "corpus", "--archive", "kept.jsonl", "-O", "out.jsonl", *ALL[:2])
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [page["url"] for page in pages]
    again = ("--archive", "kept.jsonl", "--archive", "kept.jsonl")
    err = scrapy(tmp_path, "corpus", *again, "-O", "twice.jsonl", *ALL[:2])
    assert "6 fetched" in err
    # An export is none, and the line says what it lacks.
    said = scrapy(tmp_path, "corpus", "--archive", "out.jsonl", "-O", "b.jsonl", code=1)
    assert "each line needs 'url' and 'html'" in said
    for option in (["--daily"], ["--max-pages", "3"], ["--since", "2026"], ["--delay", "0"]):
        scrapy(tmp_path, "corpus", "--archive", "kept.jsonl", *option, code=2)


def test_the_last_line_of_saved_pages_can_be_called(tmp_path: Path) -> None:
    folder = tmp_path / "my pages"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.html").write_text(article(number), "utf-8")
    err = scrapy(tmp_path, "corpus", "--archive", "my pages", "-O", "out.jsonl", *ALL[:2])
    (line,) = [line for line in err.splitlines() if "scrapy extract" in line]
    _, *arguments = shlex.split(line[line.index("scrapy ") :].replace("SAVED-PAGE", "'my pages/0'"))
    ended, out, _ = run_scrapy(arguments, tmp_path, {**os.environ}, [str(tmp_path), str(ROOT)])
    assert ended == 0
    assert "judged by 3 distinct pages" in out


def test_files_of_no_address_are_not_judged_by_those_of_earlier_calls(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(article(number), "utf-8")
        scrapy(tmp_path, "corpus", "--archive", f"{number}.html", "-O", "out.jsonl", *ALL[:2])
    environment = [str(tmp_path), str(ROOT)]
    _, out, _ = run_scrapy(
        ["extract", "0.html", "--explain"], tmp_path, {**os.environ}, environment
    )
    assert "distinct pages" not in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["http://a.example/", "--since", "yesterday"],
        ["http://a.example/", "--delay", "-1"],
        ["http://a.example/", "-a", "url=http://b.example/"],
        ["http://a.example/", "--daily", "-O", "out.jsonl"],
        ["http://a.example/", "-O", "out.nonsense"],
        ["http://a.example/", "-O", "file/out.jsonl"],
        ["http://a.example/", "-O", "out.jsonl", "-s", "CORPUS_MODE=nonsense"],
        ["file"],
        ["--archive", "nothing.warc.gz"],
        ["--archive", "file", "-a", "path=other"],
        ["http://a.example/", "--archive", "file", "-a", "base_url=http://b.example/"],
    ],
)
def test_a_wrong_call_is_refused_in_a_line(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "file").touch()
    err = scrapy(tmp_path, "corpus", *arguments, "-L", "WARNING", code=2)
    assert err.startswith("scrapy corpus: ")
    assert err.count("\n") == 1


def test_outside_of_a_project_crawl_says_what_to_do(tmp_path: Path) -> None:
    err = scrapy(tmp_path, "crawl", "site", "-a", "url=http://a.example/", code=2)
    assert err.count("\n") == 1
    assert "scrapy corpus" in err


@pytest.fixture
def other(project: Project) -> Project:
    """A project that names neither our spiders nor our formats."""
    project.append("ownsettings.py", 'SPIDER_MODULES = ["ownspiders"]')
    return project


def test_spiders_and_formats_need_no_settings(other: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(2))
    other.run("crawl", "site", "-a", f"url={site.url}", "-O", "p.parquet", "-O", "p.jsonl")
    assert len(other.items("p.jsonl")) == 3
    assert (other.folder / "p.parquet").stat().st_size > 0
    _, err = other.run("crawl", "nonsense", code=2)
    assert "Traceback" not in err
    assert "archive, own, site, urls, wrapper, yielding" in err
    other.append("ownsettings.py", "ADDONS = {}")
    _, err = other.run("crawl", "site", "-a", f"url={site.url}", code=2)
    assert "crawler.addon.CorpusAddon" in err
