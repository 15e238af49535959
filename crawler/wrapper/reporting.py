"""Results of pages as lines for people and as rows of reports."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from crawler.core.errors import one_line
from crawler.core.wrapper.output import MISSING, NO_FIT, SCRIPT_FAILED, WRONG_TYPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.wrapper.output import Problem, Result

_FILE = "file:"


def printable(text: str) -> str:
    """Replace control characters, on which terminals act: the text may come from any page."""
    return "".join(char if char.isprintable() else "?" for char in text)


def plain(text: str) -> str:
    """Return a text on one line, without control characters."""
    return printable(one_line(text))


def failed_scripts(result: Result) -> list[Problem]:
    """Return the problems of a page that are failed scripts."""
    return [problem for problem in result.problems if problem.reason == SCRIPT_FAILED]


def problem_lines(problems: Sequence[Problem], url: str) -> list[str]:
    """Describe each kind of problem of each element once, with the number of its problems.

    Args:
        problems: those of one page.
        url: the address of the page.
    """
    counts = Counter((problem.element, problem.reason) for problem in problems)
    first = {(problem.element, problem.reason): problem.detail for problem in reversed(problems)}
    lines = []
    for (element, reason), count in counts.items():
        line = first[element, reason]
        # A link that is not absolute is completed by the address of its page, here that of a file.
        is_local = reason == WRONG_TYPE and url.startswith(_FILE) and f"'{_FILE}" in line
        more = f" (and {count - 1} more like it)" if count > 1 else ""
        hint = "; the address of the page is not known, see --url" if is_local else ""
        lines.append(f"{line}{more}{hint}")
    return lines


def misfit_line(result: Result) -> str:
    """Describe in a line why the rules no longer fit a page."""
    required = [problem.element for problem in result.problems if problem.reason == MISSING]
    names = ", ".join(dict.fromkeys((*required, *result.missing))) or "too much"
    return f"{result.url}: {NO_FIT}: {names} not found"


def report_row(result: Result) -> dict[str, Any]:
    """Return the row of a page in a report, a JSON object."""
    return {
        "url": result.url,
        "fits": result.fits,
        "reason": None if result.fits else NO_FIT,
        "missing": list(result.missing),
        "problems": [
            {"element": its.element, "reason": its.reason, "detail": its.detail}
            for its in result.problems
        ],
    }
