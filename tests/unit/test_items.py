from __future__ import annotations

import json
from datetime import date

from itemadapter import ItemAdapter
from scrapy import Field, Item

from crawler.items import FIELD_ORDER, PageItem, nested_to_json, value_to_text


class Tagged(Item):
    tag = Field()


def test_the_order_of_fields_is_fixed() -> None:
    assert " ".join(FIELD_ORDER) == (
        "url canonical_url site site_name page_type title authors published modified language "
        "description tags image robots text confidence markdown comments fetched_at encoding "
        "method mode site_pages frequency_threshold frequency_ranks counts_snapshot "
        "near_duplicate_of parts change content_hash previous_hash blocks_kept blocks_dropped "
        "sentences tables structure structure_problems blocks metadata_sources fields"
    )
    assert tuple(ItemAdapter.get_field_names_from_class(PageItem) or ()) == FIELD_ORDER


def test_every_field_is_explained() -> None:
    doc = PageItem.__doc__ or ""
    assert [name for name in FIELD_ORDER if f"        {name}: " not in doc] == []


def test_pipelines_may_change_an_item() -> None:
    item = PageItem(url="https://blog.example/")
    ItemAdapter(item)["title"] = "changed"
    assert item.title == "changed"
    assert PageItem(url="a").fields is not PageItem(url="b").fields


def test_nested_values_are_compact_json() -> None:
    value = {
        "가": (1, None, True),
        2: {"b", "a"},
        "item": Tagged(tag=b"x"),
        "day": date(2024, 1, 2),
    }
    text = nested_to_json(value)
    assert text == '{"가":[1,null,true],"2":["a","b"],"item":{"tag":"x"},"day":"2024-01-02"}'


def test_what_json_lacks_is_text() -> None:
    assert json.loads(nested_to_json([float("nan"), float("-inf"), 0.5])) == ["nan", "-inf", 0.5]


def test_single_values_are_their_own_text() -> None:
    values = [None, "a", True, 3, date(2024, 1, 2), b"b", ["c"]]
    assert [value_to_text(value) for value in values] == [
        "",
        "a",
        "true",
        "3",
        "2024-01-02",
        "b",
        '["c"]',
    ]
