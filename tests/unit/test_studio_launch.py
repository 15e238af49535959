from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from support.crawling import ROOT
from support.studio import shop_folder

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = (
    "from scrapy.settings import Settings;from crawler.commands.studio import StudioCommand;"
    "import argparse,sys;command=StudioCommand();command.settings=Settings();"
    "parser=argparse.ArgumentParser();command.add_options(parser);"
    "opts,args=parser.parse_known_args();command.run(args,opts);sys.exit(command.exitcode)"
)


def start(folder: Path, *args: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        (sys.executable, "-c", COMMAND, "--no-browser", *args),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    return process, process.stdout.readline().rpartition(" at ")[2].strip()


def stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert errors == "scrapy studio: stopped\n"


@pytest.mark.slow
def test_the_command_serves_the_studio_at_the_same_address_again(tmp_path: Path) -> None:
    process, address = start(shop_folder(tmp_path), "shop.h2x", "one.html")
    try:
        opener = build_opener(HTTPCookieProcessor())
        assert b"<title>Studio</title>" in opener.open(address).read()
        state = json.loads(opener.open(address.partition("?")[0] + "api/state").read())["state"]
        assert [page["name"] for page in state["pages"]] == ["one.html"]
        # A window that is open does not keep the studio from ending.
        events = opener.open(address.partition("?")[0] + "api/events")
        assert events.readline().startswith(b"data: ")
    finally:
        stop(process)
    kept = tmp_path / "shop.studio" / "address.json"
    assert kept.stat().st_mode & 0o077 == 0
    process, again = start(tmp_path, "shop.h2x")
    stop(process)
    assert again == address


def test_a_page_that_is_not_there_ends_the_command(tmp_path: Path) -> None:
    process, address = start(shop_folder(tmp_path), "shop.h2x", "one.html", "tow.html")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "tow.html" in errors
    assert address == ""
