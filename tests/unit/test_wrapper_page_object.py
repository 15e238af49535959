from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from crawler.core.page.page import Page
from crawler.wrapper.page_object import ItemMaker, NoFitError, page_object
from crawler.wrapper.project_store import load_project
from support.crawling import ROOT
from support.shop import ONE, TWO, make_shop

if TYPE_CHECKING:
    from pathlib import Path

GONE = "<div><p>Nothing here</p></div>"


def exported(tmp_path: Path) -> Path:
    project = load_project(make_shop(tmp_path) / "shop.h2x")
    pages = [
        Page(f"https://shop.example/{at}", html.encode("utf-8"), "text/html; charset=utf-8")
        for at, html in enumerate((ONE, TWO, GONE), start=1)
    ]
    packed = page_object(project, "my-shop", pages)
    assert packed == page_object(project, "my-shop", pages)
    folder = tmp_path / "exported"
    ZipFile(BytesIO(packed)).extractall(folder)
    return folder


def test_a_page_that_fits_is_a_fixture(tmp_path: Path) -> None:
    folder = exported(tmp_path)
    fixtures = folder / "fixtures" / "my_shop_page.MyShopPage"
    assert sorted(path.name for path in fixtures.iterdir()) == ["page-1", "page-2"]
    output = json.loads((fixtures / "page-2" / "output.json").read_text("utf-8"))
    assert output["name"] == "Harbour"
    assert output["book"][0]["link"] == "https://shop.example/b/Rain"
    module = (folder / "my_shop_page.py").read_text("utf-8")
    assert "@handle_urls('shop.example')\nclass MyShopPage(WebPage[dict]):" in module
    assert "def phone(self)" in module
    compile(module, "my_shop_page.py", "exec")


def test_the_items_of_a_page_object(tmp_path: Path) -> None:
    items = ItemMaker(exported(tmp_path) / "my-shop.h2x")
    item = items.item("https://shop.example/9", TWO.encode("utf-8"), "text/html")
    assert item["phone"] == "555-2"
    with pytest.raises(NoFitError, match="no longer fits"):
        items.item("https://shop.example/9", GONE.encode("utf-8"), "text/html")


def test_web_poet_runs_the_fixtures(tmp_path: Path) -> None:
    pytest.importorskip("web_poet.testing")
    folder = exported(tmp_path)
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "fixtures")
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": f"{folder}:{ROOT}", "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
