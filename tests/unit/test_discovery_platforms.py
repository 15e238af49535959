"""What addresses tell as the usual publishing systems write them: kind, date, and no page."""

from __future__ import annotations

import pytest

from crawler.discovery.guesses import address_date, guess_kind
from crawler.discovery.links import judge_address
from crawler.discovery.scope import Scope
from crawler.discovery.url_traps import Traps

BASE = "http://a.example"


@pytest.mark.parametrize(
    ("path", "kind", "date"),
    [
        # Blogger
        ("/2020/01/my-post.html", "article", "2020-01"),
        ("/2020_01_01_archive.html", "listing", "2020-01-01"),
        ("/search/label/Trains", "listing", ""),
        ("/search?max-results=7&updated-max=2020-01-01T00:00:00-08:00", "listing", ""),
        # WordPress
        ("/?m=202001", "listing", "2020-01"),
        ("/?paged=2", "listing", ""),
        ("/2020/01/02/", "listing", "2020-01-02"),
        ("/2020/01/02/post/", "article", "2020-01-02"),
        ("/?m=1", "listing", ""),
        # Typecho, Tistory, Drupal: articles and months behind the same word
        ("/archives/7", "", ""),
        ("/archives/12345.html", "article", ""),
        ("/archive/202001", "listing", "2020-01"),
        ("/archives/202013", "article", ""),
        ("/archive/all/2020/5", "listing", "2020-05"),
        ("/archives/", "listing", ""),
        ("/archives/page/2", "listing", ""),
        # names of months
        ("/world/2020/nov/27/a-story", "article", "2020-11-27"),
        ("/world/2020/nov/27/all", "listing", "2020-11-27"),
        ("/2020/November/", "listing", "2020-11"),
        ("/archive/2020/sept", "listing", "2020-09"),
        ("/calendar/march-2027", "listing", "2027-03"),
        ("/what-happened-in-march-2020", "article", ""),
        ("/2020/marching-bands/", "", "2020"),
        # days in other forms
        ("/archives-du-monde/27-11-2020/", "listing", "2020"),
        ("/kalender/1.3.2027", "listing", "2027"),
        ("/calendar/202703", "listing", "2027-03"),
        ("/calendar?ym=202703", "listing", "2027-03"),
        ("/calendar?m=3&y=2027", "listing", "2027-03"),
        ("/calendar?month=nov&year=2027", "listing", "2027"),
        # what stands for its folder
        ("/index.html", "listing", ""),
        ("/2020/11/27/index.html", "listing", "2020-11-27"),
        ("/2020/11/27/politics/a-story/index.html", "article", "2020-11-27"),
        ("/news/index.php?id=12", "article", ""),
        # other languages and systems
        ("/tagged/trains", "listing", ""),
        ("/etiqueta/trenes/", "listing", ""),
        ("/categoria/noticias/", "listing", ""),
        ("/section/politics", "listing", ""),
        ("/section/the-night-train-is-back-again", "article", ""),
    ],
)
def test_kind_and_date_of_an_address(path: str, kind: str, date: str) -> None:
    assert (guess_kind(f"{BASE}{path}"), address_date(f"{BASE}{path}")) == (kind, date)


@pytest.mark.parametrize(
    ("path", "cut"),
    [
        ("/2020/01/02/post/feed/", "file-type"),
        ("/category/news/feed/atom/", "file-type"),
        ("/2020/01/02/post/trackback/", "file-type"),
        ("/feeds/posts/default?alt=rss", "file-type"),
        ("/feeds/1234/comments/default", "file-type"),
        ("/feed/", ""),
        ("/trackback", ""),
        ("/news/rss", ""),
        ("/feeds", ""),
        ("/themes/default", ""),
    ],
)
def test_addresses_for_programs_are_no_pages(path: str, cut: str) -> None:
    assert judge_address(f"{BASE}{path}", Scope()) == cut


def test_a_chain_of_lists_into_the_past_is_followed_to_the_days_wanted() -> None:
    older = f"{BASE}/search?updated-max=2026-11-01T00:00:00Z"
    assert Scope(until="2020").link_cut(older) == ""
    assert Scope(until="2020").link_cut(f"{BASE}/search?date=2026-11-01") == "date"


def test_numbers_of_posts_are_no_years_ahead() -> None:
    traps = Traps(Scope(), horizon="2026-12-11")
    for path in ("/post/2027", "/p/2099/"):
        assert traps.judge(f"{BASE}{path}", guess_kind(f"{BASE}{path}")) == ""


@pytest.mark.parametrize(
    "path", ["/calendar/202703", "/calendar/march-2027", "/kalender/1.3.2027", "/cal?m=3&y=2027"]
)
def test_calendars_in_other_forms_end_at_the_horizon(path: str) -> None:
    traps = Traps(Scope(), horizon="2026-12-28")
    assert traps.judge(f"{BASE}{path}", guess_kind(f"{BASE}{path}")) == "calendar"
