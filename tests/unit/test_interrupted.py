"""Ctrl-C while modules are still loaded ends a process without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from crawler.commands.corpus import CorpusSiteCommand

ROOT = Path(__file__).parents[2]
# Ctrl-C when a module is looked for.
PRESSED = """
import runpy, signal, sys

class Press:
    @staticmethod
    def find_spec(name, *_):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

sys.path.insert(0, {root!r})
sys.meta_path.insert(0, Press)
sys.argv = {argv!r}
runpy.{run}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signal ends a process there")
@pytest.mark.parametrize(
    ("module", "run", "argv"),
    [
        ("crawler.commands.base", "run_module('scrapy', run_name='__main__')", ["scrapy", "demo"]),
        ("crawler.reports.stdout", "run_module('scrapy', run_name='__main__')", ["scrapy", "demo"]),
        ("support.fuzzed", "run_path('benchmarks/fuzz.py', run_name='__main__')", ["fuzz.py"]),
        ("support.damage", "run_path('benchmarks/faults.py', run_name='__main__')", ["faults.py"]),
        ("support.journeys", "run_path('benchmarks/memory.py', run_name='__main__')", ["memory"]),
    ],
)
def test_ctrl_c_while_modules_are_loaded_is_quiet(module: str, run: str, argv: list[str]) -> None:
    script = PRESSED.format(module=module, run=run, argv=argv, root=str(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode in {-signal.SIGINT, 130}
    assert done.stderr in {"", "scrapy demo: stopped\n"}


def test_a_crawl_that_ended_at_once_says_where_its_pages_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(CorpusSiteCommand, "work", work)
    command = CorpusSiteCommand()
    command.settings = Settings()
    command.run([], Namespace())
    assert command.exitcode == 130
    assert "scrapy replay --list" in capsys.readouterr().err
