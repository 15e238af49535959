"""Authors' names out of what pages write in their place."""

from __future__ import annotations

import pytest

from crawler.core.metadata.names import clean_names, is_weak


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("By Harbour Desk", ["Harbour Desk"]),
        ("Written by: Harbour Desk", ["Harbour Desk"]),
        ("By Harbour Desk and Night Desk", ["Harbour Desk", "Night Desk"]),
        ("Harbour Desk, Night Desk, and Tide Desk", ["Harbour Desk", "Night Desk", "Tide Desk"]),
        ("Von Hafen Redaktion und Nacht Redaktion", ["Hafen Redaktion", "Nacht Redaktion"]),
        ("Par Bureau Port et Bureau Nuit", ["Bureau Port", "Bureau Nuit"]),
        ("글쓴이: 편집부", ["편집부"]),
        ("항구팀 기자", ["항구팀"]),
        ("Harbour Desk, Senior Reporter", ["Harbour Desk"]),
        ("Harbour Desk, PhD, RDN", ["Harbour Desk"]),
        ("Harbour Desk (dpa)", ["Harbour Desk"]),
        ("Harbour Desk desk@harbour.example", ["Harbour Desk"]),
        ("Harbour Desk | The Harbour Post", ["Harbour Desk"]),
        ("Harbour Desk on Friday, November 27, 2026", ["Harbour Desk"]),
        ("Nov. 27, 2026 · Harbour Desk", ["Harbour Desk"]),
        ("<a href='/desk'>Harbour Desk</a>", ["Harbour Desk"]),
        ("Harbour Desk, dpa", ["Harbour Desk", "dpa"]),
        ("Barnes and Noble", ["Barnes and Noble"]),
        ("News Staff", ["News Staff"]),
        ("https://social.example/harbour", []),
        ("Follow", []),
        ("March 7", []),
        ("105092", []),
        ("", []),
    ],
)
def test_names_are_taken_out_of_what_stands_around_them(value: str, names: list[str]) -> None:
    assert list(clean_names([value])) == names


def test_titles_without_a_comma_go_from_texts_that_readers_see() -> None:
    assert clean_names(["Harbour Desk Senior Editor"], are_seen=True) == ("Harbour Desk",)
    assert clean_names(["Tide Media Reporter"]) == ("Tide Media Reporter",)


def test_a_name_is_given_once_in_the_page_s_order() -> None:
    assert clean_names(["Night Desk", "Harbour Desk", "NIGHT DESK"]) == (
        "Night Desk",
        "Harbour Desk",
    )


def test_handles_count_where_there_is_no_name() -> None:
    assert clean_names(["@harbour", "Night Desk"]) == ("Night Desk",)
    assert clean_names(["@harbour"]) == ("harbour",)


def test_the_site_is_an_author_where_there_is_no_other() -> None:
    assert clean_names(["Night Desk", "Harbour Post"], site="Harbour Post") == ("Night Desk",)
    assert clean_names(["Harbour Post"], site="Harbour Post") == ("Harbour Post",)


def test_accounts_are_told_from_names() -> None:
    assert [is_weak(name) for name in ("night.desk", "desk42", "admin")] == [True] * 3
    assert [is_weak(name) for name in ("Night Desk", "편집부", "Desk")] == [False] * 3
