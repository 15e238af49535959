"""Regular expressions that are compiled when they are first used.

Hundreds of them are known to the project, and a page needs a part of them: compiling all takes a
third of a start.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """Stands for a compiled pattern, whose methods it takes over at the first use of one."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever patterns have
        compiled = re.compile(self.pattern, self.flags)
        methods = (each for each in dir(compiled) if not each.startswith("_"))
        vars(self).update({each: getattr(compiled, each) for each in methods})
        return getattr(compiled, name)


def compiled_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what is used as the pattern that ``re.compile`` returns, but by functions of ``re``.

    A wrong pattern raises its error at the first use.
    """
    return cast("re.Pattern[str]", _Pattern(pattern, flags))
