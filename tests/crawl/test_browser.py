"""Sites written by JavaScript are read in a real browser."""

from __future__ import annotations

import json
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import serve
from support.crawling import Project, Site, article, html, small_site
from support.scripted_site import scripted
from support.traps import HOSTS, RESOLVER, trap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

# What tells of the one crawl, not of its pages.
SECONDS = 60
OF_CRAWL = {"url", "site", "fetched_at", "counts_snapshot"}
# Whatever a page can ask for, of each place; then it writes itself, so that it is seen to have run.
ATTACKS = """
const ask = (place, tls) => {
  const at = (kind) => `http${tls}://${place}/${kind}`;
  const add = (tag, parts) => {
    const element = Object.assign(document.createElement(tag), parts);
    document.body.append(element);
    return new Promise((done) => { element.onload = element.onerror = () => done(); });
  };
  const opened = (socket) => new Promise((done) => { socket.onerror = socket.onopen = done; });
  navigator.sendBeacon(at("beacon"), "x");
  window.open(at("popup"));
  add("a", {href: at("click"), target: "_blank"}).click?.();
  const form = Object.assign(document.createElement("form"),
    {action: at("form"), method: "post", target: "inner"});
  document.body.append(form);
  form.submit();
  return [
    add("img", {src: at("img")}),
    add("script", {src: at("script")}),
    add("link", {rel: "stylesheet", href: at("style")}),
    add("link", {rel: "prefetch", href: at("prefetch")}),
    add("iframe", {src: at("iframe")}),
    add("iframe", {srcdoc: `<script>fetch("${at("srcdoc")}", {mode: "no-cors"})</script>`}),
    add("object", {data: at("object")}),
    fetch(at("fetch"), {mode: "no-cors"}),
    fetch("/moved?to=" + encodeURIComponent(at("redirect")), {mode: "no-cors"}),
    add("script", {src: "/moved?to=" + encodeURIComponent(at("script-redirect"))}),
    add("iframe", {src: "/moved?to=" + encodeURIComponent(at("iframe-redirect"))}),
    import(at("module")),
    opened(new WebSocket(`ws${tls}://${place}/socket`)),
    opened(new EventSource(at("events"))),
    opened(new Worker(URL.createObjectURL(new Blob(
      [`fetch("${at("worker")}", {mode: "no-cors"}).finally(() => postMessage(0))`])))),
  ].map((one) => Promise.race([one, new Promise((done) => setTimeout(done, 5000))]));
};
const stun = async (place) => {
  const peer = new RTCPeerConnection({iceServers: [{urls: `stun:${place}`}]});
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((done) => {
    peer.onicegatheringstatechange = () => peer.iceGatheringState == "complete" && done();
    setTimeout(done, 3000);
  });
};
addEventListener("load", async () => {
  document.body.append(Object.assign(document.createElement("iframe"), {name: "inner"}));
  navigator.serviceWorker?.register("/worker.js").catch(() => 0);
  // As long as this is under way the page is waited for.
  fetch("/until-done");
  await Promise.allSettled(places.flatMap((place) => [...ask(place, ""), ...ask(place, "s")]));
  await Promise.allSettled(stuns.map(stun));
  document.body.insertAdjacentHTML("afterbegin", written);
  fetch("/done");
});
"""


class Waiting(dict[str, "Answer"]):
    """Pages one of which is answered when another one was asked for."""

    def __init__(self, pages: Mapping[str, Answer]) -> None:
        super().__init__(pages)
        self.is_done = Event()

    def get(self, key: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override] # of the one use
        if key == "/done":
            self.is_done.set()
        elif key == "/until-done":
            self.is_done.wait(SECONDS)
        return super().get(key, default)


def crawl(
    project: Project, url: str, *more: str, code: int = 0, spider: str = "site"
) -> dict[str, Any]:
    """Crawl a site; return the figures."""
    name = "urls" if spider == "urls" else "url"
    project.run(
        *("crawl", spider, "-a", f"{name}={url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_CRAWL_REPORT=report.json", *more),
        code=code,
    )
    stats: dict[str, Any] = json.loads((project.folder / "report.json").read_text("utf-8"))["stats"]
    return stats


def of_browser(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures that only a crawl with a browser has."""
    prefix = "corpus/browser/"
    found = {name.removeprefix(prefix): stats[name] for name in stats if name.startswith(prefix)}
    assert ("playwright/browser_count" in stats) == bool(found.keys() - {"missing", "proxy"})
    return found


def contents(project: Project, site: str) -> dict[str, dict[str, Any]]:
    """Return what is on the items, by their paths."""
    text = (project.folder / "out.jsonl").read_text("utf-8").replace(site, "/")
    return {
        item["url"]: {name: value for name, value in item.items() if name not in OF_CRAWL}
        for item in map(json.loads, text.splitlines())
    }


def page_of_script(script: str) -> Answer:
    """Make a page that is nothing but a script."""
    return html(f"<!doctype html><title>Page</title><body><script>{script}</script></body>")


def writing(markup: str) -> Answer:
    """Make a page that is written by a script in it."""
    return page_of_script(f"document.body.insertAdjacentHTML('afterbegin', {json.dumps(markup)})")


def test_a_scripted_site_gives_the_items_of_its_plain_twin(
    project: Project, make_site: MakeSite
) -> None:
    plain = make_site(small_site(6))
    assert of_browser(crawl(project, plain.url)) == {}
    expected = contents(project, plain.url)
    assert len(expected) == 7
    written = make_site(scripted(small_site(6)))
    stats = crawl(project, written.url)
    assert contents(project, written.url) == expected
    assert of_browser(stats) == {"pages": 7}
    # Nothing was asked for twice, and the script that all pages share once.
    assert len(written.asked) == len(set(written.asked))
    assert written.asked.count("/app.js") == 1
    # An interface that a site keeps from robots is not asked.
    written.pages["/robots.txt"] = html("User-agent: *\nDisallow: /api/", kind="text/plain")
    obeying = ("-s", "ROBOTSTXT_OBEY=True")
    written.asked.clear()
    stats = crawl(project, written.url, *obeying, code=1)
    assert not [path for path in written.asked if path.startswith("/api")]
    assert of_browser(stats) == {"robots": 1, "vain": 1}
    # The name by which the crawl looks for rules is that of the browser, too.
    written.pages["/robots.txt"] = html("User-agent: own\nDisallow: /api/", kind="text/plain")
    own = (*obeying, "-s", "ROBOTSTXT_USER_AGENT=own")
    assert of_browser(crawl(project, written.url, *own, code=1)) == {"robots": 1, "vain": 1}


def test_which_pages_go_to_the_browser(project: Project, make_site: MakeSite) -> None:
    plain = small_site(2)
    site = make_site(plain | {"/a/0": writing(article(0))})
    assert of_browser(crawl(project, site.url)) == {"pages": 1}
    assert len(project.items()) == 3
    for use, seen in (
        ("never", {}),
        ("other.example", {}),
        ("other.example,auto", {"pages": 1}),
        ("127.0.0.1", {"pages": 3}),
        ("always", {"pages": 3}),
    ):
        assert of_browser(crawl(project, site.url, "-s", f"CORPUS_BROWSER={use}")) == seen


def test_a_page_that_moves_on_leads_a_crawl_as_a_redirect_does(
    project: Project, make_site: MakeSite
) -> None:
    with trap() as (port, connections):
        site = make_site(
            {
                "/to": page_of_script("location.href = '/a/1'"),
                "/round": page_of_script("location.reload()"),
                "/kept": page_of_script("location.href = '/private/1'"),
                "/inside": page_of_script(f"location.replace('http://localhost:{port}/')"),
                "/robots.txt": html("User-agent: *\nDisallow: /private/", kind="text/plain"),
                "/a/1": html(article(1)),
                "/private/1": html(article(2)),
            }
        )
        urls = " ".join(f"{site.url}{name}" for name in ("to", "round", "kept", "inside"))
        stats = crawl(
            project,
            urls,
            # A page that moves on while it is read is not waited for.
            *("-s", "ROBOTSTXT_OBEY=True", "-s", "CORPUS_BROWSER_SECONDS=3600"),
            spider="urls",
        )
    assert {item["url"] for item in project.items() if item["text"]} == {f"{site.url}a/1"}
    assert connections == []
    assert "/private/1" not in site.asked
    assert stats["corpus/failed/robots"] == stats["corpus/failed/private-address"] == 1
    assert stats["corpus/browser/moved"] == 3


def test_a_page_that_asks_for_itself_again_stays(project: Project, make_site: MakeSite) -> None:
    site = make_site(
        {
            # One before it is whole, and one that has written itself before.
            "/a/1": html(
                article(1).replace("</body>", "<script>location.reload()</script></body>")
            ),
            "/a/2": page_of_script(
                f"document.body.insertAdjacentHTML('afterbegin', {json.dumps(article(2))});"
                "addEventListener('load', () => setTimeout(() => location.reload()))"
            ),
        }
    )
    stats = crawl(
        project,
        f"{site.url}a/1 {site.url}a/2",
        *("-s", "CORPUS_BROWSER=always", "-s", "CORPUS_BROWSER_SECONDS=3600"),
        spider="urls",
    )
    assert of_browser(stats) == {"pages": 2}
    assert sorted(site.asked) == ["/a/1", "/a/2"]
    assert all(item["text"] for item in project.items())
    assert len(project.items()) == 2


def test_a_site_whose_pages_cannot_be_rendered_is_not_tried_on(
    project: Project, make_site: MakeSite
) -> None:
    large = page_of_script("document.body.append('x '.repeat(400_000))")
    site = make_site({f"/a/{number}": large for number in range(5)})
    stats = crawl(
        project,
        " ".join(f"{site.url}a/{number}" for number in range(5)),
        *("-s", "CONCURRENT_REQUESTS=1", "-s", "RETRY_ENABLED=False"),
        *("-s", "CORPUS_MAX_PAGE_BYTES=500000"),
        spider="urls",
        code=1,
    )
    assert of_browser(stats) == {"failed": 3}


def test_a_page_that_never_ends_is_given_up(project: Project, make_site: MakeSite) -> None:
    site = make_site(
        {
            "/loop": page_of_script("for (;;) {}"),
            "/late": page_of_script("setTimeout(() => { for (;;) {} }, 0)"),
            "/large": page_of_script(
                "document.body.append('x '.repeat(400_000)); fetch('/a/1').then(() => 0)"
            ),
            # It goes on asking, and what is there is taken.
            "/busy": page_of_script(
                f"document.body.innerHTML = {json.dumps(article(5))};"
                "setInterval(() => fetch('/a/1'), 100)"
            ),
            "/a/1": writing(article(1)),
        }
    )
    urls = " ".join(f"{site.url}{name}" for name in ("loop", "late", "large", "busy", "a/1"))
    stats = crawl(
        project,
        urls,
        *("-s", "CORPUS_BROWSER_SECONDS=3", "-s", "RETRY_TIMES=1"),
        *("-s", "CORPUS_MAX_PAGE_BYTES=500000", "-s", "CONCURRENT_REQUESTS=2"),
        spider="urls",
    )
    assert {item["url"] for item in project.items() if item["text"]} == {
        f"{site.url}a/1",
        f"{site.url}busy",
    }
    assert of_browser(stats) == {"pages": 2, "failed": 3}
    # The first two ask for nothing more, and are fetched once more each.
    assert [site.asked.count(path) for path in ("/loop", "/late", "/large")] == [2, 2, 2]


def test_no_script_takes_away_an_article_that_came(project: Project, make_site: MakeSite) -> None:
    download = "<iframe src='/file'></iframe><script src='/slow.js'></script>"
    site = make_site(
        {
            "/file": (200, {"Content-Disposition": "attachment; filename=a.zip"}, b"PK"),
            "/sends": html(article(1, download)),
            "/blank": html(article(3, "<script>location = 'about:blank'</script>")),
            "/own": html(
                article(4, "<script>document.querySelectorAll = () => { throw 1 }</script>")
            ),
        }
    )
    names = ("sends", "blank", "own")
    urls = " ".join(f"{site.url}{name}" for name in names)
    more = ("-s", "CORPUS_BROWSER=always", "-s", "CORPUS_BROWSER_SECONDS=8", "-s", "RETRY_TIMES=0")
    stats = crawl(project, urls, *more, spider="urls")
    assert {item["url"] for item in project.items() if item["text"]} == set(urls.split())
    assert of_browser(stats) == {"pages": 2, "failed": 1}


def test_text_in_the_shadow_of_elements(project: Project, make_site: MakeSite) -> None:
    inner = json.dumps(f"<div>{article(3)}</div>")
    site = make_site(
        {
            "/": page_of_script(
                "const host = document.createElement('x-page'); document.body.append(host);"
                f"host.attachShadow({{mode: 'open'}}).innerHTML = {inner}"
            )
        }
    )
    assert of_browser(crawl(project, site.url)) == {"pages": 1}
    (item,) = project.items()
    assert "a heron stood" in item["text"]


@pytest.fixture
def hostile(project: Project) -> Project:
    (project.folder / "ownresolver.py").write_text(RESOLVER, "utf-8")
    project.append(
        "ownsettings.py",
        "TWISTED_DNS_RESOLVER = DNS_RESOLVER = 'ownresolver.Lying'\nRETRY_ENABLED = False",
    )
    return project


@pytest.mark.timeout(240)
@pytest.mark.parametrize("allowed", ["", "all"])
def test_no_page_reaches_a_private_address(hostile: Project, allowed: str) -> None:
    # Where all is allowed the browser is seen to ask; a few of the places are enough for that.
    hosts = [*HOSTS, "turning.example"] if not allowed else ["127.0.0.2", "rebound.example"]
    with trap() as (port, met):
        places = [f"{host}:{port}" for host in hosts if "@" not in host]
        places += [] if allowed else ["169.254.169.254", "192.168.0.1:8"]
        names = {"places": places, "stuns": places[:3], "written": article(1)}
        data = "".join(f"const {name} = {json.dumps(value)};" for name, value in names.items())
        worker = f"fetch('http://127.0.0.2:{port}/serviceworker', {{mode: 'no-cors'}})"
        pages = Waiting(
            {
                "/": html(
                    "<!doctype html><title>Page</title>"
                    f'<link rel="dns-prefetch" href="http://127.0.0.2:{port}">'
                    f'<link rel="preconnect" href="http://127.0.0.2:{port}">'
                    "<body><script src='/attack.js'></script></body>"
                ),
                "/attack.js": html(f"{data}{ATTACKS}", kind="text/javascript"),
                "/worker.js": html(worker, kind="text/javascript"),
                **{
                    f"/moved?to=http{tls}%3A%2F%2F{place.replace(':', '%3A')}%2F{kind}": (
                        *(302, {"Location": f"http{tls}://{place}/{kind}"}, b""),
                    )
                    for place in places
                    for kind in ("redirect", "script-redirect", "iframe-redirect")
                    for tls in ("", "s")
                },
            }
        )
        with serve(pages, asked=(asked := list[str]())) as address:
            more = ["-s", f"CORPUS_ALLOW_PRIVATE={allowed}"] if allowed else []
            stats = crawl(hostile, address, "-s", f"CORPUS_BROWSER_SECONDS={SECONDS}", *more)
    assert of_browser(stats) == {"pages": 1}
    assert "a heron stood" in hostile.items()[0]["text"]
    assert "/worker.js" not in asked
    if allowed:
        assert len(met) > 20
    else:
        assert met == []
        assert stats["corpus/refused/private-address"] > 100


def test_a_page_may_ask_the_hosts_that_are_allowed(project: Project, make_site: MakeSite) -> None:
    # As where the articles of a site come from an interface on another host.
    allowed: dict[str, str] = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/plain"}
    with serve({"/one": (200, allowed, article(1).encode())}) as address:
        other = address.replace("127.0.0.1", "localhost")
        site = make_site(
            {
                "/": page_of_script(
                    f"fetch('{other}/one').then((answer) => answer.text())"
                    ".then((markup) => { document.body.innerHTML = markup })"
                )
            }
        )
        assert of_browser(crawl(project, site.url, code=1)) == {"vain": 1}
        stats = crawl(project, site.url, "-s", "CORPUS_ALLOW_PRIVATE=localhost")
    assert of_browser(stats) == {"pages": 1}


def test_where_no_browser_can_read_a_page_a_line_says_why(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(
        {"/": html(article(1)), "/a/1": writing(article(2)), "/a/2": writing(article(3))}
    )
    urls = " ".join(f"{site.url}{name}" for name in ("", "a/1", "a/2"))
    project.append("ownsettings.py", "import sys\n\nsys.modules['scrapy_playwright'] = None")
    out = ("-a", f"urls={urls}", "-O", "out.jsonl")
    _, err = project.run("crawl", "urls", *out)
    assert [item["url"] for item in project.items()] == [site.url]
    assert err.count("pip install 'scrapy-corpus[browser]'") == 1
    assert "browser     2 written by scripts" in err
    # Who asks for it in so many words is told before anything is fetched.
    site.asked.clear()
    _, err = project.run("crawl", "urls", *out, "-s", "CORPUS_BROWSER=always", code=2)
    assert "pip install 'scrapy-corpus[browser]'" in err
    assert site.asked == []


def test_a_page_that_came_through_a_proxy_is_not_asked_for_past_it(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site({"/": html(article(1)), "/a/1": writing(article(2))})
    # Any server is a proxy for its own addresses.
    site.pages |= {f"{site.url[:-1]}{path}": answer for path, answer in site.pages.items()}
    project.append("ownsettings.py", f"import os\n\nos.environ['http_proxy'] = '{site.url}'")
    stats = crawl(project, f"{site.url} {site.url}a/1", spider="urls")
    assert [item["url"] for item in project.items()] == [site.url]
    assert of_browser(stats) == {"proxy": 1}
