"""Plans of harvests: what they say, and what is told of each mistake."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from crawler.core.wording import read_bytes, read_seconds, show_seconds
from crawler.harvest.plan import PlanError, SitePlan
from crawler.harvest.planfile import read_plan
from crawler.harvest.tomlplaces import toml_places

if TYPE_CHECKING:
    from pathlib import Path

SITE = '[[site]]\nid = "blog"\naddresses = ["https://blog.example/"]\n'
TOP = 'output = "out"\n'


def mistakes(folder: Path, text: str | bytes) -> list[str]:
    """Read a plan that is wrong; return what is told, without the name of the file."""
    path = folder / "harvest.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(PlanError) as caught:
        read_plan(path)
    assert str(caught.value) == "\n".join(caught.value.lines)
    assert caught.value.exit_code == 2
    return [line.removeprefix(str(path)) for line in caught.value.lines]


def of_site(line: str) -> str:
    """Make a plan whose fifth line is one of a site."""
    return f"{TOP}{SITE}{line}\n"


# What is written in line 5, in the site, and what is told of it.
IN_SITE = {
    'adress = "x"': "unknown key 'adress'; did you mean 'addresses'?",
    'tz = "UTC"': "unknown key 'tz'; did you mean 'time_zone'?",
    "max-pages = 3": "unknown key 'max-pages'; did you mean 'max_pages'?",
    "max_pages = -1": "max_pages = -1 is not accepted; give a whole number of at least 0",
    'max_pages = "9"': "max_pages = '9' is a text; give a whole number, without quotes",
    "max_pages = 1.5": "max_pages = 1.5 is a number; give a whole number, without quotes",
    "max_pages = true": "max_pages = true is true or false; give a whole number, without quotes",
    "recheck = -0.5": "recheck = -0.5 is not accepted; give a number of at least 0",
    'twins = "no"': "twins = 'no' is a text; give true or false, without quotes",
    "incremental = 1": "incremental = 1 is a whole number; give true or false, without quotes",
    'allow = "(["': (
        "allow = '([' is not accepted; give a regular expression, or nothing (unterminated "
        "character set at position 1)"
    ),
    "deny = 3": "deny = 3 is a whole number; give a text, in quotes",
    'method = "artikel"': "method = 'artikel' is no text method; did you mean 'article'?",
    'output_format = "xml"': (
        'output_format = \'xml\' is not accepted; give one of "jsonl", "csv", "parquet"'
    ),
    'cron = "5 25 * * *"': (
        "cron = '5 25 * * *' is no cron expression (bad hour); give five fields: minute, hour, day "
        "of month, month, day of week, such as '30 5 * * *'"
    ),
    'cron = "* * * *"': (
        "cron = '* * * *' is no cron expression; give five fields: minute, hour, day of month, "
        "month, day of week, such as '30 5 * * *'"
    ),
    'cron = "@nightly"': (
        "cron = '@nightly' is no name of a schedule; they are @hourly, @daily, @weekly, @monthly, "
        "@yearly"
    ),
    'time_zone = "seoul"': "time_zone = 'seoul' is no time zone; did you mean 'Asia/Seoul'?",
    'time_zone = "Europe/Berln"': (
        "time_zone = 'Europe/Berln' is no time zone; did you mean 'Europe/Berlin'?"
    ),
    'time_zone = "../passwd"': "time_zone = '../passwd' is no time zone; give one as Asia/Seoul",
    'jitter = "soon"': (
        "jitter = 'soon' is no span of time; give seconds, or text such as '90s', '20m', '1h 30m'"
    ),
    "jitter = -5": (
        "jitter = -5 is no span of time; give seconds, or text such as '90s', '20m', '1h 30m'"
    ),
    'jitter = "8d"': "jitter = '8d' is more than a week; give less",
    "time_limit = 0": ("time_limit = 0 is no time at all; give more, or leave the key out"),
    'memory_limit = "2 XB"': (
        "memory_limit = '2 XB' is no size; give bytes, or text such as '800 MB' or '2 GB'"
    ),
    "memory_limit = 1000": (
        "memory_limit = 1000 is less than any crawl needs; give at least '64 MB'"
    ),
    'since = "2026-13"': (
        "since = '2026-13' is not accepted; give a day, month or year such as 2026-11-27, 2026-11 "
        "or 2026, or nothing"
    ),
    "since = 2026-11-27T10:00:00": (
        "since = 2026-11-27 10:00:00 is a date or time; give a text, in quotes"
    ),
    'languages = ["ko", "korean"]': (
        "languages: 'korean' is not accepted; give one or more, with commas between, of codes of "
        'languages such as "ko", or nothing'
    ),
    'from = ["sitemap", "rss"]': (
        "from: 'rss' is not accepted; give one or more, with commas between, of \"sitemap\", "
        '"feed", "links"'
    ),
    'feeds = ["a b"]': "feeds: 'a b' is no web address; give one such as 'https://blog.example/'",
    "settings = 3": "settings = 3 is a whole number; make it a table [settings]",
    "settings.CORPUS_ITEM_BLOKS = true": (
        "settings: There is no setting CORPUS_ITEM_BLOKS. The nearest is CORPUS_ITEM_BLOCKS; "
        "docs/settings.md lists all."
    ),
    'settings.CORPUS_PART_ITEMS = "x"': (
        "settings: CORPUS_PART_ITEMS is 'x'. It accepts a whole number of at least 1."
    ),
    "settings.DOWNLOAD_DELAYS = 1": (
        "settings: unknown setting 'DOWNLOAD_DELAYS'; did you mean 'DOWNLOAD_DELAY'?"
    ),
    'settings.LOG_FILE = "log"': ("settings: LOG_FILE is set by the harvest itself; leave it out"),
    "settings.delay = 1": (
        "settings: unknown setting 'delay'; settings have names such as DOWNLOAD_DELAY"
    ),
    'settings.CORPUS_DIR = "x"': "settings: CORPUS_DIR is set by 'output'; leave it out",
    "settings.DOWNLOAD_DELAY = 2026-01-01": (
        "settings: DOWNLOAD_DELAY is a date or time; give a text, a number, true, false or a list"
    ),
}


@pytest.mark.parametrize("line", IN_SITE)
def test_a_mistake_in_a_site_is_told_with_its_line(line: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, of_site(line)) == [f", line 5: site 'blog': {IN_SITE[line]}"]


@pytest.mark.parametrize(
    "line", [line for line in IN_SITE if not line.startswith(("feeds", "adress"))]
)
def test_a_mistake_in_the_defaults_is_told_once_for_all_sites(line: str, tmp_path: Path) -> None:
    other = SITE.replace("blog", "other")
    told = IN_SITE[line]
    assert mistakes(tmp_path, f"{TOP}{SITE}{other}[defaults]\n{line}\n") == [
        f", line 9: defaults: {told}"
    ]


IN_FILE = {
    "": [
        ": 'output' is missing; give a folder for what is harvested, or its URL",
        ": has no site; add a table [[site]] with 'id' and 'addresses'",
    ],
    SITE: [": 'output' is missing; give a folder for what is harvested, or its URL"],
    f"output = 3\n{SITE}": [
        (
            ", line 1: output = 3 is no folder; give one, such as 'harvest', or a URL such as "
            "'s3://bucket/'"
        )
    ],
    f"{TOP}sites = []\n{SITE}": [", line 2: unknown key 'sites'; did you mean [[site]]?"],
    f'{TOP}cron = "@daily"\n{SITE}': [
        ", line 2: unknown key 'cron'; it belongs into [[site]] or [defaults]"
    ],
    f'{TOP}id = "x"\n{SITE}': [", line 2: unknown key 'id'; it belongs into [[site]]"],
    f"{TOP}{SITE}[defaults]\nid = 'x'\n": [
        ", line 6: defaults: unknown key 'id'; it belongs into [[site]]"
    ],
    f"{TOP}[site]\nid = 'x'\n": [", line 2: site is a table; write [[site]], in two brackets"],
    f"{TOP}site = [1]\n": [", line 2: site is a list; write [[site]], in two brackets"],
    f"{TOP}defaults = 1\n{SITE}": [
        ", line 2: defaults = 1 is a whole number; make it a table [defaults]"
    ],
    f"{TOP}{SITE}\n{SITE}": [", line 7: site 'blog': id 'blog' stands in line 3 already"],
    f"{TOP}{SITE}\n{SITE.replace('blog', 'BLOG', 1)}": [
        ", line 7: site 'BLOG': id 'BLOG' stands in line 3 already"
    ],
    f"{TOP}[[site]]\naddresses = 'a.example'\n": [
        (
            ", line 2: site 1: 'id' is missing; give a short name for files and commands, such as "
            "'blog'"
        )
    ],
    f"{TOP}[[site]]\nid = 'a'\n": [
        (
            ", line 2: site 'a': 'addresses' is missing; give where a crawl begins: "
            "['https://blog.example/']"
        )
    ],
    f"{TOP}[[site]]\nid = 'a'\naddresses = []\n": [
        ", line 4: site 'a': has no address to begin from; fill 'addresses'"
    ],
    f"{TOP}[[site]]\nid = 'a'\naddresses = [\n 'http://a.example/', # [\n 'ftp://a.example/',\n]": [
        (
            ", line 6: site 'a': addresses: 'ftp://a.example/' is no web address; give one such as "
            "'https://blog.example/'"
        )
    ],
    f"{TOP}[[site]]\nid = 'A b/c'\naddresses = 'a.example'\n": [
        (
            ", line 3: site 1: id = 'A b/c' names no file; use the letters a to z, digits, '-', "
            "'_' and '.', such as 'a-b-c'"
        )
    ],
    f"{TOP}[[site]]\nid = 'con'\naddresses = 'a.example'\n": [
        (
            ", line 3: site 1: id = 'con' names no file; use the letters a to z, digits, '-', '_' "
            "and '.', such as 'con-site'"
        )
    ],
    f"{TOP}[[site]]\nid = ''\naddresses = 'a.example'\n": [
        ", line 3: site 1: id = '' is empty; give a text, or leave the key out"
    ],
    f"{TOP}[[site]]\nid = '{'x' * 61}'\naddresses = 'a.example'\n": [
        f", line 3: site 1: id = '{'x' * 61}' is longer than 60 letters; give a short name"
    ],
    f"{TOP}{SITE}since = '2026-11'\nuntil = 2025-01-01\n": [
        ", line 5: site 'blog': since = 2026-11 is later than until = 2025-01-01; exchange them"
    ],
    f"{TOP}{SITE}[alerts]\nfall = 0.5\n": [
        ", line 5: alerts: nobody is told; give a 'command' or a 'webhook'"
    ],
    f"{TOP}{SITE}[alerts]\ncommand = 'mail'\nfal = 1\n": [
        (
            ", line 6: alerts: command = 'mail' is no command; give program and arguments, "
            "['mail-alert', '--to', 'desk']"
        ),
        ", line 7: alerts: unknown key 'fal'; did you mean 'fall'?",
    ],
    f"{TOP}{SITE}[alerts]\nwebhook = 'x'\nfall = 5\nruns = 0\nerror_rate = true\nmissed = 1\n": [
        (
            ", line 6: alerts: webhook = 'x' is no web address; give one such as "
            "'https://alerts.example/hook'"
        ),
        ", line 7: alerts: fall = 5 is no share; give a number from 0 to 1",
        ", line 8: alerts: runs = 0 is no number of runs; give a whole number from 1 to 1000",
        ", line 9: alerts: error_rate = true is no share; give a number from 0 to 1",
        ", line 10: alerts: missed = 1 is a whole number; give true or false, without quotes",
    ],
    f"{TOP}{SITE}cron = \n": [", line 5: column 8: is no TOML: Invalid value"],
    f"{TOP}{SITE}id = 'x'\n": [", line 5: column 9: is no TOML: Cannot overwrite a value"],
    'output = "x': [": is no TOML: Unterminated string (at end of document)"],
}


@pytest.mark.parametrize("text", IN_FILE, ids=[str(n) for n in range(len(IN_FILE))])
def test_a_mistake_of_a_file_is_told(text: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, text) == IN_FILE[text]


def test_all_mistakes_are_told_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    lines = "".join(f"{line}\n" for line in IN_SITE if line.partition(" ")[0] in {"deny", "allow"})
    told = mistakes(tmp_path, f"{TOP}{SITE}{lines}max_depth = -3\n[alerts]\nrun = 1\n")
    assert [line.split(":")[0] for line in told] == [
        ", line 5", ", line 6", ", line 7", ", line 8", ", line 9",
    ]  # fmt: skip


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="there is no such file; name the plan"):
        read_plan(tmp_path / "none.toml")
    with pytest.raises(PlanError, match="is a folder; name the plan itself, such as "):
        read_plan(tmp_path)
    assert mistakes(tmp_path, TOP.encode() + b"# \xff\n") == [
        ", line 2: is not UTF-8; save it as UTF-8"
    ]
    deep = mistakes(tmp_path, f"x = {'[' * 100_000}{']' * 100_000}")
    assert len(deep) == 1
    assert "nested" in deep[0]


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
        read = SitePlan.from_json(json.loads(json.dumps(site.as_json())))
        assert read.as_json() == site.as_json()
        assert read.spider_arguments() == site.spider_arguments()


def test_an_output_that_is_a_url_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "harvest.toml"
    path.write_text(f'output = "s3://bucket/news"\n{SITE}')
    assert read_plan(path).output == "s3://bucket/news"


def test_places_are_found_in_all_forms_of_toml() -> None:
    text = '''# [not.a.table]
"a b".c = 1
d = [ 1, [2, 3
 , 4],
 # comment ]
 5, ]
s = """
x = 1
""\\""""
q = \'\'\'a
''b\'\'\'\'
e = { a = 1, b = { c = [1,2] }, "x.y" = 'z]' }
f = 1979-05-27T07:32:00Z # }
[x.'y.z']
k = -inf
[[site]]
id = "a"
[site.settings]
Z = []
y = {}
[[site.part]]
[[site.part]]
n = 1
[[site]]
  id = 'b'
'''
    tomllib.loads(text)
    places = toml_places(text)
    assert {
        place: places[place]
        for place in (
            ("a b", "c"), ("d",), ("d", 1, 1), ("d", 1, 2), ("d", 2), ("s",), ("q",),
            ("e", "b", "c", 1), ("e", "x.y"), ("f",), ("x", "y.z", "k"), ("site",), ("site", 0),
            ("site", 0, "settings", "y"), ("site", 0, "part", 1, "n"), ("site", 1, "id"),
        )
    } == {
        ("a b", "c"): 2, ("d",): 3, ("d", 1, 1): 3, ("d", 1, 2): 4, ("d", 2): 6, ("s",): 7,
        ("q",): 10, ("e", "b", "c", 1): 12, ("e", "x.y"): 12, ("f",): 13, ("x", "y.z", "k"): 15,
        ("site",): 16, ("site", 0): 16, ("site", 0, "settings", "y"): 20,
        ("site", 0, "part", 1, "n"): 23, ("site", 1, "id"): 25,
    }  # fmt: skip
    assert ("not",) not in places


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(90, 90), ("90", None), ("90s", 90), ("1.5 h", 5400), ("1h30m", 5400), ("1d 2h", 93600)],
    ids=str,
)
def test_spans_of_time_are_read(text: str | int, seconds: float | None) -> None:
    if seconds is None:
        with pytest.raises(ValueError, match="no span of time"):
            read_seconds(text)
    else:
        assert read_seconds(text) == seconds


def test_sizes_are_read_and_spans_are_written() -> None:
    sizes = [read_bytes(size) for size in (5, "5 b", "2KB", "1 KiB", "1.5 GB")]
    assert sizes == [5, 5, 2000, 1024, 1_500_000_000]
    spans = [show_seconds(number) for number in (0.25, 59.6, 60, 125, 7200, 93_600)]
    assert spans == ["0.2 s", "1 min", "1 min", "2 min 5 s", "2 h", "1 d 2 h"]
