from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scrapy.http import HtmlResponse

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.wrapper.learning import learn_records, learn_values
from crawler.core.wrapper.output_forms import as_json
from crawler.core.wrapper.project import (
    Action,
    Copy,
    Element,
    Load,
    Project,
    Save,
    Script,
    Source,
    checked,
    new_project,
)
from crawler.core.wrapper.project_file import write_project
from crawler.core.wrapper.tree import PageTree, read_tree
from crawler.middlewares.to_page import ItemOrigins
from crawler.scripting.calls import Limits
from crawler.wrapper.actions import addresses_of
from crawler.wrapper.running import ProjectRunner, Wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA = Element(
    "shop",
    "group",
    elements=(
        Element("name", required=True),
        Element("total", "number"),
        Element("note", repeat=True),
        Element(
            "book",
            "group",
            repeat=True,
            elements=(Element("title"), Element("price", "number"), Element("stars", "integer")),
        ),
    ),
)


def shop(name: str, *books: tuple[str, str]) -> PageTree:
    rows = "".join(
        f"<li><a href='/{title}'>{title}</a> <b>{price}</b></li>" for title, price in books
    )
    return read_tree(
        Page.from_text("https://shop.example/", f"<h1>{name}</h1><ul>{rows}</ul><p>End</p>")
    )


ONE = shop("Corner", ("Tree", "$3.50"), ("Sea", "$4"), ("Sky", "$5.25"))
TWO = shop("Harbour", ("Rain", "$1.50"), ("Fog", "$9"))

BARE = read_tree(Page.from_text("https://shop.example/", "<div><img src=/a.png></div>"))


@pytest.fixture(scope="module")
def taught() -> Project:
    project = learn_values(new_project(SCHEMA), ONE, {"name": ["Corner"]}).project
    return learn_records(project, ONE, "book", [{"title": ["Tree"], "price": ["$3.50"]}]).project


@pytest.fixture
def run(taught: Project) -> Iterator[Runner]:
    runner = Runner(taught)
    yield runner
    runner.close()


class Runner:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.wrappers: list[ProjectRunner] = []

    def __call__(
        self,
        *actions: Action,
        page: PageTree = TWO,
        args: tuple[str, ...] = (),
        seconds: float = 5.0,
    ) -> Wrapped:
        project = checked(
            Project(self.project.schema, self.project.rules, actions, self.project.matcher)
        )
        wrapper = ProjectRunner(project, "shop.h2x", limits=Limits(seconds=seconds))
        self.wrappers.append(wrapper)
        return wrapper.run(page, args)

    def close(self) -> None:
        for wrapper in self.wrappers:
            wrapper.close()


def reasons(wrapped: Wrapped) -> list[tuple[str, str]]:
    return [(problem.reason, problem.element) for problem in wrapped.result.problems]


def test_a_project_without_scripts_is_what_its_rules_find(run: Runner) -> None:
    wrapped = run()
    assert as_json(wrapped.result.root, SCHEMA)["book"] == [
        {"title": "Rain", "price": 1.5, "stars": None},
        {"title": "Fog", "price": 9.0, "stars": None},
    ]
    assert wrapped.result.problems == ()


def test_a_script_adds_to_what_the_rules_have_filled(run: Runner) -> None:
    script = """
    function main(prices) {
      let total = 0;
      for (const price of prices) total += Number(price.value.slice(1));
      xtree.root.Add("total", total);
      xtree.root.firstChild.value = "The " + xtree.root.firstChild.value;
      for (let book = xtree.root.firstChild; book; book = book.nextSibling)
        if (book.name == "book") book.Add("stars", 3);
    }
    """
    wrapped = run(Script(script, ("book/price",)))
    assert as_json(wrapped.result.root, SCHEMA) == {
        "name": "The Harbour",
        "total": 10.5,
        "note": [],
        "book": [
            {"title": "Rain", "price": 1.5, "stars": 3},
            {"title": "Fog", "price": 9.0, "stars": 3},
        ],
    }
    assert wrapped.result.fits


def test_what_is_of_the_rules_keeps_its_source_through_two_scripts(run: Runner) -> None:
    copy = Script('function main(name) { xtree.root.Add("note", name.parent); }', ("name",))
    wrapped = run(copy, Script('function main() { xtree.root.Add("note", "second"); }'))
    name, *rest = wrapped.result.root.children
    assert name.source == "/html[1]/body[1]/h1[1]/#text[1]"
    notes = [node for node in rest if node.name == "note"]
    assert [(note.value, note.source) for note in notes] == [
        ("Harbour", "/html[1]/body[1]/h1[1]"),
        ("second", ""),
    ]


def test_one_node_is_handed_over_alone_several_as_an_array_none_as_null(run: Runner) -> None:
    script = """
    function main(name, books, titles) {
      system.Debug(name === null ? "null" : name.value);
      system.Debug(books.length + " " + titles.length);
    }
    """
    action = Script(script, ("name", "book", "book/title"))
    assert run(action).debug == ("Harbour", "2 2")
    assert run(action, page=BARE).debug == ("null", "0 0")


def test_what_a_script_alone_asks_for_is_found_and_not_copied(run: Runner) -> None:
    count = Script('function main(all) { xtree.root.Add("total", all.length); }', ("book/title",))
    wrapped = run(Copy("name"), count)
    assert as_json(wrapped.result.root, SCHEMA) == {
        "name": "Harbour",
        "total": 2,
        "note": [],
        "book": [],
    }


def test_what_the_schema_has_not_or_not_so_often_is_left_out_and_told(run: Runner) -> None:
    script = """
    function main() {
      xtree.root.Add("colour", "red");
      xtree.root.Add("colour", "blue");
      xtree.root.Add("total", "about 5");
      xtree.root.Add("total", 7);
      xtree.root.Add("name", "Second");
      xtree.root.Add("note", true);
      xtree.root.Add("book", null).Add("stars", "many");
    }
    """
    wrapped = run(Script(script))
    shape = as_json(wrapped.result.root, SCHEMA)
    assert (shape["name"], shape["total"], shape["note"]) == ("Harbour", 5.0, ["true"])
    assert reasons(wrapped) == [
        ("too-many", "name"),
        ("too-many", "total"),
        ("wrong-type", "book/stars"),
        ("not-in-schema", "colour"),
    ]
    assert wrapped.result.problems[-1].detail == (
        "'colour' was added 2 times and is not in the schema; left out"
    )


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("function main() { while (true); }", "shop.h2x, action 1, line 1, column"),
        ("function main() {\n  return nothing.at.all;\n}", "shop.h2x, action 1, line 2, column"),
        ("function main() {\n  (\n}", "shop.h2x, action 1, line 3, column"),
    ],
    ids=["endless", "exception", "syntax"],
)
def test_a_script_that_fails_costs_the_page_nothing_else(
    run: Runner, script: str, reason: str
) -> None:
    more = Script('function main() { xtree.root.Add("note", "still here"); }')
    wrapped = run(Script(script), more, seconds=0.3)
    assert reasons(wrapped) == [("script-failed", "")]
    assert wrapped.result.problems[0].detail.startswith(reason)
    shape = as_json(wrapped.result.root, SCHEMA)
    assert (shape["name"], shape["note"], len(shape["book"])) == ("Harbour", ["still here"], 2)
    assert wrapped.result.fits


def test_what_a_script_did_before_it_failed_is_undone(run: Runner) -> None:
    script = 'function main() { xtree.root.Add("note", "half"); throw new Error("no"); }'
    assert as_json(run(Script(script)).result.root, SCHEMA)["note"] == []


def test_what_is_required_may_come_from_a_script() -> None:
    schema = Element(
        "page", "group", elements=(Element("name"), Element("length", "integer", required=True))
    )
    project = learn_values(new_project(schema), ONE, {"name": ["Corner"]}).project
    add = Script('function main(n) { if (n) xtree.root.Add("length", n.value.length); }', ("name",))
    with closing(ProjectRunner(Project(schema, project.rules, (add,)), "p")) as wrapper:
        found = wrapper.run(TWO).result
        assert (found.fits, as_json(found.root, schema)) == (True, {"name": "Harbour", "length": 7})
        none = wrapper.run(BARE)
        assert not none.result.fits
        assert reasons(none) == [("missing", "length")]
    # Without a script it can come from nowhere.
    with closing(ProjectRunner(Project(schema, project.rules), "p")) as wrapper:
        assert reasons(wrapper.run(TWO)) == [("missing", "length")]


def test_saves_hold_what_there_is_in_their_place(run: Runner) -> None:
    note = Script('function main() { xtree.root.Add("note", "n"); xtree.Save(system.args(2)); }')
    wrapped = run(
        Save(Source("before.xml")), note, Save(Source(argument=1)), args=("page", "", "own.xml")
    )
    assert [file for file, _ in wrapped.saves] == ["before.xml", "own.xml"]
    before, own = (xml for _, xml in wrapped.saves)
    assert "<note>" not in before
    assert before.startswith("<shop>\n  <name>Harbour</name>")
    assert "<note>n</note>" in own


def test_pages_that_scripts_ask_for_are_told(run: Runner) -> None:
    several = 'htree.AddUrl("https://a.example/ https://b.example/");'
    script = f'function main() {{ htree.AddUrl("/next"); htree.AddUrl("?p=2"); {several} }}'
    asked = ("/next", "?p=2", "https://a.example/", "https://b.example/")
    assert run(Script(script)).urls == asked


def test_a_project_tells_what_it_loads() -> None:
    loads = (Load(Source("https://a.example/")), Load(Source(argument=0)))
    project = Project(SCHEMA, {}, loads)
    assert addresses_of(project, ["https://b.example/"]) == (
        "https://a.example/",
        "https://b.example/",
    )
    with pytest.raises(ArgumentError, match="the page that argument 0 names; give it"):
        addresses_of(project, [])


def test_one_load_may_name_several_pages_and_can_be_switched_off() -> None:
    loads = (Load(Source(argument=1)), Load(Source("https://c.example/"), off=True))
    project = Project(SCHEMA, {}, loads)
    assert addresses_of(project, ["", "https://a.example/ https://b.example/"]) == (
        "https://a.example/",
        "https://b.example/",
    )
    assert addresses_of(project, ["", "my page.html"]) == ("my page.html",)


def test_a_page_that_is_loaded_is_not_asked_for_again(run: Runner) -> None:
    script = "function main() { htree.AddUrl(system.args(0)); htree.AddUrl('/next'); }"
    assert run(Script(script), args=("two.html",)).urls == ("/next",)


def test_a_link_that_a_script_adds_is_completed_by_its_page() -> None:
    links = Element("page", "group", elements=(Element("link", "url", repeat=True),))
    add = "xtree.root.Add('link', '/Rain'); xtree.root.Add('link', 'https://a.example/');"
    project = Project(links, {}, (Script(f"function main() {{ {add} }}"),))
    with closing(ProjectRunner(project, "shop.h2x")) as runner:
        found = runner.run(TWO).result.root.children
    assert [node.value for node in found] == ["https://shop.example/Rain", "https://a.example/"]


def test_items_are_known_as_long_as_their_response_is_there() -> None:
    origins = ItemOrigins()
    response, item = HtmlResponse("https://shop.example/"), {"kind": "taken"}
    origins.add(item, response)
    origins.add({"kind": "dropped on its way"}, response)
    assert origins.take({"kind": "taken"}) is None
    assert origins.take(item) is response
    assert origins.take(item) is None
    later = HtmlResponse("https://shop.example/2")
    origins.add(item, response)
    origins.add(item, later)
    del response
    assert origins.take(item) is later


AT_ONCE = """
import sys
from pathlib import Path

from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred, gatherResults

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.settings import Options
from crawler.wrapper.running import CrawlWrapper
from crawler.pipelines.wrapper import ThreadedWrapper

rules = CrawlWrapper(Path(sys.argv[1]), Options(), lambda key, number: None)
threaded = ThreadedWrapper(rules, seconds=30)
pages = [parse(Page.from_text("https://shop.example/", f"<h1>{name}</h1>")) for name in "ABC"]
done = []


def begin():
    runs = gatherResults([ensureDeferred(threaded.run(page)) for page in pages])
    threads = reactor.getThreadPool().workers
    runs.addCallback(lambda all: done.extend([threads, *(its.result.fits for its in all)]))
    runs.addBoth(lambda _: reactor.stop())


reactor.callWhenRunning(begin)
reactor.run()
rules.close()
print(done)
"""


def test_pages_that_wait_for_their_scripts_take_one_thread(tmp_path: Path) -> None:
    script = "function main() { xtree.root.Add('said', 'so'); }"
    project = Project(Element("page", "group", elements=(Element("said"),)), {}, (Script(script),))
    (tmp_path / "said.h2x").write_text(write_project(project), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, str(tmp_path / "said.h2x")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "[1, True, True, True]"
