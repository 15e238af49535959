"""The parsers of outside data, each with seeds, for fuzzing."""

from __future__ import annotations

import gzip
import json
import tempfile
from dataclasses import asdict
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import etree
from scrapy.robotstxt import ProtegoRobotParser

from crawler.core.counting.site_counts import SiteCounts
from crawler.core.errors import ModelError, StoreError, UnreadableInputError, UnreadablePageError
from crawler.core.flow import observe, read
from crawler.core.listings.read import read_listing, robots_text, sitemaps_of_robots
from crawler.core.metadata.read import read_metadata
from crawler.core.methods.registry import get_method
from crawler.core.page.addresses import address_key, address_site, canonical_address
from crawler.core.page.decode import decode_bytes
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.page.robots_meta import read_directives
from crawler.core.structure.medl import parse_model
from crawler.core.structure.structure import structure_of
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD, get_table_method
from crawler.core.tables.content import judge_tables, tables_of
from crawler.core.wrapper.learning import learn_records, learn_values
from crawler.core.wrapper.project import Element, new_project
from crawler.core.wrapper.project_file import read_project, write_project
from crawler.core.wrapper.tree import read_tree
from crawler.discovery.addresses import complete_address, read_address_list, split_addresses
from crawler.discovery.guesses import (
    address_date,
    address_language,
    guess_kind,
    plain_address,
)
from crawler.discovery.links import page_links
from crawler.discovery.scope import Scope
from crawler.evaluation.gold import read_gold
from crawler.harvest.plan import PlanError, read_plan
from crawler.journey.extract import extract
from crawler.store.archive import pages_in, record_bytes
from crawler.store.counts import CountStore, read_counts
from crawler.store.document_models import load_model
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Found
from crawler.store.sources import read_source
from support.fuzzing import Parser, WrongResultError
from support.pages import article_page

URL = "https://news.example/2024/05/night-train"
_DATE = "2024-05-01T10:00:00Z"
_SEEDS = Path(__file__).with_name("fuzz_seeds")


_own_folder = tempfile.TemporaryDirectory(prefix="fuzz-")
_FOLDER = Path(_own_folder.name)


def _file(name: str, data: bytes) -> Path:
    path = _FOLDER / name
    path.write_bytes(data)
    return path


def _whole_page(data: bytes) -> None:
    item = extract(
        data, URL, item_markdown=True, item_comments=True, item_blocks=True, structure_model="news"
    )
    # What feeds write.
    json.dumps(asdict(item), ensure_ascii=False).encode()
    etree.fromstring((item.structure or "<a/>").encode())


def _decoded(data: bytes) -> None:
    kinds = ("", "text/html; charset=utf-16", "text/html; charset=\xff'\"", "x;charset=euc-kr")
    decode_bytes(data[1:], kinds[(data or b"0")[0] % len(kinds)])[0].encode(
        "utf-8", "surrogatepass"
    )


def _tables(data: bytes) -> None:
    parsed, method = parse(Page(URL, data)), get_table_method(DEFAULT_TABLE_METHOD)
    found = tables_of(parsed, judge_tables(parsed, method), method, layout=True)
    json.dumps(found, ensure_ascii=False).encode()


def _metadata(data: bytes) -> None:
    found = read_metadata(parse(Page(URL, data)), URL, "2024-06-01T00:00:00Z")
    json.dumps(asdict(found), ensure_ascii=False).encode()


def _links(data: bytes) -> None:
    for link in page_links(parse(Page(URL, data)), Scope(), nofollow=False):
        link.address.encode()


def _listing(data: bytes) -> None:
    for entry in read_listing(data, "https://news.example/s.xml", "text/xml").entries:
        entry.url.encode()


def _robots(data: bytes) -> None:
    text = robots_text(data)
    for address in sitemaps_of_robots(text, "https://news.example/robots.txt"):
        address.encode()
    ProtegoRobotParser(data, None).allowed(URL, "scrapy-corpus")
    read_directives([text], text, None)


def _addresses(data: bytes) -> None:
    text = data.decode("utf-8", "surrogatepass") if _is_utf8(data) else data.decode("latin-1")
    for one in (text, *islice(split_addresses(text), 20)):
        address = canonical_address(one)
        if canonical_address(address) != address:
            raise WrongResultError(f"the canonical form of {address!r} is another one")
        address_key(one)
        address_site(one)
        if (typed := complete_address(one)) is not None:
            whole = canonical_address(typed)
            for guess in (guess_kind, address_date, address_language, plain_address):
                guess(whole)
    for name in ("list.txt", "list.jsonl", "list.csv"):
        list(islice(read_address_list(_file(name, data)), 100))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _model(data: bytes) -> None:
    model = parse_model(data.decode("utf-8", "replace"))
    etree.fromstring(structure_of(_document(), model).xml().encode())


@cache
def _document() -> Any:  # noqa: ANN401 - a document, read once
    return read(Page(URL, _seeds("pages")[0]))


def _project(data: bytes) -> None:
    project = read_project(data.decode("utf-8", "replace"))
    read_project(write_project(project))


def _warc(data: bytes) -> None:
    def skip(reason: str, detail: str) -> None:
        f"{reason}{detail}".encode("utf-8", "surrogatepass")

    for page in pages_in(BytesIO(data), "a.warc", on_skip=skip, max_bytes=1_000_000):
        page.site_name.encode("utf-8", "surrogatepass")


def _saved(data: bytes) -> None:
    names = ("a.html", "a.mhtml", "a.jsonl", "a.html.gz", "a.jsonl.gz", "a.warc.gz", "saved/a")
    (_FOLDER / "saved").mkdir(exist_ok=True)
    for name in names:
        path = _file(name, data)
        source = path.parent if name.startswith("saved/") else path
        list(islice(read_source(source, on_skip=lambda *_: None), 50))


def _counts(data: bytes) -> None:
    read_counts(_file("counts.npz", data)).view()


def _ledger(data: bytes) -> None:
    for name in ("ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite-journal"):
        (_FOLDER / name).unlink(missing_ok=True)
    with Ledger(_file("ledger.sqlite", data)) as ledger:
        list(islice(ledger.rows(), 100))
        ledger.figures()
        ledger.next_due(10)
        ledger.add_found([Found("https://news.example/new", found_by="link", at=_DATE)])
        list(ledger.parts())


def _plan(data: bytes) -> None:
    read_plan(_file("plan.toml", data))


def _gold(data: bytes) -> None:
    list(islice(read_gold([_file("gold.jsonl", data)]), 100))


def _project_seeds() -> tuple[bytes, ...]:
    schema = Element(
        "shop", "group",
        elements=(Element("name"), Element("book", "group", repeat=True, elements=(Element("t"),))),
    )  # fmt: skip
    tree = read_tree(Page.from_text(URL, "<h1>Shop</h1><ul><li><b>One</b><li><b>Two</b></ul>"))
    project = learn_values(new_project(schema), tree, {"name": ["Shop"]}).project
    project = learn_records(project, tree, "book", [{"t": ["One"]}]).project
    return (write_project(project).encode(),)


def _warc_seeds() -> tuple[bytes, ...]:
    ours = b"".join(record_bytes(article_page(n), date=_DATE) for n in range(2))
    (other,) = _seeds("warc")
    return ours, other, other + ours, gzip.compress(ours, mtime=0)


def _counts_seeds() -> tuple[bytes, ...]:
    method, counts = get_method("article"), SiteCounts()
    for number in range(3):
        counts.add(observe(read(article_page(number)), method))
    return (CountStore(_FOLDER / "kept").save("s.example", "crawl", counts).read_bytes(),)


def _ledger_seeds() -> tuple[bytes, ...]:
    path = _FOLDER / "seed.sqlite"
    with Ledger(path) as ledger:
        ledger.add_found(
            Found(f"https://news.example/{n}", found_by="link", at=_DATE) for n in range(3)
        )
    return (path.read_bytes(),)


def _seeds(name: str) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted((_SEEDS / name).iterdir()))


@cache
def parsers() -> dict[str, Parser]:
    """Return all parsers by name."""
    pages = _seeds("pages")
    no_page, no_input = (UnreadablePageError,), (UnreadableInputError,)
    models = tuple(
        (Path(load_model.__code__.co_filename).parent / f"{name}.medl").read_bytes()
        for name in ("news", "blog", "resume", "event")
    )
    all_of_them = (
        Parser("pages", pages, _whole_page, no_page),
        Parser("encodings", pages, _decoded),
        Parser("tables", (*_seeds("tables"), pages[0]), _tables, no_page),
        Parser("metadata", pages, _metadata, no_page),
        Parser("links", pages, _links, no_page),
        Parser("sitemaps", _seeds("sitemaps"), _listing),
        Parser("feeds", _seeds("feeds"), _listing),
        Parser("robots", _seeds("robots"), _robots),
        Parser("addresses", _seeds("addresses"), _addresses, no_input),
        Parser("medl", models, _model, (ModelError,)),
        Parser("projects", _project_seeds(), _project, no_input),
        Parser("warc", _warc_seeds(), _warc, no_input),
        Parser("saved", (*_seeds("saved"), *_warc_seeds()), _saved, no_input),
        Parser("counts", _counts_seeds(), _counts, (StoreError,)),
        Parser("ledger", _ledger_seeds(), _ledger, (StoreError,)),
        Parser("plan", _seeds("plan"), _plan, (PlanError,)),
        Parser("gold", _seeds("gold"), _gold, no_input),
    )
    return {parser.name: parser for parser in all_of_them}
