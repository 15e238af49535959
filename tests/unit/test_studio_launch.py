from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from support.crawling import ROOT
from support.studio import shop_folder, workspace_of

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = (
    "from scrapy.settings import Settings;from crawler.commands.studio import StudioCommand;"
    "import argparse,sys;command=StudioCommand();command.settings=Settings();"
    "parser=argparse.ArgumentParser();command.add_options(parser);"
    "opts,args=parser.parse_known_args();command.run(args,opts);sys.exit(command.exitcode)"
)


def start(folder: Path, *args: str, before: str = "") -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        (sys.executable, "-c", before + COMMAND, "--no-browser", *args),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    return process, process.stdout.readline().rpartition(" at ")[2].strip()


def stop(process: subprocess.Popen[str], how: signal.Signals = signal.SIGINT) -> None:
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


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


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_studio_ends_though_a_script_does_not(tmp_path: Path, how: signal.Signals) -> None:
    process, address = start(shop_folder(tmp_path), "shop.h2x", "one.html")
    try:
        opener = build_opener(HTTPCookieProcessor())
        opener.open(address).close()
        own = address.partition("/?")[0]
        events = opener.open(f"{own}/api/events")
        told = (line.strip() for line in events if line.startswith(b"data: "))
        before = next(told)
        script = ["function main() { for (;;) {} }"]
        actions = [{"do": "script", "script": script}]
        message = {"op": "actions", "label": "x", "page": 1, "actions": actions}
        asked = Request(f"{own}/api/do", json.dumps(message).encode(), {"Origin": own})
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(opener.open, asked)
            # The step is made, so the script runs.
            assert next(told) != before
            stop(process, how)
            if answer.exception() is None:
                preview = json.loads(answer.result().read())["preview"]
                assert "ended" in preview["flaws"][0]["words"]
    finally:
        process.kill()


@pytest.mark.slow
def test_the_studio_starts_on_a_full_disk(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html"):
        pass

    full = "import resource;resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
    process, address = start(tmp_path, "shop.h2x", before=full)
    assert address.startswith("http://127.0.0.1:")
    stop(process)
