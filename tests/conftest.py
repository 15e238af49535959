"""What holds for all tests: their order, their signals, and how long each of them may take."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import scrapy.utils.log
from hypothesis import HealthCheck, settings

from support.compiled import COMPILED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What a test whose time is over has for cleaning up, in seconds.
GRACE = 60
# What whoever runs the tests may have said of a terminal, of the network or of a project.
OF_OTHERS = (
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
    *("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"),
    *("SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE"),
)
# The tests that run where nobody says which.
FAST_TIER = "not slow and not cluster"
# How many examples of each law the fast tier tries.
FAST_EXAMPLES = 20
# Folders of tests each of which takes seconds, apart from those marked as quick.
SLOW_FOLDERS = ("crawl", "studio")
QUICK = "@pytest.mark.quick"
_errors = pytest.StashKey[int]()

# PURE_PYTHON=1 tries what runs where no compiler was.
if os.environ.get("PURE_PYTHON"):
    for name in COMPILED:
        sys.modules[name] = None  # type: ignore[assignment]


def pytest_configure(config: pytest.Config) -> None:
    """Have the tests mean the same wherever, by whomever and beside whatever they are run.

    Without a path and without ``-m`` the fast tier runs.
    """
    if config.args_source is config.ArgsSource.TESTPATHS and not config.option.markexpr:
        config.option.markexpr = FAST_TIER
    for name in OF_OTHERS:
        os.environ.pop(name, None)
    # A law is not broken by a machine that is busy while an example is made or tried.
    settings.register_profile(
        "any machine",
        settings(),
        deadline=None,
        max_examples=FAST_EXAMPLES if is_fast(config) else settings().max_examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("any machine")
    kept = config.rootpath / ".hypothesis"
    if not os.access(kept if kept.exists() else config.rootpath, os.W_OK):
        # In a checkout of somebody else's no failed examples are kept.
        settings.register_profile("any checkout", settings(), database=None)
        settings.load_profile("any checkout")
    # A Ctrl-C is one, also where the tests run in the background of a shell.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # A test's own standard error is kept from being seen.
    config.stash[_errors] = os.dup(2)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process where a thread goes on for ever that a test has left behind.

    One of several processes waits for the others, and is ended by the one that began it.
    """
    if not hasattr(config, "workerinput"):
        faulthandler.dump_traceback_later(GRACE, exit=True, file=config.stash[_errors])


def is_fast(config: pytest.Config) -> bool:
    """Say whether the fast tier runs; the processes of xdist are told so by the option."""
    return bool(config.option.markexpr == FAST_TIER)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Have the fast tier load no module all of whose tests are slow."""
    if is_fast(config) and collection_path.parent.name in SLOW_FOLDERS:
        return collection_path.suffix == ".py" and QUICK not in collection_path.read_text("utf-8")
    return None


def pytest_collection_finish() -> None:
    """Have the garbage collector pass over what lasts as long as the tests: it is very much."""
    gc.freeze()


def seconds(item: pytest.Item) -> float:
    """Find how long a test may take, 0 where it says nothing of its own."""
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark is not None else 0.0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark real crawls as slow, and begin with the tests that are given most time.

    Where several processes run tests, none waits for these at the end.
    """
    for item in items:
        if item.path.parent.name in SLOW_FOLDERS and item.get_closest_marker("quick") is None:
            item.add_marker(pytest.mark.slow)
    items.sort(key=seconds, reverse=True)


@contextmanager
def logging_kept() -> Iterator[None]:
    """Undo what a test sets of logging as a program of Scrapy does: others read logs as well."""
    loggers = logging.getLogger(), logging.getLogger("scrapy")
    levels, handlers = [logger.level for logger in loggers], loggers[0].handlers[:]
    own = scrapy.utils.log._scrapy_root_handler
    try:
        yield
    finally:
        # Each crawler makes another one of it, as long as there is one.
        scrapy.utils.log._scrapy_root_handler = own
        loggers[0].handlers[:] = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """End the process where a test hangs in its own cleaning up, after its time is over.

    It says where all threads are, and what it started is left to itself. With several processes,
    the test has failed then, and the others go on.
    """
    allowed = seconds(item) or float(item.config.getini("timeout"))
    faulthandler.dump_traceback_later(allowed + GRACE, exit=True, file=item.config.stash[_errors])
    try:
        with logging_kept():
            return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
