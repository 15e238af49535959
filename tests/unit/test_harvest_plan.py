"""Plans of harvests: what they say, and where their mistakes are."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from crawler.harvest.plan import PlanError, read_plan

if TYPE_CHECKING:
    from pathlib import Path

SITE = '[[site]]\nid = "blog"\naddresses = ["https://blog.example/"]\n'
TOP = 'output = "out"\n'


def mistakes(folder: Path, text: str | bytes) -> list[str]:
    """Read a plan that is wrong; return its mistakes, without the name of the file."""
    path = folder / "harvest.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(PlanError) as caught:
        read_plan(path)
    assert str(caught.value) == "\n".join(caught.value.lines)
    assert caught.value.exit_code == 2
    assert all(line.isprintable() for line in caught.value.lines)
    return [line.removeprefix(f"{path}: ") for line in caught.value.lines]


# A line of a site, the place of its mistake, and a word of what is said of it.
IN_SITE = {
    'adress = "x"': ("adress", "'addresses'"),
    'url = "x"': ("url", "addresses"),
    'time-zone = "UTC"': ("time-zone", "'time_zone'"),
    "max-pages = 3": ("max-pages", "'max_pages'"),
    "max_pages = -1": ("max_pages", "at least 0"),
    "max_pages = 1.5": ("max_pages", "whole number"),
    "recheck = -0.5": ("recheck", "at least 0"),
    'twins = "perhaps"': ("twins", "True or False"),
    "incremental = 7": ("incremental", "True or False"),
    'allow = "(["': ("allow", "regular expression"),
    "deny = 3": ("deny", "regular expression"),
    'method = "artikel"': ("method", "'article'"),
    'output_format = "xml"': ("output_format", "parquet"),
    'cron = "5 25 * * *"': ("cron", "bad hour"),
    'cron = "@nightly"': ("cron", "@daily"),
    'time_zone = "seoul"': ("time_zone", "'Asia/Seoul'"),
    'time_zone = "../passwd"': ("time_zone", "Asia/Seoul"),
    'jitter = "soon"': ("jitter", "20m"),
    'jitter = "8d"': ("jitter", "week"),
    "time_limit = 0": ("time_limit", "at least 1"),
    'memory_limit = "2 XB"': ("memory_limit", "2 GB"),
    "memory_limit = 1000": ("memory_limit", "64 MB"),
    'since = "2026-13"': ("since", "2026-11"),
    "since = 2026-11-27T10:00:00": ("since", "2026-11"),
    'languages = ["ko", "korean"]': ("languages", "ko"),
    'from = ["sitemap", "rss"]': ("from", "feed"),
    'feeds = ["a b"]': ("feeds", "web addresses"),
    "settings = 3": ("settings", "table"),
    "settings.CORPUS_ITEM_BLOKS = true": ("settings.CORPUS_ITEM_BLOKS", "CORPUS_ITEM_BLOCKS"),
    'settings.CORPUS_PART_ITEMS = "x"': ("settings.CORPUS_PART_ITEMS", "at least 1"),
    "settings.DOWNLOAD_DELAYS = 1": ("settings.DOWNLOAD_DELAYS", "DOWNLOAD_DELAY"),
    'settings.LOG_FILE = "log"': ("settings.LOG_FILE", "the harvest itself"),
    'settings.CORPUS_DIR = "x"': ("settings.CORPUS_DIR", "'output'"),
    "settings.delay = 1": ("settings.delay", "DOWNLOAD_DELAY"),
    "settings.DOWNLOAD_DELAY = 2026-01-01": ("settings.DOWNLOAD_DELAY", "a number"),
    'settings.SOME_LIST = ["a,b"]': ("settings.SOME_LIST", "commas"),
}


@pytest.mark.parametrize("line", IN_SITE)
def test_a_mistake_in_a_site_has_its_place(line: str, tmp_path: Path) -> None:
    place, word = IN_SITE[line]
    (told,) = mistakes(tmp_path, f"{TOP}{SITE}{line}\n")
    assert told.startswith(f"site[0].{place}")
    assert word in told


@pytest.mark.parametrize(
    "line", [line for line in IN_SITE if not line.startswith(("feeds", "adress", "url"))]
)
def test_a_mistake_in_the_defaults_is_said_once_for_all_sites(line: str, tmp_path: Path) -> None:
    other = SITE.replace("blog", "other")
    (told,) = mistakes(tmp_path, f"{TOP}{SITE}{other}[defaults]\n{line}\n")
    assert told.startswith(f"defaults.{IN_SITE[line][0]}")


IN_FILE = {
    "": ["output", "there is no site"],
    SITE: ["output is missing"],
    f"output = 3\n{SITE}": ["output is 3"],
    f"{TOP}sites = []\n{SITE}": ["sites is no key (did you mean 'site'?)"],
    f'{TOP}cron = "@daily"\n{SITE}': ["cron is no key; it belongs into [[site]]"],
    f"{TOP}{SITE}[defaults]\nid = 'x'\n": ["defaults.id is no key"],
    f"{TOP}[site]\nid = 'x'\n": ["site is no array"],
    f"{TOP}site = [1]\n": ["site is no array"],
    f"{TOP}defaults = 1\n{SITE}": ["defaults is no table"],
    f"{TOP}{SITE}\n{SITE}": ["site[1].id is 'blog'"],
    f"{TOP}{SITE}\n{SITE.replace('blog', 'BLOG', 1)}": ["site[1].id is 'BLOG'"],
    f"{TOP}[[site]]\naddresses = 'a.example'\n": ["site[0].id is missing"],
    f"{TOP}[[site]]\nid = 'a'\n": ["site[0].addresses is missing"],
    f"{TOP}[[site]]\nid = 'a'\naddresses = []\n": ["site[0].addresses is missing"],
    f"{TOP}[[site]]\nid = 'a'\naddresses = ['a.example', 'ftp://a.example']": [
        "site[0].addresses is "
    ],
    f"{TOP}[[site]]\nid = 'A b/c'\naddresses = 'a.example'\n": ["site[0].id is 'A b/c'"],
    f"{TOP}[[site]]\nid = 'con'\naddresses = 'a.example'\n": ["site[0].id is 'con'"],
    f"{TOP}[[site]]\nid = ''\naddresses = 'a.example'\n": ["site[0].id is ''"],
    f"{TOP}[[site]]\nid = '{'x' * 61}'\naddresses = 'a.example'\n": ["site[0].id is 'x"],
    f"{TOP}{SITE}since = '2026-11'\nuntil = 2025-01-01\n": ["site[0].since is later"],
    f"{TOP}{SITE}[alerts]\nfall = 0.5\n": ["alerts.command is missing"],
    f"{TOP}{SITE}[alerts]\ncommand = 'mail'\nfal = 1\n": ["alerts.fal is no", "alerts.command is"],
    f"{TOP}{SITE}[alerts]\ncommand = ['x']\nfall = 5\nruns = 0\nerror_rate = true\n": [
        "alerts.fall is 5", "alerts.runs is 0", "alerts.error_rate is True",
    ],
    f"{TOP}{SITE}[alerts]\ncommand = ['x']\nwebhook = 'https://x.example'\n": [
        "alerts.webhook is no key"
    ],
    f"{TOP}{SITE}cron = \n": ["is no TOML"],
    'output = "x': ["is no TOML"],
    "output = '\udcff'": ["is no TOML"],
    f"x = {'[' * 100_000}{']' * 100_000}": ["is no TOML"],
}  # fmt: skip


@pytest.mark.parametrize("text", IN_FILE, ids=[str(n) for n in range(len(IN_FILE))])
def test_the_mistakes_of_a_file_have_their_places(text: str, tmp_path: Path) -> None:
    told = mistakes(tmp_path, text.encode("utf-8", "surrogateescape"))
    assert len(told) == len(IN_FILE[text])
    for line, beginning in zip(told, IN_FILE[text], strict=True):
        assert line.startswith(beginning)


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    lines = "".join(f"{line}\n" for line in IN_SITE if line.partition(" ")[0] in {"deny", "allow"})
    told = mistakes(tmp_path, f"{TOP}{SITE}{lines}max_depth = -3\n[alerts]\nrun = 1\n")
    assert [line.split()[0] for line in told] == [
        "site[0].allow", "site[0].deny", "site[0].max_depth", "alerts.run", "alerts.command",
    ]  # fmt: skip


def test_files_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(PlanError) as caught:
            read_plan(path)
        assert len(caught.value.lines) == 1


def test_a_plan_says_what_holds_for_each_site(tmp_path: Path) -> None:
    path = tmp_path / "harvest.toml"
    path.write_text(
        """\ufeffoutput = "kept/here"
[defaults]
cron = "0 6 * * 1-5"
time_zone = "Asia/Seoul"
jitter = "1h 30m"
max_pages = 500
time_limit = 90
settings.DOWNLOAD_DELAY = 2
settings.SPIDERMON_ENABLED = true
[[site]]
id = "Blog-1"
addresses = "blog.example"
feeds = ["https://blog.example/feed"]
from = ["sitemap", "feed"]
languages = ["ko"]
since = 2026-11-01
memory_limit = "1.5 GB"
twins = true
settings.DOWNLOAD_DELAY = 0.5
[[site]]
id = "other"
sitemaps = ["https://other.example/sitemap.xml"]
cron = "@hourly"
incremental = false
[alerts]
command = ["mail", "desk"]
error_rate = 1
""",
        "utf-8",
    )
    plan = read_plan(path)
    first, second = plan.sites
    assert plan.output == str(tmp_path / "kept" / "here")
    assert (first.cron, first.time_zone, first.jitter) == ("0 6 * * 1-5", "Asia/Seoul", 5400)
    assert (second.cron, second.time_zone, second.time_limit) == ("@hourly", "Asia/Seoul", 90)
    assert first.settings == {"DOWNLOAD_DELAY": 0.5, "SPIDERMON_ENABLED": True}
    assert second.settings == {"DOWNLOAD_DELAY": 2, "SPIDERMON_ENABLED": True}
    assert first.memory_limit == 1_500_000_000
    assert first.spider_arguments() == {
        "url": "http://blog.example https://blog.example/feed",
        "from": "sitemap,feed",
        "lang": "ko",
        "since": "2026-11-01",
        "max_pages": "500",
        "twins": "True",
    }
    assert second.incremental is False
    assert plan.alerts.command == ("mail", "desk")
    assert plan.alerts.error_rate == 1.0
    for site in plan.sites:
        # It is the argument of a job.
        assert pickle.loads(pickle.dumps(site)) == site


def test_an_output_that_is_a_url_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "harvest.toml"
    path.write_text(f'output = "s3://bucket/news"\n{SITE}')
    assert read_plan(path).output == "s3://bucket/news"
