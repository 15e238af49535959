"""Fixtures of the crawl tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import Answer, serve
from support.crawling import PIPELINES, SETTINGS, SPIDERS, TIMEOUT, Held, Project, Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = ownsettings\n", "utf-8")
    (folder / "ownsettings.py").write_text(SETTINGS, "utf-8")
    (folder / "ownpipelines.py").write_text(PIPELINES, "utf-8")
    (folder / "ownspiders.py").write_text(SPIDERS, "utf-8")
    (folder / "owntimeout.py").write_text(TIMEOUT, "utf-8")
    project = Project(folder)
    yield project
    for process in project.processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def make_site() -> Iterator[Callable[[Mapping[str, Answer]], Site]]:
    open_servers = []

    def make(pages: Mapping[str, Answer]) -> Site:
        own = pages if isinstance(pages, Held) else dict(pages)
        asked = list[str]()
        server = serve(own, asked=asked)
        open_servers.append(server)
        return Site(f"{server.__enter__()}/", own, asked)

    yield make
    for server in open_servers:
        server.__exit__(None, None, None)
