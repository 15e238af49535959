"""What comes with an extra says so where it is missing; what is imported is no more than needed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
# By extra: the module that is not installed, and what asks for it.
MISSING = {
    "browser": (
        "scrapy_playwright",
        "import crawler.browser.middleware as m\nm.check_browser(m.Options(browser=('always',)))",
    ),
    "dask": (
        "distributed",
        "from crawler.harvest.cluster import DaskEngine\nDaskEngine('tcp://127.0.0.1:1')",
    ),
    "excel": (
        "openpyxl",
        "from crawler.exporters.columns import import_openpyxl\nimport_openpyxl()",
    ),
    "korean": (
        "kiwipiepy",
        "from crawler.core.sentences import splitter_for\nsplitter_for('ko', 'kiwi')",
    ),
    "parquet": (
        "pyarrow",
        "from crawler.exporters.columns import import_pyarrow\nimport_pyarrow()",
    ),
    "remote": (
        "s3fs",
        "from crawler.harvest.storage import Storage\nStorage('s3://bucket/key')",
    ),
    "scripts": (
        "_quickjs",
        "from crawler.scripting.sandbox import Sandbox\nSandbox()._start()",
    ),
    "studio": (
        "starlette",
        "from crawler.commands.studio import StudioCommand\nStudioCommand().work([], None, None)",
    ),
}
# Of these nothing is missed: the docs and the tests are no part of the package, scrapy-poet is what
# asks for the provider, and without the words of "evaluation" other tokens are counted.
NOT_MISSED = {"dev", "docs", "evaluation", "poet"}
# Modules that Python loads for these, most of them its own. A new dependency shows here.
MOST_MODULES = {
    "import crawler": 80,
    "from crawler import extract; extract('<p>One.</p>', url='https://blog.example/')": 450,
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )


def test_every_extra_is_in_the_table_and_in_the_documentation() -> None:
    assert set(EXTRAS) == set(MISSING) | NOT_MISSED
    page = (ROOT / "docs" / "getting-started.md").read_text("utf-8")
    table = page.partition("## Extras")[2].partition("\n## ")[0]
    named = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert named == sorted(set(EXTRAS) - {"dev"})


@pytest.mark.parametrize("extra", MISSING)
def test_a_missing_extra_is_told_in_a_line(extra: str) -> None:
    module, ask = MISSING[extra]
    # What Python takes for "not installed".
    done = run(f"import sys\nsys.modules[{module!r}] = None\n{ask}")
    assert done.returncode == 1
    message = done.stderr.strip().splitlines()[-1]
    assert "pip install" in message
    assert f"scrapy-corpus[{extra}]" in message
    # Before it stands the traceback alone: the message is one line.
    assert message.startswith("crawler.core.errors.") or "Error: " in message


@pytest.mark.parametrize("code", MOST_MODULES)
def test_no_more_is_imported_than_is_needed(code: str) -> None:
    done = run(
        f"{code}\nimport sys\nprint(len(sys.modules), *{{'scrapy', 'twisted'}} & {{*sys.modules}})"
    )
    loaded = done.stdout.split()
    assert len(loaded) <= MOST_MODULES[code]
    assert {"scrapy", "twisted"}.isdisjoint(loaded)
