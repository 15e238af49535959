from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from crawler.core.errors import ArgumentError, StoreError, UnreadableInputError
from crawler.core.wrapper.project_file import write_project
from crawler.studio.pages import list_folder
from crawler.studio.runs import command_lines
from crawler.studio.workspace import Workspace
from crawler.wrapper.project_store import load_project
from support.crawling import ROOT
from support.shop import wrapped
from support.studio import do, shop_folder, teach, text_node, workspace_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_click_makes_a_field_that_is_found_on_the_other_page(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace:
        answer = teach(workspace, "name", 1, "Corner")
        assert answer["preview"]["found"]["name"][0][2] == "Corner"
        teach(workspace, "phone", 1, "555-1")
        found = workspace.preview(2)["found"]
        assert [found[path][0][2] for path in ("name", "phone")] == ["Harbour", "555-2"]
        assert answer["state"]["undo"] == ("step.add", "name")


def test_a_field_of_numbers_becomes_one_of_texts_when_a_text_is_clicked(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "$4", type="number")
        assert workspace.project.element("name").type == "number"
        answer = teach(workspace, "name", 1, "Corner")
        assert workspace.project.element("name").type == "text"
        assert answer["preview"]["found"]["name"][0][2] == "Corner"


def test_a_preview_is_not_sent_again_where_nothing_has_changed(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        first = teach(workspace, "name", 1, "Corner")["preview"]["hash"]
        assert "preview" not in do(workspace, "save", page=1, known=first)


def test_undo_and_redo_survive_a_restart(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        teach(workspace, "phone", 1, "555-1")
        do(workspace, "undo")
        before = write_project(workspace.project)
    with workspace_of(tmp_path) as workspace:
        assert write_project(workspace.project) == before
        assert list(workspace.project.rules) == ["name"]
        assert [its["name"] for its in workspace.state()["pages"]] == ["one.html"]
        do(workspace, "redo")
        assert list(workspace.project.rules) == ["name", "phone"]
        for _ in range(5):
            do(workspace, "undo")
        assert list(workspace.project.rules) == []


def test_a_step_after_undo_takes_the_place_of_what_was_undone(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "undo")
        teach(workspace, "phone", 1, "555-1")
        assert workspace.state()["redo"] is None
    with workspace_of(tmp_path) as workspace:
        assert list(workspace.project.rules) == ["phone"]


def test_a_journal_that_was_cut_off_loses_its_last_line_alone(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        teach(workspace, "phone", 1, "555-1")
    journal = tmp_path / "shop.studio" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    with workspace_of(tmp_path) as workspace:
        assert list(workspace.project.rules) == ["name"]
        teach(workspace, "phone", 1, "555-1")
    with workspace_of(tmp_path) as workspace:
        assert list(workspace.project.rules) == ["name", "phone"]


def test_what_is_saved_is_what_the_command_reads_and_runs(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        assert not workspace.state()["saved"]
        do(workspace, "save")
        assert workspace.state()["saved"]
        assert load_project(tmp_path / "shop.h2x") == workspace.project
        _, xml, _ = wrapped(tmp_path, "two.html")
        assert workspace.preview(2)["xml"] in xml
    assert (tmp_path / "shop.pages.warc.gz").exists()


def test_a_file_that_was_changed_outside_is_a_step_of_its_own(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "save")
        teach(workspace, "phone", 1, "555-1")
    path = tmp_path / "shop.h2x"
    changed = json.loads(path.read_text("utf-8"))
    changed["confidence"] = 0.5
    path.write_text(json.dumps(changed), "utf-8")
    with workspace_of(tmp_path) as workspace:
        assert workspace.project.confidence == 0.5
        do(workspace, "undo")
        assert list(workspace.project.rules) == ["name", "phone"]


def test_saving_under_another_name_takes_the_journal_along(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "save", file="books")
        assert workspace.state()["file"] == "books.h2x"
        do(workspace, "undo")
    with workspace_of(tmp_path, project="books.h2x") as workspace:
        assert workspace.state()["redo"] == ("step.add", "name")
    (tmp_path / "shop.h2x").write_text("{}")
    with (
        workspace_of(tmp_path, project="books.h2x") as workspace,
        pytest.raises(ArgumentError, match="there already"),
    ):
        do(workspace, "save", file="shop.h2x")


def test_one_studio_works_on_a_project(tmp_path: Path) -> None:
    with (
        workspace_of(shop_folder(tmp_path)) as workspace,
        pytest.raises(StoreError, match="another studio"),
    ):
        Workspace(tmp_path, workspace.path)


def test_a_wrong_project_file_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "shop.h2x").write_text('{"format": "h2x", "version": 1}', "utf-8")
    with pytest.raises(UnreadableInputError, match="is missing"):
        Workspace(tmp_path, tmp_path / "shop.h2x")


def test_a_wrong_click_is_taken_back_by_removing_its_example(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        right = write_project(workspace.project)
        teach(workspace, "name", 2, "555-2")
        examples = workspace.state()["examples"]["name"]
        wrong = next(at for at, its in enumerate(examples) if its["values"] == ["555-2"])
        assert examples[wrong]["page"] == 2
        do(workspace, "forget", path="name", at=wrong)
        assert write_project(workspace.project) == right


def test_a_second_click_on_a_page_takes_the_place_of_the_first(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "555-1")
        teach(workspace, "name", 1, "Corner")
        (example,) = workspace.state()["examples"]["name"]
        assert example["values"] == ["Corner"]


def test_a_field_that_repeats_takes_each_click(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "titles", 1, "Tree", repeat=True)
        answer = teach(workspace, "titles", 1, "Sky")
        assert answer["state"]["examples"]["titles"][0]["values"] == ["Tree", "Sky"]


def test_a_list_is_taught_with_its_fields(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace:
        tree = workspace.page(1).tree
        title = text_node(workspace, 1, "Tree")
        link = tree.parents[title]
        price = text_node(workspace, 1, "$3.50")
        fields = [
            {"name": "title", "kind": "text", "nodes": [title]},
            {"name": "price", "kind": "text", "type": "number", "nodes": [price]},
            {"name": "link", "kind": "@href", "type": "url", "nodes": [link]},
        ]
        record = [tree.parents[link]]
        answer = do(workspace, "teach_records", path="book", page=1, nodes=record, fields=fields)
        assert [its[2] for its in answer["preview"]["found"]["book/title"]] == [
            "Tree",
            "Sea",
            "Sky",
        ]
        assert [its[2] for its in workspace.preview(2)["found"]["book/price"]] == [1.5]


def test_a_field_of_records_is_refused_outside_of_them(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        tree = workspace.page(1).tree
        title = text_node(workspace, 1, "Tree")
        record = [tree.parents[tree.parents[title]]]
        do(workspace, "teach_records", path="book", page=1, nodes=record)
        before = workspace.state()
        with pytest.raises(ArgumentError, match="none of them"):
            teach(workspace, "book/title", 1, "Corner")
        assert workspace.state() == before


def test_paths_stay_in_the_working_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    shop_folder(tmp_path)
    (inner / "link.html").symlink_to(tmp_path / "one.html")
    with workspace_of(inner) as workspace:
        for name in ("../one.html", str(tmp_path / "one.html"), "link.html"):
            with pytest.raises(ArgumentError, match="outside"):
                do(workspace, "open", name=name)
        with pytest.raises(ArgumentError, match="outside"):
            do(workspace, "save", file="../other.h2x")
        with pytest.raises(ArgumentError, match="outside"):
            do(workspace, "list", name="..")


def test_a_file_of_several_pages_lists_them_first(tmp_path: Path) -> None:
    rows = [{"url": f"https://shop.example/{at}", "html": f"<h1>Page {at}</h1>"} for at in range(3)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "pages.jsonl").write_text(lines, "utf-8")
    with workspace_of(tmp_path) as workspace:
        answer = do(workspace, "open", name="pages.jsonl")
        assert answer["choices"][2] == {"at": 2, "url": "https://shop.example/2"}
        assert do(workspace, "open", name="pages.jsonl", at=2)["opened"] == 1
        assert workspace.state()["pages"][0]["url"] == "https://shop.example/2"


def test_a_document_type_becomes_the_shape_of_the_output(tmp_path: Path) -> None:
    (tmp_path / "shop.dtd").write_text(DTD, "utf-8")
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "phone", 1, "555-1")
        do(workspace, "shape", file="shop.dtd")
        schema = workspace.project.schema
        assert schema.name == "shop"
        assert [its.name for its in schema.elements] == ["name", "book", "phone"]
        name, book, _ = schema.elements
        assert (name.required, name.repeat) == (True, False)
        assert (book.required, book.repeat, book.type) == (True, True, "group")
        assert [(its.name, its.repeat) for its in book.elements] == [
            ("title", False), ("author", True), ("price", False),
        ]  # fmt: skip
        assert workspace.preview(1)["found"]["phone"][0][2] == "555-1"


DTD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- <!ELEMENT comment (#PCDATA)> -->
<!ENTITY % text "(#PCDATA)"><!ENTITY % facts "author*, price?">
<!ELEMENT shop (name, book+)><!ATTLIST shop id ID #IMPLIED note CDATA "a > b">
<!ELEMENT name %text;><!ELEMENT book (title, %facts;)>
<!ELEMENT title %text;><!ELEMENT author %text;><!ELEMENT price %text;>"""


def test_a_document_type_whose_element_holds_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree.dtd").write_text("<!ELEMENT tree (leaf, tree*)><!ELEMENT leaf (#PCDATA)>")
    with (
        workspace_of(tmp_path) as workspace,
        pytest.raises(ArgumentError, match="holds itself"),
    ):
        do(workspace, "shape", file="tree.dtd")


def test_actions_are_kept_in_the_form_of_project_files(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "add", path="upper")
        script = ["function main(name) {", '  xtree.root.Add("upper", name.value + nosuch);', "}"]
        actions = [{"do": "script", "rules": ["name"], "script": script}]
        answer = do(workspace, "actions", actions=actions, label="actions.add", page=1)
        (flaw,) = answer["preview"]["flaws"]
        assert (flaw["action"], flaw["line"]) == (1, 2)
        assert "nosuch" in flaw["words"]
        actions[0]["script"] = [line.replace("nosuch", '"!"') for line in script]
        answer = do(workspace, "actions", actions=actions, label="actions.edit", page=1)
        assert "<upper>Corner!</upper>" in answer["preview"]["xml"]
        answer = do(
            workspace,
            "actions",
            actions=[{**actions[0], "off": True}],
            label="actions.switch",
            page=1,
        )
        assert "upper" not in answer["preview"]["xml"]
        with pytest.raises(ArgumentError, match=r"actions\[0\].*'file' is missing"):
            do(workspace, "actions", actions=[{"do": "save"}], label="actions.add")


def test_the_next_best_candidates_of_a_field(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace:
        teach(workspace, "phone", 1, "555-1")
        near = do(workspace, "near", path="phone", of=2)["near"]
        assert (near[0]["value"], near[0]["taken"]) == ("555-2", True)
        assert len(near) > 2
        assert near[0]["confidence"] > near[1]["confidence"]


def test_a_saved_page_is_given_its_address(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        tree = workspace.page(1).tree
        link = [tree.parents[text_node(workspace, 1, "Home")]]
        parts = {"path": "home", "page": 1, "nodes": link, "kind": "@href", "type": "url"}
        assert do(workspace, "teach", **parts)["preview"]["found"]["home"] == []
        answer = do(workspace, "address", page=1, url="https://shop.example/1")
        assert answer["preview"]["found"]["home"][0][2] == "https://shop.example/"
    with workspace_of(tmp_path) as workspace:
        assert workspace.state()["pages"][0]["url"] == "https://shop.example/1"


def test_links_of_a_field_are_asked_for_by_a_script(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        tree = workspace.page(1).tree
        link = [tree.parents[text_node(workspace, 1, "About")]]
        do(workspace, "address", page=1, url="https://shop.example/1")
        do(workspace, "teach", path="next", page=1, nodes=link, kind="@href", type="url")
        lines = [
            "function main(links) {",
            "  for (const link of [].concat(links ?? [])) htree.AddUrl(link.value);",
            "}",
        ]
        actions = [{"do": "script", "rules": ["next"], "script": lines}]
        answer = do(workspace, "actions", actions=actions, label="actions.add", page=1)
        assert answer["preview"]["urls"] == ("/x",)
        assert answer["preview"]["flaws"] == []


def test_files_are_listed_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("page10.html", "Page2.html", "page1.html", "a.html"):
        (tmp_path / name).write_text("", "utf-8")
    names = [entry["name"] for entry in list_folder(tmp_path, "")]
    assert names == ["a.html", "page1.html", "Page2.html", "page10.html"]


def test_the_crawl_that_does_the_same_is_found_outside_of_a_project_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("https://shop.example/list", "saved")
    monkeypatch.chdir(ROOT)
    crawl = command_lines("shop.h2x", names, (), "csv")["crawl"]
    assert crawl == (
        "scrapy crawl wrapper -a rules=shop.h2x -a url=https://shop.example/list -a rows=True "
        "-O shop.csv"
    )
    monkeypatch.chdir(tmp_path)
    crawl_outside = command_lines("shop.h2x", names, (), "csv")["crawl"]
    variable, _, same = crawl_outside.partition(" ")
    assert same == crawl
    settings = Settings()
    settings.setmodule(variable.removeprefix("SCRAPY_SETTINGS_MODULE="))
    assert "wrapper" in SpiderLoader.from_settings(settings).list()


def test_pages_that_no_rule_uses_are_dropped_unless_the_saved_project_does(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        teach(workspace, "name", 2, "Harbour")
        do(workspace, "save")
        do(workspace, "undo")
        assert do(workspace, "drop_pages") == {"dropped": 0, "left": 2}
        do(workspace, "save")
        assert do(workspace, "drop_pages") == {"dropped": 1, "left": 1}


def test_a_field_is_moved_into_a_group_and_stays_where_its_rule_cannot_look(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        teach(workspace, "contact/phone", 1, "555-1")
        answer = do(workspace, "move", path="name", to=9, into="contact", page=1)
        assert answer["preview"]["found"]["contact/name"][0][2] == "Corner"
        tree = workspace.page(1).tree
        record = tree.parents[tree.parents[text_node(workspace, 1, "Tree")]]
        do(workspace, "teach_records", path="book", page=1, nodes=[record])
        teach(workspace, "book/title", 1, "Tree")
        before = workspace.project
        with pytest.raises(ArgumentError) as refused:
            do(workspace, "move", path="book/title", to=0, into="")
        assert refused.value.kind == "move-from-records"
        assert workspace.project is before


def test_the_preview_of_a_large_page_comes_by_a_call_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text("<p>text" * 5_100, "utf-8")
    with workspace_of(shop_folder(tmp_path), "large.html", "one.html") as workspace:
        answer = do(workspace, "add", path="total", page=1)
        assert answer["later"]
        assert "preview" not in answer
        assert workspace.shown(1, "")["preview"]["fits"]
        assert "preview" in do(workspace, "undo", page=2)
        # What was shown already is known.
        do(workspace, "redo", page=1)
        workspace.preview(1)
        assert "preview" in do(workspace, "save", page=1)
