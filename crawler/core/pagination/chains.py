"""Chains of parts, from what each page of a site says by itself.

The order of pages does not matter: all is gathered first, and the chains are made once.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from xxhash import xxh3_64_intdigest

from crawler.core.page.addresses import canonical_address
from crawler.core.pagination.address import MOST_PARTS, Place, part_number, place_of, readings


@dataclass(slots=True)
class _Node:
    """A page that may be a part: its address as fetched, its next part, how often it is held."""

    url: str
    following: str | None
    times: int


def _hash(address: str) -> int:
    return xxh3_64_intdigest(address.encode("utf-8", "surrogatepass"))


class PartLinks:
    """Which page of a site goes on in which other.

    Pages that go on, and those whose address has the number of a part, take memory; each other page
    takes sixteen bytes.

    Args:
        latest_alone: whether only the latest of several pages with one address is exported. Else
            all of them are, and none of them is known to be the part.
    """

    def __init__(self, *, latest_alone: bool = False) -> None:
        self._latest_alone = latest_alone
        self._nodes: dict[str, _Node] = {}
        # Hashes of the other pages' addresses, canonical and as fetched. Such a page may come again
        # and go on then.
        self._plain_keys = array("Q")
        self._plain_urls = array("Q")

    def add(self, url: str, following: str | None) -> None:
        """Note a page that is held.

        Args:
            url: its address.
            following: what :func:`crawler.core.pagination.next_part` says of it.
        """
        key = canonical_address(url)
        node = self._nodes.get(key)
        if node is None:
            if following is not None or readings(url):
                self._nodes[key] = _Node(url, following, 1)
            else:
                self._plain_keys.append(_hash(key))
                self._plain_urls.append(_hash(url))
            return
        node.times += not (self._latest_alone and node.url == url)
        if node.following is None:
            node.following = following
        elif following is not None and following != node.following:
            # The page changed, and which of the two is held is unknown.
            node.times += 1

    def chains(self) -> list[tuple[str, ...]]:
        """Return the chains: the canonical addresses of the parts of each article, in order.

        A chain begins with a first part and ends where the next one is not held. A part that two
        pages claim belongs to the one whose address has no number, if there is just one such.
        """
        following = self._following()
        continued = set(following.values())
        found = []
        for key in sorted(following):
            if key in continued or part_number(key, following[key]) != 1:
                continue
            chain, here = dict.fromkeys((key,)), following[key]
            while here not in chain:
                chain[here] = None
                here = following.get(here, key)
            if len(chain) <= MOST_PARTS:
                found.append(tuple(chain))
        return found

    def _following(self) -> dict[str, str]:
        """Return the next part of each page that has one; no two pages share one."""
        sure = self._held_once()
        # Of two addresses that differ in a slash, neither is sure to be meant.
        held: dict[Place, str | None] = {}
        for key in sure:
            if (place := place_of(key)) is not None:
                held[place] = None if place in held else key
        claims: dict[str, list[str]] = {}
        for key, node in sure.items():
            then = node.following
            if then is None or (then in self._nodes and then not in sure):
                continue
            if then not in sure:
                place = place_of(then)
                then = held.get(place) if place is not None else None
            if then is not None and part_number(key, then) is not None:
                claims.setdefault(then, []).append(key)
        chosen = {}
        for then, keys in claims.items():
            bases = {reading.base for reading in readings(then)}
            first = keys if len(keys) == 1 else [key for key in keys if place_of(key) in bases]
            if len(first) == 1:
                chosen[first[0]] = then
        return chosen

    def _held_once(self) -> dict[str, _Node]:
        """Return the pages that may be parts and whose addresses were held once."""
        again = set()
        by_hash = {_hash(key): key for key in self._nodes}
        for key_hash, url_hash in zip(self._plain_keys, self._plain_urls, strict=True):
            key = by_hash.get(key_hash)
            if key is not None and not (
                self._latest_alone and url_hash == _hash(self._nodes[key].url)
            ):
                again.add(key)
        return {
            key: node for key, node in self._nodes.items() if node.times == 1 and key not in again
        }
