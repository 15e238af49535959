"""Roles: the places of a layout at which the examples say what is wanted.

A page may say a value at several places, and a field may have values at several. Every value has to
have a role; the fewest and most alike are taken. Further roles that say the same on all examples
are kept beside the first as its *team*: where one is missing on a page, or says something else,
the others are asked.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from crawler.core.wrapper.example_nodes import agreement, rarities
from crawler.core.wrapper.role_model import Member, Variant, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.wrapper.example_nodes import Example, Sighting

__all__ = ["teams_of"]

# Agreement from which on two nodes play the same role. A role that cannot be told from what came
# near to it is cut finer, as far as that helps.
_ALIKE = (0.35, 0.5, 0.65, 0.8)
_MOST_ROLES = 8
_MOST_IN_TEAM = 5
# How many values may propose a role: a list is known by some of its members.
_SEEDS = 12
_Role = tuple[tuple[Member, ...], float]


def teams_of(examples: Sequence[Example], *, finer: bool = True) -> tuple[tuple[Variant, ...], ...]:
    """Return the teams of roles that together say all values of the examples.

    Args:
        examples: in an order that depends on the set alone.
        finer: whether a role may be cut, as where a field has several values. The records of a list
            are one role, and of the copies of one value the best is taken.
    """
    wrong = [sighting for example in examples for sighting in example.wrong]
    found: tuple[tuple[Variant, ...], ...] = ()
    best = float("-inf")
    for alike in _ALIKE if finer else _ALIKE[:1]:
        teams = _Cast(examples, wrong, alike).teams()
        margin = min((team[0].margin for team in teams), default=1.0)
        if margin > best:
            found, best = teams, margin
        if best > 0:
            break
    return found


class _Cast:
    """Hands out roles at one degree of likeness."""

    def __init__(
        self, examples: Sequence[Example], wrong: Sequence[Sighting], alike: float
    ) -> None:
        self._wrong = wrong
        self._alike = alike
        self._values = [
            [Member(at, number, sighting) for sighting in wanted.sightings]
            for at, example in enumerate(examples)
            for number, wanted in enumerate(example.wanted)
        ]
        self._rare = {
            id(member.sighting): rarities(member.sighting)
            for members in self._values
            for member in members
        }
        self._known: dict[int, _Role] = {}

    def teams(self) -> tuple[tuple[Variant, ...], ...]:
        open_values = {members[0].pair for members in self._values if members}
        teams: list[tuple[Variant, ...]] = []
        while open_values and len(teams) < _MOST_ROLES:
            role = self._best(open_values)
            open_values -= {member.pair for member in role}
            teams.append(tuple(map(self._fitted, (role, *self._team(role)))))
        return tuple(teams)

    def _fitted(self, role: Sequence[Member]) -> Variant:
        kind = role[0].sighting.kind
        return fit(role, [sighting for sighting in self._wrong if sighting.kind == kind])

    def _best(self, open_values: set[tuple[int, int]]) -> tuple[Member, ...]:
        """Return the role that says most of the values that have none yet."""
        best: tuple[Member, ...] = ()
        most = 0.0
        waiting = [
            members for members in self._values if members and members[0].pair in open_values
        ]
        for members in waiting[:_SEEDS]:
            for seed in members:
                role, _ = self._role(seed)
                worth = fsum(
                    self._likeness(seed, member) for member in role if member.pair in open_values
                )
                if worth > most + 1e-9:
                    best, most = role, worth
        return best

    def _team(self, role: tuple[Member, ...]) -> list[tuple[Member, ...]]:
        """Return other roles that say all that this one says, the most alike first."""
        said = {member.pair for member in role}
        used = {id(member) for member in role}
        first = next(members for members in self._values if members and members[0].pair in said)
        ranked = sorted(
            (self._role(seed) for seed in first if id(seed) not in used),
            key=lambda other: (-other[1], other[0][0].sighting.path),
        )
        team: list[tuple[Member, ...]] = []
        for other, _ in ranked:
            fresh = not any(id(member) in used for member in other)
            if fresh and said <= {member.pair for member in other}:
                team.append(other)
                used.update(map(id, other))
        return team[: _MOST_IN_TEAM - 1]

    def _role(self, seed: Member) -> _Role:
        """Return, for each value, the sighting most like the seed, where one is like it at all."""
        if id(seed) not in self._known:
            role = []
            for members in self._values:
                best, share = None, self._alike
                for member in members:
                    if (alike := self._likeness(seed, member)) > share:
                        best, share = member, alike
                if best is not None:
                    role.append((best, share))
            worth = fsum(share for _, share in role)
            self._known[id(seed)] = tuple(member for member, _ in role), worth
        return self._known[id(seed)]

    def _likeness(self, seed: Member, member: Member) -> float:
        if member is seed:
            return 1.0
        left, right = seed.sighting, member.sighting
        return agreement(left, right, self._rare[id(left)], self._rare[id(right)])
