"""Nothing a user can call is missing from the documentation, and its links lead somewhere."""

from __future__ import annotations

import argparse
import re
import unicodedata
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

import crawler
from crawler.core.methods.registry import method_names
from crawler.evaluation.command import TASKS
from support.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.commands import ScrapyCommand

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROSE = {page: page.read_text("utf-8") for page in PAGES}
WITHOUT_CODE = {
    page: re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    for page, text in PROSE.items()
}
COMMANDS = sorted(
    point.name
    for point in entry_points(group="scrapy.commands")
    if point.value.startswith("crawler.")
)


def links(page: Path) -> list[str]:
    """List the links of a page that stay in the repository."""
    found = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", WITHOUT_CODE[page])
    return [link for link in found if not link.startswith(("https://", "http://", "mailto:"))]


def anchors(page: Path) -> set[str]:
    """Name the headings of a page as links to them do."""
    headings = re.findall(r"^#+ (.+)$", PROSE[page], re.MULTILINE)
    return {
        "".join(
            "-" if char == " " else char
            for char in heading.lower()
            if char in " -_" or unicodedata.category(char)[0] in "LN"
        )
        for heading in headings
    }


def options(name: str) -> list[tuple[str, ...]]:
    """List the options, each with its spellings, that a command adds to those of its base."""
    (point,) = entry_points(group="scrapy.commands", name=name)
    command: ScrapyCommand = point.load()()
    command.settings = Settings()
    # Scrapy lets later options take the places of earlier ones.
    own, base = (argparse.ArgumentParser(conflict_handler="resolve") for _ in range(2))
    command.add_options(own)
    base_kind = next(
        kind for kind in type(command).__mro__ if kind.__module__.startswith("scrapy.")
    )
    base_kind.add_options(command, base)  # type: ignore[attr-defined]
    known = {tuple(action.option_strings) for action in base._actions}
    actions = list(own._actions)
    for action in own._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                actions += verb._actions
    found = {tuple(action.option_strings) for action in actions}
    return sorted(found - known - {()})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {link}"
        assert target.is_relative_to(ROOT)
        assert not anchor or anchor in anchors(target), f"{target.name} has no heading #{anchor}"


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    listed = [(index.parent / link).resolve() for link in links(index)]
    assert sorted(set(listed)) == sorted(set(PAGES) - {index, *PAGES[:2]})


def test_all_commands_are_found() -> None:
    assert COMMANDS == [
        "articles", "corpus", "counts", "crawl", "demo", "discover", "evaluate", "extract",
        "harvest", "ledger", "replay", "studio", "wrap",
    ]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_and_each_of_its_options_is_documented(name: str) -> None:
    pages = [text for text in PROSE.values() if f"scrapy {name}" in text]
    assert pages
    for spellings in options(name):
        documented = any(spelling in text for text in pages for spelling in spellings)
        assert documented, f"scrapy {name} {spellings}"


def test_methods_and_tasks_are_documented() -> None:
    method = PROSE[ROOT / "docs" / "method.md"]
    evaluation = PROSE[ROOT / "docs" / "evaluation.md"]
    assert [name for name in method_names() if f"`{name}`" not in method] == []
    assert [name for name in TASKS if f"`{name}`" not in evaluation] == []


def test_the_public_names_are_documented() -> None:
    library = PROSE[ROOT / "docs" / "library.md"]
    public = [
        name if owner is crawler else f"{owner.__name__}.{name}"
        for owner in (crawler, crawler.Site)
        for name in (crawler.__all__ if owner is crawler else vars(owner))
        if not name.startswith("_")
    ]
    assert "Site.items" in public
    assert [
        name for name in public if f"`{name}`" not in library and f"`{name}(" not in library
    ] == []


def test_the_rooms_on_the_plan_are_there() -> None:
    plan = PROSE[ROOT / "docs" / "architecture.md"]
    named = set(re.findall(r"\b[a-z_]+\.py\b", plan))
    there = {path.name for room in ("crawler", "tests") for path in (ROOT / room).rglob("*.py")}
    assert named <= there, named - there
    rooms = {path.name for path in (ROOT / "crawler").iterdir() if (path / "__init__.py").exists()}
    assert [room for room in rooms if f"{room}/" not in plan] == []
    modules = {path.name for path in (ROOT / "crawler").glob("*.py")} - {"__init__.py"}
    assert modules <= named, modules - named


def test_the_changelog_has_the_version() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    version = re.search(r'^version = "([^"]+)"$', project, re.MULTILINE)
    assert version is not None
    assert f"## [{version[1]}]" in PROSE[ROOT / "CHANGELOG.md"]
