"""Sites that lead a crawl to private addresses: none of them is connected to."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import running
from support.crawling import Project, Site, article, html
from support.traps import HOSTS, RESOLVER, trap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

METADATA = "http://169.254.169.254/latest/meta-data/"


@pytest.fixture
def lying(project: Project) -> Project:
    (project.folder / "ownresolver.py").write_text(RESOLVER, "utf-8")
    project.append(
        "ownsettings.py",
        "TWISTED_DNS_RESOLVER = DNS_RESOLVER = 'ownresolver.Lying'\nRETRY_ENABLED = False\n"
        "CORPUS_CRAWL_REPORT = 'report.json'",
    )
    return project


def figures(project: Project) -> dict[str, int]:
    found: dict[str, int] = json.loads((project.folder / "report.json").read_text())["stats"]
    return found


def test_no_page_leads_to_a_private_address(lying: Project, make_site: MakeSite) -> None:
    with trap() as (port, connections):
        targets = [f"http://{host}:{port}/" for host in HOSTS]
        pages: dict[str, Answer] = {"/good": html(article(1))}
        for number, target in enumerate(targets):
            # An address that was asked for before is not asked for again.
            pages[f"/moved/{number}"] = (302, {"Location": f"{target}1"}, b"")
            pages[f"/refresh/{number}"] = html(
                f'<meta http-equiv="refresh" content="0; url={target}2"><p>Wait.'
            )
            pages[f"/header/{number}"] = (
                *(200, {"Content-Type": "text/html", "Refresh": f"0; url={target}3"}, b"<p>Wait."),
            )
        pages["/metadata"] = (307, {"Location": METADATA}, b"")
        site = make_site(pages)
        attempts = [f"{site.url}{path[1:]}" for path in pages]
        _, err = lying.run(
            "crawl", "urls", "-a", f"urls={' '.join(attempts)}", "-O", "out.jsonl",
            *("-s", "ROBOTSTXT_OBEY=True"),
        )  # fmt: skip
    assert len(attempts) == 44
    assert connections == []
    assert [item["url"] for item in lying.items()] == [f"{site.url}good"]
    assert figures(lying)["corpus/failed/private-address"] == 43
    # One line a host, however it is written; and one for the metadata.
    assert err.count("Not requested: rebound.example") == 1
    assert err.count("Not requested: ") == len(HOSTS) - 3 + 1
    assert "pw" not in err


def test_no_listing_leads_to_a_private_address(lying: Project, make_site: MakeSite) -> None:
    with trap() as (port, connections):
        targets = [f"http://{host}:{port}" for host in HOSTS if "@" not in host]
        site = make_site({})
        listed = "".join(f"<url><loc>{target}/a</loc></url>" for target in targets)
        nested = "".join(f"<sitemap><loc>{target}/s.xml</loc></sitemap>" for target in targets)
        feeds = "".join(
            f'<link rel="alternate" type="application/rss+xml" href="{target}/feed">'
            f'<link rel="canonical" href="{target}/c"><link rel="next" href="{target}/n">'
            for target in targets
        )
        robots = "".join(f"Sitemap: {target}/sitemap.xml\n" for target in targets)
        site.pages |= {
            "/": html(f'<title>Start</title>{feeds}<a href="/a/1">one</a>'),
            "/a/1": html(article(1)),
            "/robots.txt": html(
                robots + f"Sitemap: {site.url}urls.xml\nSitemap: {site.url}index.xml\n",
                kind="text/plain",
            ),
            "/urls.xml": html(f"<urlset>{listed}</urlset>", kind="text/xml"),
            "/index.xml": html(f"<sitemapindex>{nested}</sitemapindex>", kind="text/xml"),
        }
        lying.run(
            "crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "ROBOTSTXT_OBEY=True"
        )
    assert connections == []
    assert {item["url"] for item in lying.items()} == {f"{site.url}a/1"}


# A handler of somebody else's, in the place of Scrapy's, as that of HTTP/2 or of a browser.
HANDLER = """
import socket
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: resolve(
    "127.0.0.1" if str(host).endswith(".example") else host, *rest, **more
)


class Other(HTTP11DownloadHandler):
    pass
"""


@pytest.mark.parametrize("handler", ["Scrapy's", "other"])
def test_spiders_of_other_projects_are_kept_out_too(
    lying: Project, make_site: MakeSite, handler: str
) -> None:
    if handler == "other":
        (lying.folder / "ownhandlers.py").write_text(HANDLER, "utf-8")
        lying.append("ownsettings.py", "DOWNLOAD_HANDLERS = {'http': 'ownhandlers.Other'}")
    with trap() as (port, connections):
        (lying.folder / "secret.html").write_text("<p>A secret.")
        targets = [f"http://{host}:{port}/" for host in HOSTS]
        targets += [f"file://{lying.folder}/secret.html"]
        links = "".join(f'<a href="{target}">t</a>' for target in [*targets, "/a/1"])
        site = make_site({"/": html(f"<title>Start</title>{links}"), "/a/1": html(article(1))})
        lying.append(
            "ownspiders.py",
            f"class Led(Yielding):\n    name = 'led'\n    start_urls = ['{site.url}']\n",
        )
        lying.run("crawl", "led", "-O", "out.jsonl", "-s", "ROBOTSTXT_OBEY=True")
    assert connections == []
    assert {item["url"] for item in lying.items()} == {f"{site.url}a/1"}
    # One is given twice, with credentials; and Scrapy's handler refuses a robots.txt by itself.
    refused = len(targets) - (handler == "other")
    assert figures(lying)["corpus/refused/private-address"] == refused


def test_no_file_of_an_item_leads_to_a_private_address(lying: Project, make_site: MakeSite) -> None:
    with trap() as (port, connections):
        (lying.folder / "secret.html").write_text("<p>A secret.")
        targets = [f"http://{host}:{port}/" for host in HOSTS]
        targets += [f"file://{lying.folder}/secret.html", "s3://bucket/key", METADATA]
        targets += [f"ftp://127.0.0.1:{port}/x", f"gopher://127.0.0.1:{port}/x"]
        moved: dict[str, Answer] = {
            f"/moved/{number}": (302, {"Location": f"{target}moved"}, b"")
            for number, target in enumerate(targets)
        }
        pdf: Answer = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4")
        site = make_site({"/": html(article(1)), "/good.pdf": pdf, **moved})
        files = [*targets, *(f"{site.url}{path[1:]}" for path in moved), f"{site.url}good.pdf"]
        lying.append(
            "ownspiders.py",
            "class Media(scrapy.Spider):\n"
            f"    name = 'media'\n    start_urls = ['{site.url}']\n"
            "    def parse(self, response):\n"
            f"        yield {{'name': 'all', 'file_urls': {files!r}}}\n",
        )
        lying.append(
            "ownsettings.py",
            "ITEM_PIPELINES = {'scrapy.pipelines.files.FilesPipeline': 1}\n"
            "FILES_STORE = 'files'\nMEDIA_ALLOW_REDIRECTS = True",
        )
        _, err = lying.run("crawl", "media", "-O", "out.jsonl")
    assert connections == []
    (item,) = lying.items()
    assert [each["url"] for each in item["files"]] == [f"{site.url}good.pdf"]
    # Scrapy follows no redirect to another scheme.
    assert figures(lying)["corpus/refused/private-address"] == len(targets) + len(HOSTS) + 1
    assert "user:pw" not in err


def test_a_start_page_that_moves_to_a_private_host_is_not_the_site(
    lying: Project, make_site: MakeSite
) -> None:
    inner = make_site({"/": html(article(1))})
    outer = make_site({"/": (301, {"Location": inner.url}, b"")})
    lying.run("crawl", "site", "-a", f"url={outer.url}", "-O", "out.jsonl", code=1)
    assert inner.asked == []
    assert lying.items() == []
    assert figures(lying)["corpus/failed/private-address"] == 1

    network = ("-s", "CORPUS_ALLOW_PRIVATE=127.0.0.0/8")
    lying.run("crawl", "site", "-a", f"url={outer.url}", "-O", "all.jsonl", *network)
    assert [item["url"] for item in lying.items("all.jsonl")] == [inner.url]


def test_a_public_name_that_resolves_to_a_private_address(
    lying: Project, make_site: MakeSite
) -> None:
    site = make_site({"/": html(article(1))})
    site.pages["/moved"] = (302, {"Location": site.url.replace("127.0.0.1", "localhost")}, b"")
    start = site.url.replace("127.0.0.1", "wiki.example")
    _, err = lying.run("crawl", "site", "-a", f"url={start}", "-O", "out.jsonl", code=1)
    assert site.asked == []
    assert "CORPUS_ALLOW_PRIVATE=wiki.example" in err
    # A network says where names may lead, private ones too.
    local = site.url.replace("127.0.0.1", "localhost")
    lying.run(
        "crawl", "urls", "-a", f"urls={start} {site.url}moved", "-O", "net.jsonl",
        *("-s", "CORPUS_ALLOW_PRIVATE=127.0.0.0/8"),
    )  # fmt: skip
    assert [item["url"] for item in lying.items("net.jsonl")] == [start, local]
    lying.run(
        "crawl", "site", "-a", f"url={start}", "-O", "all.jsonl",
        *("-s", "CORPUS_ALLOW_PRIVATE=wiki.example"),
    )  # fmt: skip
    assert [item["url"] for item in lying.items("all.jsonl")] == [start]


@contextmanager
def dropping() -> Iterator[tuple[int, list[str]]]:
    """Serve one page a connection, and drop that at the next request; note where each came in."""
    places: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.is_used = False
            places.append(self.request.getsockname()[0])

        def do_GET(self) -> None:
            if self.is_used:
                self.close_connection = True
                return
            self.is_used = True
            body = article(len(self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output quiet."""

    server = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
    with running(server):
        yield server.server_address[1], places


def test_a_name_that_turns_to_a_private_address(lying: Project) -> None:
    with dropping() as (port, places):
        base = f"http://turning.example:{port}"
        addresses = [f"{base}/{'x' * number}" for number in range(1, 4)]
        lying.run(
            "crawl", "urls", "-a", f"urls={' '.join(addresses)}", "-O", "out.jsonl",
            # The first address is as good as a public one.
            *("-s", "CORPUS_ALLOW_PRIVATE=127.0.0.1"),
        )  # fmt: skip
    # The second request is sent on the connection of the first, which has gone meanwhile.
    assert places == ["127.0.0.1"]
    assert [item["url"] for item in lying.items()] == addresses[:1]
    assert figures(lying)["corpus/failed/private-address"] == 2
