"""Why a crawl exported nothing, and what to do: one line for the summary and the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from crawler.journey.statistics import number, reasons

_LATER: Final = "try again later"
_BROWSER: Final = "the extra browser runs them, pip install 'scrapy-corpus[browser]'"
_RENDERED: Final = ("corpus/browser/pages", "corpus/browser/vain")
_RESPECTED: Final = "ask its owner, or read an archive of the site"
# By reason of failure, of skipped pages, and of addresses that were not requested. Of reasons that
# are not named here, the log tells.
_WORDS: Final = {
    "dns": "the name of the host is not known: check the address, and the connection to the net",
    "refused": f"the host refuses connections: check the address, or {_LATER}",
    "timeout": f"the host does not answer in time: check the address, or {_LATER}",
    "connection": f"the connection to the host breaks: check the address, or {_LATER}",
    "cut-short": f"the pages break off before their end: {_LATER}",
    "robots": f"the robots.txt of the site forbids the crawl: {_RESPECTED}",
    "robots-unreachable": (
        f"the robots.txt of the site cannot be had, and nobody knows what it forbids: {_LATER}"
    ),
    "interrupted": "the crawl was stopped before an answer came: run it again",
    "site-left-alone": f"the site fails, or asks for fewer requests: {_LATER}",
    "http-401": f"the site refuses the crawl: {_RESPECTED}",
    "http-403": f"the site refuses the crawl: {_RESPECTED}",
    "http-404": "there is no page at the address: check it",
    "http-410": "there is no page at the address any more: check it",
    "http-429": f"the site asks for fewer requests: {_LATER}, with a longer DOWNLOAD_DELAY",
    "http-451": f"the site may not give its pages, by law: {_RESPECTED}",
    "http-5": f"the server fails: {_LATER}",
    "redirects": "the address redirects without end: give the one that a browser shows at last",
    "redirect-loop": "the address redirects to itself: give the one that a browser shows at last",
    "private-address": "the address is of a private network: CORPUS_ALLOW_PRIVATE allows it",
    "network-off": "the settings allow no network: read an archive, or use other settings",
    "too-large": "the pages are too large: CORPUS_MAX_PAGE_BYTES is the limit",
    "not-article": "no page that came is an article: -s CORPUS_PAGE_TYPES=all takes all pages",
    "page-type": (
        "no page that came is of the types asked for: -s CORPUS_PAGE_TYPES=all takes all pages"
    ),
    "no-text": f"no page that came has a text: if scripts write it, {_BROWSER}",
    "empty": f"the pages that came are empty: if scripts fill them, {_BROWSER}",
    "not-html": "what came is no HTML page: give the address of a page",
    "malformed": (
        "what was read holds no pages; in JSON Lines each line needs 'url' and 'html', and an "
        "export has no 'html'"
    ),
    "no-page": "what was read holds no page: check the file",
    "unreadable": "what was given cannot be read: check the file",
    "date": "no page is of the days asked for: check 'since' and 'until'",
    "noindex": "the pages ask to be left out, and CORPUS_RESPECT says that this is respected",
    "tdm": "the pages reserve text and data mining, which CORPUS_RESPECT respects",
    "noai": "the pages ask not to be used for AI, which CORPUS_RESPECT respects",
    "not-held": "the pages cannot be kept on disk: CORPUS_DIR names another folder",
    "off-site": "the address leads to another site: give the address of that one",
    "allow": "the argument 'allow' rules out what was found: check it",
    "deny": "the argument 'deny' rules out what was found: check it",
    "lang": "the argument 'lang' rules out what was found: check it",
    "depth": "the argument 'max_depth' rules out what was found: raise it",
    "nofollow": "the site asks robots not to follow its links",
    "page-limit": (
        "the page limit was reached before an article came: raise 'max_pages' (--max-pages)"
    ),
    "dropped": "item pipelines dropped all pages: see the log",
    "broken": "an item pipeline failed on all pages: see the log",
}
# Copies of other pages, and temporary redirects, are no reason for having none.
_NO_REASON: Final = ("duplicate-address", "near-duplicate", "temporary-redirect")
_CUT_REASONS: Final = ("allow", "deny", "date", "lang", "depth", "nofollow", "page-limit")


def why_nothing(stats: Mapping[str, Any]) -> str:
    """Say in a line why a crawl exported nothing, and what to do, by what happened most often."""
    found: Counter[str] = Counter()
    for reason, times in _found(stats):
        found[reason] += times
    if not found and stats.get("corpus/resumed"):
        return "the crawl of this JOBDIR has fetched all it knew of: another JOBDIR begins anew"
    if not found:
        return "no page came: the log tells what was done"
    reason = max(found, key=lambda name: found[name])
    known = "http-5" if reason.startswith("http-5") else reason
    words = _WORDS.get(known, "see the log")
    if reason == "not-article" and stats.get("finish_reason") == "shutdown":
        words = "the crawl was stopped before an article came: run it again"
    if reason in {"no-text", "empty"} and any(number(stats, name) for name in _RENDERED):
        words = "no page that came has a text, after its scripts have run too"
    return f"{words} ({reason} {found[reason]:,})"


def _found(stats: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Give reasons with their numbers; of equal numbers those that say most stand first."""
    failed = reasons(stats, "corpus/failed/")
    yield from failed.items()
    if not failed:
        # Scrapy counts these of spiders that have no errback.
        for status, times in reasons(stats, "httperror/response_ignored_status_count/").items():
            yield f"http-{status}", times
    for reason, times in reasons(stats, "corpus/skipped/").items():
        if reason not in _NO_REASON:
            yield reason, times
    for reason, times in reasons(stats, "corpus/cut/").items():
        if reason in _CUT_REASONS:
            yield reason, times
    for reason, name in (("dropped", "corpus/pages/dropped"), ("broken", "corpus/pages/broken")):
        if times := number(stats, name):
            yield reason, times
