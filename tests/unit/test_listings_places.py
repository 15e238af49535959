"""Where a site's listings are found: its pages' links, its robots.txt, the usual places."""

from __future__ import annotations

from crawler.core.listings.read import find_feeds, robots_text, sitemaps_of_robots, usual_places
from crawler.core.page.page import Page
from crawler.core.page.parse import parse


def feeds(head: str) -> tuple[str, ...]:
    page = Page.from_text("https://a.example/x/", f"<html><head>{head}</head><body>x</body></html>")
    return find_feeds(parse(page))


def test_feeds_are_found_in_the_links_of_a_page() -> None:
    assert feeds("""<link rel="alternate" type="application/rss+xml" href="/comments/feed/">
        <link rel="alternate" type="application/rss+xml" title="Comments" href="/c.xml">
        <link rel="ALTERNATE home" type="Application/Atom+XML; charset=utf-8" href="atom.xml">
        <link rel="alternate" type="application/feed+json" href="//b.example/feed.json">
        <link rel="alternate" type="text/xml" href="feed:https://a.example/rss">
        <link rel="feed" href="feed://a.example/f"><link rel="alternate feed" href="atom.xml">
        """) == (
        "https://a.example/x/atom.xml",
        "https://b.example/feed.json",
        "https://a.example/rss",
        "http://a.example/f",
        "https://a.example/comments/feed/",
        "https://a.example/c.xml",
    )


def test_feeds_are_relative_to_the_base_of_their_page() -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="feed">'
    assert feeds(f'<base href="https://b.example/y/">{link}') == ("https://b.example/y/feed",)


def test_other_links_are_no_feeds() -> None:
    assert (
        feeds("""<link rel="alternate" hreflang="de" href="/de/">
        <link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/1">
        <link rel="alternate" type="application/json+oembed" href="/oembed?url=x">
        <link rel="alternate" type="text/xml" href="/oembed?format=xml">
        <link rel="stylesheet" type="text/xml" href="/s.xsl">
        <link rel="alternate" type="application/rss+xml">
        <link rel="alternate" type="application/rss+xml" href="javascript:x()">""")
        == ()
    )


def test_sitemaps_are_found_in_robots_txt() -> None:
    text = """\ufeffUser-agent: *
Disallow: /private
Sitemap: https://a.example/sitemap.xml
  SITEMAP : /news.xml  # news
sitemap:https://b.example/map.xml.gz
Site-map: <https://a.example/three.xml>
#Sitemap: https://a.example/no.xml
Sitemap:
Sitemap: ftp://a.example/no.xml
Sitemap: https://a.example/sitemap.xml
Allow: /sitemap: https://a.example/no.xml"""
    assert sitemaps_of_robots(text.replace("\n", "\r\n"), "https://a.example/robots.txt") == (
        "https://a.example/sitemap.xml",
        "https://a.example/news.xml",
        "https://b.example/map.xml.gz",
        "https://a.example/three.xml",
    )
    assert sitemaps_of_robots("<html>Not found: sitemap</html>", "https://a.example/") == ()


def test_usual_places_are_at_the_root_and_below_the_start() -> None:
    places = usual_places("https://a.example/blog/post?x=1#y")
    assert places["sitemap"][0] == "https://a.example/sitemap.xml"
    assert "https://a.example/wp-sitemap.xml" in places["sitemap"]
    assert places["feed"][0] == "https://a.example/blog/feed/"
    assert "https://a.example/feed/" in places["feed"]
    assert usual_places("https://a.example/blog")["feed"] == places["feed"]
    assert usual_places("https://a.example/blog/")["feed"] == places["feed"]
    at_root = usual_places("HTTPS://A.example")
    assert at_root["sitemap"] == places["sitemap"]
    assert at_root["feed"][0] == "https://a.example/feed/"
    assert usual_places("https://a.example/index.html") == at_root
    assert len(set(places["feed"])) == len(places["feed"])
    assert usual_places("mailto:a@a.example")["sitemap"] == []


def test_of_an_endless_robots_txt_the_beginning_is_read() -> None:
    text = "Sitemap: /first.xml\n" + "#\n" * 300_000 + "Sitemap: /last.xml\n"
    found = sitemaps_of_robots(robots_text(text.encode()), "https://a.example/robots.txt")
    assert found == ("https://a.example/first.xml",)
