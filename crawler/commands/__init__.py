"""The commands that the project adds to ``scrapy``; modules here import nothing heavy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


def _quiet_at_ctrl_c(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Show an error that ends the process, but for Ctrl-C while modules are still loaded."""
    if not issubclass(kind, KeyboardInterrupt):
        _shown(kind, error, trace)


_shown, sys.excepthook = sys.excepthook, _quiet_at_ctrl_c
