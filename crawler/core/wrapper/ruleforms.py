"""Rules as JSON values, and back.

A rule of the best matcher is written as its examples, of which it is a function; a published rule
as its tag sets. Near misses are written as what they have otherwise than the node they came near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.core.wrapper.best import BestRule
from crawler.core.wrapper.evidence import SLOTS
from crawler.core.wrapper.example_nodes import ELEMENT, TEXT_RUN, Example, Sighting, Wanted
from crawler.core.wrapper.matchers import PublishedField
from crawler.core.wrapper.paper_method import PublishedRule, TagSet
from crawler.core.wrapper.records import RecordRule
from crawler.core.wrapper.tree import TagItem

if TYPE_CHECKING:
    from crawler.core.wrapper.evidence import Evidence
    from crawler.core.wrapper.jsonreader import Place
    from crawler.core.wrapper.project import Rule

__all__ = ["read_rule", "write_rule"]

_SLOT_NAMES = {slot.name: at for at, slot in enumerate(SLOTS)}
_BEST, _RECORDS, _PUBLISHED = "best", "records", "published"
_KINDS = f"'{TEXT_RUN}', '{ELEMENT}', or '@' and the name of an attribute"


def write_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule as a JSON value."""
    examples = [_write_example(example) for example in rule.examples]
    if isinstance(rule, BestRule):
        return {"matcher": _BEST, "examples": examples}
    if isinstance(rule, RecordRule):
        return {"matcher": _RECORDS, "examples": examples}
    if isinstance(rule, PublishedField):
        return {
            "matcher": _PUBLISHED,
            "kind": rule.kind,
            "learned": rule.rule.examples,
            "sets": [_write_set(tags) for tags in rule.rule.sets],
            "examples": examples,
        }
    raise TypeError(f"a rule of type {type(rule).__name__} has no form in a project file")


def read_rule(place: Place) -> Rule:
    """Read a rule.

    Raises:
        UnreadableInputError: it is none.
    """
    members = place.members()
    if "matcher" not in members:
        place.fail("'matcher' is missing; add it")
    matcher = members["matcher"].text()
    if matcher == _PUBLISHED:
        return _read_published(place)
    found = place.fields(("matcher", "examples"))
    examples = [_read_example(its) for its in found["examples"].items()]
    if matcher == _BEST:
        return BestRule.learned(examples)
    if matcher == _RECORDS:
        return RecordRule.learned(examples)
    return members["matcher"].fail(
        f"there is no matcher '{matcher}'; give {_BEST}, {_PUBLISHED}, or {_RECORDS} for groups"
    )


def _write_set(tags: TagSet) -> dict[str, Any]:
    items = [
        {"name": item.name, "tag_index": item.tag_index, "index": item.index, "weight": weight}
        for item, weight in tags.items
    ]
    return {"items": items, "null": tags.null}


def _read_published(place: Place) -> PublishedField:
    found = place.fields(("matcher", "kind", "learned", "sets", "examples"))
    learned = found["learned"].count()
    sets = []
    for its in found["sets"].items():
        tags = its.fields(("items", "null"))
        known = TagSet(tuple(map(_read_item, tags["items"].items())), tags["null"].count())
        if known.total != learned:
            its.fail(f"its weights add up to {known.total}, and must to 'learned', {learned}")
        sets.append(known)
    return PublishedField(
        PublishedRule(tuple(sets), learned),
        _read_kind(found["kind"]),
        tuple(_read_example(its) for its in found["examples"].items()),
    )


def _read_item(place: Place) -> tuple[TagItem, int]:
    found = place.fields(("name", "tag_index", "index", "weight"))
    item = TagItem(found["name"].text(), found["tag_index"].count(1), found["index"].count(1))
    return item, found["weight"].count(1)


def _read_kind(place: Place) -> str:
    kind = place.text()
    if kind not in {TEXT_RUN, ELEMENT} and not (kind.startswith("@") and len(kind) > 1):
        place.fail(f"must be {_KINDS}, not '{kind}'")
    return kind


def _write_example(example: Example) -> dict[str, Any]:
    return {
        "page": example.page,
        "address": example.address,
        "record": example.record,
        "values": [
            {
                "value": wanted.value,
                "nodes": [_write_sighting(sighting) for sighting in wanted.sightings],
            }
            for wanted in example.wanted
        ],
        "wrong": [_write_sighting(sighting) for sighting in example.wrong],
    }


def _read_example(place: Place) -> Example:
    found = place.fields(("page", "values"), ("address", "record", "wrong"))
    wanted = []
    for its in found["values"].items():
        value = its.fields(("value", "nodes"))
        nodes = [_read_sighting(node) for node in value["nodes"].items()]
        if not nodes:
            value["nodes"].fail("must name at least one node that says the value")
        wanted.append(Wanted(value["value"].text(), tuple(nodes)))
    return Example(
        page=found["page"].text(),
        address=found["address"].text() if "address" in found else "",
        record=found["record"].text() if "record" in found else "",
        wanted=tuple(wanted),
        wrong=tuple(map(_read_sighting, found["wrong"].items())) if "wrong" in found else (),
    )


def _write_sighting(sighting: Sighting) -> dict[str, Any]:
    evidence = zip(SLOTS, sighting.evidence, sighting.counts, strict=True)
    return {
        "kind": sighting.kind,
        "path": sighting.path,
        "nodes": sighting.nodes,
        "evidence": {slot.name: [value, count] for slot, value, count in evidence},
        "mates": sighting.mates,
        "strangers": sighting.strangers,
        "near": [
            {
                slot.name: other
                for slot, mine, other in zip(SLOTS, sighting.evidence, row, strict=True)
                if mine != other
            }
            for row in sighting.near
        ],
    }


def _read_sighting(place: Place) -> Sighting:
    found = place.fields(("kind", "path", "nodes", "evidence"), ("mates", "strangers", "near"))
    nodes = found["nodes"].count(1)
    # What a file does not speak of is as on every other node.
    evidence, counts = [""] * len(SLOTS), [nodes] * len(SLOTS)
    for name, its in found["evidence"].members().items():
        at = _slot(its, name)
        pair = its.items()
        if len(pair) != 2:  # noqa: PLR2004 - a pair
            its.fail("must be a list of a value and how many nodes have it")
        evidence[at], counts[at] = pair[0].text(), pair[1].count(1)
    return Sighting(
        kind=_read_kind(found["kind"]),
        path=found["path"].text(),
        evidence=tuple(evidence),
        counts=tuple(min(count, nodes) for count in counts),
        nodes=nodes,
        near=tuple(_read_near(its, evidence) for its in found["near"].items())
        if "near" in found
        else (),
        mates=found["mates"].count() if "mates" in found else 0,
        strangers=found["strangers"].count() if "strangers" in found else 0,
    )


def _read_near(place: Place, evidence: list[str]) -> Evidence:
    row = list(evidence)
    for name, its in place.members().items():
        row[_slot(its, name)] = its.text()
    return tuple(row)


def _slot(place: Place, name: str) -> int:
    if name not in _SLOT_NAMES:
        place.fail(f"there is no evidence called '{name}'; it has: {', '.join(_SLOT_NAMES)}")
    return _SLOT_NAMES[name]
