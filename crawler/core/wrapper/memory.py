"""What rules found on one page, for a person who changes a project and looks at the page again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.core.wrapper.project import Rule
from crawler.core.wrapper.rules import Match, Record, RecordRule
from crawler.core.wrapper.view import View

_MOST_RULES: Final = 100

Found = Sequence[Match | Record]


def find_by(rule: Rule, view: View, *, remember: bool) -> Found:
    """Return what a rule finds on a page, or in a record of it."""
    if isinstance(rule, RecordRule):
        return rule.records(view)
    return rule.matches(view, remember=remember)


class Memory:
    """What rules found on one page: a rule that is asked again is not run again.

    It belongs to one tree, and is as good as long as that is not changed.
    """

    def __init__(self) -> None:
        # By the identity of rules, which are kept here so that none is used for another one.
        self._found: dict[int, tuple[Rule, dict[tuple[int, bool], Found]]] = {}

    def find_by(self, rule: Rule, view: View, *, remember: bool) -> Found:
        """Return what :func:`find_by` does."""
        known = self._found.pop(id(rule), None) or (rule, {})
        self._found[id(rule)] = known
        if len(self._found) > _MOST_RULES:
            del self._found[next(iter(self._found))]
        key = view.root, remember
        found = known[1].get(key)
        if found is None:
            found = known[1][key] = find_by(rule, view, remember=remember)
        return found
