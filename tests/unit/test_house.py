"""The house keeps its shape: what may import what, and what the core may not touch."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "crawler"

# The core is a function of its arguments. These would let the world in.
NOT_PURE = {
    "aiohttp", "asyncio", "datetime", "glob", "http", "io", "logging", "multiprocessing", "os",
    "pathlib", "random", "requests", "scrapy", "secrets", "shutil", "signal", "socket", "sqlite3",
    "subprocess", "sys", "tempfile", "threading", "time", "twisted", "urllib.request", "uuid",
}  # fmt: skip
# The store does I/O, and knows nothing of Scrapy. So does all that a crawl shares with a cluster.
WITHOUT_SCRAPY = [
    "core", "store", "journey", "discovery", "exporters/columns.py", "fields.py", "items.py",
    "settings.py",
]  # fmt: skip
# All else belongs into a room.
AT_ROOT = {"__init__", "addon", "crawl_settings", "fields", "items", "settings"}
COMMANDS_MAY_IMPORT = {
    "__future__",
    "argparse",
    "crawler.commands.base",
    "crawler.exporters.formats",
    "scrapy",
    "sys",
    "typing",
}


def modules(*rooms: str) -> list[Path]:
    found: list[Path] = []
    for room in rooms:
        path = PACKAGE / room
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert found
    return found


def imports(path: Path, *, at_import_time: bool = False) -> set[str]:
    """Return the dotted names a module imports, those for type checkers apart."""
    names: set[str] = set()
    for node in import_statements(path, at_import_time=at_import_time):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            continue
        assert node.level == 0, f"{path}: imports are absolute here"
        # A buffer in memory touches nothing outside.
        if node.module != "io" or any(alias.name != "BytesIO" for alias in node.names):
            names.add(node.module or "")
    return names


@cache
def import_statements(
    path: Path, *, at_import_time: bool = False
) -> list[ast.Import | ast.ImportFrom]:
    found: list[ast.Import | ast.ImportFrom] = []
    pending: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif isinstance(node, ast.expr):
            continue
        elif not (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and at_import_time):
            pending += ast.iter_child_nodes(node)
    return found


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_only_these_modules_stand_at_the_root() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == AT_ROOT


@pytest.mark.parametrize("path", modules("core"), ids=lambda path: path.name)
def test_the_core_is_pure(path: Path) -> None:
    impure = {name for name in imports(path) if within(name, NOT_PURE)}
    assert not impure, f"{path.relative_to(ROOT)} imports {impure}"


@pytest.mark.parametrize("path", modules("core"), ids=lambda path: path.name)
def test_the_core_imports_nothing_else_of_the_project(path: Path) -> None:
    upward = {
        name
        for name in imports(path)
        if within(name, {"crawler"}) and not within(name, {"crawler.core"})
    }
    assert not upward, f"{path.relative_to(ROOT)} imports {upward}"


@pytest.mark.parametrize("path", modules("store"), ids=lambda path: path.name)
def test_the_store_imports_the_core_alone(path: Path) -> None:
    allowed = {"crawler.core", "crawler.store"}
    upward = {
        name for name in imports(path) if within(name, {"crawler"}) and not within(name, allowed)
    }
    assert not upward, f"{path.relative_to(ROOT)} imports {upward}"


@pytest.mark.parametrize("path", modules(*WITHOUT_SCRAPY), ids=lambda path: path.name)
def test_what_a_cluster_shares_knows_nothing_of_scrapy(path: Path) -> None:
    assert not {name for name in imports(path) if within(name, {"scrapy", "twisted"})}


@pytest.mark.parametrize("path", modules("commands"), ids=lambda path: path.name)
def test_commands_import_nothing_heavy(path: Path) -> None:
    # Scrapy imports every command at every call of ``scrapy``.
    heavy = {
        name for name in imports(path, at_import_time=True) if not within(name, COMMANDS_MAY_IMPORT)
    }
    assert not heavy, f"{path.relative_to(ROOT)} imports {heavy}"


def module_graph() -> dict[str, set[str]]:
    """Return which modules of the package each of them imports, those for type checkers apart."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    graph: dict[str, set[str]] = {}
    for name, path in paths.items():
        told = imported_names(path)
        graph[name] = {one for one in told if one in paths} - {name}
        graph[name] |= {one.rpartition(".")[0] for one in told if one not in paths} & paths.keys()
        graph[name] -= {name}
    return graph


def imported_names(path: Path) -> set[str]:
    """Return what a module imports, each name of a package by its full path."""
    return {
        f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
        for node in import_statements(path)
        for alias in node.names
    }


def package_of(module: str) -> str:
    """Return the package of a module; one at a root (``crawler``, ``crawler.core``) is its own."""
    parts = module.split(".")
    depth = 3 if parts[1:2] == ["core"] else 2
    return ".".join(parts[:depth])


def test_no_imports_run_in_a_circle() -> None:
    graph = module_graph()
    graph["crawler"].clear()  # the library's face loads its parts when they are used
    assert set(TopologicalSorter(graph).static_order()) == set(graph)  # a circle raises an error
    packages: dict[str, set[str]] = {}
    for module, others in graph.items():
        packages.setdefault(package_of(module), set()).update(map(package_of, others))
    for package, others in packages.items():
        others.discard(package)
    assert set(TopologicalSorter(packages).static_order()) == set(packages)


def test_nothing_in_the_package_imports_a_project_around_it() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        outside = {name for name in imports(path) if within(name, {"settings", "spiders", "tests"})}
        assert not outside, f"{path.relative_to(ROOT)} imports {outside}"


BLOCKED = """
import importlib, pkgutil, sys


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"scrapy", "twisted"}:
            raise ImportError(name)


sys.meta_path.insert(0, Blocker())
packages = ("crawler.core", "crawler.store", "crawler.journey", "crawler.harvest.archive")
for package in packages:
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        importlib.import_module(found.name)
from crawler import extract

print(extract("<h1>A title of some words</h1><p>A line of text.</p>").text)
"""


def test_a_page_is_worked_on_without_scrapy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "A line of text." in done.stdout
